//! Counters of loops that nothing but the loop's end reads.
//!
//! `for _ in 0..steps` counts up to a number, which takes a second register. Here it counts down to zero.

use ikra_ptx::{Body, Instruction, Modifier, Module, Opcode, Operand, Position, Register, Type};

use super::edits::Edits;
use super::rows::{Row, rows};
use super::values::Values;

/// A register that a loop increases until it is another.
struct Counter {
    block: usize,
    name: Register,
    is_wide: bool,
    by: i128,
    end: Register,
    /// Where it is increased and compared.
    increased: usize,
    compared: usize,
    predicate: Register,
}

/// Makes such counters count down.
pub(super) fn down(module: &mut Module) -> usize {
    module.functions_mut().filter_map(|function| function.body.as_mut()).map(down_in).sum()
}

fn down_in(body: &mut Body) -> usize {
    let counters: Vec<Counter> = {
        let values = Values::new(body);
        rows(&values).filter_map(|row| counter(&row)).collect()
    };
    let mut edits = Edits::default();
    for counter in &counters {
        let &Counter { block, name, is_wide, by, end, increased, compared, predicate } = counter;
        let (signed, bits) = if is_wide { (Type::S64, Type::B64) } else { (Type::S32, Type::B32) };
        let register = Operand::Register;
        let new = |opcode, modifiers: &[Modifier], operands: [Operand; 3]| {
            Instruction::new(opcode, modifiers, operands.to_vec())
        };
        let at = |index| Position { block, index };
        // A number modulo a power of two: it is zero exactly when the other is the end.
        let rest = [register(name), register(end), register(name)];
        edits.entering(block, [new(Opcode::Sub, &[Modifier::Type(signed)], rest)]);
        let less = [register(name), register(name), Operand::Integer(-by)];
        edits.replace(at(increased), vec![new(Opcode::Add, &[Modifier::Type(signed)], less)]);
        let other = [register(predicate), register(name), Operand::Integer(0)];
        edits.replace(at(compared), vec![new(Opcode::Setp, &[Modifier::Ne, Modifier::Type(bits)], other)]);
    }
    edits.make(body);
    counters.len()
}

/// The counter of a loop.
fn counter(row: &Row<'_, '_>) -> Option<Counter> {
    let guard = row.jump().guard?;
    let (compared, one) = row.only(guard.register)?;
    let &[Operand::Register(predicate), Operand::Register(name), Operand::Register(end)] = &one.operands[..] else {
        return None;
    };
    let &[Modifier::Ne, Modifier::Type(ty)] = &one.modifiers[..] else { return None };
    let is_number = [Type::B32, Type::S32, Type::U32, Type::B64, Type::S64, Type::U64].contains(&ty);
    let is_wide = ty.bits() == 64;
    if one.opcode != Opcode::Setp || !is_number || guard.is_negated {
        return None;
    }
    let (increased, one) = row.only(name).filter(|&(n, _)| n < compared)?;
    let signed = if is_wide { Type::S64 } else { Type::S32 };
    let &[_, Operand::Register(from), Operand::Integer(by)] = &one.operands[..] else { return None };
    let is_increase = one.is(Opcode::Add, &[Modifier::Type(signed)]) && from == name && (0..1 << 31).contains(&by);
    if !is_increase || end == name || !row.is_fixed(end) {
        return None;
    }
    // Elsewhere it only gets its first value, before the loop, on each way there.
    let uses = &row.values.uses;
    let own = [row.at(increased), row.at(compared)];
    let is_read_elsewhere = uses.reads(name).iter().any(|at| !own.contains(at));
    let mut starts = uses.writes(name).iter().filter(|at| !own.contains(at));
    let start = *starts.next().filter(|_| starts.next().is_none())?;
    let first = row.values.body.at(start);
    let is_start = first.opcode == Opcode::Mov
        && first.guard.is_none()
        && matches!(first.operands[..], [_, ref from] if from.register() != Some(name));
    // No jump leads to behind it.
    let blocks = &row.values.body.blocks;
    let is_before = start.block < row.block && (start.block + 1..row.block).all(|block| blocks[block].label.is_none());
    (is_start && is_before && !is_read_elsewhere).then_some(Counter {
        block: row.block,
        name,
        is_wide,
        by,
        end,
        increased,
        compared,
        predicate,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing;
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
$L__BB0_4:
	@%p9 bra 	$L__BB0_1;
	ret;
}
";

    #[test]
    fn a_counter_counts_down() {
        let wanted = LOOP
            .replace("$L__BB0_2:\n", "\tsub.s32 \t%r1, %r4, %r1;\n$L__BB0_2:\n")
            .replace("add.s32 \t%r1, %r1, 4", "add.s32 \t%r1, %r1, -4")
            .replace("%r1, %r4;\n\t@", "%r1, 0;\n\t@");
        assert_eq!(testing::done(down, LOOP), (testing::normal(&wanted), 1));
        assert_eq!(testing::done(down, &wanted).1, 0);
        let long = LOOP.replace("%r1", "%rd11").replace("%r4", "%rd4").replace("s32 \t%rd11", "s64 \t%rd11");
        let (long, _) = testing::done(down, &long.replace("setp.ne.b32", "setp.ne.s64"));
        for line in ["sub.s64 %rd11, %rd4, %rd11;\n", "setp.ne.b64 %p1, %rd11, 0;\n"] {
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
            // A table of jumps leads into the loop, or to behind the first value.
            (
                "\tmov.b32 \t%r3, 0;",
                "\t$L_brx_0: .branchtargets\n\t\t$L__BB0_1,\n\t\t$L__BB0_2;\n\tbrx.idx \t%r7, $L_brx_0;",
            ),
            ("\tand.b32", "\t@%p8 bra \t$L__BB0_3;\n$L__BB0_3:\n\tand.b32"),
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
            assert_eq!(testing::done(down, &code).1, 0, "{to}");
        }
    }
}
