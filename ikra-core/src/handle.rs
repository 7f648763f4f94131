//! Handles: an object in its table, behind every view and ref.

mod all;
mod links;
mod own;

use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;

use crate::class::{Class, Field};
use crate::effects::FieldSet;
use crate::facts::Facts;
use crate::info::ClassId;
use crate::link::Link;
use crate::near::Near;
use crate::panics::{has_holes, out_of_range, was_removed};
use crate::phase::{AllRaceFree, Phase, RaceFree};
use crate::storage::{Copies, FieldTuple, Storage, Stored, ViewOf};
use crate::table::{Table, TableRef};
use crate::tile_row;

pub use all::AllObjects;
pub use links::Follow;
pub use own::{Assigned, Own};

/// An object of class `C` in phase `P`: a link and, on the host, the table of its class.
///
/// In kernels the object exists (I12): the code that makes a handle ensures it, and reads need no check. In sequential
/// code, each read checks it.
///
/// On the device a handle is the link's 4 bytes, so that arrays can hold refs as they hold links. In kernels for pairs
/// it is larger. `Option` adds nothing.
pub struct Handle<'w, C, P: Phase> {
    link: Link<C>,
    /// The address of a live `Table<C>`, or of an absent class's table, without objects.
    place: TableRef<'w>,
    /// The known facts about the object.
    facts: Facts,
    /// A tile row of the object, in faster memory than its columns, if there is one; see [`tile_row`](crate::tile_row).
    near: P::Near,
    marker: PhantomData<&'w C>,
}

impl<C, P: Phase> Copy for Handle<'_, C, P> {}
impl<C, P: Phase> Clone for Handle<'_, C, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
// SAFETY: in phases that are `Send`, those of kernels and of shared worlds, reads follow the rules of `Table`, which
// hold across threads, and values are `Sync`. While a guard exists, which stores its object when it is dropped, a ref
// must stay in the guard's thread: `Guarded` is not `Send`.
unsafe impl<C: Class, P: Phase + Send> Send for Handle<'_, C, P> {}
// SAFETY: as for `Send`: handles are `Copy`.
unsafe impl<C: Class, P: Phase + Send> Sync for Handle<'_, C, P> {}

impl<C: Class, P: Phase> fmt::Debug for Handle<'_, C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.link, f)
    }
}

impl<C, P: Phase> PartialEq for Handle<'_, C, P> {
    fn eq(&self, other: &Self) -> bool {
        self.link == other.link && self.place == other.place
    }
}

impl<'w, C: Class, P: Phase> Handle<'w, C, P> {
    /// The object of a link, with the known facts about it.
    ///
    /// # Safety
    ///
    /// 1. The address is that of a table of `C`, or of an absent class; if `P` is a kernel, the object exists.
    /// 2. The facts are true while the world is borrowed for `'w`.
    #[inline(always)]
    pub(crate) unsafe fn new(link: Link<C>, place: TableRef<'w>, facts: Facts) -> Self {
        Self { link, place, facts, near: P::Near::NONE, marker: PhantomData }
    }

    /// The object at `index` of `table`, with the known facts about it.
    ///
    /// # Safety
    ///
    /// 1. The index is possible for an object, less than `u32::MAX`; if `P` is a kernel, the object exists.
    /// 2. As for [`Storage::to_view`], 4.
    #[inline(always)]
    pub unsafe fn at(table: &'w Table<C>, index: usize, facts: Facts) -> Self {
        // SAFETY: by 1.
        let link = unsafe { Link::at_unchecked(index as u32) };
        // SAFETY: 1. it is a table of `C`, and the rest holds by 1; 2. by 2.
        unsafe { Self::new(link, TableRef::of_table(table), facts) }
    }

    /// As [`at`](Self::at), for sequential code, where later reads need not check that the object exists.
    ///
    /// # Safety
    ///
    /// The object exists.
    #[inline(always)]
    pub unsafe fn found(table: &'w Table<C>, index: usize) -> Self {
        // SAFETY: 1. an object's index is less than the largest; 2. the object exists, which is added to the facts
        // about all objects.
        unsafe { Self::at(table, index, table.facts().of_existing()) }
    }

    /// The object at `index` of `table`, with a tile row.
    ///
    /// # Safety
    ///
    /// 1. As for [`at`](Self::at), 1.
    /// 2. During `'w` the object's tile row for phase `P` is at `near`, if tile rows exist at all.
    #[inline(always)]
    pub unsafe fn near(table: &'w Table<C>, index: usize, near: P::Near) -> Self {
        // SAFETY: by 1; the facts state nothing.
        Self { near, ..unsafe { Self::at(table, index, Facts::NONE) } }
    }

    /// The link to the object.
    #[inline(always)]
    pub fn link(self) -> Link<C> {
        self.link
    }

    /// The known facts about the object.
    #[inline(always)]
    pub(crate) fn facts(self) -> Facts {
        self.facts
    }

    /// The address of the object's table.
    #[inline(always)]
    pub(crate) fn place(self) -> TableRef<'w> {
        self.place
    }

    /// The object's index.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.link.index()
    }
}

/// Panics unless the object exists among the `len` objects of its class.
#[inline(always)]
#[track_caller]
pub(crate) fn check(class: ClassId, index: u32, len: u32) {
    if index >= len {
        out_of_range(class.name(), index, len);
    }
}

impl<'w, C: Class, P: Phase> Handle<'w, C, P> {
    /// The table with the object.
    ///
    /// # Panics
    ///
    /// In sequential code, if the object does not exist.
    #[inline(always)]
    #[track_caller]
    fn table(self) -> &'w Table<C> {
        if P::SEQUENTIAL && !self.facts.exists() {
            check(C::ID, self.index() as u32, self.place.count::<C>());
            if self.place.is_removed(self.index()) {
                was_removed(C::NAME, self.link.id());
            }
        }
        // SAFETY: the address is that of a table of `C`, or of an absent class, which has no objects. The object
        // exists: that was just checked, or a kernel's handle guarantees it (I12).
        unsafe { self.place.table::<C>() }
    }

    /// In debug builds, panics if a kernel reads fields of an object whose values this process does not have.
    #[inline]
    #[track_caller]
    fn assert_at_hand(self, table: &Table<C>, fields: FieldSet) {
        #[cfg(any(not(debug_assertions), target_arch = "nvptx64"))]
        let _ = (table, fields);
        #[cfg(all(debug_assertions, not(target_arch = "nvptx64")))]
        if !P::SEQUENTIAL
            && let Some(at_hand) = table.header.at_hand()
        {
            let lacks = |field: &usize| fields.contains(*field) && !at_hand.has(*field, self.index());
            if let Some(field) = (0..C::FIELDS.len()).find(lacks) {
                crate::panics::not_at_hand::<C>(P::EFFECTS.kernel(), field, self.link.id());
            }
        }
    }

    /// Reads a field of the object, which another kernel call may own.
    ///
    /// # Panics
    ///
    /// In sequential code, if the link was not to an object of this world.
    #[inline(always)]
    #[track_caller]
    pub fn read<const K: usize>(self, _: RaceFree<P, C, K>) -> <<C as Field<K>>::Storage as Storage<C, K>>::Seen<'w, P>
    where
        C: Field<K>,
    {
        // SAFETY: the row, if there is one, is that of an object of `C` for phase `P`, by the contract of `near`. So it
        // has field `K`, if field `K` is in rows.
        if let Some(value) = unsafe { self.near.read(const { tile_row::offset::<C, P>(K) }) } {
            // SAFETY: an object with a tile row exists, in a table of `C`.
            let table = unsafe { self.place.table::<C>() };
            // SAFETY: the value is the object's.
            return unsafe {
                <<C as Field<K>>::Storage as Storage<C, K>>::to_seen::<P>(
                    value,
                    table,
                    self.index(),
                    self.facts.of_linked_object(),
                )
            };
        }
        let table = self.table();
        self.assert_at_hand(table, const { FieldSet::from_bits(1 << K) });
        if P::SEQUENTIAL {
            let field = const { FieldSet::from_bits(1 << K) };
            if const { <<C as Field<K>>::Storage as Stored>::ATOMIC } {
                // The caller can change the field through the getter's result.
                if !self.facts.has_no_device() {
                    table.changed_on_host(field);
                }
            } else if !self.facts.is_last() {
                table.fetch_object(field, self.index());
            }
        }
        // SAFETY: in range. `Storage` is that of field `K` by the contract of `Field`. Nothing writes the column in
        // this phase. A kernel writes only the declared fields of its own class, which `RaceFree` rules out (I4), and
        // snapshots go to another column. A guard writes when it is dropped, in this thread. An atomic field was
        // handled above.
        unsafe {
            <<C as Field<K>>::Storage as Storage<C, K>>::see::<P>(table, self.index(), self.facts.of_linked_object())
        }
    }

    /// Reads the fields in `FIELDS` of the object, makes a view of them, and lends it to a `&self` method. The other
    /// fields have placeholders.
    ///
    /// No code owns the view or borrows it exclusively, so no code can write through it, in any phase. Atomics in it
    /// know that they are not the kernel's own, so a method may use other fields than `FIELDS`.
    ///
    /// # Panics
    ///
    /// In sequential code, if the link was not to an object of this world.
    #[inline(always)]
    #[track_caller]
    pub fn with_view<const FIELDS: u64, R>(
        self,
        _: AllRaceFree<P, C, FIELDS>,
        method: impl FnOnce(&C::View<'w, P>) -> R,
    ) -> R {
        let table = self.table();
        self.assert_at_hand(table, const { FieldSet::from_bits(FIELDS) });
        if P::SEQUENTIAL && !self.facts.is_last() {
            table.fetch_object(const { FieldSet::from_bits(FIELDS) }, self.index());
        }
        // SAFETY: in range, and as in `read` for each field that is in the set.
        let values = unsafe { <C::Fields as FieldTuple<C>>::values_at::<P, FIELDS>(table, self.index()) };
        if const { P::GUARDED } {
            // The method may borrow elements, and meanwhile drop the guard, which stores them: so it gets copies.
            let mut copies = Copies::new();
            // SAFETY: as above; nothing is written before the method is called.
            let values = unsafe { <C::Fields as FieldTuple<C>>::detach(values, &mut copies) };
            // The view shows the copies, and everything made from it ends with the borrow that the method gets.
            // SAFETY: the values are the object's.
            return method(&unsafe { self.show(values, const { FieldSet::from_bits(FIELDS) }, table) });
        }
        // SAFETY: the values are the object's.
        method(&unsafe { self.show(values, const { FieldSet::from_bits(FIELDS) }, table) })
    }

    /// The view that is lent, from the object's values.
    ///
    /// # Safety
    ///
    /// As for `Storage::to_view`, 1 and 2.
    #[inline(always)]
    unsafe fn show(
        self,
        values: <C::Fields as FieldTuple<C>>::Values,
        loaded: FieldSet,
        table: &'w Table<C>,
    ) -> C::View<'w, P> {
        // SAFETY: the contract is the same for each field; 3. the view is another object's; 4. the facts hold for it.
        let views = unsafe {
            <C::Fields as FieldTuple<C>>::to_views::<P>(
                values,
                loaded,
                ViewOf::Another,
                table,
                self.index(),
                self.facts.of_linked_object(),
            )
        };
        C::to_view(views, Own::new(self, values))
    }

    /// The object that a link of this world refers to.
    ///
    /// # Panics
    ///
    /// If the object does not exist.
    #[inline]
    #[track_caller]
    pub fn resolve<L: Follow>(self, link: L) -> L::View<'w, P> {
        link.follow(self)
    }

    /// All objects of a class of this world, in the order of their ids.
    #[inline]
    pub fn all<D: Class>(self) -> AllObjects<'w, D, P> {
        let place = self.place_of::<D>();
        if place.holes() > 0 {
            has_holes(D::NAME, place.holes());
        }
        let len = place.count::<D>();
        let mut all = AllObjects { next: 0, len, place, facts: self.facts.of_linked_object(), marker: PhantomData };
        if P::SEQUENTIAL && len > 0 {
            // SAFETY: objects exist, so the address is that of a table of `D`.
            let table = unsafe { place.table::<D>() };
            // SAFETY: a handle exists, so the tables are linked and the world is borrowed.
            all.facts = unsafe { table.linked_facts() };
        }
        all
    }

    /// The address of another class's table.
    #[inline(always)]
    pub(crate) fn place_of<D: Class>(self) -> TableRef<'w> {
        if TypeId::of::<C>() == TypeId::of::<D>() { self.place } else { self.place.beside(|| D::ID) }
    }
}
