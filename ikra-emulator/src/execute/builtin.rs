//! Functions that the device provides: `__assertfail`, `vprintf`, `malloc`, `free`, `cudaGraphSetConditional`.

use super::{
    Core, Outcome, Trouble,
    access::{Where, locate},
};
use crate::{
    block::Shared,
    code::{Builtin, Call, Space},
    fault::FaultKind,
    memory::{allocations::Purpose, cells::Cells},
    registers::lanes,
    warp::Warp,
};

/// Texts longer than this are cut.
const LONGEST: usize = 4096;

impl Core<'_> {
    pub(super) fn builtin(
        &mut self,
        shared: &Shared,
        warp: &mut Warp,
        call: &Call,
        builtin: Builtin,
        active: u32,
    ) -> Outcome {
        let mut results = [0; 32];
        for lane in lanes(active) {
            let argument = |n| Self::argument(warp, call, n, lane);
            results[lane] = match builtin {
                Builtin::AssertFail => {
                    let [message, file, function] = [0, 1, 3].map(|n| self.text(shared, warp, lane, argument(n)));
                    let kind = FaultKind::Assert { message, file, line: argument(2) as u32, function };
                    return Err(Trouble::new(lane, kind, ""));
                }
                Builtin::Print => {
                    let format = self.text(shared, warp, lane, argument(0));
                    let text = self.formatted(shared, warp, lane, &format, argument(1));
                    print!("{text}");
                    u64::from(text.len() as u32)
                }
                Builtin::Allocate => self.context.allocate(argument(0) as usize),
                Builtin::Free => {
                    self.context
                        .free(argument(0))
                        .map_err(|fault| Trouble::at(lane, fault.kind, argument(0), fault.detail))?;
                    0
                }
                Builtin::SetCondition => {
                    if !self.context.device.set_condition(argument(0), argument(1) as u32) {
                        let detail = format!("no graph has the condition {:#x}", argument(0));
                        return Err(Trouble::at(lane, FaultKind::IllegalInstruction, argument(0), detail));
                    }
                    0
                }
            };
        }
        if let Some(Some(to)) = call.results.first() {
            warp.registers.put(*to, active, &results);
        }
        Ok(())
    }

    /// The bytes at a generic address, as a lane sees them; none where there is no memory.
    fn byte(&mut self, shared: &Shared, warp: &Warp, lane: usize, address: u64) -> Option<u8> {
        match locate(Space::Generic, address) {
            Where::Global(address) => {
                let (allocation, at) = self.recent.find(address, 1)?;
                Some(allocation.cells.load(at, 1) as u8)
            }
            Where::Shared(address) => {
                let at = self.shared_position(shared, lane, address, 1).ok()??;
                Some(shared.cells.load(at, 1) as u8)
            }
            Where::Local(address) => {
                let at = self.local_position(warp, lane, address, 1).ok()??;
                Some(warp.stacks[lane].load(at, 1) as u8)
            }
            Where::Parameter(_) => None,
        }
    }

    /// A text that ends in 0.
    fn text(&mut self, shared: &Shared, warp: &Warp, lane: usize, address: u64) -> String {
        let mut bytes = Vec::new();
        while bytes.len() < LONGEST {
            match self.byte(shared, warp, lane, address + bytes.len() as u64) {
                None | Some(0) => break,
                Some(byte) => bytes.push(byte),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// `printf`: arguments lie one after the other, each at a multiple of its size.
    fn formatted(&mut self, shared: &Shared, warp: &Warp, lane: usize, format: &str, arguments: u64) -> String {
        let mut out = String::new();
        let mut at = arguments;
        let mut rest = format;
        while let Some(start) = rest.find('%') {
            out += &rest[..start];
            rest = &rest[start + 1..];
            let Some(end) = rest.find(|c: char| c.is_ascii_alphabetic() && !"hlzjt".contains(c) || c == '%') else {
                break;
            };
            let (how, conversion) = (&rest[..end], rest.as_bytes()[end]);
            rest = &rest[end + 1..];
            if conversion == b'%' {
                out.push('%');
                continue;
            }
            let wide = how.contains(['l', 'z', 'j', 't']) || b"fFeEgGaAsp".contains(&conversion);
            let size = if wide { 8 } else { 4 };
            at = at.next_multiple_of(size);
            let value = (0..size)
                .fold(0, |value, n| value | u64::from(self.byte(shared, warp, lane, at + n).unwrap_or(0)) << (8 * n));
            at += size;
            let flags = how.trim_end_matches(['h', 'l', 'z', 'j', 't']);
            let (width, precision) = match flags.split_once('.') {
                Some((width, precision)) => (width, precision.parse().ok()),
                None => (flags, None),
            };
            let signed = if wide { value as i64 } else { i64::from(value as i32) };
            let text = match conversion {
                b'd' | b'i' => signed.to_string(),
                b'u' => value.to_string(),
                b'x' => format!("{value:x}"),
                b'X' => format!("{value:X}"),
                b'o' => format!("{value:o}"),
                b'p' => format!("{value:#x}"),
                b'c' => char::from(value as u8).to_string(),
                b's' => self.text(shared, warp, lane, value),
                b'e' | b'E' => format!("{:.*e}", precision.unwrap_or(6), f64::from_bits(value)),
                _ => format!("{:.*}", precision.unwrap_or(6), f64::from_bits(value)),
            };
            let columns = width.trim_start_matches(['-', '+', ' ', '#', '0']).parse().unwrap_or(0);
            if width.starts_with('-') {
                out += &format!("{text:<columns$}");
            } else if width.starts_with('0') {
                out += &format!("{text:0>columns$}");
            } else {
                out += &format!("{text:>columns$}");
            }
        }
        out + rest
    }
}

impl crate::grid::Context<'_> {
    /// `malloc`: 0 if the heap is full.
    fn allocate(&self, bytes: usize) -> u64 {
        use std::sync::atomic::Ordering::SeqCst;
        let heap = &self.device.heap;
        let most = self.device.options.heap_bytes;
        if heap.fetch_update(SeqCst, SeqCst, |used| used.checked_add(bytes).filter(|&sum| sum <= most)).is_err() {
            return 0;
        }
        self.device
            .memory
            .allocate(bytes.max(1), Cells::new, Purpose::Global, "malloc")
            .map_or(0, |allocation| allocation.start)
    }

    /// `free`
    fn free(&self, address: u64) -> Result<(), crate::fault::Fault> {
        use std::sync::atomic::Ordering::SeqCst;
        if address == 0 {
            return Ok(());
        }
        let bytes = self.device.memory.find(address).map_or(0, |allocation| allocation.cells.bytes());
        self.device.memory.free(address)?;
        let _ = self.device.heap.fetch_update(SeqCst, SeqCst, |used| Some(used.saturating_sub(bytes)));
        Ok(())
    }
}
