//! The objects of any class, for code that treats all classes of a world alike: linking, and executors on devices.

use std::any::Any;
use std::ptr::NonNull;

use super::{Lives, Objects, Shape};
use crate::class::{Class, ClassId, arrays, atomics, base_count, has_own_columns, linked};
use crate::error::Error;
use crate::fingerprint::Signature;
use crate::info::FieldInfo;
use crate::mirror::{Copies, Elements, Mirrored, Span, Unit, elements, spans, units};
use crate::plan::Plan;
use crate::table::{BaseSet, Directory, Header, Table};
use ikra_core::effects::FieldSet;
use ikra_core::kept::KeptObjects;
use ikra_core::moves::{Moves, Remap};

/// [`Objects`] of any class.
///
/// Safe code can obtain these through the members of a world. So every function that states a fact on which the runtime
/// relies is `unsafe`, and documents that fact.
///
/// # Safety
///
/// 1. All results are true of one `Objects`, the same one in each call.
/// 2. [`header`](Self::header) points to the start of its table, which lives as long as the `Objects`, at the same
///    address.
pub unsafe trait AnyObjects: Lives + Any {
    /// The class's name.
    fn name(&self) -> &'static str;
    /// The class's identity.
    fn class(&self) -> ClassId;
    /// The class's definition, for the comparison with the device code.
    fn signature(&self) -> Signature;
    /// The start of the class's table, from the pointer that owns the table.
    fn header(&self) -> NonNull<Header>;
    /// Prepares a kernel on the host: checks links, fetches values that are newer on a device, and marks the fields
    /// that kernels on the host may change without declaring it.
    ///
    /// # Errors
    ///
    /// [`Error::BadLink`]; errors of the device, if it has newer values. Nothing has changed if there is an error.
    ///
    /// # Safety
    ///
    /// The table is linked to the tables of its world, which is borrowed, and stays linked during the call.
    unsafe fn prepare(&self) -> Result<(), Error>;
    /// Whether links have to be checked before a kernel runs.
    fn has_unchecked_links(&self) -> bool;
    /// Checks the links that the host has written since the last check.
    ///
    /// # Errors
    ///
    /// [`Error::BadLink`]; errors of fetching.
    ///
    /// # Safety
    ///
    /// As for [`prepare`](Self::prepare).
    unsafe fn check_links(&self) -> Result<(), Error>;
    /// Remaps the links to objects that moved, or checks that this is possible.
    ///
    /// # Errors
    ///
    /// [`Error::LinkToRemoved`]; errors of fetching.
    fn remap_links(&mut self, moves: Moves<'_>, what: Remap) -> Result<(), Error>;
    /// Notes that links in these fields may be bad, in any object.
    fn distrust(&mut self, fields: FieldSet);
    /// Keeps the objects with these indices, in this order; links are remapped separately.
    ///
    /// # Panics
    ///
    /// If an index occurs twice or is out of range, or if reserved objects are not initialised.
    ///
    /// # Safety
    ///
    /// All links to the class are remapped before they are followed, or are unchecked (I11).
    unsafe fn reorder(&mut self, order: &[u32]);
    /// Keeps some objects in their order; links are remapped separately.
    ///
    /// # Panics
    ///
    /// If indices end elsewhere than those of `kept`, or if reserved objects are not initialised.
    ///
    /// # Safety
    ///
    /// As for [`reorder`](Self::reorder).
    unsafe fn close_up(&mut self, kept: &KeptObjects);
    /// The class's fields.
    fn fields(&self) -> &'static [FieldInfo];
    /// Whether the class has a fixed capacity or a fixed arena.
    fn is_bounded(&self) -> bool;
    /// The generation in which ids of the class last changed. Ids from an earlier generation name other objects now.
    fn generation(&self) -> u64;
    /// Points the table's targets to the tables of its world.
    ///
    /// # Safety
    ///
    /// As for `Table::point`.
    unsafe fn point(&self, directory: &Directory);

    /// The number of start addresses of the storage: one per physical column, and one for the arena.
    fn columns(&self) -> usize;
    /// The number of objects.
    fn count(&self) -> u32;
    /// The number of objects that fit without growing.
    fn capacity(&self) -> usize;
    /// The number of objects that are reserved and not yet initialised.
    fn pending(&self) -> u32;
    /// The number of used bytes in the arena.
    fn arena_bytes(&self) -> usize;
    /// How the objects are stored now.
    fn shape(&self) -> Shape;
    /// The units of the storage.
    fn units(&self) -> Vec<Unit>;
    /// The spans that hold some fields of objects `first..end`.
    fn spans(&self, fields: FieldSet, first: usize, end: usize) -> Vec<Span>;
    /// The elements of some fields on the host, column by column, without those in the arena.
    fn elements(&self, fields: FieldSet) -> Vec<Elements>;
    /// Shows `moves` each link that some objects have in some fields.
    ///
    /// # Errors
    ///
    /// Errors of fetching.
    ///
    /// # Panics
    ///
    /// If an object does not exist.
    fn visit_links(
        &mut self,
        objects: &mut dyn Iterator<Item = usize>,
        fields: FieldSet,
        moves: Moves<'_>,
    ) -> Result<(), Error>;
    /// Whether each column has memory of its own.
    fn has_own_columns(&self) -> bool;
    /// The fields that are `#[atomic]`.
    fn atomics(&self) -> FieldSet;
    /// The fields that are inner arrays.
    fn arrays(&self) -> FieldSet;
    /// Whether count, capacity and contents are unchanged since the only copy was stamped with `number`, and no object
    /// is pending. The copy is then current.
    fn is_complete(&self, number: u64, count: u32, capacity: usize) -> bool;
    /// The copies of the columns on devices.
    fn copies(&mut self) -> Copies<'_>;
    /// Fetches stale fields, so that the host's values are current.
    ///
    /// # Errors
    ///
    /// As for [`Mirror::fetch`](crate::mirror::Mirror::fetch). The current values then stay on the device.
    fn fetch(&mut self, fields: FieldSet) -> Result<(), Error>;

    /// Marks all links as checked.
    ///
    /// # Safety
    ///
    /// All links that kernels follow without a check name objects that exist (I11).
    unsafe fn set_links_checked(&mut self);
    /// Makes room for `len` objects in all.
    ///
    /// # Errors
    ///
    /// As for [`Objects::reserve`]; errors of fetching.
    fn make_room(&mut self, len: usize) -> Result<(), Error>;
    /// Adds objects that the device makes, and returns the index of the first. Nothing is written on the host, which
    /// has no values of these objects until it fetches them.
    ///
    /// # Safety
    ///
    /// 1. There is room for them.
    /// 2. Before any other operation on these objects, the device initialises all their fields and marks them as
    ///    changed there, or the objects are removed again.
    unsafe fn add(&mut self, count: usize) -> usize;
    /// Removes the objects from index `len` on.
    ///
    /// # Safety
    ///
    /// [`add`](Self::add) has just added them.
    unsafe fn truncate(&mut self, len: usize);
    /// Removes the copy on a stream. Returns the fields that were current only in that copy; for these, the host's
    /// values count from now on.
    ///
    /// # Safety
    ///
    /// There are no such fields, or the world's owner knows that they are lost.
    unsafe fn lose(&mut self, stream: u64) -> FieldSet;
}

// SAFETY: 1. all functions read this one `Objects`; 2. it owns its table on the heap.
unsafe impl<C: Class> AnyObjects for Objects<C> {
    #[inline]
    fn name(&self) -> &'static str {
        C::NAME
    }
    #[inline]
    fn class(&self) -> ClassId {
        C::ID
    }
    fn signature(&self) -> Signature {
        const { Signature::of::<C>() }
    }
    #[inline]
    fn header(&self) -> NonNull<Header> {
        self.table.cast()
    }
    #[inline]
    unsafe fn prepare(&self) -> Result<(), Error> {
        if self.table().header.has_old_columns() {
            // SAFETY: the tables are linked and the world is borrowed, as the caller promises.
            unsafe { self.renew()? };
        }
        self.table().changed_on_host(const { atomics::<C>() });
        Ok(())
    }
    #[inline]
    fn has_unchecked_links(&self) -> bool {
        !self.table().header.unchecked().is_empty()
    }
    unsafe fn check_links(&self) -> Result<(), Error> {
        if AnyObjects::has_unchecked_links(self) {
            // SAFETY: the tables are linked and the world is borrowed, as the caller promises.
            unsafe { Objects::check_links(self) }
        } else {
            Ok(())
        }
    }
    fn remap_links(&mut self, moves: Moves<'_>, what: Remap) -> Result<(), Error> {
        Objects::remap_links(self, moves, what)
    }
    fn distrust(&mut self, fields: FieldSet) {
        Objects::distrust(self, fields);
    }
    unsafe fn reorder(&mut self, order: &[u32]) {
        Objects::reorder(self, order);
    }
    unsafe fn close_up(&mut self, kept: &KeptObjects) {
        Objects::close_up(self, kept);
    }
    fn fields(&self) -> &'static [FieldInfo] {
        C::FIELDS
    }
    fn is_bounded(&self) -> bool {
        C::CAPACITY.is_some() || C::ARENA.is_some()
    }
    fn generation(&self) -> u64 {
        Objects::generation(self)
    }
    unsafe fn point(&self, directory: &Directory) {
        // SAFETY: the directory lists the tables of the world, as the caller promises.
        unsafe { self.table().point(directory) }
    }

    fn columns(&self) -> usize {
        base_count(C::FIELDS)
    }
    #[inline]
    fn count(&self) -> u32 {
        self.table().header.len
    }
    fn capacity(&self) -> usize {
        Objects::capacity(self)
    }
    #[inline]
    fn pending(&self) -> u32 {
        self.table().header.pending
    }
    fn shape(&self) -> Shape {
        Objects::shape(self)
    }
    fn arena_bytes(&self) -> usize {
        self.arena().1
    }
    fn units(&self) -> Vec<Unit> {
        units(Plan::of::<C>(), self.table().bases.all(), Objects::capacity(self), self.slots(), self.arena())
    }
    fn spans(&self, fields: FieldSet, first: usize, end: usize) -> Vec<Span> {
        spans(Plan::of::<C>(), self.table().bases.all(), fields, first, end, self.arena())
    }
    fn elements(&self, fields: FieldSet) -> Vec<Elements> {
        elements(Plan::of::<C>(), self.table().bases.all(), fields)
    }
    fn visit_links(
        &mut self,
        objects: &mut dyn Iterator<Item = usize>,
        fields: FieldSet,
        moves: Moves<'_>,
    ) -> Result<(), Error> {
        self.try_fetch(fields)?;
        for index in objects {
            assert!(index < self.slots(), "class {} has {} objects", C::NAME, self.slots());
            // SAFETY: the object exists, and it is a check.
            unsafe { self.remap_objects(index..index + 1, fields, moves, Remap::Check, &mut |_, _| ()) };
        }
        Ok(())
    }
    fn has_own_columns(&self) -> bool {
        has_own_columns::<C>()
    }
    fn atomics(&self) -> FieldSet {
        atomics::<C>()
    }
    fn arrays(&self) -> FieldSet {
        arrays::<C>()
    }
    fn is_complete(&self, number: u64, count: u32, capacity: usize) -> bool {
        let header = &self.table().header;
        let is_as_it_was = header.len == count && header.pending == 0 && Objects::capacity(self) == capacity;
        is_as_it_was && header.is_complete(number)
    }
    fn copies(&mut self) -> Copies<'_> {
        let Table { header, newer, .. } = self.table_mut();
        let newer: &mut dyn Any = &mut **newer.get_or_insert_with(|| Box::new(Mirrored::default()));
        let Some(mirrored) = newer.downcast_mut::<Mirrored>() else { unreachable!("nothing else is put there") };
        Copies::of(Plan::of::<C>(), header, mirrored.get_mut())
    }
    fn fetch(&mut self, fields: FieldSet) -> Result<(), Error> {
        self.try_fetch(fields)
    }

    unsafe fn set_links_checked(&mut self) {
        // SAFETY: all links followed without a check name existing objects, as the caller promises.
        unsafe { self.table().header.set_checked() };
    }
    fn make_room(&mut self, len: usize) -> Result<(), Error> {
        if len > Objects::capacity(self) {
            self.try_fetch(FieldSet::ALL)?;
        }
        self.grow(len)
    }
    unsafe fn add(&mut self, count: usize) -> usize {
        let first = self.slots();
        let len = first + count;
        assert!(len <= Objects::capacity(self), "there is room for {count} objects");
        let present = self.table_mut().header.set_absent();
        self.put_placeholders(first..len, present);
        if const { !linked::<C>().is_empty() } {
            self.table().header.set_unchecked(const { linked::<C>() }, first..len);
        }
        self.set_len(len);
        first
    }
    unsafe fn truncate(&mut self, len: usize) {
        self.table_mut().header.truncate(len as u32);
    }
    unsafe fn lose(&mut self, stream: u64) -> FieldSet {
        if self.table_mut().header.holes.settle() {
            self.live = std::sync::OnceLock::new();
        }
        let lost = AnyObjects::copies(self).only_on(stream);
        // Values that a constructor stored on the device were never on the host.
        let (absent, objects) = self.table().header.absent();
        self.put_placeholders(objects, absent.intersection(lost));
        AnyObjects::copies(self).remove(stream);
        // SAFETY: the copy that could have written other values no longer exists.
        unsafe { self.table().header.set_fetched(lost) };
        self.distrust(lost);
        lost
    }
}
