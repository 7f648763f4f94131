//! Reading an inner array, through a view and through a ref.

/// The functions and traits that views and refs share. The macro is called beside the types, so that messages name them
/// without a path.
macro_rules! reading {
    ($name:ident) => {
        impl<'w, P: Phase, S: ArrayStorage> $name<'w, P, S> {
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

            /// The element at `index`, as stored.
            #[inline(always)]
            #[track_caller]
            fn element(&self, index: usize) -> S::Element {
                // SAFETY: the element exists, and nothing writes it: as for `Handle::read`.
                unsafe { self.address(index).read() }
            }

            #[inline(always)]
            #[track_caller]
            fn check_index(&self, index: usize) {
                if index >= self.len() {
                    no_such_element::<S::Owner>(S::FIELD, index, self.len());
                }
            }

            #[inline(always)]
            #[track_caller]
            fn address(&self, index: usize) -> *mut S::Element {
                self.check_index(index);
                // SAFETY: the index is in range.
                unsafe { self.address_of_existing(index) }
            }

            /// # Safety
            ///
            /// The index is less than the length.
            #[inline(always)]
            unsafe fn address_of_existing(&self, index: usize) -> *mut S::Element {
                // SAFETY: the index is in range, by the caller.
                unsafe { self.renewal().place::<P, S>(index, self.elements).at::<S::Arrangement>(index) }
            }

            /// The element at `index`, in the form that a view shows: the object behind a link.
            ///
            /// # Panics
            ///
            /// If the index is not less than the length.
            #[inline(always)]
            #[track_caller]
            pub fn get(&self, index: usize) -> ViewOf<'w, P, S> {
                // SAFETY: an element of the array.
                unsafe { shown::<P, S>(self.element(index), self.targets) }
            }

            /// The element at `index`, if it exists.
            #[inline(always)]
            pub fn try_get(&self, index: usize) -> Option<ViewOf<'w, P, S>> {
                (index < self.len()).then(|| self.get(index))
            }

            /// The last element, if the array is not empty.
            #[inline(always)]
            pub fn last(&self) -> Option<ViewOf<'w, P, S>> {
                self.try_get(self.len().wrapping_sub(1))
            }

            /// The elements, in the form that [`get`](Self::get) returns.
            #[inline(always)]
            pub fn iter(&self) -> InnerIter<'_, 'w, P, S> {
                // SAFETY: the elements are those of an array of an object that exists.
                unsafe { InnerIter::all(self.elements, self.renewal(), self.targets) }
            }

            #[inline(always)]
            #[track_caller]
            fn within(&self, range: &impl RangeBounds<usize>) -> Range<usize> {
                match within(range, self.len()) {
                    Some(range) => range,
                    None => no_such_range::<S::Owner>(S::FIELD, range, self.len()),
                }
            }

            /// The elements in a range of positions, in the form that [`get`](Self::get) returns. Faster than `take`
            /// and `skip`, which check each element's position.
            ///
            /// ```
            /// use ikra::prelude::*;
            ///
            /// #[soa_class]
            /// pub struct Car { pub known: u32, #[inline_array] pub path: [u32; 4] }
            /// #[soa_world]
            /// pub struct Road { pub cars: Objects<Car> }
            ///
            /// # fn main() -> Result<(), ikra::Error> {
            /// let mut road = Road::new();
            /// let car = road.cars.push(Car { known: 2, path: [1, 2, 3, 4] })?;
            /// let car = road.get(car);
            /// assert_eq!(car.path().range(..car.known() as usize).sum::<u32>(), 3);
            /// # Ok(()) }
            /// ```
            ///
            /// # Panics
            ///
            /// If the range ends after the last element or before it starts, as slicing does.
            #[inline(always)]
            #[track_caller]
            pub fn range(&self, range: impl RangeBounds<usize>) -> InnerIter<'_, 'w, P, S> {
                let range = self.within(&range);
                // SAFETY: within the elements.
                unsafe { InnerIter::new(self.elements, self.renewal(), self.targets, range) }
            }

            /// The elements as a slice, if they lie in a row. They do in an array as object, in an AoS class that
            /// inlines all or none, and with `#[inline_array(0)]`. The compiler knows the answer.
            #[inline(always)]
            pub fn as_slice(&self) -> Option<&[S::Element]> {
                const { Self::LENDS };
                let first = self.renewal().row::<P, S>(self.elements)?;
                if self.is_empty() {
                    return Some(&[]);
                }
                // SAFETY: that many elements lie in a row, and nothing writes them while `self` is borrowed.
                Some(unsafe { core::slice::from_raw_parts(first, self.len()) })
            }

            /// Copies all elements.
            ///
            /// # Panics
            ///
            /// If the lengths differ.
            #[inline(always)]
            #[track_caller]
            pub fn copy_to_slice(&self, to: &mut [S::Element]) {
                assert!(to.len() == self.len(), "the slice is not as long as the array");
                for (n, to) in to.iter_mut().enumerate() {
                    *to = self.element(n);
                }
            }
        }

        impl<P: Phase, S: ArrayStorage> Index<usize> for $name<'_, P, S> {
            type Output = S::Element;
            #[inline(always)]
            #[track_caller]
            fn index(&self, index: usize) -> &S::Element {
                const { Self::LENDS };
                // SAFETY: the element exists, and nothing else writes it while `self` is borrowed: as for `Handle::read`,
                // but for guards, which `LENDS` rules out for other objects.
                unsafe { &*self.address(index) }
            }
        }

        impl<P: Phase, S: ArrayStorage<Element: fmt::Debug>> fmt::Debug for $name<'_, P, S> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries((0..self.len()).map(|n| self.element(n))).finish()
            }
        }

        impl<'a, 'w, P: Phase, S: ArrayStorage> IntoIterator for &'a $name<'w, P, S> {
            type Item = ViewOf<'w, P, S>;
            type IntoIter = InnerIter<'a, 'w, P, S>;
            #[inline(always)]
            fn into_iter(self) -> InnerIter<'a, 'w, P, S> {
                self.iter()
            }
        }

        impl<P: Phase, S: ArrayStorage<Element: PartialEq>> PartialEq<[S::Element]> for $name<'_, P, S> {
            fn eq(&self, other: &[S::Element]) -> bool {
                self.len() == other.len() && (0..self.len()).all(|n| self.element(n) == other[n])
            }
        }

        impl<P: Phase, S: ArrayStorage<Element: PartialEq>, const N: usize> PartialEq<[S::Element; N]>
            for $name<'_, P, S>
        {
            fn eq(&self, other: &[S::Element; N]) -> bool {
                self == other.as_slice()
            }
        }
    };
}
pub(super) use reading;
