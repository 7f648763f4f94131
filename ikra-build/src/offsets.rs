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

/// What is in a register, so many times, and a constant.
#[derive(Clone, Copy)]
struct Sum<'c> {
    from: &'c str,
    times: i64,
    by: i64,
}

impl<'c> Sum<'c> {
    /// So many of it, if a load reaches as far as its constant then is.
    fn times(self, times: i64) -> Option<Self> {
        let Self { from, times: 1, by } = self else { return None };
        Self { from, times, by: 0 }.plus(by.checked_mul(times)?)
    }

    fn plus(self, more: i64) -> Option<Self> {
        let by = self.by.checked_add(more).filter(|by| (-REACH..REACH).contains(by))?;
        Some(Self { by, ..self })
    }

    /// The instructions that add it to where a column starts, given which numbers have 32 bits, and the registers of these if they
    /// stay as they are.
    fn added(self, to: &str, column: &str, narrow: &HashMap<&str, Option<&str>>) -> String {
        let Self { from, times, by } = self;
        let product = match narrow.get(from) {
            _ if times == 1 => return format!("\tadd.s64 \t{to}, {column}, {from};\n\tadd.s64 \t{to}, {to}, {by};"),
            Some(Some(from)) => format!("mul.wide.u32 \t{to}, {from}, {times}"),
            Some(None) => {
                format!("{{ .reg .b32 id; cvt.u32.u64 id, {from}; mul.wide.u32 {to}, id, {times}; }}")
            }
            None if times.count_ones() == 1 => format!("shl.b64 \t{to}, {from}, {}", times.trailing_zeros()),
            None => format!("mul.lo.s64 \t{to}, {from}, {times}"),
        };
        let product = if product.ends_with('}') { product } else { product + ";" };
        format!("\t{product}\n\tadd.s64 \t{to}, {column}, {to};\n\tadd.s64 \t{to}, {to}, {by};")
    }
}

/// The size of an element.
fn number(size: &str) -> Option<i64> {
    size.parse().ok().filter(|size| (1..REACH).contains(size))
}

/// The code with such addresses.
pub(crate) fn last(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut changed: HashMap<usize, String> = HashMap::new();
    for body in functions(&lines) {
        let assigned = assignments(&lines[body.clone()]);
        // What is assigned once is assigned before it is used, and a register that such an assignment reads is not assigned anew
        // before that one is: from there a way would lead to the use that does not assign it.
        let is_constant = |register: &str| assigned.get(register) == Some(&1);
        let mut sums: HashMap<&str, Sum<'_>> = HashMap::new();
        // Numbers of 32 bits by what they are in 64.
        let mut narrow: HashMap<&str, Option<&str>> = HashMap::new();
        // Twice, since blocks need not stand in the order in which they are executed.
        for n in body.clone().chain(body) {
            let Some((name, operands)) = plain(lines[n]) else { continue };
            if let ("cvt.u64.u32", &[to, from]) = (name, &operands[..])
                && is_constant(to)
            {
                narrow.insert(to, is_constant(from).then_some(from));
            }
            let sum = |register: &str| sums.get(register).copied();
            let new = match (name, &operands[..]) {
                _ if !operands.first().is_some_and(|to| is_constant(to)) => continue,
                ("add.s64", &[to, one, other]) => match other.parse() {
                    Ok(more) if is_constant(one) => {
                        (to, sum(one).unwrap_or(Sum { from: one, times: 1, by: 0 }).plus(more))
                    }
                    Ok(_) => continue,
                    Err(_) => {
                        let found = [(one, other), (other, one)].into_iter().find_map(|(of, to)| Some((sum(of)?, to)));
                        changed.extend(found.map(|(sum, column)| (n, sum.added(to, column, &narrow))));
                        continue;
                    }
                },
                ("shl.b64", &[to, one, by]) => {
                    (to, by.parse().ok().filter(|by| *by < 8).and_then(|by: u32| sum(one)?.times(1 << by)))
                }
                ("mul.lo.s64", &[to, one, size]) => (to, number(size).and_then(|size| sum(one)?.times(size))),
                ("mad.lo.s64", &[to, one, size, column]) => {
                    let sum = number(size).and_then(|size| sum(one)?.times(size));
                    changed.extend(sum.map(|sum| (n, sum.added(to, column, &narrow))));
                    continue;
                }
                _ => continue,
            };
            if let (to, Some(sum)) = new {
                sums.insert(to, sum);
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
	bra.uni 	$L__BB0_2;
$L__BB0_1:
	add.s64 	%rd26, %rd5, %rd2;
	ret;
$L__BB0_2:
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
	mad.lo.s64 	%rd15, %rd12, 12, %rd5;
	mul.lo.s64 	%rd16, %rd12, 20;
	add.s64 	%rd17, %rd5, %rd16;
	mov.b64 	%rd21, 7;
	add.s64 	%rd18, %rd21, 4;
	mad.lo.s64 	%rd19, %rd18, 12, %rd5;
	mad.lo.s64 	%rd20, %rd12, 1048576, %rd5;
	add.s32 	%r4, %r4, 1;
	cvt.u64.u32 	%rd22, %r4;
	add.s64 	%rd23, %rd22, -1;
	add.s32 	%r4, %r4, 1;
	mad.lo.s64 	%rd24, %rd23, 12, %rd5;
	ret;
}
";

    #[test]
    fn the_constant_of_an_address_is_added_last() {
        let text = last(CODE);
        let expected = CODE
            .replace("%rd26, %rd5, %rd2;", "%rd26, %rd5, %rd1;\n\tadd.s64 \t%rd26, %rd26, -4;")
            .replace("%rd4, %rd2, %rd3;", "%rd4, %rd3, %rd1;\n\tadd.s64 \t%rd4, %rd4, -4;")
            .replace("%rd6, %rd5, %rd2;", "%rd6, %rd5, %rd1;\n\tadd.s64 \t%rd6, %rd6, -4;")
            .replace(
                "add.s64 \t%rd14, %rd5, %rd13;",
                "mul.wide.u32 \t%rd14, %r1, 8;\n\tadd.s64 \t%rd14, %rd5, %rd14;\n\tadd.s64 \t%rd14, %rd14, -8;",
            )
            .replace(
                "mad.lo.s64 \t%rd15, %rd12, 12, %rd5;",
                "mul.wide.u32 \t%rd15, %r1, 12;\n\tadd.s64 \t%rd15, %rd5, %rd15;\n\tadd.s64 \t%rd15, %rd15, -12;",
            )
            .replace(
                "add.s64 \t%rd17, %rd5, %rd16;",
                "mul.wide.u32 \t%rd17, %r1, 20;\n\tadd.s64 \t%rd17, %rd5, %rd17;\n\tadd.s64 \t%rd17, %rd17, -20;",
            )
            .replace(
                "mad.lo.s64 \t%rd19, %rd18, 12, %rd5;",
                "mul.lo.s64 \t%rd19, %rd21, 12;\n\tadd.s64 \t%rd19, %rd5, %rd19;\n\tadd.s64 \t%rd19, %rd19, 48;",
            )
            .replace(
                "mad.lo.s64 \t%rd24, %rd23, 12, %rd5;",
                "{ .reg .b32 id; cvt.u32.u64 id, %rd22; mul.wide.u32 %rd24, id, 12; }\n\tadd.s64 \t%rd24, %rd5, %rd24;\n\tadd.s64 \t%rd24, %rd24, -12;",
            );
        assert_eq!(text, expected);
        assert_eq!(last(&text), text, "a second time changes nothing");
    }
}
