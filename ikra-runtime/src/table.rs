//! Tables: what views and refs need to know of a class in one world.

use core::cell::UnsafeCell;
use core::fmt;
use core::ptr;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed, Ordering::Release};

use crate::class::{Class, ClassId, first_column};
use crate::layout::{Layout, LayoutKind, geometry};
use crate::value::Target;

/// The start of a table, the same for every class.
#[doc(hidden)]
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// Objects of the class, reserved ones included.
    pub(crate) len: u32,
    /// Objects that are reserved and not yet initialised.
    pub(crate) pending: u32,
}

/// The table of a class that is not in the world: no object, so that every link is out of range.
static ABSENT: Header = Header { len: 0, pending: 0 };

/// The start of a column, or of the whole storage.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Base(pub(crate) *mut u8);

impl Base {
    /// No storage yet.
    pub const NONE: Self = Self(ptr::null_mut());
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.0)
    }
}

// SAFETY: only an address; what is behind it is accessed under the rules of `Table`.
unsafe impl Send for Base {}
// SAFETY: only an address; what is behind it is accessed under the rules of `Table`.
unsafe impl Sync for Base {}

/// Where the table of a field's target class is. Written when the world links its tables, before any
/// handle into them exists, and only read while one does: so reads need not be atomic, and can be moved
/// out of loops.
#[doc(hidden)]
#[derive(Debug)]
pub struct TargetSlot(UnsafeCell<*const Header>);

// SAFETY: written only in `Table::link`, which excludes other accesses by its contract.
unsafe impl Send for TargetSlot {}
// SAFETY: as for `Send`.
unsafe impl Sync for TargetSlot {}

impl TargetSlot {
    /// Not linked yet: the class is absent.
    #[expect(clippy::declare_interior_mutable_const, reason = "a fresh slot for every table is what is wanted")]
    pub const NONE: Self = Self(UnsafeCell::new(&raw const ABSENT));

    #[inline(always)]
    pub(crate) fn get(&self) -> *const Header {
        // SAFETY: not written while there are handles, by the contract of `Table::link`.
        unsafe { *self.0.get() }
    }
}

/// The columns of one class in one world. Its address stays the same as the world grows or moves.
///
/// Invariants, kept by [`Objects`](crate::Objects), its only owner:
///
/// 1. `bases` point to storage for at least `len` objects, all initialised.
/// 2. While a kernel runs, only it accesses the storage; it writes the columns of its write set, each
///    object's elements by the one call that has the object, and reads the others.
/// 3. `targets` and `directory` point to tables of the same world, alive while the world is borrowed,
///    whenever a [`Handle`](crate::handle::Handle) into this table exists.
#[doc(hidden)]
#[repr(C)]
pub struct Table<C: Class> {
    pub(crate) header: Header,
    pub(crate) bases: C::Bases,
    pub(crate) targets: C::Targets,
    pub(crate) directory: AtomicPtr<Directory>,
}

impl<C: Class> fmt::Debug for Table<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("class", &C::NAME).field("header", &self.header).finish_non_exhaustive()
    }
}

impl<C: Class> Table<C> {
    pub(crate) fn new() -> Self {
        Self {
            header: Header { len: 0, pending: 0 },
            bases: C::BASES,
            targets: C::TARGETS,
            directory: AtomicPtr::new(ptr::null_mut()),
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.header.len as usize
    }

    /// The address of an element of a physical column.
    ///
    /// # Safety
    ///
    /// `index` is less than the capacity of the storage.
    #[inline(always)]
    pub(crate) unsafe fn address(&self, column: usize, index: usize) -> *mut u8 {
        // SAFETY: passed on.
        unsafe { address::<C>(&self.bases, column, index) }
    }

    /// Points targets and directory to the tables of a world.
    ///
    /// # Safety
    ///
    /// No other thread is in this function for this table, and there is no handle into it.
    pub(crate) unsafe fn link(&self, directory: &Directory) {
        for (slot, target) in self.targets.as_ref().iter().zip(field_targets::<C>()) {
            let table = target.and_then(|class| directory.find(class)).unwrap_or(&raw const ABSENT);
            // SAFETY: by the caller, nothing else accesses the slot.
            unsafe { *slot.0.get() = table }
        }
        // Last, and with `Release`: who sees the directory sees the targets too.
        self.directory.store(ptr::from_ref(directory).cast_mut(), Release);
    }
}

fn field_targets<C: Class>() -> &'static [Option<ClassId>] {
    use crate::arity::FieldTuple;
    <C::Fields as FieldTuple>::TARGETS
}

/// The address of an element of a physical column of `C`.
///
/// # Safety
///
/// `bases` describe storage of `C` with room for more than `index` objects.
#[inline(always)]
pub(crate) unsafe fn address<C: Class>(bases: &C::Bases, column: usize, index: usize) -> *mut u8 {
    let geometry = geometry::<C>();
    let bases = bases.as_ref();
    let (base, offset) = match (C::Layout::KIND, C::CAPACITY) {
        (LayoutKind::Soa, None) => (bases[column], index * geometry.sizes[column]),
        (LayoutKind::Soa, Some(_)) => (bases[0], geometry.offsets[column] + index * geometry.sizes[column]),
        (LayoutKind::Aos, _) => (bases[0], geometry.offsets[column] + index * geometry.block),
        (LayoutKind::Tiles(tile), _) => {
            (bases[0], index / tile * geometry.block + geometry.offsets[column] + index % tile * geometry.sizes[column])
        }
    };
    // SAFETY: the geometry places `index` within the allocation that the base starts.
    unsafe { base.0.add(offset) }
}

/// The first physical column of a field, as a constant.
pub(crate) trait FirstColumn<const K: usize>: Class {
    const COLUMN: usize = first_column(Self::FIELDS, K);
}
impl<C: Class, const K: usize> FirstColumn<K> for C {}

/// A table of any class.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct AnyTable {
    pub(crate) name: &'static str,
    pub(crate) header: *const Header,
    pub(crate) directory: *const AtomicPtr<Directory>,
    pub(crate) link: unsafe fn(*const Header, &Directory),
}

impl AnyTable {
    /// Takes the pointer that owns the table, which stays good when the table is changed later.
    pub(crate) fn of<C: Class>(table: NonNull<Table<C>>) -> Self {
        /// # Safety
        ///
        /// `header` is the start of a live `Table<C>`; and as for `Table::link`.
        unsafe fn link<C: Class>(header: *const Header, directory: &Directory) {
            // SAFETY: by the caller.
            let table = unsafe { &*header.cast::<Table<C>>() };
            // SAFETY: passed on.
            unsafe { table.link(directory) };
        }
        Self {
            name: C::NAME,
            header: table.as_ptr().cast(),
            // SAFETY: the table is alive, as its owner has just shown.
            directory: unsafe { &raw const (*table.as_ptr()).directory },
            link: link::<C>,
        }
    }
}

impl fmt::Debug for AnyTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyTable").field(&self.name).finish()
    }
}

/// The tables of a world by class.
#[doc(hidden)]
#[derive(Debug)]
pub struct Directory {
    pub(crate) entries: Box<[(ClassId, AtomicPtr<Header>)]>,
}

impl Directory {
    /// The table of a class, if the world has it.
    #[inline]
    pub(crate) fn find(&self, class: ClassId) -> Option<*const Header> {
        self.entries.iter().find(|entry| entry.0 == class).map(|entry| entry.1.load(Relaxed).cast_const())
    }
}

/// The table of a target class, given that a value's target is `T`.
pub(crate) const fn target_of<T: Target>() -> Option<ClassId> {
    T::CLASS
}

pub(crate) fn absent() -> *const Header {
    &raw const ABSENT
}
