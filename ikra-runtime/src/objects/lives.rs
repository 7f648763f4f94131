//! Objects that come and go: removed objects leave holes, and objects that a kernel made fill them.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use super::born::{Born, Ids};
use super::reorder::{concerned, fields_with, now};
use super::{Objects, Tracked};
use crate::class::{Class, ClassInfo};
use crate::error::Error;
use crate::exec::{for_chunks, spread};
use crate::link::Link;
use crate::list::ListOrder;
use crate::storage::{Bump, FieldTuple};
use crate::table::{Late, Nursery};
use ikra_core::bits::{end_of_ones, is_set, set};
use ikra_core::effects::{Effects, FieldSet};
use ikra_core::holes::{Fetch, Holes, Live, Marks};
use ikra_core::kept::KeptObjects;
use ikra_core::moves::{Moves, Remap};

/// From this number of new objects on, several threads write them.
const MANY: usize = 4096;

/// The indices among which one thread looks for holes at once.
const PART: usize = 1 << 16;

/// The part of [`AnyObjects`](super::AnyObjects) that makes and removes objects.
///
/// Safe code may call these functions in any order: the values of removed objects stay valid, and a link that names one
/// is stale, not undefined.
pub trait Lives {
    /// The end of the indices of its objects.
    fn slots(&self) -> usize;
    /// The number of removed objects whose ids are not in use.
    fn holes(&self) -> usize;
    /// Whether an object has this index.
    fn exists(&self, index: usize) -> bool;
    /// The time of the last removal, on the clock of generations.
    fn removed_at(&self) -> u64;
    /// The objects that exist, as a list.
    fn live(&self) -> Arc<ListOrder>;
    /// The same list, if it was made since they last changed.
    fn known_live(&self) -> Option<&Arc<ListOrder>>;
    /// Keeps a list that a device made of the objects that exist.
    ///
    /// # Safety
    ///
    /// The list has just these objects.
    unsafe fn put_live(&mut self, live: Arc<ListOrder>);
    /// The objects that exist: one bit per index.
    fn live_bits(&self) -> Vec<u32>;
    /// Notes that a device made and removed objects: how many indices are not in use now, and where it has their bits.
    /// `removed` says whether it removed some, `filled` whether new objects took indices that were free.
    ///
    /// # Safety
    ///
    /// The device did so.
    unsafe fn changed_on_device(&mut self, holes: u32, fetch: Fetch, removed: bool, filled: bool);
    /// Whether the program tracks some of the objects.
    fn has_tracks(&self) -> bool;
    /// Forgets the tracked objects that were removed, given as one bit per index.
    fn untrack(&mut self, removed: &[u64]);
    /// Notes that a device moved objects, `len` of them, to the first indices, and that the others went. `ids` has the new id
    /// of each index, or 0; without it, all objects that exist stay, in their order. Of the host's columns none is current.
    ///
    /// # Safety
    ///
    /// The device did so, and remaps links to them before any other kernel runs.
    unsafe fn moved_on_device(&mut self, len: usize, ids: Option<&[u32]>);

    /// Prepares for a kernel for objects of this class; `section` orders what it makes among the kernels of its trait.
    fn open(&mut self, section: u32, effects: &Effects);
    /// Prepares for a kernel that may make objects of this class.
    fn open_nursery(&mut self);
    /// Forgets what a kernel marked and made. `exist` says whether the objects that it made exist.
    fn close(&mut self, exist: bool);
    /// Takes the objects that the kernel marked for removal: one bit per index.
    fn take_marks(&mut self) -> Vec<u64>;
    /// Gives the objects that the kernel made their ids. `are_named` is whether fields may have links to them.
    ///
    /// # Errors
    ///
    /// [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`], [`Error::ArenaFull`],
    /// [`Error::ArenaAtLimit`]. None of them exists then.
    fn deliver(&mut self, are_named: bool) -> Result<Born, Error>;
    /// Remaps the links in objects that [`deliver`](Self::deliver) made, and those in a worklist, and stores the fields that the kernel left to be stored.
    /// Returns the objects with such fields.
    ///
    /// # Errors
    ///
    /// Errors of fetching.
    fn remap_born(&mut self, born: &Born, moves: Moves<'_>) -> Result<Vec<u32>, Error>;
    /// Whether all links of the new objects, and of others at these indices, name objects that exist.
    ///
    /// # Safety
    ///
    /// As for [`check_links`](crate::objects::AnyObjects::check_links). The new objects and the others exist.
    unsafe fn have_good_links(&self, born: &Born, others: &[u32]) -> bool;
    /// Removes objects that [`deliver`](Self::deliver) has just made.
    ///
    /// # Safety
    ///
    /// No link to one of them was checked (I11).
    unsafe fn undo(&mut self, born: &Born);
    /// Finds the owners that go with removed objects (`on_remove = "cascade"`), a bit for each, but for the known ones.
    ///
    /// # Errors
    ///
    /// Errors of fetching.
    fn cascade(&self, moves: Moves<'_>, known: &[u64], found: &mut Vec<u64>) -> Result<(), Error>;
    /// Removes objects, given as one bit per index. Links to them are remapped already.
    fn remove_all(&mut self, removed: &[u64]);
    /// The objects that are left if some are removed, given as one bit per index.
    fn kept(&self, removed: &[u64]) -> KeptObjects;
    /// The fill ratio below which the class compacts by itself, if it was declared.
    fn compacts_below(&self) -> Option<f32>;
    /// Makes an arena with this number of used bytes, before the values of all objects are restored. It may have been
    /// packed since.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]. Nothing has changed then.
    ///
    /// # Safety
    ///
    /// Nothing accesses the objects before all of their values are stored, with arrays in these bytes alone.
    unsafe fn begin_restore(&mut self, arena: usize) -> Result<(), Error>;
}

/// The number of threads on which a kernel may run: the calling one, and those of the pool.
fn threads() -> usize {
    rayon::current_num_threads() + 1
}

impl<C: Class> Objects<C> {
    /// The number of removed objects whose ids are not in use.
    #[inline]
    pub(crate) fn holes(&self) -> usize {
        self.table().header.holes.count() as usize
    }

    /// Whether an object has this index.
    #[inline]
    pub(crate) fn exists(&self, index: usize) -> bool {
        index < self.slots() && (self.holes() == 0 || !self.table().header.holes.contains(index))
    }

    /// The indices of the objects, in ascending order.
    pub(crate) fn indices(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let header = &self.table().header;
        (0..self.slots()).filter(|&index| header.holes.count() == 0 || !header.holes.contains(index))
    }

    /// These indices, as a list.
    pub(crate) fn live_indices(&self) -> Vec<u32> {
        self.table().header.holes.live_indices(self.slots())
    }

    /// [`World::track`](crate::world::World::track), for an object that was checked to exist.
    pub(crate) fn track(&mut self, link: Link<C>) -> Tracked<C> {
        self.tracks.track(link)
    }

    /// [`World::tracked`](crate::world::World::tracked).
    pub(crate) fn tracked(&self, tracked: Tracked<C>) -> Option<Link<C>> {
        self.tracks.find(tracked)
    }

    /// The objects that exist, among those at consecutive indices.
    pub(crate) fn live_in(&self, range: Range<usize>) -> Live<'_> {
        self.table().header.holes.live(range)
    }

    /// The objects that exist, as a list.
    pub(crate) fn live_list(&self) -> &Arc<ListOrder> {
        live(&self.live, &self.table().header.holes, self.slots())
    }
}

/// The objects below `slots` that exist, as a list, which is kept in `known`.
fn live<'a>(known: &'a OnceLock<Arc<ListOrder>>, holes: &Holes, slots: usize) -> &'a Arc<ListOrder> {
    if let Some(live) = known.get() {
        return live;
    }
    // Before the lock: a thread that waits for others may take up work that needs the same list.
    let part = |n: usize| holes.live(n * PART..((n + 1) * PART).min(slots)).collect::<Vec<_>>();
    let live = Arc::new(ListOrder::of_ranges(spread(slots.div_ceil(PART), &part).0.into_iter().flatten()));
    known.get_or_init(|| live)
}

impl<C: Class> Lives for Objects<C> {
    #[inline]
    fn slots(&self) -> usize {
        Objects::slots(self)
    }
    #[inline]
    fn holes(&self) -> usize {
        Objects::holes(self)
    }
    fn exists(&self, index: usize) -> bool {
        Objects::exists(self, index)
    }
    fn removed_at(&self) -> u64 {
        self.table().header.removed_at
    }
    fn live(&self) -> Arc<ListOrder> {
        Arc::clone(self.live_list())
    }
    fn has_tracks(&self) -> bool {
        !self.tracks.is_empty()
    }
    fn untrack(&mut self, removed: &[u64]) {
        self.tracks.remap(&|index| (!is_set(removed, index as usize)).then_some(index));
    }
    unsafe fn moved_on_device(&mut self, len: usize, ids: Option<&[u32]>) {
        if !self.tracks.is_empty() {
            let mut now = vec![0; self.slots()];
            match ids {
                Some(ids) => now.copy_from_slice(ids),
                None => {
                    for (place, old) in self.live_indices().into_iter().enumerate() {
                        now[old as usize] = place as u32 + 1;
                    }
                }
            }
            self.tracks.remap(&|index| now[index as usize].checked_sub(1));
        }
        self.table_mut().header.holes = Holes::NONE;
        self.live = OnceLock::new();
        self.set_len(len);
        self.table_mut().header.generation = now();
    }
    fn known_live(&self) -> Option<&Arc<ListOrder>> {
        self.live.get()
    }
    unsafe fn put_live(&mut self, live: Arc<ListOrder>) {
        self.live = OnceLock::from(live);
    }
    fn live_bits(&self) -> Vec<u32> {
        self.table().header.holes.live_bits(self.slots())
    }
    unsafe fn changed_on_device(&mut self, holes: u32, fetch: Fetch, removed: bool, filled: bool) {
        let header = &mut self.table_mut().header;
        header.holes = if holes == 0 { Holes::NONE } else { Holes::on_device(holes, fetch) };
        if removed {
            header.removed_at = now();
        }
        if filled {
            self.distrust(FieldSet::ALL);
        }
        self.live = OnceLock::new();
    }

    fn open(&mut self, section: u32, effects: &Effects) {
        let slots = self.slots();
        let header = &mut self.table_mut().header;
        header.section = section;
        if effects.removes() {
            header.marks = Marks::new(slots);
        }
        if !effects.spawned().is_empty() {
            self.table_mut().late = Some(Late::new(threads()));
        }
    }
    fn open_nursery(&mut self) {
        let slots = self.slots();
        match &mut self.table_mut().nursery {
            Some(nursery) => nursery.open(threads(), slots),
            none => *none = Some(Nursery::new(threads(), slots)),
        }
        self.fillable.0.upgrade().inspect(|younger| younger.open());
    }
    fn close(&mut self, exist: bool) {
        self.fillable.0.upgrade().inspect(|younger| younger.close(exist));
        let table = self.table_mut();
        if let Some(nursery) = &mut table.nursery {
            nursery.close();
        }
        table.late = None;
        table.header.marks = Marks::NONE;
        table.header.section = 0;
    }
    fn take_marks(&mut self) -> Vec<u64> {
        std::mem::replace(&mut self.table_mut().header.marks, Marks::NONE).into_words()
    }

    fn deliver(&mut self, are_named: bool) -> Result<Born, Error> {
        let slots = self.slots();
        let Some(mut nursery) = self.table_mut().nursery.take() else { return Ok(Born::default()) };
        let mut born = Born { slots, first: nursery.first(), ..Born::default() };
        let count = nursery.count();
        let numbers = if are_named || self.is_looping() { nursery.numbers() } else { 0 };
        let ids = Ids::new(numbers);
        let added = if count == 0 { Ok(()) } else { self.add_rows(&mut nursery, count, &ids, &mut born) };
        born.ids = ids.into_inner();
        self.table_mut().nursery = Some(nursery);
        self.live = OnceLock::new();
        match added {
            Ok(()) => Ok(born),
            Err(error) => {
                self.forget(&born);
                Err(error)
            }
        }
    }
    fn remap_born(&mut self, born: &Born, moves: Moves<'_>) -> Result<Vec<u32>, Error> {
        if let Some(younger) = self.fillable.0.upgrade() {
            younger.settle(|index| moves.index(C::ID, index).unwrap_or(index));
        }
        let late = self.table_mut().late.as_mut().map_or_else(Vec::new, Late::take);
        let fields = concerned(C::FIELDS, moves);
        if late.is_empty() && (born.is_empty() || fields.is_empty()) {
            return Ok(Vec::new());
        }
        self.try_fetch(FieldSet::ALL)?;
        self.change_rows(0..self.slots());
        let stored = late.iter().map(|&(index, _)| index).collect();
        for (index, store) in late {
            assert!(self.exists(index as usize), "a kernel ran for it");
            store((&raw const self.table().bases).cast(), index as usize, moves);
        }
        let returned = for_chunks(0..born.count(), false, &|chunk| {
            for index in chunk.map(|position| born.index(position)) {
                assert!(index < self.slots(), "the objects were just made");
                // SAFETY: the object exists, by the assertion (I18), and has one position; `&mut self` excludes other
                // accesses.
                unsafe {
                    self.remap_objects(index..index + 1, fields, moves, Remap::Commit, &mut |_, _| {
                        debug_assert!(false, "new objects are not removed");
                    });
                }
            }
        });
        drop(returned);
        Ok(stored)
    }
    unsafe fn have_good_links(&self, born: &Born, others: &[u32]) -> bool {
        let fields = const { crate::class::linked::<C>() };
        if fields.is_empty() || (born.is_empty() && others.is_empty()) {
            return true;
        }
        if self.try_fetch(fields).is_err() {
            return false;
        }
        let are_good = AtomicBool::new(true);
        let look = |objects: Range<usize>| {
            assert!(objects.end <= self.slots(), "the objects exist");
            // SAFETY: the objects exist, and the tables are linked, by the caller. `&self` excludes writes.
            if unsafe { <C::Fields as FieldTuple<C>>::bad_link(self.table(), fields, objects) }.is_some() {
                are_good.store(false, Relaxed);
            }
        };
        let look_at = |index: u32| look(index as usize..index as usize + 1);
        others.iter().for_each(|&index| look_at(index));
        let in_holes =
            for_chunks(0..born.holes.len(), false, &|chunk| born.holes[chunk].iter().for_each(|&n| look_at(n)));
        let behind = for_chunks(born.slots..born.slots + born.added, false, &look);
        drop((in_holes, behind));
        are_good.into_inner()
    }
    unsafe fn undo(&mut self, born: &Born) {
        if born.is_empty() {
            return;
        }
        assert!(born.slots <= self.slots(), "the objects were just made");
        self.forget(born);
    }
    fn cascade(&self, moves: Moves<'_>, known: &[u64], found: &mut Vec<u64>) -> Result<(), Error> {
        let fields = fields_with(C::FIELDS, &|field| field.cascades && moves.concern(field.holds_links_to));
        if fields.is_empty() {
            return Ok(());
        }
        self.try_fetch(fields)?;
        for objects in self.live_in(0..self.slots()) {
            let mut note = |index, _| {
                if !is_set(known, index) {
                    set(found, index);
                }
            };
            // SAFETY: the objects exist (I33), and it is a check.
            unsafe { self.remap_objects(objects, fields, moves, Remap::Cascade, &mut note) };
        }
        Ok(())
    }
    fn remove_all(&mut self, removed: &[u64]) {
        assert!(end_of_ones(removed) <= self.slots(), "the objects exist");
        let header = &mut self.table_mut().header;
        header.holes.insert(removed);
        header.removed_at = now();
        self.live = OnceLock::new();
        self.untrack(removed);
    }
    fn kept(&self, removed: &[u64]) -> KeptObjects {
        self.table().header.holes.kept(self.slots(), removed)
    }
    fn compacts_below(&self) -> Option<f32> {
        <C as ClassInfo>::COMPACT
    }
    unsafe fn begin_restore(&mut self, arena: usize) -> Result<(), Error> {
        self.change_rows(0..self.slots());
        self.shadow = super::Shadow::empty();
        let (room, used) = self.arena();
        if arena > room {
            self.memory.grow_arena(arena, used)?;
            let bases = self.memory.bases();
            let table = self.table_mut();
            table.bases = bases;
            table.header.arena.0 = arena;
        }
        self.set_arena_used(arena);
        Ok(())
    }
}

impl<C: Class> Objects<C> {
    /// Whether a loop over a worklist of these objects runs.
    fn is_looping(&self) -> bool {
        self.fillable.0.strong_count() > 0
    }

    /// Writes the rows of `count` new objects to the lowest ids that are free, and then to new ones. `born` gets these, and
    /// `ids` the id for each number below its end.
    fn add_rows(&mut self, nursery: &mut Nursery<C>, count: usize, ids: &Ids, born: &mut Born) -> Result<(), Error> {
        let is_looping = self.is_looping();
        let holes = self.table().header.holes.first(count, is_looping.then_some(&self.fillable.1));
        if is_looping {
            holes.iter().for_each(|&hole| self.fillable.1.fill(hole as usize));
        }
        let all = Born { added: count - holes.len(), holes, slots: born.slots, first: born.first, ids: Vec::new() };
        let end = all.slots + all.added;
        self.grow(end)?;
        self.change_rows(all.holes.first().map_or(all.slots, |&first| first as usize)..end);
        if Self::HAS_ARENA {
            let mut add = |position: usize, number, row| {
                let index = all.index(position);
                if position < all.holes.len() {
                    self.put(Link::at(index as u32), row)?;
                    // From now on its arrays count, when the arena is packed for the next ones.
                    self.table_mut().header.holes.fill(index);
                    born.holes.push(index as u32);
                } else {
                    self.push(row)?;
                    born.added += 1;
                }
                ids.note(number, index);
                Ok::<_, Error>(())
            };
            let batches = nursery.batches();
            for batch in 0..batches.count() {
                batches.try_for_each(batch, &mut add)?;
            }
            return Ok(());
        }
        let bases = self.table().bases;
        let batches = nursery.batches();
        let write = |batch: usize| {
            let Ok(()) = batches.try_for_each(batch, |position, number, row| {
                let index = all.index(position);
                assert!(index < end);
                // SAFETY: there is room by `grow`. The object has one position, and `&mut self` excludes other accesses.
                unsafe { <C::Fields as FieldTuple<C>>::write(&bases, index, row.into_values(), &mut Bump::none()) }
                ids.note(number, index);
                Ok::<_, Infallible>(())
            });
        };
        if count < MANY {
            for batch in 0..batches.count() {
                write(batch);
            }
        } else {
            drop(spread(batches.count(), &write));
        }
        let header = &mut self.table_mut().header;
        for &hole in &all.holes {
            header.holes.fill(hole as usize);
        }
        self.set_len(end);
        *born = all;
        Ok(())
    }

    /// Makes holes of the new objects that took some, and removes the others.
    fn forget(&mut self, born: &Born) {
        let mut words = Vec::new();
        for &index in &born.holes {
            set(&mut words, index as usize);
        }
        self.set_len(born.slots);
        self.table_mut().header.holes.insert(&words);
        self.live = OnceLock::new();
    }
}
