//! The types that views and refs show for an inner array.

mod reading;

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut, Range, RangeBounds};

use super::elements::Elements;
use super::iter::InnerIter;
use super::iter_mut::InnerIterMut;
use super::renewal::Renewal;
use super::{ArrayStorage, assert_good, brings_links, is_written, shown};
use crate::directory::Targets;
use crate::info::ClassInfo;
use crate::message::Message;
use crate::mistakes::ChangesLength;
use crate::panics::{no_such_element, no_such_range};
use crate::phase::Phase;
use crate::range::within;
use crate::value::Value;
use reading::reading;

/// An inner array of the object for which a method is called: elements can be read and written.
///
/// | `Vec<T>` | an inner array |
/// | --- | --- |
/// | `path[i]`, `path[i] = x`, `path.len()`, `path.iter()` | the same; for links, `path[i]` is a `Link` |
/// | `&path[i].next` | `path.get(i).next()`: for links, [`get`](Self::get) and [`iter`](Self::iter) give `Ref`s |
/// | `path.push(x)` | not available: the length of an array is fixed |
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Car {
///     pub speed: u32,
///     #[inline_array(2)]
///     pub path: InnerArray<u32>,
/// }
///
/// #[soa_methods]
/// impl Car {
///     #[kernel]
///     pub fn advance(&mut self) {
///         for i in 0..self.path.len() {
///             self.path[i] += self.speed;
///         }
///     }
/// }
///
/// #[soa_world]
/// pub struct Road { pub cars: Objects<Car> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut road = Road::new();
/// let car = road.cars.push(Car { speed: 10, path: [1, 2, 3].into() })?;
/// road.execute(Car::advance, ());
/// assert_eq!(road.get(car).path().iter().collect::<Vec<_>>(), [11, 12, 13]);
/// # Ok(()) }
/// ```
pub struct InnerMut<'w, P, S: ArrayStorage> {
    elements: Elements<S::Element>,
    /// The elements that a kernel with `snapshot` has written, and the position of the others.
    renewal: Renewal<S::Element>,
    targets: Targets<'w>,
    /// The elements that were lent for changes, if that must be known.
    lent: Range<u32>,
    /// Carries `P`, so that the array is `Send` exactly when refs of that phase are.
    marker: PhantomData<(&'w mut S::Element, P)>,
}

/// Functions of `Vec`, for their message.
#[doc(hidden)]
#[rustfmt::skip]
impl<P, S: ArrayStorage> InnerMut<'_, P, S> {
    pub fn push<T>(&mut self, _: T) where S: ChangesLength { unreachable!() }
    pub fn pop(&mut self) -> Option<S::Element> where S: ChangesLength { unreachable!() }
    pub fn extend<T>(&mut self, _: T) where S: ChangesLength { unreachable!() }
    pub fn clear(&mut self) where S: ChangesLength { unreachable!() }
}

/// An inner array of another object, for reading: the result of a getter.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Node {
///     pub value: u32,
///     pub sum: u32,
///     #[inline_array(3)]
///     pub neighbours: InnerArray<Link<Node>>,
/// }
///
/// #[soa_methods]
/// impl Node {
///     #[kernel]
///     pub fn collect(&mut self) {
///         self.sum = self.neighbours.iter().map(|node| node.value()).sum();
///     }
/// }
///
/// #[soa_world]
/// pub struct Graph { pub nodes: Objects<Node> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut graph = Graph::new();
/// let a = graph.nodes.push(Node { value: 4, sum: 0, neighbours: InnerArray::new() })?;
/// let b = graph.nodes.push(Node { value: 5, sum: 0, neighbours: [a, a].into() })?;
/// graph.execute(Node::collect, ());
/// assert_eq!(graph.get(b).sum(), 8);
/// assert_eq!(graph.get(b).neighbours().get(1).value(), 4);
/// # Ok(()) }
/// ```
pub struct InnerRef<'w, P, S: ArrayStorage> {
    elements: Elements<S::Element>,
    targets: Targets<'w>,
    /// As for [`InnerMut`].
    marker: PhantomData<(&'w S::Element, P)>,
}

impl<P, S: ArrayStorage> Copy for InnerRef<'_, P, S> {}
impl<P, S: ArrayStorage> Clone for InnerRef<'_, P, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

/// Proof that phase `P` is known to write the array `S`.
struct Written<P, S>(PhantomData<(P, S)>);

impl<P: Phase, S: ArrayStorage> Written<P, S> {
    /// Fails to compile if the phase is not.
    const CHECK: () = {
        if !is_written::<P, S>() {
            let name = S::Owner::FIELDS[S::FIELD].name;
            let message = Message::new()
                .push("kernel `")
                .push(P::EFFECTS.kernel())
                .push("` changes elements of `")
                .push(S::Owner::NAME)
                .push("::")
                .push(name)
                .push("` in a way that its text does not show; write `#[kernel(writes(")
                .push(name)
                .push("))]`");
            panic!("{}", message.as_str());
        }
    };
}

impl<P: Phase, S: ArrayStorage> InnerMut<'_, P, S> {
    /// Borrows from the array are borrows from the one view, or from one that is only lent.
    const LENDS: () = ();
}

impl<P: Phase, S: ArrayStorage> InnerRef<'_, P, S> {
    /// Fails to compile if elements may change while they are borrowed.
    const LENDS: () = {
        if P::GUARDED {
            let message = Message::new()
                .push("elements of `")
                .push(S::Owner::NAME)
                .push("::")
                .push(S::Owner::FIELDS[S::FIELD].name)
                .push("` of another object cannot be borrowed here, because a `get_mut` guard may change the array; read them by value: `.get(i)` instead of `[i]`, `.iter()` instead of `.as_slice()`");
            panic!("{}", message.as_str());
        }
    };
}

type ViewOf<'w, P, S> = <<S as ArrayStorage>::Element as Value>::View<'w, P>;

reading!(InnerMut);
reading!(InnerRef);

impl<'w, P: Phase, S: ArrayStorage> InnerRef<'w, P, S> {
    /// # Safety
    ///
    /// The elements are those of an array `S` of an object that exists, and the targets are those of the field.
    #[inline(always)]
    pub(super) unsafe fn new(elements: Elements<S::Element>, targets: Targets<'w>) -> Self {
        Self { elements, targets, marker: PhantomData }
    }

    /// The elements of another object are read in place.
    #[inline(always)]
    fn renewal(&self) -> Renewal<S::Element> {
        Renewal::NONE
    }
}

impl<'w, P: Phase, S: ArrayStorage> IntoIterator for InnerRef<'w, P, S> {
    type Item = ViewOf<'w, P, S>;
    type IntoIter = InnerIter<'w, 'w, P, S>;
    #[inline(always)]
    fn into_iter(self) -> InnerIter<'w, 'w, P, S> {
        // SAFETY: the elements are those of an array of an object that exists.
        unsafe { InnerIter::all(self.elements, self.renewal(), self.targets) }
    }
}

impl<P: Phase, S: ArrayStorage> IndexMut<usize> for InnerMut<'_, P, S> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut S::Element {
        const { Written::<P, S>::CHECK };
        self.check_index(index);
        self.lend(index..index + 1);
        // SAFETY: the index was just checked.
        let address = unsafe { self.address_of_existing(index) };
        // SAFETY: the element exists, and `self` is borrowed exclusively. It is either in the one view (I7) of a call
        // of a kernel that writes the field, so that no other call accesses it. Or it is in the one view of a guard,
        // and the element is in the guard's copy. Views of refs are only lent.
        unsafe { &mut *address }
    }
}

impl<'w, P: Phase, S: ArrayStorage> InnerMut<'w, P, S> {
    /// # Safety
    ///
    /// As for [`InnerRef::new`].
    #[inline(always)]
    pub(super) unsafe fn new(elements: Elements<S::Element>, targets: Targets<'w>) -> Self {
        Self { elements, renewal: Renewal::NONE, targets, lent: Range { start: u32::MAX, end: 0 }, marker: PhantomData }
    }

    /// The array of an object that a kernel [renews](is_renewed), if the elements are in its shadow, or of another
    /// object.
    ///
    /// # Safety
    ///
    /// As for [`InnerRef::new`], also for the elements in `before`, which nothing writes.
    #[inline(always)]
    pub(super) unsafe fn renewed(
        elements: Elements<S::Element>,
        before: Elements<S::Element>,
        targets: Targets<'w>,
    ) -> Self {
        // SAFETY: the elements are those of an array of an object that exists, and the targets those of the field.
        let array = unsafe { Self::new(elements, targets) };
        Self { renewal: Renewal::of(before), ..array }
    }

    #[inline(always)]
    fn renewal(&self) -> Renewal<S::Element> {
        self.renewal
    }

    /// Notes the elements that may change. They are within the array.
    #[inline(always)]
    fn lend(&mut self, elements: Range<usize>) {
        self.note(elements.clone());
        // SAFETY: 1. as `renewed` says, and the elements are within the array; 2. as for `index_mut`.
        unsafe { self.renewal.keep::<P, S>(elements, self.elements) };
    }

    /// As [`lend`](Self::lend), for elements that are already kept.
    #[inline(always)]
    fn note(&mut self, elements: Range<usize>) {
        if const { brings_links::<P, S>() } {
            self.lent = self.lent.start.min(elements.start as u32)..self.lent.end.max(elements.end as u32);
        }
    }

    /// Panics if a kernel stored a bad link.
    #[inline(always)]
    pub(super) fn check_links(&self) {
        if const { brings_links::<P, S>() } {
            for index in self.lent.clone() {
                assert_good(&self.element(index as usize), self.targets);
            }
        }
    }

    /// The position of all elements.
    #[inline(always)]
    pub(super) fn into_elements(self) -> Elements<S::Element> {
        // SAFETY: 1. as `renewed` says; 2. as for `index_mut`, since a view by value is a call's only one.
        unsafe { self.renewal.finish::<P, S>(self.elements) };
        self.elements
    }

    /// Replaces an element by a value of the type that [`get`](Self::get) returns: for a link, an object.
    ///
    /// # Panics
    ///
    /// If the index is not less than the length.
    #[inline(always)]
    #[track_caller]
    pub fn set(&mut self, index: usize, value: ViewOf<'w, P, S>) {
        const { Written::<P, S>::CHECK };
        // A ref proves that its object exists; a number does not.
        let element = S::Element::unview::<P>(value);
        if const { brings_links::<P, S>() && S::Element::SHOWS_NUMBERS } {
            assert_good(&element, self.targets);
        }
        self.check_index(index);
        // SAFETY: 1. as `renewed` says, and the index is in range; 2. as for `index_mut`. It is written below.
        unsafe { self.renewal.replace::<P, S>(index, self.elements) };
        // SAFETY: the index was just checked.
        let address = unsafe { self.address_of_existing(index) };
        // SAFETY: as for `index_mut`; nothing is borrowed from the array.
        unsafe { address.write(element) };
    }

    /// Exchanges two elements.
    ///
    /// # Panics
    ///
    /// If one of the indices is not less than the length.
    #[inline(always)]
    #[track_caller]
    pub fn swap(&mut self, a: usize, b: usize) {
        let (x, y) = (self[a], self[b]);
        self[a] = y;
        self[b] = x;
    }

    /// Replaces all elements by copies of one.
    #[inline(always)]
    pub fn fill(&mut self, value: S::Element) {
        self.iter_mut().for_each(|element| *element = value);
    }

    /// Replaces all elements.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[inline(always)]
    #[track_caller]
    pub fn copy_from_slice(&mut self, from: &[S::Element]) {
        assert!(from.len() == self.len(), "the slice is not as long as the array");
        for (n, from) in from.iter().enumerate() {
            self[n] = *from;
        }
    }

    /// The elements, for changes. For a partly inlined array `for_each` is faster than a `for` loop: it does not locate
    /// each element separately.
    #[inline(always)]
    pub fn iter_mut(&mut self) -> InnerIterMut<'_, P, S> {
        const { Written::<P, S>::CHECK };
        self.range_mut(..)
    }

    /// The elements in a range of positions, for changes: like [`iter_mut`](Self::iter_mut), and faster than its `take`
    /// and `skip`.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Car {
    ///     pub known: u32,
    ///     #[inline_array]
    ///     pub path: [u32; 4],
    /// }
    ///
    /// #[soa_methods]
    /// impl Car {
    ///     #[kernel]
    ///     pub fn advance(&mut self) {
    ///         self.path.range_mut(..self.known as usize).for_each(|cell| *cell += 10);
    ///     }
    /// }
    ///
    /// #[soa_world]
    /// pub struct Road { pub cars: Objects<Car> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut road = Road::new();
    /// let car = road.cars.push(Car { known: 2, path: [1, 2, 3, 4] })?;
    /// road.execute(Car::advance, ());
    /// assert_eq!(road.get(car).path(), [11, 12, 3, 4]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// If the range ends after the last element or before it starts, as slicing does.
    #[inline(always)]
    #[track_caller]
    pub fn range_mut(&mut self, range: impl RangeBounds<usize>) -> InnerIterMut<'_, P, S> {
        const { Written::<P, S>::CHECK };
        let range = self.within(&range);
        self.note(range.clone());
        // SAFETY: within the elements; and as for `index_mut`, and the iterator borrows `self` exclusively.
        unsafe { InnerIterMut::new(self.elements, &mut self.renewal, range) }
    }

    /// The elements as a slice for writing, if [`as_slice`](Self::as_slice) returns one.
    #[inline(always)]
    pub fn as_mut_slice(&mut self) -> Option<&mut [S::Element]> {
        const { Written::<P, S>::CHECK };
        self.renewal.row::<P, S>(self.elements)?;
        if self.is_empty() {
            return Some(&mut []);
        }
        self.lend(0..self.len());
        let first = self.renewal.row::<P, S>(self.elements)?;
        // SAFETY: that many elements lie in a row; otherwise as for `index_mut`.
        Some(unsafe { core::slice::from_raw_parts_mut(first, self.len()) })
    }
}

impl<'a, P: Phase, S: ArrayStorage> IntoIterator for &'a mut InnerMut<'_, P, S> {
    type Item = &'a mut S::Element;
    type IntoIter = InnerIterMut<'a, P, S>;
    #[inline(always)]
    fn into_iter(self) -> InnerIterMut<'a, P, S> {
        self.iter_mut()
    }
}
