//! Reordering of objects: all columns are permuted, whatever their fields, and links are remapped.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::checks::first_that_fails;
use super::{AnyObjects, Objects, Shadow, permute};
use crate::class::{Class, ClassId, has_own_columns, linked};
use crate::error::Error;
use crate::info::FieldInfo;
use crate::storage::FieldTuple;
use ikra_core::effects::FieldSet;
use ikra_core::holes::Holes;
use ikra_core::kept::KeptObjects;
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
        let kept = kept(order, len);
        let Some(kept) = kept else { panic!("an order names objects of class {}, none of them twice", C::NAME) };
        if order.is_sorted() {
            return self.close_up(&kept);
        }
        self.change_rows(0..len);
        // SAFETY: the objects exist, and `&mut self` excludes other accesses.
        unsafe { permute::permute(&self.elements(FieldSet::ALL), len, order) };
        if !self.tracks.is_empty() {
            let mut now = vec![None; len];
            for (new, &old) in order.iter().enumerate() {
                now[old as usize] = Some(new as u32);
            }
            self.tracks.remap(&|index| now[index as usize]);
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
        // SAFETY: the objects exist, and `&mut self` excludes other accesses.
        unsafe { permute::close_up(&self.elements(FieldSet::ALL), const { has_own_columns::<C>() }, kept.get()) };
        self.tracks.remap(&|index| kept.get().index(index));
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

    /// Notes that links in these fields may be bad, in any object.
    pub(super) fn distrust(&self, fields: FieldSet) {
        let links = fields.intersection(const { linked::<C>() });
        if !links.is_empty() {
            self.table().header.set_unchecked(links, 0..self.slots());
        }
    }

    /// Remaps the links to objects that moved, or checks that this is possible. A check skips removed objects.
    ///
    /// # Errors
    ///
    /// [`Error::LinkToRemoved`]; errors of fetching.
    pub(crate) fn remap_links(&mut self, moves: Moves<'_>, what: Remap) -> Result<(), Error> {
        // Where objects were removed, owners whose cascading links named them were removed too.
        let stay = |field: &FieldInfo| field.cascades && what == Remap::Commit && moves.are_removals();
        let fields = fields_with(C::FIELDS, &|field| moves.concern(field.holds_links_to) && !stay(field));
        if fields.is_empty() {
            return Ok(());
        }
        self.try_fetch(fields)?;
        let len = self.slots();
        if what == Remap::Commit {
            self.table().written(fields, 0..len);
            // Links name objects that exist if `moves` is right; other callers may not have ensured that.
            self.distrust(fields);
            if !fields.intersection(const { crate::class::in_arena::<C>() }).is_empty() {
                self.shadow = Shadow::empty();
            }
        }
        let holes = &self.table().header.holes;
        let links = Links::of::<C>(fields, moves, what);
        let remap = |objects: Range<usize>, fields: FieldSet, moves: Moves<'_>, what: Remap| {
            assert!(objects.end <= len);
            let mut first: Option<(usize, usize, ())> = None;
            links.looked_at_in(objects, &mut |objects| {
                // SAFETY: the objects exist (I33). Unless it is a check, each is in one range, and `&mut self` excludes
                // other accesses.
                unsafe {
                    self.remap_objects(objects, fields, moves, what, &mut |index, field| {
                        let failed = (index, field, ());
                        first = Some(first.map_or(failed, |first| first.min(failed)));
                    });
                }
            });
            first
        };
        remap_all(&links, (holes, len), &remap)
    }

    /// Remaps the links of some objects in some fields, or checks that it can be done. `failed` gets each object and field
    /// with a link to a removed object that cannot be empty. One function for all callers, since its code is large.
    ///
    /// # Safety
    ///
    /// The objects exist. Unless it is a check, nothing else accesses them.
    #[inline(never)]
    pub(super) unsafe fn remap_objects(
        &self,
        objects: Range<usize>,
        fields: FieldSet,
        moves: Moves<'_>,
        what: Remap,
        failed: &mut dyn FnMut(usize, usize),
    ) {
        // SAFETY: by the caller.
        unsafe { <C::Fields as FieldTuple<C>>::remap(&self.table().bases, objects, fields, moves, what, failed) }
    }
}

/// Links in some fields of a class, and what is to be done with them.
struct Links<'m> {
    class: ClassId,
    all: &'static [FieldInfo],
    fields: FieldSet,
    moves: Moves<'m>,
    what: Remap,
    /// The moves of the class, if links in its removed objects are not looked at: such links need not become empty.
    own: Option<Moves<'m>>,
}

impl<'m> Links<'m> {
    fn of<C: Class>(fields: FieldSet, moves: Moves<'m>, what: Remap) -> Self {
        let cannot_empty = C::FIELDS.iter().enumerate().any(|(k, field)| fields.contains(k) && !field.empties);
        let own = moves.of_links_to(&[C::ID]).filter(|_| cannot_empty);
        Self { class: C::ID, all: C::FIELDS, fields, moves, what, own }
    }

    /// The objects among these in which links matter. Objects that moved have their new indices when links are remapped.
    #[inline]
    fn looked_at_in(&self, mut objects: Range<usize>, look: &mut dyn FnMut(Range<usize>)) {
        let Some(own) = self.own else { return look(objects) };
        let is_removed = |index: usize| match self.what {
            Remap::Commit => own.is_removed_in_place(self.class, index),
            Remap::Check | Remap::Cascade => own.is_removed(self.class, index),
        };
        while let Some(first) = objects.find(|&index| !is_removed(index)) {
            let end = objects.find(|&index| is_removed(index)).unwrap_or(objects.end);
            look(first..end);
        }
    }
}

/// Remaps links in the objects that exist: [`Objects::remap_links`]. `remap` does so for consecutive objects, in some fields,
/// and returns the first object and field that fail. Unless it is a check, it gets each object once.
fn remap_all(
    links: &Links<'_>,
    (holes, slots): (&Holes, usize),
    remap: &(dyn Fn(Range<usize>, FieldSet, Moves<'_>, Remap) -> Option<(usize, usize, ())> + Sync),
) -> Result<(), Error> {
    let find = |objects| remap(objects, links.fields, links.moves, links.what);
    let (Some((index, field, ())), _) = first_that_fails(0..slots, holes, &find) else { return Ok(()) };
    let one = FieldSet::from_bits(1 << field);
    let names = |moves: Moves<'_>| remap(index..index + 1, one, moves, Remap::Check).is_some();
    Err(Error::LinkToRemoved {
        class: links.class.name(),
        field: links.all[field].name,
        object: index as u32 + 1,
        target: links.moves.first_class(names).name(),
    })
}

/// The objects that an order names; none if it names one twice, or one that is not below `len`.
fn kept(order: &[u32], len: usize) -> Option<KeptObjects> {
    let mut words = vec![0_u64; len.div_ceil(64)];
    for &old in order {
        let word = words.get_mut(old as usize / 64).filter(|_| (old as usize) < len)?;
        let before = *word;
        *word |= 1 << (old % 64);
        if *word == before {
            return None;
        }
    }
    Some(KeptObjects::new(len, words))
}

/// The fields that may hold links to objects that change.
pub(crate) fn concerned(fields: &[FieldInfo], moves: Moves<'_>) -> FieldSet {
    fields_with(fields, &|field| moves.concern(field.holds_links_to))
}

/// The fields for which `is` holds.
pub(crate) fn fields_with(fields: &[FieldInfo], is: &dyn Fn(&FieldInfo) -> bool) -> FieldSet {
    let fields = fields.iter().enumerate().filter(|(_, field)| is(field));
    FieldSet::from_bits(fields.fold(0, |bits, (k, _)| bits | 1 << k))
}
