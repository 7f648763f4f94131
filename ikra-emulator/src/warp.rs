//! Warps: 32 lanes, each with its own position in the program.

use crate::{
    memory::stack::Stack,
    registers::{Registers, lanes},
    schedule::Random,
};

/// The return address of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The step after the call.
    pub(crate) step: u32,
    /// The caller's rows.
    pub(crate) base: u32,
    /// The end of the caller's local memory.
    pub(crate) top: u32,
}

/// A warp.
pub(crate) struct Warp {
    /// Its number in the block.
    pub(crate) number: u32,
    pub(crate) registers: Registers,
    /// The step that each lane executes next.
    pub(crate) step: [u32; 32],
    /// The rows of each lane's frame.
    pub(crate) base: [u32; 32],
    /// The end of each lane's local memory.
    pub(crate) top: [u32; 32],
    pub(crate) frames: [Vec<Frame>; 32],
    pub(crate) stacks: Box<[Stack]>,
    /// Lanes that did not exit. Each is in one of the four sets that follow.
    pub(crate) live: u32,
    /// Lanes that can execute.
    pub(crate) running: u32,
    /// Lanes at a barrier of the block, which counts them.
    pub(crate) at_barrier: u32,
    /// Lanes at an aligned barrier, which wait for the others of the warp.
    pub(crate) at_aligned: u32,
    /// Lanes at an exchange, which wait for others of the warp.
    pub(crate) at_exchange: u32,
    /// The lanes for which a lane at an exchange waits.
    pub(crate) members: [u32; 32],
    /// The order in which lanes access memory.
    pub(crate) order: [u8; 32],
    /// The time on the block's clock since which its lanes are ordered.
    pub(crate) sync: u32,
    /// Instructions until another group of lanes may run.
    pub(crate) patience: u32,
    /// Instructions so far.
    pub(crate) clock: u64,
}

/// Lanes that are at one step of one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) mask: u32,
    pub(crate) step: u32,
    pub(crate) base: u32,
    /// The step at which other lanes wait to be joined.
    pub(crate) limit: u32,
}

/// Instructions after which a waiting group of lanes may run.
const PATIENCE: u32 = 4096;

impl Warp {
    pub(crate) fn new(number: u32, registers: Registers) -> Self {
        Self {
            number,
            registers,
            step: [0; 32],
            base: [0; 32],
            top: [0; 32],
            frames: [const { Vec::new() }; 32],
            stacks: (0..32).map(|_| Stack::default()).collect(),
            live: 0,
            running: 0,
            at_barrier: 0,
            at_aligned: 0,
            at_exchange: 0,
            members: [0; 32],
            order: std::array::from_fn(|n| n as u8),
            sync: 0,
            patience: PATIENCE,
            clock: 0,
        }
    }

    /// The lanes of a mask, in the order in which they access memory.
    #[inline(always)]
    pub(crate) fn ordered(&self, mask: u32) -> impl Iterator<Item = usize> + use<> {
        let order = self.order;
        let mut n = 0;
        let mut rest = mask;
        std::iter::from_fn(move || {
            while rest != 0 {
                let lane = order[n];
                n += 1;
                if rest >> lane & 1 == 1 {
                    rest &= !(1 << lane);
                    return Some(lane as usize);
                }
            }
            None
        })
    }

    /// The lanes of a mask at the same step and frame as this lane.
    #[inline]
    pub(crate) fn beside(&self, lane: usize, mask: u32) -> u32 {
        let (step, base) = (self.step[lane], self.base[lane]);
        let mut beside = 0;
        for other in 0..32 {
            beside |= u32::from(self.step[other] == step && self.base[other] == base) << other;
        }
        beside & mask
    }

    /// The group that executes next: among the groups in the deepest frame, the one that is furthest behind, so that it
    /// may join the others. Steps are in such an order that branches meet again there. Some lane must be running.
    pub(crate) fn select(&mut self, random: &mut Random) -> Group {
        let first = self.running.trailing_zeros() as usize;
        let mask = self.beside(first, self.running);
        if mask == self.running {
            self.patience = PATIENCE;
            return Group { mask, step: self.step[first], base: self.base[first], limit: u32::MAX };
        }
        if self.patience == 0 {
            self.patience = PATIENCE / 2 + random.below(u64::from(PATIENCE)) as u32;
            let lane = lanes(self.running).nth(random.below(u64::from(self.running.count_ones())) as usize);
            let lane = lane.unwrap_or(first);
            let mask = self.beside(lane, self.running);
            return Group { mask, step: self.step[lane], base: self.base[lane], limit: u32::MAX };
        }
        let (mut best, mut limit) = (first, u32::MAX);
        for lane in lanes(self.running) {
            let (deeper, same) = (self.base[lane] > self.base[best], self.base[lane] == self.base[best]);
            if deeper || same && self.step[lane] < self.step[best] {
                best = lane;
            }
        }
        for lane in lanes(self.running) {
            if self.base[lane] == self.base[best] && self.step[lane] > self.step[best] {
                limit = limit.min(self.step[lane]);
            }
        }
        Group { mask: self.beside(best, self.running), step: self.step[best], base: self.base[best], limit }
    }

    /// Puts lanes at a step of their frame.
    #[inline(always)]
    pub(crate) fn place(&mut self, mask: u32, step: u32) {
        if mask == u32::MAX {
            self.step = [step; 32];
        } else {
            for lane in lanes(mask) {
                self.step[lane] = step;
            }
        }
    }
}

impl Warp {
    /// Makes it a warp at its start.
    pub(crate) fn reset(&mut self, number: u32, live: u32) {
        self.number = number;
        self.live = live;
        self.running = live;
        (self.at_barrier, self.at_aligned, self.at_exchange) = (0, 0, 0);
        self.base = [0; 32];
        self.frames.iter_mut().for_each(Vec::clear);
        self.sync = 0;
        self.patience = PATIENCE;
        self.clock = 0;
        self.registers.clear_poison();
    }
}
