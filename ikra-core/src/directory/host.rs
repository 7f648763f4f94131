//! Tables of any class, on the heap of the host.

use core::any::TypeId;
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::bits::is_set;
use crate::facts::Facts;
use crate::field_set::FieldSet;
use crate::holes::{Holes, Marks};
use crate::info::{ClassId, FieldInfo};

/// The start of a table, with one layout for every class.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// The number of objects of the class, reserved ones included.
    pub len: u32,
    /// The table's number, unique in the process; 0 for the table of an absent class.
    pub number: u64,
    /// The number of objects that are reserved and not yet initialised.
    pub pending: u32,
    /// The time of the class's last change of ids, in the process's count of such changes.
    pub generation: u64,
    /// The objects that were removed.
    pub holes: Holes,
    /// The time of the last removal, in the same count.
    pub removed_at: u64,
    /// The objects that the running kernel removes.
    pub marks: Marks,
    /// The place of the running kernel among those of its trait: what it makes is in the order of these, then of its makers.
    pub section: u32,
    /// The size of the arena in bytes, and how many of them are in use.
    pub arena: (usize, usize),
    /// The world for which the table was last linked, or null.
    pub directory: AtomicPtr<Directory>,
    /// Fields that are current on devices only.
    changed_on_device: AtomicU64,
    /// Fields that the host changed since devices' copies were last compared.
    changed_on_host: AtomicU64,
    /// Fields that the host changed for some objects only, the first of these objects, and their end.
    written: AtomicU64,
    written_range: (AtomicU32, AtomicU32),
    /// The number of the only copy on a device, if it was current in all fields when the number was stored; otherwise
    /// 0.
    complete: AtomicU64,
    /// Fields that the host does not have yet for the objects from `absent_from` on: a device made these objects.
    absent: AtomicU64,
    absent_from: AtomicU32,
    /// Fields that may have bad links: the host wrote them since the last check.
    unchecked: AtomicU64,
    /// The first of the objects with such links, and their end.
    unchecked_range: (AtomicU32, AtomicU32),
    /// While a kernel runs that several processes share: the objects whose values are current in this one.
    at_hand: AtomicPtr<AtHand>,
}

/// The objects of a class whose values are current in this process, while a kernel runs that several processes share.
/// Debug builds check reads of other objects against it.
#[derive(Debug, Default)]
pub struct AtHand {
    /// The objects of this process.
    pub own: Range<usize>,
    /// The fields that are current for these alone, and for those that are near.
    pub stale: FieldSet,
    /// The fields that are also current for objects that are near.
    pub near: FieldSet,
    /// These objects: a bit per index.
    pub bits: Box<[u64]>,
}

impl AtHand {
    /// Whether a field of an object is current.
    #[must_use]
    pub fn has(&self, field: usize, index: usize) -> bool {
        !self.stale.contains(field)
            || self.own.contains(&index)
            || self.near.contains(field) && is_set(&self.bits, index)
    }
}

impl Header {
    /// The header of an empty table.
    #[expect(clippy::declare_interior_mutable_const, reason = "a fresh header for every table is what is wanted")]
    pub const EMPTY: Self = Self {
        len: 0,
        number: 0,
        pending: 0,
        generation: 0,
        holes: Holes::NONE,
        removed_at: 0,
        marks: Marks::NONE,
        section: 0,
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
        at_hand: AtomicPtr::new(ptr::null_mut()),
    };

    /// The objects whose values are current in this process, if several share the running kernel.
    #[cfg(debug_assertions)]
    pub(crate) fn at_hand(&self) -> Option<&AtHand> {
        // SAFETY: by the contract of `set_at_hand` the value exists until it is replaced, which happens between kernels.
        unsafe { self.at_hand.load(Acquire).as_ref() }
    }

    /// Says which objects' values are current in this process.
    ///
    /// # Safety
    ///
    /// No kernel runs, and the value exists until this function has been called again.
    pub unsafe fn set_at_hand(&self, at_hand: Option<&AtHand>) {
        self.at_hand.store(at_hand.map_or(ptr::null_mut(), |at_hand| ptr::from_ref(at_hand).cast_mut()), Release);
    }

    /// When ids of the class last changed, or objects were last removed.
    #[inline(always)]
    pub fn changed(&self) -> u64 {
        self.generation.max(self.removed_at)
    }

    /// The fields among these that must be fetched before they are read.
    #[inline(always)]
    pub fn to_fetch(&self, fields: FieldSet) -> FieldSet {
        FieldSet::from_bits(self.changed_on_device.load(Acquire) & fields.bits())
    }

    /// Whether a kernel of the host must wait until columns are fetched, or their links checked.
    #[inline(always)]
    pub fn has_old_columns(&self) -> bool {
        self.changed_on_device.load(Acquire) | self.unchecked.load(Relaxed) != 0
    }

    /// Marks the host's copies of these fields as current.
    ///
    /// # Safety
    ///
    /// The copies are current, or no device's values will ever be written to the host.
    pub unsafe fn set_fetched(&self, fields: FieldSet) {
        self.absent.fetch_and(!fields.bits(), Relaxed);
        self.changed_on_device.fetch_and(!fields.bits(), Release);
    }

    /// The fields that the host does not have for the objects in a range, at the end.
    pub fn absent(&self) -> (FieldSet, Range<usize>) {
        let first = self.absent_from.load(Relaxed).min(self.len) as usize;
        (FieldSet::from_bits(self.absent.load(Relaxed)), first..self.len as usize)
    }

    /// Notes that a device will make the objects from the `len`-th on. Returns the fields that the host must have for
    /// them all the same: they were fetched since the device made other objects.
    pub fn set_absent(&mut self) -> FieldSet {
        let (fields, _) = self.absent();
        if fields.is_empty() {
            *self.absent.get_mut() = u64::MAX;
            *self.absent_from.get_mut() = self.len;
            return FieldSet::EMPTY;
        }
        FieldSet::ALL.without(fields)
    }

    /// Notes that reserved objects were removed that a device was to make.
    pub fn truncate(&mut self, len: u32) {
        self.len = len;
        if *self.absent_from.get_mut() >= len {
            *self.absent.get_mut() = 0;
        }
    }

    /// Marks these fields as stale on the host: from now on they are fetched before they are read.
    ///
    /// # Safety
    ///
    /// There are no references into columns of these fields, nor of others that are fetched with them. There are no
    /// handles of sequential code with the known fact that the host's copies are current.
    pub unsafe fn set_changed_on_device(&self, fields: FieldSet) {
        // Usually a kernel has changed them before, and the host has not read them since.
        if self.changed_on_device.load(Relaxed) & fields.bits() != fields.bits() {
            self.changed_on_device.fetch_or(fields.bits(), Release);
        }
    }

    /// Whether the copy with this number is still current in all fields.
    #[inline(always)]
    pub fn is_complete(&self, number: u64) -> bool {
        let changed = self.changed_on_host.load(Relaxed) | self.written.load(Relaxed);
        self.complete.load(Relaxed) == number && changed == 0
    }

    /// Marks the copy with this number as current in all fields and as the only copy; or with 0, that it may not be.
    ///
    /// # Safety
    ///
    /// The copy is current, and there is no other copy.
    pub unsafe fn set_complete(&self, number: u64) {
        self.complete.store(number, Relaxed);
    }

    /// The host's changes since the previous call, if any: devices' copies of these are stale.
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

    /// The fields that may have bad links.
    #[inline(always)]
    pub fn unchecked(&self) -> FieldSet {
        FieldSet::from_bits(self.unchecked.load(Relaxed))
    }

    /// The range of the objects with such links.
    pub fn unchecked_range(&self) -> Range<usize> {
        let (first, end) = &self.unchecked_range;
        let end = end.load(Relaxed).min(self.len) as usize;
        (first.load(Relaxed) as usize).min(end)..end
    }

    /// Notes that these fields of these objects may have bad links.
    #[inline(always)]
    pub fn set_unchecked(&self, fields: FieldSet, objects: Range<usize>) {
        // Separate operations suffice: code that changes such columns, or links tables, excludes other threads.
        let (first, end) = &self.unchecked_range;
        first.store(first.load(Relaxed).min(objects.start as u32), Relaxed);
        end.store(end.load(Relaxed).max(objects.end as u32), Relaxed);
        self.unchecked.store(self.unchecked.load(Relaxed) | fields.bits(), Relaxed);
    }

    /// Notes that no links have to be checked.
    ///
    /// # Safety
    ///
    /// In columns of the table whose views are refs, all links are to existing objects (I11).
    pub unsafe fn set_checked(&self) {
        let (first, end) = &self.unchecked_range;
        first.store(u32::MAX, Relaxed);
        end.store(0, Relaxed);
        self.unchecked.store(0, Relaxed);
    }

    /// Marks these fields as stale on devices. Cheap when the fields are marked already, as they are in programs that
    /// use no device.
    #[inline(always)]
    pub fn set_changed_on_host(&self, fields: FieldSet) {
        if self.changed_on_host.load(Relaxed) & fields.bits() != fields.bits() {
            self.changed_on_host.fetch_or(fields.bits(), Release);
        }
    }

    /// Marks these fields of these objects as stale on devices; of all objects, if the fields are `undivided`. As cheap
    /// as [`set_changed_on_host`](Self::set_changed_on_host) in programs that use no device.
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
        // Separate operations suffice: code that writes objects excludes other threads.
        let (first, end) = &self.written_range;
        let objects = first.load(Relaxed).min(objects.start as u32)..end.load(Relaxed).max(objects.end as u32);
        let fields = fields.union(FieldSet::from_bits(self.written.load(Relaxed)));
        if objects.len() >= self.len as usize / 2 {
            // The next write then costs nothing.
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

/// The host's changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostChanges {
    /// The fields that may have changed for all objects.
    pub all: FieldSet,
    /// The fields that have changed for some objects.
    pub some: FieldSet,
    /// These objects.
    pub objects: Range<usize>,
}

/// The table of a class that is absent from the world: it has no objects, so every link is out of range.
pub(crate) static ABSENT: Header = Header::EMPTY;

/// The address of the table of a class that a field links to. It is written when the world links its tables, before any
/// handle into them exists. While a handle exists, it is only read (I10). So reads need not be atomic, and can move out
/// of loops.
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
        // SAFETY: not written while handles exist (I10), by the contract of `Table::point`.
        unsafe { *self.0.get() }
    }
}

/// The addresses of the tables of the classes that a field links to.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'w> {
    slots: &'w [TargetSlot],
    /// The known facts about all these objects.
    facts: Facts,
}

impl<'w> Targets<'w> {
    /// The targets in these slots.
    #[inline(always)]
    pub fn new(slots: &'w [TargetSlot]) -> Self {
        Self { slots, facts: Facts::NONE }
    }

    /// These targets, with known facts about the objects.
    #[inline(always)]
    pub(crate) fn knowing(self, facts: Facts) -> Self {
        Self { facts, ..self }
    }

    /// The known facts about each of the objects.
    #[inline(always)]
    pub(crate) fn facts(self) -> Facts {
        self.facts
    }

    /// The targets without the first ones.
    #[inline(always)]
    #[must_use]
    pub fn after(self, first: usize) -> Self {
        Self { slots: &self.slots[first..], ..self }
    }

    /// The address of the table of one of the classes.
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
    /// A directory without tables yet.
    #[must_use]
    pub fn of(classes: &[ClassId]) -> Self {
        let entry = |class: &ClassId| (class.type_id(), AtomicPtr::new(core::ptr::null_mut()));
        Self { entries: classes.iter().map(entry).collect() }
    }

    /// Points the targets of a table with these fields to the tables.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the slots of the targets.
    pub(crate) unsafe fn point(&self, fields: &[FieldInfo], targets: &[TargetSlot]) {
        for (slot, &class) in targets.iter().zip(fields.iter().flat_map(|field| field.links_to)) {
            let table = self.find(class.type_id()).unwrap_or(&raw const ABSENT);
            // SAFETY: this is the only access to the slot.
            unsafe { *slot.0.get() = table }
        }
    }

    /// The tables of some classes.
    ///
    /// # Safety
    ///
    /// The world is borrowed as long as the tables are used.
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

/// The address of the table of a link's class.
#[derive(Clone, Copy, Debug)]
pub struct TableRef<'w> {
    /// The start of a live table, or of `ABSENT`.
    pub(crate) table: *const Header,
    pub(crate) world: PhantomData<&'w Header>,
}

impl TableRef<'_> {
    /// The table's number, and when ids of the class last changed, or objects were last removed.
    #[inline(always)]
    pub(crate) fn changed(self) -> (u64, u64) {
        // SAFETY: every table starts with a header, and is alive during `'w`.
        let header = unsafe { &*self.table };
        (header.number, header.changed())
    }
}

impl PartialEq for TableRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.table, other.table)
    }
}
