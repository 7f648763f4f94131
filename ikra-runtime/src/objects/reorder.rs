//! Reordering of objects: all columns are permuted, whatever their fields, and links are remapped.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Objects, Shadow};
use crate::class::{Class, linked};
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
use ikra_core::moves::{Moves, Remap};

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
        let mut is_kept = fixedbitset::FixedBitSet::with_capacity(len);
        assert!(
            order.iter().all(|&old| (old as usize) < len && !is_kept.put(old as usize)),
            "an order names objects of class {}, none of them twice",
            C::NAME
        );
        self.change_rows(0..len);
        let mut column = Vec::new();
        for number in 0..column_count(C::FIELDS) {
            self.permute(number, order, &mut column);
        }
        // Extents of arrays changed; a shadow that is kept would still hold the former ones.
        self.shadow = Shadow::empty();
        self.table_mut().header.holes = Holes::NONE;
        self.live = OnceLock::new();
        if !self.tracks.is_empty() {
            let mut now = vec![None; len];
            order.iter().zip(0..).for_each(|(&old, new)| now[old as usize] = Some(new));
            self.tracks.remap(|index| now[index as usize]);
        }
        self.set_len(order.len());
        self.table_mut().header.generation = now();
    }

    /// Reorders the elements of a physical column. `order` names objects that exist, none of them twice.
    fn permute(&mut self, column: usize, order: &[u32], scratch: &mut Vec<u8>) {
        // With constant sizes, copies of the usual elements are single moves.
        match geometry::<C>().sizes[column] {
            0 => {}
            1 => self.permute_sized(column, 1, order, scratch),
            2 => self.permute_sized(column, 2, order, scratch),
            4 => self.permute_sized(column, 4, order, scratch),
            8 => self.permute_sized(column, 8, order, scratch),
            12 => self.permute_sized(column, 12, order, scratch),
            16 => self.permute_sized(column, 16, order, scratch),
            size => self.permute_sized(column, size, order, scratch),
        }
    }

    #[inline(always)]
    fn permute_sized(&mut self, column: usize, size: usize, order: &[u32], scratch: &mut Vec<u8>) {
        let (bases, len) = (self.memory.bases(), self.slots());
        let element = |index: usize| {
            assert!(index < len);
            // SAFETY: the object exists.
            unsafe { address::<C>(&bases, column, index) }
        };
        if order.is_sorted() {
            for (new, &old) in order.iter().enumerate().filter(|&(new, &old)| new != old as usize) {
                let (from, to) = (element(old as usize), element(new));
                // SAFETY: different elements of the column, of `size` bytes each; `&mut self` excludes other accesses.
                unsafe { ptr::copy_nonoverlapping(from, to, size) };
            }
            return;
        }
        scratch.clear();
        scratch.reserve(order.len() * size);
        for (new, &old) in order.iter().enumerate() {
            // SAFETY: the offset is within the reserved memory.
            let to = unsafe { scratch.as_mut_ptr().add(new * size) };
            // SAFETY: the source is an element of the column, and the target has room for it in another allocation.
            unsafe { ptr::copy_nonoverlapping(element(old as usize), to, size) };
        }
        for new in 0..order.len() {
            // SAFETY: the offset is within the elements just written.
            let from = unsafe { scratch.as_ptr().add(new * size) };
            // SAFETY: the target is an element of the column, and `&mut self` excludes other accesses; the source is in
            // another allocation.
            unsafe { ptr::copy_nonoverlapping(from, element(new), size) };
        }
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
