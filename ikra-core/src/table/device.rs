//! Tables on the device: words of constant memory, which each class knows.
//!
//! | word | |
//! | --- | --- |
//! | 0 | the address of the class's [`DeviceHeader`](super::DeviceHeader), with the number of objects |
//! | 1 … n | the start of each physical column, and of the arena |
//! | n + 1 … 2 n | the columns to which kernels with `snapshot` write |
//! | 2 n + 1 | the address of the class's [`DeviceLives`], for kernels that make or remove objects |
//!
//! The addresses of columns are constant during a launch. `ikra-build` makes the words that entry points read into
//! parameters of them. Other functions read them here. The number of objects is in global memory, where a kernel can
//! change it for later kernels.
//!
//! A class that is absent from the world has no objects: until the host fills the words, the first points to a header
//! of zeros.

use core::fmt;
use core::marker::PhantomData;
use core::ptr;

use super::{Base, BaseSet, address};
use crate::device_lives::DeviceLives;
use crate::directory::{TableRef, Targets};
use crate::facts::Facts;
use crate::field_set::FieldSet;
use crate::info::{ClassId, ClassInfo, base_count};

/// The number of words of a class's table, whose storage starts at `columns` addresses.
pub const fn table_words(columns: usize) -> usize {
    2 + 2 * columns
}

/// The changes of the class's objects by the running kernel, if the world has the class.
#[inline(always)]
pub fn lives<C: ClassInfo>() -> Option<&'static DeviceLives> {
    let address = C::constant(table_words(base_count(C::FIELDS)) - 1) as usize;
    // SAFETY: the word is 0, or the address of this value, which is constant during a launch.
    unsafe { ptr::with_exposed_provenance::<DeviceLives>(address).as_ref() }
}

/// The starts of a class's columns, in constant memory.
pub struct DeviceBases<C> {
    /// The start of the group of words.
    first: usize,
    class: PhantomData<fn() -> C>,
}

impl<C> Copy for DeviceBases<C> {}
impl<C> Clone for DeviceBases<C> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> DeviceBases<C> {
    /// The objects' columns.
    pub const COLUMNS: Self = Self { first: 1, class: PhantomData };
}

impl<C: ClassInfo> BaseSet for DeviceBases<C> {
    #[inline(always)]
    fn columns() -> &'static Self {
        const { &Self::COLUMNS }
    }

    #[inline(always)]
    fn shadow() -> &'static Self {
        const { &Self { first: 1 + base_count(C::FIELDS), class: PhantomData } }
    }

    #[inline(always)]
    fn get(&self, column: usize) -> Base {
        Base(ptr::with_exposed_provenance_mut(C::constant(self.first + column) as usize))
    }
}

/// The columns of a class: a view of its words.
#[repr(transparent)]
pub struct Table<C: ClassInfo> {
    /// The starts of the columns.
    pub bases: C::Bases,
}

impl<C: ClassInfo> fmt::Debug for Table<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(C::NAME)
    }
}

impl<C: ClassInfo> Table<C> {
    /// The one table of the class.
    ///
    /// # Safety
    ///
    /// Handles made from it are in the phase of the running kernel.
    #[inline(always)]
    pub unsafe fn get() -> &'static Self {
        // SAFETY: `repr(transparent)`.
        unsafe { &*ptr::from_ref(C::Bases::columns()).cast() }
    }

    /// The number of objects.
    #[inline(always)]
    pub fn len(&self) -> usize {
        C::count() as usize
    }

    /// On the host, makes its copies of some fields current.
    #[inline(always)]
    pub fn fetch(&self, _: FieldSet) {}

    /// On the host, makes its copies of some fields of an object current.
    #[inline(always)]
    pub fn fetch_object(&self, _: FieldSet, _: usize) {}

    /// On the host, the known facts about each object.
    #[inline(always)]
    pub fn facts(&self) -> Facts {
        Facts
    }

    /// As on the host.
    ///
    /// # Safety
    ///
    /// No requirement here: it is as on the host.
    #[inline(always)]
    pub(crate) unsafe fn linked_facts(&self) -> Facts {
        Facts
    }

    /// On the host, marks some fields as changed by it.
    #[inline(always)]
    pub fn changed_on_host(&self, _: FieldSet) {}

    /// The address of an element of a physical column.
    ///
    /// # Safety
    ///
    /// `index` is less than the capacity of the storage.
    #[inline(always)]
    pub(crate) unsafe fn address(&self, column: usize, index: usize) -> *mut u8 {
        // SAFETY: the bases are those of storage of `C`, whose capacity is more than the index.
        unsafe { address::<C>(&self.bases, column, index) }
    }
}

impl<'w> Targets<'w> {
    #[inline(always)]
    pub(crate) fn of<C: ClassInfo, const K: usize>(_: &'w Table<C>) -> Self {
        Self(PhantomData)
    }
}

impl<'w> TableRef<'w> {
    #[inline(always)]
    pub(crate) fn of_table<C: ClassInfo>(_: &'w Table<C>) -> Self {
        Self(PhantomData)
    }

    /// The address of another class's table in this world.
    #[inline(always)]
    pub(crate) fn beside(self, _: impl FnOnce() -> ClassId) -> Self {
        self
    }

    /// The number of objects of the class.
    #[inline(always)]
    pub fn count<C: ClassInfo>(self) -> u32 {
        C::count()
    }

    /// On the host, whether the object at this index was removed.
    #[inline]
    pub(crate) fn is_removed(self, _: usize) -> bool {
        false
    }

    /// On the host, the number of removed objects of the class.
    #[inline]
    pub(crate) fn holes(self) -> u32 {
        0
    }

    /// The class's table.
    ///
    /// # Safety
    ///
    /// No requirement here: it is as on the host.
    #[inline(always)]
    pub(crate) unsafe fn table<C: ClassInfo>(self) -> &'w Table<C> {
        // SAFETY: the phase is that of the handle with this address.
        unsafe { Table::get() }
    }
}
