//! Loops in device code.
//!
//! LLVM unrolls them four times, and the assembler, which knows nothing of that, would unroll them once more. Where
//! a loop loads and stores, that makes it slower: the loads of sixteen turns at once drive each other out of the
//! cache, and what is left over is done turn by turn. Loops that only compute gain by it, and so do chains, which ask for one
//! object after the other anyway: what they load beside the next link is waited for once in sixteen turns instead of four.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::ptx::unguarded;

/// What keeps the assembler from unrolling the loop with whose head it begins.
const PRAGMA: &str = "\t.pragma \"nounroll\";";

/// Marks the loops that access memory, so that the assembler does not unroll them.
pub(crate) fn forbid_unrolling(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let heads: HashSet<usize> = functions(&lines).flat_map(|body| heads(&lines, body)).collect();
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

/// The lines between the braces of each function.
pub(crate) fn functions(lines: &[&str]) -> impl Iterator<Item = Range<usize>> {
    let mut start = None;
    lines.iter().enumerate().filter_map(move |(n, line)| match line.as_bytes().first() {
        Some(b'{') => {
            start = Some(n + 1);
            None
        }
        Some(b'}') => start.take().map(|start| start..n),
        _ => None,
    })
}

/// The lines of the labels with which loops over memory begin. Jumps by a table are not followed: at worst a loop
/// stays unmarked.
fn heads(lines: &[&str], body: Range<usize>) -> Vec<usize> {
    let blocks = blocks(lines, body);
    let mut heads = Vec::new();
    for (latch, head) in edges_back(&blocks) {
        let inside = loop_of(&blocks, latch, head);
        if inside.iter().any(|&block| blocks[block].accesses_memory)
            && !(latch == head && is_chain(&lines[blocks[head].lines.clone()]))
        {
            // An edge back leads to a label: nothing falls through to what stands before it.
            heads.extend(blocks[head].label);
        }
    }
    heads
}

/// Instructions that are executed one after the other.
#[derive(Debug, Default)]
struct Block {
    lines: Range<usize>,
    /// The line of the label that it begins with.
    label: Option<usize>,
    accesses_memory: bool,
    /// The blocks after which it may come.
    before: Vec<usize>,
    /// The blocks that may come next.
    after: Vec<usize>,
}

/// The blocks of a function.
fn blocks<'c>(lines: &[&'c str], body: Range<usize>) -> Vec<Block> {
    let mut blocks = vec![Block { lines: body.start..body.start, ..Block::default() }];
    let mut labels: HashMap<&'c str, usize> = HashMap::new();
    // Jumps whose targets may be labels further on.
    let mut jumps: Vec<(usize, &'c str)> = Vec::new();
    let mut through = true;
    let start = |blocks: &mut Vec<Block>, through: bool, label, line: usize| {
        let new = blocks.len();
        blocks.push(Block { lines: line..line, label, ..Block::default() });
        if through {
            blocks[new].before.push(new - 1);
            blocks[new - 1].after.push(new);
        }
        new
    };
    for n in body {
        if let Some(label) = label(lines[n]) {
            labels.insert(label, start(&mut blocks, through, Some(n), n));
            through = true;
            continue;
        }
        let line = lines[n].trim();
        let instruction = unguarded(line);
        let is_guarded = line.starts_with('@');
        let own = blocks.len() - 1;
        blocks[own].lines.end = n + 1;
        // Assembly of the library's own is several instructions in one line.
        blocks[own].accesses_memory |= line.split([';', '{']).any(|part| accesses_memory(unguarded(part.trim())));
        if let Some(target) = target(instruction) {
            jumps.push((own, target));
            start(&mut blocks, is_guarded, None, n + 1);
            // What follows a jump and has no label cannot be reached.
            through = is_guarded;
        } else if ["ret;", "exit;", "trap;"].iter().any(|end| instruction.starts_with(end)) && !is_guarded {
            through = false;
        }
    }
    for (from, target) in jumps {
        if let Some(&to) = labels.get(target) {
            blocks[to].before.push(from);
            blocks[from].after.push(to);
        }
    }
    blocks
}

/// The edges that lead back to a block from which they were reached, as pairs of both ends.
fn edges_back(blocks: &[Block]) -> Vec<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        No,
        Under,
        Done,
    }
    let mut visits = vec![Visit::No; blocks.len()];
    let mut edges = Vec::new();
    // The blocks on the way, each with how many of its edges were followed.
    let mut way = vec![(0, 0)];
    visits[0] = Visit::Under;
    while let Some((block, followed)) = way.last_mut() {
        let Some(&next) = blocks[*block].after.get(*followed) else {
            visits[*block] = Visit::Done;
            way.pop();
            continue;
        };
        *followed += 1;
        match visits[next] {
            Visit::No => {
                visits[next] = Visit::Under;
                way.push((next, 0));
            }
            Visit::Under => edges.push((*block, next)),
            Visit::Done => {}
        }
    }
    edges
}

/// The blocks from which `latch` is reached without passing `head`.
fn loop_of(blocks: &[Block], latch: usize, head: usize) -> HashSet<usize> {
    let mut inside = HashSet::from([head]);
    let mut open = vec![latch];
    while let Some(block) = open.pop() {
        if inside.insert(block) {
            open.extend(&blocks[block].before);
        }
    }
    inside
}

/// `$L__BB1_2` of `$L__BB1_2: // a comment`.
pub(crate) fn label(line: &str) -> Option<&str> {
    let (label, _) = line.split_once(':')?;
    label.starts_with('$').then_some(label)
}

/// `$L__BB1_2` of `bra.uni $L__BB1_2;`.
pub(crate) fn target(instruction: &str) -> Option<&str> {
    let target = instruction.strip_prefix("bra")?.trim_start_matches(".uni").trim().trim_end_matches(';');
    target.starts_with('$').then_some(target)
}

/// Whether it loads or stores what other threads might: not parameters, constants or shared memory.
fn accesses_memory(instruction: &str) -> bool {
    ["ld.", "st.", "atom.", "red."].iter().any(|kind| {
        instruction.strip_prefix(kind).is_some_and(|rest| {
            !["param.", "const.", "shared.", "local."].iter().any(|elsewhere| rest.starts_with(elsewhere))
        })
    })
}

/// Whether the block, repeated, loads where it is told by what it loaded before.
fn is_chain(block: &[&str]) -> bool {
    // What a line computes, from what, and whether it loads it.
    let steps: Vec<(&str, Vec<&str>, bool)> = block
        .iter()
        .filter_map(|line| {
            let line = unguarded(line.trim());
            let loads = ["ld.global", "ld.b", "ld.v"].iter().any(|load| line.contains(load));
            // In braces, the last instruction has the result.
            let last = line.trim_end_matches(['}', ' ', ';']).rsplit(';').next()?;
            let to = registers(last).next().filter(|_| !last.trim_start().starts_with("st."))?;
            Some((to, registers(line).filter(|&register| register != to).collect(), loads))
        })
        .collect();
    let leads_to = |from: &str, target: &str| {
        let (mut open, mut seen) = (vec![from], HashSet::new());
        while let Some(at) = open.pop() {
            for (to, from, _) in &steps {
                if *to == at && seen.insert((*to, from.as_slice())) {
                    if from.contains(&target) {
                        return true;
                    }
                    open.extend(from);
                }
            }
        }
        false
    };
    steps.iter().any(|(to, from, loads)| *loads && from.iter().any(|&from| from == *to || leads_to(from, to)))
}

/// The registers that a text names.
pub(crate) fn registers(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices('%').map(move |(at, _)| {
        let end = text[at + 1..].find(|c| !is_name(c)).map_or(text.len(), |end| at + 1 + end);
        &text[at..end]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code with these loops: 1 computes, 2 loads, 3 is marked already, 4 is around 5, which stores, 8 is entered
    /// from before its latch, 7, and left to 9, which stands before both and stores, outside of it.
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
	{ .reg .b64 a; @%p2 ld.global.b32 %r3, [a]; }
	@%p3 bra 	$L__BB0_2;
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
	bra.uni 	$L__BB0_8;
$L__BB0_9:
	st.b32 	[%rd1], %r1;
	@%p5 bra 	$L__BB0_10;
	ret;
$L__BB0_7:
	add.s32 	%r1, %r1, 1;
$L__BB0_8:
	ld.b32 	%r3, [%rd1];
	@%p4 bra 	$L__BB0_7;
	bra.uni 	$L__BB0_9;
$L__BB0_10:
	trap; exit;
}
.visible .entry another(
)
{
$L__BB1_1:
	red.add.u32 	[%rd1], 1;
	bra.uni 	$L__BB1_1;
}
";

    #[test]
    fn loops_that_access_memory_are_marked_at_their_heads_once() {
        let marked = forbid_unrolling(CODE);
        let pairs = marked.lines().zip(marked.lines().skip(1));
        let heads: Vec<&str> = pairs.filter(|pair| pair.1 == PRAGMA).map(|pair| pair.0).collect();
        assert_eq!(
            heads,
            ["$L__BB0_2: // a comment", "$L__BB0_3:", "$L__BB0_4:", "$L__BB0_5:", "$L__BB0_8:", "$L__BB1_1:"]
        );
        assert_eq!(forbid_unrolling(&marked), marked, "a second time changes nothing");
    }

    #[test]
    fn a_loop_that_follows_links_is_not_marked() {
        // Its own next, the next of that, and what both carry.
        let chain = "
	ld.b32 	%r16, [%rd26];
	add.s32 	%r17, %r16, -1;
	mul.wide.u32 	%rd13, %r17, 4;
	add.s64 	%rd14, %rd11, %rd13;
	ld.b32 	%r18, [%rd14];
	add.s32 	%r36, %r18, %r36;
	add.s64 	%rd26, %rd4, %rd13;
	add.s32 	%r34, %r34, 4;
	setp.ne.b32 	%p4, %r34, %r4;
";
        let code =
            |body: &str| format!(".visible .entry kernel(\n)\n{{\n$L__BB0_1:{body}	@%p4 bra 	$L__BB0_1;\n	ret;\n}}\n");
        assert!(!forbid_unrolling(&code(chain)).contains(PRAGMA));
        // The next place is computed.
        let row = chain.replace("%rd26, %rd4, %rd13", "%rd26, %rd26, 4");
        assert!(forbid_unrolling(&code(&row)).contains(PRAGMA));
        // As one line.
        let read = "\n\t{ .reg .b64 a; cvta.to.global.u64 a, %rd1; ld.global.nc.b32 %r1, [a]; }\n";
        assert!(forbid_unrolling(&code(read)).contains(PRAGMA));
        let follow = format!("{read}\tmad.wide.u32 \t%rd1, %r1, 4, %rd2;\n");
        assert!(!forbid_unrolling(&code(&follow)).contains(PRAGMA));
    }

    #[test]
    fn nothing_else_changes() {
        let marked = forbid_unrolling(CODE);
        let without = |code: &str| code.lines().filter(|line| *line != PRAGMA).map(String::from).collect::<Vec<_>>();
        assert_eq!(without(&marked), without(CODE));
    }
}
