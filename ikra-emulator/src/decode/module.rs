//! Modules: variables, functions, kernels.

use std::collections::HashMap;

use ikra_ptx::{
    Bits, Body, Cfg, Function as PtxFunction, Linkage, Modifier as M, Module, Opcode, Operand, Type, Value, Variable,
};

use super::{Decoded, Decoder, Scope, Symbol, control::signature, order::order, refuse};
use crate::{
    code::{Action, Code, FIRST_PARAMETER, Function, Origin, Step},
    compute::Condition,
    counts::Kind,
    execute::OVERHEAD,
    memory::window,
    poison::Flow,
    program::{Initial, KernelInfo, LoadError, ParameterInfo, Relocation, VariableInfo, VariableSpace},
};

/// A decoded module.
pub(crate) struct Parts {
    pub(crate) code: Code,
    pub(crate) kernels: Vec<KernelInfo>,
    /// The number of each kernel among the functions.
    pub(crate) kernel_functions: Vec<u32>,
    pub(crate) variables: Vec<VariableInfo>,
    /// Bytes of shared memory that all variables of the module take; the launch's memory comes after it.
    pub(crate) shared_bytes: u32,
}

/// Decodes a module.
pub(crate) fn decode(module: &Module) -> Decoded<Parts> {
    let defined = module.functions().filter(|function| function.body.is_some()).collect::<Vec<_>>();
    let numbers = defined.iter().enumerate().map(|(n, function)| (function.name.clone(), n as u32)).collect();
    let mut decoder = Decoder {
        module,
        steps: Vec::new(),
        origins: Vec::new(),
        functions: Vec::new(),
        numbers,
        constants: Vec::new(),
        by_value: HashMap::new(),
        relocations: Vec::new(),
        by_symbol: HashMap::new(),
        shared: HashMap::new(),
    };
    // Shared variables of all functions lie one after the other; the launch's memory comes after them.
    let mut end = window::FIRST_SHARED;
    let mut place = |variable: &Variable, bytes: u64| {
        let at = end.next_multiple_of(u64::from(variable.alignment()));
        end = at + bytes;
        at
    };
    let mut owned = HashMap::new();
    let mut sizes: HashMap<String, u64> = HashMap::new();
    for variable in module.variables().filter(|variable| variable.space == M::Shared) {
        if let Some(bytes) = variable.bytes().filter(|_| variable.linkage != Linkage::Extern) {
            let at = place(variable, bytes);
            decoder.shared.insert(variable.name.clone(), at);
            sizes.insert(variable.name.clone(), bytes);
        }
    }
    for (n, function) in defined.iter().enumerate() {
        for variable in function.body.iter().flat_map(|body| &body.variables).filter(|one| one.space == M::Shared) {
            let Some(bytes) = variable.bytes() else {
                return refuse(variable.line, "a shared variable without a length");
            };
            owned.insert((n, variable.name.as_str()), (place(variable, bytes), bytes));
        }
    }
    let end = end.next_multiple_of(16);
    for variable in module.variables().filter(|variable| variable.space == M::Shared) {
        decoder.shared.entry(variable.name.clone()).or_insert(end);
    }
    for (n, function) in defined.iter().enumerate() {
        decoder.function(n as u32, function, &owned)?;
    }
    let variables = module.variables().filter(|one| matches!(one.space, M::Global | M::Const));
    let variables = variables.map(|one| variable(&decoder, one)).collect::<Decoded<Vec<_>>>()?;
    let mut kernels = Vec::new();
    let mut kernel_functions = Vec::new();
    for (n, function) in defined.iter().enumerate().filter(|(_, function)| function.is_kernel) {
        kernels.push(info(&decoder, n, function, &defined, &owned, &sizes));
        kernel_functions.push(n as u32);
    }
    let code = Code {
        steps: decoder.steps,
        origins: decoder.origins,
        functions: decoder.functions,
        constants: decoder.constants.into(),
        relocations: decoder.relocations,
        numbers: decoder.numbers,
    };
    Ok(Parts { code, kernels, kernel_functions, variables, shared_bytes: (end - window::FIRST_SHARED) as u32 })
}

impl<'m> Decoder<'m> {
    fn function(
        &mut self,
        number: u32,
        function: &'m PtxFunction,
        owned: &HashMap<(usize, &str), (u64, u64)>,
    ) -> Decoded<()> {
        let Some(body) = &function.body else { return Ok(()) };
        let mut symbols = HashMap::new();
        let mut rows = FIRST_PARAMETER;
        let signature = signature(&function.results, &function.parameters);
        if function.is_kernel {
            for (parameter, at) in function.parameters.iter().zip(offsets(function)) {
                symbols.insert(parameter.name.as_str(), Symbol::Argument(at, parameter.bytes() as usize));
            }
        } else {
            for one in function.parameters.iter().chain(&function.results) {
                let bytes = one.bytes() as usize;
                symbols.insert(one.name.as_str(), Symbol::Rows(rows, bytes));
                rows += bytes.div_ceil(8) as u32;
                if one.is_register {
                    return refuse(function.line, "functions with registers as parameters are not supported");
                }
            }
        }
        let (mut local, mut align) = (0, 8);
        for variable in &body.variables {
            let Some(bytes) = variable.bytes() else { return refuse(variable.line, "a variable without a length") };
            let symbol = match variable.space {
                M::Local => {
                    align = align.max(variable.alignment());
                    local = u32::next_multiple_of(local, variable.alignment());
                    let at = local;
                    local += bytes as u32;
                    Symbol::Local(at)
                }
                M::Shared => Symbol::Shared(owned[&(number as usize, variable.name.as_str())].0),
                M::Param => {
                    let symbol = Symbol::Rows(rows, bytes as usize);
                    rows += (bytes as u32).div_ceil(8);
                    symbol
                }
                _ => {
                    return refuse(
                        variable.line,
                        format!("a variable in `{}` of a function is not supported", variable.space),
                    );
                }
            };
            symbols.insert(variable.name.as_str(), symbol);
        }
        let first = rows;
        rows += body.registers.len() as u32;
        let scope = Scope { body, number, first, rows, symbols };
        let start = self.steps.len() as u32;
        self.blocks(&scope, function.line)?;
        self.functions.push(Function {
            name: function.name.clone(),
            start,
            rows,
            signature,
            local_bytes: local,
            local_align: align,
        });
        Ok(())
    }

    /// The steps of all blocks, in the order in which lanes meet.
    fn blocks(&mut self, scope: &Scope<'m>, line: u32) -> Decoded<()> {
        let body = scope.body;
        let cfg = Cfg::new(body);
        let successors = (0..body.blocks.len()).map(|block| cfg.successors(block).to_vec()).collect::<Vec<_>>();
        let order = order(&successors);
        let labels = body.blocks.iter().enumerate().filter_map(|(n, block)| Some((block.label?.0, n))).collect();
        let mut starts = vec![u32::MAX; body.blocks.len()];
        let first = self.steps.len();
        for (n, &block) in order.iter().enumerate() {
            starts[block] = self.steps.len() as u32;
            let instructions = &body.blocks[block].instructions;
            for (index, one) in instructions.iter().enumerate() {
                let origin =
                    Origin { function: scope.number, block: block as u32, index: index as u32, line: one.line };
                self.instruction(scope, one, origin, &labels)?;
            }
            if instructions.last().is_some_and(ikra_ptx::Instruction::leaves) {
                continue;
            }
            let line = instructions.last().map_or(line, |one| one.line);
            let origin = Origin {
                function: scope.number,
                block: block as u32,
                index: instructions.len().saturating_sub(1) as u32,
                line,
            };
            let next = block + 1;
            if next >= body.blocks.len() {
                // The end of the text is a return.
                self.steps.push(Step {
                    guard: Condition::Constant(true),
                    kind: Kind::Control,
                    action: Action::Return,
                    flow: Flow::default(),
                });
                self.origins.push(origin);
            } else if order.get(n + 1) != Some(&next) {
                let action = Action::Goto(next as u32);
                self.steps.push(Step {
                    guard: Condition::Constant(true),
                    kind: Kind::Control,
                    action,
                    flow: Flow::default(),
                });
                self.origins.push(origin);
            }
        }
        // Jumps have named blocks so far.
        for step in &mut self.steps[first..] {
            match &mut step.action {
                Action::Branch(to) | Action::Goto(to) => *to = starts[*to as usize],
                Action::Table { targets, .. } => targets.iter_mut().for_each(|to| *to = starts[*to as usize]),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The offsets of a kernel's parameters.
fn offsets(function: &PtxFunction) -> Vec<usize> {
    let mut end = 0;
    let place = |parameter: &ikra_ptx::Parameter| {
        let at = usize::next_multiple_of(end, parameter.alignment() as usize);
        end = at + parameter.bytes() as usize;
        at
    };
    function.parameters.iter().map(place).collect()
}

fn variable(decoder: &Decoder<'_>, one: &Variable) -> Decoded<VariableInfo> {
    if one.linkage == Linkage::Extern {
        return refuse(one.line, format!("`{}` is defined in another module, which is not supported", one.name));
    }
    let Some(bytes) = one.bytes().or_else(|| match &one.value {
        Some(Value::List(all)) => Some(u64::from(one.ty.bytes()) * all.len() as u64),
        _ => None,
    }) else {
        return refuse(one.line, format!("`{}` has no length", one.name));
    };
    let mut initial = Initially { decoder, ty: one.ty, line: one.line, bytes: Vec::new(), relocations: Vec::new() };
    if let Some(value) = &one.value {
        initial.add(value)?;
    }
    if initial.bytes.len() as u64 > bytes {
        return refuse(one.line, format!("`{}` has more initial values than elements", one.name));
    }
    Ok(VariableInfo {
        name: one.name.clone(),
        space: if one.space == M::Const { VariableSpace::Constant } else { VariableSpace::Global },
        bytes: bytes as usize,
        align: one.alignment() as usize,
        initial: initial.bytes,
        relocations: initial.relocations,
    })
}

struct Initially<'d, 'm> {
    decoder: &'d Decoder<'m>,
    ty: Type,
    line: u32,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl Initially<'_, '_> {
    fn add(&mut self, value: &Value) -> Decoded<()> {
        let width = self.ty.bytes() as usize;
        match value {
            Value::List(all) => return all.iter().try_for_each(|one| self.add(one)),
            Value::Integer(number) => self.bytes.extend(&(*number as u128).to_le_bytes()[..width]),
            Value::Float(Bits::Single(bits)) if width == 4 => self.bytes.extend(bits.to_le_bytes()),
            Value::Float(Bits::Double(bits)) if width == 8 => self.bytes.extend(bits.to_le_bytes()),
            Value::Float(_) => return refuse(self.line, "an initial value of another width than its variable"),
            Value::Address(name, addend) | Value::Generic(name, addend) => {
                if width != 8 {
                    return refuse(self.line, "an address as an initial value of less than 64 bits");
                }
                let of = if self.decoder.numbers.contains_key(name) {
                    Initial::Function(name.clone())
                } else if self.decoder.module.variables().any(|one| one.name == *name && one.space != M::Shared) {
                    Initial::Variable(name.clone())
                } else {
                    return refuse(self.line, format!("there is no variable and no function with a body `{name}`"));
                };
                self.relocations.push(Relocation { offset: self.bytes.len(), of, addend: *addend });
                self.bytes.extend([0; 8]);
            }
        }
        Ok(())
    }
}

/// The facts about a kernel.
fn info(
    decoder: &Decoder<'_>,
    number: usize,
    function: &PtxFunction,
    defined: &[&PtxFunction],
    owned: &HashMap<(usize, &str), (u64, u64)>,
    sizes: &HashMap<String, u64>,
) -> KernelInfo {
    let mut reached = Reached { decoder, defined, open: Vec::new(), stacks: HashMap::new() };
    let stack_bytes = reached.stack(number);
    let mut shared = 0;
    let mut named = std::collections::BTreeSet::new();
    let mut registers = 0;
    for &n in reached.stacks.keys() {
        let Some(body) = &defined[n].body else { continue };
        shared += owned
            .iter()
            .filter(|((owner, _), _)| *owner == n)
            .map(|(_, (_, bytes))| bytes.next_multiple_of(16))
            .sum::<u64>();
        for (_, one) in body.instructions() {
            named.extend(one.operands.iter().filter_map(|operand| match operand {
                Operand::Symbol(name, _) | Operand::Memory(ikra_ptx::Base::Symbol(name), _) => {
                    sizes.get_key_value(name)
                }
                _ => None,
            }));
        }
        registers += registers_of(body);
    }
    shared += named.iter().map(|(_, bytes)| bytes.next_multiple_of(16)).sum::<u64>();
    let starts = offsets(function);
    let parameters = function
        .parameters
        .iter()
        .zip(&starts)
        .map(|(one, &offset)| ParameterInfo { offset, bytes: one.bytes() as usize, align: one.alignment() as usize })
        .collect::<Vec<_>>();
    let numbers_of = |name: &str| {
        let text = function.attributes.iter().find_map(|text| text.strip_prefix(name))?;
        text.split(',').map(|n| n.trim().parse::<u32>().ok()).product::<Option<u32>>()
    };
    KernelInfo {
        name: function.name.clone(),
        parameter_bytes: parameters.last().map_or(0, |last| last.offset + last.bytes),
        parameters,
        shared_bytes: shared as u32,
        local_bytes: decoder.functions[number].local_bytes as usize,
        stack_bytes,
        registers,
        max_threads: numbers_of(".maxntid").or_else(|| numbers_of(".reqntid")),
        line: function.line,
    }
}

/// Registers that a function declares, in units of 32 bits.
fn registers_of(body: &Body) -> u32 {
    body.registers.iter().map(|(_, ty)| if *ty == Type::Pred { 0 } else { ty.bits().div_ceil(32) }).sum()
}

/// Functions that a kernel reaches, and their need for stack.
struct Reached<'d, 'm> {
    decoder: &'d Decoder<'m>,
    defined: &'d [&'m PtxFunction],
    open: Vec<usize>,
    stacks: HashMap<usize, Option<usize>>,
}

impl Reached<'_, '_> {
    /// Bytes of stack, unless the function calls itself or through an address.
    fn stack(&mut self, number: usize) -> Option<usize> {
        if self.open.contains(&number) {
            return None;
        }
        if let Some(&stack) = self.stacks.get(&number) {
            return stack;
        }
        self.open.push(number);
        let mut deepest = Some(0);
        let calls = self.defined[number].body.iter().flat_map(Body::instructions);
        for (_, one) in calls.filter(|(_, one)| one.opcode == Opcode::Call) {
            let callee = match one.operands.get(1) {
                Some(Operand::Symbol(name, _)) => match self.decoder.numbers.get(name) {
                    Some(&callee) => self.stack(callee as usize),
                    // The device provides it.
                    None => Some(0),
                },
                _ => None,
            };
            deepest = match (deepest, callee) {
                (Some(a), Some(b)) => Some(a.max(b)),
                _ => None,
            };
        }
        self.open.pop();
        let function = &self.decoder.functions[number];
        let own = (function.local_bytes + OVERHEAD + function.local_align).next_multiple_of(8) as usize;
        let stack = deepest.map(|deepest| deepest + own);
        self.stacks.insert(number, stack);
        stack
    }
}

impl From<ikra_ptx::Error> for LoadError {
    fn from(error: ikra_ptx::Error) -> Self {
        Self { line: error.line, message: error.message }
    }
}
