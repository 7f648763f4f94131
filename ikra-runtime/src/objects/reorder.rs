//! Reordering of objects: all columns are permuted, whatever their fields, and links are remapped.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::{Objects, Shadow};
use crate::class::{Class, has_own_columns, linked};
use crate::error::Error;
use crate::exec::for_chunks;
use crate::info::FieldInfo;
use crate::layout::geometry;
use crate::link::Link;
use crate::storage::FieldTuple;
use crate::table::address;
use ikra_core::effects::FieldSet;
use ikra_core::holes::Holes;
use ikra_core::info::column_count;
use ikra_core::kept::{Kept, KeptObjects};
use ikra_core::moves::{Moves, Remap};

/// From this number of objects on, several threads move them.
const MANY: usize = 4096;

/// The objects that a thread moves at once.
const PART: usize = 4096;

/// Counts changes of ids in the whole process. A value made at one count is stale for a class whose ids changed later.
static GENERATION: AtomicU64 = AtomicU64::new(0);

pub(crate) fn generation() -> u64 {
    GENERATION.load(Relaxed)
}

/// The time of a change of ids or of a removal that happens now.
pub(super) fn now() -> u64 {
    GENERATION.fetch_add(1, Relaxed) + 1
}

impl<C: Class> Objects<C> {
    /// The generation in which ids of this class last changed.
    pub(crate) fn generation(&self) -> u64 {
        self.table().header.generation
    }

    /// Keeps the objects with these indices, in this order. [`remap_links`](Self::remap_links) remaps links.
    ///
    /// # Panics
    ///
    /// If an index occurs twice or is out of range, or if reserved objects are not initialised. Nothing changes then.
    pub(crate) fn reorder(&mut self, order: &[u32]) {
        let len = self.slots();
        assert_eq!(self.table().header.pending, 0, "objects of class {} are not initialised", C::NAME);
        let mut is_kept = vec![0_u64; len.div_ceil(64)];
        let is_new = |&old: &u32| {
            let Some(word) = is_kept.get_mut(old as usize / 64) else { return false };
            let before = *word;
            *word |= 1 << (old % 64);
            (old as usize) < len && *word != before
        };
        assert!(order.iter().all(is_new), "an order names objects of class {}, none of them twice", C::NAME);
        if order.is_sorted() {
            return self.close_up(&KeptObjects::new(len, is_kept));
        }
        self.change_rows(0..len);
        let mut column = Vec::new();
        for number in 0..column_count(C::FIELDS) {
            with_size(geometry::<C>().sizes[number], |size| self.permute(number, size, order, &mut column));
        }
        if !self.tracks.is_empty() {
            let mut now = vec![None; len];
            order.iter().zip(0..).for_each(|(&old, new)| now[old as usize] = Some(new));
            self.tracks.remap(|index| now[index as usize]);
        }
        self.have_moved(order.len());
    }

    /// Keeps these objects, in their order. [`remap_links`](Self::remap_links) remaps links.
    ///
    /// # Panics
    ///
    /// If they are of another number of objects, or if reserved objects are not initialised. Nothing changes then.
    pub(crate) fn close_up(&mut self, kept: &KeptObjects) {
        let len = self.slots();
        assert_eq!(self.table().header.pending, 0, "objects of class {} are not initialised", C::NAME);
        assert_eq!(kept.get().slots, len, "the objects of class {}", C::NAME);
        self.change_rows(0..len);
        let bases = self.memory.bases();
        let close_up = |column: usize| {
            let closed = |size: usize| {
                // SAFETY: the objects exist. One call changes the column, and `&mut self` excludes other accesses.
                unsafe { close_up::<C>(&bases, column, size, kept.get()) };
            };
            with_size(geometry::<C>().sizes[column], closed);
        };
        let columns = column_count(C::FIELDS);
        // Columns that share memory share cache lines.
        if len >= MANY && const { has_own_columns::<C>() } {
            (0..columns).into_par_iter().with_max_len(1).for_each(close_up);
        } else {
            (0..columns).for_each(close_up);
        }
        self.tracks.remap(|index| kept.get().index(index));
        self.have_moved(kept.count());
    }

    /// Notes that columns were permuted and that `len` objects are left.
    fn have_moved(&mut self, len: usize) {
        // Extents of arrays changed; a shadow that is kept would still hold the former ones.
        self.shadow = Shadow::empty();
        self.table_mut().header.holes = Holes::NONE;
        self.live = OnceLock::new();
        self.set_len(len);
        self.table_mut().header.generation = now();
    }

    /// Reorders the elements of a physical column of this size. `order` names objects that exist, none of them twice.
    #[inline(always)]
    fn permute(&mut self, column: usize, size: usize, order: &[u32], scratch: &mut Vec<MaybeUninit<u8>>) {
        let (bases, len) = (self.memory.bases(), self.slots());
        if size == 0 {
            return;
        }
        let element = |index: usize| {
            assert!(index < len);
            // SAFETY: the object exists.
            unsafe { address::<C>(&bases, column, index) }
        };
        scratch.resize(order.len() * size, MaybeUninit::uninit());
        let gather = |(to, olds): (&mut [MaybeUninit<u8>], &[u32])| {
            for (to, &old) in to.chunks_exact_mut(size).zip(olds) {
                // SAFETY: the source is an element of the column, and the target has its size, in another allocation.
                unsafe { ptr::copy_nonoverlapping(element(old as usize).cast(), to.as_mut_ptr(), size) };
            }
        };
        let put_back = |(n, from): (usize, &[MaybeUninit<u8>])| {
            for (new, from) in (n * PART..).zip(from.chunks_exact(size)) {
                // SAFETY: the target is an element of the column. No other call has it, since parts are disjoint, and
                // `&mut self` excludes other accesses. The source is in another allocation.
                unsafe { ptr::copy_nonoverlapping(from.as_ptr(), element(new).cast(), size) };
            }
        };
        if order.len() < MANY {
            gather((scratch, order));
            scratch.chunks(PART * size).enumerate().for_each(put_back);
            return;
        }
        scratch.par_chunks_mut(PART * size).zip(order.par_chunks(PART)).for_each(gather);
        scratch.par_chunks(PART * size).enumerate().for_each(put_back);
    }

    /// Remaps the links to objects that moved, or checks that this is possible. A check skips removed objects.
    ///
    /// # Errors
    ///
    /// [`Error::LinkToRemoved`]; errors of fetching.
    pub(crate) fn remap_links(&mut self, moves: Moves<'_>, what: Remap) -> Result<(), Error> {
        let fields = concerned(C::FIELDS, moves);
        if fields.is_empty() {
            return Ok(());
        }
        self.try_fetch(fields)?;
        let len = self.slots();
        if what == Remap::Commit {
            self.table().written(fields, 0..len);
            // Links name objects that exist if `moves` is right; other callers may not have ensured that.
            self.table().header.set_unchecked(fields.intersection(const { linked::<C>() }), 0..len);
            if !fields.intersection(const { crate::class::in_arena::<C>() }).is_empty() {
                self.shadow = Shadow::empty();
            }
        }
        // Links in removed objects do not matter: they need not be looked for if they can become empty like others.
        // Objects that moved have their new indices when links are remapped.
        let cannot_empty = C::FIELDS.iter().any(|field| !field.empties && moves.concern(field.holds_links_to));
        let own = moves.of_links_to(&[C::ID]).filter(|_| cannot_empty);
        let is_looked_at = |&index: &usize| {
            own.is_none_or(|own| match what {
                Remap::Commit => !own.is_removed_in_place(C::ID, index),
                Remap::Check | Remap::Cascade => !own.is_removed(C::ID, index),
            })
        };
        let moves = narrowed(C::FIELDS, fields, moves);
        let first = Mutex::new(None);
        let returned = for_chunks(0..len, false, |chunk| {
            for index in self.live_in(chunk).flatten().filter(is_looked_at) {
                // SAFETY: the object exists, it is in one chunk, and `&mut self` excludes other accesses.
                let failed = unsafe { self.remap_object(index, fields, moves, what) };
                let Some(field) = failed else { continue };
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                if first.is_none_or(|(known_field, known)| (index, field) < (known, known_field)) {
                    *first = Some((field, index));
                }
            }
        });
        drop(returned);
        let found = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.map_or(Ok(()), |(field, index)| {
            Err(Error::LinkToRemoved {
                class: C::NAME,
                field: C::FIELDS[field].name,
                object: Link::<C>::at(index as u32).id(),
                target: self.target(field, index, moves),
            })
        })
    }

    /// The class of the removed object that a field of an object names.
    fn target(&self, field: usize, index: usize, moves: Moves<'_>) -> &'static str {
        assert!(index < self.slots());
        let one = FieldSet::from_bits(1 << field);
        // SAFETY: the object exists (I33), and it is a check.
        let names = |moves: Moves<'_>| unsafe { self.remap_object(index, one, moves, Remap::Check) }.is_some();
        moves.first_class(names).name()
    }

    /// Remaps the links of an object in some fields, or checks that it can be done. Returns the first field with a link
    /// to a removed object that cannot be empty. One function for all callers, since its code is large.
    ///
    /// # Safety
    ///
    /// The object exists. Unless it is a check, nothing else accesses it.
    #[inline(never)]
    pub(super) unsafe fn remap_object(
        &self,
        index: usize,
        fields: FieldSet,
        moves: Moves<'_>,
        what: Remap,
    ) -> Option<usize> {
        // SAFETY: by the caller.
        unsafe { <C::Fields as FieldTuple<C>>::remap(&self.table().bases, index, fields, moves, what) }
    }
}

/// Calls `work` with a size: with a constant for the usual ones, so that copies of elements are single moves.
#[inline(always)]
fn with_size(size: usize, mut work: impl FnMut(usize)) {
    match size {
        0 => {}
        1 => work(1),
        2 => work(2),
        4 => work(4),
        8 => work(8),
        12 => work(12),
        16 => work(16),
        size => work(size),
    }
}

/// Moves the elements of kept objects in a column to the start of the column, in their order.
///
/// # Safety
///
/// 1. `bases` are those of storage of `C`, in which the objects below `kept.slots` exist. `size` is that of the column's
///    elements.
/// 2. Nothing else accesses the column.
#[inline(always)]
unsafe fn close_up<C: Class>(bases: &C::Bases, column: usize, size: usize, kept: Kept<'_>) {
    let element = |index: usize| {
        debug_assert!(index < kept.slots);
        // SAFETY: the object exists, by 1 and the callers below.
        unsafe { address::<C>(bases, column, index) }
    };
    let mut next = 0;
    for (n, &word) in kept.words.iter().enumerate() {
        let first = n * 64;
        let end = (first + 64).min(kept.slots);
        if next == first && word == u64::MAX {
            next = end;
            continue;
        }
        // Without branches: each element is moved, and stays there if its object is kept.
        for index in first..end {
            // SAFETY: two elements of the column, of `size` bytes; not more objects are kept than there are before.
            unsafe { ptr::copy(element(index), element(next), size) };
            next += (word >> (index % 64) & 1) as usize;
        }
    }
}

/// The fields that may hold links to objects that change.
pub(crate) fn concerned(fields: &[FieldInfo], moves: Moves<'_>) -> FieldSet {
    let fields = fields.iter().enumerate().filter(|(_, field)| moves.concern(field.holds_links_to));
    FieldSet::from_bits(fields.fold(0, |bits, (k, _)| bits | 1 << k))
}

/// The changes that concern links in some fields. Most fields hold links to one class: then no link looks for the change
/// of its class.
fn narrowed<'a>(all: &[FieldInfo], fields: FieldSet, moves: Moves<'a>) -> Moves<'a> {
    let mut held = all.iter().enumerate().filter(|&(k, _)| fields.contains(k)).map(|(_, field)| field.holds_links_to);
    match held.next() {
        Some(first) if first.len() == 1 && held.all(|others| others == first) => {
            moves.of_links_to(first).unwrap_or(moves)
        }
        _ => moves,
    }
}
