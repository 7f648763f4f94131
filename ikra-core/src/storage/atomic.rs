//! `#[atomic]` fields: the only way to change another object.

mod column;
mod values;

use core::fmt;
use core::marker::PhantomData;
use core::ptr;

use crate::alone;
use crate::class::ClassId;
use crate::facts::Facts;
use crate::moves::{Change, Moves};
use crate::order::{AtomicOwner, Lent, Operation, assert_allowed, is_left_alone, is_own_alone};
use crate::panics::{not_its_own, young_link};
use crate::phase::Phase;
use crate::target::cells::{self, Relaxed};
use crate::value::{Fixed, Value};

pub use column::AtomicColumn;
pub use values::AtomicValue;
pub(crate) use values::{encoded, sealed};

/// An `#[atomic]` field of an object, as its view and its refs show it.
///
/// All operations are relaxed. They are never torn or lost, and do not order accesses to other fields. Only their own
/// order is left to chance. A kernel may therefore combine them only where every order gives the same result. Each
/// field has one of these rules in each kernel:
///
/// | the kernel | may |
/// | --- | --- |
/// | loads it | [`load`](Self::load), of any object |
/// | updates it | call one of `add` (with `sub`), `min`, `max`, `or`, `and`, of any object, and nothing else |
/// | uses its own only | call any operation on the field of its own object, and none on another object's |
/// | has `#[kernel(unordered(field))]` | call any operation: you ensure that every order gives the same result |
///
/// Anything else does not compile (`cargo build` reports it, `cargo check` does not). If a method updates a field and a
/// later one loads it, put the two into two kernels. Updates return nothing, and neither does [`claim`](Self::claim),
/// of links. `fetch_add` and the other methods that begin with `fetch_` return the previous value, which depends on the
/// order of the threads. Sequential code may call any operation.
///
/// The macro finds a kernel's operations in its text, by the names of fields. It cannot see an operation in a function
/// of yours that takes an `Atomic`, or in a method of another class. List such operations in
/// `#[kernel(updates(add(field)))]`; the compiler tells you when.
///
/// If one thread runs a kernel, because there is only one or because there are few objects, no operation uses an atomic
/// instruction. A kernel's methods can therefore not send an `Atomic`, a ref or an inner array to other threads.
///
/// Floating-point additions round, so their order shows: use a [`Fixed`](crate::value::Fixed), a reduction, or
/// `unordered`. Minimum and maximum do not round. Here -0.0 is less than 0.0, and a number is preferred to NaN. Of two
/// NaNs, the one with the smaller bits is preferred.
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
///         self.favourite.visits().add(1);
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
///
/// Who is infected in this kernel would depend on who was treated first:
///
/// ```compile_fail
/// # use ikra::prelude::*;
/// # #[soa_class] pub struct Person { #[atomic] pub infected: bool, pub next: Link<Person> }
/// # #[soa_world] pub struct Town { pub people: Objects<Person> }
/// #[soa_methods]
/// impl Person {
///     #[kernel]
///     pub fn infect(&mut self) {
///         if self.next.infected().load() { self.infected.store(true); }
///     }
/// }
/// # fn main() { Town::new().execute(Person::infect, ()); }
/// ```
#[rustfmt::skip]
pub struct Atomic<'w, T: AtomicValue, A: AtomicOwner> { // in signatures write `Atomic<'_, u32, impl ikra::AtomicOwner>`
    pub(crate) cell: &'w T::Cell,
    /// The known facts about the object: whether one thread runs the kernel.
    facts: Facts,
    /// Whether it is in a view that a ref lent. The atomics of refs are of any object, and do not set this.
    lent: A::Lent,
    /// Makes it `Send` and `Sync` only where the access is.
    place: PhantomData<A>,
}

/// Whether a kernel makes objects of one of these classes.
pub(super) const fn makes_some<P: Phase>(classes: &[ClassId]) -> bool {
    let mut n = 0;
    while n < classes.len() {
        if P::EFFECTS.spawns(classes[n]) {
            return true;
        }
        n += 1;
    }
    false
}

#[inline(never)]
#[track_caller]
pub(super) fn assert_no_young<T: Value>(value: T) {
    for &class in T::LINKS_TO {
        let remapped = value.remapped(Moves::new(&[Change::young(class)]));
        if remapped.is_none_or(|remapped| !value.same(&remapped)) {
            young_link(class.name());
        }
    }
}

impl<T: AtomicValue, A: AtomicOwner> Copy for Atomic<'_, T, A> {}
impl<T: AtomicValue, A: AtomicOwner> Clone for Atomic<'_, T, A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: AtomicValue + fmt::Debug, A: AtomicOwner> fmt::Debug for Atomic<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.load().fmt(f)
    }
}

impl<'w, T: AtomicValue, A: AtomicOwner> Atomic<'w, T, A> {
    /// The atomic at an address.
    ///
    /// # Safety
    ///
    /// 1. A `T` is at the address, and is accessed only as its cell as long as the result lives.
    /// 2. The facts are true.
    /// 3. Unless `lent` marks it as any object's, it belongs to the object that the code in phase `A::Phase` runs for.
    #[inline(always)]
    pub(crate) unsafe fn at(address: *mut T, facts: Facts, lent: A::Lent) -> Self {
        const { assert!(size_of::<T>() == size_of::<T::Cell>() && align_of::<T>() == align_of::<T::Cell>()) };
        // SAFETY: by 1; the cell has the size, alignment and bytes of the value.
        Self { cell: unsafe { &*address.cast::<T::Cell>() }, facts, lent, place: PhantomData }
    }

    /// The atomic in a view that is lent: of any object.
    #[inline(always)]
    fn lent(self) -> Self {
        Self { lent: A::Lent::LENT, ..self }
    }

    /// Panics if the kernel may use only its own object's field, and this is in a view that a ref lent.
    ///
    /// Each operation calls it before it accesses the cell. In a kernel's own view the answer is a constant.
    #[inline(always)]
    #[track_caller]
    fn assert_own(self) {
        if const { is_own_alone::<A>() } && self.lent.is_lent() {
            not_its_own::<A::Class>(A::Phase::EFFECTS.kernel(), A::FIELD);
        }
    }

    /// Panics if the value has a link to an object that the kernel makes: its number depends on threads.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn assert_exists(self, value: T) {
        if const { makes_some::<A::Phase>(T::LINKS_TO) } {
            assert_no_young(value);
        }
    }

    /// Whether no other thread changes the value: one thread runs the kernel, or the kernel's rule excludes changes.
    #[inline(always)]
    pub(crate) fn is_left_alone(self) -> bool {
        (const { alone::pays::<A::Phase>() } && self.facts.is_alone()) || const { is_left_alone::<A>() }
    }

    /// The value's address, for accesses while no other thread changes it: a cell has its size, alignment and bytes.
    #[inline(always)]
    fn plain(self) -> *mut T {
        ptr::from_ref(self.cell).cast::<T>().cast_mut()
    }

    /// The value.
    #[inline(always)]
    #[track_caller]
    pub fn load(self) -> T {
        const { assert_allowed::<A>(Operation::Load) };
        self.assert_own();
        if self.is_left_alone() {
            // The compiler may merge a plain load with others, and the device's caches serve it.
            // SAFETY: either one thread runs the kernel, and it is this one: the kernel's code cannot assume that its
            // phase, and so the atomic, is `Send`. Or no other thread changes the value meanwhile (I23), by the
            // kernel's rule, which each operation on the field asserts. Under the rule `Own` this is the field of the
            // kernel's own object, as was just asserted.
            return unsafe { self.plain().read() };
        }
        T::load(self.cell)
    }

    /// Replaces the value.
    #[inline(always)]
    #[track_caller]
    pub fn store(self, value: T) {
        const { assert_allowed::<A>(Operation::Store) };
        self.assert_own();
        self.assert_exists(value);
        if self.is_left_alone() {
            // A GPU takes seven times as long for a kernel that loads the field and then stores it atomically.
            // SAFETY: as for a load. The kernel's rule allows stores only to its own object's field, so no other thread
            // reads the value meanwhile (I23). Nor is the atomic of such a field `Send`.
            unsafe { self.plain().write(value) };
            return;
        }
        T::store(self.cell, value);
    }

    /// Replaces the value and returns the previous one.
    #[inline(always)]
    #[track_caller]
    pub fn swap(self, value: T) -> T {
        const { assert_allowed::<A>(Operation::Exchange) };
        self.assert_exists(value);
        self.update(|_| value, |cell| T::swap(cell, value))
    }

    /// Replaces the value by `new` if it is `current`, and returns the previous one.
    ///
    /// # Errors
    ///
    /// The value, if it differed from `current`. Floating-point values are compared by their bits.
    #[inline(always)]
    #[track_caller]
    pub fn compare_exchange(self, current: T, new: T) -> Result<T, T> {
        const { assert_allowed::<A>(Operation::Exchange) };
        self.assert_own();
        self.assert_exists(new);
        if self.is_left_alone() {
            let before = self.change(|before| before.same(&current).then_some(new));
            return if before.same(&current) { Ok(before) } else { Err(before) };
        }
        T::compare_exchange(self.cell, current, new)
    }

    /// Replaces the value by `new(value)`, as the operation `atomic` does in one step, and returns the previous one.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn update(self, new: impl Fn(T) -> T, atomic: impl FnOnce(&T::Cell) -> T) -> T {
        self.assert_own();
        if self.is_left_alone() { self.change(|before| Some(new(before))) } else { atomic(self.cell) }
    }

    /// Replaces the value by `f(value)` while `f` returns one, and returns the previous value.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn change(self, f: impl Fn(T) -> Option<T>) -> T {
        self.assert_own();
        if self.is_left_alone() {
            // SAFETY: as for a load.
            let before = unsafe { self.plain().read() };
            if let Some(new) = f(before) {
                // SAFETY: as for a store.
                unsafe { self.plain().write(new) };
            }
            return before;
        }
        let mut current = T::load(self.cell);
        while let Some(new) = f(current) {
            match T::compare_exchange(self.cell, current, new) {
                Ok(before) => return before,
                Err(actual) => current = actual,
            }
        }
        current
    }
}

/// The type of an update's argument: the type of the value, if no other is given.
macro_rules! argument {
    ($ty:ty) => {
        $ty
    };
    ($ty:ty, $arg:ty) => {
        $arg
    };
}
pub(crate) use argument;

/// Update methods for some types: one variant returns nothing, the other the previous value.
///
/// Their assertions are part of the arguments here, so that compiler errors show them rather than a macro.
macro_rules! updates {
    (@of [$($generics:tt)*] $ty:ty; { $($(#[$doc:meta])* $update:ident $check:block $fetch:ident $check_value:block
        |$atomic:ident, $value:ident $(: $arg:ty)?| $do:expr;)* }) => {
        impl<$($generics)* A: AtomicOwner> Atomic<'_, $ty, A> { $(
            $(#[$doc])*
            #[inline(always)]
            #[track_caller]
            pub fn $update(self, value: argument!($ty $(, $arg)?)) {
                $check;
                let ($atomic, $value) = (self, value);
                let _ = $do;
            }
            $(#[$doc])*
            ///
            /// Returns the previous value.
            #[inline(always)]
            #[track_caller]
            pub fn $fetch(self, value: argument!($ty $(, $arg)?)) -> $ty {
                $check_value;
                let ($atomic, $value) = (self, value);
                $do
            }
        )* }
    };
    ($generics:tt $($ty:ty),+; $updates:tt) => { $( updates!(@of $generics $ty; $updates); )+ };
}
pub(crate) use updates;

updates! { [] u32, i32, u64, i64; {
    /// Adds, wrapping around.
    add { const { assert_allowed::<A>(Operation::Add) } }
    fetch_add { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(|before| before.wrapping_add(value), |cell| cell.fetch_add(value, Relaxed));
    /// Subtracts, wrapping around.
    sub { const { assert_allowed::<A>(Operation::Add) } }
    fetch_sub { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(|before| before.wrapping_sub(value), |cell| cell.fetch_sub(value, Relaxed));
    /// Stores the lesser of both.
    min { const { assert_allowed::<A>(Operation::Min) } }
    fetch_min { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(|before| before.min(value), |cell| cell.fetch_min(value, Relaxed));
    /// Stores the greater of both.
    max { const { assert_allowed::<A>(Operation::Max) } }
    fetch_max { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(|before| before.max(value), |cell| cell.fetch_max(value, Relaxed));
    /// Stores the bitwise or of both.
    or { const { assert_allowed::<A>(Operation::Or) } }
    fetch_or { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(|before| before | value, |cell| cell.fetch_or(value, Relaxed));
    /// Stores the bitwise and of both.
    and { const { assert_allowed::<A>(Operation::And) } }
    fetch_and { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(|before| before & value, |cell| cell.fetch_and(value, Relaxed));
} }

updates! { [] bool; {
    /// Stores `self | value`.
    or { const { assert_allowed::<A>(Operation::Or) } }
    fetch_or { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(|before| before | value, |cell| cell.fetch_or(value, Relaxed));
    /// Stores `self & value`.
    and { const { assert_allowed::<A>(Operation::And) } }
    fetch_and { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(|before| before & value, |cell| cell.fetch_and(value, Relaxed));
} }

updates! { [const F: u32,] Fixed<F>; {
    /// Adds, wrapping around. The sum is exact, so every order gives the same result.
    add { const { assert_allowed::<A>(Operation::Add) } }
    fetch_add { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(
        |before| Fixed::from_bits(before.to_bits().wrapping_add(value.to_bits())),
        |cell| Fixed::from_bits(cell.fetch_add(value.to_bits(), Relaxed)),
    );
    /// Subtracts, wrapping around. The difference is exact, so every order gives the same result.
    sub { const { assert_allowed::<A>(Operation::Add) } }
    fetch_sub { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value| atomic.update(
        |before| Fixed::from_bits(before.to_bits().wrapping_sub(value.to_bits())),
        |cell| Fixed::from_bits(cell.fetch_sub(value.to_bits(), Relaxed)),
    );
    /// Stores the lesser of both.
    min { const { assert_allowed::<A>(Operation::Min) } }
    fetch_min { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value|
        atomic.update(|before| before.min(value), |cell| Fixed::from_bits(cell.fetch_min(value.to_bits(), Relaxed)));
    /// Stores the greater of both.
    max { const { assert_allowed::<A>(Operation::Max) } }
    fetch_max { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value|
        atomic.update(|before| before.max(value), |cell| Fixed::from_bits(cell.fetch_max(value.to_bits(), Relaxed)));
} }

/// Floating-point addition: an instruction on the device, compare and exchange on the host.
macro_rules! floats {
    ($($ty:ident $add:ident;)*) => { $(
        impl<A: AtomicOwner> Atomic<'_, $ty, A> {
            /// Adds and returns the previous value, without checking the kernel's rule.
            #[inline(always)]
            #[track_caller]
            fn sum(self, value: $ty) -> $ty {
                self.assert_own();
                let add = || self.change(|current| Some(current + value));
                if self.is_left_alone() { add() } else { cells::$add(self.cell, value, add) }
            }
        }
    )* };
}

/// Whether a value is preferred to another: numbers to NaN, and of two NaNs the one with the smaller bits. Two numbers
/// are compared. This orders all bit patterns, so the best of several values does not depend on their order.
macro_rules! precedes {
    ($value:ident, $current:ident, $compared:expr) => {
        match ($value.is_nan(), $current.is_nan()) {
            (false, false) => $compared,
            (true, true) => $value.to_bits() < $current.to_bits(),
            (value_is_nan, _) => !value_is_nan,
        }
    };
}

floats! {
    f32 add_f32;
    f64 add_f64;
}

updates! { [] f32, f64; {
    /// Adds. The sum of several threads' additions depends on their order, as floating-point sums do. A kernel that
    /// adds to other objects must have `unordered(field)`. (On the device, such an addition of `f32` treats subnormal
    /// numbers as 0.)
    add { const { assert_allowed::<A>(Operation::AddFloat) } }
    fetch_add { const { assert_allowed::<A>(Operation::AddFloat) } }
    |atomic, value| atomic.sum(value);
    /// Subtracts, with the same restriction as additions.
    sub { const { assert_allowed::<A>(Operation::AddFloat) } }
    fetch_sub { const { assert_allowed::<A>(Operation::AddFloat) } }
    |atomic, value| atomic.sum(-value);
    /// Stores the lesser of both. -0.0 is less than 0.0, and NaN is greater than any number.
    min { const { assert_allowed::<A>(Operation::Min) } }
    fetch_min { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value|
        atomic.change(|current| precedes!(value, current, value.total_cmp(&current).is_lt()).then_some(value));
    /// Stores the greater of both. -0.0 is less than 0.0, and NaN is less than any number.
    max { const { assert_allowed::<A>(Operation::Max) } }
    fetch_max { const { assert_allowed::<A>(Operation::Exchange) } }
    |atomic, value|
        atomic.change(|current| precedes!(value, current, value.total_cmp(&current).is_gt()).then_some(value));
} }
