//! Checks that may panic, inside of code under a condition.
//!
//! The assembler executes a few instructions under a condition without a branch, but not if a check that may panic
//! precedes them. `if near { stack.push(node) }` becomes a branch around a branch, at which the threads of a warp wait
//! for each other. So the check is made before the condition, and panics if both hold.

use ikra_ptx::{Body, Guard, Instruction, Label, Modifier, Module, Opcode, Operand, Position, Register, Type};

use super::values::Values;

/// The largest number of instructions that the assembler executes under a condition without a branch.
const MOST: usize = 10;
/// The largest number of instructions before the check's comparison: all threads execute them.
const MOST_BEFORE: usize = 3;
/// Whether both hold.
const FAILS: &str = "%ikra_fails";

/// Makes such checks before their conditions.
pub(super) fn first(module: &mut Module) -> usize {
    module.functions_mut().filter_map(|function| function.body.as_mut()).map(first_in).sum()
}

fn first_in(body: &mut Body) -> usize {
    let panics = panics(body);
    if !panics.contains(&true) {
        return 0;
    }
    let checks: Vec<Check> = {
        let values = Values::new(body);
        let mut checks: Vec<Check> = Vec::new();
        for block in 0..body.blocks.len() {
            // A check that is being rebuilt.
            let is_used = checks.last().is_some_and(|last| block <= last.block + last.blocks);
            checks.extend(check(&values, block, &panics).filter(|_| !is_used));
        }
        checks
    };
    if !checks.is_empty() {
        let fails = body.register(FAILS).unwrap_or_else(|| body.new_register(FAILS, Type::Pred));
        for check in &checks {
            make(check, fails, body);
        }
    }
    checks.len()
}

/// A jump under a condition.
#[derive(Clone, Copy)]
struct Jump {
    guard: Guard,
    to: Label,
}

fn jump(one: &Instruction) -> Option<Jump> {
    match (one.opcode, &one.operands[..], one.guard) {
        (Opcode::Bra, &[Operand::Label(to)], Some(guard)) => Some(Jump { guard, to }),
        _ => None,
    }
}

/// The only instruction of a block, if that is a jump under no condition.
fn jump_away(instructions: &[Instruction]) -> Option<Label> {
    match instructions {
        [one] if one.opcode == Opcode::Bra && one.guard.is_none() => match one.operands[..] {
            [Operand::Label(to)] => Some(to),
            _ => None,
        },
        _ => None,
    }
}

/// For each label, whether a thread ends from there on without any effect but a message.
fn panics(body: &Body) -> Vec<bool> {
    let mut panics = vec![false; body.labels.len()];
    for (n, block) in body.blocks.iter().enumerate() {
        let Some(label) = block.label else { continue };
        let leads_on = |one: &Instruction| matches!(one.opcode, Opcode::Bra | Opcode::Brx | Opcode::Ret);
        let is_trap = |one: &Instruction| one.opcode == Opcode::Trap && one.guard.is_none();
        // A trap, which a compiler puts after the end of a thread, is an end too.
        let next = body.blocks.get(n + 1).filter(|next| next.label.is_none());
        let all = block.instructions.iter().chain(next.into_iter().flat_map(|next| &next.instructions));
        panics[label.0 as usize] = all.take_while(|one| !leads_on(one)).any(is_trap);
    }
    panics
}

/// A check that is made too late.
struct Check {
    /// The block that ends with the jump over it.
    block: usize,
    /// The number of blocks that it takes.
    blocks: usize,
    skips: Jump,
    fails: Jump,
}

/// The check that the jump at the end of a block skips together with a few instructions.
fn check(values: &Values<'_>, block: usize, panics: &[bool]) -> Option<Check> {
    let body = values.body;
    let is_panic = |label: Label| panics[label.0 as usize];
    let skips = jump(body.blocks[block].instructions.last()?).filter(|skips| !is_panic(skips.to))?;
    // The registers that it compares. Registers that are assigned once are not read if this is skipped.
    let second = body.blocks.get(block + 1).filter(|second| second.label.is_none() && second.pragmas.is_empty())?;
    let (last, before) = second.instructions.split_last()?;
    let is_cheap = |(index, one): (usize, &Instruction)| {
        let at = Position { block: block + 1, index };
        is_cheap(one) && one.destination().is_some_and(|to| values.definition(to) == Some(at))
    };
    if before.len() > MOST_BEFORE || !before.iter().enumerate().all(is_cheap) {
        return None;
    }
    let passes = jump(last)?;
    let third = body.blocks.get(block + 2)?;
    let (fails, blocks) = if is_panic(passes.to) {
        (passes, 1)
    } else {
        let to = jump_away(&third.instructions).filter(|&to| is_panic(to) && third.label.is_none())?;
        let is_passed = body.blocks.get(block + 3)?.label == Some(passes.to);
        let guard = Guard { is_negated: !passes.guard.is_negated, ..passes.guard };
        (Jump { guard, to }, if is_passed { 2 } else { return None })
    };
    // The instructions under the condition.
    let done = body.blocks.get(block + 1 + blocks)?;
    let ends_there = done.instructions.split_last().filter(|(last, _)| {
        last.guard.is_none()
            && matches!((last.opcode, &last.operands[..]), (Opcode::Bra, &[Operand::Label(to)]) if to == skips.to)
    });
    let simple = match ends_there {
        Some((_, simple)) => simple,
        None if body.blocks.get(block + 2 + blocks)?.label == Some(skips.to) => &done.instructions[..],
        None => return None,
    };
    // An address in another notation is not an instruction of the device.
    let count = simple.iter().filter(|one| one.opcode != Opcode::Cvta).count();
    (count <= MOST && simple.iter().all(is_simple)).then_some(Check { block, blocks, skips, fails })
}

/// Whether an instruction is cheap enough for all threads, and has no effect but its result.
fn is_cheap(one: &Instruction) -> bool {
    one.guard.is_none()
        && match one.opcode {
            Opcode::Setp => true,
            Opcode::Add | Opcode::Sub => one.ty().is_some_and(|ty| ty.kind() == ikra_ptx::Kind::Signed),
            Opcode::And => true,
            Opcode::Mul => one.is(Opcode::Mul, &[Modifier::Wide, Modifier::Type(Type::U32)]),
            _ => false,
        }
}

/// Whether the assembler can execute an instruction under a condition.
fn is_simple(one: &Instruction) -> bool {
    one.guard.is_none()
        && !matches!(
            one.opcode,
            Opcode::Bra
                | Opcode::Brx
                | Opcode::Call
                | Opcode::Bar
                | Opcode::Barrier
                | Opcode::Ret
                | Opcode::Exit
                | Opcode::Trap
        )
}

/// Moves a check before its condition: first its computation, then the jump to the panic if both hold, then the jump
/// over the rest.
fn make(check: &Check, fails: Register, body: &mut Body) {
    let block = check.block;
    let skip = body.blocks[block].instructions.pop().expect("it ends with the jump");
    let mut before = std::mem::take(&mut body.blocks[block + 1].instructions);
    before.pop();
    if check.blocks == 2 {
        body.blocks[block + 2].instructions.clear();
    }
    let (skips, failing) = (check.skips.guard, check.fails.guard);
    let register = Operand::Register;
    let new = |opcode, operands: Vec<Operand>| Instruction::new(opcode, &[Modifier::Type(Type::Pred)], operands);
    let not = |of: Register| new(Opcode::Not, vec![register(fails), register(of)]);
    let both =
        |opcode, one: Register, other: Register| new(opcode, vec![register(fails), register(one), register(other)]);
    let (skipped, failed) = (skips.register, failing.register);
    let (combined, is_negated) = match (skips.is_negated, failing.is_negated) {
        (true, false) => (vec![both(Opcode::And, skipped, failed)], false),
        (true, true) => (vec![not(failed), both(Opcode::And, fails, skipped)], false),
        (false, false) => (vec![not(skipped), both(Opcode::And, fails, failed)], false),
        (false, true) => (vec![both(Opcode::Or, skipped, failed)], true),
    };
    let mut panic = Instruction::new(Opcode::Bra, &[], vec![Operand::Label(check.fails.to)]);
    panic.guard = Some(Guard { register: fails, is_negated });
    body.blocks[block].instructions.extend(before.into_iter().chain(combined).chain([panic]));
    body.blocks[block + 1].instructions.push(skip);
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    const PUSH: &str = "\
.visible .entry kernel(
)
{
	.reg .b32 	%r<9>;
	ld.global.b32 	%r1, [%rd1];
$L__BB0_1:
	setp.eq.b32 	%p1, %r1, 0;
	@%p1 bra 	$L__BB0_4;
	setp.lt.u32 	%p2, %r2, 64;
	@%p2 bra 	$L__BB0_3;
	bra.uni 	$L__BB0_2;
$L__BB0_3:
	mul.wide.u32 	%rd3, %r2, 8;
	add.s64 	%rd4, %rd2, %rd3;
	add.s32 	%r2, %r2, 1;
	st.local.b32 	[%rd4], %r1;
$L__BB0_4:
	@%p3 bra 	$L__BB0_1;
	ret;
$L__BB0_2:
	{
	.param .b32 	ikra_panic_object;
	call.uni ikra_panic_0, (ikra_panic_object);
	}
	trap; exit;
}
";

    #[test]
    fn a_check_comes_before_the_condition() {
        let condition = "\t@%p1 bra \t$L__BB0_4;\n";
        let check = "\tsetp.lt.u32 \t%p2, %r2, 64;\n\t@%p2 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_2;\n";
        let both = |joined: &str| {
            let first = format!("\tsetp.lt.u32 \t%p2, %r2, 64;\n{joined} bra \t$L__BB0_2;\n");
            let wanted = PUSH.replace(&format!("{condition}{check}"), &format!("{first}{condition}"));
            wanted.replace("\tld.global.b32 \t%r1", "\t.reg .pred \t%ikra_fails;\n\tld.global.b32 \t%r1")
        };
        let or = both("\tor.pred \t%ikra_fails, %p1, %p2;\n\t@!%ikra_fails");
        // A label without uses is not shown.
        let shown = |code: &str| testing::normal(code);
        let done = |code: &str| {
            let (text, fired) = testing::done(first, code);
            assert_eq!(fired, 1, "{code}");
            shown(&text.replacen("{\n", "{\n.reg .pred %ikra_fails;\n", 1))
        };
        assert_eq!(done(PUSH), shown(&or));
        assert_eq!(testing::done(first, &or).1, 0);
        // A jump to the panic itself, and the code that is skipped if the condition does not hold.
        let jump =
            PUSH.replace("\t@%p2 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_2;\n$L__BB0_3:\n", "\t@!%p2 bra \t$L__BB0_2;\n");
        assert_eq!(done(&jump), shown(&or));
        let and = both("\tnot.pred \t%ikra_fails, %p2;\n\tand.pred \t%ikra_fails, %ikra_fails, %p1;\n\t@%ikra_fails");
        let negated = |code: &str| code.replace("@%p1", "@!%p1");
        assert_eq!(done(&negated(PUSH)), shown(&negated(&and)));
        let fails = jump.replace("@!%p2", "@%p2");
        let not = "not.pred %ikra_fails, %p1;\nand.pred %ikra_fails, %ikra_fails, %p2;\n@%ikra_fails bra $L__BB0_2;\n@%p1 bra";
        assert!(done(&fails).contains(not), "{}", done(&fails));
        let and = "and.pred %ikra_fails, %p1, %p2;\n@%ikra_fails bra $L__BB0_2;\n@!%p1 bra";
        assert!(done(&negated(&fails)).contains(and), "{}", done(&negated(&fails)));
        let pair = PUSH.replace("st.local.b32 \t[%rd4], %r1", "st.local.v2.b32 \t[%rd4], {%r1, %r5}");
        assert!(done(&pair).contains("%ikra_fails"));
        // The conditional code may end in a jump.
        let away = PUSH.replace("%r1;\n$L__BB0_4:", "%r1;\n\tbra.uni \t$L__BB0_4;\n$L__BB0_5:\n\tret;\n$L__BB0_4:");
        assert!(done(&away).contains("%ikra_fails"));
    }

    #[test]
    fn other_branches_stay() {
        for (from, to) in [
            // No panic, or one after other work.
            ("\ttrap; exit;", "\tret;"),
            ("\ttrap; exit;", "\tbra.uni \t$L__BB0_4;\n$L__BB0_6:\n\ttrap; exit;"),
            ("$L__BB0_3:\n", "\tret;\n$L__BB0_3:\n"),
            // The compared values are not known before.
            ("\tsetp.lt.u32 \t%p2, %r2, 64;", "\tld.global.b32 \t%r3, [%rd5];\n\tsetp.lt.u32 \t%p2, %r2, %r3;"),
            ("\tsetp.lt.u32 \t%p2, %r2, 64;", "\tadd.s32 \t%r2, %r2, 1;\n\tsetp.lt.u32 \t%p2, %r2, 64;"),
            ("\t@%p3 bra", "\tsetp.ne.b32 \t%p2, %r1, 7;\n\t@%p3 bra"),
            // The conditional code is longer than a few instructions.
            ("\tst.local.b32 \t[%rd4], %r1;", "\tcall.uni other, ();"),
            ("\tst.local.b32 \t[%rd4], %r1;", "\t@%p4 bra \t$L__BB0_4;\n\tst.local.b32 \t[%rd4], %r1;"),
            ("\tadd.s32 \t%r2, %r2, 1;", &"\tadd.s32 \t%r2, %r2, 1;\n".repeat(MOST)),
        ] {
            let code = PUSH.replace(from, to);
            assert_ne!(code, PUSH, "{from}");
            assert_eq!(testing::done(first, &code).1, 0, "{to}");
        }
        // Other ways lead to the check, or into the conditional code.
        for (from, to) in [
            ("\tsetp.lt.u32 \t%p2, %r2, 64;", "$L__BB0_7:\n\tsetp.lt.u32 \t%p2, %r2, 64;"),
            ("%r1;\n$L__BB0_4:", "%r1;\n$L__BB0_7:\n\tadd.s32 \t%r5, %r5, 1;\n$L__BB0_4:"),
        ] {
            let code = PUSH.replace(from, to).replace("@%p3 bra \t$L__BB0_1;", "@%p3 bra \t$L__BB0_7;");
            assert!(code.matches("BB0_7").count() == 2);
            assert_eq!(testing::done(first, &code).1, 0, "{to}");
        }
    }
}
