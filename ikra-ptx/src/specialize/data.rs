//! Contents of memory and parameters that are known.

use std::collections::HashMap;

use super::{Known, live};
use crate::{
    Access, Body, Function, Item, Linkage, Modifier as M, Module, Opcode as O, Operand, Parameter, Variable,
    program::{Base, Bits, Value},
};

/// Bytes, of which some may be unknown.
#[derive(Clone, Debug, Default)]
struct Bytes {
    bytes: Vec<u8>,
    is_known: Vec<bool>,
}

impl Bytes {
    fn new(len: usize, is_known: bool) -> Self {
        Self { bytes: vec![0; len], is_known: vec![is_known; len] }
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.is_known[at..at + bytes.len()].fill(true);
    }

    fn get(&self, at: i64, len: usize) -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        let end = at.checked_add(len).filter(|&end| end <= self.bytes.len())?;
        self.is_known[at..end].iter().all(|&is| is).then(|| number(&self.bytes[at..end]))
    }
}

/// The number that up to eight bytes are.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The meaning of a name in the kernel.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: String,
    /// The space in which it lies: `.param` for a parameter of the kernel.
    pub(super) space: M,
    contents: Option<Bytes>,
    /// Whether the caller gave its contents: then nobody may write there.
    is_promised: bool,
}

/// All known contents.
pub(super) struct Data<'a> {
    /// Ranges of memory, by their addresses.
    memory: Vec<(u64, &'a [u8])>,
    pub(super) symbols: Vec<Symbol>,
    numbers: HashMap<String, u32>,
}

impl<'a> Data<'a> {
    /// What is known in a kernel; or the reason why it contradicts the program.
    pub(super) fn new(module: &Module, function: &Function, body: &Body, known: &Known<'a>) -> Result<Self, String> {
        let mut memory: Vec<(u64, &[u8])> =
            known.memory.iter().map(|range| (range.address, range.bytes)).filter(|(_, all)| !all.is_empty()).collect();
        memory.sort_unstable_by_key(|range| range.0);
        if memory.iter().any(|(at, all)| at.checked_add(all.len() as u64).is_none())
            || memory.windows(2).any(|two| two[0].0 + two[0].1.len() as u64 > two[1].0)
        {
            return Err(String::from("two ranges of known memory overlap, or one exceeds the address space"));
        }
        let mut data = Self { memory, symbols: Vec::new(), numbers: HashMap::new() };
        for parameter in &function.parameters {
            let contents = Bytes::new(bytes_of(parameter)?, false);
            data.add(&parameter.name, M::Param, Some(contents), false);
        }
        for argument in &known.parameters {
            let symbol = data.symbols.get_mut(argument.parameter);
            let contents = symbol.and_then(|symbol| symbol.contents.as_mut());
            let end = argument.offset.checked_add(argument.bytes.len());
            match (contents, end) {
                (Some(contents), Some(end)) if end <= contents.bytes.len() => {
                    contents.put(argument.offset, argument.bytes);
                }
                _ => return Err(format!("{} has no such bytes of parameter {}", function.name, argument.parameter)),
            }
        }
        // Names of the function hide those of the module.
        for variable in &body.variables {
            data.add(&variable.name, variable.space, None, false);
        }
        let named = named(body);
        for variable in module.variables().filter(|variable| named.contains_key(variable.name.as_str())) {
            let given = known.variables.iter().find(|one| one.name == variable.name);
            let (contents, is_promised) = match given {
                Some(given) if Some(given.bytes.len() as u64) == variable.bytes() => {
                    let mut contents = Bytes::new(given.bytes.len(), true);
                    contents.put(0, given.bytes);
                    (Some(contents), true)
                }
                Some(_) => return Err(format!("the known bytes of `{}` are not as many as it has", variable.name)),
                None if is_constant(module, variable) => (initial(variable), false),
                None => (None, false),
            };
            if !data.numbers.contains_key(&variable.name) {
                data.add(&variable.name, variable.space, contents, is_promised);
            }
        }
        Ok(data)
    }

    fn add(&mut self, name: &str, space: M, contents: Option<Bytes>, is_promised: bool) {
        self.numbers.insert(name.to_owned(), self.symbols.len() as u32);
        self.symbols.push(Symbol { name: name.to_owned(), space, contents, is_promised });
    }

    /// The number of a variable or parameter.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Bytes at an address of global memory.
    pub(super) fn at(&self, address: u64, len: usize) -> Option<u64> {
        let place = self.memory.partition_point(|range| range.0 <= address).checked_sub(1)?;
        let (start, bytes) = self.memory[place];
        let at = usize::try_from(address - start).ok()?;
        bytes.get(at..at.checked_add(len)?).map(number)
    }

    /// Whether a range of addresses meets known memory.
    pub(super) fn meets(&self, address: u64, len: u64) -> bool {
        let end = address.saturating_add(len);
        let place = self.memory.partition_point(|range| range.0 < end);
        place.checked_sub(1).is_some_and(|place| {
            let (start, bytes) = self.memory[place];
            start + bytes.len() as u64 > address
        })
    }

    /// Bytes of a variable or parameter.
    pub(super) fn of(&self, symbol: u32, at: i64, len: usize) -> Option<u64> {
        self.symbols[symbol as usize].contents.as_ref()?.get(at, len)
    }

    /// Whether a name is one of a variable or parameter of which something is known.
    pub(super) fn has_contents(&self, name: &str) -> bool {
        let contents = self.number(name).and_then(|number| self.symbols[number as usize].contents.as_ref());
        contents.is_some_and(|contents| contents.is_known.contains(&true))
    }

    /// Whether the caller gave the contents of a variable.
    pub(super) fn is_promised(&self, symbol: u32) -> bool {
        self.symbols[symbol as usize].is_promised
    }
}

fn bytes_of(parameter: &Parameter) -> Result<usize, String> {
    // No device has room for more.
    usize::try_from(parameter.bytes())
        .ok()
        .filter(|&bytes| bytes <= 1 << 16)
        .ok_or_else(|| format!("the parameter `{}` is too large", parameter.name))
}

/// How often instructions of a function name a symbol.
fn named(body: &Body) -> HashMap<&str, usize> {
    let mut all = HashMap::new();
    for (_, one) in body.instructions() {
        one.for_each_symbol(&mut |name| *all.entry(name).or_insert(0) += 1);
    }
    all
}

/// Whether a variable has its initial value for ever: other modules and the host cannot name it, and no instruction of
/// the module can write it.
pub(super) fn is_constant(module: &Module, variable: &Variable) -> bool {
    let is_private = variable.linkage == Linkage::Private && variable.value.is_some();
    if !is_private || variable.bytes().is_none_or(|bytes| bytes > 1 << 24) {
        return false;
    }
    if variable.space == M::Const {
        return true;
    }
    let is_in_value = module.items.iter().any(|item| match item {
        Item::Variable(other) => other.value.as_ref().is_some_and(|value| mentions(value, &variable.name)),
        _ => false,
    });
    variable.space == M::Global
        && !is_in_value
        && module.functions().filter_map(|function| function.body.as_ref()).all(|body| only_read(body, &variable.name))
}

fn mentions(value: &Value, name: &str) -> bool {
    match value {
        Value::Address(other, _) | Value::Generic(other, _) => other == name,
        Value::List(all) => all.iter().any(|one| mentions(one, name)),
        Value::Integer(_) | Value::Float(_) => false,
    }
}

/// Whether a function uses a variable's address for loads only.
fn only_read(body: &Body, name: &str) -> bool {
    // Registers that may hold an address in it.
    let mut holds = vec![false; body.registers.len()];
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for (_, one) in body.instructions() {
            let mut is_named = false;
            one.for_each_symbol(&mut |symbol| is_named |= symbol == name);
            let mut is_read = is_named;
            one.for_each_register(|register, access| {
                is_read |= access == Access::Read && holds[register.0 as usize];
            });
            if !is_read {
                continue;
            }
            match one.opcode {
                O::Ld | O::Ldu if live::is_plain(one) => {}
                O::Prefetch => {}
                O::Mov | O::Add | O::Sub | O::Cvta | O::Mad | O::Selp => {
                    let Some(to) = one.destination() else { return false };
                    is_changed |= !std::mem::replace(&mut holds[to.0 as usize], true);
                }
                // A comparison of addresses, or a guard.
                O::Setp => {}
                _ => return false,
            }
            if matches!(one.operands.first(), Some(Operand::Memory(Base::Symbol(_), _))) {
                return false;
            }
        }
    }
    true
}

/// The initial value as bytes; addresses in it are unknown.
fn initial(variable: &Variable) -> Option<Bytes> {
    let len = usize::try_from(variable.bytes()?).ok()?;
    let mut bytes = Bytes::new(len, true);
    let width = variable.ty.bytes() as usize;
    if variable.lengths.len() > 1 || width > 8 {
        return None;
    }
    let single = |value: &Value| match value {
        Value::Integer(number) => Some((*number as u64).to_le_bytes()),
        Value::Float(Bits::Single(bits)) => Some(u64::from(*bits).to_le_bytes()),
        Value::Float(Bits::Double(bits)) => Some(bits.to_le_bytes()),
        _ => None,
    };
    let all = match variable.value.as_ref()? {
        Value::List(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    for (n, value) in all.iter().enumerate() {
        let at = n * width;
        if matches!(value, Value::List(_)) || at + width > len {
            return None;
        }
        match single(value) {
            Some(number) => bytes.put(at, &number[..width]),
            None => bytes.is_known[at..at + width].fill(false),
        }
    }
    Some(bytes)
}
