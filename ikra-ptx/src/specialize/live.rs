//! Registers whose values matter, per block.

use crate::{Access, Body, Cfg, Instruction, Modifier as M, Opcode as O, Operand, Register, Special};

/// A set of registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub(super) fn new(registers: usize) -> Self {
        Self(vec![0; registers.div_ceil(64)])
    }

    pub(super) fn has(&self, register: Register) -> bool {
        self.0[register.0 as usize / 64] >> (register.0 % 64) & 1 == 1
    }

    pub(super) fn insert(&mut self, register: Register) {
        self.0[register.0 as usize / 64] |= 1 << (register.0 % 64);
    }

    fn remove(&mut self, register: Register) {
        self.0[register.0 as usize / 64] &= !(1 << (register.0 % 64));
    }

    /// Adds another set; whether it had more.
    fn extend(&mut self, other: &Self) -> bool {
        let mut is_changed = false;
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            is_changed |= other & !*one != 0;
            *one |= other;
        }
        is_changed
    }

    /// Its registers, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Register> {
        self.0.iter().enumerate().flat_map(|(n, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(Register(n as u32 * 64 + bit))
            })
        })
    }
}

/// Whether an instruction has no effect but its results, so that it can go if nobody reads them.
pub(super) fn is_pure(one: &Instruction) -> bool {
    if one.has(M::CarryOut) {
        return false;
    }
    match one.opcode {
        // What the clock shows depends on when it is read, and nothing else does.
        O::Mov => !one.operands.iter().any(|operand| {
            matches!(
                operand,
                Operand::Special(
                    Special::Clock
                        | Special::ClockHi
                        | Special::Clock64
                        | Special::Globaltimer
                        | Special::GlobaltimerLo
                        | Special::GlobaltimerHi
                )
            )
        }),
        O::Ld | O::Ldu => is_plain(one),
        O::Abs | O::Add | O::And | O::Bfe | O::Bfi | O::Bfind | O::Bmsk | O::Brev | O::Clz | O::Cnot => true,
        O::Copysign | O::Cos | O::Cvt | O::Cvta | O::Div | O::Dp2a | O::Dp4a | O::Ex2 | O::Fma | O::Fns => true,
        O::Isspacep | O::Lg2 | O::Lop3 | O::Mad | O::Mad24 | O::Max | O::Min | O::Mul | O::Mul24 | O::Neg => true,
        O::Not | O::Or | O::Popc | O::Prmt | O::Rcp | O::Rem | O::Rsqrt | O::Sad | O::Selp | O::Set | O::Setp => true,
        O::Shf | O::Shl | O::Shr | O::Sin | O::Slct | O::Sqrt | O::Sub | O::Szext | O::Tanh | O::Testp => true,
        O::Xor => true,
        _ => false,
    }
}

/// Whether a load has no order with other accesses.
pub(super) fn is_plain(one: &Instruction) -> bool {
    ![M::Volatile, M::Relaxed, M::Acquire, M::Mmio, M::Sc].into_iter().any(|modifier| one.has(modifier))
}

/// The registers that each block needs when it starts. Instructions that only make what nobody needs, need nothing.
pub(super) fn live(body: &Body, cfg: &Cfg) -> Vec<Set> {
    let empty = Set::new(body.registers.len());
    let mut starts = vec![empty; body.blocks.len()];
    let mut order = cfg.reverse_postorder();
    order.reverse();
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for &block in &order {
            let mut now = at_end(cfg, &starts, block);
            for one in body.blocks[block].instructions.iter().rev() {
                before(one, &mut now);
            }
            is_changed |= starts[block].extend(&now);
        }
    }
    starts
}

/// The registers that are needed behind a block.
fn at_end(cfg: &Cfg, starts: &[Set], block: usize) -> Set {
    let mut all = cfg.successors(block).iter();
    let Some(&first) = all.next() else { return Set::new(starts[block].0.len() * 64) };
    let mut now = starts[first].clone();
    for &next in all {
        now.extend(&starts[next]);
    }
    now
}

/// From the registers that are needed behind an instruction to those before it; whether the instruction is needed.
fn before(one: &Instruction, now: &mut Set) -> bool {
    let mut is_needed = !is_pure(one);
    if !is_needed {
        one.for_each_register(|register, access| is_needed |= access == Access::Write && now.has(register));
    }
    if is_needed {
        if one.guard.is_none() {
            one.for_each_register(|register, access| {
                if access == Access::Write {
                    now.remove(register);
                }
            });
        }
        one.for_each_register(|register, access| {
            if access == Access::Read {
                now.insert(register);
            }
        });
    }
    is_needed
}

/// Removes instructions whose results nobody needs.
pub(super) fn remove_dead(body: &mut Body) {
    let cfg = Cfg::new(body);
    let starts = live(body, &cfg);
    for block in 0..body.blocks.len() {
        let mut now = at_end(&cfg, &starts, block);
        let mut all = std::mem::take(&mut body.blocks[block].instructions);
        let mut is_needed: Vec<bool> = all.iter().rev().map(|one| before(one, &mut now)).collect();
        is_needed.reverse();
        let mut is_needed = is_needed.into_iter();
        all.retain(|_| is_needed.next().unwrap_or(true));
        body.blocks[block].instructions = all;
    }
}
