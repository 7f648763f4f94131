//! Checks that a program is well-formed.

use std::collections::HashSet;

use crate::error::Error;
use crate::modifier::{Kind, Modifier, Type};
use crate::opcode::Opcode;
use crate::program::{Base, Body, Function, Instruction, Item, Module, Operand, Register};

impl Module {
    /// Checks that the program is well-formed: names are declared, labels exist, registers have the widths that the
    /// instructions take, and blocks end at jumps. A register without a write may be read: compilers leave it so if the
    /// value does not matter.
    ///
    /// # Errors
    ///
    /// The first mistake, with its line of the text; 0 if it was made later.
    pub fn verify(&self) -> Result<(), Error> {
        let mut symbols: HashSet<&str> = HashSet::new();
        for item in &self.items {
            match item {
                Item::Variable(variable) => _ = symbols.insert(&variable.name),
                Item::Function(function) => _ = symbols.insert(&function.name),
                _ => {}
            }
        }
        self.functions().try_for_each(|function| match &function.body {
            Some(body) => Checked { function, body, symbols: &symbols }.all(),
            None => Ok(()),
        })
    }
}

struct Checked<'m> {
    function: &'m Function,
    body: &'m Body,
    symbols: &'m HashSet<&'m str>,
}

impl Checked<'_> {
    fn all(&self) -> Result<(), Error> {
        let body = self.body;
        let fail = |line, message: String| Err(Error { line, message: format!("{}: {message}", self.function.name) });
        let mut starts = HashSet::new();
        for label in body.blocks.iter().filter_map(|block| block.label) {
            if !starts.insert(label) {
                return fail(0, format!("two labels `{}`", body.labels[label.0 as usize]));
            }
        }
        let mut own: HashSet<&str> = body.variables.iter().map(|variable| variable.name.as_str()).collect();
        own.extend(self.function.parameters.iter().chain(&self.function.results).map(|one| one.name.as_str()));
        for (at, one) in body.instructions() {
            let fail = |message: String| fail(one.line, format!("`{}`: {message}", one.text(body)));
            if one.ends_block() && at.index + 1 != body.blocks[at.block].instructions.len() {
                return fail(String::from("instructions follow in its block"));
            }
            let mut unknown = None;
            one.for_each_register(|register, _| {
                if register.0 as usize >= body.registers.len() {
                    unknown = Some(register);
                }
            });
            if let Some(register) = unknown {
                return fail(format!("there is no register {}", register.0));
            }
            let mut missing = None;
            one.for_each_symbol(&mut |name| {
                if !own.contains(name) && !self.symbols.contains(name) {
                    missing = Some(name.to_owned());
                }
            });
            if let Some(name) = missing {
                return fail(format!("there is no `{name}`"));
            }
            for operand in &one.operands {
                let targets = match operand {
                    Operand::Label(label) => std::slice::from_ref(label),
                    Operand::Table(table) => body.tables.get(*table).map_or(&[][..], |table| &table.targets),
                    _ => &[],
                };
                if let Some(label) = targets.iter().find(|label| !starts.contains(label)) {
                    return fail(format!("the label `{}` stands nowhere", body.labels[label.0 as usize]));
                }
            }
            if let Err(message) = self.widths(one) {
                return fail(message);
            }
        }
        let last = body.blocks.iter().rev().find(|block| !block.instructions.is_empty());
        if !last.and_then(|block| block.instructions.last()).is_some_and(Instruction::leaves) {
            return fail(self.function.line, String::from("the last instruction does not leave the function"));
        }
        Ok(())
    }

    /// Whether the registers have the widths of the types.
    fn widths(&self, one: &Instruction) -> Result<(), String> {
        let Some(first) = one.ty() else { return Ok(()) };
        let last = one.types().last().unwrap_or(first);
        let bits = |register: Register| self.body.ty(register).bits();
        let wide = |ty: Type| if one.has(Modifier::Wide) { ty.bits() * 2 } else { ty.bits() };
        let check = |operand: &Operand, wanted: u32, may_be_wider: bool| match operand {
            Operand::Register(register) if bits(*register) != wanted && !(may_be_wider && bits(*register) > wanted) => {
                Err(format!("`{}` has {} bits, {wanted} expected", self.body.name(*register), bits(*register)))
            }
            _ => Ok(()),
        };
        match one.opcode {
            Opcode::Add
            | Opcode::Sub
            | Opcode::Addc
            | Opcode::Subc
            | Opcode::And
            | Opcode::Or
            | Opcode::Xor
            | Opcode::Not
            | Opcode::Min
            | Opcode::Max
            | Opcode::Abs
            | Opcode::Neg
            | Opcode::Div
            | Opcode::Rem
            | Opcode::Fma
            | Opcode::Copysign
            | Opcode::Sqrt
            | Opcode::Rcp
            | Opcode::Rsqrt => one.operands.iter().try_for_each(|operand| check(operand, first.bits(), false)),
            Opcode::Mul => {
                check(&one.operands[0], wide(first), false)?;
                one.operands[1..].iter().try_for_each(|operand| check(operand, first.bits(), false))
            }
            Opcode::Mad => {
                check(&one.operands[0], wide(first), false)?;
                check(&one.operands[3], wide(first), false)?;
                one.operands[1..3].iter().try_for_each(|operand| check(operand, first.bits(), false))
            }
            Opcode::Shl | Opcode::Shr => {
                one.operands[..2].iter().try_for_each(|operand| check(operand, first.bits(), false))?;
                check(&one.operands[2], 32, false)
            }
            Opcode::Setp => {
                check(&one.operands[0], 1, false)?;
                one.operands[1..3].iter().try_for_each(|operand| check(operand, first.bits(), false))
            }
            Opcode::Selp => {
                one.operands[..3].iter().try_for_each(|operand| check(operand, first.bits(), false))?;
                check(&one.operands[3], 1, false)
            }
            Opcode::Cvt => {
                check(&one.operands[0], first.bits(), true)?;
                if one.operands.len() == 2 { check(&one.operands[1], last.bits(), true) } else { Ok(()) }
            }
            Opcode::Mov if first.kind() != Kind::Packed => {
                one.operands.iter().try_for_each(|operand| check(operand, first.bits(), false))
            }
            Opcode::Ld | Opcode::St | Opcode::Atom | Opcode::Red => {
                self.address(one)?;
                one.operands.iter().try_for_each(|operand| match operand {
                    Operand::Vector(all) if all.len() == one.vector() => {
                        all.iter().try_for_each(|operand| check(operand, first.bits(), true))
                    }
                    Operand::Vector(all) if one.opcode != Opcode::Ld && one.opcode != Opcode::St => {
                        Err(format!("a vector of {}", all.len()))
                    }
                    Operand::Vector(all) => Err(format!("{} elements, {} expected", all.len(), one.vector())),
                    operand if one.vector() > 1 && !matches!(operand, Operand::Memory(..)) => {
                        Err(String::from("a vector is expected"))
                    }
                    operand => check(operand, first.bits(), true),
                })
            }
            _ => Ok(()),
        }
    }

    /// Whether an address has the width of addresses.
    fn address(&self, one: &Instruction) -> Result<(), String> {
        match one.memory() {
            Some((Base::Register(register), _)) if !matches!(self.body.ty(*register).bits(), 64 | 32) => {
                Err(format!("`{}` is not as wide as an address", self.body.name(*register)))
            }
            _ => Ok(()),
        }
    }
}
