//! Branches, calls, barriers, exchanges.

use std::collections::HashMap;

use ikra_ptx::{Instruction, Modifier as M, Opcode as O, Operand, Parameter, Type};

use super::{Decoded, Decoder, Scope, Symbol, refuse};
use crate::{
    code::{Action, Barrier, Builtin, Call, Exchange, Reduction, Redux, Shuffle, Signature, Target, Vote},
    registers::Source,
};

/// The sizes of parameters and results.
pub(super) fn signature(results: &[Parameter], parameters: &[Parameter]) -> Signature {
    let bytes = |all: &[Parameter]| all.iter().map(|one| one.bytes() as usize).collect();
    Signature { parameters: bytes(parameters), results: bytes(results) }
}

fn builtin(name: &str) -> Option<Builtin> {
    Some(match name {
        "__assertfail" => Builtin::AssertFail,
        "vprintf" => Builtin::Print,
        "malloc" => Builtin::Allocate,
        "free" => Builtin::Free,
        "cudaGraphSetConditional" => Builtin::SetCondition,
        _ => return None,
    })
}

impl<'m> Decoder<'m> {
    pub(super) fn control(
        &mut self,
        scope: &Scope<'m>,
        one: &Instruction,
        starts: &HashMap<u32, usize>,
    ) -> Decoded<Action> {
        let line = one.line;
        // Blocks whose steps are not known yet.
        let start = |label: &ikra_ptx::Label| match starts.get(&label.0) {
            Some(&block) => Ok(block as u32),
            None => refuse(line, "a jump to a label that is nowhere"),
        };
        Ok(match (one.opcode, &one.operands[..]) {
            (O::Bra, [Operand::Label(label)]) => Action::Branch(start(label)?),
            (O::Brx, [index, Operand::Table(table)]) => Action::Table {
                index: self.source(scope, index, Type::U32, line)?,
                targets: scope.body.tables[*table].targets.iter().map(start).collect::<Decoded<_>>()?,
            },
            (O::Call, _) => self.call(scope, one)?,
            (O::Ret, _) => Action::Return,
            (O::Exit, _) => Action::Exit,
            (O::Trap, _) => Action::Trap,
            (O::Activemask, [to]) => Action::ActiveMask { to: scope.written(to, line)? },
            (O::Bar | O::Barrier, operands) => {
                if one.has(M::Warp) {
                    let with = self.source(scope, &operands[0], Type::U32, line)?;
                    return Ok(Action::Exchange { with, exchange: Box::new(Exchange::Synchronise) });
                }
                self.barrier(scope, one)?
            }
            _ => self.exchange(scope, one)?,
        })
    }

    fn barrier(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Action> {
        let line = one.line;
        let aligned = one.opcode == O::Bar || one.has(M::Aligned);
        let mut operands = one.sources();
        let mut reduction = None;
        if one.has(M::Red) {
            let [before @ .., with] = operands else { return refuse(line, "") };
            operands = before;
            let to = scope.written(&one.operands[0], line)?;
            let how = match (one.has(M::Popc), one.has(M::And), one.has(M::Or)) {
                (true, false, false) => Reduction::Count { to },
                (false, true, false) => Reduction::All { to },
                (false, false, true) => Reduction::Any { to },
                _ => return refuse(line, ""),
            };
            reduction = Some((how, scope.condition(with, line)?));
        }
        let [number, rest @ ..] = operands else { return refuse(line, "") };
        let number = self.source(scope, number, Type::U32, line)?;
        let count = match rest {
            [] => None,
            [count] => Some(self.source(scope, count, Type::U32, line)?),
            _ => return refuse(line, ""),
        };
        let waits = !one.has(M::Arrive);
        if !waits && count.is_none() {
            return refuse(line, "");
        }
        Ok(Action::Barrier(Box::new(Barrier { number, count, aligned, waits, reduction })))
    }

    fn exchange(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Action> {
        let line = one.line;
        let operands = one.sources();
        let (Some(to), [.., with]) = (one.operands.first(), operands) else { return refuse(line, "") };
        let with = self.source(scope, with, Type::U32, line)?;
        let ty = one.ty().unwrap_or(Type::B32);
        if !one.has(M::Sync) {
            return refuse(line, "exchanges without `.sync` are not supported: they are not defined since Volta");
        }
        let exchange = match one.opcode {
            O::Shfl => {
                let [value, lane, clamp, _] = operands else { return refuse(line, "") };
                let how = match () {
                    () if one.has(M::Up) => Shuffle::Up,
                    () if one.has(M::Down) => Shuffle::Down,
                    () if one.has(M::Bfly) => Shuffle::Butterfly,
                    () => Shuffle::Index,
                };
                let (to, inside) = scope.pair(to, line)?;
                Exchange::Shuffle {
                    how,
                    to,
                    inside,
                    value: self.source(scope, value, ty, line)?,
                    lane: self.source(scope, lane, Type::U32, line)?,
                    clamp: self.source(scope, clamp, Type::U32, line)?,
                }
            }
            O::Vote => {
                let condition = scope.condition(&operands[0], line)?;
                let to = scope.written(to, line)?;
                match () {
                    () if one.has(M::Ballot) => Exchange::Ballot { to, condition },
                    () if one.has(M::All) => Exchange::Vote { how: Vote::All, to, condition },
                    () if one.has(M::Any) => Exchange::Vote { how: Vote::Any, to, condition },
                    () => Exchange::Vote { how: Vote::Uniform, to, condition },
                }
            }
            O::Match => {
                let (to, agrees) = scope.pair(to, line)?;
                Exchange::Match { all: one.has(M::All), to, agrees, value: self.source(scope, &operands[0], ty, line)? }
            }
            O::Redux => {
                let signed = ty == Type::S32;
                let how = match () {
                    () if !matches!(ty, Type::S32 | Type::U32 | Type::B32) => return refuse(line, ""),
                    () if one.has(M::Add) => Redux::Add,
                    () if one.has(M::Min) => Redux::Min { signed },
                    () if one.has(M::Max) => Redux::Max { signed },
                    () if one.has(M::And) => Redux::And,
                    () if one.has(M::Or) => Redux::Or,
                    () if one.has(M::Xor) => Redux::Xor,
                    () => return refuse(line, ""),
                };
                Exchange::Reduce {
                    how,
                    to: scope.written(to, line)?,
                    value: self.source(scope, &operands[0], ty, line)?,
                }
            }
            O::Elect => {
                let (to, elected) = scope.pair(to, line)?;
                Exchange::Elect { to, elected }
            }
            _ => return refuse(line, ""),
        };
        Ok(Action::Exchange { with, exchange: Box::new(exchange) })
    }

    fn call(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Action> {
        let line = one.line;
        let [Operand::List(results), callee, Operand::List(arguments), rest @ ..] = &one.operands[..] else {
            return refuse(line, "");
        };
        let (target, signature) = match (callee, rest) {
            (Operand::Symbol(name, 0), _) => {
                let module = self.module;
                let Some(function) = module.function(name).or_else(|| module.functions().find(|f| f.name == *name))
                else {
                    return refuse(line, format!("there is no function `{name}`"));
                };
                let signature = signature(&function.results, &function.parameters);
                match (self.numbers.get(name), builtin(name)) {
                    (Some(&number), _) => (Target::Function(number), signature),
                    (None, Some(builtin)) => (Target::Builtin(builtin), signature),
                    (None, None) => {
                        return refuse(
                            line,
                            format!("the function `{name}` has no body, and the device does not provide it"),
                        );
                    }
                }
            }
            (Operand::Register(register), [Operand::Prototype(prototype)]) => {
                let prototype = &scope.body.prototypes[*prototype];
                let signature = signature(&prototype.results, &prototype.parameters);
                (Target::Address(Source::Row(scope.row(*register))), signature)
            }
            _ => return refuse(line, ""),
        };
        if signature.parameters.len() != arguments.len() || signature.results.len() != results.len() {
            return refuse(line, "a call with another number of parameters or results than the function has");
        }
        let mut sources = Vec::new();
        for (operand, &bytes) in arguments.iter().zip(&signature.parameters) {
            match operand {
                Operand::Symbol(name, 0) => {
                    let row = passed(scope, name, bytes, line)?;
                    sources.extend((0..bytes.div_ceil(8) as u32).map(|n| Source::Row(row + n)));
                }
                other if bytes <= 8 => sources.push(self.source(scope, other, Type::B64, line)?),
                _ => return refuse(line, ""),
            }
        }
        let mut rows = Vec::new();
        for (operand, &bytes) in results.iter().zip(&signature.results) {
            match operand {
                Operand::Symbol(name, 0) => {
                    let row = passed(scope, name, bytes, line)?;
                    rows.extend((0..bytes.div_ceil(8) as u32).map(|n| Some(row + n)));
                }
                other if bytes <= 8 => rows.push(scope.destination(other, line)?),
                _ => return refuse(line, ""),
            }
        }
        Ok(Action::Call(Box::new(Call { target, arguments: sources, results: rows, signature, rows: scope.rows })))
    }
}

/// The first row of a variable of this many bytes that is passed to or from a function.
fn passed(scope: &Scope<'_>, name: &str, bytes: usize, line: u32) -> Decoded<u32> {
    match scope.symbols.get(name) {
        Some(&Symbol::Rows(row, there)) if there == bytes => Ok(row),
        Some(&Symbol::Rows(_, there)) => refuse(line, format!("`{name}` has {there} bytes, the function's {bytes}")),
        _ => refuse(line, format!("there is no parameter of a call `{name}`")),
    }
}
