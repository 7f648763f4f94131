//! The parts of a program: modules, variables, functions, blocks, instructions.

mod instruction;

use std::collections::HashMap;

pub use instruction::{Access, Base, Guard, Instruction, Operand};

use crate::modifier::{Modifier, Type};

/// A text of PTX, as a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Its parts, in the order of the text.
    pub items: Vec<Item>,
}

/// A part of a module.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `.version`, `.target`, `.address_size` or `.file`, with the rest of the line.
    Directive(String),
    /// A comment for tools, verbatim: `//ikra:class …`. Comments that begin with `// ` are for people, and left out.
    Annotation(String),
    /// A variable in memory.
    Variable(Variable),
    /// A function, or the declaration of one.
    Function(Box<Function>),
    /// A section with data for debuggers, verbatim.
    Section(String),
}

impl Module {
    /// The functions, declarations among them, in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| if let Item::Function(function) = item { Some(&**function) } else { None })
    }

    /// The same, to be changed.
    pub fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.items
            .iter_mut()
            .filter_map(|item| if let Item::Function(function) = item { Some(&mut **function) } else { None })
    }

    /// The function with this name that has a body.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions().find(|function| function.name == name && function.body.is_some())
    }

    /// The kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.functions().filter(|function| function.is_kernel && function.body.is_some())
    }

    /// The variables of the module, in the order of the text.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| if let Item::Variable(variable) = item { Some(variable) } else { None })
    }

    /// The annotations outside of functions, in the order of the text.
    pub fn annotations(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| if let Item::Annotation(text) = item { Some(text.as_str()) } else { None })
    }
}

/// The visibility of a variable or a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// This module.
    #[default]
    Private,
    /// `.visible`: all modules.
    Visible,
    /// `.extern`: it is defined elsewhere.
    Extern,
    /// `.weak`: all modules, and another definition may replace it.
    Weak,
    /// `.common`: all modules share one.
    Common,
}

/// A variable in memory: of a module, of a function (`.local`, `.shared`), or of a call (`.param`).
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its visibility.
    pub linkage: Linkage,
    /// `.global`, `.const`, `.shared`, `.local` or `.param`.
    pub space: Modifier,
    /// Its alignment in bytes, if it is given.
    pub align: Option<u32>,
    /// The type of its elements.
    pub ty: Type,
    /// Its name.
    pub name: String,
    /// The number of elements, by dimensions; none for a scalar. A missing length is `None`.
    pub lengths: Vec<Option<u64>>,
    /// Its initial value.
    pub value: Option<Value>,
    /// The line of the text.
    pub line: u32,
}

impl Variable {
    /// The number of bytes that it takes; `None` if a length is missing.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        self.lengths.iter().try_fold(u64::from(self.ty.bytes()), |bytes, len| bytes.checked_mul((*len)?))
    }

    /// Its alignment in bytes.
    #[must_use]
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or(self.ty.bytes())
    }
}

/// The initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Integer(i128),
    /// The bits of a floating-point number.
    Float(Bits),
    /// The address of a variable or function in its own space, and a distance in bytes.
    Address(String, i64),
    /// The generic address of a variable, `generic(name)`, and a distance in bytes.
    Generic(String, i64),
    /// The elements of an array. Missing ones are zero.
    List(Vec<Value>),
}

/// A floating-point number, as its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bits {
    /// `0f3F800000`
    Single(u32),
    /// `0d3FF0000000000000`
    Double(u64),
}

/// A parameter or a result of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// `.param`, or `None` if it is a register.
    pub is_register: bool,
    /// Its alignment in bytes, if it is given.
    pub align: Option<u32>,
    /// The type of its elements.
    pub ty: Type,
    /// The contents of `.ptr`: the space that the pointer refers to, and the alignment there.
    pub pointer: Option<(Option<Modifier>, Option<u32>)>,
    /// Its name.
    pub name: String,
    /// The number of elements, if it is an array.
    pub len: Option<u64>,
}

impl Parameter {
    /// The number of bytes that it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        u64::from(self.ty.bytes()) * self.len.unwrap_or(1)
    }

    /// Its alignment in bytes.
    #[must_use]
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or(1).max(self.ty.bytes())
    }
}

/// A function: a kernel, or one that kernels call; or the declaration of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its visibility.
    pub linkage: Linkage,
    /// Whether it is an `.entry`, which the host launches.
    pub is_kernel: bool,
    /// Its results.
    pub results: Vec<Parameter>,
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Directives such as `.maxntid 256, 1, 1`, verbatim.
    pub attributes: Vec<String>,
    /// Its body; a declaration has none.
    pub body: Option<Body>,
    /// The line of the text.
    pub line: u32,
}

/// A register of a function: an index into [`Body::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u32);

/// A label of a function: an index into [`Body::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// The body of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Comments for tools, in the order of the text.
    pub annotations: Vec<String>,
    /// Names and types of the registers.
    pub registers: Vec<(String, Type)>,
    /// Names of the labels.
    pub labels: Vec<String>,
    /// Variables in local and shared memory, and parameters of calls (`.param`).
    pub variables: Vec<Variable>,
    /// Jump tables.
    pub tables: Vec<Table>,
    /// Prototypes of functions that are called through an address.
    pub prototypes: Vec<Prototype>,
    /// The instructions, in the order of the text: a block falls through to the next one, unless its last instruction
    /// leaves.
    pub blocks: Vec<Block>,
    /// The registers by name.
    pub(crate) register_names: HashMap<String, Register>,
    /// The labels by name.
    pub(crate) label_names: HashMap<String, Label>,
    /// How often a new name was derived from this one.
    pub(crate) name_counts: HashMap<String, usize>,
}

/// A jump table: `.branchtargets`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its targets, by index.
    pub targets: Vec<Label>,
}

/// The type of functions that are called through an address: `.callprototype`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// Its name.
    pub name: String,
    /// The results.
    pub results: Vec<Parameter>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Directives after it, such as `.noreturn`.
    pub attributes: Vec<String>,
}

/// Instructions that are executed one after the other, as long as none of them leaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The label that it begins with.
    pub label: Option<Label>,
    /// The text of its `.pragma`s, without the quotation marks.
    pub pragmas: Vec<String>,
    /// The instructions.
    pub instructions: Vec<Instruction>,
}

/// A position in a model's source text, from a `.loc`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The number of the `.file`.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The rest of the `.loc`, verbatim.
    pub rest: String,
}

impl Body {
    /// A register's name.
    ///
    /// # Panics
    ///
    /// If the register is another function's.
    #[must_use]
    pub fn name(&self, register: Register) -> &str {
        &self.registers[register.0 as usize].0
    }

    /// A register's type.
    ///
    /// # Panics
    ///
    /// If the register is another function's.
    #[must_use]
    pub fn ty(&self, register: Register) -> Type {
        self.registers[register.0 as usize].1
    }

    /// The register with this name.
    #[must_use]
    pub fn register(&self, name: &str) -> Option<Register> {
        self.register_names.get(name).copied()
    }

    /// A new register, with this name, or a name that begins so if it is taken.
    pub fn new_register(&mut self, name: &str, ty: Type) -> Register {
        let register = Register(u32::try_from(self.registers.len()).expect("fewer registers than numbers of 32 bits"));
        let name = self.free_name(name);
        self.register_names.insert(name.clone(), register);
        self.registers.push((name, ty));
        register
    }

    /// A new label, with this name, or a name that begins so if it is taken.
    pub fn new_label(&mut self, name: &str) -> Label {
        let label = Label(u32::try_from(self.labels.len()).expect("fewer labels than numbers of 32 bits"));
        let mut name = name.to_owned();
        if self.label_names.contains_key(&name) {
            let first = self.name_counts.get(&name).copied().unwrap_or(0) + 1;
            let found =
                (first..).map(|n| (n, format!("{name}_{n}"))).find(|(_, name)| !self.label_names.contains_key(name));
            let (n, free) = found.expect("fewer names than numbers");
            self.name_counts.insert(std::mem::replace(&mut name, free), n);
        }
        self.label_names.insert(name.clone(), label);
        self.labels.push(name);
        label
    }

    /// A name that no register and no variable of the function has: this one, or one with a number appended.
    pub(crate) fn free_name(&mut self, name: &str) -> String {
        let is_taken = |name: &str| {
            self.register_names.contains_key(name) || self.variables.iter().any(|variable| variable.name == name)
        };
        if !is_taken(name) {
            return name.to_owned();
        }
        // Names are counted, since a function may have thousands of registers with the same prefix.
        let first = self.name_counts.get(name).copied().unwrap_or(0) + 1;
        let found = (first..).map(|n| (n, format!("{name}_{n}"))).find(|(_, name)| !is_taken(name));
        let (n, free) = found.expect("fewer names than numbers");
        self.name_counts.insert(name.to_owned(), n);
        free
    }

    /// The block that begins with a label.
    #[must_use]
    pub fn block(&self, label: Label) -> Option<usize> {
        self.blocks.iter().position(|block| block.label == Some(label))
    }

    /// All instructions, each with its block and its index in it, in the order of the text.
    pub fn instructions(&self) -> impl Iterator<Item = (Position, &Instruction)> {
        self.blocks.iter().enumerate().flat_map(|(block, all)| {
            all.instructions.iter().enumerate().map(move |(index, one)| (Position { block, index }, one))
        })
    }

    /// The instruction at a position.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn at(&self, position: Position) -> &Instruction {
        &self.blocks[position.block].instructions[position.index]
    }

    /// The instruction at a position, to be changed.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn at_mut(&mut self, position: Position) -> &mut Instruction {
        &mut self.blocks[position.block].instructions[position.index]
    }
}

/// The position of an instruction in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The block.
    pub block: usize,
    /// The index in the block.
    pub index: usize,
}
