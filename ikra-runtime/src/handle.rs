//! Handles: an object in its table, behind every view and ref.

use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::Ordering::Relaxed;

use crate::class::{Class, Field};
use crate::link::Link;
use crate::phase::{AllRaceFree, FieldSet, Phase, RaceFree};
use crate::storage::Storage;
use crate::table::{Directory, Header, Table, absent};

/// Where the objects of a link's class are.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Place<'w> {
    table: *const Header,
    world: PhantomData<&'w Header>,
}

impl<'w> Place<'w> {
    /// The place of a field's target class.
    #[inline(always)]
    pub(crate) fn of_target<C: Class>(table: &'w Table<C>, field: usize) -> Self {
        Self { table: table.targets.as_ref()[field].get(), world: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn of_table<C: Class>(table: &'w Table<C>) -> Self {
        Self { table: core::ptr::from_ref(table).cast(), world: PhantomData }
    }
}

/// An object of class `C` in phase `P`: an index and the table that it counts in.
///
/// The index is not known to be in range: it is checked when the object is read.
#[doc(hidden)]
pub struct Handle<'w, C, P> {
    index: u32,
    /// The start of a live `Table<C>`, or of `ABSENT`, which has no objects.
    table: *const Header,
    marker: PhantomData<(&'w C, fn() -> P)>,
}

impl<C, P> Copy for Handle<'_, C, P> {}
impl<C, P> Clone for Handle<'_, C, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
// SAFETY: reads through it follow the rules of `Table`, which hold across threads; values are `Sync`.
unsafe impl<C: Class, P> Send for Handle<'_, C, P> {}
// SAFETY: as for `Send`.
unsafe impl<C: Class, P> Sync for Handle<'_, C, P> {}

impl<C: Class, P> fmt::Debug for Handle<'_, C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.link(), f)
    }
}

impl<C, P> PartialEq for Handle<'_, C, P> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && core::ptr::eq(self.table, other.table)
    }
}

impl<'w, C: Class, P> Handle<'w, C, P> {
    #[inline(always)]
    pub(crate) fn new(link: Link<C>, place: Place<'w>) -> Self {
        Self { index: link.index() as u32, table: place.table, marker: PhantomData }
    }

    /// The object at `index` of `table`.
    #[inline(always)]
    pub(crate) fn at(table: &'w Table<C>, index: usize) -> Self {
        Self { index: index as u32, table: Place::of_table(table).table, marker: PhantomData }
    }

    /// The link to the object.
    #[inline(always)]
    pub fn link(self) -> Link<C> {
        Link::at(self.index)
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.index as usize
    }

    /// The object's table.
    ///
    /// # Panics
    ///
    /// If the object is not in it.
    #[inline(always)]
    pub(crate) fn table(self) -> &'w Table<C> {
        // SAFETY: every table starts with a header, and is alive during `'w`.
        let header = unsafe { &*self.table };
        if self.index >= header.len {
            out_of_range(C::NAME, self.index, header.len);
        }
        // SAFETY: a table with objects is no `ABSENT`, so it is a `Table<C>`.
        unsafe { &*self.table.cast::<Table<C>>() }
    }
}

impl<'w, C: Class, P: Phase> Handle<'w, C, P> {
    /// Reads a field of the object, which another kernel call may own.
    ///
    /// # Panics
    ///
    /// If the link was not to an object of this world.
    #[inline(always)]
    pub fn read<const K: usize>(self, _: RaceFree<P, C, K>) -> <<C as Field<K>>::Storage as Storage>::View<'w, P>
    where
        C: Field<K>,
    {
        let table = self.table();
        // SAFETY: in range; `Storage` is that of field `K` by the contract of `Field`; and nothing writes the column
        // in this phase: a kernel writes only fields in `WRITES` of its own class, which the proof excludes,
        // and snapshots go to another column.
        unsafe { <<C as Field<K>>::Storage as Storage>::view_at::<C, P, K>(table, self.index()) }
    }

    /// Reads the fields in `FIELDS` of the object and makes a view of them, for a `&self` method.
    /// The others have placeholders.
    ///
    /// # Panics
    ///
    /// If the link was not to an object of this world.
    #[inline(always)]
    pub fn view<A: Touched>(self, _: AllRaceFree<P, C, A>) -> C::View<'w, P> {
        use crate::arity::FieldTuple;
        let table = self.table();
        // SAFETY: in range, and as in `read` for each field that is in the set.
        let views = unsafe { <C::Fields as FieldTuple>::views_at::<C, P, A>(table, self.index()) };
        C::to_view(views, self)
    }

    /// The object that a link refers to, in the same world.
    #[inline]
    pub fn resolve<D: Class>(self, link: Link<D>) -> D::Ref<'w, P> {
        D::to_ref(Handle::new(link, self.place::<D>()))
    }

    /// All objects of a class of the same world, in the order of their ids.
    #[inline]
    pub fn all<D: Class>(self) -> All<'w, D, P> {
        let place = self.place::<D>();
        // SAFETY: every table starts with a header, and is alive during `'w`.
        let len = unsafe { &*place.table }.len;
        All { next: 0, len, place, marker: PhantomData }
    }

    #[inline(always)]
    fn place<D: Class>(self) -> Place<'w> {
        if C::ID.same(D::ID) {
            return Place { table: self.table, world: PhantomData };
        }
        let directory: *const Directory = self.table().directory.load(Relaxed);
        // SAFETY: a handle into a table exists only while its world's tables are linked, and the directory is alive
        // while the world is borrowed.
        let found = unsafe { directory.as_ref() }.and_then(|directory| directory.find(D::ID));
        Place { table: found.unwrap_or(absent()), world: PhantomData }
    }
}

#[cold]
#[inline(never)]
fn out_of_range(class: &str, index: u32, len: u32) -> ! {
    panic!("link {class}#{} is not of this world, which has {len} objects of class {class}", u64::from(index) + 1)
}

/// The fields that a method names, as a type.
#[doc(hidden)]
pub trait Touched {
    /// The fields.
    const FIELDS: FieldSet;
}

/// All objects of a class, as refs: what [`Object::all`](crate::Object::all) returns.
pub struct All<'w, C, P> {
    next: u32,
    len: u32,
    place: Place<'w>,
    marker: PhantomData<(&'w C, fn() -> P)>,
}

impl<'w, C: Class, P> All<'w, C, P> {
    pub(crate) fn of(table: &'w Table<C>) -> Self {
        Self { next: 0, len: table.header.len, place: Place::of_table(table), marker: PhantomData }
    }
}

impl<C: Class, P> fmt::Debug for All<'_, C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "All<{}>({}..{})", C::NAME, self.next, self.len)
    }
}

impl<'w, C: Class, P: Phase> Iterator for All<'w, C, P> {
    type Item = C::Ref<'w, P>;

    #[inline(always)]
    fn next(&mut self) -> Option<C::Ref<'w, P>> {
        if self.next >= self.len {
            return None;
        }
        let link = Link::at(self.next);
        self.next += 1;
        Some(C::to_ref(Handle::new(link, self.place)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.len - self.next) as usize;
        (left, Some(left))
    }
}

impl<C: Class, P: Phase> ExactSizeIterator for All<'_, C, P> {}
