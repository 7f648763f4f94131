//! Loops in device code.
//!
//! LLVM unrolls them four times, and the assembler, which knows nothing of that, would unroll them once more. Where
//! a loop loads and stores, that makes it slower: the loads of sixteen turns at once drive each other out of the
//! cache, and what is left over is done turn by turn. Loops that only compute gain by it.

use std::collections::{HashMap, HashSet};

/// What keeps the assembler from unrolling the loop at whose head it stands.
const PRAGMA: &str = "\t.pragma \"nounroll\";";

/// Marks the loops that access memory.
pub(crate) fn keep_as_they_are(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let heads = heads(&lines);
    let mut marked = String::with_capacity(code.len() + heads.len() * (PRAGMA.len() + 1));
    for (n, line) in lines.iter().enumerate() {
        marked.push_str(line);
        marked.push('\n');
        if heads.contains(&n) && lines.get(n + 1) != Some(&PRAGMA) {
            marked.push_str(PRAGMA);
            marked.push('\n');
        }
    }
    marked
}

/// The lines of labels that are jumped back to from after an access to memory.
fn heads(lines: &[&str]) -> HashSet<usize> {
    let mut heads = HashSet::new();
    // Labels are unique in a file, and stand before what they label.
    let mut labels = HashMap::new();
    let mut last_access = None;
    for (n, line) in lines.iter().enumerate() {
        if let Some(label) = label(line) {
            labels.insert(label, n);
        } else if accesses_memory(line) {
            last_access = Some(n);
        } else if let Some(&head) = target(line).and_then(|label| labels.get(label))
            && last_access > Some(head)
        {
            heads.insert(head);
        }
    }
    heads
}

/// `$L__BB1_2` of `$L__BB1_2: // a comment`.
fn label(line: &str) -> Option<&str> {
    let (label, _) = line.split_once(':')?;
    label.starts_with('$').then_some(label)
}

/// `$L__BB1_2` of `@%p1 bra $L__BB1_2;`.
fn target(line: &str) -> Option<&str> {
    let (before, target) = line.split_once("bra")?;
    let jumps = before.trim_start().is_empty() || before.trim_start().starts_with('@');
    let target = target.trim_start_matches(".uni").trim().trim_end_matches(';');
    (jumps && target.starts_with('$')).then_some(target)
}

/// Whether it loads or stores what other threads might: not parameters, constants or shared memory.
fn accesses_memory(line: &str) -> bool {
    let instruction = line.trim_start();
    let instruction = match instruction.strip_prefix('@') {
        Some(guarded) => {
            guarded.split_once(char::is_whitespace).map_or("", |(_, instruction)| instruction.trim_start())
        }
        None => instruction,
    };
    ["ld.", "st.", "atom.", "red."].iter().any(|kind| {
        instruction.strip_prefix(kind).is_some_and(|rest| {
            !["param.", "const.", "shared.", "local."].iter().any(|elsewhere| rest.starts_with(elsewhere))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code in which loop 1 computes, loop 2 loads, loop 3 is marked already, loop 4 is around loop 5, which
    /// stores, and 6 is no loop.
    const CODE: &str = "\
.visible .entry kernel(
)
{
	ld.global.b32 	%r1, [%rd1];
$L__BB0_1:
	add.s32 	%r1, %r1, 1;
	ld.shared.b32 	%r2, [%r1];
	@%p1 bra 	$L__BB0_1;
$L__BB0_2: // a comment
	@%p2 ld.b32 	%r3, [%rd1];
	bra.uni 	$L__BB0_2;
$L__BB0_3:
	.pragma \"nounroll\";
	atom.relaxed.gpu.add.u32 	%r3, [%rd1], 1;
	@%p1 bra 	$L__BB0_3;
$L__BB0_4:
	mov.b32 	%r1, 0;
$L__BB0_5:
	st.b32 	[%rd1], %r1;
	@%p1 bra 	$L__BB0_6;
	bra.uni 	$L__BB0_5;
$L__BB0_6:
	@!%p1 bra 	$L__BB0_4;
	ret;
}
";

    #[test]
    fn loops_that_access_memory_are_marked_once() {
        let marked = keep_as_they_are(CODE);
        let heads: Vec<&str> =
            marked.lines().zip(marked.lines().skip(1)).filter(|pair| pair.1 == PRAGMA).map(|pair| pair.0).collect();
        assert_eq!(heads, ["$L__BB0_2: // a comment", "$L__BB0_3:", "$L__BB0_4:", "$L__BB0_5:"]);
        assert_eq!(keep_as_they_are(&marked), marked, "a second time changes nothing");
    }

    #[test]
    fn nothing_else_changes() {
        let marked = keep_as_they_are(CODE);
        let without = |code: &str| code.lines().filter(|line| *line != PRAGMA).map(String::from).collect::<Vec<_>>();
        assert_eq!(without(&marked), without(CODE));
    }
}
