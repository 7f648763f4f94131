//! Storage for the columns of one class.

use std::alloc::{Layout as Block, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;

use crate::class::{Class, column_count, has_own_columns};
use crate::error::Error;
use crate::layout::{Layout, LayoutKind, PAGE, SHORT, arena_align, checked_pitch, geometry, stagger};
use crate::table::{Base, BaseSet};

/// An allocation, zeroed when made, freed when dropped.
struct Allocation {
    /// Its first byte that lies at a multiple of the requested alignment.
    start: NonNull<u8>,
    bytes: usize,
    whole: NonNull<u8>,
    block: Block,
}

// SAFETY: it owns memory of plain bytes.
unsafe impl Send for Allocation {}
// SAFETY: it owns memory of plain bytes, accessed under the rules of `Table`.
unsafe impl Sync for Allocation {}

impl Allocation {
    fn new(bytes: usize, align: usize) -> Option<Self> {
        // For a larger alignment, Rust's allocator writes the zeros itself. For this one or a smaller one it requests
        // zeroed memory. The system then provides each page at its first write, and a column that only a device writes
        // needs no pages.
        const USUAL: usize = 16;
        let bytes = bytes.max(1);
        let spare = align.saturating_sub(USUAL);
        let block = Block::from_size_align(bytes.checked_add(spare)?, align.min(USUAL)).ok()?;
        // SAFETY: the size is not zero, since `bytes` is at least 1.
        let whole = NonNull::new(unsafe { alloc_zeroed(block) })?;
        let shift = whole.as_ptr().addr().next_multiple_of(align) - whole.as_ptr().addr();
        // SAFETY: `whole` is aligned to 16 or to `align`, so the shift is at most `spare`, which the block includes.
        let start = unsafe { whole.add(shift) };
        Some(Self { start, bytes, whole, block })
    }

    /// Tells the system that all of it will be written soon. Linux then provides long pages where it has them, each at
    /// the cost of a short one.
    fn expect_writes(&self) {
        /// The length of a long page on most machines.
        const LONG: usize = 2 << 20;
        if self.bytes < LONG {
            return;
        }
        #[cfg(all(target_os = "linux", not(miri)))]
        // SAFETY: the range is this allocation's, and the advice changes neither its contents nor its addresses. If the
        // system refuses it, pages are short.
        let _ = unsafe { libc::madvise(self.start.as_ptr().cast(), self.bytes, libc::MADV_HUGEPAGE) };
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: `new` allocated the memory with this block.
        unsafe { dealloc(self.whole.as_ptr(), self.block) }
    }
}

/// Storage for some objects of a class: one allocation, or one per column for growing SoA, plus the arena. The columns
/// of an inner array's slots share one allocation.
pub(crate) struct Memory<C: Class> {
    allocations: Vec<Option<Allocation>>,
    arena: Option<Allocation>,
    arena_bytes: usize,
    bases: C::Bases,
    capacity: usize,
}

impl<C: Class> fmt::Debug for Memory<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("capacity", &self.capacity).finish_non_exhaustive()
    }
}

/// The number of geometry blocks that `objects` take.
pub(crate) fn blocks<C: Class>(objects: usize) -> usize {
    match C::Layout::KIND {
        LayoutKind::Soa => 1,
        LayoutKind::Aos => objects,
        LayoutKind::Tiles(tile) => objects.div_ceil(tile),
    }
}

impl<C: Class> Memory<C> {
    pub(crate) const fn empty() -> Self {
        Self { allocations: Vec::new(), arena: None, arena_bytes: 0, bases: C::Bases::NONE, capacity: 0 }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn bases(&self) -> C::Bases {
        self.bases
    }

    /// Storage for at least `capacity` objects, in the columns for which `wanted` is true. A class with a fixed
    /// capacity gets all of it at the start, so that its storage never moves.
    pub(crate) fn new(capacity: usize, wanted: impl Fn(usize) -> bool) -> Result<Self, Error> {
        let capacity = match (C::Layout::KIND, C::CAPACITY) {
            (_, Some(fixed)) => fixed as usize,
            (LayoutKind::Tiles(tile), None) => checked::<C>(capacity.checked_next_multiple_of(tile))?,
            _ => capacity,
        };
        let mut memory = Self { capacity, ..Self::empty() };
        let geometry = geometry::<C>();
        if has_own_columns::<C>() {
            let columns: Vec<_> = C::FIELDS.iter().flat_map(|field| field.columns).collect();
            for column in 0..columns.len() {
                let align = geometry.aligns[column];
                let bytes = checked::<C>(geometry.sizes[column].checked_mul(capacity))?;
                let next_slot = matches!(columns[column].slot, Some(1..));
                if !wanted(column) || next_slot {
                    memory.allocations.push(None);
                    if wanted(column) {
                        let before = memory.bases.get(column - 1).0;
                        let pitch = checked::<C>(checked_pitch(bytes, align))?;
                        // SAFETY: the allocation of the array's first slot is long enough for all slots.
                        *memory.bases.get_mut(column) = Base(unsafe { before.add(pitch) });
                    }
                    continue;
                }
                let others = columns[column + 1..].iter().take_while(|column| matches!(column.slot, Some(1..))).count();
                let shift = stagger(column, bytes, align);
                let all = checked_pitch(bytes, align)
                    .and_then(|pitch| others.checked_mul(pitch)?.checked_add(bytes)?.checked_add(shift));
                let allocation = allocate::<C>(checked::<C>(all)?, align)?;
                // SAFETY: the allocation is longer than the shift.
                *memory.bases.get_mut(column) = Base(unsafe { allocation.start.as_ptr().add(shift) });
                memory.allocations.push(Some(allocation));
            }
        } else {
            let bytes = checked::<C>(blocks::<C>(capacity).checked_mul(geometry.block))?;
            let allocation = allocate::<C>(bytes, geometry.align)?;
            *memory.bases.get_mut(0) = Base(allocation.start.as_ptr());
            memory.allocations.push(Some(allocation));
        }
        Ok(memory)
    }

    /// Tells the system that all columns will be written soon.
    pub(crate) fn expect_writes(&self) {
        self.allocations.iter().flatten().for_each(Allocation::expect_writes);
    }

    /// Copies the first `len` objects of `from`.
    pub(crate) fn copy_objects(&mut self, from: &Self, len: usize) {
        assert!(len <= self.capacity && len <= from.capacity);
        let geometry = geometry::<C>();
        let (to_bases, from_bases) = (self.bases, from.bases);
        let copy = |from: Base, to: Base, offset: usize, bytes: usize| {
            if bytes > 0 {
                // SAFETY: both storages have room for `len` objects and the same geometry, so it is in bounds (I18).
                let [from, to] = [from, to].map(|base| unsafe { base.0.add(offset) });
                // SAFETY: they are distinct allocations.
                unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
            }
        };
        match C::Layout::KIND {
            LayoutKind::Soa if has_own_columns::<C>() => {
                for column in 0..column_count(C::FIELDS) {
                    copy(from_bases.get(column), to_bases.get(column), 0, len * geometry.sizes[column]);
                }
            }
            LayoutKind::Soa => {
                for column in 0..column_count(C::FIELDS) {
                    let bytes = len * geometry.sizes[column];
                    copy(from_bases.get(0), to_bases.get(0), geometry.offsets[column], bytes);
                }
            }
            LayoutKind::Aos | LayoutKind::Tiles(_) => {
                copy(from_bases.get(0), to_bases.get(0), 0, blocks::<C>(len) * geometry.block);
            }
        }
    }

    pub(crate) fn arena_bytes(&self) -> usize {
        self.arena_bytes
    }

    /// Grows the arena to `bytes` bytes, and keeps its first `used` bytes.
    pub(crate) fn grow_arena(&mut self, bytes: usize, used: usize) -> Result<(), Error> {
        let arena = Self::new_arena(bytes)?;
        if let Some(before) = &self.arena {
            let used = used.min(self.arena_bytes).min(bytes);
            // SAFETY: both allocations have at least `used` bytes, and are distinct.
            unsafe { std::ptr::copy_nonoverlapping(before.start.as_ptr(), arena.start.as_ptr(), used) }
        }
        self.set_arena(Some(arena), bytes);
        Ok(())
    }

    /// Replaces the arena by one of `bytes` bytes. `fill` fills it, given the former and the new address.
    pub(crate) fn replace_arena(
        &mut self,
        bytes: usize,
        fill: impl FnOnce(*const u8, *mut u8) -> usize,
    ) -> Result<usize, Error> {
        let arena = Self::new_arena(bytes)?;
        let before = self.arena.as_ref().map_or(std::ptr::null(), |arena| arena.start.as_ptr().cast_const());
        let used = fill(before, arena.start.as_ptr());
        self.set_arena(Some(arena), bytes);
        Ok(used)
    }

    fn new_arena(bytes: usize) -> Result<Allocation, Error> {
        allocate::<C>(bytes, const { arena_align::<C>() })
    }

    /// Copies the arena of other storage, which has the same length.
    pub(crate) fn copy_arena(&mut self, from: &Self, used: usize) {
        let (Some(to), Some(from)) = (&self.arena, &from.arena) else { return };
        assert!(used <= from.bytes && used <= to.bytes);
        // SAFETY: both allocations have at least `used` bytes, by the check above, and are distinct.
        unsafe { std::ptr::copy_nonoverlapping(from.start.as_ptr(), to.start.as_ptr(), used) }
    }

    /// Takes over the arena of storage that is no longer needed.
    pub(crate) fn take_arena(&mut self, from: &mut Self) {
        let bytes = std::mem::take(&mut from.arena_bytes);
        self.set_arena(from.arena.take(), bytes);
    }

    pub(crate) fn swap_arena(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.arena, &mut other.arena);
        std::mem::swap(&mut self.arena_bytes, &mut other.arena_bytes);
        let column = column_count(C::FIELDS);
        std::mem::swap(self.bases.get_mut(column), other.bases.get_mut(column));
    }

    fn set_arena(&mut self, arena: Option<Allocation>, bytes: usize) {
        let base = arena.as_ref().map_or(Base::NONE, |arena| Base(arena.start.as_ptr()));
        *self.bases.get_mut(column_count(C::FIELDS)) = base;
        self.arena = arena;
        self.arena_bytes = bytes;
    }

    /// Swaps a column's storage with that of `other`, if each column has its own. Returns whether it has.
    pub(crate) fn swap_column(&mut self, other: &mut Self, column: usize) -> bool {
        if !has_own_columns::<C>() {
            return false;
        }
        assert_eq!(self.capacity, other.capacity);
        std::mem::swap(&mut self.allocations[column], &mut other.allocations[column]);
        std::mem::swap(self.bases.get_mut(column), other.bases.get_mut(column));
        true
    }
}

/// A size of storage, or an error if it exceeds the address space.
fn checked<C: Class>(bytes: Option<usize>) -> Result<usize, Error> {
    bytes.ok_or(Error::OutOfMemory { class: C::NAME, bytes: usize::MAX })
}

/// Allocates at a multiple of `align`; long allocations start at a page.
fn allocate<C: Class>(bytes: usize, align: usize) -> Result<Allocation, Error> {
    Allocation::new(bytes, if bytes < SHORT { align } else { align.max(PAGE) })
        .ok_or(Error::OutOfMemory { class: C::NAME, bytes })
}
