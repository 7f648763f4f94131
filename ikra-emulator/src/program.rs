//! Programs: PTX that is parsed, checked and decoded.

use std::{collections::HashMap, fmt};

use ikra_ptx::{Item, Module};

use crate::{
    code::{Code, Origin},
    decode,
    fault::Fault,
};

/// The reason why a program cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The line of the text, from 1; 0 if the reason concerns no line.
    pub line: u32,
    /// The mistake.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the PTX: {}", self.line, self.message)
    }
}

impl std::error::Error for LoadError {}

/// A kernel of a program: its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kernel(pub(crate) u32);

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    /// Its offset in [`Launch::arguments`](crate::machine::Launch::arguments).
    pub offset: usize,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its alignment.
    pub align: usize,
}

/// A kernel: its parameters and its needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
    /// Bytes of all parameters.
    pub parameter_bytes: usize,
    /// Bytes of shared memory that it declares, without what a launch adds.
    pub shared_bytes: u32,
    /// Bytes of local memory of the kernel itself.
    pub local_bytes: usize,
    /// Bytes of stack that it needs with all functions that it calls, if known: without recursion, and without calls
    /// through an address.
    pub stack_bytes: Option<usize>,
    /// Registers that it declares, in units of 32 bits, without predicates.
    pub registers: u32,
    /// `.maxntid`, if given: threads of a block.
    pub max_threads: Option<u32>,
    /// The line of the text at which it starts.
    pub line: u32,
}

/// The space of a module's variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableSpace {
    /// `.global`
    Global,
    /// `.const`
    Constant,
}

/// The target of an address in a variable's initial value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// A variable of the module: its name.
    Variable(String),
    /// A function of the module: its name.
    Function(String),
}

/// An address in a variable's initial value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The offset at which it is written: 8 bytes.
    pub offset: usize,
    /// The target.
    pub of: Initial,
    /// The number that is added.
    pub addend: i64,
}

/// A variable of a module in global or constant memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableInfo {
    /// Its name.
    pub name: String,
    /// Its space.
    pub space: VariableSpace,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its alignment.
    pub align: usize,
    /// Its initial value, as far as given; the rest is 0.
    pub initial: Vec<u8>,
    /// Addresses in the initial value.
    pub relocations: Vec<Relocation>,
}

/// A program: parsed, checked and decoded.
pub struct Program {
    pub(crate) module: Module,
    pub(crate) code: Code,
    pub(crate) kernels: Vec<KernelInfo>,
    pub(crate) kernel_functions: Vec<u32>,
    pub(crate) variables: Vec<VariableInfo>,
    /// Bytes of shared memory of all variables of the module.
    pub(crate) shared_bytes: u32,
    /// Files of `.loc`, by number.
    files: HashMap<u32, String>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("kernels", &self.kernels.len()).finish_non_exhaustive()
    }
}

impl Program {
    /// Parses, checks and decodes a module.
    ///
    /// # Errors
    ///
    /// The first instruction or declaration that is not PTX, or that is not supported.
    pub fn load(text: &str) -> Result<Self, LoadError> {
        let module = Module::parse(text)?;
        let decode::Parts { code, kernels, kernel_functions, variables, shared_bytes } = decode::decode(&module)?;
        let files = module.items.iter().filter_map(|item| match item {
            Item::Directive(text) => file(text),
            _ => None,
        });
        let files = files.collect();
        Ok(Self { module, code, kernels, kernel_functions, variables, shared_bytes, files })
    }

    /// Adds the text and the model's line of a step.
    pub(crate) fn describe(&self, origin: Origin, fault: &mut Fault) {
        let mut defined = self.module.functions().filter_map(|function| function.body.as_ref());
        let Some(body) = defined.nth(origin.function as usize) else { return };
        let block = body.blocks.get(origin.block as usize);
        let Some(one) = block.and_then(|block| block.instructions.get(origin.index as usize)) else { return };
        fault.instruction = Some(one.text(body).trim().replace('\t', ""));
        if let Some(location) = &one.location
            && let Some(file) = self.files.get(&location.file)
        {
            fault.source = Some((file.clone(), location.line));
        }
    }

    /// The kernel of a name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<Kernel> {
        self.kernels.iter().position(|kernel| kernel.name == name).map(|n| Kernel(n as u32))
    }

    /// All kernels, in the order of the text.
    #[must_use]
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.kernels
    }

    /// The facts about a kernel.
    #[must_use]
    pub fn info(&self, kernel: Kernel) -> &KernelInfo {
        &self.kernels[kernel.0 as usize]
    }

    /// The module's variables in global and constant memory.
    #[must_use]
    pub fn variables(&self) -> &[VariableInfo] {
        &self.variables
    }
}

/// The number and the path of `.file 1 "path"`.
fn file(text: &str) -> Option<(u32, String)> {
    let (number, path) = text.strip_prefix(".file")?.trim().split_once(char::is_whitespace)?;
    let path = path.trim().strip_prefix('"')?;
    Some((number.parse().ok()?, path.split('"').next()?.to_owned()))
}
