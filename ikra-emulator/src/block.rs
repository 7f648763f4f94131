//! Blocks: shared memory, barriers, and the warps that use them.

use crate::{
    code::Reduction,
    memory::{cells::Cells, shadow::Shadow},
    races::Clock,
    registers::lanes,
    warp::Warp,
};

/// Lanes of a warp that wait at a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) warp: u32,
    pub(crate) mask: u32,
    pub(crate) base: u32,
    pub(crate) reduction: Option<Reduction>,
}

/// One of a block's barriers.
#[derive(Clone, Debug, Default)]
pub(crate) struct BarrierState {
    /// The number of threads that it takes, if they are counted.
    pub(crate) expected: Option<u32>,
    pub(crate) arrived: u32,
    /// Threads whose predicate held.
    pub(crate) holds: u32,
    pub(crate) waiting: Vec<Waiting>,
}

/// State that the warps of a block share.
pub(crate) struct Shared {
    pub(crate) id: [u32; 3],
    pub(crate) cells: Cells,
    pub(crate) shadow: Shadow,
    pub(crate) barriers: Vec<BarrierState>,
    pub(crate) clock: Clock,
    /// Threads that did not exit.
    pub(crate) live: u32,
    /// Lanes that a barrier releases: the block moves them on.
    pub(crate) released: Vec<(Waiting, u64)>,
    pub(crate) multiprocessor: u32,
}

/// Barriers of a block.
pub(crate) const BARRIERS: usize = 16;

/// A block in progress.
pub(crate) struct Block {
    pub(crate) shared: Shared,
    pub(crate) warps: Vec<Warp>,
}

impl Shared {
    /// Threads arrived or exited: opens the barrier if it is complete.
    pub(crate) fn complete(&mut self, number: usize) {
        let barrier = &mut self.barriers[number];
        let expected = barrier.expected.unwrap_or(self.live);
        if barrier.arrived == 0 || barrier.arrived < expected {
            return;
        }
        let barrier = std::mem::take(barrier);
        self.clock.barrier = self.clock.tick();
        for waiting in barrier.waiting {
            let value = match waiting.reduction {
                None => 0,
                Some(Reduction::Count { .. }) => u64::from(barrier.holds),
                Some(Reduction::All { .. }) => u64::from(barrier.holds == barrier.arrived),
                Some(Reduction::Any { .. }) => u64::from(barrier.holds > 0),
            };
            self.released.push((waiting, value));
        }
    }

    /// Opens the barriers that are complete because threads exited.
    pub(crate) fn complete_all(&mut self) {
        for number in 0..self.barriers.len() {
            self.complete(number);
        }
    }
}

impl Block {
    /// Moves on the lanes that barriers released.
    pub(crate) fn release(&mut self) {
        for (waiting, value) in std::mem::take(&mut self.shared.released) {
            let warp = &mut self.warps[waiting.warp as usize];
            warp.at_barrier &= !waiting.mask;
            warp.running |= waiting.mask;
            warp.registers.base = waiting.base as usize;
            match waiting.reduction {
                None => {}
                Some(Reduction::Count { to }) => {
                    let row = warp.registers.row_mut(to);
                    lanes(waiting.mask).for_each(|lane| row[lane] = value);
                }
                Some(Reduction::All { to } | Reduction::Any { to }) => {
                    warp.registers.set_mask(to, waiting.mask, if value == 1 { u32::MAX } else { 0 });
                }
            }
        }
    }
}
