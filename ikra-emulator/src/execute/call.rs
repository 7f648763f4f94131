//! Calls and returns.

use super::{Core, Next, Outcome, Trouble};
use crate::{
    block::Shared,
    code::{Action, Call, FIRST_PARAMETER, FRAME_POINTER, FUNCTION_STRIDE, Target},
    fault::FaultKind,
    memory::window,
    registers::{Source, lanes},
    warp::{Frame, Warp},
};

/// Bytes of stack of a call besides its function's variables: the return address and saved registers.
pub(crate) const OVERHEAD: u32 = 16;

impl Core<'_> {
    /// Executes a call.
    pub(super) fn call(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        call: &Call,
        number: u32,
        mask: u32,
        active: u32,
    ) -> Outcome<Next> {
        self.counts.calls += u64::from(active.count_ones());
        warp.place(mask & !active, number + 1);
        match &call.target {
            Target::Builtin(builtin) => {
                self.builtin(shared, warp, call, *builtin, active)?;
                return Ok(Next::Follows);
            }
            Target::Function(function) => self.enter(warp, call, *function, number, active)?,
            Target::Address(source) => {
                let poison = warp.registers.source_poison(*source) & active;
                self.must_be_written(warp, poison, "which function is called")?;
                let targets = *warp.registers.get(*source);
                let mut rest = active;
                while rest != 0 {
                    let lane = rest.trailing_zeros() as usize;
                    let same = lanes(rest).filter(|&n| targets[n] == targets[lane]).fold(0, |same, n| same | 1 << n);
                    rest &= !same;
                    let address = targets[lane];
                    let index = window::offset(address) / FUNCTION_STRIDE;
                    let function = self.context.code.functions.get(index as usize).filter(|_| {
                        window::window(address) == window::FUNCTION
                            && window::offset(address).is_multiple_of(FUNCTION_STRIDE)
                    });
                    let Some(function) = function else {
                        let detail = "a call through an address that is no function";
                        return Err(Trouble::at(lane, FaultKind::IllegalInstruction, address, detail));
                    };
                    if function.signature != call.signature {
                        let detail = format!(
                            "a call of {} with parameters and results of {:?} bytes, which has {:?}",
                            function.name, call.signature, function.signature
                        );
                        return Err(Trouble::at(lane, FaultKind::IllegalInstruction, address, detail));
                    }
                    self.enter(warp, call, index as u32, number, same)?;
                }
            }
        }
        Ok(Next::Apart)
    }

    /// Opens a frame for lanes that call a function.
    fn enter(&mut self, warp: &mut Warp, call: &Call, function: u32, number: u32, active: u32) -> Outcome {
        let callee = &self.context.code.functions[function as usize];
        let caller_base = warp.registers.base;
        let base = caller_base + call.rows as usize;
        warp.registers.reserve(base + callee.rows as usize);
        for (n, &from) in call.arguments.iter().enumerate() {
            let values = *warp.registers.get(from);
            let row = warp.registers.absolute(base + FIRST_PARAMETER as usize + n);
            lanes(active).for_each(|lane| row[lane] = values[lane]);
            if warp.registers.is_poisoned
                && let Source::Row(from) = from
            {
                let to = base + FIRST_PARAMETER as usize + n;
                warp.registers.copy_poison(caller_base + from as usize, to, active);
            }
        }
        for lane in lanes(active) {
            let top = warp.top[lane];
            warp.frames[lane].push(Frame { step: number + 1, base: caller_base as u32, top });
            let start = (top + OVERHEAD).next_multiple_of(callee.local_align.max(8));
            let end = (start + callee.local_bytes).next_multiple_of(8);
            if end > self.context.stack_bytes {
                let detail = format!(
                    "{} calls deep, {} needs {} bytes up to {end}, and the stack has {}",
                    warp.frames[lane].len(),
                    callee.name,
                    callee.local_bytes + OVERHEAD,
                    self.context.stack_bytes
                );
                return Err(Trouble::new(lane, FaultKind::StackOverflow, detail));
            }
            warp.stacks[lane].open(start as usize, end as usize);
            warp.top[lane] = end;
            warp.base[lane] = base as u32;
            warp.step[lane] = callee.start;
            warp.registers.absolute(base + FRAME_POINTER as usize)[lane] = window::FIRST_LOCAL + u64::from(start);
        }
        Ok(())
    }

    /// Returns lanes to their callers, with their results. Lanes without a caller exit.
    pub(super) fn give_back(&mut self, shared: &mut Shared, warp: &mut Warp, mask: u32, active: u32, number: u32) {
        warp.place(mask & !active, number + 1);
        let base = warp.registers.base;
        let mut ends = 0;
        let mut rest = active;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let Some(&frame) = warp.frames[first].last() else {
                ends |= 1 << first;
                rest &= !(1 << first);
                continue;
            };
            let same = lanes(rest).fold(0, |same, lane| {
                let is_same = warp.frames[lane].last().is_some_and(|f| f.step == frame.step && f.base == frame.base);
                same | u32::from(is_same) << lane
            });
            rest &= !same;
            if let Action::Call(call) = &self.context.code.steps[frame.step as usize - 1].action {
                let results = base + FIRST_PARAMETER as usize + call.signature.parameter_rows();
                for (n, to) in call.results.iter().enumerate() {
                    if let Some(to) = to {
                        let values = *warp.registers.absolute(results + n);
                        let row = warp.registers.absolute(frame.base as usize + *to as usize);
                        lanes(same).for_each(|lane| row[lane] = values[lane]);
                        warp.registers.copy_poison(results + n, frame.base as usize + *to as usize, same);
                    }
                }
            }
            for lane in lanes(same) {
                warp.step[lane] = frame.step;
                warp.base[lane] = frame.base;
                if let Some(frame) = warp.frames[lane].pop() {
                    warp.top[lane] = frame.top;
                }
            }
        }
        if ends != 0 {
            Self::exit(shared, warp, ends);
        }
    }

    /// The argument of a builtin function.
    pub(super) fn argument(warp: &Warp, call: &Call, n: usize, lane: usize) -> u64 {
        call.arguments.get(n).map_or(0, |&source: &Source| warp.registers.get(source)[lane])
    }
}
