//! Inner arrays under `#[atomic]`.

use core::fmt;
use core::marker::PhantomData;

use super::arrangement::{Arrangement, Bump};
use super::elements::{Elements, ElementsWindow};
use super::{ArrayStorage, array_storage, array_stored};
use crate::class::{ArrayInfo, Class, ClassId, ColumnInfo};
use crate::effects::FieldSet;
use crate::order::{AtomicOwner, OfAny, OfSelf};
use crate::panics::no_such_element;
use crate::phase::Phase;
use crate::storage::atomic::sealed::Cell;
use crate::storage::{Atomic, AtomicValue, Storage, Stored};
use crate::table::Table;
use crate::value::Value;

/// A field that is an inner array of atomics: the `K`-th of class `C`, arranged by `A`.
#[derive(Debug)]
pub struct AtomicInner<C, const K: usize, A>(PhantomData<fn() -> (C, A)>);

// SAFETY: as for `Inner`.
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
pub struct InnerAtomics<'w, S: ArrayStorage, A> {
    elements: Elements<S::Element>,
    marker: PhantomData<(&'w S::Element, A)>,
}

impl<S: ArrayStorage, A> Copy for InnerAtomics<'_, S, A> {}
impl<S: ArrayStorage, A> Clone for InnerAtomics<'_, S, A> {
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

    /// Whether there is no element.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline(always)]
    #[track_caller]
    pub fn get(&self, index: usize) -> Atomic<'w, S::Element, A> {
        if index >= self.len() {
            no_such_element::<S::Owner>(S::FIELD, index, self.len());
        }
        // SAFETY: the element exists.
        let element = unsafe { self.elements.at::<S::Arrangement>(index) };
        // SAFETY: those of the field are only ever accessed as atomics during `'w`.
        unsafe { Atomic::at(element) }
    }

    /// The elements.
    #[inline(always)]
    pub fn iter(&self) -> InnerAtomicsIter<'w, S, A> {
        InnerAtomicsIter { array: *self, next: 0 }
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

/// The elements of an inner array of atomics.
pub struct InnerAtomicsIter<'w, S: ArrayStorage, A> {
    array: InnerAtomics<'w, S, A>,
    next: usize,
}

impl<S: ArrayStorage<Element: AtomicValue>, A: AtomicOwner> fmt::Debug for InnerAtomicsIter<'_, S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InnerAtomicsIter({}..{})", self.next, self.array.len())
    }
}

impl<'w, S: ArrayStorage<Element: AtomicValue>, A: AtomicOwner> Iterator for InnerAtomicsIter<'w, S, A> {
    type Item = Atomic<'w, S::Element, A>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        if index >= self.array.len() {
            return None;
        }
        self.next = index + 1;
        Some(self.array.get(index))
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.array.len() - self.next;
        (left, Some(left))
    }
}

impl<S: ArrayStorage<Element: AtomicValue>, A: AtomicOwner> ExactSizeIterator for InnerAtomicsIter<'_, S, A> {}

impl<S: ArrayStorage<Element: AtomicValue + fmt::Debug>, A: AtomicOwner> fmt::Debug for InnerAtomics<'_, S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

// SAFETY: the arrangement's columns, whose elements are accessed as atomics.
unsafe impl<C: Class, const K: usize, A: Arrangement<Element: AtomicValue>> Stored for AtomicInner<C, K, A> {
    array_stored!();
    const ATOMIC: bool = true;
}

// SAFETY: the arrangement's columns and the arena; views and refs access the object's elements as atomics.
unsafe impl<C: Class, const K: usize, A: Arrangement<Element: AtomicValue>> Storage<C, K> for AtomicInner<C, K, A> {
    array_storage!(|element: *const A::Element| {
        // SAFETY: the element exists, by the contracts of `read_row` and `copy`; while it is shared, it is accessed as
        // its cell only.
        A::Element::load(unsafe { &*element.cast::<<A::Element as Cell>::Cell>() })
    });
    type View<'w, P: Phase> = InnerAtomics<'w, Self, OfSelf<P, C, K>>;
    type Seen<'w, P: Phase> = InnerAtomics<'w, Self, OfAny<P, C, K>>;

    #[inline(always)]
    unsafe fn to_view<'w, P: Phase>(value: Self::Value, table: &'w Table<C>, _: usize) -> Self::View<'w, P> {
        if P::SEQUENTIAL {
            table.changed_on_host(const { FieldSet::from_bits(1 << K) });
        }
        InnerAtomics { elements: value, marker: PhantomData }
    }

    #[inline(always)]
    unsafe fn to_seen<'w, P: Phase>(value: Self::Value, table: &'w Table<C>, index: usize) -> Self::Seen<'w, P> {
        // SAFETY: the contract is the same.
        InnerAtomics { elements: unsafe { Self::to_view::<P>(value, table, index) }.elements, marker: PhantomData }
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
