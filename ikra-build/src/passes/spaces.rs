//! Addresses in device code that are known to be in global memory.
//!
//! The start of a column is read from the class's table, as a number that LLVM knows nothing about. So LLVM takes the
//! column's loads and stores for accesses to any memory, and the device examines each address. This pass makes them
//! accesses to global memory if the address is the start of a column plus numbers.

use ikra_ptx::{Base, Body, Instruction, Kind, Modifier, Module, Opcode, Operand, Position, Register, Type};

use super::tables;
use super::values::Values;

/// The contents of a register of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    /// Not known yet.
    Nothing,
    /// An address in a column.
    Column,
    /// A number that is not an address.
    Number,
    /// An address elsewhere, or unknown.
    Other,
}

use Held::{Column, Nothing, Number, Other};

impl Held {
    /// The contents if either may be there.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Nothing, held) | (held, Nothing) => held,
            (one, another) if one == another => one,
            _ => Other,
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Other, _) | (_, Other) | (Column, Column) => Other,
            (Nothing, _) | (_, Nothing) => Nothing,
            (Number, Number) => Number,
            (Column, Number) | (Number, Column) => Column,
        }
    }

    fn minus(self, other: Self) -> Self {
        match (self, other) {
            (Other, _) | (_, Other) | (Number, Column) => Other,
            (Nothing, _) | (_, Nothing) => Nothing,
            (Column, Column) | (Number, Number) => Number,
            (Column, Number) => Column,
        }
    }
}

/// Makes accesses known to be to global memory into ones for global memory.
pub(super) fn named(module: &mut Module) -> usize {
    module.functions_mut().filter_map(|function| function.body.as_mut()).map(named_in).sum()
}

fn named_in(body: &mut Body) -> usize {
    let found: Vec<Position> = {
        let values = Values::new(body);
        let held = held(&values);
        body.instructions().filter(|(_, one)| is_in_column(one, &held)).map(|(at, _)| at).collect()
    };
    for &at in &found {
        body.at_mut(at).modifiers.insert(0, Modifier::Global);
    }
    found.len()
}

/// The contents of each register, anywhere in the function.
fn held(values: &Values<'_>) -> Vec<Held> {
    let body = values.body;
    let mut held = vec![Nothing; body.registers.len()];
    let mut statements: Vec<(Register, &Instruction)> = Vec::new();
    for (_, one) in body.instructions() {
        one.for_each_register(|register, access| {
            if access == ikra_ptx::Access::Write && body.ty(register).bits() == 64 {
                statements.push((register, one));
            }
        });
    }
    let reads: Vec<bool> = statements.iter().map(|(_, one)| tables::read(one, values).is_some()).collect();
    loop {
        let mut is_done = true;
        for (&(to, one), &is_read) in statements.iter().zip(&reads) {
            let now = held[to.0 as usize].or(if is_read { Column } else { made(one, &held) });
            if now != held[to.0 as usize] {
                held[to.0 as usize] = now;
                is_done = false;
            }
        }
        if is_done {
            return held;
        }
    }
}

/// The result of an instruction, for given contents of registers.
fn made(one: &Instruction, held: &[Held]) -> Held {
    let of = |n: usize| match one.operands.get(n) {
        Some(Operand::Integer(_)) => Number,
        Some(Operand::Register(register)) => held[register.0 as usize],
        _ => Other,
    };
    let is_word = |kinds: &[Kind]| one.ty().is_some_and(|ty| ty.bits() == 64 && kinds.contains(&ty.kind()));
    let integers = [Kind::Signed, Kind::Unsigned];
    match one.opcode {
        Opcode::Add if is_word(&integers) => of(1).plus(of(2)),
        Opcode::Sub if is_word(&integers) => of(1).minus(of(2)),
        Opcode::Mov if is_word(&[Kind::Bits, Kind::Unsigned]) => of(1),
        Opcode::Selp if is_word(&[Kind::Bits]) => of(1).or(of(2)),
        Opcode::Mad if one.has(Modifier::Wide) || one.is(Opcode::Mad, &[Modifier::Lo, Modifier::Type(Type::S64)]) => {
            Number.plus(of(3))
        }
        // Their results are not addresses, whatever the operands.
        Opcode::Mul
        | Opcode::Shl
        | Opcode::Shr
        | Opcode::Cvt
        | Opcode::And
        | Opcode::Or
        | Opcode::Xor
        | Opcode::Not
        | Opcode::Neg
        | Opcode::Abs
        | Opcode::Min
        | Opcode::Max
        | Opcode::Rem
        | Opcode::Div => Number,
        _ => Other,
    }
}

/// Whether an instruction accesses memory that it does not name, at an address in a column.
fn is_in_column(one: &Instruction, held: &[Held]) -> bool {
    let is_plain = |modifier: &Modifier| match modifier {
        Modifier::Type(ty) => ty.kind() != Kind::Packed,
        modifier => [Modifier::V2, Modifier::V4].contains(modifier),
    };
    matches!(one.opcode, Opcode::Ld | Opcode::St)
        && one.modifiers.iter().all(is_plain)
        && matches!(one.memory(), Some((Base::Register(at), _)) if held[at.0 as usize] == Column)
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    /// Columns in %rd1 and %rd2; %rd5 goes through one in a loop; %rd10 is local memory, %rd20 their distance.
    const CODE: &str = "\
.visible .entry kernel(
)
{
	{ .reg .b64 table, at; mov.b64 table, ikra_class_Cell_1; add.u64 at, table, %rd3; ld.const.u64 %rd1, [at]; }
	{ .reg .b64 table, at; mov.b64 table, ikra_class_Cell_1; add.u64 at, table, %rd4; ld.const.u64 %rd2, [at]; }
	mul.wide.u32 	%rd6, %r1, 4;
	add.s64 	%rd7, %rd1, %rd6;
	ld.b32 	%r2, [%rd7+-4];
	mov.b64 	%rd5, %rd2;
$L__BB0_1:
	@%p1 ld.v2.b32 	{%r3, %r4}, [%rd5];
	st.b8 	[%rd5+1], %r3;
	add.s64 	%rd5, %rd5, 8;
	@%p2 bra 	$L__BB0_1;
	mov.b64 	%rd10, __local_depot0;
	add.s64 	%rd11, %rd10, %rd6;
	ld.b32 	%r5, [%rd11];
	selp.b64 	%rd12, %rd11, %rd7, %p1;
	st.b32 	[%rd12], %r5;
	sub.s64 	%rd20, %rd2, %rd1;
	add.s64 	%rd21, %rd11, %rd20;
	ld.b32 	%r6, [%rd21];
	add.s64 	%rd22, %rd7, %rd20;
	ld.b32 	%r7, [%rd22];
	add.s64 	%rd23, %rd10, %rd1;
	ld.b32 	%r8, [%rd23];
	ld.param.b64 	%rd24, [kernel_param_0];
	ld.b64 	%rd25, [%rd24];
	add.s64 	%rd26, %rd25, %rd1;
	ld.b32 	%r9, [%rd26];
	ld.relaxed.gpu.b32 	%r9, [%rd1];
	ret;
}
";

    #[test]
    fn what_is_added_to_a_columns_start_is_in_global_memory() {
        let (named, fired) = testing::done(named, CODE);
        let old = testing::normal(CODE);
        let changed: Vec<&str> =
            named.lines().zip(old.lines()).filter(|(new, old)| new != old).map(|(new, _)| new).collect();
        assert_eq!(
            changed,
            [
                "ld.global.b32 %r2, [%rd7+-4];",
                "@%p1 ld.global.v2.b32 {%r3, %r4}, [%rd5];",
                "st.global.b8 [%rd5+1], %r3;",
                "ld.global.b32 %r7, [%rd22];",
            ]
        );
        assert_eq!(fired, 4);
    }

    #[test]
    fn registers_of_other_functions_do_not_count() {
        let code = CODE.replace("\n$L__BB0_1:", "\n\tret;\n}\n.func other(\n)\n{\n$L__BB0_1:");
        assert_eq!(testing::done(named, &code).1, 1);
    }
}
