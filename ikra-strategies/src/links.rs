//! Links that are numbers, from which the class is looked up.

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

/// `"range_table"`: a link is a number, which is in a region of its class.
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

// SAFETY: 1. `repr(transparent)` over `Narrow`; 2. four bytes; 3. no more than the last.
unsafe impl<const CLASSES: usize, const LEAVES: usize> LinkBits for Ranged<CLASSES, LEAVES> {
    const FIRST: Self = Self(NonZeroU32::MIN);
    type Number = u32;

    #[inline(always)]
    fn pack(tag: usize, id: NonZeroU32, _: usize) -> Self {
        let number = const { Self::NUMBERING }.number(tag as u32, id.get() - 1);
        // There is no object whose number is 0.
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

/// Memory in which there is the class of each object, once somebody has asked for it: a `static` of the trait.
///
/// Host and device have one each. It has room for so many objects; the class of those beyond is worked out each time.
///
/// # Safety
///
/// The cells are 0 at first, and are reached by [`cells`](Self::cells) only.
pub unsafe trait Tags: Send + Sync + 'static {
    /// What takes one object's.
    type Cell: TagCell;
    /// The number of classes among which the objects are: of one memory, whoever looks there, so that they all put the same there.
    const CLASSES: u32;
    /// The memory.
    ///
    /// # Safety
    ///
    /// The caller puts nothing but an object's class there: kernels follow links whose class was looked up here when they
    /// were checked, so it must be the same for good.
    unsafe fn cells() -> &'static [Self::Cell];
}

/// A place for the class of an object: 0 until it is asked for.
///
/// # Safety
///
/// Zero bytes are a value, whose number is 0.
pub unsafe trait TagCell: Sync + 'static {
    /// The number that is there.
    fn get(&self) -> u32;
    /// Puts a number there.
    fn set(&self, number: u32);
}

// SAFETY: an atomic has the bytes of its number.
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

// SAFETY: an atomic has the bytes of its number.
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

/// The memory of [`Tags`], in a `static`. The compiler looks at each element of an array of atomics in a `static`, which
/// took seconds; it does not look into this.
#[repr(transparent)]
pub struct TagCells<C, const N: usize>(UnsafeCell<MaybeUninit<[C; N]>>);

// SAFETY: what is shared are cells, which may be shared.
unsafe impl<C: TagCell, const N: usize> Sync for TagCells<C, N> {}

impl<C: TagCell, const N: usize> TagCells<C, N> {
    /// Cells with 0 in each.
    pub const fn zeroed() -> Self {
        Self(UnsafeCell::new(MaybeUninit::zeroed()))
    }

    /// The cells.
    #[inline(always)]
    pub const fn cells(&self) -> &[C; N] {
        // SAFETY: zero bytes, which it was made of, are a value of each cell (`TagCell`), and later ones were written by its
        // methods. Nothing makes a `&mut` of them.
        unsafe { &*self.0.get().cast() }
    }
}

/// `"class_tag"` and `"vtable"`: a link is a number, by which the class is looked up in memory. Objects of all classes
/// alternate, as those do that a program makes in no order.
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

// SAFETY: 1. `repr(transparent)` over `Narrow`; 2. four bytes; 3. no more than the last.
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
        // By the memory's own number of classes: two traits that were made to share it would else put different classes there, and what
        // was checked would not be what a kernel follows.
        let worked_out = || number % T::CLASSES;
        // SAFETY: below, nothing is put there but what is worked out from the number.
        let cells = unsafe { T::cells() };
        let tag = match cells.get(number as usize) {
            None => worked_out(),
            Some(cell) => match cell.get() {
                // Others may put the same number there meanwhile.
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
