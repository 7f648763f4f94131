//! Inner arrays under `#[atomic]`.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Range, RangeBounds};

use super::arrangement::{Arrangement, Bump};
use super::elements::{Elements, ElementsWindow};
use super::{ArrayStorage, array_storage, array_stored};
use crate::class::{ArrayInfo, Class, ClassId, ColumnInfo, Number};
use crate::effects::FieldSet;
use crate::facts::Facts;
use crate::order::{AtomicOwner, Lent, OfAny, OfSelf};
use crate::panics::{no_such_element, no_such_range};
use crate::phase::Phase;
use crate::range::within;
use crate::storage::atomic::sealed::Cell;
use crate::storage::{Atomic, AtomicValue, Storage, Stored};
use crate::table::Table;
use crate::value::Value;

/// A field that is an inner array of atomics: the `K`-th of class `C`, arranged by `A`.
#[derive(Debug)]
pub struct AtomicInner<C, const K: usize, A>(PhantomData<fn() -> (C, A)>);

// SAFETY: `#[soa_class]` gives the field, its index and its arrangement.
unsafe impl<C: Class, const K: usize, A: Arrangement<Element: AtomicValue>> ArrayStorage for AtomicInner<C, K, A> {
    type Element = A::Element;
    type Owner = C;
    type Arrangement = A;
    const FIELD: usize = K;
}

/// An inner array under `#[atomic]`, of any object: each element is an [`Atomic`].
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Histogram {
///     #[atomic]
///     #[inline_array]
///     pub counts: [u32; 4],
/// }
/// #[soa_class]
/// pub struct Sample { pub value: u32, pub of: Link<Histogram> }
///
/// #[soa_methods]
/// impl Sample {
///     #[kernel]
///     pub fn count(&mut self) {
///         self.of.counts().get(self.value as usize % 4).add(1);
///     }
/// }
///
/// #[soa_world]
/// pub struct Study { pub histograms: Objects<Histogram>, pub samples: Objects<Sample> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut study = Study::new();
/// let of = study.histograms.push(Histogram { counts: [0; 4] })?;
/// study.samples.extend((0..10).map(|value| Sample { value, of }))?;
/// study.execute(Sample::count, ());
/// assert_eq!(study.histograms.read(of)?.counts, [3, 3, 2, 2]);
/// # Ok(()) }
/// ```
pub struct InnerAtomics<'w, S: ArrayStorage, A: AtomicOwner> {
    elements: Elements<S::Element>,
    /// The known facts about the object.
    facts: Facts,
    /// Whether it is in a view that a ref lent.
    lent: A::Lent,
    marker: PhantomData<(&'w S::Element, A)>,
}

impl<S: ArrayStorage, A: AtomicOwner> Copy for InnerAtomics<'_, S, A> {}
impl<S: ArrayStorage, A: AtomicOwner> Clone for InnerAtomics<'_, S, A> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<'w, S: ArrayStorage<Element: AtomicValue>, A: AtomicOwner> InnerAtomics<'w, S, A> {
    /// The number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether the array is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`.
    ///
    /// # Panics
    ///
    /// If the index is not less than the length.
    #[inline(always)]
    #[track_caller]
    pub fn get(&self, index: usize) -> Atomic<'w, S::Element, A> {
        if index >= self.len() {
            no_such_element::<S::Owner>(S::FIELD, index, self.len());
        }
        // SAFETY: the element exists.
        unsafe { self.element(index) }
    }

    /// # Safety
    ///
    /// The element exists.
    #[inline(always)]
    unsafe fn element(&self, index: usize) -> Atomic<'w, S::Element, A> {
        // SAFETY: the index is less than the array's length, and `S` defines its arrangement.
        let element = unsafe { self.elements.at::<S::Arrangement>(index) };
        // SAFETY: 1. every access to the field's elements is atomic during `'w`; 2. the facts are the array's; 3. it is
        // of the array's object.
        unsafe { Atomic::at(element, self.facts, self.lent) }
    }

    /// The elements.
    #[inline(always)]
    pub fn iter(&self) -> InnerAtomicsIter<'w, S, A> {
        InnerAtomicsIter { array: *self, next: 0, end: self.len() as u32 }
    }

    /// The elements in a range of positions. Faster than `take` and `skip`, which check each element's position.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Bucket {
    ///     #[atomic]
    ///     #[inline_array]
    ///     pub values: [u32; 4],
    ///     pub count: u32,
    /// }
    ///
    /// #[soa_methods]
    /// impl Bucket {
    ///     #[kernel(reduce(Sum))]
    ///     pub fn sum(&self) -> u32 {
    ///         self.values.range(..self.count as usize).map(|value| value.load()).sum()
    ///     }
    /// }
    ///
    /// #[soa_world]
    /// pub struct Study { pub buckets: Objects<Bucket> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut study = Study::new();
    /// study.buckets.push(Bucket { values: [1, 2, 3, 4], count: 3 })?;
    /// assert_eq!(study.execute_and_reduce(Bucket::sum, (), Sum), 6);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// If the range ends after the last element or before it starts, as slicing does.
    #[inline(always)]
    #[track_caller]
    pub fn range(&self, range: impl RangeBounds<usize>) -> InnerAtomicsIter<'w, S, A> {
        let Some(Range { start, end }) = within(&range, self.len()) else {
            no_such_range::<S::Owner>(S::FIELD, &range, self.len())
        };
        InnerAtomicsIter { array: *self, next: start as u32, end: end as u32 }
    }
}

impl<'w, S: ArrayStorage<Element: AtomicValue>, A: AtomicOwner> IntoIterator for InnerAtomics<'w, S, A> {
    type Item = Atomic<'w, S::Element, A>;
    type IntoIter = InnerAtomicsIter<'w, S, A>;
    #[inline(always)]
    fn into_iter(self) -> InnerAtomicsIter<'w, S, A> {
        self.iter()
    }
}

impl<'w, S: ArrayStorage<Element: AtomicValue>, A: AtomicOwner> IntoIterator for &InnerAtomics<'w, S, A> {
    type Item = Atomic<'w, S::Element, A>;
    type IntoIter = InnerAtomicsIter<'w, S, A>;
    #[inline(always)]
    fn into_iter(self) -> InnerAtomicsIter<'w, S, A> {
        self.iter()
    }
}

/// Elements of an inner array of atomics.
pub struct InnerAtomicsIter<'w, S: ArrayStorage, A: AtomicOwner> {
    array: InnerAtomics<'w, S, A>,
    // At most `end`, which is at most the length.
    next: u32,
    end: u32,
}

impl<S: ArrayStorage<Element: AtomicValue>, A: AtomicOwner> fmt::Debug for InnerAtomicsIter<'_, S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InnerAtomicsIter({}..{})", self.next, self.end)
    }
}

impl<'w, S: ArrayStorage<Element: AtomicValue>, A: AtomicOwner> Iterator for InnerAtomicsIter<'w, S, A> {
    type Item = Atomic<'w, S::Element, A>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        self.next += 1;
        // SAFETY: less than the length.
        Some(unsafe { self.array.element(self.next as usize - 1) })
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let (mut folded, mut next) = (init, self.next);
        while next < self.end {
            // SAFETY: less than the length.
            folded = f(folded, unsafe { self.array.element(next as usize) });
            next += 1;
        }
        folded
    }
}

impl<S: ArrayStorage<Element: AtomicValue>, A: AtomicOwner> ExactSizeIterator for InnerAtomicsIter<'_, S, A> {}

impl<S: ArrayStorage<Element: AtomicValue + fmt::Debug>, A: AtomicOwner> fmt::Debug for InnerAtomics<'_, S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

// SAFETY: these are the arrangement's columns, whose elements are accessed as atomics.
unsafe impl<C: Class, const K: usize, A: Arrangement<Element: AtomicValue>> Stored for AtomicInner<C, K, A> {
    const EMPTIES: bool = A::INFO.has_spans() || <A::Element as Value>::EMPTIES;
    array_stored!();
    const ATOMIC: bool = true;
    const NUMBER: Option<Number> = Some(<A::Element as Cell>::NUMBER);
}

// SAFETY: the arrangement's columns and the arena; views and refs access the object's elements as atomics.
unsafe impl<C: Class, const K: usize, A: Arrangement<Element: AtomicValue>> Storage<C, K> for AtomicInner<C, K, A> {
    array_storage!(|element: *const A::Element| {
        // SAFETY: the element exists, by the contracts of `read_row` and `copy`. While it is shared, every access is
        // through its cell.
        A::Element::load(unsafe { &*element.cast::<<A::Element as Cell>::Cell>() })
    });
    type View<'w, P: Phase> = InnerAtomics<'w, Self, OfSelf<P, C, K>>;
    type Seen<'w, P: Phase> = InnerAtomics<'w, Self, OfAny<P, C, K>>;

    #[inline(always)]
    unsafe fn to_view<'w, P: Phase>(
        value: Self::Value,
        table: &'w Table<C>,
        _: usize,
        facts: Facts,
    ) -> Self::View<'w, P> {
        if P::SEQUENTIAL {
            table.changed_on_host(const { FieldSet::from_bits(1 << K) });
        }
        InnerAtomics { elements: value, facts, lent: Lent::OWN, marker: PhantomData }
    }

    #[inline(always)]
    fn lent<P: Phase>(view: Self::View<'_, P>) -> Self::View<'_, P> {
        InnerAtomics { lent: Lent::LENT, ..view }
    }

    #[inline(always)]
    unsafe fn to_seen<'w, P: Phase>(value: Self::Value, _: &'w Table<C>, _: usize, facts: Facts) -> Self::Seen<'w, P> {
        InnerAtomics { elements: value, facts, lent: (), marker: PhantomData }
    }

    #[inline(always)]
    fn from_view<P: Phase>(view: Self::View<'_, P>) -> Self::Value {
        view.elements
    }

    #[inline(always)]
    fn is_own<'w, P: Phase>(view: &Self::View<'w, P>, table: &'w Table<C>, index: usize) -> bool {
        // SAFETY: views are made of objects that exist. A field that the kernel does not name has a placeholder.
        let own = unsafe { Self::read(&table.bases, index) };
        view.elements.same_place(own) || view.elements.same_place(Elements::NONE)
    }
}
