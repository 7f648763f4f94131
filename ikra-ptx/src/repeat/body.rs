//! Moving a kernel's instructions into the loop.

use std::collections::HashMap;

use super::{frame, refuse};
use crate::{
    Axis, Base, Block, Body, Function, Instruction, Label, Modifier, Opcode, Operand, Parameter, Prototype, Register,
    Special, Table, Type,
};

/// The launch that a kernel is moved to.
pub(super) struct Moved<'a> {
    /// Its number among all launches.
    pub(super) number: usize,
    /// The new kernel's name.
    pub(super) name: &'a str,
    /// Which parameter of the kernel is the number of objects in the worklist.
    pub(super) length: Option<usize>,
}

/// The new names of a kernel's parts.
struct Names {
    registers: Vec<Register>,
    labels: Vec<Label>,
    /// Of variables and parameters.
    symbols: HashMap<String, String>,
    tables: usize,
    prototypes: usize,
    /// The registers for the thread, the launch's number of threads, the block, and the launch's number of blocks.
    thread: Register,
    threads: Register,
    block: Register,
    blocks: Register,
    /// The parameter that is the number of objects in the worklist, and the register that has it.
    length: Option<(String, Register)>,
    /// The end of the virtual block.
    end: Label,
}

impl Moved<'_> {
    /// Puts the kernel's instructions in the place of a block. Its parameters get the next places among those of the
    /// launch.
    pub(super) fn insert(&self, new: &mut Function, kernel: &Function, place: usize) -> Result<(), String> {
        let Some(old) = &kernel.body else { return Err(format!("`{}` has no body", kernel.name)) };
        let mut symbols = HashMap::new();
        for parameter in &kernel.parameters {
            let made = self.parameter(parameter, symbols.len());
            symbols.insert(parameter.name.clone(), made.name.clone());
            let [.., last] = frame::parameters_of(self.name, self.number);
            let at = new.parameters.iter().position(|one| one.name == last).map_or(0, |at| at + symbols.len());
            new.parameters.insert(at, made);
        }
        let Some(body) = &mut new.body else { return Err(String::from("the loop has no body")) };
        let mut names = self.names(body, old, symbols)?;
        if let Some(length) = self.length {
            let parameter = kernel.parameters.get(length).filter(|one| one.bytes() == 4);
            names.length = parameter.map(|one| one.name.clone()).zip(body.register(frame::LENGTH));
            names.length.as_ref().ok_or_else(|| format!("`{}` takes no number of objects", kernel.name))?;
        }
        let mut blocks = vec![Block { label: body.blocks[place].label, ..Block::default() }];
        for block in &old.blocks {
            blocks.push(Block {
                label: block.label.map(|label| names.label(label)),
                pragmas: block.pragmas.clone(),
                instructions: Vec::new(),
            });
            for one in &block.instructions {
                let Some(one) = names.instruction(one)? else { continue };
                let ends = one.ends_block();
                if let Some(last) = blocks.last_mut() {
                    last.instructions.push(one);
                }
                if ends {
                    blocks.push(Block::default());
                }
            }
        }
        blocks.retain(|block| block.label.is_some() || !block.instructions.is_empty());
        body.blocks.splice(place..=place, blocks);
        Ok(())
    }

    fn parameter(&self, old: &Parameter, position: usize) -> Parameter {
        Parameter { name: format!("{}_{}_{position}", self.name, self.number), ..old.clone() }
    }

    /// Names the kernel's registers, labels, variables, tables and prototypes in the new body.
    fn names(&self, body: &mut Body, old: &Body, mut symbols: HashMap<String, String>) -> Result<Names, String> {
        let number = self.number;
        // `%r12` becomes `%k0_r12`, so that a family stays one.
        let own = |name: &str| match name.strip_prefix(['%', '$']) {
            Some(rest) => format!("{}k{number}_{rest}", &name[..1]),
            None => format!("k{number}_{name}"),
        };
        for variable in &old.variables {
            let name = body.free_name(&format!("{}_k{number}_{}", self.name, variable.name));
            symbols.insert(variable.name.clone(), name.clone());
            body.variables.push(crate::Variable { name, ..variable.clone() });
        }
        let registers = old.registers.iter().map(|(name, ty)| body.new_register(&own(name), *ty)).collect();
        let labels: Vec<Label> = old.labels.iter().map(|name| body.new_label(&own(name))).collect();
        let (tables, prototypes) = (body.tables.len(), body.prototypes.len());
        body.tables.extend(old.tables.iter().map(|table| Table {
            name: own(&table.name),
            targets: table.targets.iter().map(|target| labels[target.0 as usize]).collect(),
        }));
        let prototype = |one: &Prototype| Prototype { name: own(&one.name), ..one.clone() };
        body.prototypes.extend(old.prototypes.iter().map(prototype));
        let own = frame::registers_of(number).map(|name| body.register(&name));
        let end = body.label_names.get(&frame::end_of(number)).copied();
        let ([Some(thread), Some(threads), Some(block), Some(blocks)], Some(end)) = (own, end) else {
            return Err(format!("the loop has no launch {number}"));
        };
        let length = None;
        Ok(Names { registers, labels, symbols, tables, prototypes, thread, threads, block, blocks, length, end })
    }
}

impl Names {
    fn register(&self, old: Register) -> Register {
        self.registers[old.0 as usize]
    }

    fn label(&self, old: Label) -> Label {
        self.labels[old.0 as usize]
    }

    fn symbol(&self, old: &str) -> String {
        self.symbols.get(old).map_or(old, String::as_str).to_owned()
    }

    /// Whether an operand is the parameter with the number of objects in the worklist.
    fn is_length(&self, operand: &Operand) -> bool {
        let (Operand::Memory(Base::Symbol(name), _) | Operand::Symbol(name, _)) = operand else { return false };
        self.length.as_ref().is_some_and(|(length, _)| name == length)
    }

    /// The instruction in the loop, if it is needed there.
    fn instruction(&self, old: &Instruction) -> Result<Option<Instruction>, String> {
        let mut new =
            Instruction { operands: old.operands.iter().map(|one| self.operand(one)).collect(), ..old.clone() };
        if let Some(guard) = &mut new.guard {
            guard.register = self.register(guard.register);
        }
        if let (true, Some((_, length))) = (old.operands.iter().any(|one| self.is_length(one)), &self.length) {
            let [Operand::Register(_), Operand::Memory(_, 0)] = &old.operands[..] else {
                return Err(String::from("the number of objects is used otherwise than by a load"));
            };
            new.opcode = Opcode::Mov;
            new.modifiers = vec![Modifier::Type(Type::B32)];
            new.operands[1] = Operand::Register(*length);
            return Ok(Some(new));
        }
        match new.opcode {
            Opcode::Ret | Opcode::Exit => {
                new.opcode = Opcode::Bra;
                new.modifiers.clear();
                new.operands = vec![Operand::Label(self.end)];
            }
            Opcode::Griddepcontrol => return Ok(None),
            _ if refuse::is_barrier(&new) => {
                let Some(place) = refuse::count_place(&new) else { return Ok(None) };
                new.operands[place - 1] = Operand::Integer(frame::BARRIER);
                new.operands.insert(place, Operand::Register(self.threads));
            }
            _ => {}
        }
        Ok(Some(new))
    }

    fn operand(&self, old: &Operand) -> Operand {
        let all = |all: &[Operand]| all.iter().map(|one| self.operand(one)).collect();
        match old {
            Operand::Register(register) => Operand::Register(self.register(*register)),
            Operand::Not(register) => Operand::Not(self.register(*register)),
            Operand::Pair(one, other) => {
                Operand::Pair(one.map(|one| self.register(one)), other.map(|other| self.register(other)))
            }
            Operand::Vector(elements) => Operand::Vector(all(elements)),
            Operand::List(elements) => Operand::List(all(elements)),
            Operand::Special(special) => self.special(*special),
            Operand::Memory(Base::Register(register), offset) => {
                Operand::Memory(Base::Register(self.register(*register)), *offset)
            }
            Operand::Memory(Base::Symbol(name), offset) => Operand::Memory(Base::Symbol(self.symbol(name)), *offset),
            Operand::Symbol(name, offset) => Operand::Symbol(self.symbol(name), *offset),
            Operand::Label(label) => Operand::Label(self.label(*label)),
            Operand::Table(table) => Operand::Table(self.tables + table),
            Operand::Prototype(prototype) => Operand::Prototype(self.prototypes + prototype),
            Operand::Memory(Base::Zero, _) | Operand::Integer(_) | Operand::Float(_) | Operand::Nothing => old.clone(),
        }
    }

    /// A launch has one dimension.
    fn special(&self, special: Special) -> Operand {
        match special {
            Special::Tid(Axis::X) => Operand::Register(self.thread),
            Special::Ctaid(Axis::X) => Operand::Register(self.block),
            Special::Nctaid(Axis::X) => Operand::Register(self.blocks),
            Special::Ntid(Axis::X) => Operand::Register(self.threads),
            Special::Tid(_) | Special::Ctaid(_) => Operand::Integer(0),
            Special::Nctaid(_) | Special::Ntid(_) => Operand::Integer(1),
            other => Operand::Special(other),
        }
    }
}

/// Replaces what relies on the start of a kernel: loads through a cache that nothing else empties, and waiting for the
/// kernel before.
pub(super) fn without_launches(body: &mut Body) {
    for block in &mut body.blocks {
        block.instructions.retain(|one| one.opcode != Opcode::Griddepcontrol);
        for one in block.instructions.iter_mut().filter(|one| one.opcode == Opcode::Ld) {
            one.modifiers.retain(|&modifier| modifier != Modifier::Nc);
        }
    }
}
