//! Results of kernels as columns: one value for each of some objects, as an argument of kernels.

#[cfg(not(target_arch = "nvptx64"))]
mod host;

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use crate::class::Class;
use crate::object::Object;
use crate::panics::{no_element, stale_column};
use crate::target::groups::{Made, Words};
use crate::target::mapped::Elements;

/// The results of a kernel for some objects of a class, in the order of their ids.
/// [`MapOver::column`](../ikra/struct.MapOver.html#method.column) makes it.
///
/// `&column` is an argument of kernels for the same objects, which see their own element: a parameter of type
/// [`Of<T>`](Of). It does not follow later changes. It is refused in another world, for objects that have no element, for
/// example new ones, and if objects of the class were removed or got other ids since. In a chain it needs an element for
/// each object that the kernels before choose.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Car { pub speed: f32, pub late: f32 }
///
/// #[soa_methods]
/// impl Car {
///     #[kernel]
///     pub fn delay(&self, limit: f32) -> f32 { limit - self.speed }
///     #[kernel]
///     pub fn apply(&mut self, delay: Of<f32>) { self.late += *delay; }
/// }
///
/// #[soa_world]
/// pub struct Town { pub cars: Objects<Car> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut town = Town::new();
/// town.cars.extend([30.0, 45.0].map(|speed| Car { speed, late: 0.0 }))?;
/// let delays = town.map(Car::delay, 50.0).column();
/// assert_eq!(delays.values(), [20.0, 5.0]);
/// town.execute(Car::apply, &delays);
/// assert_eq!(town.cars.column(car::late), [20.0, 5.0]);
/// # Ok(()) }
/// ```
///
/// A kernel that returns its element makes a column the key of a sort, or of groups:
///
/// ```
/// # use ikra::prelude::*;
/// # #[soa_class] pub struct Car { pub speed: f32 }
/// #[soa_methods]
/// impl Car {
///     #[kernel]
///     pub fn delay(&self, limit: f32) -> f32 { limit - self.speed }
///     #[kernel]
///     pub fn element(&self, of: Of<u32>) -> u32 { *of }
/// }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// # town.cars.extend([30.0, 45.0].map(|speed| Car { speed }))?;
/// let minutes = town.map(Car::delay, 50.0).map(|delay| delay as u32).column();
/// town.sort_by_key(Car::element, &minutes)?;
/// assert_eq!(town.cars.column(car::speed), [45.0, 30.0]);
/// # Ok(()) }
/// ```
///
/// Invariant: there are `count` values; and as many ids, if `is_range` is 0.
#[repr(C)]
pub struct Mapped<C, T> {
    /// The indices of the objects, unless they are consecutive.
    ids: Words,
    values: Elements<T>,
    /// The index of the first object, if they are consecutive.
    first: u32,
    count: u32,
    /// Whether they are consecutive, 1 or 0.
    is_range: u32,
    made: Made,
    class: PhantomData<fn() -> C>,
}

/// The element of a [`Mapped`] column for the object of the call: the type of a kernel's parameter. The kernel takes the
/// column, `&Mapped<Class, T>`.
///
/// See [`Mapped`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Of<T>(pub T);

impl<T> Deref for Of<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<C: Class, T: Copy> Mapped<C, T> {
    /// The element of an object, as methods take it. Kernels' arguments become this by themselves; it serves calls of
    /// methods in sequential code.
    ///
    /// # Panics
    ///
    /// If it has no element for the object; if it is of another world, or if objects of the class were removed or got
    /// other ids since it was made.
    #[inline(always)]
    #[track_caller]
    pub fn seen_by<'w, O: Object<'w, Class = C>>(&self, object: &O) -> Of<T> {
        let handle = object.handle();
        if self.made.is_stale(handle.place_of::<C>().changed()) {
            stale_column(C::NAME);
        }
        let index = handle.index() as u32;
        match self.place(index) {
            // SAFETY: `place` returns numbers below `count`, which is the number of values.
            Some(n) => Of(unsafe { self.values.get(n) }),
            None => no_element(C::NAME, index + 1),
        }
    }

    /// The position of an object's value.
    #[inline(always)]
    fn place(&self, index: u32) -> Option<u32> {
        if self.is_range != 0 {
            let n = index.wrapping_sub(self.first);
            return if n < self.count { Some(n) } else { None };
        }
        let (mut first, mut end) = (0, self.count);
        while first < end {
            let middle = first + (end - first) / 2;
            // SAFETY: `middle` is below `end`, which is at most the number of ids.
            if unsafe { self.ids.get(middle) } < index {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        // SAFETY: `first` is below the number of ids.
        if first < self.count && unsafe { self.ids.get(first) } == index { Some(first) } else { None }
    }
}

impl<C: Class, T> fmt::Debug for Mapped<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped").field("class", &C::NAME).field("count", &self.count).finish_non_exhaustive()
    }
}
