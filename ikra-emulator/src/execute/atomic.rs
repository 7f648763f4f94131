//! Atomic operations.

use super::{
    Core, Outcome, Trouble,
    access::{Sectors, Where, addresses, locate},
};
use crate::{block::Shared, code::Atomic, fault::FaultKind, warp::Warp};

impl Core<'_> {
    /// Executes an atomic operation, lane by lane in the warp's order.
    pub(super) fn atomic(&mut self, shared: &mut Shared, warp: &mut Warp, atomic: &Atomic, active: u32) -> Outcome {
        if atomic.semantics.fence {
            shared.clock.fence(&self.context.fences, true);
        }
        let (context, width) = (self.context, atomic.width);
        let addresses = addresses(warp, atomic.address);
        if warp.registers.is_poisoned {
            let address = warp.registers.source_poison(atomic.address.base) & active;
            self.must_be_written(warp, address, "the address")?;
            let operands = atomic.operands.iter().fold(0, |all, &one| all | warp.registers.source_poison(one)) & active;
            self.must_be_written(warp, operands, "the operand of an atomic operation")?;
            if let Some(to) = atomic.to {
                warp.registers.set_poison(to, active, 0);
            }
        }
        let [b, c] = atomic.operands.map(|source| *warp.registers.get(source));
        let mut old = [0; 32];
        let mut sectors = Sectors::new();
        for lane in warp.ordered(active) {
            let address = addresses[lane];
            if !address.is_multiple_of(width as u64) {
                return self.misaligned(lane, address, width);
            }
            match locate(atomic.space, address) {
                Where::Global(address) => {
                    sectors.add(address);
                    self.written_before(lane, address, width)?;
                    let _one_step = shared.clock.enabled.then(|| context.updates.lock(address));
                    if let Some((allocation, at)) =
                        self.writable(shared, warp, lane, address, width, atomic.semantics)?
                    {
                        old[lane] = allocation.cells.update(at, width, |a| (atomic.update)(a, b[lane], c[lane]));
                        allocation.cells.set_written(at, width, 0xff);
                    }
                }
                Where::Shared(address) => {
                    if let Some(at) = self.writable_shared(shared, warp, lane, address, width, atomic.semantics)? {
                        if self.context.checks.uninitialised && shared.cells.written(at, width) == 0 {
                            let detail = format!(
                                "{width} bytes at offset {at} of the block's shared memory, which nobody wrote"
                            );
                            return Err(Trouble::at(lane, FaultKind::Uninitialised, address as u64, detail));
                        }
                        old[lane] = shared.cells.load(at, width);
                        shared.cells.store_alone(at, width, (atomic.update)(old[lane], b[lane], c[lane]));
                        shared.cells.set_written(at, width, 0xff);
                    }
                }
                Where::Local(address) => {
                    if let Some(at) = self.local_position(warp, lane, address, width)? {
                        let stack = &mut warp.stacks[lane];
                        old[lane] = stack.load(at, width);
                        stack.store(at, width, (atomic.update)(old[lane], b[lane], c[lane]), 0xff);
                    }
                }
                Where::Parameter(_) => {
                    let detail = "the kernel's parameters cannot be written";
                    return Err(Trouble::at(lane, FaultKind::ReadOnly, address, detail));
                }
            }
        }
        self.counts.atomics += u64::from(active.count_ones());
        self.counts.store_sectors += sectors.count();
        if let Some(to) = atomic.to {
            warp.registers.put(to, active, &old);
        }
        if atomic.semantics.fence {
            shared.clock.fence(&self.context.fences, true);
        }
        Ok(())
    }

    /// Whether the bytes that an atomic operation reads are initialised.
    fn written_before(&mut self, lane: usize, address: u64, width: usize) -> Outcome {
        if !self.context.checks.uninitialised {
            return Ok(());
        }
        if let Some((allocation, at)) = self.recent.find(address, width)
            && allocation.cells.written(at, width) == 0
        {
            let place = self.context.device.memory.describe(address);
            let detail = format!("{width} bytes, which nobody wrote, from {place}");
            return Err(Trouble::at(lane, FaultKind::Uninitialised, address, detail));
        }
        Ok(())
    }
}
