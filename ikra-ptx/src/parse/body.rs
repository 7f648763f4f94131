//! The body of a function: declarations, labels, instructions.

use std::collections::{HashMap, HashSet};

use super::Parser;
use crate::error::Error;
use crate::lexer::Token;
use crate::modifier::Type;
use crate::program::{Block, Body, Guard, Label, Linkage, Location, Operand, Prototype, Register, Table};

/// Names of a scope, `{ … }`, which hide the outer ones.
#[derive(Default)]
pub(super) struct Scope<'t> {
    registers: HashMap<&'t str, Register>,
    /// `%r<12>`: the type, and the number of registers.
    families: HashMap<&'t str, (Type, u32)>,
    labels: HashMap<&'t str, Label>,
    /// Variables, with their names in the function.
    variables: HashMap<&'t str, String>,
}

/// A function that is being parsed.
pub(super) struct Reader<'t> {
    pub(super) body: Body,
    scopes: Vec<Scope<'t>>,
    /// Tables and prototypes by name.
    pub(super) tables: HashMap<&'t str, usize>,
    pub(super) prototypes: HashMap<&'t str, usize>,
    /// Whether the parsed operands belong to a jump: then names are labels.
    pub(super) is_jump: bool,
    /// The line in which a jump or a table first named a label.
    pub(super) named: HashMap<Label, u32>,
    location: Option<Location>,
    /// Whether it parses an instruction for a finished function.
    is_single: bool,
    undeclared: &'t [(&'t str, Type)],
    /// Labels in front of a block.
    placed: HashSet<Label>,
}

impl<'t> Reader<'t> {
    fn new(undeclared: &'t [(&'t str, Type)]) -> Self {
        Self {
            body: Body { blocks: vec![Block::default()], ..Body::default() },
            scopes: vec![Scope::default()],
            tables: HashMap::new(),
            prototypes: HashMap::new(),
            is_jump: false,
            named: HashMap::new(),
            location: None,
            is_single: false,
            undeclared,
            placed: HashSet::new(),
        }
    }

    /// The register of a name, from the innermost scope that has it.
    pub(super) fn register(&mut self, name: &'t str) -> Option<Register> {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        for n in (0..self.scopes.len()).rev() {
            if let Some(&register) = self.scopes[n].registers.get(name) {
                return Some(register);
            }
            // `%r12` may be of the family `%r` or, if that has ten, of `%r1`.
            for len in (name.len() - digits..name.len()).filter(|_| digits > 0) {
                let Some(&(ty, count)) = self.scopes[n].families.get(&name[..len]) else { continue };
                if name[len..].parse().is_ok_and(|number: u32| number < count && number.to_string() == name[len..]) {
                    let register = self.body.new_register(name, ty);
                    self.scopes[n].registers.insert(name, register);
                    return Some(register);
                }
            }
        }
        // For a text of a single instruction: the registers of the finished function.
        if self.is_single {
            return self.body.register(name);
        }
        let &(name, ty) = self.undeclared.iter().find(|(known, _)| *known == name)?;
        let register = self.body.new_register(name, ty);
        self.scopes[0].registers.insert(name, register);
        Some(register)
    }

    /// The variable's name in the function; names of other functions and of the module stay unchanged.
    pub(super) fn symbol(&self, name: &'t str) -> String {
        self.scopes.iter().rev().find_map(|scope| scope.variables.get(name)).map_or(name, String::as_str).to_owned()
    }

    /// The label of a name, which may be defined further on.
    pub(super) fn label(&mut self, name: &'t str, line: u32) -> Label {
        let own = if self.is_single { self.body.label_names.get(name).copied() } else { None };
        let known = own.or_else(|| self.scopes.iter().rev().find_map(|scope| scope.labels.get(name)).copied());
        let label = known.unwrap_or_else(|| {
            // If it is not defined later in this scope, it belongs to an outer scope.
            let label = self.body.new_label(name);
            self.scopes.last_mut().expect("there is the function's").labels.insert(name, label);
            label
        });
        self.named.entry(label).or_insert(line);
        label
    }

    fn open_block(&mut self) -> &mut Block {
        let is_ended =
            self.body.blocks.last().and_then(|block| block.instructions.last()).is_some_and(|one| one.ends_block());
        if is_ended {
            self.body.blocks.push(Block::default());
        }
        self.body.blocks.last_mut().expect("there is one from the start")
    }
}

impl<'t> Parser<'t> {
    pub(super) fn body(&mut self) -> Result<Body, Error> {
        let mut reader = Reader::new(self.undeclared);
        self.expect('{')?;
        loop {
            match self.next.token {
                Token::Sign('}') => {
                    self.take()?;
                    let scope = reader.scopes.pop().expect("one is open");
                    let Some(around) = reader.scopes.last_mut() else { break };
                    // Labels that were named here and are defined later belong to the outer scope.
                    for (name, label) in scope.labels {
                        if !reader.placed.contains(&label) {
                            if let Some(&known) = around.labels.get(name) {
                                replace_label(&mut reader.body, label, known);
                                if let Some(line) = reader.named.remove(&label) {
                                    reader.named.entry(known).or_insert(line);
                                }
                            } else {
                                around.labels.insert(name, label);
                            }
                        }
                    }
                }
                Token::Sign('{') => {
                    self.take()?;
                    reader.scopes.push(Scope::default());
                }
                Token::Sign(';') => {
                    self.take()?;
                }
                Token::Annotation(text) => {
                    self.take()?;
                    reader.body.annotations.push(text.to_owned());
                }
                Token::Dotted(name) => self.declaration(name, &mut reader)?,
                Token::Sign('@') => self.statement(&mut reader)?,
                Token::Word(word) => {
                    let line = self.next.line;
                    self.take()?;
                    if self.sign(':')? {
                        self.labelled(word, line, &mut reader)?;
                    } else {
                        self.instruction(word, line, None, &mut reader)?;
                    }
                }
                _ => return self.unexpected("an instruction"),
            }
        }
        if let Some((&label, &line)) = reader.named.iter().find(|(label, _)| !reader.placed.contains(label)) {
            let message = format!("there is no label `{}`", reader.body.labels[label.0 as usize]);
            return Err(Error { line, message });
        }
        let mut body = reader.body;
        join(&mut body, &reader.named);
        Ok(body)
    }

    /// `@%p1 bra …`
    fn statement(&mut self, reader: &mut Reader<'t>) -> Result<(), Error> {
        let line = self.next.line;
        self.take()?;
        let is_negated = self.sign('!')?;
        let name = self.word()?;
        let Some(register) = reader.register(name) else { return self.error(format!("there is no register `{name}`")) };
        let guard = Guard { register, is_negated };
        let word = self.word()?;
        self.instruction(word, line, Some(guard), reader)
    }

    fn instruction(
        &mut self,
        word: &'t str,
        line: u32,
        guard: Option<Guard>,
        reader: &mut Reader<'t>,
    ) -> Result<(), Error> {
        let mut one = self.operation(word, line, reader)?;
        one.guard = guard;
        one.location.clone_from(&reader.location);
        reader.open_block().instructions.push(one);
        Ok(())
    }

    /// The declaration after `name:`.
    fn labelled(&mut self, name: &'t str, line: u32, reader: &mut Reader<'t>) -> Result<(), Error> {
        match self.next.token {
            Token::Dotted("branchtargets") => {
                self.take()?;
                let mut targets = Vec::new();
                loop {
                    let line = self.next.line;
                    let target = self.word()?;
                    targets.push(reader.label(target, line));
                    if !self.sign(',')? {
                        break;
                    }
                }
                self.expect(';')?;
                reader.tables.insert(name, reader.body.tables.len());
                reader.body.tables.push(Table { name: name.to_owned(), targets });
            }
            Token::Dotted("callprototype") => {
                self.take()?;
                let results = self.parameters()?;
                self.word()?;
                let parameters = self.parameters()?;
                let attributes = self.attributes()?;
                self.expect(';')?;
                reader.prototypes.insert(name, reader.body.prototypes.len());
                reader.body.prototypes.push(Prototype { name: name.to_owned(), results, parameters, attributes });
            }
            _ => {
                let label = match reader.scopes.last().expect("there is the function's").labels.get(name).copied() {
                    Some(label) if !reader.placed.contains(&label) => label,
                    Some(_) => return Err(Error { line, message: format!("two labels `{name}`") }),
                    None => {
                        let label = reader.body.new_label(name);
                        reader.scopes.last_mut().expect("there is the function's").labels.insert(name, label);
                        label
                    }
                };
                reader.placed.insert(label);
                reader.body.blocks.push(Block { label: Some(label), ..Block::default() });
            }
        }
        Ok(())
    }

    fn declaration(&mut self, name: &'t str, reader: &mut Reader<'t>) -> Result<(), Error> {
        match name {
            "reg" => {
                self.take()?;
                self.registers(reader)
            }
            "local" | "shared" | "param" | "global" | "const" => {
                let (name, mut variable) = self.variable_head(Linkage::Private)?;
                self.expect(';')?;
                // Variables of several calls have one name.
                variable.name = reader.body.free_name(name);
                reader.scopes.last_mut().expect("one is open").variables.insert(name, variable.name.clone());
                reader.body.variables.push(variable);
                Ok(())
            }
            "pragma" => {
                self.take()?;
                let Token::Text(text) = self.take()? else { return self.error("a text in quotation marks expected") };
                self.expect(';')?;
                reader.open_block().pragmas.push(text.to_owned());
                Ok(())
            }
            "loc" => {
                self.take()?;
                let (file, line, column) = (self.number()?, self.number()?, self.number()?);
                // The rest is on the same line, if there is one.
                let rest = if self.next.token == Token::Sign(',') { self.line()? } else { "" };
                let rest = rest.split("//").next().unwrap_or_default().trim().to_owned();
                reader.location = Some(Location { file, line, column, rest });
                Ok(())
            }
            _ => self.error(format!("`.{name}` is not understood in a function")),
        }
    }

    /// `.b32 %r<12>;` or `.b64 a, b;`
    fn registers(&mut self, reader: &mut Reader<'t>) -> Result<(), Error> {
        let ty = self.ty()?;
        loop {
            let name = self.word()?;
            if self.sign('<')? {
                let count = self.number()?;
                self.expect('>')?;
                reader.scopes.last_mut().expect("one is open").families.insert(name, (ty, count));
            } else {
                let register = reader.body.new_register(name, ty);
                reader.scopes.last_mut().expect("one is open").registers.insert(name, register);
            }
            if !self.sign(',')? {
                break;
            }
        }
        self.expect(';')
    }
}

impl Body {
    /// The instruction of a text that names registers, labels, variables, tables and prototypes of this function:
    /// `@%p1 add.s32 %r1, %r2, 4;`. It is not part of the function yet. Declared registers that the function does not
    /// use are gone; [`new_register`](Self::new_register) makes one.
    ///
    /// # Errors
    ///
    /// If it is not one instruction, or names a register that the function does not have.
    pub fn instruction(&mut self, text: &str) -> Result<crate::Instruction, Error> {
        let mut reader = Reader::new(&[]);
        reader.is_single = true;
        let names = |names: Vec<&str>| names.into_iter().enumerate().map(|(n, name)| (name.to_owned(), n)).collect();
        let tables: HashMap<String, usize> = names(self.tables.iter().map(|table| table.name.as_str()).collect());
        let prototypes: HashMap<String, usize> =
            names(self.prototypes.iter().map(|prototype| prototype.name.as_str()).collect());
        reader.tables = tables.iter().map(|(name, &n)| (name.as_str(), n)).collect();
        reader.prototypes = prototypes.iter().map(|(name, &n)| (name.as_str(), n)).collect();
        reader.body = std::mem::take(self);
        let made = Parser::new(text, &[]).and_then(|mut parser| parser.single(&mut reader));
        *self = reader.body;
        made
    }
}

impl<'t> Parser<'t> {
    /// The only instruction of the text.
    fn single(&mut self, reader: &mut Reader<'t>) -> Result<crate::Instruction, Error> {
        let line = self.next.line;
        let guard = if self.next.token == Token::Sign('@') {
            self.take()?;
            let is_negated = self.sign('!')?;
            let name = self.word()?;
            let Some(register) = reader.register(name) else {
                return self.error(format!("there is no register `{name}`"));
            };
            Some(Guard { register, is_negated })
        } else {
            None
        };
        let word = self.word()?;
        let mut one = self.operation(word, line, reader)?;
        if self.next.token != Token::End {
            return self.unexpected("the end of the instruction");
        }
        one.guard = guard;
        one.line = 0;
        Ok(one)
    }
}

/// Replaces a label by another.
fn replace_label(body: &mut Body, old: Label, new: Label) {
    let change = |label: &mut Label| {
        if *label == old {
            *label = new;
        }
    };
    body.tables.iter_mut().flat_map(|table| &mut table.targets).for_each(change);
    for operand in body.blocks.iter_mut().flat_map(|block| &mut block.instructions).flat_map(|one| &mut one.operands) {
        if let Operand::Label(label) = operand {
            change(label);
        }
    }
}

/// Joins blocks with unused labels to the previous block, if that block falls through.
fn join(body: &mut Body, named: &HashMap<Label, u32>) {
    let mut joined: Vec<Block> = Vec::with_capacity(body.blocks.len());
    for mut block in std::mem::take(&mut body.blocks) {
        if block.label.is_some_and(|label| !named.contains_key(&label)) {
            block.label = None;
        }
        match joined.last_mut() {
            Some(last) if block.label.is_none() && !last.instructions.last().is_some_and(|one| one.ends_block()) => {
                last.pragmas.append(&mut block.pragmas);
                last.instructions.append(&mut block.instructions);
            }
            // After a jump and before a label there may be an empty block.
            Some(_) if block.label.is_none() && block.instructions.is_empty() && block.pragmas.is_empty() => {}
            _ => joined.push(block),
        }
    }
    body.blocks = joined;
}
