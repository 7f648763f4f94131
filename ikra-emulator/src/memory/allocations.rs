//! Allocations of a device, and their addresses.

use std::sync::{
    Arc, RwLock,
    atomic::{
        AtomicBool, AtomicUsize,
        Ordering::{Relaxed, SeqCst},
    },
};

use super::{
    cells::Cells,
    place::Place,
    shadow::Shadow,
    window::{FIRST, GLOBAL, PART, offset, window},
};
use crate::fault::{Fault, FaultKind};

/// The purpose of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Memory allocated by the host or the device, or a variable.
    Global,
    /// A variable in constant memory.
    Constant,
    /// Memory of the host that the device reaches.
    Host,
}

/// One allocation.
pub(crate) struct Allocation {
    pub(crate) start: u64,
    pub(crate) cells: Cells,
    pub(crate) shadow: Shadow,
    pub(crate) purpose: Purpose,
    pub(crate) what: Arc<str>,
    live: AtomicBool,
}

impl std::fmt::Debug for Allocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Allocation({}, {:#x}, {} bytes)", self.what, self.start, self.cells.bytes())
    }
}

impl Allocation {
    /// The range of `width` bytes at the address within the allocation.
    #[inline(always)]
    pub(crate) fn position(&self, address: u64, width: usize) -> Option<usize> {
        let at = address.wrapping_sub(self.start) as usize;
        // Addresses below the start become large numbers.
        (at < self.cells.bytes() && self.cells.bytes() - at >= width).then_some(at)
    }

    /// Whether it is not freed.
    #[inline(always)]
    pub(crate) fn is_live(&self) -> bool {
        self.live.load(Relaxed)
    }
}

struct Slot {
    allocation: Option<Arc<Allocation>>,
    start: u64,
    bytes: usize,
    what: Arc<str>,
}

/// All allocations of a device. Addresses are never used again.
pub(crate) struct Allocations {
    slots: RwLock<Vec<Slot>>,
    host: RwLock<Vec<Arc<Allocation>>>,
    used: AtomicUsize,
    capacity: usize,
    /// The number of the first slot: devices with other numbers have other addresses.
    first_slot: u64,
}

/// Slots of a device, as a power of two.
const SLOTS: u32 = 20;
/// Shorter allocations start on any multiple of 256 bytes.
const LONG: usize = 2 << 20;

impl Allocations {
    /// Without allocations, with addresses that no device of another number below 256 has.
    pub(crate) fn new(capacity: usize, number: u8) -> Self {
        let first_slot = u64::from(number) << SLOTS;
        Self { slots: RwLock::default(), host: RwLock::default(), used: AtomicUsize::new(0), capacity, first_slot }
    }

    /// The index of an address's slot.
    fn slot(&self, address: u64) -> Option<usize> {
        (offset(address) >> PART).checked_sub(self.first_slot).map(|slot| slot as usize)
    }

    /// Bytes that are allocated.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// A new allocation, or none if the memory is too small.
    pub(crate) fn allocate(
        &self,
        bytes: usize,
        make_cells: fn(usize) -> Cells,
        purpose: Purpose,
        what: &str,
    ) -> Option<Arc<Allocation>> {
        self.used
            .fetch_update(SeqCst, SeqCst, |used| used.checked_add(bytes).filter(|&sum| sum <= self.capacity))
            .ok()?;
        let what = Arc::<str>::from(what);
        let cells = make_cells(bytes);
        let make = |start, cells, what| {
            Arc::new(Allocation {
                start,
                cells,
                shadow: Shadow::new(bytes),
                purpose,
                what,
                live: AtomicBool::new(true),
            })
        };
        if purpose == Purpose::Host {
            let allocation = make(cells.host_address(), cells, what);
            self.host.write().expect("no holder of the lock panics").push(Arc::clone(&allocation));
            return Some(allocation);
        }
        let mut slots = self.slots.write().expect("no holder of the lock panics");
        if slots.len() >= 1 << SLOTS {
            self.used.fetch_sub(bytes, SeqCst);
            return None;
        }
        let uneven = if bytes < LONG { 256 * (slots.len() as u64 % 251) } else { 0 };
        let start = GLOBAL + ((self.first_slot + slots.len() as u64) << PART) + FIRST + uneven;
        let allocation = make(start, cells, Arc::clone(&what));
        // A gap after each, as before.
        let parts = (FIRST + uneven + bytes as u64 + FIRST).div_ceil(1 << PART);
        for _ in 0..parts {
            slots.push(Slot { allocation: Some(Arc::clone(&allocation)), start, bytes, what: Arc::clone(&what) });
        }
        Some(allocation)
    }

    /// Frees the allocation that starts at the address.
    pub(crate) fn free(&self, address: u64) -> Result<(), Fault> {
        let found = self.find(address).filter(|allocation| allocation.start == address);
        let Some(allocation) = found else {
            return Err(Fault::new(FaultKind::InvalidValue, format!("freed is {}", self.describe(address))).at(address));
        };
        if !allocation.live.swap(false, SeqCst) {
            return Err(
                Fault::new(FaultKind::UseAfterFree, format!("freed twice is {}", self.describe(address))).at(address)
            );
        }
        self.used.fetch_sub(allocation.cells.bytes(), SeqCst);
        if allocation.purpose == Purpose::Host {
            self.host.write().expect("no holder of the lock panics").retain(|other| !Arc::ptr_eq(other, &allocation));
        } else {
            for slot in self.slots.write().expect("no holder of the lock panics").iter_mut() {
                if slot.start == address {
                    slot.allocation = None;
                }
            }
        }
        Ok(())
    }

    /// The live allocation to which the address belongs, or next to which it lies.
    pub(crate) fn find(&self, address: u64) -> Option<Arc<Allocation>> {
        if window(address) == GLOBAL {
            let slots = self.slots.read().expect("no holder of the lock panics");
            return slots.get(self.slot(address)?)?.allocation.clone();
        }
        let host = self.host.read().expect("no holder of the lock panics");
        host.iter().find(|allocation| allocation.position(address, 1).is_some()).cloned()
    }

    /// The live allocation that holds this many bytes at the address, and their range in it.
    pub(crate) fn range(&self, address: u64, bytes: usize) -> Result<(Arc<Allocation>, usize), Fault> {
        let fault = || self.fault(address);
        let allocation = self.find(address).ok_or_else(fault)?;
        let at = address.wrapping_sub(allocation.start) as usize;
        let end = at.checked_add(bytes).ok_or_else(fault)?;
        if address < allocation.start || end > allocation.cells.bytes() {
            let last =
                if address < allocation.start { address } else { allocation.start + allocation.cells.bytes() as u64 };
            let mut fault = self.fault(last);
            if address >= allocation.start {
                fault.detail = format!("{bytes} bytes from {}", self.describe(address));
            }
            return Err(fault.at(address));
        }
        Ok((allocation, at))
    }

    /// The fault of an access to the address, if it is not in a live allocation.
    pub(crate) fn fault(&self, address: u64) -> Fault {
        let freed = self
            .place(address)
            .is_some_and(|place| !place.live && place.offset >= 0 && place.offset < place.bytes as i64);
        let kind = if freed { FaultKind::UseAfterFree } else { FaultKind::OutOfBounds };
        Fault::new(kind, self.describe(address)).at(address)
    }

    /// The position of the address, if in or next to an allocation.
    pub(crate) fn place(&self, address: u64) -> Option<Place> {
        if window(address) == GLOBAL {
            let slots = self.slots.read().expect("no holder of the lock panics");
            let slot = slots.get(self.slot(address)?)?;
            return Some(Place {
                what: slot.what.to_string(),
                bytes: slot.bytes,
                offset: address.wrapping_sub(slot.start) as i64,
                live: slot.allocation.is_some(),
            });
        }
        let host = self.host.read().expect("no holder of the lock panics");
        let nearest = host.iter().min_by_key(|allocation| {
            let end = allocation.start + allocation.cells.bytes() as u64;
            allocation.start.saturating_sub(address).max(address.saturating_sub(end))
        })?;
        let offset = address.wrapping_sub(nearest.start) as i64;
        (offset.unsigned_abs() < nearest.cells.bytes() as u64 + 4096).then(|| Place {
            what: nearest.what.to_string(),
            bytes: nearest.cells.bytes(),
            offset,
            live: true,
        })
    }

    /// The position of the address, in words.
    pub(crate) fn describe(&self, address: u64) -> String {
        match self.place(address) {
            Some(place) => place.to_string(),
            None if address < 4096 => "no allocation: a null pointer, or an offset from one".to_owned(),
            None => "no allocation".to_owned(),
        }
    }

    /// Live allocations.
    pub(crate) fn live(&self) -> Vec<Arc<Allocation>> {
        let slots = self.slots.read().expect("no holder of the lock panics");
        let mut live = slots.iter().filter_map(|slot| slot.allocation.clone()).collect::<Vec<_>>();
        live.extend(self.host.read().expect("no holder of the lock panics").iter().cloned());
        live
    }
}

/// The allocations that one host thread used last.
pub(crate) struct Recent<'a> {
    allocations: &'a Allocations,
    entries: Vec<Option<Arc<Allocation>>>,
}

const ENTRIES: usize = 64;

impl<'a> Recent<'a> {
    pub(crate) fn new(allocations: &'a Allocations) -> Self {
        Self { allocations, entries: vec![None; ENTRIES] }
    }

    /// The live allocation that holds `width` bytes at the address, and their range in it.
    #[inline(always)]
    pub(crate) fn find(&mut self, address: u64, width: usize) -> Option<(&Allocation, usize)> {
        let entry = (address >> PART) as usize % ENTRIES;
        let hit = self.entries[entry].as_ref().is_some_and(|a| a.is_live() && a.position(address, width).is_some());
        if !hit {
            self.entries[entry] = Some(self.allocations.find(address)?);
        }
        let allocation = self.entries[entry].as_deref()?;
        let at = allocation.position(address, width)?;
        Some((allocation, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_next_to_an_allocation_are_named() {
        let all = Allocations::new(1 << 30, 0);
        let a = all.allocate(4000, Cells::new, Purpose::Global, "positions").unwrap();
        let b = all.allocate(16, Cells::new, Purpose::Global, "").unwrap();
        assert_ne!(a.start, b.start);
        assert_eq!(all.describe(a.start + 4004), "4 bytes past the end of an allocation of 4000 bytes (positions)");
        assert_eq!(all.describe(b.start - 1), "1 byte before the start of an allocation of 16 bytes");
        assert_eq!(all.describe(a.start + 8), "byte 8 of an allocation of 4000 bytes (positions)");
        assert_eq!(all.describe(0), "no allocation: a null pointer, or an offset from one");
        all.free(a.start).unwrap();
        assert_eq!(all.fault(a.start + 8).kind, FaultKind::UseAfterFree);
        assert_eq!(all.free(a.start).unwrap_err().kind, FaultKind::InvalidValue);
        assert_eq!(all.used(), 16);
    }

    #[test]
    fn capacity_is_a_limit() {
        let all = Allocations::new(100, 3);
        let a = all.allocate(60, Cells::new, Purpose::Global, "").unwrap();
        assert!(all.allocate(60, Cells::new, Purpose::Global, "").is_none());
        all.free(a.start).unwrap();
        assert!(all.allocate(60, Cells::new, Purpose::Global, "").is_some());
    }

    #[test]
    fn ranges_end_with_their_allocation() {
        let all = Allocations::new(1 << 30, 0);
        let a = all.allocate(100, Cells::new, Purpose::Global, "").unwrap();
        assert!(all.range(a.start + 90, 10).is_ok());
        assert_eq!(all.range(a.start + 90, 11).unwrap_err().kind, FaultKind::OutOfBounds);
        assert_eq!(all.range(a.start + 90, usize::MAX).unwrap_err().kind, FaultKind::OutOfBounds);
    }
}
