//! The values that an `#[atomic]` field may hold, and their cells.

use crate::info::Number;
use crate::target::cells::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, Relaxed};
use crate::value::Fixed;

/// A value that an `#[atomic]` field may hold: `u32`, `i32`, `u64`, `i64`, `f32`, `f64`, `bool`,
/// [`Fixed`](crate::value::Fixed), `Link` and `Option<Link>`. An enum is stored as its number, in a `u32`.
///
/// ```
/// use ikra::prelude::*;
/// use ikra::{AtomicOwner, AtomicValue};
///
/// fn raise<T: AtomicValue>(field: Atomic<'_, T, impl AtomicOwner>, to: T) -> T { field.swap(to) }
///
/// # #[soa_class] pub struct Body { #[atomic] pub hits: u32 }
/// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sim = Sim::new();
/// let body = sim.bodies.push(Body { hits: 3 })?;
/// assert_eq!(raise(sim.get(body).hits(), 5), 3);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an `#[atomic]` field",
    label = "not an atomic value",
    note = "atomic fields are `u32`, `i32`, `u64`, `i64`, `f32`, `f64`, `bool`, `ikra::Fixed`, `Link<C>` or `Option<Link<C>>`; store an enum as its number"
)]
pub trait AtomicValue: sealed::Cell {}

/// Unsafe code trusts the choice of the cell for a value, so the trait is sealed.
pub(crate) mod sealed {
    use crate::info::Number;
    use crate::value::Value;

    /// How a value is accessed as an atomic.
    pub trait Cell: Value {
        /// The atomic with the same size, alignment and bytes.
        type Cell: Sync + 'static;
        /// The number that it holds.
        const NUMBER: Number;
        fn load(cell: &Self::Cell) -> Self;
        fn store(cell: &Self::Cell, value: Self);
        fn swap(cell: &Self::Cell, value: Self) -> Self;
        fn compare_exchange(cell: &Self::Cell, current: Self, new: Self) -> Result<Self, Self>;
    }
}

/// An atomic over the cell with the same name.
macro_rules! plain {
    ($($ty:ident $cell:ident $number:ident;)*) => { $(
        impl AtomicValue for $ty {}
        impl sealed::Cell for $ty {
            type Cell = $cell;
            const NUMBER: Number = Number::$number;
            #[inline(always)]
            fn load(cell: &$cell) -> Self {
                cell.load(Relaxed)
            }
            #[inline(always)]
            fn store(cell: &$cell, value: Self) {
                cell.store(value, Relaxed);
            }
            #[inline(always)]
            fn swap(cell: &$cell, value: Self) -> Self {
                cell.swap(value, Relaxed)
            }
            #[inline(always)]
            fn compare_exchange(cell: &$cell, current: Self, new: Self) -> Result<Self, Self> {
                cell.compare_exchange(current, new, Relaxed, Relaxed)
            }
        }
    )* };
}

plain! {
    u32 AtomicU32 U32;
    i32 AtomicI32 I32;
    u64 AtomicU64 U64;
    i64 AtomicI64 I64;
    bool AtomicBool Bool;
}

/// An atomic over an integer cell, by a bijection between values and integers.
macro_rules! encoded {
    ([$($generics:tt)*] $ty:ty, $cell:ident $number:ident, |$value:ident| $encode:expr, |$bits:ident| $decode:expr) => {
        impl<$($generics)*> AtomicValue for $ty {}
        impl<$($generics)*> sealed::Cell for $ty {
            type Cell = $cell;
            const NUMBER: crate::info::Number = crate::info::Number::$number;
            #[inline(always)]
            fn load(cell: &$cell) -> Self {
                let $bits = cell.load(Relaxed);
                $decode
            }
            #[inline(always)]
            fn store(cell: &$cell, $value: Self) {
                cell.store($encode, Relaxed);
            }
            #[inline(always)]
            fn swap(cell: &$cell, $value: Self) -> Self {
                let $bits = cell.swap($encode, Relaxed);
                $decode
            }
            #[inline(always)]
            fn compare_exchange(cell: &$cell, current: Self, new: Self) -> Result<Self, Self> {
                let encode = |$value: Self| $encode;
                let decode = |$bits| $decode;
                cell.compare_exchange(encode(current), encode(new), Relaxed, Relaxed)
                    .map(decode)
                    .map_err(decode)
            }
        }
    };
}

pub(crate) use encoded;

encoded!([] f32, AtomicU32 F32, |value| value.to_bits(), |bits| f32::from_bits(bits));
encoded!([] f64, AtomicU64 F64, |value| value.to_bits(), |bits| f64::from_bits(bits));
encoded!([const F: u32] Fixed<F>, AtomicI64 I64, |value| value.to_bits(), |bits| Fixed::from_bits(bits));
