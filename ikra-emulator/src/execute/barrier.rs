//! Barriers of a block.

use super::{Core, Next, Outcome, Trouble};
use crate::{
    block::{BARRIERS, Shared, Waiting},
    code::{Action, Barrier},
    fault::FaultKind,
    registers::lanes,
    warp::Warp,
};

impl Core<'_> {
    /// Lanes come to a barrier.
    pub(super) fn barrier(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        barrier: &Barrier,
        number: u32,
        mask: u32,
        active: u32,
    ) -> Outcome<Next> {
        warp.place(mask & !active, number + 1);
        if barrier.aligned && active != warp.live {
            // The others of the warp may still arrive.
            warp.place(active, number);
            warp.running &= !active;
            warp.at_aligned |= active;
            return Ok(Next::Apart);
        }
        self.arrive(shared, warp, barrier, number, active)?;
        Ok(Next::Apart)
    }

    /// Lanes arrive at a barrier, which counts them.
    fn arrive(&mut self, shared: &mut Shared, warp: &mut Warp, barrier: &Barrier, number: u32, active: u32) -> Outcome {
        self.counts.barriers += 1;
        warp.place(active, number + 1);
        let base = warp.base[active.trailing_zeros() as usize];
        warp.registers.base = base as usize;
        let numbers = *warp.registers.get(barrier.number);
        let counts = barrier.count.map(|count| *warp.registers.get(count));
        let holds = barrier.reduction.map_or(0, |(_, condition)| condition.mask(&warp.registers));
        let mut rest = active;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let same = lanes(rest).fold(0, |same, other| {
                same | u32::from(numbers[other] == numbers[lane] && counts.is_none_or(|c| c[other] == c[lane])) << other
            });
            rest &= !same;
            let n = numbers[lane] as usize;
            let expected = counts.map(|counts| counts[lane] as u32);
            if n >= BARRIERS || expected.is_some_and(|count| count == 0 || count % 32 != 0) {
                let detail =
                    format!("barrier {n} of {BARRIERS} with {expected:?} threads, which is not a multiple of 32");
                return Err(Trouble::new(lane, FaultKind::IllegalInstruction, detail));
            }
            let state = &mut shared.barriers[n];
            if state.arrived > 0 && state.expected != expected {
                let words = |count: Option<u32>| count.map_or("all threads".to_owned(), |n| format!("{n} threads"));
                let detail =
                    format!("barrier {n} is for {}, others came to it for {}", words(expected), words(state.expected));
                return Err(Trouble::new(lane, FaultKind::BarrierDivergence, detail));
            }
            state.expected = expected;
            state.arrived += same.count_ones();
            state.holds += (same & holds).count_ones();
            if barrier.waits {
                let reduction = barrier.reduction.map(|(reduction, _)| reduction);
                state.waiting.push(Waiting { warp: warp.number, mask: same, base, reduction });
                warp.running &= !same;
                warp.at_barrier |= same;
            } else {
                warp.running |= same;
            }
            shared.complete(n);
        }
        Ok(())
    }

    /// Lanes of the warp are at aligned barriers, and no others run.
    pub(super) fn settle_aligned(&mut self, shared: &mut Shared, warp: &mut Warp) -> Outcome {
        let waiting = warp.at_aligned;
        let first = waiting.trailing_zeros() as usize;
        let together = warp.beside(first, waiting);
        let number = warp.step[first];
        if together != warp.live && self.context.checks.barriers {
            let others = warp.live & !together;
            let other = others.trailing_zeros() as usize;
            let detail = format!(
                "lanes {together:#010x} of warp {} came to it apart from lanes {others:#010x}, which wait at line {}",
                warp.number,
                self.context.line_of_waiting(warp, other)
            );
            let mut trouble = Trouble::new(first, FaultKind::BarrierDivergence, detail);
            trouble.step = Some(number);
            return Err(trouble);
        }
        warp.at_aligned &= !together;
        if let Action::Barrier(barrier) = &self.context.code.steps[number as usize].action {
            self.arrive(shared, warp, barrier, number, together)?;
        }
        Ok(())
    }
}
