//! Objects that come and go: removed objects leave holes, and objects that a kernel made fill them.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::reorder::now;
use super::{Objects, Tracked};
use crate::class::{Class, ClassId, ClassInfo, atomics};
use crate::error::Error;
use crate::link::Link;
use crate::list::ListOrder;
use crate::storage::{Bump, FieldTuple};
use crate::table::{Late, Nursery, Threads};
use ikra_core::effects::{Effects, FieldSet};
use ikra_core::holes::{Marks, ones};
use ikra_core::moves::{Change, Moves, Remap};

/// The objects that a kernel made in one class, after they have ids.
#[derive(Debug, Default)]
pub struct Born {
    /// By the number that links have until the kernel ends: the id, or 0.
    ids: Vec<u32>,
    /// Their indices, in the order of their makers.
    indices: Vec<u32>,
    /// The number of indices that the class had before.
    slots: usize,
    /// The index by which links name number 0 until the kernel ends.
    first: u32,
}

impl Born {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The change of links to them.
    pub(crate) fn change(&self, class: ClassId) -> Change<'_> {
        Change::made(class, self.first, &self.ids)
    }
}

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

    /// Prepares for a kernel for objects of this class; `section` orders what it makes among the kernels of its trait.
    fn open(&mut self, section: u32, effects: &Effects);
    /// Prepares for a kernel that may make objects of this class.
    fn open_nursery(&mut self);
    /// Forgets what a kernel marked and made.
    fn close(&mut self);
    /// Takes the objects that the kernel marked for removal: one bit per index.
    fn take_marks(&mut self) -> Vec<u64>;
    /// Gives the objects that the kernel made their ids.
    ///
    /// # Errors
    ///
    /// [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`], [`Error::ArenaFull`],
    /// [`Error::ArenaAtLimit`]. None of them exists then.
    fn deliver(&mut self) -> Result<Born, Error>;
    /// Remaps the links in objects that [`deliver`](Self::deliver) made, and stores the fields that the kernel left to be stored.
    ///
    /// # Errors
    ///
    /// Errors of fetching.
    fn remap_born(&mut self, born: &Born, moves: Moves<'_>) -> Result<(), Error>;
    /// Removes objects that [`deliver`](Self::deliver) has just made.
    ///
    /// # Safety
    ///
    /// No link to one of them was checked (I11).
    unsafe fn undo(&mut self, born: &Born);
    /// Marks the owners of links to removed objects that are removed with these: fields with `on_remove = "cascade"`.
    /// Returns whether there are more.
    ///
    /// # Errors
    ///
    /// Errors of fetching.
    fn cascade(&self, moves: Moves<'_>, marks: &mut Vec<u64>) -> Result<bool, Error>;
    /// Removes objects, given as one bit per index. Links to them are remapped already.
    fn remove_all(&mut self, removed: &[u64]);
    /// The fill ratio below which the class compacts by itself, if it was declared.
    fn compacts_below(&self) -> Option<f32>;
    /// A copy of all objects.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; errors of fetching.
    fn save(&self) -> Result<Box<dyn Any>, Error>;
    /// Makes the objects those of a copy. No object was added since, or these were undone.
    fn restore(&mut self, saved: Box<dyn Any>);
}

/// The threads on which a kernel may run: the calling one, and those of the pool.
fn threads() -> Threads {
    let current = || rayon::current_thread_index().map_or(0, |thread| thread + 1);
    Threads { count: rayon::current_num_threads() + 1, current }
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
        self.indices().map(|index| index as u32).collect()
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
    pub(crate) fn live_in(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + Clone + '_ {
        self.table().header.holes.live(range)
    }

    /// The objects that exist, as a list.
    pub(crate) fn live_list(&self) -> &Arc<ListOrder> {
        self.live.get_or_init(|| Arc::new(ListOrder::of_ranges(self.live_in(0..self.slots()))))
    }

    /// Writes the rows of new objects to these places, and then to new ones at the end.
    fn place(
        &mut self,
        holes: &[usize],
        rows: impl Iterator<Item = C>,
        mut placed: impl FnMut(usize),
    ) -> Result<(), Error> {
        let mut rows = rows;
        if Self::HAS_ARENA {
            for (&hole, row) in holes.iter().zip(rows.by_ref()) {
                self.put(Link::at(hole as u32), row)?;
                placed(hole);
            }
            return rows.try_for_each(|row| {
                placed(self.push(row)?.index());
                Ok(())
            });
        }
        let slots = self.slots();
        self.change_rows(0..slots);
        assert!(holes.iter().all(|&hole| hole < slots));
        let bases = self.table().bases;
        for (&hole, row) in holes.iter().zip(rows.by_ref()) {
            // SAFETY: there is room, and `&mut self` excludes other accesses.
            unsafe { <C::Fields as FieldTuple<C>>::write(&bases, hole, row.into_values(), &mut Bump::none()) }
            placed(hole);
        }
        self.extend_at_once(rows)?;
        (slots..self.slots()).for_each(placed);
        Ok(())
    }
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
    }
    fn close(&mut self) {
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

    fn deliver(&mut self) -> Result<Born, Error> {
        let slots = self.slots();
        let Some(nursery) = &mut self.table_mut().nursery else { return Ok(Born::default()) };
        let (first, (mut young, numbers)) = (nursery.first(), nursery.take());
        if young.is_empty() {
            return Ok(Born::default());
        }
        let holes: Vec<_> = self.table().header.holes.iter().take(young.len()).collect();
        self.grow(slots + young.len() - holes.len())?;
        let mut born = Born { ids: vec![0; numbers as usize], indices: Vec::with_capacity(young.len()), slots, first };
        let numbers: Vec<_> = young.iter().map(|young| young.number).collect();
        let placed = self.place(&holes, young.drain(..).map(|young| young.row), |index| {
            born.ids[numbers[born.indices.len()] as usize] = index as u32 + 1;
            born.indices.push(index as u32);
        });
        if let Some(nursery) = &mut self.table_mut().nursery {
            nursery.give_back(young);
        }
        if let Err(error) = placed {
            self.set_len(slots);
            return Err(error);
        }
        for &hole in &holes {
            self.table_mut().header.holes.fill(hole);
        }
        self.live = OnceLock::new();
        Ok(born)
    }
    fn remap_born(&mut self, born: &Born, moves: Moves<'_>) -> Result<(), Error> {
        let late = self.table_mut().late.as_mut().map_or_else(Vec::new, Late::take);
        if !late.is_empty() {
            self.try_fetch(FieldSet::ALL)?;
            self.change_rows(0..self.slots());
            for (index, store) in late {
                assert!(self.exists(index as usize));
                store(&self.table().bases, index as usize, moves);
            }
        }
        if born.is_empty() || !C::FIELDS.iter().any(|field| moves.concern(field.holds_links_to)) {
            return Ok(());
        }
        self.try_fetch(FieldSet::ALL)?;
        self.change_rows(0..self.slots());
        assert!(born.indices.iter().all(|&index| (index as usize) < self.slots()), "the objects were just made");
        let objects = born.indices.iter().map(|&index| index as usize);
        // SAFETY: the objects exist, and `&mut self` excludes other accesses.
        let remapped =
            unsafe { <C::Fields as FieldTuple<C>>::remap(&self.table().bases, objects, moves, Remap::Commit) };
        debug_assert!(remapped.is_ok(), "new objects are not removed");
        Ok(())
    }
    unsafe fn undo(&mut self, born: &Born) {
        if born.is_empty() {
            return;
        }
        assert!(born.slots <= self.slots(), "the objects were just made");
        let mut words = Vec::new();
        for &index in born.indices.iter().filter(|&&index| (index as usize) < born.slots) {
            set(&mut words, index as usize);
        }
        self.set_len(born.slots);
        self.table_mut().header.holes.insert(&words);
        self.live = OnceLock::new();
    }
    fn cascade(&self, moves: Moves<'_>, marks: &mut Vec<u64>) -> Result<bool, Error> {
        let cascades = |field: usize| C::FIELDS[field].cascades;
        if !C::FIELDS.iter().any(|field| field.cascades && moves.concern(field.holds_links_to)) {
            return Ok(false);
        }
        self.try_fetch(FieldSet::ALL)?;
        let mut found = false;
        for index in self.indices().filter(|&index| !moves.is_removed(C::ID, index)) {
            let one = std::iter::once(index);
            // SAFETY: the object exists, and a check writes nothing.
            let checked = unsafe { <C::Fields as FieldTuple<C>>::remap(&self.table().bases, one, moves, Remap::Check) };
            if checked.is_err_and(|(field, _)| cascades(field)) {
                set(marks, index);
                found = true;
            }
        }
        Ok(found)
    }
    fn remove_all(&mut self, removed: &[u64]) {
        assert!(ones(removed).last().is_none_or(|last| last < self.slots()), "the objects exist");
        let header = &mut self.table_mut().header;
        header.holes.insert(removed);
        header.removed_at = now();
        self.live = OnceLock::new();
        let is_removed =
            |index: u32| removed.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 != 0);
        self.tracks.remap(|index| (!is_removed(index)).then_some(index));
    }
    fn compacts_below(&self) -> Option<f32> {
        <C as ClassInfo>::COMPACT
    }
    fn save(&self) -> Result<Box<dyn Any>, Error> {
        Ok(Box::new(self.try_clone()?))
    }
    fn restore(&mut self, saved: Box<dyn Any>) {
        let Ok(saved) = saved.downcast::<Self>() else { return };
        let (slots, used) = (self.slots(), saved.arena().1);
        assert!(saved.slots() == slots && used <= self.arena().0, "no object was added since");
        self.change_rows(0..slots);
        self.copy_from(&saved, slots, used);
        self.table_mut().header.arena.1 = used;
        self.shadow = super::Shadow::empty();
    }
}

impl<C: Class> Objects<C> {
    /// Copies objects and the used part of the arena from others; both have room.
    pub(super) fn copy_from(&mut self, other: &Self, len: usize, used: usize) {
        if const { atomics::<C>().is_empty() } {
            self.memory.copy_objects(&other.memory, len);
            self.memory.copy_arena(&other.memory, used);
            return;
        }
        let (from, to) = (other.memory.bases(), self.memory.bases());
        assert!(len <= other.memory.capacity() && len <= self.memory.capacity());
        for index in 0..len {
            // SAFETY: both storages have room for the object, and this arena has room for all used bytes of the other.
            // `&other` excludes all writes except atomic ones, and atomics are read as atomics. `&mut self` excludes
            // other accesses here.
            unsafe { <C::Fields as FieldTuple<C>>::copy(&from, &to, index, FieldSet::ALL) }
        }
    }
}

/// Sets a bit.
pub(crate) fn set(words: &mut Vec<u64>, index: usize) {
    if words.len() <= index / 64 {
        words.resize(index / 64 + 1, 0);
    }
    words[index / 64] |= 1 << (index % 64);
}
