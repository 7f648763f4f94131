//! `Objects<C>`: the objects of one class in a world.

mod addressing;
mod any;
mod any_column;
mod arena;
mod arrays;
mod born;
mod changes;
mod checks;
mod columns;
mod extend;
mod fields;
mod lent;
mod lives;
mod permute;
mod reorder;
mod rows;
mod shadow;
mod shape;
mod tracks;

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock, Weak};

use fixedbitset::FixedBitSet;

pub use any::AnyObjects;
pub use any_column::AnyColumn;
use arena::Dead;
pub use born::Born;
pub use columns::{SliceColumn, SliceColumnMut};
pub use fields::NewObjects;
pub use lives::Lives;
pub(crate) use reorder::{concerned, fields_with, generation};
pub use rows::{Links, Rows};
use shadow::Shadow;
pub use shape::{MAX_OBJECTS, Shape};
pub use tracks::Tracked;
use tracks::Tracks;

use crate::class::{Class, atomics};
use crate::error::Error;
use crate::exec::AllReturned;
use crate::link::Link;
use crate::list::ListOrder;
use crate::memory::Memory;
use crate::mirror::Mirrored;
use crate::storage::{Bump, FieldTuple};
use crate::table::Table;
use ikra_core::effects::FieldSet;
use ikra_core::holes::Holes;
use ikra_core::mistakes::LentWhole;
use ikra_core::phase::{Guarded, Sequential};
use ikra_core::worklist::Younger;

/// The objects of class `C` in a world: like a `Vec<C>`, but stored column by column.
///
/// | `Vec<Body>` | `Objects<Body>` |
/// | --- | --- |
/// | `bodies.push(body)`, an index | [`push`](Self::push), a [`Link`] |
/// | `bodies[i].clone()` | [`read(link)`](Self::read) |
/// | `bodies[i] = body` | [`write(link, body)`](Self::write) |
/// | `bodies[i].mass` | `world.get(link).mass()` |
/// | `bodies.iter().map(\|b\| b.mass)` | [`column(body::mass)`](Self::column), a slice |
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// #[derive(Clone, Debug, PartialEq)]
/// pub struct Body { pub pos: [f32; 2], pub mass: f32 }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// let body = sim.bodies.push(Body { pos: [0.0, 1.0], mass: 2.0 })?;
/// sim.bodies.extend((1..4).map(|n| Body { pos: [0.0; 2], mass: n as f32 }))?;
/// assert_eq!(sim.bodies.len(), 4);
/// assert_eq!(sim.bodies.read(body)?.pos, [0.0, 1.0]);
/// assert_eq!(sim.bodies.column(body::mass), [2.0, 1.0, 2.0, 3.0]);
/// sim.bodies.column_mut(body::mass).fill(1.0);
/// assert_eq!(sim.get(body).mass(), 1.0);
/// # Ok(()) }
/// ```
pub struct Objects<C: Class> {
    /// On the heap, so that its address stays the same; owned by this value.
    table: NonNull<Table<C>>,
    memory: Memory<C>,
    shadow: Shadow<C>,
    /// The reserved objects that are not yet initialised, by index.
    pending: FixedBitSet,
    /// The objects that exist, if some were removed and the list was needed since.
    live: OnceLock<Arc<ListOrder>>,
    tracks: Tracks,
    /// The new objects in a loop's worklist. As long as it exists, new ones get the ids of these removed ones only: the worklist
    /// may name others.
    fillable: (Weak<Younger>, Holes),
}

/// Functions of `Vec` that would lend or remove objects, for their message.
#[doc(hidden)]
#[rustfmt::skip]
impl<C: Class> Objects<C> {
    pub fn iter_mut(&mut self) -> Rows<'_, C> where C: LentWhole { unreachable!() }
    pub fn get<I>(&self, _: I) -> C::Ref<'_, Sequential> where C: LentWhole { unreachable!() }
    pub fn get_mut<I>(&mut self, _: I) -> C::View<'_, Guarded> where C: LentWhole { unreachable!() }
    pub fn clear(&mut self) where C: LentWhole {}
    pub fn pop(&mut self) -> Option<C> where C: LentWhole { unreachable!() }
    pub fn remove<I>(&mut self, _: I) -> C where C: LentWhole { unreachable!() }
    pub fn retain(&mut self, _: impl FnMut(&C) -> bool) where C: LentWhole {}
}

// SAFETY: `Objects` owns its table and storage, whose values are `Send`.
unsafe impl<C: Class> Send for Objects<C> {}
// SAFETY: through `&Objects` columns are only read, or changed atomically; values are `Sync`.
unsafe impl<C: Class> Sync for Objects<C> {}

impl<C: Class> Default for Objects<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Class> fmt::Debug for Objects<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Objects<{}>({})", C::NAME, self.len())
    }
}

/// Clones the objects under the same ids, with arrays of their own. Values that a device changed are fetched first, and
/// the clone starts without a device. Its storage has no spare room, so pushing may move it.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// let body = sim.bodies.push(Body { mass: 1.0 })?;
/// let before = sim.clone();
/// sim.bodies.column_mut(body::mass)[0] = 2.0;
/// assert_eq!((before.get(body).mass(), sim.get(body).mass()), (1.0, 2.0));
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// If there is not enough memory, or if the device from which values are fetched fails.
impl<C: Class> Clone for Objects<C> {
    fn clone(&self) -> Self {
        match self.try_clone() {
            Ok(objects) => objects,
            Err(error) => panic!("{error}"),
        }
    }
}

impl<C: Class> Drop for Objects<C> {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw` in `new`, and freed only here.
        drop(unsafe { Box::from_raw(self.table.as_ptr()) });
    }
}

impl<C: Class> Objects<C> {
    /// An empty container.
    pub fn new() -> Self {
        // SAFETY: the table's invariants are kept here and in the modules below.
        let table = NonNull::from(Box::leak(Box::new(unsafe { Table::new() })));
        Self {
            table,
            memory: Memory::empty(),
            shadow: Shadow::empty(),
            pending: FixedBitSet::new(),
            live: OnceLock::new(),
            tracks: Tracks::default(),
            fillable: (Weak::new(), Holes::NONE),
        }
    }

    fn try_clone(&self) -> Result<Self, Error> {
        self.table().fetch(FieldSet::ALL);
        let mut clone = Self::new();
        let (len, (room, used)) = (self.slots(), self.arena());
        clone.grow(len)?;
        if used > 0 {
            let room = if C::ARENA.is_some() { room } else { used };
            clone.memory.grow_arena(room, 0)?;
            clone.table_mut().header.arena = (room, used);
        }
        if const { atomics::<C>().is_empty() } {
            clone.memory.copy_objects(&self.memory, len);
            clone.memory.copy_arena(&self.memory, used);
        } else {
            let (from, to) = (self.memory.bases(), clone.memory.bases());
            for index in 0..len {
                // SAFETY: both storages have room for the object, and the clone's arena has room for all used bytes of
                // this one. `&self` excludes all writes except atomic ones, and atomics are read as atomics. No other
                // code can access the clone yet.
                unsafe { <C::Fields as FieldTuple<C>>::copy(&from, &to, index, FieldSet::ALL) }
            }
        }
        clone.pending = self.pending.clone();
        clone.tracks = self.tracks.clone();
        let bases = clone.memory.bases();
        let table = clone.table_mut();
        table.bases = bases;
        table.header.len = len as u32;
        table.header.pending = self.table().header.pending;
        table.header.holes = self.table().header.holes.clone();
        // Lists that are stale here are stale there.
        table.header.generation = self.table().header.generation;
        table.header.removed_at = self.table().header.removed_at;
        Ok(clone)
    }

    #[inline(always)]
    pub(crate) fn table(&self) -> &Table<C> {
        // SAFETY: the table is alive as long as `self`, and changes only through `&mut self`.
        unsafe { self.table.as_ref() }
    }

    fn table_mut(&mut self) -> &mut Table<C> {
        // SAFETY: the table is alive as long as `self`; handles into it borrow `self` or the whole world.
        unsafe { self.table.as_mut() }
    }

    /// Fetches stale fields, so that the host's values are current. After an error, the others are unchanged.
    pub(crate) fn try_fetch(&self, fields: FieldSet) -> Result<(), Error> {
        let newer = self.table().newer.as_deref().map(|newer| -> &dyn Any { newer });
        newer.and_then(|newer| newer.downcast_ref::<Mirrored>()).map_or(Ok(()), |it| it.try_fetch(self.table(), fields))
    }

    /// Prepares whole objects for being added or changed.
    pub(crate) fn change_rows(&mut self, objects: Range<usize>) {
        self.table().fetch(FieldSet::ALL);
        self.table().written(FieldSet::ALL, objects);
    }

    /// The number of objects, reserved ones included. Removed ones do not count.
    pub fn len(&self) -> usize {
        self.slots() - self.holes()
    }

    /// The end of the indices of its objects: the number of objects, removed ones included.
    #[inline]
    pub(crate) fn slots(&self) -> usize {
        self.table().len()
    }

    /// Whether the class has no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of objects that fit without growing.
    pub fn capacity(&self) -> usize {
        self.memory.capacity().min(MAX_OBJECTS)
    }

    /// Adds an object and returns the link to it.
    ///
    /// # Errors
    ///
    /// [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`]. Nothing is added then.
    pub fn push(&mut self, row: C) -> Result<Link<C>, Error> {
        let index = self.slots();
        self.grow(index + 1)?;
        self.change_rows(index..index + 1);
        let row = row.into_values();
        let used = self.arena().1;
        let used = self.make_room(used, |used| <C::Fields as FieldTuple<C>>::arena_end(&row, used), Dead::Nothing)?;
        let mut bump = Bump { used, fresh: true };
        // SAFETY: there is room by `grow` and `make_room`, and `&mut self` excludes other accesses.
        unsafe { <C::Fields as FieldTuple<C>>::write(&self.table().bases, index, row, &mut bump) }
        self.set_arena_used(bump.used);
        self.set_len(index + 1);
        Ok(Link::at(index as u32))
    }

    /// Adds the objects of an iterator and returns the links to them, in order.
    ///
    /// # Errors
    ///
    /// [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`], [`Error::ArenaFull`]. None of the objects
    /// was added, or those before the failing one.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = C>) -> Result<Links<C>, Error> {
        let mut rows = rows.into_iter();
        let first = self.slots();
        self.grow(first.saturating_add(rows.size_hint().0))?;
        if Self::HAS_ARENA {
            rows.try_for_each(|row| self.push(row).map(drop))?;
        } else {
            self.extend_at_once(rows)?;
        }
        Ok(Links::new(first, self.slots()))
    }

    /// Adds `n` objects to be initialised later, and returns the links to them. This serves structures whose objects
    /// refer to each other in cycles, such as a graph that is being loaded (IKRA's `get_uninitialized`).
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Node { pub next: Link<Node> }
    /// #[soa_world]
    /// pub struct Ring { pub nodes: Objects<Node> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut ring = Ring::new();
    /// let links: Vec<_> = ring.nodes.reserve(3)?.collect();
    /// for n in 0..3 {
    ///     ring.nodes.init(links[n], Node { next: links[(n + 1) % 3] })?;
    /// }
    /// assert_eq!(ring.get(links[2]).next().link(), links[0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`]. Nothing is added then.
    pub fn reserve(&mut self, n: usize) -> Result<Links<C>, Error> {
        let first = self.slots();
        self.add_placeholders(n)?;
        let len = self.slots();
        self.pending.grow(len);
        self.pending.insert_range(first..len);
        self.table_mut().header.pending += n as u32;
        Ok(Links::new(first, len))
    }

    /// Adds objects that hold placeholder values.
    pub(crate) fn add_placeholders(&mut self, n: usize) -> Result<(), Error> {
        let first = self.slots();
        let len = first.saturating_add(n);
        self.grow(len)?;
        self.change_rows(first..len);
        self.put_placeholders(first..len, FieldSet::ALL);
        self.set_len(len);
        Ok(())
    }

    /// Writes valid placeholder values to some fields of objects for which there is room.
    fn put_placeholders(&mut self, objects: Range<usize>, fields: FieldSet) {
        assert!(objects.end <= self.memory.capacity());
        if fields.is_empty() {
            return;
        }
        for index in objects {
            // SAFETY: there is room, and `&mut self` excludes other accesses.
            unsafe { <C::Fields as FieldTuple<C>>::write_placeholder(&self.table().bases, index, fields) }
        }
    }

    /// Initialises an object from [`reserve`](Self::reserve).
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`]; [`Error::AlreadyInitialized`]; [`Error::ArenaFull`].
    pub fn init(&mut self, link: Link<C>, row: C) -> Result<(), Error> {
        self.check(link)?;
        if !self.is_pending(link) {
            return Err(Error::AlreadyInitialized { class: C::NAME, id: link.id() });
        }
        self.put(link, row)?;
        self.pending.remove(link.index());
        self.table_mut().header.pending -= 1;
        Ok(())
    }

    /// Reads a whole object.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`]; [`Error::NotInitialized`].
    pub fn read(&self, link: Link<C>) -> Result<C, Error> {
        self.check_initialized(link)?;
        // SAFETY: the link was checked to name an object of this class.
        Ok(unsafe { self.row(link) })
    }

    /// The row of an object.
    ///
    /// # Safety
    ///
    /// The object exists.
    #[inline]
    unsafe fn row(&self, link: Link<C>) -> C {
        self.table().fetch_object(FieldSet::ALL, link.index());
        // SAFETY: 1. the object exists, by the caller; 2. all fields were just fetched.
        unsafe { self.last_row(link.index()) }
    }

    /// The row of an object whose fields are current on the host.
    ///
    /// # Safety
    ///
    /// 1. The object exists.
    /// 2. The host's values of its fields are current.
    #[inline(always)]
    unsafe fn last_row(&self, index: usize) -> C {
        // SAFETY: the object exists by 1, and `&self` excludes writes.
        let values = unsafe { <C::Fields as FieldTuple<C>>::read_row(&self.table().bases, index) };
        C::from_values(values)
    }

    /// Replaces a whole object. An inner array that grows moves within the arena; its former space is reused later.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`]; [`Error::NotInitialized`]; [`Error::ArenaFull`].
    pub fn write(&mut self, link: Link<C>, row: C) -> Result<(), Error> {
        self.check_initialized(link)?;
        self.put(link, row)
    }

    /// Replaces the row of an object that exists.
    fn put(&mut self, link: Link<C>, row: C) -> Result<(), Error> {
        self.change_rows(link.index()..link.index() + 1);
        let row = row.into_values();
        let mut used = self.arena().1;
        // SAFETY: the object exists by the caller's check.
        if !unsafe { <C::Fields as FieldTuple<C>>::fits(&self.table().bases, link.index(), &row) } {
            let end = |used| <C::Fields as FieldTuple<C>>::arena_end(&row, used);
            used = self.make_room(used, end, Dead::Object(link.index()))?;
            // A conversion of the user's that panics leaves arrays up to there.
            self.set_arena_used(end(used));
        }
        let mut bump = Bump { used, fresh: false };
        // SAFETY: the object exists by the caller's check, there is room by `make_room`, and `&mut self` excludes
        // other accesses.
        unsafe { <C::Fields as FieldTuple<C>>::write(&self.table().bases, link.index(), row, &mut bump) }
        self.set_arena_used(bump.used);
        Ok(())
    }

    /// Makes room for `additional` more objects, so that adding them does not move storage.
    ///
    /// # Errors
    ///
    /// [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`].
    pub fn grow_by(&mut self, additional: usize) -> Result<(), Error> {
        self.grow(self.slots().saturating_add(additional))
    }

    /// New objects of kernels do not get the ids of objects that are removed from now on, as long as `younger` exists, which
    /// gets their ids in place of provisional ones.
    pub(crate) fn keep_holes(&mut self, younger: &Arc<Younger>) {
        self.fillable = (Arc::downgrade(younger), self.table().header.holes.clone());
    }

    fn set_len(&mut self, len: usize) {
        self.live.take();
        self.table_mut().header.len = len as u32;
    }

    /// Adds the objects before `len`, which the calls of a constructor have written.
    pub(crate) fn add_constructed(&mut self, len: usize, _: AllReturned) {
        self.set_len(len);
    }

    /// Makes room for `len` objects in all.
    pub(crate) fn grow(&mut self, len: usize) -> Result<(), Error> {
        if len <= self.capacity() { Ok(()) } else { self.enlarge(len) }
    }

    #[cold]
    #[inline(never)]
    fn enlarge(&mut self, len: usize) -> Result<(), Error> {
        if let Some(capacity) = C::CAPACITY
            && len > capacity as usize
        {
            return Err(Error::CapacityExceeded { class: C::NAME, capacity, requested: len });
        }
        if len > MAX_OBJECTS {
            return Err(Error::TooManyObjects { class: C::NAME, requested: len });
        }
        self.table().fetch(FieldSet::ALL);
        let capacity = len.max(self.memory.capacity() * 2).clamp(64, MAX_OBJECTS);
        let mut memory = Memory::new(capacity, &|_| true)?;
        memory.copy_objects(&self.memory, self.slots());
        memory.take_arena(&mut self.memory);
        self.memory = memory;
        self.shadow = Shadow::empty();
        let bases = self.memory.bases();
        self.table_mut().bases = bases;
        Ok(())
    }
}
