//! Storage for the columns of one class.

use std::alloc::{Layout as Block, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;

use crate::class::{Class, column_count, has_own_columns};
use crate::error::Error;
use crate::layout::{LayoutKind, PAGE, SHORT, arena_align, checked_pitch, stagger};
use crate::plan::Plan;
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
    pub(crate) fn new(capacity: usize, wanted: &dyn Fn(usize) -> bool) -> Result<Self, Error> {
        let mut bases = C::Bases::NONE;
        let (allocations, capacity) = columns(Plan::of::<C>(), capacity, wanted, bases.all_mut())?;
        Ok(Self { allocations, bases, capacity, ..Self::empty() })
    }

    /// Tells the system that all columns will be written soon.
    pub(crate) fn expect_writes(&self) {
        self.allocations.iter().flatten().for_each(Allocation::expect_writes);
    }

    /// Copies the first `len` objects of `from`.
    pub(crate) fn copy_objects(&mut self, from: &Self, len: usize) {
        assert!(len <= self.capacity && len <= from.capacity);
        // SAFETY: both are storage of the class with room for `len` objects, and distinct allocations (I18).
        unsafe { copy_objects(Plan::of::<C>(), from.bases.all(), self.bases.all(), len) }
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
        fill: &mut dyn FnMut(*const u8, *mut u8) -> usize,
    ) -> Result<usize, Error> {
        let arena = Self::new_arena(bytes)?;
        let before = self.arena.as_ref().map_or(std::ptr::null(), |arena| arena.start.as_ptr().cast_const());
        let used = fill(before, arena.start.as_ptr());
        self.set_arena(Some(arena), bytes);
        Ok(used)
    }

    fn new_arena(bytes: usize) -> Result<Allocation, Error> {
        allocate(C::NAME, bytes, const { arena_align::<C>() })
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
        std::mem::swap(&mut self.bases.all_mut()[column], &mut other.bases.all_mut()[column]);
    }

    fn set_arena(&mut self, arena: Option<Allocation>, bytes: usize) {
        let base = arena.as_ref().map_or(Base::NONE, |arena| Base(arena.start.as_ptr()));
        self.bases.all_mut()[column_count(C::FIELDS)] = base;
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
        std::mem::swap(&mut self.bases.all_mut()[column], &mut other.bases.all_mut()[column]);
        true
    }
}

/// Allocates the columns for which `wanted` is true, for at least `capacity` objects, and notes their starts. Returns the
/// allocations, and the number of objects for which they have room.
fn columns(
    plan: &Plan,
    capacity: usize,
    wanted: &dyn Fn(usize) -> bool,
    bases: &mut [Base],
) -> Result<(Vec<Option<Allocation>>, usize), Error> {
    let checked = |bytes: Option<usize>| bytes.ok_or(Error::OutOfMemory { class: plan.class, bytes: usize::MAX });
    let capacity = match (plan.layout, plan.fixed_capacity) {
        (_, Some(fixed)) => fixed as usize,
        (LayoutKind::Tiles(tile), None) => checked(capacity.checked_next_multiple_of(tile))?,
        _ => capacity,
    };
    let geometry = plan.geometry;
    if !plan.has_own_columns {
        let bytes = checked(plan.blocks(capacity).checked_mul(geometry.block))?;
        let allocation = allocate(plan.class, bytes, geometry.align)?;
        bases[0] = Base(allocation.start.as_ptr());
        return Ok((vec![Some(allocation)], capacity));
    }
    let mut allocations = Vec::with_capacity(plan.columns);
    let slots: Vec<_> = plan.fields.iter().flat_map(|field| field.columns).map(|column| column.slot).collect();
    for column in 0..slots.len() {
        let align = geometry.aligns[column];
        let bytes = checked(geometry.sizes[column].checked_mul(capacity))?;
        let next_slot = matches!(slots[column], Some(1..));
        if !wanted(column) || next_slot {
            allocations.push(None);
            if wanted(column) {
                let before = bases[column - 1].0;
                let pitch = checked(checked_pitch(bytes, align))?;
                // SAFETY: the allocation of the array's first slot is long enough for all slots.
                bases[column] = Base(unsafe { before.add(pitch) });
            }
            continue;
        }
        let others = slots[column + 1..].iter().take_while(|slot| matches!(slot, Some(1..))).count();
        let shift = stagger(column, bytes, align);
        let all = checked_pitch(bytes, align)
            .and_then(|pitch| others.checked_mul(pitch)?.checked_add(bytes)?.checked_add(shift));
        let allocation = allocate(plan.class, checked(all)?, align)?;
        // SAFETY: the allocation is longer than the shift.
        bases[column] = Base(unsafe { allocation.start.as_ptr().add(shift) });
        allocations.push(Some(allocation));
    }
    Ok((allocations, capacity))
}

/// Copies the first `len` objects.
///
/// # Safety
///
/// `from` and `to` are the starts of distinct storages of the plan's class, each with room for `len` objects.
unsafe fn copy_objects(plan: &Plan, from: &[Base], to: &[Base], len: usize) {
    let copy = |base: usize, offset: usize, bytes: usize| {
        if bytes > 0 {
            // SAFETY: both storages have room for `len` objects and the same geometry, so it is in bounds (I18).
            let [from, to] = [from, to].map(|bases| unsafe { bases[base].0.add(offset) });
            // SAFETY: they are distinct allocations.
            unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
        }
    };
    match plan.layout {
        LayoutKind::Soa => {
            for column in 0..plan.columns {
                let bytes = len * plan.geometry.sizes[column];
                match plan.has_own_columns {
                    true => copy(column, 0, bytes),
                    false => copy(0, plan.geometry.offsets[column], bytes),
                }
            }
        }
        LayoutKind::Aos | LayoutKind::Tiles(_) => copy(0, 0, plan.blocks(len) * plan.geometry.block),
    }
}

/// Allocates at a multiple of `align`; long allocations start at a page.
fn allocate(class: &'static str, bytes: usize, align: usize) -> Result<Allocation, Error> {
    Allocation::new(bytes, if bytes < SHORT { align } else { align.max(PAGE) })
        .ok_or(Error::OutOfMemory { class, bytes })
}
