//! One instruction: its name, modifiers and operands.

use super::Parser;
use super::body::Reader;
use crate::error::Error;
use crate::lexer::Token;
use crate::modifier::{Class, Modifier};
use crate::opcode::Opcode;
use crate::program::{Base, Instruction, Operand};
use crate::special::Special;

impl<'t> Parser<'t> {
    /// The instruction of this name, whose modifiers and operands follow.
    pub(super) fn operation(
        &mut self,
        word: &'t str,
        line: u32,
        reader: &mut Reader<'t>,
    ) -> Result<Instruction, Error> {
        let fail = |message: String| Err(Error { line, message });
        let Some(opcode) = Opcode::from_name(word) else {
            return fail(format!("the instruction `{word}` is not known"));
        };
        let mut modifiers: Vec<Modifier> = Vec::new();
        while let Token::Dotted(name) = self.next.token {
            let known = Modifier::from_name(name).filter(|&modifier| opcode.allows(modifier));
            let Some(modifier) = known else {
                return fail(format!("`{opcode}` with the modifier `.{name}` is not known"));
            };
            let is_twice = |one: &Modifier| one.class() == modifier.class() && is_single(opcode, modifier);
            if modifiers.contains(&modifier) && modifier.class() != Class::Type || modifiers.iter().any(is_twice) {
                return fail(format!("`{opcode}` has two modifiers of one kind, the second of which is `.{name}`"));
            }
            self.take()?;
            modifiers.push(modifier);
        }
        let types = modifiers.iter().filter(|modifier| modifier.class() == Class::Type).count();
        let named = || modifiers.iter().fold(String::from(word), |name, modifier| name + &modifier.to_string());
        if !opcode.types().contains(&types) {
            return fail(format!("`{}` has {types} types", named()));
        }
        reader.is_jump = opcode == Opcode::Bra;
        let operands = if opcode == Opcode::Call { self.call(line, reader)? } else { self.operands(line, reader)? };
        self.expect(';')?;
        let (destinations, sources) = (opcode.destinations(&modifiers), opcode.sources(&modifiers));
        if operands.len() < destinations || !sources.contains(&(operands.len() - destinations)) {
            return fail(format!("`{}` with {} operands is not known", named(), operands.len()));
        }
        for (n, operand) in operands.iter().enumerate() {
            if matches!(operand, Operand::Memory(..)) != (opcode.memory() == Some(n)) {
                return fail(format!("operand {} of `{}` is not what belongs there", n + 1, named()));
            }
            let is_writable = matches!(
                operand,
                Operand::Register(_) | Operand::Vector(_) | Operand::Pair(..) | Operand::Nothing | Operand::List(_)
            );
            if n < destinations && !is_writable {
                return fail(format!("`{}` cannot write its operand {}", named(), n + 1));
            }
        }
        if opcode == Opcode::Bra && !matches!(operands[..], [Operand::Label(_)])
            || opcode == Opcode::Brx && !matches!(operands[..], [Operand::Register(_), Operand::Table(_)])
        {
            return fail(format!("`{}` leads nowhere", named()));
        }
        Ok(Instruction { guard: None, opcode, modifiers, operands, line, location: None })
    }

    fn operands(&mut self, line: u32, reader: &mut Reader<'t>) -> Result<Vec<Operand>, Error> {
        let mut all = Vec::new();
        if self.next.token == Token::Sign(';') {
            return Ok(all);
        }
        loop {
            all.push(self.operand(line, reader)?);
            if !self.sign(',')? {
                return Ok(all);
            }
        }
    }

    fn operand(&mut self, line: u32, reader: &mut Reader<'t>) -> Result<Operand, Error> {
        match self.next.token {
            Token::Sign('!') => {
                self.take()?;
                let name = self.word()?;
                match reader.register(name) {
                    Some(register) => Ok(Operand::Not(register)),
                    None => Err(Error { line, message: format!("there is no register `{name}`") }),
                }
            }
            Token::Sign('{') => {
                self.take()?;
                let mut all = Vec::new();
                loop {
                    all.push(self.operand(line, reader)?);
                    if !self.sign(',')? {
                        break;
                    }
                }
                self.expect('}')?;
                Ok(Operand::Vector(all))
            }
            Token::Sign('[') => {
                self.take()?;
                let base = match self.next.token {
                    Token::Word(name) => {
                        self.take()?;
                        match reader.register(name) {
                            Some(register) => Base::Register(register),
                            None if name.starts_with('%') => {
                                return Err(Error { line, message: format!("there is no register `{name}`") });
                            }
                            None => Base::Symbol(reader.symbol(name)),
                        }
                    }
                    _ => Base::Zero,
                };
                let offset = if base == Base::Zero { self.number()? } else { self.distance()? };
                self.expect(']')?;
                Ok(Operand::Memory(base, offset))
            }
            Token::Float(bits) => {
                self.take()?;
                Ok(Operand::Float(bits))
            }
            Token::Word("_") => {
                self.take()?;
                if self.sign('|')? {
                    let other = self.word()?;
                    return Ok(Operand::Pair(None, reader.register(other)));
                }
                Ok(Operand::Nothing)
            }
            Token::Word(name) => {
                self.take()?;
                self.named_operand(name, line, reader)
            }
            _ => self.integer().map(Operand::Integer),
        }
    }

    fn named_operand(&mut self, name: &'t str, line: u32, reader: &mut Reader<'t>) -> Result<Operand, Error> {
        if let Some(register) = reader.register(name) {
            if !self.sign('|')? {
                return Ok(Operand::Register(register));
            }
            let other = self.word()?;
            return match reader.register(other) {
                None if other != "_" => Err(Error { line, message: format!("there is no register `{other}`") }),
                other => Ok(Operand::Pair(Some(register), other)),
            };
        }
        if name.starts_with('%') || name == "WARP_SZ" {
            let component = match self.next.token {
                Token::Dotted(component) => {
                    self.take()?;
                    Some(component)
                }
                _ => None,
            };
            let special = Special::from_name(name.trim_start_matches('%'), component);
            return match special {
                Some(special) => Ok(Operand::Special(special)),
                None => Err(Error { line, message: format!("there is no register `{name}`") }),
            };
        }
        if let Some(&table) = reader.tables.get(name) {
            return Ok(Operand::Table(table));
        }
        if let Some(&prototype) = reader.prototypes.get(name) {
            return Ok(Operand::Prototype(prototype));
        }
        if reader.is_jump {
            return Ok(Operand::Label(reader.label(name, line)));
        }
        Ok(Operand::Symbol(reader.symbol(name), self.distance()?))
    }

    /// `(retval0), name, (param0, param1), prototype`; the lists may be left out.
    fn call(&mut self, line: u32, reader: &mut Reader<'t>) -> Result<Vec<Operand>, Error> {
        let results = if self.next.token == Token::Sign('(') {
            let results = self.list(line, reader)?;
            self.expect(',')?;
            results
        } else {
            Vec::new()
        };
        let mut all = vec![Operand::List(results), self.operand(line, reader)?];
        let mut arguments = Vec::new();
        if self.sign(',')? {
            if self.next.token == Token::Sign('(') {
                arguments = self.list(line, reader)?;
                if self.sign(',')? {
                    all.push(self.operand(line, reader)?);
                }
            } else {
                all.push(self.operand(line, reader)?);
            }
        }
        all.insert(2, Operand::List(arguments));
        if !matches!(all[1], Operand::Symbol(_, 0) | Operand::Register(_))
            || !matches!(all.get(3), None | Some(Operand::Prototype(_)))
        {
            return Err(Error { line, message: String::from("a call of what is not a function") });
        }
        Ok(all)
    }

    fn list(&mut self, line: u32, reader: &mut Reader<'t>) -> Result<Vec<Operand>, Error> {
        self.expect('(')?;
        let mut all = Vec::new();
        while !self.sign(')')? {
            if !all.is_empty() {
                self.expect(',')?;
            }
            all.push(self.operand(line, reader)?);
        }
        Ok(all)
    }
}

/// Whether an instruction has at most one modifier of this one's class.
fn is_single(opcode: Opcode, modifier: Modifier) -> bool {
    match modifier.class() {
        Class::Space => opcode != Opcode::Cvta,
        Class::Rounding | Class::Semantics | Class::Scope | Class::Vector | Class::Accuracy | Class::Property => true,
        _ => false,
    }
}
