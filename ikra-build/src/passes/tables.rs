//! Reads of classes' tables, as `ikra_core` writes them: entries in constant memory behind a symbol.

use ikra_marks::TABLE;
use ikra_ptx::{Base, Instruction, Modifier, Opcode, Operand, Register, Type};

use super::values::Values;

/// An entry of a table: the table's symbol, and the entry's position in bytes.
pub(super) type Word<'b> = (&'b str, u64);
/// The bytes of an entry.
pub(super) const WORD: u64 = 8;

/// A read of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Read<'b> {
    pub(super) table: &'b str,
    /// The entry's position in bytes, if it is known.
    pub(super) place: Option<u64>,
    pub(super) to: Register,
}

impl<'b> Read<'b> {
    /// The entry, if its position is known.
    pub(super) fn word(&self) -> Option<Word<'b>> {
        Some((self.table, self.place?))
    }
}

/// The table read that an instruction makes: a load of 64 bits from constant memory, at a table's symbol or at a sum of
/// it.
pub(super) fn read<'b>(one: &'b Instruction, values: &Values<'b>) -> Option<Read<'b>> {
    let is_word = |ty| one.is(Opcode::Ld, &[Modifier::Const, Modifier::Type(ty)]);
    if !(is_word(Type::U64) || is_word(Type::B64)) {
        return None;
    }
    let [Operand::Register(to), Operand::Memory(base, offset)] = &one.operands[..] else { return None };
    let place = |number: i128| u64::try_from(number + i128::from(*offset)).ok();
    let (table, place) = match base {
        Base::Symbol(table) => (table, place(0)),
        Base::Register(at) => {
            let sum = values.made_by(*at).filter(|sum| sum.is(Opcode::Add, &[Modifier::Type(Type::U64)]))?;
            let [_, base, index] = &sum.operands[..] else { return None };
            let (table, start) = symbol(base, values)?;
            (table, values.number(index).and_then(|index| place(index + i128::from(start))))
        }
        Base::Zero => return None,
    };
    table.starts_with(TABLE).then_some(Read { table, place, to: *to })
}

/// The symbol whose address is in a register, and a distance.
fn symbol<'b>(operand: &Operand, values: &Values<'b>) -> Option<(&'b String, i64)> {
    let made = values.made_by(operand.register()?).filter(|made| made.opcode == Opcode::Mov)?;
    match made.sources() {
        [Operand::Symbol(name, distance)] => Some((name, *distance)),
        _ => None,
    }
}

/// An instruction that loads 64 bits of constant memory.
pub(super) fn load((table, place): Word<'_>, to: Register) -> Instruction {
    let at = Operand::Memory(Base::Symbol(table.to_owned()), place.cast_signed());
    Instruction::new(Opcode::Ld, &[Modifier::Const, Modifier::Type(Type::U64)], vec![Operand::Register(to), at])
}
