//! Operands: rows and constants.

use ikra_ptx::{Base, Bits, Operand, Register, Type};

use super::{Decoded, Decoder, Scope, Symbol, refuse};
use crate::{
    code::{Address, FRAME_POINTER, FUNCTION_STRIDE},
    compute::Condition,
    memory::window,
    registers::Source,
    special,
};

impl Scope<'_> {
    /// The row of a register.
    pub(super) fn row(&self, register: Register) -> u32 {
        self.first + register.0
    }

    /// The row of a register that is written; none for `_`.
    pub(super) fn destination(&self, operand: &Operand, line: u32) -> Decoded<Option<u32>> {
        match operand {
            Operand::Register(register) => Ok(Some(self.row(*register))),
            Operand::Nothing => Ok(None),
            _ => refuse(line, ""),
        }
    }

    /// The row of a register that is written.
    pub(super) fn written(&self, operand: &Operand, line: u32) -> Decoded<u32> {
        self.destination(operand, line)?.map_or_else(|| refuse(line, ""), Ok)
    }

    /// The bits of the register that an operand is.
    pub(super) fn bits(&self, operand: &Operand) -> u32 {
        operand.register().map_or(64, |register| self.body.ty(register).bits())
    }

    /// The rows of `d|p`, or of `d`.
    pub(super) fn pair(&self, operand: &Operand, line: u32) -> Decoded<(Option<u32>, Option<u32>)> {
        match operand {
            Operand::Pair(one, other) => Ok((one.map(|r| self.row(r)), other.map(|r| self.row(r)))),
            _ => Ok((self.destination(operand, line)?, None)),
        }
    }

    /// A predicate that is read.
    pub(super) fn condition(&self, operand: &Operand, line: u32) -> Decoded<Condition> {
        match operand {
            Operand::Register(register) => Ok(Condition::Predicate { row: self.row(*register), negated: false }),
            Operand::Not(register) => Ok(Condition::Predicate { row: self.row(*register), negated: true }),
            Operand::Integer(value) => Ok(Condition::Constant(*value != 0)),
            _ => refuse(line, ""),
        }
    }
}

impl Decoder<'_> {
    /// A constant.
    pub(super) fn constant(&mut self, value: u64) -> Source {
        let constants = &mut self.constants;
        let number = *self.by_value.entry(value).or_insert_with(|| {
            constants.push([value; 32]);
            constants.len() as u32 - 1
        });
        Source::Constant(number)
    }

    /// The address of a variable of the module, which the device assigns.
    fn variable(&mut self, name: &str, offset: i64) -> Source {
        if let Some(&number) = self.by_symbol.get(&(name.to_owned(), offset)) {
            return Source::Constant(number);
        }
        let number = self.constants.len() as u32;
        self.constants.push([0; 32]);
        self.relocations.push((number, name.to_owned(), offset));
        self.by_symbol.insert((name.to_owned(), offset), number);
        Source::Constant(number)
    }

    /// A value that is read, of a type.
    pub(super) fn source(&mut self, scope: &Scope<'_>, operand: &Operand, ty: Type, line: u32) -> Decoded<Source> {
        let bits = ty.bits();
        let low = |value: u64| if bits >= 64 { value } else { value & ((1 << bits) - 1) };
        match operand {
            Operand::Register(register) => Ok(Source::Row(scope.row(*register))),
            Operand::Integer(value) => Ok(self.constant(low(*value as u64))),
            Operand::Float(Bits::Single(value)) if bits == 32 => Ok(self.constant(u64::from(*value))),
            Operand::Float(Bits::Double(value)) if bits == 64 => Ok(self.constant(*value)),
            Operand::Special(special) => match special::row(*special) {
                Some(row) => Ok(Source::Special(row)),
                None => refuse(line, ""),
            },
            Operand::Symbol(name, offset) => match self.symbol(scope, name, *offset, line)? {
                Address { base, offset: 0 } => Ok(base),
                // Local memory: the caller adds the frame's start.
                _ => refuse(line, ""),
            },
            _ => refuse(line, ""),
        }
    }

    /// The address of a name, in its own space.
    pub(super) fn symbol(&mut self, scope: &Scope<'_>, name: &str, offset: i64, line: u32) -> Decoded<Address> {
        let fixed = |base| Ok(Address { base, offset: 0 });
        match scope.symbols.get(name) {
            Some(Symbol::Local(at)) => {
                return Ok(Address { base: Source::Row(FRAME_POINTER), offset: i64::from(*at) + offset });
            }
            Some(Symbol::Shared(at)) => return fixed(self.constant(at.wrapping_add_signed(offset))),
            Some(Symbol::Argument(at, _)) => {
                return fixed(self.constant((window::PARAMETER + *at as u64).wrapping_add_signed(offset)));
            }
            Some(Symbol::Rows(..)) => {
                return refuse(line, format!("the address of `{name}`, a parameter of a function, is not supported"));
            }
            None => {}
        }
        if let Some(&at) = self.shared.get(name) {
            return fixed(self.constant(at.wrapping_add_signed(offset)));
        }
        if let Some(&number) = self.numbers.get(name) {
            return fixed(self.constant(window::FUNCTION + u64::from(number) * FUNCTION_STRIDE));
        }
        let module = self.module;
        match module.variables().find(|variable| variable.name == name) {
            Some(variable) if variable.space == ikra_ptx::Modifier::Local => {
                refuse(line, format!("`{name}` is a local variable of the module, which is not supported"))
            }
            Some(_) => fixed(self.variable(name, offset)),
            None => refuse(line, format!("there is no variable and no function with a body `{name}`")),
        }
    }

    /// The address in an operand in brackets.
    pub(super) fn address(&mut self, scope: &Scope<'_>, base: &Base, offset: i64, line: u32) -> Decoded<Address> {
        match base {
            Base::Register(register) => Ok(Address { base: Source::Row(scope.row(*register)), offset }),
            Base::Symbol(name) => self.symbol(scope, name, offset, line),
            Base::Zero => Ok(Address { base: self.constant(0), offset }),
        }
    }
}
