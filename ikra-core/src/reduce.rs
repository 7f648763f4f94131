//! Reducers: how the results of a kernel for all objects are combined into one.

use core::ops::Range;

/// Accumulators of a chunk: object *n* uses accumulator *n* modulo this number. They are two vector registers on the
/// host, a warp of threads on the device.
pub const ACCUMULATORS: usize = 32;

/// Consecutive objects of a chunk that shares a span with others.
pub const GROUP: usize = 32 * ACCUMULATORS;

/// Chunks of a span, for many objects.
pub const SPAN_CHUNKS: usize = 16;

/// Accumulators for the results of chunks, all of which are combined at once: chunk *n* uses accumulator *n* modulo
/// this number. On the device the shared memory of one block holds them.
pub const fn part_accumulators<T>() -> usize {
    if size_of::<T>() <= 64 { 256 } else { 32 }
}

/// How objects are divided into chunks, whose results are combined first.
///
/// It depends on the number of objects and on the kernel alone. So the order of combination, and with it the rounding of
/// the result, depends neither on the number of threads nor on whether the device runs it.
///
/// Few objects make small chunks, which keep more threads busy: each is a *span* of consecutive objects. Of many objects, a
/// span has [`SPAN_CHUNKS`] chunks, which take turns by [`GROUP`]s. So the threads of a block on the device, each warp of
/// which folds a chunk, read neighbouring memory at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Chunks {
    count: usize,
    /// A power of two: divisions by others take long on a device.
    span: usize,
    of_span: usize,
}

impl Chunks {
    /// The chunks of `count` objects, for a kernel that is or is not heavy, with so many accumulators for the results of
    /// chunks.
    #[inline]
    #[must_use]
    pub const fn new(count: usize, heavy: bool, part_accumulators: usize) -> Self {
        let wanted = count / 8192;
        let len = if heavy || wanted < 256 {
            256
        } else if wanted > 8192 {
            8192
        } else {
            wanted.next_power_of_two()
        };
        // Large results have large accumulators.
        let of_span = if len > GROUP && part_accumulators > 32 { SPAN_CHUNKS } else { 1 };
        Self { count, span: len * of_span, of_span }
    }

    /// The chunks of `count` objects with results of type `T`.
    #[inline]
    #[must_use]
    pub const fn of<T>(count: usize, heavy: bool) -> Self {
        Self::new(count, heavy, part_accumulators::<T>())
    }

    /// The number of consecutive objects of each span but the last.
    #[inline]
    #[must_use]
    pub const fn span(self) -> usize {
        self.span
    }

    /// The number of chunks in each span but the last: 1 or [`SPAN_CHUNKS`].
    #[inline]
    #[must_use]
    pub const fn of_span(self) -> usize {
        self.of_span
    }

    /// The number of spans.
    #[inline]
    #[must_use]
    pub const fn spans(self) -> usize {
        self.count.div_ceil(self.span)
    }

    /// The number of chunks.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        let (whole, rest) = (self.count >> self.span.trailing_zeros(), self.count & (self.span - 1));
        let groups = if self.of_span == 1 { (rest > 0) as usize } else { rest.div_ceil(GROUP) };
        let of_last = if groups < self.of_span { groups } else { self.of_span };
        whole * self.of_span + of_last
    }

    /// Whether there are no objects.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// The objects of a span.
    #[inline]
    #[must_use]
    pub fn range(self, span: usize) -> Range<usize> {
        span * self.span..((span + 1) * self.span).min(self.count)
    }
}

/// Combines values of type `T`, two at a time.
///
/// The executor folds the objects of fixed-size chunks into a fixed number of accumulators, and combines those in a
/// fixed order. So the result does not depend on the number of threads. The executor does reorder: `combine` must be
/// associative and commutative, up to rounding.
///
/// The order in full: objects come in chunks, whose size depends only on their number and on whether the kernel is
/// heavy. From 2²³ + 8192 objects on, 16 chunks take turns by 1024 objects, unless the kernel is heavy or its result has
/// more than 64 bytes. Within a chunk, the result for object *n* is combined into accumulator *n* mod 32. Each accumulator
/// starts with the identity. Then the second half of the accumulators is combined into the first, and so on until one is
/// left. The results of several chunks are combined in the same way, with 256 accumulators (32 for results of more than 64
/// bytes). For a range or a list, objects count from its start, as if the world had no other objects. After `select`,
/// objects that are not chosen count as the identity: the result is that of a kernel which returns the identity for them.
/// A chain is heavy if one of its kernels is.
///
/// [`Sum`], [`Min`], [`Max`], [`All`] and [`Any`] combine arrays and tuples of up to eight members member by member:
/// the minimum of `(3, 1)` and `(2, 5)` is `(2, 1)`. A reducer of your own finds the minimum as a whole, for example
/// the nearest object and its distance:
///
/// ```
/// use ikra::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Value)]
/// #[repr(C)]
/// pub struct Found { pub distance: f32, pub id: u32 }
///
/// #[derive(Clone, Copy)]
/// pub struct Nearest;
/// impl Reducer<Found> for Nearest {
///     fn identity(&self) -> Found { Found { distance: f32::INFINITY, id: u32::MAX } }
///     fn combine(&self, a: Found, b: Found) -> Found {
///         // The smaller id wins among equals, so that the order does not matter.
///         if (b.distance, b.id) < (a.distance, a.id) { b } else { a }
///     }
/// }
///
/// #[soa_class]
/// pub struct Body { pub pos: f32 }
/// #[soa_methods]
/// impl Body {
///     #[kernel(reduce(Nearest))]
///     pub fn distance(&self, to: f32) -> Found {
///         Found { distance: (self.pos - to).abs(), id: self.link().id() }
///     }
///     #[kernel(reduce(Min, Max))]
///     pub fn bounds(&self) -> (f32, u32) { (self.pos, self.link().id()) }
/// }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.extend([4.0, 1.0, 2.0].map(|pos| Body { pos }))?;
/// assert_eq!(sim.execute_and_reduce(Body::distance, 2.5, Nearest), Found { distance: 0.5, id: 3 });
/// assert_eq!(sim.execute_and_reduce(Body::bounds, (), Min), (1.0, 1));
/// assert_eq!(sim.execute_and_reduce(Body::bounds, (), Max), (4.0, 3));
/// # Ok(()) }
/// ```
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
///
/// #[derive(Clone, Copy)]
/// pub struct Product;
/// impl Reducer<f32> for Product {
///     fn identity(&self) -> f32 { 1.0 }
///     fn combine(&self, a: f32, b: f32) -> f32 { a * b }
/// }
///
/// #[soa_methods]
/// impl Body {
///     #[kernel(reduce(Product, Max))]
///     pub fn weight(&self) -> f32 { self.mass }
/// }
///
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.extend([2.0, 3.0, 4.0].map(|mass| Body { mass }))?;
/// assert_eq!(sim.execute_and_reduce(Body::weight, (), Product), 24.0);
/// assert_eq!(sim.execute_and_reduce(Body::weight, (), Max), 4.0);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "reducer `{Self}` cannot combine `{T}`",
    label = "no such reduction",
    note = "`Sum`, `Min`, `Max`, `All` and `Any` combine numbers or `bool`s, and arrays and tuples of them",
    note = "for other types, implement `Reducer<{T}>` for a struct of your own without fields"
)]
pub trait Reducer<T>: Copy + Send + Sync {
    /// Whether every order has the same result, bit for bit, and the identity changes nothing, as for sums of integers. Then
    /// the host takes the fastest order instead of the one above. If that is not so, results depend on the place.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[derive(Clone, Copy)]
    /// pub struct Union;
    /// impl Reducer<u64> for Union {
    ///     const IS_EXACT: bool = true;
    ///     fn identity(&self) -> u64 { 0 }
    ///     fn combine(&self, a: u64, b: u64) -> u64 { a | b }
    /// }
    /// assert!(<Sum as Reducer<u32>>::IS_EXACT && !<Sum as Reducer<f32>>::IS_EXACT);
    /// ```
    const IS_EXACT: bool = false;
    /// The result for no objects.
    fn identity(&self) -> T;
    /// The combined result of two.
    #[must_use]
    fn combine(&self, a: T, b: T) -> T;
}

/// The sum, of arrays and tuples member by member. Integers wrap around in release builds and panic on overflow
/// in debug builds, as `+` does.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # pub struct Body { pub mass: f32 }
/// #[soa_methods]
/// impl Body {
///     #[kernel(reduce(Sum))]
///     pub fn weight(&self) -> f32 { self.mass }
/// }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sim = Sim::new();
/// sim.bodies.extend([1.0, 2.0, 4.0].map(|mass| Body { mass }))?;
/// assert_eq!(sim.execute_and_reduce(Body::weight, (), Sum), 7.0);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum;
/// The minimum; NaN loses against any number, and −0 is less than 0. For no objects, the largest value of the type
/// (infinity for floating point). For arrays and tuples, the minimum of each member.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # pub struct Body { pub mass: f32 }
/// #[soa_methods]
/// impl Body {
///     #[kernel(reduce(Min))]
///     pub fn weight(&self) -> f32 { self.mass }
/// }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sim = Sim::new();
/// sim.bodies.extend([1.0, 2.0, 4.0].map(|mass| Body { mass }))?;
/// assert_eq!(sim.execute_and_reduce(Body::weight, (), Min), 1.0);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Min;
/// The maximum; NaN loses against any number, and −0 is less than 0. For no objects, the smallest value of the type
/// (negative infinity for floating point). For arrays and tuples, the maximum of each member.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # pub struct Body { pub mass: f32 }
/// #[soa_methods]
/// impl Body {
///     #[kernel(reduce(Max))]
///     pub fn weight(&self) -> f32 { self.mass }
/// }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sim = Sim::new();
/// sim.bodies.extend([1.0, 2.0, 4.0].map(|mass| Body { mass }))?;
/// assert_eq!(sim.execute_and_reduce(Body::weight, (), Max), 4.0);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Max;
/// Whether all are true; `true` for no objects.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # pub struct Body { pub mass: f32 }
/// #[soa_methods]
/// impl Body {
///     #[kernel(reduce(All))]
///     pub fn is_heavy(&self) -> bool { self.mass > 1.0 }
/// }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sim = Sim::new();
/// sim.bodies.extend([1.0, 2.0, 4.0].map(|mass| Body { mass }))?;
/// assert_eq!(sim.execute_and_reduce(Body::is_heavy, (), All), false);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct All;
/// Whether any is true; `false` for no objects.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # pub struct Body { pub mass: f32 }
/// #[soa_methods]
/// impl Body {
///     #[kernel(reduce(Any))]
///     pub fn is_heavy(&self) -> bool { self.mass > 1.0 }
/// }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sim = Sim::new();
/// sim.bodies.extend([1.0, 2.0, 4.0].map(|mass| Body { mass }))?;
/// assert_eq!(sim.execute_and_reduce(Body::is_heavy, (), Any), true);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Any;

macro_rules! numbers {
    ($($ty:ident $exact:literal, $zero:expr, $least:expr, $greatest:expr, $min:path, $max:path;)*) => { $(
        impl Reducer<$ty> for Sum {
            const IS_EXACT: bool = $exact;
            #[inline(always)]
            fn identity(&self) -> $ty {
                $zero
            }
            #[inline(always)]
            fn combine(&self, a: $ty, b: $ty) -> $ty {
                a + b
            }
        }
        impl Reducer<$ty> for Min {
            const IS_EXACT: bool = $exact;
            #[inline(always)]
            fn identity(&self) -> $ty {
                $greatest
            }
            #[inline(always)]
            fn combine(&self, a: $ty, b: $ty) -> $ty {
                $min(a, b)
            }
        }
        impl Reducer<$ty> for Max {
            const IS_EXACT: bool = $exact;
            #[inline(always)]
            fn identity(&self) -> $ty {
                $least
            }
            #[inline(always)]
            fn combine(&self, a: $ty, b: $ty) -> $ty {
                $max(a, b)
            }
        }
    )* };
}

numbers! {
    u8 true, 0, u8::MIN, u8::MAX, Ord::min, Ord::max;
    u16 true, 0, u16::MIN, u16::MAX, Ord::min, Ord::max;
    u32 true, 0, u32::MIN, u32::MAX, Ord::min, Ord::max;
    u64 true, 0, u64::MIN, u64::MAX, Ord::min, Ord::max;
    u128 true, 0, u128::MIN, u128::MAX, Ord::min, Ord::max;
    usize true, 0, usize::MIN, usize::MAX, Ord::min, Ord::max;
    i8 true, 0, i8::MIN, i8::MAX, Ord::min, Ord::max;
    i16 true, 0, i16::MIN, i16::MAX, Ord::min, Ord::max;
    i32 true, 0, i32::MIN, i32::MAX, Ord::min, Ord::max;
    i64 true, 0, i64::MIN, i64::MAX, Ord::min, Ord::max;
    i128 true, 0, i128::MIN, i128::MAX, Ord::min, Ord::max;
    f32 false, 0.0, f32::NEG_INFINITY, f32::INFINITY, crate::float::single::min, crate::float::single::max;
    f64 false, 0.0, f64::NEG_INFINITY, f64::INFINITY, crate::float::double::min, crate::float::double::max;
}

/// Component by component.
macro_rules! arrays {
    ($($reducer:ident)*) => { $(
        impl<T: Copy, const N: usize> Reducer<[T; N]> for $reducer
        where
            $reducer: Reducer<T>,
        {
            const IS_EXACT: bool = <Self as Reducer<T>>::IS_EXACT;
            #[inline(always)]
            fn identity(&self) -> [T; N] {
                [Reducer::<T>::identity(self); N]
            }
            #[inline(always)]
            fn combine(&self, a: [T; N], b: [T; N]) -> [T; N] {
                core::array::from_fn(|n| self.combine(a[n], b[n]))
            }
        }
    )* };
}
arrays! { Sum Min Max All Any }

/// Member by member, for each of the reducers.
macro_rules! tuples {
    ($(($($T:ident $k:tt),+))*) => { $(
        tuples! { @each Sum ($($T $k),+) }
        tuples! { @each Min ($($T $k),+) }
        tuples! { @each Max ($($T $k),+) }
        tuples! { @each All ($($T $k),+) }
        tuples! { @each Any ($($T $k),+) }
    )* };
    (@each $reducer:ident ($($T:ident $k:tt),+)) => {
        impl<$($T),+> Reducer<($($T,)+)> for $reducer
        where
            $($reducer: Reducer<$T>),+
        {
            const IS_EXACT: bool = true $(&& <Self as Reducer<$T>>::IS_EXACT)+;
            #[inline(always)]
            fn identity(&self) -> ($($T,)+) {
                ($(Reducer::<$T>::identity(self),)+)
            }
            #[inline(always)]
            fn combine(&self, a: ($($T,)+), b: ($($T,)+)) -> ($($T,)+) {
                ($(self.combine(a.$k, b.$k),)+)
            }
        }
    };
}
tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

macro_rules! bools {
    ($($reducer:ident $identity:literal $operator:tt)*) => { $(
        impl Reducer<bool> for $reducer {
            const IS_EXACT: bool = true;
            #[inline(always)]
            fn identity(&self) -> bool {
                $identity
            }
            #[inline(always)]
            fn combine(&self, a: bool, b: bool) -> bool {
                a $operator b
            }
        }
    )* };
}
bools! { All true & Any false | }
