//! Constants of addresses, which are added last.
//!
//! An id is one more than an index, so that an element is at `column + (id * size - size)`, or at `column + (id - 1) * size`. Of the
//! fields of one object LLVM computes what is in parentheses once, and adds it to each column: three operations or more, each of which
//! waits for the one before. Added last, the constant is part of the load, and the rest is one operation.

use std::collections::HashMap;

use crate::loops::functions;
use crate::ptx::{assignments, plain, rewritten};

/// How far a load reaches from the address in its register.
const REACH: i64 = 1 << 20;

/// What is in a register, shifted to the left, and a constant.
#[derive(Clone, Copy)]
struct Sum<'c> {
    from: &'c str,
    shift: u32,
    by: i64,
}

/// The code with such addresses.
pub(crate) fn last(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut changed: HashMap<usize, String> = HashMap::new();
    for body in functions(&lines) {
        let assigned = assignments(&lines[body.clone()]);
        // What is assigned once is assigned before it is used, and a register that such an assignment reads is not assigned anew
        // before that one is.
        let is_constant = |register: &str| assigned.get(register) == Some(&1);
        let mut sums: HashMap<&str, Sum<'_>> = HashMap::new();
        // Numbers of 32 bits by what they are in 64.
        let mut narrow: HashMap<&str, &str> = HashMap::new();
        for n in body {
            let Some((name, operands)) = plain(lines[n]) else { continue };
            if let ("cvt.u64.u32", &[to, from]) = (name, &operands[..])
                && is_constant(to)
                && is_constant(from)
            {
                narrow.insert(to, from);
            }
            let &[to, one, other] = &operands[..] else { continue };
            if !is_constant(to) {
                continue;
            }
            let sum = |register: &str| sums.get(register).copied();
            match (name, other.parse::<i64>()) {
                ("add.s64", Ok(more)) if is_constant(one) => {
                    let Sum { from, shift, by } = sum(one).unwrap_or(Sum { from: one, shift: 0, by: 0 });
                    if let Some(by) = by.checked_add(more).filter(|by| (-REACH..REACH).contains(by)) {
                        sums.insert(to, Sum { from, shift, by });
                    }
                }
                ("shl.b64", Ok(more @ 0..8)) => {
                    let Some(Sum { from, shift: 0, by }) = sum(one) else { continue };
                    let by = by << more;
                    if (-REACH..REACH).contains(&by) {
                        sums.insert(to, Sum { from, shift: more as u32, by });
                    }
                }
                ("add.s64", Err(_)) => {
                    let found =
                        [(one, other), (other, one)].into_iter().find_map(|(of, column)| Some((sum(of)?, column)));
                    let Some((Sum { from, shift, by }, column)) = found else { continue };
                    let (wide, sum) =
                        (format!("\tadd.s64 \t{to}, {column}, "), format!("\tadd.s64 \t{to}, {to}, {by};"));
                    let text = match (shift, narrow.get(from)) {
                        (0, _) => format!("{wide}{from};\n{sum}"),
                        (_, None) => format!("\tshl.b64 \t{to}, {from}, {shift};\n{wide}{to};\n{sum}"),
                        (_, Some(from)) => {
                            format!("\tmul.wide.u32 \t{to}, {from}, {};\n{wide}{to};\n{sum}", 1 << shift)
                        }
                    };
                    changed.insert(n, text);
                }
                _ => {}
            }
        }
    }
    rewritten(lines.iter().enumerate(), &changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field each of three columns, of the object with id %r1; %rd8 is assigned twice.
    const CODE: &str = "\
.visible .entry kernel(
)
{
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd1, %r1, 4;
	add.s64 	%rd2, %rd1, -4;
	add.s64 	%rd4, %rd2, %rd3;
	ld.global.b32 	%r2, [%rd4];
	add.s64 	%rd6, %rd5, %rd2;
	ld.global.b32 	%r3, [%rd6];
	cvt.u64.u32 	%rd11, %r1;
	add.s64 	%rd12, %rd11, -1;
	shl.b64 	%rd13, %rd12, 3;
	add.s64 	%rd14, %rd5, %rd13;
	add.s64 	%rd7, %rd1, 8589934592;
	add.s64 	%rd9, %rd7, %rd5;
	add.s64 	%rd8, %rd1, -4;
	add.s64 	%rd8, %rd8, %rd5;
	add.s64 	%rd10, %rd8, %rd5;
	ret;
}
";

    #[test]
    fn the_constant_of_an_address_is_added_last() {
        let text = last(CODE);
        let expected = CODE
            .replace("%rd4, %rd2, %rd3;", "%rd4, %rd3, %rd1;\n\tadd.s64 \t%rd4, %rd4, -4;")
            .replace("%rd6, %rd5, %rd2;", "%rd6, %rd5, %rd1;\n\tadd.s64 \t%rd6, %rd6, -4;")
            .replace(
                "add.s64 \t%rd14, %rd5, %rd13;",
                "mul.wide.u32 \t%rd14, %r1, 8;\n\tadd.s64 \t%rd14, %rd5, %rd14;\n\tadd.s64 \t%rd14, %rd14, -8;",
            );
        assert_eq!(text, expected);
        assert_eq!(last(&text), text, "a second time changes nothing");
    }
}
