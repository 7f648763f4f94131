//! `#[atomic]` fields: the one way to change another object.

mod relaxed;

use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::class::{Class, ClassId, ColumnInfo};
use crate::layout::{Get, Set};
use crate::link::Link;
#[cfg(not(target_arch = "nvptx64"))]
use crate::phase::FieldSet;
use crate::phase::Phase;
use crate::storage::{Storage, shown_as_it_is};
use crate::table::{FirstColumn, Table, address, target_of};
use crate::value::{Target, Value};

/// A value that an `#[atomic]` field may hold: `u32`, `i32`, `u64`, `i64`, `f32`, `f64`, `bool`,
/// `Link` and `Option<Link>`.
///
/// ```
/// use ikra::prelude::*;
/// use ikra::AtomicValue;
///
/// fn raise<T: AtomicValue>(field: Atomic<'_, T>, to: T) -> T { field.swap(to) }
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
    note = "atomic fields are `u32`, `i32`, `u64`, `i64`, `f32`, `f64`, `bool`, `Link<C>` or `Option<Link<C>>`"
)]
pub trait AtomicValue: Value + sealed::Sealed {
    /// The standard library's atomic with the same size and bytes.
    #[doc(hidden)]
    type Cell: Sync + 'static;
    #[doc(hidden)]
    fn load(cell: &Self::Cell) -> Self;
    #[doc(hidden)]
    fn store(cell: &Self::Cell, value: Self);
    #[doc(hidden)]
    fn swap(cell: &Self::Cell, value: Self) -> Self;
    #[doc(hidden)]
    fn compare_exchange(cell: &Self::Cell, current: Self, new: Self) -> Result<Self, Self>;
}

/// What unsafe code trusts is which cell stands for a value, so nobody else says that.
mod sealed {
    /// Its cell has the size, alignment and bytes of the value.
    pub trait Sealed {}
}

/// An `#[atomic]` field of an object: what its view and its refs show for it.
///
/// All operations are relaxed: they are never torn and never lost, and say nothing about the order of
/// other fields. Operations whose order does not matter (integer addition, minimum, maximum, `or`,
/// [`claim`](Self::claim)) give the same result with any number of threads; floating-point addition
/// rounds differently in another order.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Shop { #[atomic] pub visits: u32 }
/// #[soa_class]
/// pub struct Visitor { pub favourite: Link<Shop> }
///
/// #[soa_methods]
/// impl Visitor {
///     #[kernel]
///     pub fn visit(&mut self) {
///         self.favourite.visits().fetch_add(1);
///     }
/// }
///
/// #[soa_world]
/// pub struct Town { pub shops: Objects<Shop>, pub visitors: Objects<Visitor> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut town = Town::new();
/// let shop = town.shops.push(Shop { visits: 0 })?;
/// town.visitors.extend((0..100).map(|_| Visitor { favourite: shop }))?;
/// town.execute(Visitor::visit, ());
/// assert_eq!(town.get(shop).visits().load(), 100);
/// # Ok(()) }
/// ```
pub struct Atomic<'w, T: AtomicValue> {
    cell: &'w T::Cell,
}

impl<T: AtomicValue> Copy for Atomic<'_, T> {}
impl<T: AtomicValue> Clone for Atomic<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: AtomicValue + fmt::Debug> fmt::Debug for Atomic<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.load().fmt(f)
    }
}

impl<T: AtomicValue> Atomic<'_, T> {
    /// The atomic at an address.
    ///
    /// # Safety
    ///
    /// There is a `T` there, accessed as its cell only, as long as the result lives.
    #[inline(always)]
    pub(crate) unsafe fn at(address: *mut T) -> Self {
        const { assert!(size_of::<T>() == size_of::<T::Cell>() && align_of::<T>() == align_of::<T::Cell>()) };
        // SAFETY: by the caller; the cell has the size, alignment and bytes of the value.
        Self { cell: unsafe { &*address.cast::<T::Cell>() } }
    }

    /// The value.
    #[inline(always)]
    pub fn load(self) -> T {
        T::load(self.cell)
    }

    /// Replaces the value.
    #[inline(always)]
    pub fn store(self, value: T) {
        T::store(self.cell, value);
    }

    /// Replaces the value and returns the one before.
    #[inline(always)]
    pub fn swap(self, value: T) -> T {
        T::swap(self.cell, value)
    }

    /// Replaces the value by `new` if it is `current`, and returns the one before.
    ///
    /// # Errors
    ///
    /// The value, if it was another than `current`. Floating-point values are compared by their bits.
    #[inline(always)]
    pub fn compare_exchange(self, current: T, new: T) -> Result<T, T> {
        T::compare_exchange(self.cell, current, new)
    }
}

/// An integer atomic over the cell of the same name.
macro_rules! integers {
    ($($ty:ident $cell:ident;)*) => { $(
        impl sealed::Sealed for $ty {}
        impl AtomicValue for $ty {
            type Cell = $cell;
            #[inline(always)]
            fn load(cell: &$cell) -> Self {
                relaxed::Relaxed::get(cell)
            }
            #[inline(always)]
            fn store(cell: &$cell, value: Self) {
                relaxed::Relaxed::put(cell, value);
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

        impl Atomic<'_, $ty> {
            /// Adds, wrapping around, and returns the value before.
            #[inline(always)]
            pub fn fetch_add(self, value: $ty) -> $ty {
                self.cell.fetch_add(value, Relaxed)
            }
            /// Subtracts, wrapping around, and returns the value before.
            #[inline(always)]
            pub fn fetch_sub(self, value: $ty) -> $ty {
                self.cell.fetch_sub(value, Relaxed)
            }
            /// Stores the smaller of both, and returns the value before.
            #[inline(always)]
            pub fn fetch_min(self, value: $ty) -> $ty {
                self.cell.fetch_min(value, Relaxed)
            }
            /// Stores the larger of both, and returns the value before.
            #[inline(always)]
            pub fn fetch_max(self, value: $ty) -> $ty {
                self.cell.fetch_max(value, Relaxed)
            }
            /// Stores the bitwise or of both, and returns the value before.
            #[inline(always)]
            pub fn fetch_or(self, value: $ty) -> $ty {
                self.cell.fetch_or(value, Relaxed)
            }
            /// Stores the bitwise and of both, and returns the value before.
            #[inline(always)]
            pub fn fetch_and(self, value: $ty) -> $ty {
                self.cell.fetch_and(value, Relaxed)
            }
        }
    )* };
}

integers! {
    u32 AtomicU32;
    i32 AtomicI32;
    u64 AtomicU64;
    i64 AtomicI64;
}

impl sealed::Sealed for bool {}
impl AtomicValue for bool {
    type Cell = AtomicBool;
    #[inline(always)]
    fn load(cell: &AtomicBool) -> Self {
        cell.load(Relaxed)
    }
    #[inline(always)]
    fn store(cell: &AtomicBool, value: Self) {
        cell.store(value, Relaxed);
    }
    #[inline(always)]
    fn swap(cell: &AtomicBool, value: Self) -> Self {
        cell.swap(value, Relaxed)
    }
    #[inline(always)]
    fn compare_exchange(cell: &AtomicBool, current: Self, new: Self) -> Result<Self, Self> {
        cell.compare_exchange(current, new, Relaxed, Relaxed)
    }
}

impl Atomic<'_, bool> {
    /// Stores `self | value`, and returns the value before.
    #[inline(always)]
    pub fn fetch_or(self, value: bool) -> bool {
        self.cell.fetch_or(value, Relaxed)
    }
    /// Stores `self & value`, and returns the value before.
    #[inline(always)]
    pub fn fetch_and(self, value: bool) -> bool {
        self.cell.fetch_and(value, Relaxed)
    }
}

/// An atomic over an integer cell, by a bijection of values and integers.
macro_rules! encoded {
    ([$($generics:tt)*] $ty:ty, $cell:ident, |$value:ident| $encode:expr, |$bits:ident| $decode:expr) => {
        impl<$($generics)*> sealed::Sealed for $ty {}
        impl<$($generics)*> AtomicValue for $ty {
            type Cell = $cell;
            #[inline(always)]
            fn load(cell: &$cell) -> Self {
                let $bits = relaxed::Relaxed::get(cell);
                $decode
            }
            #[inline(always)]
            fn store(cell: &$cell, $value: Self) {
                relaxed::Relaxed::put(cell, $encode);
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

encoded!([] f32, AtomicU32, |value| value.to_bits(), |bits| f32::from_bits(bits));
encoded!([] f64, AtomicU64, |value| value.to_bits(), |bits| f64::from_bits(bits));
encoded!([C: Class] Option<Link<C>>, AtomicU32, |value| value.map_or(0, Link::id), |bits| Link::from_id(bits));
encoded!([C: Class] Link<C>, AtomicU32, |value| value.id(), |bits| {
    // Only ids of links are ever stored.
    Link::from_id(bits).unwrap_or(Link::PLACEHOLDER)
});

/// Floating-point operations: additions by an instruction of the device's, all else by compare and
/// exchange.
macro_rules! floats {
    ($($ty:ident $module:ident $class:ident $add:literal;)*) => { $(
        impl Atomic<'_, $ty> {
            /// Adds and returns the value before. The sum of several threads' additions depends on
            /// their order, as floating-point sums do. (On the device an addition of `f32` takes subnormal numbers for 0.)
            #[inline]
            pub fn fetch_add(self, value: $ty) -> $ty {
                #[cfg(not(target_arch = "nvptx64"))]
                return self.update(|current| current + value);
                #[cfg(target_arch = "nvptx64")]
                {
                    let before;
                    // SAFETY: an atomic addition to the cell, which has the type's size and alignment.
                    unsafe {
                        core::arch::asm!(
                            $add,
                            out($class) before,
                            in(reg64) core::ptr::from_ref(self.cell),
                            in($class) value,
                            options(nostack, preserves_flags)
                        );
                    }
                    before
                }
            }
            /// Subtracts and returns the value before.
            #[inline]
            pub fn fetch_sub(self, value: $ty) -> $ty {
                self.fetch_add(-value)
            }
            /// Stores the smaller of both, −0 before 0 and numbers before NaN, and returns the value before.
            #[inline]
            pub fn fetch_min(self, value: $ty) -> $ty {
                self.update(|current| crate::float::$module::min(current, value))
            }
            /// Stores the larger of both, 0 before −0 and numbers before NaN, and returns the value before.
            #[inline]
            pub fn fetch_max(self, value: $ty) -> $ty {
                self.update(|current| crate::float::$module::max(current, value))
            }
        }
    )* };
}
floats! {
    f32 single reg32 "atom.relaxed.gpu.add.f32 {0}, [{1}], {2};";
    f64 double reg64 "atom.relaxed.gpu.add.f64 {0}, [{1}], {2};";
}

impl<T: AtomicValue> Atomic<'_, T> {
    /// Replaces the value by `f` of it, and returns the one before.
    #[inline(always)]
    fn update(self, f: impl Fn(T) -> T) -> T {
        let mut current = self.load();
        loop {
            match self.compare_exchange(current, f(current)) {
                Ok(before) => return before,
                Err(actual) => current = actual,
            }
        }
    }
}

impl<C: Class> Atomic<'_, Option<Link<C>>> {
    /// Stores `link` unless an object with a smaller id is there already, and returns the link
    /// before. Once a kernel is over, the smallest id that claimed has it, with any number of threads.
    #[inline]
    pub fn claim(self, link: Link<C>) -> Option<Link<C>> {
        self.update(|current| Some(current.map_or(link, |holder| holder.min(link))))
    }
}

impl<C: Class> Atomic<'_, Link<C>> {
    /// Stores the link with the smaller id, and returns the one before.
    #[inline]
    pub fn fetch_min(self, link: Link<C>) -> Link<C> {
        self.update(|current| current.min(link))
    }
    /// Stores the link with the larger id, and returns the one before.
    #[inline]
    pub fn fetch_max(self, link: Link<C>) -> Link<C> {
        self.update(|current| current.max(link))
    }
}

/// A field in one column of atomics.
#[derive(Debug)]
pub struct AtomicColumn<T>(PhantomData<fn() -> T>);

/// In place of a run of an atomic column: its elements are accessed one by one.
#[derive(Clone, Copy, Debug)]
pub struct NoRun;

impl<T: Value> Get<T> for NoRun {
    #[inline(always)]
    unsafe fn get(&self, _: usize) -> T {
        <T as Value>::PLACEHOLDER
    }
}

impl<T: Value> Set<T> for NoRun {
    #[inline(always)]
    unsafe fn set(&mut self, _: usize, _: T) {}
}

// SAFETY: one column of cells, each of which is only ever accessed as an atomic.
unsafe impl<T: AtomicValue> Storage for AtomicColumn<T> {
    type Row = T;
    type Value = T;
    type View<'w, P: Phase> = Atomic<'w, T>;
    type Seen<'w, P: Phase> = Atomic<'w, T>;
    type Shared<'a, C: Class> = NoRun;
    type Exclusive<'a, C: Class> = NoRun;
    const COLUMNS: &'static [ColumnInfo] = {
        assert!(size_of::<T>() == size_of::<T::Cell>() && align_of::<T>() <= align_of::<T::Cell>());
        &[ColumnInfo::of::<T::Cell>().holding::<T>()]
    };
    const ATOMIC: bool = true;
    const TARGET: Option<ClassId> = target_of::<T::Target>();
    const TARGET_NAME: &'static str = T::Target::NAME;

    #[inline(always)]
    unsafe fn shared<'a, C: Class, const K: usize>(_: &C::Bases, _: usize, _: usize) -> Self::Shared<'a, C> {
        NoRun
    }

    #[inline(always)]
    unsafe fn exclusive<'a, C: Class, const K: usize>(_: &C::Bases, _: usize, _: usize) -> Self::Exclusive<'a, C> {
        NoRun
    }

    #[inline(always)]
    unsafe fn read<C: Class, const K: usize>(bases: &C::Bases, index: usize) -> T {
        // SAFETY: the element exists by 1, and is only ever accessed as the cell.
        T::load(unsafe { &*address::<C>(bases, <C as FirstColumn<K>>::COLUMN, index).cast::<T::Cell>() })
    }

    #[inline(always)]
    unsafe fn read_for_view<C: Class, const K: usize>(_: &C::Bases, _: usize) -> T {
        // A load that is not used would be done all the same.
        <T as Value>::PLACEHOLDER
    }

    #[inline(always)]
    unsafe fn write<C: Class, const K: usize>(bases: &C::Bases, index: usize, value: T) {
        // SAFETY: there is room by 1; the bytes are initialised when storage is allocated, and any bytes
        // of an integer's or zeroed bool's size are a cell.
        T::store(unsafe { &*address::<C>(bases, <C as FirstColumn<K>>::COLUMN, index).cast::<T::Cell>() }, value);
    }

    #[inline(always)]
    fn to_view<'w, C: Class, P: Phase, const K: usize>(_: T, table: &'w Table<C>, index: usize) -> Atomic<'w, T> {
        #[cfg(not(target_arch = "nvptx64"))]
        if P::SEQUENTIAL {
            table.changed_on_host(const { FieldSet::from_bits(1 << K) });
        }
        // SAFETY: views are made of objects that exist; the element is only ever accessed as the cell.
        Atomic { cell: unsafe { &*table.address(<C as FirstColumn<K>>::COLUMN, index).cast::<T::Cell>() } }
    }

    shown_as_it_is!(T);

    #[inline(always)]
    fn from_view<P: Phase>(_: Atomic<'_, T>) -> T {
        <T as Value>::PLACEHOLDER
    }

    #[inline(always)]
    fn is_own<'w, C: Class, P: Phase, const K: usize>(view: &Atomic<'w, T>, table: &'w Table<C>, index: usize) -> bool {
        core::ptr::eq(view.cell, Self::to_view::<C, P, K>(<T as Value>::PLACEHOLDER, table, index).cell)
    }
}
