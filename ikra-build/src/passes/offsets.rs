//! Constants of addresses, added last.
//!
//! An id is one more than an index. So an element is at `column + (id * size - size)`, or at
//! `column + (id - 1) * size`. For the fields of one object LLVM computes the part in parentheses once, and adds it to
//! each column: three operations or more, each of which waits for the previous one. If the constant is added last, it
//! is part of the load, and the rest is one operation.

use std::collections::HashMap;

use ikra_ptx::{Body, Instruction, Modifier, Module, Opcode, Operand, Position, Register, Type};

use super::edits::Edits;
use super::values::{self, Values};

/// The range of a load around the address in its register.
const REACH: i64 = 1 << 20;

/// The contents of a register as a multiple of another register, plus a constant.
#[derive(Clone, Copy)]
struct Sum {
    from: Register,
    times: i64,
    by: i64,
}

impl Sum {
    /// The same times a factor, if a load reaches the resulting constant.
    fn times(self, times: i64) -> Option<Self> {
        let Self { from, times: 1, by } = self else { return None };
        Self { from, times, by: 0 }.plus(by.checked_mul(times)?)
    }

    fn plus(self, more: i64) -> Option<Self> {
        let by = self.by.checked_add(more).filter(|by| (-REACH..REACH).contains(by))?;
        Some(Self { by, ..self })
    }
}

/// A sum that is added to the start of a column.
struct Address {
    at: Position,
    to: Register,
    column: Operand,
    sum: Sum,
    /// If its number is known to have 32 bits: the register of these, if they do not change.
    narrow: Option<Option<Register>>,
}

/// Adds the constants of such addresses last.
pub(super) fn last(module: &mut Module) -> usize {
    module.functions_mut().filter_map(|function| function.body.as_mut()).map(last_in).sum()
}

fn last_in(body: &mut Body) -> usize {
    let found = found(body);
    let mut edits = Edits::default();
    for address in &found {
        edits.replace(address.at, made(address, body));
    }
    edits.make(body);
    found.len()
}

/// The instructions that add a sum to the start of a column.
fn made(address: &Address, body: &mut Body) -> Vec<Instruction> {
    let &Address { to, ref column, sum: Sum { from, times, by }, narrow, .. } = address;
    let (register, number) = (Operand::Register, |number: i64| Operand::Integer(i128::from(number)));
    let wide = |from: Register| {
        let operands = vec![register(to), register(from), number(times)];
        Instruction::new(Opcode::Mul, &[Modifier::Wide, Modifier::Type(Type::U32)], operands)
    };
    let mut all = match narrow {
        _ if times == 1 => Vec::new(),
        Some(Some(from)) => vec![wide(from)],
        Some(None) => {
            let id = body.new_register("id", Type::B32);
            let types = [Modifier::Type(Type::U32), Modifier::Type(Type::U64)];
            vec![Instruction::new(Opcode::Cvt, &types, vec![register(id), register(from)]), wide(id)]
        }
        None if times.count_ones() == 1 => {
            let operands = vec![register(to), register(from), number(i64::from(times.trailing_zeros()))];
            vec![Instruction::new(Opcode::Shl, &[Modifier::Type(Type::B64)], operands)]
        }
        None => {
            let operands = vec![register(to), register(from), number(times)];
            vec![Instruction::new(Opcode::Mul, &[Modifier::Lo, Modifier::Type(Type::S64)], operands)]
        }
    };
    let product = if times == 1 { from } else { to };
    all.push(values::add(to, column.clone(), register(product)));
    all.push(values::add(to, register(to), number(by)));
    all
}

/// The addresses whose constants are not added last.
fn found(body: &Body) -> Vec<Address> {
    let values = Values::new(body);
    let mut sums: HashMap<Register, Sum> = HashMap::new();
    let mut found = Vec::new();
    for block in values.cfg.reverse_postorder() {
        for (index, one) in body.blocks[block].instructions.iter().enumerate() {
            let at = Position { block, index };
            let Some(to) = one.destination().filter(|&to| values.definition(to) == Some(at)) else { continue };
            // The values that each way to here computed before.
            let made = |operand: &Operand| operand.register().filter(|&register| values.is_made_before(register, at));
            let sum = |operand: &Operand| sums.get(&made(operand)?).copied();
            let (column, sum) = match (&one.operands[..], multiplied(one)) {
                (_, Some((of, times))) => (None, sum(of).and_then(|sum| sum.times(times))),
                ([_, a, Operand::Integer(more)], None) if values::sum(one).is_some() => {
                    let start = made(a).map(|from| Sum { from, times: 1, by: 0 });
                    (None, start.and_then(|start| sum(a).unwrap_or(start).plus(i64::try_from(*more).ok()?)))
                }
                ([_, a, b], None) if values::sum(one).is_some() => {
                    let other = |of: &Operand, column: &Operand| Some((column.clone(), sum(of)?));
                    other(a, b).or_else(|| other(b, a)).map_or((None, None), |(column, sum)| (Some(column), Some(sum)))
                }
                ([_, a, Operand::Integer(size), column], None)
                    if one.is(Opcode::Mad, &[Modifier::Lo, Modifier::Type(Type::S64)]) =>
                {
                    (Some(column.clone()), size_of(*size).and_then(|size| sum(a)?.times(size)))
                }
                _ => continue,
            };
            let Some(sum) = sum else { continue };
            match column {
                Some(column) => found.push(Address { at, to, column, sum, narrow: narrow(sum.from, at, &values) }),
                None => drop(sums.insert(to, sum)),
            }
        }
    }
    found
}

/// The size of an element.
fn size_of(size: i128) -> Option<i64> {
    i64::try_from(size).ok().filter(|size| (1..REACH).contains(size))
}

/// The operand and the factor, if an instruction computes a multiple.
fn multiplied(one: &Instruction) -> Option<(&Operand, i64)> {
    let [_, of, Operand::Integer(by)] = &one.operands[..] else { return None };
    if one.is(Opcode::Shl, &[Modifier::Type(Type::B64)]) {
        return (0..8).contains(by).then(|| (of, 1 << by));
    }
    let times = size_of(*by).filter(|_| one.is(Opcode::Mul, &[Modifier::Lo, Modifier::Type(Type::S64)]))?;
    Some((of, times))
}

/// Whether a number of 64 bits is one of 32, and the register of these if it is unchanged at an instruction.
fn narrow(number: Register, at: Position, values: &Values<'_>) -> Option<Option<Register>> {
    let made = values.definition(number)?;
    let one = values.body.at(made);
    let &[_, Operand::Register(from)] = &one.operands[..] else { return None };
    let is_widened = one.is(Opcode::Cvt, &[Modifier::Type(Type::U64), Modifier::Type(Type::U32)]);
    is_widened.then(|| {
        let is_same = values.is_made_before(from, made) && values.is_before(made, at);
        is_same.then_some(from)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    /// A field of each of three columns, for the object with id %r1; %rd8 is assigned twice.
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
	@%p1 bra 	$L__BB0_1;
	ret;
}
";

    #[test]
    fn the_constant_of_an_address_is_added_last() {
        let (text, fired) = testing::done(last, CODE);
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
        assert_eq!(text, testing::normal(&expected));
        assert_eq!(fired, 8);
        assert_eq!(testing::done(last, &expected).1, 0, "a second time changes nothing");
    }
}
