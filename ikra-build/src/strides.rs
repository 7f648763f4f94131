//! Addresses that loops step through.
//!
//! LLVM's loop strength reduction is off, since it keeps a register for each multiple of a stride that is known at run time only. So
//! a loop over all objects multiplies the object's number by the size of an element in each turn, for each column. Here a loop
//! without branches gets an address per column that is increased by a constant.

use std::collections::HashMap;
use std::ops::Range;

use crate::loops::{functions, registers};
use crate::ptx::{plain, rewritten, unguarded};

/// How many columns a loop may step through: each takes two registers.
const MOST: usize = 4;

/// The code with steps.
pub(crate) fn stepped(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    // What stands in the place of a line.
    let mut changed: HashMap<usize, String> = HashMap::new();
    let mut made = 0;
    for body in functions(&lines) {
        let first = made;
        for found in loops(&lines, body.clone()) {
            step(&lines, found, &mut made, &mut changed);
        }
        if made > first {
            // A function's registers are declared where it begins.
            let declared: String = (first..made).map(|n| format!("\t.reg .b64 \t%ikra_step{n};\n")).collect();
            let start = changed.remove(&body.start).unwrap_or_else(|| lines[body.start].to_owned());
            changed.insert(body.start, declared + &start);
        }
    }
    rewritten(lines.iter().enumerate(), &changed)
}

/// Loops of one block, into which what stands before their label leads, and no jump: from the label to the jump back.
pub(crate) fn loops(lines: &[&str], body: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut head = None;
    for n in body.clone() {
        let line = lines[n].trim();
        if line.starts_with('$') && !line.starts_with("$L__tmp") {
            head = Some(n);
        } else if line.contains("bra") || line.starts_with("call") || line.contains("ret;") || line.contains("exit;") {
            let label = head.take().map(|head| (head, lines[head].split(':').next().unwrap_or_default()));
            if let Some((head, label)) = label
                && line.starts_with('@')
                && line.ends_with(&format!("bra \t{label};"))
                && head > body.start
                && lines[body.clone()].iter().filter(|line| line.ends_with(&format!("\t{label};"))).count() == 1
                && !["bra", "ret;", "exit;", "trap;"].iter().any(|end| {
                    let before = lines[head - 1].trim();
                    !before.starts_with('@') && before.contains(end)
                })
            {
                found.push(head..n);
            }
        }
    }
    found
}

/// Makes the addresses of a loop steps.
fn step(lines: &[&str], found: Range<usize>, made: &mut usize, changed: &mut HashMap<usize, String>) {
    let inside = || found.clone().skip(1);
    // Where a register gets its value, if it is one place.
    let only = |register: &str| {
        let mut places = inside().filter(|&n| results(lines[n]).contains(&register));
        places.next().filter(|_| places.next().is_none())
    };
    let constant = |n: usize, name: &str| {
        let (own, parts) = plain(lines[n])?;
        let &[_, from, by] = parts.as_slice() else { return None };
        Some((from, by.parse::<u64>().ok().filter(|&by| own == name && by < 1 << 31)?))
    };
    // The line after which a counter is increased, and by how much.
    let increase = |counter: &str| {
        let at = only(counter)?;
        if let Some((from, by)) = constant(at, "add.s32") {
            return (from == counter).then_some((at, by));
        }
        let (name, parts) = plain(lines[at])?;
        let &[_, sum] = parts.as_slice() else { return None };
        let (from, by) = constant(only(sum).filter(|&n| n < at && name == "mov.b32")?, "add.s32")?;
        (from == counter).then_some((at, by))
    };
    // By start and size: the counter, where it is increased and by how much, and the sums with how many elements each is further on.
    type Step<'c> = (&'c str, usize, u64, Vec<(usize, u64)>);
    let mut steps: Vec<((&str, u64), Step<'_>)> = Vec::new();
    for sum in inside() {
        let Some(("add.s64", operands)) = plain(lines[sum]) else { continue };
        let &[to, start, product] = operands.as_slice() else { continue };
        let Some(at) = only(product).filter(|&at| at < sum) else { continue };
        let Some((index, size)) = constant(at, "mul.wide.u32") else { continue };
        // The counter, or what is a little further on.
        let (counter, ahead) = match only(index).and_then(|n| constant(n, "add.s32").filter(|_| n < at)) {
            Some((from, by)) if from != index => (from, by),
            _ => (index, 0),
        };
        let Some((last, by)) = increase(counter) else { continue };
        // Memory is accessed there in each turn: so the number that is a little further on does not wrap around, as there are fewer
        // objects. The counter may: one that begins at 2³² − 1 and is increased before it is used.
        let accesses = |address: &str| inside().any(|n| accesses(lines[n], address));
        let further = inside().filter_map(|n| Some((plain(lines[n])?.1, constant_of(lines[n])?)));
        let is_accessed =
            accesses(to) || further.filter(|(parts, _)| parts[1] == to).any(|(parts, _)| accesses(parts[0]));
        let is_fixed = !inside().any(|n| results(lines[n]).contains(&start));
        if last <= sum || only(to).is_none() || !start.starts_with("%rd") || !is_fixed || !is_accessed {
            continue;
        }
        match steps.iter_mut().find(|(key, step)| *key == (start, size) && step.0 == counter) {
            Some((_, step)) => step.3.push((sum, ahead)),
            None => steps.push(((start, size), (counter, last, by, vec![(sum, ahead)]))),
        }
    }
    if steps.len() > MOST {
        return;
    }
    for ((start, size), (counter, last, by, sums)) in steps {
        let own = format!("%ikra_step{made}");
        *made += 1;
        let mut put = |n: usize, text: &dyn Fn(String) -> String| {
            let line = changed.remove(&n).unwrap_or_else(|| lines[n].to_owned());
            changed.insert(n, text(line));
        };
        // The first of the places; the others are further on by constants.
        let first = sums.iter().map(|&(_, ahead)| ahead).min().unwrap_or_default();
        put(found.start, &|line| {
            let place = match first {
                0 => format!("\tmul.wide.u32 \t{own}, {counter}, {size};"),
                _ => format!(
                    "\t{{ .reg .b32 first; add.s32 first, {counter}, {first}; mul.wide.u32 {own}, first, {size}; }}"
                ),
            };
            format!("{place}\n\tadd.s64 \t{own}, {start}, {own};\n{line}")
        });
        put(last, &|line| format!("{line}\n\tadd.s64 \t{own}, {own}, {};", by * size));
        for (sum, ahead) in sums {
            let to = results(lines[sum])[0];
            put(sum, &|_| format!("\tadd.s64 \t{to}, {own}, {};", (ahead - first) * size));
        }
    }
}

/// The registers to which a line gives values.
pub(crate) fn results(line: &str) -> Vec<&str> {
    // Several instructions in braces, or one.
    let line = line.trim();
    let pieces = if line.starts_with('{') { line.trim_start_matches('{') } else { line };
    let mut results = Vec::new();
    for piece in pieces.split(';') {
        let piece = unguarded(piece.trim());
        if ["st.", "red.", "bra", "//", "."].iter().any(|other| piece.starts_with(other)) {
            continue;
        }
        let Some((_, operands)) = piece.split_once(char::is_whitespace) else { continue };
        let operands = operands.trim();
        let end = if operands.starts_with('{') { operands.find('}') } else { operands.find(',') };
        results.extend(registers(&operands[..end.unwrap_or(operands.len())]));
    }
    results
}

/// Whether a line always loads from an address or stores there.
fn accesses(line: &str, address: &str) -> bool {
    let line = line.trim();
    if line.starts_with('{') {
        return line.contains("ld.global")
            && !line.contains('@')
            && registers(line).any(|register| register == address);
    }
    (line.starts_with("ld.") || line.starts_with("st."))
        && line.split_once('[').is_some_and(|(_, place)| registers(place).next() == Some(address))
}

/// The number that an addition of 64 bits adds.
fn constant_of(line: &str) -> Option<i64> {
    let (name, parts) = plain(line)?;
    parts.get(2)?.parse().ok().filter(|_| name == "add.s64")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop that LLVM unrolled twice, over elements of 12 bytes that it loads, and of 4 by assembly.
    const LOOP: &str = "\
.visible .entry kernel(
)
{
	.reg .b32 	%r<9>;
	mov.b32 	%r1, 0;
$L__BB0_1:
	.pragma \"nounroll\";
	mul.wide.u32 	%rd2, %r1, 12;
	add.s64 	%rd3, %rd1, %rd2;
	ld.global.v2.b32 	{%r2, %r3}, [%rd3+4];
	add.s32 	%r4, %r1, 1;
	mul.wide.u32 	%rd4, %r4, 12;
	add.s64 	%rd5, %rd1, %rd4;
	st.global.b32 	[%rd5], %r2;
	mul.wide.u32 	%rd6, %r1, 4;
	add.s64 	%rd7, %rd10, %rd6;
	add.s64 	%rd8, %rd7, -4;
	{ .reg .b64 a; cvta.to.global.u64 a, %rd8; ld.global.nc.b32 %r5, [a]; }
	add.s32 	%r1, %r1, 2;
	@%p1 bra 	$L__BB0_1;
	ret;
}
";

    #[test]
    fn addresses_are_increased() {
        let code = stepped(LOOP);
        for part in [
            "{\n\t.reg .b64 \t%ikra_step0;\n\t.reg .b64 \t%ikra_step1;\n",
            "\tmul.wide.u32 \t%ikra_step0, %r1, 12;\n\tadd.s64 \t%ikra_step0, %rd1, %ikra_step0;\n$L__BB0_1:",
            "\tadd.s64 \t%rd3, %ikra_step0, 0;\n\tld.global.v2.b32",
            "\tadd.s64 \t%rd5, %ikra_step0, 12;\n\tst.global.b32",
            "\tadd.s64 \t%rd7, %ikra_step1, 0;\n\tadd.s64 \t%rd8, %rd7, -4;\n",
        ] {
            assert!(code.contains(part), "{part} is not in {code}");
        }
        let (_, end) = code.split_once("\tadd.s32 \t%r1, %r1, 2;\n").unwrap();
        for step in ["\tadd.s64 \t%ikra_step0, %ikra_step0, 24;\n", "\tadd.s64 \t%ikra_step1, %ikra_step1, 8;\n"] {
            assert!(end.split_once("bra").unwrap().0.contains(step), "{code}");
        }
    }

    #[test]
    fn a_counter_may_begin_before_the_first_object() {
        // It is 2³² − 1 at first, and only what is one further on is used.
        let code = LOOP
            .replace("mov.b32 \t%r1, 0", "mov.b32 \t%r1, -1")
            .replace("mul.wide.u32 \t%rd2, %r1, 12", "add.s32 \t%r6, %r1, 1;\n\tmul.wide.u32 \t%rd2, %r6, 12")
            .replace("add.s32 \t%r4, %r1, 1", "add.s32 \t%r4, %r1, 3");
        let code = stepped(&code);
        for part in [
            "\t{ .reg .b32 first; add.s32 first, %r1, 1; mul.wide.u32 %ikra_step0, first, 12; }\n\tadd.s64 \t%ikra_step0, %rd1, ",
            "\tadd.s64 \t%rd3, %ikra_step0, 0;\n",
            "\tadd.s64 \t%rd5, %ikra_step0, 24;\n",
        ] {
            assert!(code.contains(part), "{part} is not in {code}");
        }
    }

    #[test]
    fn other_loops_stay() {
        for (from, to) in [
            // The counter is something else.
            ("add.s32 \t%r1, %r1, 2", "add.s32 \t%r1, %r1, %r7"),
            ("add.s32 \t%r1, %r1, 2", "add.s32 \t%r1, %r2, 2"),
            ("\tadd.s32 \t%r1, %r1, 2;", "\tadd.s32 \t%r1, %r1, 2;\n\t@%p2 mov.b32 \t%r1, 0;"),
            // The loop is entered elsewhere, or has a branch.
            ("\tmov.b32 \t%r1, 0;", "\t@%p3 bra \t$L__BB0_1;"),
            ("\tmov.b32 \t%r1, 0;", "\tbra.uni \t$L__BB0_2;"),
            ("\tadd.s32 \t%r4, %r1, 1;", "\t@%p4 bra \t$L__BB0_2;\n\tadd.s32 \t%r4, %r1, 1;"),
        ] {
            let code = LOOP.replace(from, to);
            assert_ne!(code, LOOP);
            assert_eq!(stepped(&code), code, "{to}");
        }
        // What starts elsewhere in each turn, and what may not be accessed.
        let code = LOOP.replace("\tadd.s32 \t%r4", "\tadd.s64 \t%rd1, %rd1, 8;\n\tadd.s32 \t%r4");
        assert!(stepped(&code).contains("%ikra_step0, %rd10, ") && !stepped(&code).contains("%ikra_step1"));
        let code = LOOP.replace("ld.global.nc", "@p ld.global.nc");
        assert!(!stepped(&code).contains("%ikra_step1"));
    }
}
