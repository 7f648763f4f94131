//! How the elements of an inner array are spread over slots and the arena (INNER §2.1).

use core::marker::PhantomData;

use super::InnerArray;
use super::elements::Elements;
use crate::class::{ArrayInfo, Class, ColumnInfo, assert_alignment};
use crate::extent::Extent;
use crate::layout::MAX_COLUMNS;
use crate::moves::{Moves, Remap};
use crate::table::address;
use crate::value::{Value, made};

/// The end of a class's arena, where new space is allocated.
#[derive(Debug)]
pub struct Bump {
    /// Bytes in use.
    pub used: usize,
    /// Whether objects are new, so that they have no space to keep.
    pub fresh: bool,
}

impl Bump {
    /// For classes without an arena.
    pub const fn none() -> Self {
        Self { used: 0, fresh: true }
    }

    /// Allocates space for `count` elements of `size` bytes, and returns its offset in elements.
    fn take(&mut self, count: usize, size: usize) -> u32 {
        let first = used_elements(self.used, size);
        self.used = arena_end(self.used, count, size);
        // An arena has less than 2³² bytes, and an element at least one.
        first as u32
    }
}

/// The first `used` bytes, counted in elements of `size` bytes, which is at least one (`assert_element`).
fn used_elements(used: usize, size: usize) -> usize {
    used.div_ceil(size)
}

/// Where the arena ends once `count` elements of `size` bytes follow the first `used` bytes.
pub fn arena_end(used: usize, count: usize, size: usize) -> usize {
    used_elements(used, size).saturating_add(count).saturating_mul(size)
}

/// How the elements of an inner array are spread over slots and the arena.
///
/// # Safety
///
/// `COLUMNS` are a column of extents, if `INFO` has one, and one column per slot.
pub unsafe trait Arrangement: Sized + 'static {
    /// The elements' type.
    type Element: Value;
    /// The array's type in a row.
    type Row;
    /// The arrangement as data.
    const INFO: ArrayInfo;
    /// The field's columns.
    const COLUMNS: &'static [ColumnInfo];

    /// The array by value; `load` reads each element.
    fn gather(elements: Elements<Self::Element>, load: impl Fn(*const Self::Element) -> Self::Element) -> Self::Row;

    /// The number of elements without a slot.
    #[inline(always)]
    fn rest(_row: &Self::Row) -> usize {
        0
    }

    /// The end of the arena if the array takes space after `used` bytes.
    #[inline(always)]
    fn arena_end(row: &Self::Row, used: usize) -> usize {
        match Self::rest(row) {
            0 => used,
            rest => arena_end(used, rest, size_of::<Self::Element>()),
        }
    }

    /// Writes the array of object `index`.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C`, in which `Self` arranges a field whose first column is `column`. It has room
    ///    for object `index`, and in the arena for the array. If `bump` is not for fresh objects, the object exists.
    /// 2. Nothing else accesses the object meanwhile.
    unsafe fn scatter<C: Class>(bases: &C::Bases, column: usize, index: usize, row: Self::Row, bump: &mut Bump);

    /// Makes the array of object `index` a placeholder that may be read.
    ///
    /// # Safety
    ///
    /// As for [`scatter`](Self::scatter).
    unsafe fn clear<C: Class>(bases: &C::Bases, column: usize, index: usize);

    /// Copies the array of object `index` from one storage to another, whose arena is at least as long. `load` reads
    /// each element.
    ///
    /// # Safety
    ///
    /// 1. Both describe storage of `C` with object `index`, in which `Self` arranges a field whose first column is
    ///    `column`.
    /// 2. Nothing writes the object in `from` meanwhile in a way that `load` does not allow. Nothing else accesses the
    ///    object in `to`.
    unsafe fn copy<C: Class>(
        from: &C::Bases,
        to: &C::Bases,
        column: usize,
        index: usize,
        load: impl Fn(*const Self::Element) -> Self::Element,
    ) {
        if Self::INFO.has_spans() {
            // SAFETY: both have the object by 1, and so its extent.
            let extent = |bases| unsafe { address::<C>(bases, column, index) }.cast::<Extent>();
            let (from, to) = (extent(from), extent(to));
            // SAFETY: the extents of one object and its copy; by 2 nothing else accesses the copy.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        }
        // SAFETY: both have the object by 1.
        let array = |bases| unsafe { Elements::find::<C, Self>(bases, column, index) };
        let (from, to) = (array(from), array(to));
        for n in 0..from.len() {
            // SAFETY: the array has the element.
            let element = load(unsafe { from.at::<Self>(n) });
            // SAFETY: both arrays have equally many elements, since their extents are equal.
            unsafe { to.write::<Self>(n, element) }
        }
    }
}

/// One column per slot: `#[inline_array]` on `[T; N]`.
#[derive(Debug)]
pub struct FullyInlined<T, const N: usize>(PhantomData<fn() -> T>);

/// One column of arrays: `#[inline_array(object)]` on `[T; N]`.
#[derive(Debug)]
pub struct WholeArray<T, const N: usize>(PhantomData<fn() -> T>);

/// `K` columns, and the rest in the arena: `#[inline_array(K)]` on `InnerArray<T>`.
#[derive(Debug)]
pub struct PartlyInlined<T, const K: usize>(PhantomData<fn() -> T>);

/// The properties of elements of this type, however they are spread.
const fn of_elements<T: Value>() -> ArrayInfo {
    assert_alignment::<T>();
    ArrayInfo {
        slots: 0,
        as_object: false,
        arena: false,
        element: size_of::<T>(),
        align: align_of::<T>(),
        meaning: T::MEANING,
    }
}

/// Columns of slots, after a column of extents if `extents`.
const fn slot_columns<T: Value>(extents: bool) -> [ColumnInfo; MAX_COLUMNS] {
    let mut columns = [ColumnInfo::of::<T>().holding::<T>(); MAX_COLUMNS];
    let mut column = 0;
    if extents {
        columns[0] = ColumnInfo::component_of::<Extent>("span");
        column = 1;
    }
    let mut slot = 0;
    while column < MAX_COLUMNS {
        columns[column].slot = Some(slot);
        slot += 1;
        column += 1;
    }
    columns
}

/// An array by value.
fn gather_array<A: Arrangement, const N: usize>(
    elements: Elements<A::Element>,
    load: impl Fn(*const A::Element) -> A::Element,
) -> [A::Element; N] {
    // SAFETY: there are `N` elements.
    made(|n| load(unsafe { elements.at::<A>(n) }))
}

/// Checks for the elements of every array: they have bytes, so each has an address of its own.
const fn assert_element<T>() {
    assert!(
        size_of::<T>() > 0,
        "the elements of an inner array have at least one byte each; a field of a type without bytes needs no array"
    );
}

/// # Safety
///
/// As for [`Arrangement::scatter`].
unsafe fn scatter_array<C: Class, A: Arrangement, const N: usize>(
    bases: &C::Bases,
    column: usize,
    index: usize,
    row: [A::Element; N],
) {
    // SAFETY: all elements have slots, with room for them.
    let elements = unsafe { Elements::find::<C, A>(bases, column, index) };
    for (n, element) in row.into_iter().enumerate() {
        // SAFETY: there are `N` elements.
        unsafe { elements.write::<A>(n, element) }
    }
}

macro_rules! fixed_length {
    () => {
        #[inline]
        fn gather(elements: Elements<T>, load: impl Fn(*const T) -> T) -> [T; N] {
            gather_array::<Self, N>(elements, load)
        }
        #[inline]
        unsafe fn scatter<C: Class>(bases: &C::Bases, column: usize, index: usize, row: [T; N], _: &mut Bump) {
            // SAFETY: the `N` elements have slots, with room for them in the object.
            unsafe { scatter_array::<C, Self, N>(bases, column, index, row) }
        }
        #[inline]
        unsafe fn clear<C: Class>(bases: &C::Bases, column: usize, index: usize) {
            // SAFETY: the `N` elements have slots, with room for them in the object.
            unsafe { scatter_array::<C, Self, N>(bases, column, index, [T::PLACEHOLDER; N]) }
        }
    };
}

// SAFETY: one column per slot.
unsafe impl<T: Value, const N: usize> Arrangement for FullyInlined<T, N> {
    type Element = T;
    type Row = [T; N];
    const INFO: ArrayInfo = ArrayInfo { slots: N, as_object: false, arena: false, ..of_elements::<T>() };
    const COLUMNS: &'static [ColumnInfo] = {
        assert!(N > 0 && N <= MAX_COLUMNS, "an inlined array has from 1 to 256 slots");
        assert_element::<T>();
        let columns: &'static [ColumnInfo; MAX_COLUMNS] = &const { slot_columns::<T>(false) };
        columns.split_at(N).0
    };
    fixed_length!();
}

// SAFETY: one column of all slots.
unsafe impl<T: Value, const N: usize> Arrangement for WholeArray<T, N> {
    type Element = T;
    type Row = [T; N];
    const INFO: ArrayInfo = ArrayInfo { slots: N, as_object: true, arena: false, ..of_elements::<T>() };
    const COLUMNS: &'static [ColumnInfo] = {
        assert!(N > 0, "an array that is stored has at least one element");
        assert_element::<T>();
        &[ColumnInfo::of::<[T; N]>().holding::<[T; N]>()]
    };
    fixed_length!();
}

// SAFETY: a column of extents, and one per slot.
unsafe impl<T: Value, const S: usize> Arrangement for PartlyInlined<T, S> {
    type Element = T;
    type Row = InnerArray<T>;
    const INFO: ArrayInfo = ArrayInfo { slots: S, as_object: false, arena: true, ..of_elements::<T>() };
    const COLUMNS: &'static [ColumnInfo] = {
        assert!(S < MAX_COLUMNS, "at most 255 elements of an array can be inlined");
        assert_element::<T>();
        let columns: &'static [ColumnInfo; MAX_COLUMNS] = &const { slot_columns::<T>(true) };
        columns.split_at(S + 1).0
    };

    fn gather(elements: Elements<T>, load: impl Fn(*const T) -> T) -> InnerArray<T> {
        // SAFETY: the elements exist.
        (0..elements.len()).map(|n| load(unsafe { elements.at::<Self>(n) })).collect()
    }

    #[inline(always)]
    fn rest(row: &InnerArray<T>) -> usize {
        row.len().saturating_sub(S)
    }

    unsafe fn scatter<C: Class>(bases: &C::Bases, column: usize, index: usize, row: InnerArray<T>, bump: &mut Bump) {
        // SAFETY: the contract is the same.
        unsafe { set::<C, Self>(bases, column, index, &row, bump) }
    }

    unsafe fn clear<C: Class>(bases: &C::Bases, column: usize, index: usize) {
        // SAFETY: there is room, by the caller.
        let extent = unsafe { address::<C>(bases, column, index) }.cast::<Extent>();
        // SAFETY: the object's extent. An empty array has no element that could be read.
        unsafe { extent.write(Extent { offset: 0, len: 0 }) };
    }
}

/// Writes an array of variable length.
///
/// # Safety
///
/// As for [`Arrangement::scatter`].
pub unsafe fn set<C: Class, A: Arrangement>(
    bases: &C::Bases,
    column: usize,
    index: usize,
    row: &[A::Element],
    bump: &mut Bump,
) {
    let slots = A::INFO.slots;
    let rest = row.len().saturating_sub(slots);
    // SAFETY: there is room for the object.
    let extent = unsafe { address::<C>(bases, column, index) }.cast::<Extent>();
    let mut offset = 0;
    if rest > 0 {
        // SAFETY: an object that is not fresh exists, and has an extent.
        let old = (!bump.fresh).then(|| unsafe { extent.read() });
        offset = match old {
            Some(old) if (old.len as usize).saturating_sub(slots) >= rest => old.offset,
            _ => bump.take(rest, size_of::<A::Element>()),
        };
    }
    // SAFETY: there is room for the object.
    unsafe { extent.write(Extent { offset, len: row.len() as u32 }) };
    // SAFETY: the object now has an extent.
    let elements = unsafe { Elements::find::<C, A>(bases, column, index) };
    let (inlined, others) = row.split_at(row.len() - rest);
    for (n, &element) in inlined.iter().enumerate() {
        // SAFETY: the array has the element.
        unsafe { elements.write::<A>(n, element) }
    }
    if rest > 0 {
        // SAFETY: the array has the element.
        let first = unsafe { elements.at::<A>(slots) };
        // SAFETY: the remaining elements lie in a row in the arena, with room for them; the row is not the user's
        // slice.
        unsafe { core::ptr::copy_nonoverlapping(others.as_ptr(), first, rest) }
    }
}

/// [`Storage::remap`](crate::storage::Storage::remap) for an array. An array of variable length drops links to removed
/// objects.
///
/// # Safety
///
/// As for [`Arrangement::scatter`], and the object exists.
pub(super) unsafe fn remap<C: Class, A: Arrangement>(
    bases: &C::Bases,
    column: usize,
    index: usize,
    moves: Moves<'_>,
    what: Remap,
) -> bool {
    // SAFETY: by the caller.
    let elements = unsafe { Elements::find::<C, A>(bases, column, index) };
    let mut kept = 0;
    for n in 0..elements.len() {
        // SAFETY: the array has the element.
        let element = unsafe { elements.at::<A>(n) };
        // SAFETY: an element, which nothing else accesses.
        match unsafe { element.read() }.remapped(moves) {
            Some(remapped) => {
                // SAFETY: as above.
                if what == Remap::Cascade && !unsafe { element.read() }.same(&remapped) {
                    return false;
                }
                // Most links stay as they are: then no cache line has to be written back.
                // SAFETY: as above.
                if what == Remap::Commit && (kept < n || !unsafe { element.read() }.same(&remapped)) {
                    // SAFETY: the array has the element: `kept` is at most `n`.
                    unsafe { elements.write::<A>(kept, remapped) };
                }
                kept += 1;
            }
            None if A::INFO.has_spans() && what != Remap::Cascade => {}
            None => return false,
        }
    }
    if A::INFO.has_spans() && what == Remap::Commit && kept < elements.len() {
        // SAFETY: the object exists, and so does its extent.
        let extent = unsafe { address::<C>(bases, column, index) }.cast::<Extent>();
        // SAFETY: the object's extent, which nothing else accesses. It has at least as many elements.
        unsafe { (*extent).len = kept as u32 };
    }
    true
}
