//! From parsed PTX to steps.

mod arithmetic;
mod control;
mod copy;
mod memory;
mod module;
mod operands;
mod order;

use std::collections::HashMap;

use ikra_ptx::{Body, Instruction, Modifier, Module, Opcode, Type};

use crate::{
    code::{Action, Clock, Function, Origin, Semantics, Step},
    compute::Condition,
    counts::Kind,
    poison::Flow,
    program::LoadError,
    registers::Row,
};

pub(crate) use module::{Parts, decode};

type Decoded<T> = Result<T, LoadError>;

fn refuse<T>(line: u32, message: impl Into<String>) -> Decoded<T> {
    Err(LoadError { line, message: message.into() })
}

/// The meaning of a name in a function.
#[derive(Clone, Copy, Debug)]
enum Symbol {
    /// Local memory: the distance from the frame pointer.
    Local(u32),
    /// Shared memory: the address in it.
    Shared(u64),
    /// A parameter of a function or call: its first row, and its bytes.
    Rows(u32, usize),
    /// A parameter of a kernel: its offset, and its bytes.
    Argument(usize, usize),
}

/// State that the functions of a module share while they are decoded.
struct Decoder<'m> {
    module: &'m Module,
    steps: Vec<Step>,
    origins: Vec<Origin>,
    functions: Vec<Function>,
    numbers: HashMap<String, u32>,
    constants: Vec<Row>,
    by_value: HashMap<u64, u32>,
    relocations: Vec<(u32, String, i64)>,
    by_symbol: HashMap<(String, i64), u32>,
    /// Shared variables of the module.
    shared: HashMap<String, u64>,
}

/// A function that is being decoded.
struct Scope<'m> {
    body: &'m Body,
    number: u32,
    /// The row of the function's first register.
    first: u32,
    rows: u32,
    symbols: HashMap<&'m str, Symbol>,
}

/// The kind under which an instruction counts.
fn kind(one: &Instruction) -> Kind {
    use Opcode as O;
    let is_float = one.types().any(|ty| matches!(ty.kind(), ikra_ptx::Kind::Float | ikra_ptx::Kind::Packed));
    match one.opcode {
        O::Ld | O::Ldu | O::St | O::Atom | O::Red | O::Fence | O::Membar | O::Prefetch => Kind::Memory,
        O::Bra | O::Brx | O::Call | O::Ret | O::Exit | O::Trap | O::Brkpt | O::Nanosleep | O::Griddepcontrol => {
            Kind::Control
        }
        O::Bar | O::Barrier | O::Shfl | O::Vote | O::Match | O::Redux | O::Elect | O::Activemask => Kind::Exchange,
        O::Mov | O::Selp | O::Cvta | O::Isspacep => Kind::Move,
        O::Cvt => Kind::Convert,
        O::And | O::Or | O::Xor | O::Not if one.ty() == Some(Type::Pred) => Kind::Move,
        _ if is_float => Kind::Float,
        _ => Kind::Integer,
    }
}

fn semantics(one: &Instruction, is_atomic: bool) -> Semantics {
    use Modifier as M;
    let fence = one.has(M::Acquire) || one.has(M::Release) || one.has(M::AcqRel) || one.has(M::Sc);
    let atomic = is_atomic || fence || one.has(M::Relaxed) || one.has(M::Volatile) || one.has(M::Mmio);
    Semantics { atomic, fence }
}

impl<'m> Decoder<'m> {
    /// Adds the steps of one instruction.
    fn instruction(
        &mut self,
        scope: &Scope<'m>,
        one: &Instruction,
        origin: Origin,
        starts: &HashMap<u32, usize>,
    ) -> Decoded<()> {
        let guard = match one.guard {
            None => Condition::Constant(true),
            Some(guard) => Condition::Predicate { row: scope.row(guard.register), negated: guard.is_negated },
        };
        let action = match self.action(scope, one, starts) {
            Ok(action) => action,
            Err(mut error) => {
                if error.message.is_empty() {
                    error.message = format!("not supported: {}", one.text(scope.body).trim());
                }
                return Err(error);
            }
        };
        let flow = match &action {
            Action::Compute(_) => Flow::of(one, scope.first),
            Action::Parameter { stores, .. } => scope.parameter_flow(one, *stores),
            _ => Flow::default(),
        };
        self.steps.push(Step { guard, kind: kind(one), action, flow });
        self.origins.push(origin);
        Ok(())
    }

    fn action(&mut self, scope: &Scope<'m>, one: &Instruction, starts: &HashMap<u32, usize>) -> Decoded<Action> {
        use Opcode as O;
        match one.opcode {
            O::Ld | O::Ldu => self.load(scope, one),
            O::St => self.store(scope, one),
            O::Atom | O::Red => self.atomic(scope, one),
            O::Prefetch | O::Griddepcontrol => Ok(Action::Nothing),
            O::Fence | O::Membar => Ok(Action::Fence { device: !one.has(Modifier::Cta) }),
            O::Nanosleep => Ok(Action::Yield),
            O::Bra
            | O::Brx
            | O::Call
            | O::Ret
            | O::Exit
            | O::Trap
            | O::Bar
            | O::Barrier
            | O::Shfl
            | O::Vote
            | O::Match
            | O::Redux
            | O::Elect
            | O::Activemask => self.control(scope, one, starts),
            O::Mov => self.copy(scope, one),
            _ => self.arithmetic(scope, one).map(Action::Compute),
        }
    }

    /// A clock that `mov` reads.
    const fn clock(special: ikra_ptx::Special) -> Option<Clock> {
        use ikra_ptx::Special as S;
        Some(match special {
            S::Clock => Clock::Cycles { high: false, wide: false },
            S::ClockHi => Clock::Cycles { high: true, wide: false },
            S::Clock64 => Clock::Cycles { high: false, wide: true },
            S::Globaltimer => Clock::Time { high: false, wide: true },
            S::GlobaltimerLo => Clock::Time { high: false, wide: false },
            S::GlobaltimerHi => Clock::Time { high: true, wide: false },
            _ => return None,
        })
    }
}

impl Scope<'_> {
    /// The rows between which a parameter is copied.
    fn parameter_flow(&self, one: &Instruction, stores: bool) -> Flow {
        let registers = Flow::of(one, self.first);
        let rows = match one.memory() {
            Some((ikra_ptx::Base::Symbol(name), at)) => match self.symbols.get(name.as_str()) {
                Some(&Symbol::Rows(row, bytes)) => {
                    let width = one.ty().map_or(8, Type::bytes) as usize * one.vector();
                    let first = at.max(0) as usize / 8;
                    let end = (at.max(0) as usize + width).min(bytes).div_ceil(8);
                    (first..end).map(|n| row + n as u32).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        if stores { Flow::between(registers.from, rows) } else { Flow::between(rows, registers.to) }
    }
}
