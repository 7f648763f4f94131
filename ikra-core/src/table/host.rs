//! Tables on the host: on the heap, each with pointers to the others of its world.

use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{BaseSet, address};
use crate::directory::{ABSENT, Directory, Header, Late, Nursery, TableRef, Targets};
use crate::facts::Facts;
use crate::field_set::FieldSet;
use crate::info::{ClassId, ClassInfo, first_target, linked, undivided, whole_units};

/// A holder of newer values of some columns than the host's.
///
/// # Safety
///
/// [`fetch`](Self::fetch) writes to the columns of the fields that [`Header::to_fetch`] returns, and of those that are
/// fetched with them ([`whole_units`]), and to no other memory. It marks them as fetched, or panics.
/// [`fetch_object`](Self::fetch_object) does this for all objects, or for the elements of the object. Neither writes to
/// these elements again while the table is shared.
pub unsafe trait Newer<C: ClassInfo>: Any + Send + Sync {
    /// Makes the host's copies of these fields current. Several threads may call it at the same time.
    ///
    /// # Panics
    ///
    /// If that fails, and again at each attempt: the host's copies are stale, and must not be taken for current.
    fn fetch(&self, table: &Table<C>, fields: FieldSet);

    /// As above, for one object. It may leave the other objects' values stale, and then does not mark the fields as
    /// fetched.
    ///
    /// # Panics
    ///
    /// As above.
    fn fetch_object(&self, table: &Table<C>, fields: FieldSet, index: usize);
}

/// The columns of one class in one world. Its address stays constant as the world grows or moves.
///
/// Invariants, kept by its only owner, `Objects` of the host's crate:
///
/// 1. `bases` point to storage for at least `len` objects, all initialised. The exception is the fields in
///    [`Header::absent`], of objects that a device made. These may have any bytes until they are fetched, which every
///    read does first, or are given placeholders.
/// 2. While a kernel runs, only it accesses the storage (I1). It writes the columns of its write set, each object's
///    elements by the one call for the object (I2, I3). It reads the others.
/// 3. While a kernel runs, all links in columns of [`linked`] fields, of this and the other tables of the world, are to
///    existing objects (I11).
/// 4. `targets` and the header's `directory` point to tables of one world, alive while the world is borrowed, whenever
///    a [`Handle`](crate::handle::Handle) into this table exists (I9).
#[repr(C)]
pub struct Table<C: ClassInfo> {
    /// The part with one layout for every class.
    pub header: Header,
    /// The starts of the columns.
    pub bases: C::Bases,
    targets: C::Targets,
    /// The holder of newer values. `None` if no device was ever used.
    pub newer: Option<Box<dyn Newer<C>>>,
    /// The new objects of a running kernel, if it may make some.
    pub nursery: Option<Nursery<C>>,
    /// The fields that are stored when a running kernel ends, if it may make objects.
    pub late: Option<Late>,
}

impl<C: ClassInfo> fmt::Debug for Table<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("class", &C::NAME).field("header", &self.header).finish_non_exhaustive()
    }
}

impl<C: ClassInfo> Table<C> {
    /// The table of an empty class.
    ///
    /// # Safety
    ///
    /// The new owner keeps the invariants above.
    pub unsafe fn new() -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let mut header = Header::EMPTY;
        header.number = NUMBERS.fetch_add(1, Relaxed);
        Self { header, bases: C::Bases::NONE, targets: C::TARGETS, newer: None, nursery: None, late: None }
    }

    /// Makes the host's copies of some fields current, before they are read or changed.
    ///
    /// # Panics
    ///
    /// If a device's copy is newer and fetching it fails.
    #[inline(always)]
    pub fn fetch(&self, fields: FieldSet) {
        let fields = self.header.to_fetch(fields);
        if !fields.is_empty() {
            self.fetch_newer(fields);
        }
    }

    /// The known facts about each object. They stay true while the table is shared: no device is opened meanwhile, and
    /// no kernel runs.
    #[inline]
    pub fn facts(&self) -> Facts {
        let has_device = self.newer.is_some();
        Facts::of_objects(has_device, !has_device || self.header.to_fetch(FieldSet::ALL).is_empty())
    }

    /// These facts, and whether the host is current for all classes of the world.
    ///
    /// # Safety
    ///
    /// The table is linked to the tables of its world, which is borrowed.
    #[inline]
    pub(crate) unsafe fn linked_facts(&self) -> Facts {
        // SAFETY: by the caller it points to the world's directory, which is alive.
        let directory = unsafe { self.header.directory.load(Relaxed).as_ref() };
        let is_last = |directory: &Directory| {
            directory.entries.iter().all(|(_, entry)| {
                // SAFETY: and that to the world's tables.
                let header = unsafe { entry.load(Relaxed).as_ref() };
                header.is_none_or(|header| header.to_fetch(FieldSet::ALL).is_empty())
            })
        };
        self.facts().in_world(directory.is_some_and(is_last))
    }

    #[cold]
    #[inline(never)]
    fn fetch_newer(&self, fields: FieldSet) {
        if let Some(newer) = &self.newer {
            newer.fetch(self, fields);
        }
    }

    /// Makes the host's copies of some fields of one object current, before they are read.
    ///
    /// # Panics
    ///
    /// If a device's copy is newer and fetching it fails.
    #[inline(always)]
    pub fn fetch_object(&self, fields: FieldSet, index: usize) {
        if self.newer.is_none() {
            return;
        }
        let fields = self.header.to_fetch(fields);
        if !fields.is_empty() {
            self.fetch_newer_object(fields, index);
        }
    }

    #[cold]
    #[inline(never)]
    fn fetch_newer_object(&self, fields: FieldSet, index: usize) {
        if let Some(newer) = &self.newer {
            newer.fetch_object(self, fields, index);
        }
    }

    /// Marks some fields as changed by the host, whose copies then are current: otherwise a device would get stale
    /// ones.
    #[inline(always)]
    pub fn changed_on_host(&self, fields: FieldSet) {
        self.fetch(fields);
        self.header.set_changed_on_host(whole_units::<C>(fields));
    }

    /// As above, for users' writes to the objects in a range: links among these are unchecked from now on.
    #[inline(always)]
    pub fn written(&self, fields: FieldSet, objects: Range<usize>) {
        self.fetch(fields);
        self.header.set_written(whole_units::<C>(fields), const { undivided::<C>() }, objects.clone());
        let links = fields.intersection(const { linked::<C>() });
        if !links.is_empty() {
            self.header.set_unchecked(links, objects);
        }
    }

    /// The number of objects.
    #[allow(clippy::len_without_is_empty, reason = "a count, not a collection")]
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.header.len as usize
    }

    /// The address of an element of a physical column.
    ///
    /// # Safety
    ///
    /// `index` is less than the capacity of the storage.
    #[inline(always)]
    pub unsafe fn address(&self, column: usize, index: usize) -> *mut u8 {
        // SAFETY: the bases are those of storage of `C`, whose capacity is more than the index.
        unsafe { address::<C>(&self.bases, column, index) }
    }

    /// Points the targets to the tables of a world. Links are then unchecked.
    ///
    /// # Safety
    ///
    /// 1. The directory lists the tables of a world that is borrowed, this one among them.
    /// 2. No other thread is in this function for this table, and no handle into it exists (I10).
    pub unsafe fn point(&self, directory: &Directory) {
        // SAFETY: by 2, nothing else accesses the slots.
        unsafe { directory.point(C::FIELDS, self.targets.as_ref()) };
        // They may have been checked in another world.
        self.header.set_unchecked(const { linked::<C>() }, 0..self.len());
    }
}

impl<'w> Targets<'w> {
    /// The targets of field `K`.
    #[inline(always)]
    pub(crate) fn of<C: ClassInfo, const K: usize>(table: &'w Table<C>) -> Self {
        let first = const { first_target(C::FIELDS, K) };
        Self::new(&table.targets.as_ref()[first..first + const { C::FIELDS[K].links_to.len() }])
    }
}

impl<'w> TableRef<'w> {
    #[inline(always)]
    pub(crate) fn of_table<C: ClassInfo>(table: &'w Table<C>) -> Self {
        Self { table: ptr::from_ref(table).cast(), world: PhantomData }
    }

    /// The address of another class's table in this world.
    #[inline(always)]
    pub(crate) fn beside(self, class: impl FnOnce() -> ClassId) -> Self {
        let class = class();
        // SAFETY: every table starts with a header, and is alive during `'w`.
        let directory: *const Directory = unsafe { &*self.table }.directory.load(Relaxed);
        // SAFETY: a handle into a table exists only while its world's tables are linked, and the directory is alive
        // while the world is borrowed.
        let found = unsafe { directory.as_ref() }.and_then(|directory| directory.find(class.type_id()));
        Self { table: found.unwrap_or(&raw const ABSENT), world: PhantomData }
    }

    /// The number of objects of the class at this address.
    #[inline(always)]
    pub fn count<C: ClassInfo>(self) -> u32 {
        // SAFETY: every table starts with a header, and is alive during `'w`.
        unsafe { &*self.table }.len
    }

    /// Whether the object at this index was removed.
    #[inline]
    pub(crate) fn is_removed(self, index: usize) -> bool {
        // SAFETY: every table starts with a header, and is alive during `'w`.
        let holes = &unsafe { &*self.table }.holes;
        holes.count() > 0 && holes.contains(index)
    }

    /// The number of removed objects of the class.
    #[inline]
    pub(crate) fn holes(self) -> u32 {
        // SAFETY: every table starts with a header, and is alive during `'w`.
        unsafe { &*self.table }.holes.count()
    }

    /// The table at this address.
    ///
    /// # Safety
    ///
    /// The address is that of a table of `C`.
    #[inline(always)]
    pub(crate) unsafe fn table<C: ClassInfo>(self) -> &'w Table<C> {
        // SAFETY: a `Table<C>` by the caller, alive during `'w`.
        unsafe { &*self.table.cast::<Table<C>>() }
    }
}
