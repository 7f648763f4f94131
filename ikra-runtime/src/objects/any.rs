//! The objects of any class, for code that serves all classes of a world alike: linking, and executors on devices.

use std::any::Any;
use std::ptr::NonNull;

use super::{Objects, Shape};
use crate::class::{Class, ClassId, arrays, atomics, base_count, has_own_columns, linked};
use crate::error::Error;
use crate::fingerprint::Signature;
use crate::mirror::{Copies, Mirrored, Span, Unit, spans, units};
use crate::table::{Directory, Header, Table};
use ikra_core::effects::FieldSet;
use ikra_core::moves::{Moves, Remap};

/// [`Objects`] of any class.
///
/// Safe code can get hold of these, through the members of a world. So whatever says something that the runtime then
/// trusts is an `unsafe` function, with what is to be true.
///
/// # Safety
///
/// All that the functions return is true of one `Objects`, the same each time. [`header`](Self::header) starts its
/// table, which lives as long as it, at the same address.
pub unsafe trait AnyObjects {
    /// The class's name.
    fn name(&self) -> &'static str;
    /// Identifies the class.
    fn class(&self) -> ClassId;
    /// The class, as the device code is asked for it.
    fn signature(&self) -> Signature;
    /// The start of the class's table, by the pointer that owns the table.
    fn header(&self) -> NonNull<Header>;
    /// Before a kernel of the host: checks links, fetches what is newer on a device, and marks what kernels on the host
    /// change whatever they say.
    ///
    /// # Errors
    ///
    /// [`Error::BadLink`]; those of the device, if it has newer values. Nothing has changed then.
    ///
    /// # Safety
    ///
    /// The table is linked to those of its world, which is borrowed, and stays so during the call.
    unsafe fn prepare(&self) -> Result<(), Error>;
    /// Whether links are to be checked before a kernel runs.
    fn has_unchecked_links(&self) -> bool;
    /// Checks the links that the host has written since they were checked last.
    ///
    /// # Errors
    ///
    /// [`Error::BadLink`]; those of fetching.
    ///
    /// # Safety
    ///
    /// As for [`prepare`](Self::prepare).
    unsafe fn check_links(&self) -> Result<(), Error>;
    /// Remaps the links to objects that moved, or checks that it can be done.
    ///
    /// # Errors
    ///
    /// [`Error::LinkToRemoved`]; those of fetching.
    fn remap_links(&mut self, moves: Moves<'_>, what: Remap) -> Result<(), Error>;
    /// When ids of the class last changed: what was made in an earlier generation names other objects now.
    fn generation(&self) -> u64;
    /// Points the table's targets to the tables of its world.
    ///
    /// # Safety
    ///
    /// As for `Table::point`.
    unsafe fn point(&self, directory: &Directory);

    /// The number of addresses that the storage starts at: of physical columns and the arena.
    fn columns(&self) -> usize;
    /// The number of objects.
    fn count(&self) -> u32;
    /// The number of objects that there is room for.
    fn capacity(&self) -> usize;
    /// Objects that are reserved and not yet initialised.
    fn pending(&self) -> u32;
    /// Bytes of the arena that are used.
    fn arena_bytes(&self) -> usize;
    /// How the objects are stored now.
    fn shape(&self) -> Shape;
    /// The pieces of the storage.
    fn units(&self) -> Vec<Unit>;
    /// The pieces that hold some fields of objects `first..end`.
    fn spans(&self, fields: FieldSet, first: usize, end: usize) -> Vec<Span>;
    /// Whether each column has memory of its own.
    fn has_own_columns(&self) -> bool;
    /// The fields that are `#[atomic]`.
    fn atomics(&self) -> FieldSet;
    /// The fields that are inner arrays.
    fn arrays(&self) -> FieldSet;
    /// Whether nothing has happened to so many objects, with room for so many, since their only copy was given this number, and
    /// all are initialised: then the copy has their last values.
    fn is_complete(&self, number: u64, count: u32, capacity: usize) -> bool;
    /// The copies of the columns on devices.
    fn copies(&mut self) -> Copies<'_>;
    /// Makes the host's values of some fields the last ones.
    ///
    /// # Errors
    ///
    /// As for [`Mirror::fetch`](crate::mirror::Mirror::fetch); the last values are then on the device as before.
    fn fetch(&mut self, fields: FieldSet) -> Result<(), Error>;

    /// Says that no links have to be checked.
    ///
    /// # Safety
    ///
    /// All that kernels follow without looking are to objects that exist.
    unsafe fn set_links_checked(&mut self);
    /// Makes room for so many objects in all.
    ///
    /// # Errors
    ///
    /// As for [`Objects::reserve`]; those of fetching.
    fn make_room(&mut self, len: usize) -> Result<(), Error>;
    /// Adds objects that the device makes, and returns the index of the first. Nothing is written on the host, which has no
    /// values of them before it fetches some.
    ///
    /// # Safety
    ///
    /// There is room for them. All their fields are initialised by the device, and marked as changed there, or they are
    /// taken away again, before anything else is done with these objects.
    unsafe fn add(&mut self, count: usize) -> usize;
    /// Removes the objects from `len` on.
    ///
    /// # Safety
    ///
    /// They were just added, by [`add`](Self::add).
    unsafe fn truncate(&mut self, len: usize);
    /// Removes the copy on a stream. Where it alone had the last values, the host's count from now on: these fields are
    /// returned.
    ///
    /// # Safety
    ///
    /// There are no such fields, or the world's owner knows that they are lost.
    unsafe fn lose(&mut self, stream: u64) -> FieldSet;
}

// SAFETY: all are read from this `Objects`, which owns its table on the heap.
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
            // SAFETY: as the caller promises.
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
            // SAFETY: as the caller promises.
            unsafe { Objects::check_links(self) }
        } else {
            Ok(())
        }
    }
    fn remap_links(&mut self, moves: Moves<'_>, what: Remap) -> Result<(), Error> {
        Objects::remap_links(self, moves, what)
    }
    fn generation(&self) -> u64 {
        Objects::generation(self)
    }
    unsafe fn point(&self, directory: &Directory) {
        // SAFETY: as the caller promises.
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
        units::<C>(&self.table().bases, Objects::capacity(self), self.len(), self.arena())
    }
    fn spans(&self, fields: FieldSet, first: usize, end: usize) -> Vec<Span> {
        spans::<C>(&self.table().bases, fields, first, end, self.arena())
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
        Copies::of::<C>(header, mirrored.get_mut())
    }
    fn fetch(&mut self, fields: FieldSet) -> Result<(), Error> {
        self.try_fetch(fields)
    }

    unsafe fn set_links_checked(&mut self) {
        // SAFETY: as the caller promises.
        unsafe { self.table().header.set_checked() };
    }
    fn make_room(&mut self, len: usize) -> Result<(), Error> {
        if len > Objects::capacity(self) {
            self.try_fetch(FieldSet::ALL)?;
        }
        self.grow(len)
    }
    unsafe fn add(&mut self, count: usize) -> usize {
        let first = self.len();
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
        let lost = AnyObjects::copies(self).only_on(stream);
        // What a constructor stored on the device was never here.
        let (absent, objects) = self.table().header.absent();
        self.put_placeholders(objects, absent.intersection(lost));
        AnyObjects::copies(self).remove(stream);
        // SAFETY: there is no copy any more that could write others.
        unsafe { self.table().header.set_fetched(lost) };
        let links = lost.intersection(const { linked::<C>() });
        if !links.is_empty() {
            self.table().header.set_unchecked(links, 0..self.len());
        }
        lost
    }
}
