//! Addresses that loops step through.
//!
//! LLVM's loop strength reduction is off, since it keeps a register for each multiple of a stride that is known at run
//! time only. So a loop over all objects multiplies the object's number by the size of an element in each iteration,
//! for each column. This pass gives a loop without branches an address per column that a constant increases.

use ikra_ptx::{Body, Instruction, Modifier, Module, Opcode, Operand, Register, Type};

use super::edits::Edits;
use super::rows::{Row, rows};
use super::values::{self, Values};

/// The largest number of columns that a loop may step through: each takes two registers.
const MOST: usize = 4;

/// A column that a loop steps through.
struct Step {
    block: usize,
    counter: Register,
    /// The instruction after which the counter is increased, and the increment.
    last: usize,
    by: u64,
    start: Register,
    size: u64,
    /// The sums: the position of each, its register, and its distance in elements.
    sums: Vec<(usize, Register, u64)>,
}

/// Turns addresses that are computed in each iteration into steps.
pub(super) fn stepped(module: &mut Module) -> usize {
    module.functions_mut().filter_map(|function| function.body.as_mut()).map(stepped_in).sum()
}

fn stepped_in(body: &mut Body) -> usize {
    let steps: Vec<Step> = {
        let values = Values::new(body);
        rows(&values).flat_map(|row| steps(&row)).collect()
    };
    let mut edits = Edits::default();
    for step in &steps {
        make(step, body, &mut edits);
    }
    edits.make(body);
    steps.len()
}

/// A number that an instruction adds to a register, or multiplies it by: both.
fn by_number(one: &Instruction, opcode: Opcode, modifiers: &[Modifier]) -> Option<(Register, u64)> {
    let [Operand::Register(_), Operand::Register(from), Operand::Integer(by)] = one.operands[..] else { return None };
    let by = u64::try_from(by).ok().filter(|by| *by < 1 << 31)?;
    (one.guard.is_none() && one.is(opcode, modifiers)).then_some((from, by))
}

fn sum_with_number(one: &Instruction) -> Option<(Register, u64)> {
    by_number(one, Opcode::Add, &[Modifier::Type(Type::S32)])
}

/// The position after which a counter is increased, and the increment.
fn increase(counter: Register, row: &Row<'_, '_>) -> Option<(usize, u64)> {
    let (at, one) = row.only(counter)?;
    if let Some((from, by)) = sum_with_number(one) {
        return (from == counter).then_some((at, by));
    }
    let [_, Operand::Register(sum)] = one.operands[..] else { return None };
    let (n, made) = row.only(sum).filter(|&(n, _)| n < at && one.is(Opcode::Mov, &[Modifier::Type(Type::B32)]))?;
    let (from, by) = sum_with_number(made)?;
    // The moved instructions were computed in the same iteration, from the old counter.
    (from == counter && n < at).then_some((at, by))
}

/// The columns that a loop steps through, if they are not too many.
fn steps(row: &Row<'_, '_>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (index, one) in row.inside() {
        let Some((to, &Operand::Register(start), &Operand::Register(product))) = values::sum(one) else { continue };
        let Some((at, multiplied)) = row.only(product).filter(|&(at, _)| at < index) else { continue };
        let wide = [Modifier::Wide, Modifier::Type(Type::U32)];
        let Some((number, size)) = by_number(multiplied, Opcode::Mul, &wide) else { continue };
        // The counter, or the counter plus a constant.
        let further = row.only(number).filter(|&(n, _)| n < at).and_then(|(_, one)| sum_with_number(one));
        let (counter, ahead) = further.filter(|&(from, _)| from != number).unwrap_or((number, 0));
        let Some((last, by)) = increase(counter, row) else { continue };
        // Memory is accessed there in each iteration. So the number plus a constant does not wrap around, as there are
        // fewer objects. The counter may: one that begins at 2³² − 1 and is increased before it is used.
        if last <= index || row.only(to).is_none() || !row.is_fixed(start) || !is_accessed(to, index, row) {
            continue;
        }
        let is_same = |step: &Step| step.start == start && step.size == size && step.counter == counter;
        match steps.iter_mut().find(|step| is_same(step)) {
            Some(step) => step.sums.push((index, to, ahead)),
            None => {
                let sums = vec![(index, to, ahead)];
                steps.push(Step { block: row.block, counter, last, by, start, size, sums });
            }
        }
    }
    if steps.len() > MOST { Vec::new() } else { steps }
}

/// Whether each iteration accesses memory at an address, or at a sum of it and a constant.
fn is_accessed(address: Register, made: usize, row: &Row<'_, '_>) -> bool {
    let is_place = |one: &Instruction, at: Register| {
        let is_access = matches!(one.opcode, Opcode::Ld | Opcode::St) && one.guard.is_none();
        is_access && matches!(one.memory(), Some((ikra_ptx::Base::Register(base), _)) if *base == at)
    };
    // Also through the address in the other notation.
    let leads_on = |one: &Instruction| match (one.opcode, &one.operands[..]) {
        (Opcode::Cvta, [Operand::Register(to), Operand::Register(from)]) if *from == address => Some(*to),
        _ => match values::sum(one)? {
            (to, &Operand::Register(from), Operand::Integer(_)) if from == address => Some(to),
            _ => None,
        },
    };
    let behind = || row.inside().filter(|&(n, _)| n > made);
    let accessed = |at: Register| behind().any(|(_, one)| is_place(one, at));
    accessed(address)
        || behind().filter(|(_, one)| one.guard.is_none()).filter_map(|(_, one)| leads_on(one)).any(|to| {
            row.only(to).is_some()
                && (accessed(to)
                    || behind().any(|(_, one)| {
                        matches!((one.opcode, &one.operands[..]),
                            (Opcode::Cvta, [Operand::Register(next), Operand::Register(from)])
                                if *from == to && row.only(*next).is_some() && accessed(*next))
                    }))
        })
}

fn make(step: &Step, body: &mut Body, edits: &mut Edits) {
    let own = body.new_register("%ikra_step", Type::B64);
    let register = Operand::Register;
    let number = |number: u64| Operand::Integer(i128::from(number));
    // The first address; the others differ by constants.
    let first = step.sums.iter().map(|&(.., ahead)| ahead).min().unwrap_or_default();
    let mut entering = Vec::new();
    let mut index = step.counter;
    if first > 0 {
        index = body.new_register("first", Type::B32);
        let operands = vec![register(index), register(step.counter), number(first)];
        entering.push(Instruction::new(Opcode::Add, &[Modifier::Type(Type::S32)], operands));
    }
    let product = vec![register(own), register(index), number(step.size)];
    entering.push(Instruction::new(Opcode::Mul, &[Modifier::Wide, Modifier::Type(Type::U32)], product));
    entering.push(values::add(own, register(step.start), register(own)));
    edits.entering(step.block, entering);
    let at = |index| ikra_ptx::Position { block: step.block, index };
    edits.behind(at(step.last), [values::add(own, register(own), number(step.by * step.size))]);
    for &(sum, to, ahead) in &step.sums {
        edits.replace(at(sum), vec![values::add(to, register(own), number((ahead - first) * step.size))]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
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
$L__BB0_2:
	ret;
}
";

    #[test]
    fn addresses_are_increased() {
        let (code, fired) = testing::done(stepped, LOOP);
        assert_eq!(fired, 2);
        for part in [
            "mul.wide.u32 %ikra_step, %r1, 12;\nadd.s64 %ikra_step, %rd1, %ikra_step;\n",
            "mul.wide.u32 %ikra_step_1, %r1, 4;\nadd.s64 %ikra_step_1, %rd10, %ikra_step_1;\n$L__BB0_1:",
            "add.s64 %rd3, %ikra_step, 0;\nld.global.v2.b32",
            "add.s64 %rd5, %ikra_step, 12;\nst.global.b32",
            "add.s64 %rd7, %ikra_step_1, 0;\nadd.s64 %rd8, %rd7, -4;\n",
        ] {
            assert!(code.contains(part), "{part} is not in {code}");
        }
        let (_, end) = code.split_once("add.s32 %r1, %r1, 2;\n").unwrap();
        for step in ["add.s64 %ikra_step, %ikra_step, 24;\n", "add.s64 %ikra_step_1, %ikra_step_1, 8;\n"] {
            assert!(end.split_once("bra").unwrap().0.contains(step), "{code}");
        }
    }

    #[test]
    fn a_counter_may_begin_before_the_first_object() {
        // It is 2³² − 1 at first, and only the counter plus one is used.
        let code = LOOP
            .replace("mov.b32 \t%r1, 0", "mov.b32 \t%r1, -1")
            .replace("mul.wide.u32 \t%rd2, %r1, 12", "add.s32 \t%r6, %r1, 1;\n\tmul.wide.u32 \t%rd2, %r6, 12")
            .replace("add.s32 \t%r4, %r1, 1", "add.s32 \t%r4, %r1, 3");
        let (code, _) = testing::done(stepped, &code);
        for part in [
            "add.s32 first, %r1, 1;\nmul.wide.u32 %ikra_step, first, 12;\nadd.s64 %ikra_step, %rd1, ",
            "add.s64 %rd3, %ikra_step, 0;\n",
            "add.s64 %rd5, %ikra_step, 24;\n",
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
            // A jump table leads into it.
            (
                "\tmov.b32 \t%r1, 0;",
                "\t$L_brx_0: .branchtargets\n\t\t$L__BB0_1,\n\t\t$L__BB0_2;\n\tbrx.idx \t%r7, $L_brx_0;",
            ),
            (
                "\tmov.b32 \t%r1, 0;",
                "\t$L_brx_0: .branchtargets\n\t\t$L__BB0_2,\n\t\t$L__BB0_1;\n\t@%p3 brx.idx \t%r7, $L_brx_0;",
            ),
            ("\tadd.s32 \t%r4, %r1, 1;", "\t@%p4 bra \t$L__BB0_2;\n\tadd.s32 \t%r4, %r1, 1;"),
        ] {
            let code = LOOP.replace(from, to);
            assert_ne!(code, LOOP);
            assert_eq!(testing::done(stepped, &code).1, 0, "{to}");
        }
        // Addresses that start elsewhere in each iteration, or that may not be accessed.
        let code = LOOP.replace("\tadd.s32 \t%r4", "\tadd.s64 \t%rd1, %rd1, 8;\n\tadd.s32 \t%r4");
        let (code, fired) = testing::done(stepped, &code);
        assert!(fired == 1 && code.contains("%ikra_step, %rd10, "), "{code}");
        let code = LOOP.replace("ld.global.nc", "@%p8 ld.global.nc");
        assert_eq!(testing::done(stepped, &code).1, 1);
    }
}
