//! Execution of a warp's steps.

#![allow(clippy::too_many_arguments, reason = "a step needs the core, the block, the warp, its lanes and its place")]

mod access;
mod atomic;
mod barrier;
mod builtin;
mod call;
mod contiguous;
mod exchange;

pub(crate) use call::OVERHEAD;

use std::time::Instant;

use crate::{
    block::{Block, Shared},
    code::{Action, Clock, Step},
    counts::{CountedSpace, Counts},
    fault::FaultKind,
    grid::Context,
    memory::{allocations::Recent, window},
    registers::lanes,
    schedule::Random,
    warp::{Group, Warp},
};

/// The fault of a lane, before its position is known.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) lane: usize,
    pub(crate) kind: FaultKind,
    pub(crate) address: Option<u64>,
    pub(crate) detail: String,
    pub(crate) step: Option<u32>,
}

impl Trouble {
    #[cold]
    pub(crate) fn new(lane: usize, kind: FaultKind, detail: impl Into<String>) -> Box<Self> {
        Box::new(Self { lane, kind, address: None, detail: detail.into(), step: None })
    }

    #[cold]
    pub(crate) fn at(lane: usize, kind: FaultKind, address: u64, detail: impl Into<String>) -> Box<Self> {
        Box::new(Self { lane, kind, address: Some(address), detail: detail.into(), step: None })
    }
}

pub(crate) type Outcome<T = ()> = Result<T, Box<Trouble>>;

/// One host thread that executes blocks.
pub(crate) struct Core<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) recent: Recent<'a>,
    pub(crate) counts: Counts,
    pub(crate) random: Random,
    pub(crate) started: Instant,
    /// Whether a warp gives way to others, which it perhaps waits for.
    pub(crate) waits: bool,
}

/// The successor of a step.
enum Next {
    /// The next step.
    Follows,
    /// Another step, for all lanes of the group.
    Jump(u32),
    /// The lanes are no longer one group, or wait. Their positions are noted.
    Apart,
}

impl<'a> Core<'a> {
    /// Executes steps of a warp until the budget is spent or no lane can execute.
    pub(crate) fn run(&mut self, block: &mut Block, number: usize, mut budget: u32) -> Outcome {
        let warp = &mut block.warps[number];
        let shared = &mut block.shared;
        warp.order = self.random.lanes();
        while budget > 0 {
            if warp.running == 0 && !self.settle(shared, warp)? {
                return Ok(());
            }
            if warp.running == 0 {
                return Ok(());
            }
            // From time to time, a group that is not furthest behind goes first.
            if warp.patience > 64 && self.random.once_in(32) {
                warp.patience = 0;
            }
            let group = warp.select(&mut self.random);
            let most = if group.limit == u32::MAX && group.mask != warp.running { budget.min(256) } else { budget };
            let used = self.run_group(shared, warp, group, most)?;
            budget -= used.min(budget);
            if std::mem::take(&mut self.waits) {
                return Ok(());
            }
            if group.mask != u32::MAX {
                warp.patience = warp.patience.saturating_sub(used);
            }
            if !shared.released.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Executes steps of a group of lanes; returns the number of steps.
    fn run_group(&mut self, shared: &mut Shared, warp: &mut Warp, group: Group, budget: u32) -> Outcome<u32> {
        let steps = &self.context.code.steps[..];
        let Group { mask, mut step, base, limit } = group;
        warp.registers.base = base as usize;
        let lanes = u64::from(mask.count_ones());
        let mut used = 0;
        while used < budget && step < limit {
            used += 1;
            warp.clock += 1;
            let now = &steps[step as usize];
            match self.step(shared, warp, now, step, mask, lanes) {
                Ok(Next::Follows) => step += 1,
                Ok(Next::Jump(to)) => step = to,
                Ok(Next::Apart) => return Ok(used),
                Err(mut trouble) => {
                    trouble.step.get_or_insert(step);
                    return Err(trouble);
                }
            }
        }
        warp.place(mask, step);
        Ok(used)
    }

    #[inline(always)]
    fn step(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        step: &Step,
        number: u32,
        mask: u32,
        count: u64,
    ) -> Outcome<Next> {
        if let Action::Goto(to) = step.action {
            return Ok(Next::Jump(to));
        }
        let mut active = mask;
        let mut count = count;
        if !step.is_always() {
            if warp.registers.is_poisoned {
                let poison = warp.registers.condition_poison(step.guard) & mask;
                self.must_be_written(warp, poison, "whether the instruction is executed")?;
            }
            active &= step.guard.mask(&warp.registers);
            count = u64::from(active.count_ones());
        }
        self.counts.warp_instructions += 1;
        if let Action::Branch(to) = step.action {
            // Threads that do not take the branch execute it, too.
            self.counts.by_kind[step.kind as usize] += u64::from(mask.count_ones());
            self.counts.branches += 1;
            if active == mask {
                return Ok(Next::Jump(to));
            }
            if active == 0 {
                return Ok(Next::Follows);
            }
            self.counts.divergent_branches += 1;
            warp.place(active, to);
            warp.place(mask & !active, number + 1);
            return Ok(Next::Apart);
        }
        self.counts.by_kind[step.kind as usize] += count;
        if active == 0 {
            return Ok(Next::Follows);
        }
        match &step.action {
            Action::Compute(compute) => {
                if warp.registers.is_poisoned {
                    step.flow.spread(&mut warp.registers, active);
                }
                compute(&mut warp.registers, active);
                Ok(Next::Follows)
            }
            Action::Parameter { compute, width, stores } => {
                if warp.registers.is_poisoned {
                    step.flow.spread(&mut warp.registers, active);
                }
                compute(&mut warp.registers, active);
                let counts = if *stores { &mut self.counts.stores } else { &mut self.counts.loads };
                counts[CountedSpace::Parameter as usize][width_index(*width)] += count;
                Ok(Next::Follows)
            }
            Action::Load(access) => {
                if access.semantics.atomic {
                    // Perhaps the lanes wait for others.
                    warp.patience = warp.patience.saturating_sub(128);
                }
                self.load(shared, warp, access, active, number)?;
                // It may be another block that they wait for: a warp that only waits leaves the others no time.
                if access.semantics.atomic && self.context.launch.is_cooperative && self.random.once_in(8) {
                    warp.place(mask, number + 1);
                    self.waits = true;
                    return Ok(Next::Apart);
                }
                Ok(Next::Follows)
            }
            Action::Store(access) => {
                self.store(shared, warp, access, active)?;
                Ok(Next::Follows)
            }
            Action::Atomic(atomic) => {
                self.atomic(shared, warp, atomic, active)?;
                warp.patience = warp.patience.saturating_sub(256);
                // Other warps may come in between.
                if self.random.once_in(2) {
                    warp.place(mask, number + 1);
                    return Ok(Next::Apart);
                }
                Ok(Next::Follows)
            }
            Action::Fence { device } => {
                shared.clock.fence(&self.context.fences, *device);
                std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
                Ok(Next::Follows)
            }
            Action::Nothing => Ok(Next::Follows),
            Action::Clock { to, clock } => {
                let value = self.clock(warp, *clock);
                warp.registers.put(*to, active, &[value; 32]);
                Ok(Next::Follows)
            }
            Action::ActiveMask { to } => {
                warp.registers.put(*to, active, &[u64::from(active); 32]);
                Ok(Next::Follows)
            }
            Action::Yield => {
                warp.place(mask, number + 1);
                warp.patience = 0;
                Ok(Next::Apart)
            }
            Action::Branch(_) | Action::Goto(_) => Ok(Next::Follows),
            Action::Table { index, targets } => {
                self.counts.branches += 1;
                self.must_be_written(warp, warp.registers.source_poison(*index) & active, "where a jump leads")?;
                let index = *warp.registers.get(*index);
                let first = index[active.trailing_zeros() as usize];
                let mut differs = false;
                for lane in lanes(active) {
                    let Some(&to) = targets.get(index[lane] as usize) else {
                        let detail = format!("index {} of a table of {} jumps", index[lane] as u32, targets.len());
                        return Err(Trouble::new(lane, FaultKind::IllegalInstruction, detail));
                    };
                    differs |= index[lane] != first;
                    warp.step[lane] = to;
                }
                if !differs && active == mask {
                    return Ok(Next::Jump(targets[first as usize]));
                }
                self.counts.divergent_branches += 1;
                warp.place(mask & !active, number + 1);
                Ok(Next::Apart)
            }
            Action::Call(call) => self.call(shared, warp, call, number, mask, active),
            Action::Return => {
                self.give_back(shared, warp, mask, active, number);
                Ok(Next::Apart)
            }
            Action::Exit => {
                warp.place(mask & !active, number + 1);
                Self::exit(shared, warp, active);
                Ok(Next::Apart)
            }
            Action::Trap => Err(Trouble::new(active.trailing_zeros() as usize, FaultKind::Trap, "")),
            Action::Barrier(barrier) => self.barrier(shared, warp, barrier, number, mask, active),
            Action::Exchange { with, exchange } => self.exchange(shared, warp, *with, exchange, number, mask, active),
        }
    }

    /// Ends lanes.
    fn exit(shared: &mut Shared, warp: &mut Warp, lanes: u32) {
        warp.live &= !lanes;
        warp.running &= !lanes;
        shared.live -= lanes.count_ones();
        shared.complete_all();
    }

    fn clock(&self, warp: &Warp, clock: Clock) -> u64 {
        let (value, high, wide) = match clock {
            Clock::Cycles { high, wide } => (warp.clock, high, wide),
            Clock::Time { high, wide } => (self.started.elapsed().as_nanos() as u64, high, wide),
        };
        match (wide, high) {
            (true, _) => value,
            (false, true) => value >> 32,
            (false, false) => value & 0xffff_ffff,
        }
    }

    /// No lane runs: releases lanes from exchanges or aligned barriers, if possible.
    fn settle(&mut self, shared: &mut Shared, warp: &mut Warp) -> Outcome<bool> {
        if warp.at_exchange != 0 && self.settle_exchanges(shared, warp)? {
            return Ok(true);
        }
        if warp.at_aligned != 0 && warp.at_exchange == 0 {
            self.settle_aligned(shared, warp)?;
        }
        Ok(warp.running != 0)
    }

    /// It is a fault if an operand depends, for these lanes, on uninitialised bytes.
    #[inline(always)]
    fn must_be_written(&self, warp: &Warp, lanes: u32, what: &str) -> Outcome {
        if lanes == 0 { Ok(()) } else { Err(self.unwritten(warp, lanes, what)) }
    }

    #[cold]
    fn unwritten(&self, warp: &Warp, lanes: u32, what: &str) -> Box<Trouble> {
        let (address, step) = warp.registers.poison_origin;
        let line = self.context.code.origins.get(step as usize).map_or(0, |origin| origin.line);
        let place = match window::window(address) {
            window::SHARED => format!("offset {} of the block's shared memory", window::offset(address)),
            window::LOCAL => format!("offset {} of the thread's local memory", window::offset(address)),
            _ => self.context.device.memory.describe(address),
        };
        let detail = format!("{what} depends on bytes that nobody wrote; line {line} loaded some from {place}");
        Trouble::at(lanes.trailing_zeros() as usize, FaultKind::Uninitialised, address, detail)
    }
}

/// The index of a width in the counts.
pub(crate) const fn width_index(width: usize) -> usize {
    match width {
        0 | 1 => 0,
        2 => 1,
        3 | 4 => 2,
        5..=8 => 3,
        9..=16 => 4,
        _ => 5,
    }
}

impl Step {
    #[inline(always)]
    const fn is_always(&self) -> bool {
        matches!(self.guard, crate::compute::Condition::Constant(true))
    }
}
