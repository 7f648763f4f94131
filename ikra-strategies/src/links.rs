//! Links that are numbers, from which the class is computed or looked up.

use core::cell::UnsafeCell;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::num::NonZeroU32;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use ikra_core::dispatch::{LinkBits, Narrow};

use crate::range_table::{Numbering, RangeTable, Region, splits};

/// `"range_table"`: a link is a number in a region of its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Ranged<const CLASSES: usize, const LEAVES: usize>(Narrow);

impl<const CLASSES: usize, const LEAVES: usize> Ranged<CLASSES, LEAVES> {
    const NUMBERING: Numbering = Numbering::of(CLASSES);
    const REGIONS: [Region; LEAVES] = Self::NUMBERING.regions();
    const SPLITS: [u32; LEAVES] = splits(&Self::REGIONS);
    const TABLE: RangeTable<'static> = match RangeTable::new(&Self::SPLITS, &Self::REGIONS) {
        Some(table) => table,
        None => panic!("as many nodes as leaves"),
    };
}

// SAFETY: 1. `repr(transparent)` over `Narrow`; 2. four bytes; 3. the class number is at most the last.
unsafe impl<const CLASSES: usize, const LEAVES: usize> LinkBits for Ranged<CLASSES, LEAVES> {
    const FIRST: Self = Self(NonZeroU32::MIN);
    type Number = u32;

    #[inline(always)]
    fn pack(tag: usize, id: NonZeroU32, _: usize) -> Self {
        let number = const { Self::NUMBERING }.number(tag as u32, id.get() - 1);
        // No object has the number 0.
        Self(NonZeroU32::new(number).unwrap_or(NonZeroU32::MAX))
    }
    #[inline(always)]
    fn parts(self, classes: usize) -> (usize, u32) {
        match const { Self::TABLE }.find(self.0.get()) {
            Some((class, index)) => ((class as usize).min(classes - 1), index + 1),
            None => (classes - 1, 0),
        }
    }
    #[inline(always)]
    fn largest_id(_: usize) -> u32 {
        const { Self::NUMBERING.room() }
    }
    #[inline(always)]
    fn number(of: Option<Self>) -> u32 {
        of.map_or(0, |link| link.0.get())
    }
    #[inline(always)]
    fn of_number(bits: u32) -> Option<Self> {
        NonZeroU32::new(bits).map(Self)
    }
}

/// Memory that holds the class of each object, once it was looked up: a `static` of the trait.
///
/// Host and device have one each. It has room for a fixed number of objects; the class of later ones is computed each
/// time.
///
/// # Safety
///
/// The cells are 0 at first, and only [`cells`](Self::cells) gives access to them.
pub unsafe trait Tags: Send + Sync + 'static {
    /// The cell of one object.
    type Cell: TagCell;
    /// The number of classes of the objects. It belongs to the memory, so that traits that share the memory
    /// store the same class for an object.
    const CLASSES: u32;
    /// The memory.
    ///
    /// # Safety
    ///
    /// The caller stores only an object's class there. Kernels follow links whose class was looked up here when they
    /// were checked, so the class must never change (I15).
    unsafe fn cells() -> &'static [Self::Cell];
}

/// A cell for the class of an object; 0 until the class is looked up.
///
/// # Safety
///
/// Zero bytes are a valid value, and its number is 0.
pub unsafe trait TagCell: Sync + 'static {
    /// Loads the number.
    fn get(&self) -> u32;
    /// Stores a number.
    fn set(&self, number: u32);
}

// SAFETY: an atomic has the same bytes as its number.
unsafe impl TagCell for AtomicU8 {
    #[inline(always)]
    fn get(&self) -> u32 {
        self.load(Relaxed).into()
    }
    #[inline(always)]
    fn set(&self, number: u32) {
        self.store(number as u8, Relaxed);
    }
}

// SAFETY: an atomic has the same bytes as its number.
unsafe impl TagCell for AtomicU32 {
    #[inline(always)]
    fn get(&self) -> u32 {
        self.load(Relaxed)
    }
    #[inline(always)]
    fn set(&self, number: u32) {
        self.store(number, Relaxed);
    }
}

/// The memory of [`Tags`], in a `static`. The compiler examines each element of an array of atomics in a `static`,
/// which took seconds; it does not examine this type's contents.
#[repr(transparent)]
pub struct TagCells<C, const N: usize>(UnsafeCell<MaybeUninit<[C; N]>>);

// SAFETY: a shared reference gives access only to cells, which are `Sync`.
unsafe impl<C: TagCell, const N: usize> Sync for TagCells<C, N> {}

impl<C: TagCell, const N: usize> TagCells<C, N> {
    /// Cells with 0 in each.
    pub const fn zeroed() -> Self {
        Self(UnsafeCell::new(MaybeUninit::zeroed()))
    }

    /// The cells.
    #[inline(always)]
    pub const fn cells(&self) -> &[C; N] {
        // SAFETY: the zero bytes, with which it was made, are a value of each cell (`TagCell`), and only the cells'
        // methods have written since. No code makes a `&mut` to them.
        unsafe { &*self.0.get().cast() }
    }
}

/// `"class_tag"` and `"vtable"`: a link is a number, and memory holds the class of each number. Objects of all classes
/// alternate, like those that a program makes in no particular order.
#[repr(transparent)]
pub struct Remembered<T>(Narrow, PhantomData<T>);

impl<T> Copy for Remembered<T> {}
impl<T> Clone for Remembered<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> PartialEq for Remembered<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Remembered<T> {}
impl<T> PartialOrd for Remembered<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Remembered<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}
impl<T> Hash for Remembered<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<T> fmt::Debug for Remembered<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

// SAFETY: 1. `repr(transparent)` over `Narrow`; 2. four bytes; 3. the class number is at most the last.
unsafe impl<T: Tags> LinkBits for Remembered<T> {
    const FIRST: Self = Self(NonZeroU32::MIN, PhantomData);
    type Number = u32;

    #[inline(always)]
    fn pack(tag: usize, id: NonZeroU32, classes: usize) -> Self {
        assert!(T::CLASSES as usize == classes, "the memory is that of the trait");
        let number = (id.get() - 1) * T::CLASSES + tag as u32 + 1;
        Self(NonZeroU32::new(number).unwrap_or(NonZeroU32::MAX), PhantomData)
    }
    #[inline(always)]
    fn parts(self, classes: usize) -> (usize, u32) {
        let number = self.0.get() - 1;
        // Uses the memory's own number of classes. Otherwise two traits that share the memory could store different
        // classes there, and a kernel could follow another class than the one that was checked.
        let worked_out = || number % T::CLASSES;
        // SAFETY: the code below stores only the class that it computes from the number.
        let cells = unsafe { T::cells() };
        let tag = match cells.get(number as usize) {
            None => worked_out(),
            Some(cell) => match cell.get() {
                // Other threads may store the same number meanwhile.
                0 => {
                    let tag = worked_out();
                    cell.set(tag + 1);
                    tag
                }
                known => known - 1,
            },
        };
        ((tag as usize).min(classes - 1), number / T::CLASSES + 1)
    }
    #[inline(always)]
    fn largest_id(_: usize) -> u32 {
        u32::MAX / T::CLASSES
    }
    #[inline(always)]
    fn number(of: Option<Self>) -> u32 {
        of.map_or(0, |link| link.0.get())
    }
    #[inline(always)]
    fn of_number(bits: u32) -> Option<Self> {
        NonZeroU32::new(bits).map(|bits| Self(bits, PhantomData))
    }
}
