//! Variables, parameters and the heads of functions.

use super::Parser;
use crate::error::Error;
use crate::lexer::Token;
use crate::modifier::{Modifier, Type};
use crate::program::{Function, Linkage, Parameter, Value, Variable};

impl<'t> Parser<'t> {
    pub(super) fn ty(&mut self) -> Result<Type, Error> {
        match self.next.token {
            Token::Dotted(word) => match Type::from_name(word) {
                Some(ty) => {
                    self.take()?;
                    Ok(ty)
                }
                None => self.unexpected("a type"),
            },
            _ => self.unexpected("a type"),
        }
    }

    /// Consumes a directive if it is next.
    fn directive(&mut self, name: &str) -> Result<bool, Error> {
        let is_next = self.next.token == Token::Dotted(name);
        if is_next {
            self.take()?;
        }
        Ok(is_next)
    }

    fn align(&mut self) -> Result<Option<u32>, Error> {
        if self.directive("align")? { self.number().map(Some) } else { Ok(None) }
    }

    /// `.global .align 4 .b8 name[4] = {1, 2}`, without linkage and semicolon.
    pub(super) fn variable_head(&mut self, linkage: Linkage) -> Result<(&'t str, Variable), Error> {
        let line = self.next.line;
        let space = match self.take()? {
            Token::Dotted(word) => Modifier::from_name(word).expect("the caller has looked"),
            _ => return self.unexpected("a space of memory"),
        };
        let align = self.align()?;
        let ty = self.ty()?;
        let name = self.word()?;
        let mut lengths = Vec::new();
        while self.sign('[')? {
            lengths.push(if self.sign(']')? {
                None
            } else {
                let len = self.number()?;
                self.expect(']')?;
                Some(len)
            });
        }
        Ok((name, Variable { linkage, space, align, ty, name: name.to_owned(), lengths, value: None, line }))
    }

    pub(super) fn variable(&mut self, linkage: Linkage) -> Result<Variable, Error> {
        let (_, mut variable) = self.variable_head(linkage)?;
        if self.sign('=')? {
            variable.value = Some(self.value()?);
        }
        self.expect(';')?;
        Ok(variable)
    }

    fn value(&mut self) -> Result<Value, Error> {
        match self.next.token {
            Token::Sign('{') => {
                self.take()?;
                let mut all = Vec::new();
                while !self.sign('}')? {
                    if !all.is_empty() {
                        self.expect(',')?;
                    }
                    all.push(self.value()?);
                }
                Ok(Value::List(all))
            }
            Token::Float(bits) => {
                self.take()?;
                Ok(Value::Float(bits))
            }
            Token::Word("generic") => {
                self.take()?;
                self.expect('(')?;
                let name = self.word()?.to_owned();
                self.expect(')')?;
                Ok(Value::Generic(name, self.distance()?))
            }
            Token::Word(name) => {
                self.take()?;
                Ok(Value::Address(name.to_owned(), self.distance()?))
            }
            _ => self.integer().map(Value::Integer),
        }
    }

    /// `+4` or `-4`, after a name; no text stands for 0.
    pub(super) fn distance(&mut self) -> Result<i64, Error> {
        if self.sign('+')? || self.next.token == Token::Sign('-') { self.number() } else { Ok(0) }
    }

    /// `(.param .b32 a, .param .align 8 .b8 b[16])`, if there is one.
    pub(super) fn parameters(&mut self) -> Result<Vec<Parameter>, Error> {
        let mut all = Vec::new();
        if self.sign('(')? {
            while !self.sign(')')? {
                if !all.is_empty() {
                    self.expect(',')?;
                }
                all.push(self.parameter()?);
            }
        }
        Ok(all)
    }

    fn parameter(&mut self) -> Result<Parameter, Error> {
        let is_register = self.directive("reg")?;
        if !is_register && !self.directive("param")? {
            return self.unexpected("`.param`");
        }
        let mut align = self.align()?;
        let ty = self.ty()?;
        let mut pointer = None;
        if self.directive("ptr")? {
            let space = match self.next.token {
                Token::Dotted(word) if super::is_space(word) => {
                    self.take()?;
                    Modifier::from_name(word)
                }
                _ => None,
            };
            pointer = Some((space, self.align()?));
        }
        align = align.or(self.align()?);
        let name = self.word()?.to_owned();
        let len = if self.sign('[')? {
            let len = if self.next.token == Token::Sign(']') { 0 } else { self.number()? };
            self.expect(']')?;
            Some(len)
        } else {
            None
        };
        Ok(Parameter { is_register, align, ty, pointer, name, len })
    }

    pub(super) fn function(&mut self, linkage: Linkage) -> Result<Function, Error> {
        let line = self.next.line;
        let is_kernel = self.take()? == Token::Dotted("entry");
        let results = self.parameters()?;
        let name = self.word()?.to_owned();
        let parameters = self.parameters()?;
        let attributes = self.attributes()?;
        let body = if self.sign(';')? { None } else { Some(self.body()?) };
        Ok(Function { linkage, is_kernel, results, name, parameters, attributes, body, line })
    }

    /// Directives after a function's parameters, up to the body or the semicolon.
    pub(super) fn attributes(&mut self) -> Result<Vec<String>, Error> {
        let mut all = Vec::new();
        while let Token::Dotted(name) = self.next.token {
            if !ATTRIBUTES.contains(&name) {
                return self.unexpected("`{`, `;` or a directive of functions");
            }
            self.take()?;
            let mut text = format!(".{name}");
            loop {
                match self.next.token {
                    Token::Integer(number) => text += &format!(" {number}"),
                    Token::Text(said) => text += &format!(" \"{said}\""),
                    Token::Sign(',') => text.push(','),
                    _ => break,
                }
                self.take()?;
            }
            // A `.pragma` ends with a semicolon, even here.
            if name == "pragma" {
                self.expect(';')?;
                text.push(';');
            }
            all.push(text);
        }
        Ok(all)
    }
}

const ATTRIBUTES: &[&str] = &[
    "maxntid",
    "reqntid",
    "minnctapersm",
    "maxnctapersm",
    "maxnreg",
    "noreturn",
    "pragma",
    "maxclusterrank",
    "explicitcluster",
    "reqnctapercluster",
    "abi_preserve",
    "abi_preserve_control",
];
