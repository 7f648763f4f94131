//! The most frequent access: all lanes, one after the other, in one allocation. Words are loaded and stored whole.

use super::{Core, Outcome};
use crate::{
    block::Shared,
    code::{Access, Space},
    memory::{
        allocations::{Allocation, Purpose},
        shadow::CHUNK,
        window,
    },
    registers::Row,
    warp::Warp,
};

impl Core<'_> {
    /// The addresses of all lanes, if their accesses are of this kind.
    #[inline(always)]
    fn contiguous(&mut self, access: &Access, addresses: &Row) -> Option<(&Allocation, usize)> {
        let (width, first) = (access.width, addresses[0]);
        let is_global =
            matches!(access.space, Space::Global | Space::Generic) && window::window(first) == window::GLOBAL;
        if !is_global || width < 4 || access.elements.len() != 1 || !first.is_multiple_of(8) {
            return None;
        }
        let mut differs = 0;
        for lane in 0..32 {
            differs |= addresses[lane] ^ first.wrapping_add((lane * width) as u64);
        }
        if differs != 0 {
            return None;
        }
        let (allocation, at) = self.recent.find(first, 32 * width)?;
        (allocation.purpose == Purpose::Global && at % CHUNK + 32 * width <= CHUNK).then_some((allocation, at))
    }

    /// Loads for all lanes, if their accesses are of this kind; returns the lanes that loaded uninitialised bytes.
    #[inline(always)]
    pub(super) fn load_contiguous(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        access: &Access,
        addresses: &Row,
        values: &mut Row,
    ) -> Option<Outcome<u32>> {
        let context = self.context;
        let (allocation, at) = self.contiguous(access, addresses)?;
        let width = access.width;
        let mut unwritten = 0;
        let per_word = 8 / width;
        for word in 0..32 / per_word {
            let value = allocation.cells.load(at + word * 8, 8);
            let written = if context.checks.uninitialised { allocation.cells.written(at + word * 8, 8) } else { 0xff };
            if width == 8 {
                values[word] = value;
                unwritten |= u32::from(written == 0) << word;
            } else {
                values[word * 2] = value & 0xffff_ffff;
                values[word * 2 + 1] = value >> 32;
                let none = u32::from(written & 0xf == 0) | u32::from(written & 0xf0 == 0) << 1;
                unwritten |= none << (word * 2);
            }
        }
        if shared.clock.enabled {
            let entries = allocation.shadow.entries(at, 32 * width);
            let thread = shared.clock.first + u64::from(warp.number) * 32;
            for (lane, pairs) in entries.chunks_exact(entries.len() / 32).enumerate() {
                for pair in pairs {
                    let (thread, atomic) = (thread + lane as u64, access.semantics.atomic);
                    if let Some(race) = shared.clock.read(pair, thread, warp.sync, atomic, &context.fences) {
                        return Some(Err(context.race_at(lane, addresses[lane], race)));
                    }
                }
            }
        }
        Some(Ok(unwritten))
    }

    /// Stores for all lanes, if their accesses are of this kind. No value depends on uninitialised bytes.
    #[inline(always)]
    pub(super) fn store_contiguous(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        access: &Access,
        addresses: &Row,
        values: &Row,
    ) -> Option<Outcome> {
        let context = self.context;
        let (allocation, at) = self.contiguous(access, addresses)?;
        let width = access.width;
        if shared.clock.enabled {
            let entries = allocation.shadow.entries(at, 32 * width);
            let thread = shared.clock.first + u64::from(warp.number) * 32;
            for (lane, pairs) in entries.chunks_exact(entries.len() / 32).enumerate() {
                for pair in pairs {
                    let (thread, atomic) = (thread + lane as u64, access.semantics.atomic);
                    if let Some(race) = shared.clock.write(pair, thread, warp.sync, atomic, &context.fences) {
                        return Some(Err(context.race_at(lane, addresses[lane], race)));
                    }
                }
            }
        }
        let per_word = 8 / width;
        for word in 0..32 / per_word {
            let value =
                if width == 8 { values[word] } else { values[word * 2] & 0xffff_ffff | values[word * 2 + 1] << 32 };
            allocation.cells.store(at + word * 8, 8, value);
            allocation.cells.set_written(at + word * 8, 8, 0xff);
        }
        Some(Ok(()))
    }
}
