//! Loops in device code.
//!
//! LLVM unrolls them four times. The assembler does not know that, and would unroll them again. If a loop loads and
//! stores, that makes it slower: the loads of sixteen iterations at once evict each other from the cache, and the
//! remainder runs iteration by iteration. Loops that only compute gain from it. So do chains, which load one object
//! after the other anyway: the loads next to the link then stall once in sixteen iterations instead of four.

use std::collections::HashSet;

use ikra_ptx::{Access, Block, Body, Cfg, Instruction, Modifier, Module, Opcode, Register};

/// The mark at the head of a loop that keeps the assembler from unrolling it.
const PRAGMA: &str = "nounroll";

/// Marks the loops that access memory, so that the assembler does not unroll them.
pub(super) fn forbid_unrolling(module: &mut Module) -> usize {
    module.functions_mut().filter_map(|function| function.body.as_mut()).map(forbid_unrolling_in).sum()
}

fn forbid_unrolling_in(body: &mut Body) -> usize {
    let loops = Cfg::new(body).loops();
    let mut fired = 0;
    for found in loops {
        let is_accessed = found.blocks.iter().any(|&block| body.blocks[block].instructions.iter().any(accesses_memory));
        let is_chain = found.blocks == [found.head] && is_chain(&body.blocks[found.head]);
        let pragmas = &mut body.blocks[found.head].pragmas;
        if is_accessed && !is_chain && !pragmas.iter().any(|pragma| pragma == PRAGMA) {
            pragmas.push(PRAGMA.to_owned());
            fired += 1;
        }
    }
    fired
}

/// Whether it accesses memory that other threads may access: not parameters, constants or shared memory.
fn accesses_memory(one: &Instruction) -> bool {
    matches!(one.opcode, Opcode::Ld | Opcode::St | Opcode::Atom | Opcode::Red)
        && matches!(one.space(), None | Some(Modifier::Global))
}

/// Whether each repetition of the block loads from an address that the one before loaded.
fn is_chain(block: &Block) -> bool {
    let accesses = |one: &Instruction, wanted: Access| {
        let mut all: Vec<Register> = Vec::new();
        one.for_each_register(|register, access| all.extend((access == wanted).then_some(register)));
        all
    };
    // The result of an instruction, and its operands.
    let steps: Vec<(Vec<Register>, Vec<Register>)> = block
        .instructions
        .iter()
        .map(|one| (accesses(one, Access::Write), accesses(one, Access::Read)))
        .filter(|(to, _)| !to.is_empty())
        .collect();
    let is_led = |from: &[Register], targets: &[Register]| {
        let (mut open, mut seen) = (from.to_vec(), HashSet::new());
        while let Some(at) = open.pop() {
            if targets.contains(&at) {
                return true;
            }
            if seen.insert(at) {
                open.extend(steps.iter().filter(|(to, _)| to.contains(&at)).flat_map(|(_, from)| from));
            }
        }
        false
    };
    let loads = block.instructions.iter().filter(|one| one.opcode == Opcode::Ld && accesses_memory(one));
    loads.into_iter().any(|load| is_led(&accesses(load, Access::Read), &accesses(load, Access::Write)))
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    /// Code with these loops: 1 computes, 2 loads, 3 is marked already, 4 is around 5, which stores. Loop 8 is entered
    /// from before its latch, 7, and left to 9, which precedes both and stores, outside of it.
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
	{ .reg .b64 a; mov.b64 a, 0; @%p2 ld.global.b32 %r3, [a]; }
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
	red.relaxed.gpu.add.u32 	[%rd1], 1;
	bra.uni 	$L__BB1_1;
}
";

    /// The labels of the loops that are marked.
    fn heads(module: &Module) -> Vec<String> {
        let bodies = module.functions().filter_map(|function| function.body.as_ref());
        let marked = bodies.flat_map(|body| body.blocks.iter().map(move |block| (body, block)));
        marked
            .filter(|(_, block)| block.pragmas.iter().any(|pragma| pragma == PRAGMA))
            .map(|(body, block)| body.labels[block.label.unwrap().0 as usize].clone())
            .collect()
    }

    fn marked(code: &str) -> Vec<String> {
        let mut module = testing::parsed(code);
        forbid_unrolling(&mut module);
        heads(&module)
    }

    #[test]
    fn loops_that_access_memory_are_marked_at_their_heads_once() {
        let mut module = testing::parsed(CODE);
        assert_eq!(forbid_unrolling(&mut module), 5);
        assert_eq!(heads(&module), ["$L__BB0_2", "$L__BB0_3", "$L__BB0_4", "$L__BB0_5", "$L__BB0_8", "$L__BB1_1"]);
        assert_eq!(forbid_unrolling(&mut module), 0, "a second time changes nothing");
    }

    #[test]
    fn a_table_of_jumps_is_followed() {
        let code = "\
.visible .entry kernel(
)
{
$L__BB0_1:
	ld.global.b32 	%r1, [%rd1];
	$L_brx_0: .branchtargets
		$L__BB0_2,
		$L__BB0_1;
	brx.idx 	%r1, $L_brx_0;
$L__BB0_2:
	ret;
}
";
        assert_eq!(marked(code), ["$L__BB0_1"]);
    }

    #[test]
    fn a_loop_that_follows_links_is_not_marked() {
        // Its own next object, the next of that one, and the values that both carry.
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
        let is_marked = |body: &str| !marked(&code(body)).is_empty();
        assert!(!is_marked(chain));
        // The next address is computed.
        assert!(is_marked(&chain.replace("%rd26, %rd4, %rd13", "%rd26, %rd26, 4")));
        // Through the address in another notation.
        let read = "\n\t{ .reg .b64 a; cvta.to.global.u64 a, %rd1; ld.global.nc.b32 %r1, [a]; }\n";
        assert!(is_marked(read));
        assert!(!is_marked(&format!("{read}\tmad.wide.u32 \t%rd1, %r1, 4, %rd2;\n")));
    }

    #[test]
    fn nothing_else_changes() {
        let mut module = testing::parsed(CODE);
        let before = testing::parsed(CODE);
        forbid_unrolling(&mut module);
        for body in module.functions_mut().filter_map(|function| function.body.as_mut()) {
            body.blocks.iter_mut().for_each(|block| block.pragmas.clear());
        }
        let without = |module: &Module| testing::shown(module).replace(".pragma \"nounroll\";\n", "");
        assert_eq!(without(&module), without(&before));
    }
}
