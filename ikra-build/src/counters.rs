//! Counters of loops that nothing but the loop's end reads.
//!
//! `for _ in 0..steps` counts up to a number, which takes a second register. Here it counts down to zero.

use std::collections::HashMap;
use std::ops::Range;

use crate::loops::{functions, label, registers};
use crate::ptx::{plain, rewritten};
use crate::strides::{loops, results};

/// The code with such counters.
pub(crate) fn down(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut changed: HashMap<usize, String> = HashMap::new();
    for body in functions(&lines) {
        for found in loops(&lines, body.clone()) {
            let Some(counter) = counter(&lines, body.clone(), found.clone()) else { continue };
            let Counter { name, bits, by, end, increased, compared, predicate } = counter;
            let head = lines[found.start];
            // A number modulo a power of two: it is zero exactly when the other is the end.
            changed.insert(found.start, format!("\tsub.s{bits} \t{name}, {end}, {name};\n{head}"));
            changed.insert(increased, format!("\tadd.s{bits} \t{name}, {name}, -{by};"));
            changed.insert(compared, format!("\tsetp.ne.b{bits} \t{predicate}, {name}, 0;"));
        }
    }
    rewritten(lines.iter().enumerate(), &changed)
}

/// A register that a loop increases until it is another.
struct Counter<'c> {
    name: &'c str,
    bits: u32,
    by: u32,
    end: &'c str,
    /// The lines in which it is increased and compared.
    increased: usize,
    compared: usize,
    predicate: &'c str,
}

/// The counter of a loop, from the line of its label to that of the jump back.
fn counter<'c>(lines: &[&'c str], body: Range<usize>, found: Range<usize>) -> Option<Counter<'c>> {
    let inside = || found.clone().skip(1);
    let assigned = |register: &str| inside().filter(|&n| results(lines[n]).contains(&register)).count();
    let (guard, _) = lines[found.end].trim().strip_prefix('@')?.split_once(char::is_whitespace)?;
    let compared = inside().find(|&n| results(lines[n]).contains(&guard)).filter(|_| assigned(guard) == 1)?;
    let (name, operands) = plain(lines[compared])?;
    let &[predicate, counter, end] = operands.as_slice() else { return None };
    let bits = match name {
        "setp.ne.b32" | "setp.ne.s32" | "setp.ne.u32" => 32,
        "setp.ne.b64" | "setp.ne.s64" | "setp.ne.u64" => 64,
        _ => return None,
    };
    let increased = inside().find(|&n| results(lines[n]).contains(&counter)).filter(|&n| n < compared)?;
    let (name, operands) = plain(lines[increased])?;
    let &[_, from, by] = operands.as_slice() else { return None };
    let by = by
        .parse::<u32>()
        .ok()
        .filter(|&by| by < 1 << 31)
        .filter(|_| from == counter && name == format!("add.s{bits}"))?;
    if assigned(counter) != 1 || !end.starts_with("%r") || end == counter || assigned(end) != 0 {
        return None;
    }
    // Elsewhere it only gets its first value, in the block before the loop.
    let mut others =
        body.clone().filter(|&n| n != increased && n != compared && registers(lines[n]).any(|other| other == counter));
    let start = others.next().filter(|_| others.next().is_none())?;
    let is_start = plain(lines[start])
        .is_some_and(|(name, operands)| name.starts_with("mov.b") && operands[0] == counter && operands[1] != counter);
    let is_before = start < found.start && (start..found.start).all(|n| label(lines[n]).is_none());
    (is_start && is_before).then_some(Counter { name: counter, bits, by, end, increased, compared, predicate })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = "\
.visible .entry kernel(
)
{
	.reg .b32 	%r<9>;
	mov.b32 	%r3, 0;
$L__BB0_1:
	mov.b32 	%r1, %r3;
	and.b32 	%r4, %r6, -4;
$L__BB0_2:
	.pragma \"nounroll\";
	ld.global.b32 	%r5, [%rd1];
	add.s32 	%r1, %r1, 4;
	setp.ne.b32 	%p1, %r1, %r4;
	@%p1 bra 	$L__BB0_2;
	ret;
}
";

    #[test]
    fn a_counter_counts_down() {
        let wanted = LOOP
            .replace("$L__BB0_2:\n", "\tsub.s32 \t%r1, %r4, %r1;\n$L__BB0_2:\n")
            .replace("add.s32 \t%r1, %r1, 4", "add.s32 \t%r1, %r1, -4")
            .replace("%r1, %r4;\n\t@", "%r1, 0;\n\t@");
        assert_eq!(down(LOOP), wanted);
        assert_eq!(down(&wanted), wanted);
        let long = LOOP.replace("%r1", "%rd11").replace("%r4", "%rd4").replace("s32 \t%rd11", "s64 \t%rd11");
        let long = down(&long.replace("setp.ne.b32", "setp.ne.s64"));
        for line in ["\tsub.s64 \t%rd11, %rd4, %rd11;\n", "\tsetp.ne.b64 \t%p1, %rd11, 0;\n"] {
            assert!(long.contains(line), "{line} is not in {long}");
        }
    }

    #[test]
    fn other_counters_stay() {
        for (from, to) in [
            // Something else reads it, in the loop or behind it, or it is not set anew before the loop.
            ("\tld.global.b32 \t%r5, [%rd1];", "\tst.global.b32 \t[%rd1], %r1;"),
            ("\tret;", "\tst.global.b32 \t[%rd1], %r1;\n\tret;"),
            ("\tmov.b32 \t%r3, 0;\n$L__BB0_1:\n\tmov.b32 \t%r1, %r3;", "\tmov.b32 \t%r1, 0;\n$L__BB0_1:"),
            ("\tmov.b32 \t%r1, %r3;", "\tmov.b32 \t%r1, %r3;\n\t@%p2 mov.b32 \t%r1, 1;"),
            ("\tmov.b32 \t%r1, %r3;", "\tmov.b32 \t%r1, %r1;"),
            // The end changes, is reached otherwise, or is a number.
            ("\tld.global.b32 \t%r5,", "\tld.global.b32 \t%r4,"),
            ("setp.ne.b32", "setp.lt.u32"),
            ("%p1, %r1, %r4", "%p1, %r1, 64"),
            ("%p1, %r1, %r4", "%p1, %r4, %r1"),
            ("setp.ne.b32 \t%p1,", "setp.ne.b32 \t%p2,"),
            // It is increased otherwise, or behind the comparison.
            ("add.s32 \t%r1, %r1, 4", "add.s32 \t%r1, %r1, %r2"),
            ("add.s32 \t%r1, %r1, 4", "add.s32 \t%r1, %r1, -4"),
            ("add.s32 \t%r1, %r1, 4", "@%p2 add.s32 \t%r1, %r1, 4"),
            (
                "\tadd.s32 \t%r1, %r1, 4;\n\tsetp.ne.b32 \t%p1, %r1, %r4;",
                "\tsetp.ne.b32 \t%p1, %r1, %r4;\n\tadd.s32 \t%r1, %r1, 4;",
            ),
        ] {
            let code = LOOP.replace(from, to);
            assert_ne!(code, LOOP, "{from}");
            assert_eq!(down(&code), code, "{to}");
        }
    }
}
