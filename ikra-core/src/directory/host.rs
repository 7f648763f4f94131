//! Tables of any class, on the heap of the host.

use core::any::TypeId;
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::facts::Facts;
use crate::field_set::FieldSet;
use crate::info::ClassId;

/// The start of a table, the same for every class.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// Objects of the class, reserved ones included.
    pub len: u32,
    /// Objects that are reserved and not yet initialised.
    pub pending: u32,
    /// When ids of the class last changed, in the process's count of such changes.
    pub generation: u64,
    /// Bytes of the arena, and how many of them are taken.
    pub arena: (usize, usize),
    /// The world that the table was linked in last, or null.
    pub directory: AtomicPtr<Directory>,
    /// Fields whose last values are on devices only.
    changed_on_device: AtomicU64,
    /// Fields that the host changed since somebody asked which values devices have.
    changed_on_host: AtomicU64,
    /// Fields that it changed for some objects only, the first of these objects, and the end of them.
    written: AtomicU64,
    written_range: (AtomicU32, AtomicU32),
    /// A number for the only copy on a device, since it had the last values of all fields; 0 since it may lack some.
    complete: AtomicU64,
    /// Fields of which the host has no values yet for the objects from `absent_from` on: a device made these objects.
    absent: AtomicU64,
    absent_from: AtomicU32,
    /// Fields with links that may be to no object: the host wrote them since they were checked.
    unchecked: AtomicU64,
    /// The first of the objects that it wrote, and the end of them.
    unchecked_range: (AtomicU32, AtomicU32),
}

impl Header {
    /// That of no objects.
    #[expect(clippy::declare_interior_mutable_const, reason = "a fresh header for every table is what is wanted")]
    pub const EMPTY: Self = Self {
        len: 0,
        pending: 0,
        generation: 0,
        arena: (0, 0),
        directory: AtomicPtr::new(ptr::null_mut()),
        changed_on_device: AtomicU64::new(0),
        changed_on_host: AtomicU64::new(u64::MAX),
        written: AtomicU64::new(0),
        written_range: (AtomicU32::new(u32::MAX), AtomicU32::new(0)),
        complete: AtomicU64::new(0),
        absent: AtomicU64::new(0),
        absent_from: AtomicU32::new(u32::MAX),
        unchecked: AtomicU64::new(0),
        unchecked_range: (AtomicU32::new(u32::MAX), AtomicU32::new(0)),
    };

    /// The fields among these that have to be fetched before they are read.
    #[inline(always)]
    pub fn to_fetch(&self, fields: FieldSet) -> FieldSet {
        FieldSet::from_bits(self.changed_on_device.load(Acquire) & fields.bits())
    }

    /// Whether a kernel of the host has to wait: until columns are fetched, or their links checked.
    #[inline(always)]
    pub fn has_old_columns(&self) -> bool {
        self.changed_on_device.load(Acquire) | self.unchecked.load(Relaxed) != 0
    }

    /// Says that the host's values of these fields are the last ones.
    ///
    /// # Safety
    ///
    /// They are, or nobody will ever write those of a device to the host.
    pub unsafe fn set_fetched(&self, fields: FieldSet) {
        self.absent.fetch_and(!fields.bits(), Relaxed);
        self.changed_on_device.fetch_and(!fields.bits(), Release);
    }

    /// The fields of which the host has no values for the objects in a range, at the end.
    pub fn absent(&self) -> (FieldSet, Range<usize>) {
        let first = self.absent_from.load(Relaxed).min(self.len) as usize;
        (FieldSet::from_bits(self.absent.load(Relaxed)), first..self.len as usize)
    }

    /// Says that a device will have made the objects from the `len`-th on, and returns the fields of which the host is to have
    /// values all the same: they were fetched since the device made others.
    pub fn set_absent(&mut self) -> FieldSet {
        let (fields, _) = self.absent();
        if fields.is_empty() {
            *self.absent.get_mut() = u64::MAX;
            *self.absent_from.get_mut() = self.len;
            return FieldSet::EMPTY;
        }
        FieldSet::ALL.without(fields)
    }

    /// Says that objects were taken away again which a device was to make.
    pub fn truncate(&mut self, len: u32) {
        self.len = len;
        if *self.absent_from.get_mut() >= len {
            *self.absent.get_mut() = 0;
        }
    }

    /// Says that a device has later values of these fields: from now on they are fetched before they are read.
    ///
    /// # Safety
    ///
    /// There are no references into columns of these fields, nor of others that are fetched with them, and no handles of sequential
    /// code, of which it may be known that the host has the last values.
    pub unsafe fn set_changed_on_device(&self, fields: FieldSet) {
        // Most often a kernel has changed them before, and nobody has looked since.
        if self.changed_on_device.load(Relaxed) & fields.bits() != fields.bits() {
            self.changed_on_device.fetch_or(fields.bits(), Release);
        }
    }

    /// Whether the copy with this number still has the last values of all fields.
    #[inline(always)]
    pub fn is_complete(&self, number: u64) -> bool {
        let changed = self.changed_on_host.load(Relaxed) | self.written.load(Relaxed);
        self.complete.load(Relaxed) == number && changed == 0
    }

    /// Says that the copy with this number has them, and that there is no other; or with 0, that it may not.
    ///
    /// # Safety
    ///
    /// It has, and there is no other.
    pub unsafe fn set_complete(&self, number: u64) {
        self.complete.store(number, Relaxed);
    }

    /// What the host changed since this was last asked, if anything: what devices have of that are old values.
    pub fn take_changed_on_host(&self) -> Option<HostChanges> {
        if self.changed_on_host.load(Acquire) | self.written.load(Relaxed) == 0 {
            return None;
        }
        let all = FieldSet::from_bits(self.changed_on_host.swap(0, Acquire));
        let some = FieldSet::from_bits(self.written.swap(0, Relaxed)).without(all);
        let (first, end) = &self.written_range;
        let objects = first.swap(u32::MAX, Relaxed) as usize..end.swap(0, Relaxed) as usize;
        Some(HostChanges { all, some, objects })
    }

    /// The fields with links that may be to no object.
    #[inline(always)]
    pub fn unchecked(&self) -> FieldSet {
        FieldSet::from_bits(self.unchecked.load(Relaxed))
    }

    /// Among which objects these links are.
    pub fn unchecked_range(&self) -> Range<usize> {
        let (first, end) = &self.unchecked_range;
        let end = end.load(Relaxed).min(self.len) as usize;
        (first.load(Relaxed) as usize).min(end)..end
    }

    /// Says that links in these fields of these objects may be to no object.
    #[inline(always)]
    pub fn set_unchecked(&self, fields: FieldSet, objects: Range<usize>) {
        // Each by itself: who changes such columns, or links tables, keeps others from doing so.
        let (first, end) = &self.unchecked_range;
        first.store(first.load(Relaxed).min(objects.start as u32), Relaxed);
        end.store(end.load(Relaxed).max(objects.end as u32), Relaxed);
        self.unchecked.store(self.unchecked.load(Relaxed) | fields.bits(), Relaxed);
    }

    /// Says that no links have to be checked.
    ///
    /// # Safety
    ///
    /// All in columns of the table whose views are refs are to objects that exist.
    pub unsafe fn set_checked(&self) {
        let (first, end) = &self.unchecked_range;
        first.store(u32::MAX, Relaxed);
        end.store(0, Relaxed);
        self.unchecked.store(0, Relaxed);
    }

    /// Says that no device has the last values of these fields. Cheap when the fields are marked already, as
    /// they are in programs that use no device.
    #[inline(always)]
    pub fn set_changed_on_host(&self, fields: FieldSet) {
        if self.changed_on_host.load(Relaxed) & fields.bits() != fields.bits() {
            self.changed_on_host.fetch_or(fields.bits(), Release);
        }
    }

    /// Says that devices do not have the last values of these fields of these objects; of any objects, if the fields
    /// are `undivided`. As cheap as [`set_changed_on_host`](Self::set_changed_on_host) in programs that use no device.
    #[inline(always)]
    pub fn set_written(&self, fields: FieldSet, undivided: FieldSet, objects: Range<usize>) {
        if self.changed_on_host.load(Relaxed) & fields.bits() != fields.bits() {
            self.add_written(fields, undivided, objects);
        }
    }

    #[inline(never)]
    fn add_written(&self, fields: FieldSet, undivided: FieldSet, objects: Range<usize>) {
        self.set_changed_on_host(fields.intersection(undivided));
        let fields = fields.without(undivided);
        if fields.is_empty() {
            return;
        }
        // Each by itself: who writes objects keeps others from doing so.
        let (first, end) = &self.written_range;
        let objects = first.load(Relaxed).min(objects.start as u32)..end.load(Relaxed).max(objects.end as u32);
        let fields = fields.union(FieldSet::from_bits(self.written.load(Relaxed)));
        if objects.len() >= self.len as usize / 2 {
            // Then the next write costs nothing.
            self.set_changed_on_host(fields);
            self.written.store(0, Relaxed);
            first.store(u32::MAX, Relaxed);
            end.store(0, Relaxed);
        } else {
            self.written.store(fields.bits(), Relaxed);
            first.store(objects.start, Relaxed);
            end.store(objects.end, Relaxed);
        }
    }
}

/// What the host changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostChanges {
    /// The fields that may have changed for all objects.
    pub all: FieldSet,
    /// The fields that have changed for some.
    pub some: FieldSet,
    /// These objects.
    pub objects: Range<usize>,
}

/// The table of a class that is not in the world: no object, so that every link is out of range.
pub(crate) static ABSENT: Header = Header::EMPTY;

/// Where the table of a class that a field links to is. Written when the world links its tables, before any
/// handle into them exists, and only read while one does: so reads need not be atomic, and can be moved
/// out of loops.
#[derive(Debug)]
pub struct TargetSlot(pub(crate) UnsafeCell<*const Header>);

// SAFETY: written only in `Table::point`, which excludes other accesses by its contract.
unsafe impl Send for TargetSlot {}
// SAFETY: threads that share it only read it: it is written in `Table::point`, which excludes other accesses.
unsafe impl Sync for TargetSlot {}

impl TargetSlot {
    /// Not linked yet: the class is absent.
    #[expect(clippy::declare_interior_mutable_const, reason = "a fresh slot for every table is what is wanted")]
    pub const NONE: Self = Self(UnsafeCell::new(&raw const ABSENT));

    #[inline(always)]
    pub(crate) fn get(&self) -> *const Header {
        // SAFETY: not written while there are handles, by the contract of `Table::point`.
        unsafe { *self.0.get() }
    }
}

/// Where the objects of the classes that a field links to are.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'w> {
    slots: &'w [TargetSlot],
    /// What is known of all these objects.
    facts: Facts,
}

impl<'w> Targets<'w> {
    /// Those in these slots.
    pub fn new(slots: &'w [TargetSlot]) -> Self {
        Self { slots, facts: Facts::NONE }
    }

    /// The same, and what is known of the objects.
    #[inline(always)]
    pub(crate) fn knowing(self, facts: Facts) -> Self {
        Self { facts, ..self }
    }

    /// What is known of each of the objects.
    #[inline(always)]
    pub(crate) fn facts(self) -> Facts {
        self.facts
    }

    /// Those without the first ones.
    #[inline(always)]
    #[must_use]
    pub fn after(self, first: usize) -> Self {
        Self { slots: &self.slots[first..], ..self }
    }

    /// Where the objects of one of the classes are.
    #[inline(always)]
    pub fn table(self, class: impl FnOnce() -> usize) -> TableRef<'w> {
        TableRef { table: self.slots[class()].get(), world: PhantomData }
    }
}

/// The tables of a world by class.
#[derive(Debug)]
pub struct Directory {
    /// The classes, and their tables.
    pub entries: Box<[(TypeId, AtomicPtr<Header>)]>,
}

impl Directory {
    /// The tables of some classes.
    ///
    /// # Safety
    ///
    /// The world is borrowed as long as they are used.
    pub unsafe fn slots(&self, classes: &[ClassId]) -> Box<[TargetSlot]> {
        let slot =
            |class: &ClassId| TargetSlot(UnsafeCell::new(self.find((*class).type_id()).unwrap_or(&raw const ABSENT)));
        classes.iter().map(slot).collect()
    }

    /// The table of a class, if the world has it.
    #[inline]
    pub(crate) fn find(&self, class: TypeId) -> Option<*const Header> {
        self.entries.iter().find(|entry| entry.0 == class).map(|entry| entry.1.load(Relaxed).cast_const())
    }
}

/// Where the objects of a link's class are.
#[derive(Clone, Copy, Debug)]
pub struct TableRef<'w> {
    /// The start of a live table, or of `ABSENT`.
    pub(crate) table: *const Header,
    pub(crate) world: PhantomData<&'w Header>,
}

impl PartialEq for TableRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.table, other.table)
    }
}
