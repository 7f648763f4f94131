//! The positions of the elements of one object's inner array.

use core::fmt;
use core::hint::assert_unchecked;
use core::marker::PhantomData;

use super::arrangement::Arrangement;
use crate::class::{Class, column_count};
use crate::extent::Extent;
use crate::layout::{Layout, LayoutKind, constant_pitch, geometry, whole_align};
use crate::storage::Copies;
use crate::table::{BaseSet, address};
use crate::target::element;
use crate::target::tail::Tail;
use crate::value::{LaneArray, Loaded, Value};
use crate::window::{ReadOnly, Window};

/// The positions of the elements of one object's inner array: slots at equal distances, and the rest in a row.
pub struct Elements<T> {
    /// The first slot.
    slots: *mut T,
    /// Bytes from one slot to the next.
    pitch: usize,
    /// The elements without a slot.
    tail: Tail<T>,
}

impl<T> Copy for Elements<T> {}
impl<T> Clone for Elements<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> fmt::Debug for Elements<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Elements")
    }
}
// SAFETY: it holds only addresses; the memory behind them is accessed under the rules of `Table`.
unsafe impl<T: Send> Send for Elements<T> {}
// SAFETY: it holds only addresses; threads that share them access the memory behind them under the rules of `Table`.
unsafe impl<T: Sync> Sync for Elements<T> {}

impl<T: Value> Elements<T> {
    /// No elements.
    pub const NONE: Self = Self { slots: core::ptr::null_mut(), pitch: 0, tail: Tail::fixed(0) };

    /// The elements of object `index`.
    ///
    /// # Safety
    ///
    /// `bases` describe storage of `C`, in which `A` arranges a field whose first column is `column`, and object
    /// `index` exists.
    #[inline(always)]
    pub(super) unsafe fn find<C: Class, A: Arrangement<Element = T>>(
        bases: &C::Bases,
        column: usize,
        index: usize,
    ) -> Self {
        // SAFETY: the object exists in storage that the bases describe, and the column is the first of a field that `A`
        // arranges.
        let window = unsafe { ElementsWindow::<C, A>::new(bases, column, index) };
        // SAFETY: the window starts at the object.
        unsafe { window.get(0) }
    }

    /// The number of elements.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.tail.len()
    }

    /// The address of an element.
    ///
    /// # Safety
    ///
    /// `index < len`, and `A` arranges the array.
    #[inline(always)]
    pub(super) unsafe fn at<A: Arrangement<Element = T>>(self, index: usize) -> *mut T {
        if A::INFO.all_in_slots() {
            // SAFETY: the arrangement has the slot.
            return unsafe { self.slots.byte_add(index * self.pitch) };
        }
        // Computed even if it is not needed, so that it can move out of a loop.
        let rest = self.tail.rest();
        if index < A::INFO.slots {
            // SAFETY: the arrangement has the slot.
            unsafe { self.slots.byte_add(index * self.pitch) }
        } else {
            // SAFETY: the array has the element, and it is not in a slot.
            unsafe { rest.add(index - A::INFO.slots) }
        }
    }

    /// An element.
    ///
    /// # Safety
    ///
    /// As for [`at`](Self::at), and nothing writes the element meanwhile.
    #[inline(always)]
    pub(super) unsafe fn read<A: Arrangement<Element = T>>(self, index: usize) -> T {
        // SAFETY: the index is less than the length, and `A` arranges the array.
        let element = unsafe { self.at::<A>(index) };
        if const { A::INFO.arena && A::INFO.slots == 0 } {
            // SAFETY: the address holds a value that nothing writes. It is in an arena, whose offsets count elements
            // from its start, or on the host in a copy, where this is a plain read.
            return unsafe { element::read_own(element) };
        }
        // SAFETY: the address holds a value that nothing writes.
        unsafe { element.read() }
    }

    /// The slot at `index`, if it exists.
    #[inline(always)]
    pub(super) fn slot(self, index: usize) -> *const T {
        self.slots.wrapping_byte_add(index * self.pitch)
    }

    /// Replaces an element.
    ///
    /// # Safety
    ///
    /// As for [`at`](Self::at), and nothing else accesses the element meanwhile.
    #[inline(always)]
    pub(super) unsafe fn write<A: Arrangement<Element = T>>(self, index: usize, value: T) {
        // SAFETY: the index is less than the length, and `A` arranges the array.
        let element = unsafe { self.at::<A>(index) };
        // SAFETY: the address has room for a value, and nothing else accesses it.
        unsafe { element.write(value) }
    }

    /// These elements, with the address of the elements without a slot loaded once. This serves an iterator that loads
    /// elements under conditions.
    #[inline(always)]
    pub(super) fn placed(self) -> Self {
        Self { tail: self.tail.placed(), ..self }
    }

    /// These elements, with the length and that address loaded.
    #[inline(always)]
    pub(super) fn looked_up(self) -> Self {
        Self { tail: self.tail.looked_up(), ..self }
    }

    /// The first element, if all lie in a row.
    #[inline(always)]
    pub(super) fn in_a_row<A: Arrangement<Element = T>>(self) -> Option<*mut T> {
        if A::INFO.all_in_slots() {
            // A single slot is a row, at any distance.
            (self.pitch == size_of::<T>() || A::INFO.slots < 2).then_some(self.slots)
        } else if A::INFO.slots == 0 {
            Some(self.tail.rest())
        } else {
            None
        }
    }

    /// A copy of the array, with its elements side by side: elements in slots come first.
    ///
    /// # Safety
    ///
    /// They are the elements of an object that exists, arranged by `A`, and nothing writes them meanwhile. Or the array
    /// is empty.
    pub(super) unsafe fn copied<A: Arrangement<Element = T>>(self, copies: &mut Copies) -> Self {
        let len = self.len();
        if len == 0 {
            return self;
        }
        // SAFETY: the array has the elements.
        let slots = copies.of(len, |n| unsafe { self.read::<A>(n) });
        let rest = slots.wrapping_add(A::INFO.slots);
        Self { slots, pitch: size_of::<T>(), tail: if A::INFO.arena { Tail::at(rest, len) } else { Tail::fixed(len) } }
    }

    /// Whether both are one and the same array.
    #[inline(always)]
    pub(super) fn same_place(self, other: Self) -> bool {
        core::ptr::eq(self.slots, other.slots) && self.tail.same_place(other.tail)
    }
}

impl<T: Value> Loaded for Elements<T> {
    type Lanes = LaneArray<Self>;
    const PLACEHOLDER: Self = Self::NONE;
    #[inline(always)]
    fn same(&self, _: &Self) -> bool {
        // Elements are changed in place; each change checks that the kernel declares it.
        true
    }
}

/// The inner arrays of consecutive objects.
pub struct ElementsWindow<'a, C, A: Arrangement> {
    slots: *mut A::Element,
    pitch: usize,
    extents: *const Extent,
    arena: *mut A::Element,
    marker: PhantomData<(&'a A::Element, fn() -> C)>,
}

impl<C, A: Arrangement> Copy for ElementsWindow<'_, C, A> {}
impl<C, A: Arrangement> Clone for ElementsWindow<'_, C, A> {
    fn clone(&self) -> Self {
        *self
    }
}
// SAFETY: it holds only addresses; elements are `Send`.
unsafe impl<C, A: Arrangement> Send for ElementsWindow<'_, C, A> {}
// SAFETY: it holds only addresses; elements are `Sync`.
unsafe impl<C, A: Arrangement> Sync for ElementsWindow<'_, C, A> {}
impl<C: Class, A: Arrangement> fmt::Debug for ElementsWindow<'_, C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ElementsWindow<{}>", C::NAME)
    }
}

/// The size in bytes of an array as object.
const fn object_bytes<A: Arrangement>() -> usize {
    size_of::<A::Element>() * A::INFO.slots
}

/// Bytes from a column's element to the next object's element, within a run.
const fn stride<C: Class>(column: usize) -> usize {
    match C::Layout::KIND {
        LayoutKind::Aos => geometry::<C>().block,
        LayoutKind::Soa | LayoutKind::Tiles(_) => geometry::<C>().sizes[column],
    }
}

impl<C: Class, A: Arrangement> ElementsWindow<'_, C, A> {
    /// The arrays from object `first` on.
    ///
    /// # Safety
    ///
    /// `bases` describe storage of `C`, in which `A` arranges a field whose first column is `column`, and object
    /// `first` exists.
    #[inline(always)]
    pub(super) unsafe fn new(bases: &C::Bases, column: usize, first: usize) -> Self {
        let slots = column + A::INFO.has_spans() as usize;
        let mut window = Self {
            slots: core::ptr::null_mut(),
            pitch: 0,
            extents: core::ptr::null(),
            arena: core::ptr::null_mut(),
            marker: PhantomData,
        };
        if A::INFO.slots > 0 {
            // SAFETY: the object exists.
            window.slots = unsafe { address::<C>(bases, slots, first) }.cast();
            window.pitch = match A::INFO.slot_columns() {
                true => slot_pitch::<C>(bases, slots, A::INFO.slots),
                false => size_of::<A::Element>(),
            };
        }
        if A::INFO.has_spans() {
            // SAFETY: the object exists.
            window.extents = unsafe { address::<C>(bases, column, first) }.cast_const().cast();
            window.arena = bases.get(column_count(C::FIELDS)).0.cast();
        }
        window
    }
}

/// Bytes from one slot of an object to the next. Each slot has a column of its own, and `column` is the first.
#[inline(always)]
fn slot_pitch<C: Class>(bases: &C::Bases, column: usize, slots: usize) -> usize {
    if slots < 2 {
        return 0;
    }
    if crate::class::has_own_columns::<C>() {
        return bases.get(column + 1).0.addr() - bases.get(column).0.addr();
    }
    let offsets = &geometry::<C>().offsets;
    offsets[column + 1] - offsets[column]
}

impl<C: Class, A: Arrangement> Window<Elements<A::Element>> for ElementsWindow<'_, C, A> {
    type Block = ReadOnly<LaneArray<Elements<A::Element>>>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> Elements<A::Element> {
        // In AoS, all columns have one step, and so have all slots.
        let (extent_step, slot_step) = const {
            let (mut extents, mut slots) = (0, 0);
            if A::INFO.has_spans() {
                extents = size_of::<Extent>();
            }
            if A::INFO.slots > 0 {
                slots = match A::INFO.slot_columns() {
                    true => size_of::<A::Element>(),
                    false => object_bytes::<A>(),
                };
            }
            if matches!(C::Layout::KIND, LayoutKind::Aos) { (stride::<C>(0), stride::<C>(0)) } else { (extents, slots) }
        };
        // Constant where possible: a parameter of the loop's function would not be.
        let pitch = match const { constant_pitch::<C, A::Element>() } {
            _ if A::INFO.as_object => size_of::<A::Element>(),
            Some(pitch) if A::INFO.slots > 1 => pitch,
            _ => self.pitch,
        };
        debug_assert_eq!(pitch, self.pitch);
        let mut elements = Elements { slots: self.slots, pitch, tail: Tail::fixed(A::INFO.slots) };
        if A::INFO.slots > 0 {
            // SAFETY: the object is within the window, and so are its slots.
            elements.slots = unsafe { self.slots.byte_add(index * slot_step) };
            if const { A::INFO.as_object && !matches!(C::Layout::KIND, LayoutKind::Aos) } {
                // So that one instruction can load several slots.
                // SAFETY: an element of a contiguous column. Such columns start on a cache line, and their elements are
                // as far apart as their size.
                unsafe { assert_unchecked(elements.slots.addr() % const { whole_align(object_bytes::<A>()) } == 0) };
            }
        }
        if A::INFO.has_spans() {
            // SAFETY: and so is the object's extent.
            let extent = unsafe { self.extents.byte_add(index * extent_step) };
            let is_whole = const { !matches!(C::Layout::KIND, LayoutKind::Aos) };
            // SAFETY: no kernel changes it. An element of a contiguous column is at a multiple of its size, a power of
            // two.
            elements.tail = unsafe { Tail::of(extent, self.arena, is_whole) };
        }
        elements
    }
}
