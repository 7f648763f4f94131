//! One error for one mistake: a macro checks a type's properties, which it cannot know, once.
//!
//! A field's type may not be a value; a world's `Objects<X>` may have an `X` that is not a class. Every use of such a
//! type would be an error of its own. So the macros check with [`Probe`], in one constant, which panics and suggests a
//! fix. They name the type through that constant, as the element type of an array of that length. The compiler reports
//! nothing more about types that depend on a constant with an error.

use core::marker::PhantomData;

use crate::class::{Class, Field};
use crate::dispatch::Dispatch;
use crate::groups::Groups;
use crate::link::Link;
use crate::mapped::Mapped;
use crate::origin::meaning;
use crate::storage::{Storage, Stored};
use crate::transfer::{Transfer, WireType};
use crate::value::Value;
use crate::worklist::Worklist;

/// Tells whether a type without parameters implements a trait: the constants here take precedence over those of [`No`].
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn() -> T>);

impl<T: Class> Probe<T> {
    /// The type is a class.
    pub const IS_CLASS: bool = true;
}

impl<T: Dispatch> Probe<T> {
    /// The type stands for a trait under `#[soa_dispatch]`.
    pub const IS_DISPATCH: bool = true;
}

impl<T: Stored> Probe<T> {
    /// The type is a field's storage.
    pub const IS_STORAGE: bool = true;
}

impl<T: Value> Probe<T> {
    /// The meaning of its bytes: as [`Value::MEANING`].
    pub const MEANING: u64 = T::MEANING;
}

impl<C: Class, G: Value> Probe<Groups<C, G>> {
    /// The meaning of groups' bytes: of which class, and by which keys.
    pub const MEANING: u64 = meaning("Groups", &[<Link<C> as Value>::MEANING, G::MEANING]);
}

impl<C: Class, T: Value> Probe<Mapped<C, T>> {
    /// The meaning of a column's bytes: of which class, and of which values.
    pub const MEANING: u64 = meaning("Mapped", &[<Link<C> as Value>::MEANING, T::MEANING]);
}

impl<C: Class> Probe<Worklist<C>> {
    /// The meaning of a worklist's bytes: of which class.
    pub const MEANING: u64 = meaning("Worklist", &[<Link<C> as Value>::MEANING]);

    /// Begins a kernel with the worklist that was passed.
    #[inline]
    #[must_use]
    pub fn ready(mut list: Worklist<C>) -> Worklist<C> {
        list.found.ready();
        list
    }
}

impl<T: Transfer> Probe<T> {
    /// The type in which a kernel's results are transferred.
    pub const WIRE: WireType = WireType::of::<T>();
}

impl<T: Copy> Probe<T> {
    /// Its values can be copied.
    pub const IS_COPY: bool = true;
}

/// The defaults for every type that is not under `#[derive(Value)]`.
pub trait NotDerived {
    /// No known error. Under the attribute a type has a constant with this name. Its type has the one error, which
    /// explains why the type is not a value.
    const __IS_VALUE: [(); 1] = [()];
}

impl<T: ?Sized> NotDerived for T {}

/// The defaults for every type.
pub trait No {
    /// The type is not known to be a class.
    const IS_CLASS: bool = false;
    /// The type is not known to stand for a trait.
    const IS_DISPATCH: bool = false;
    /// The type is not known to be a field's storage.
    const IS_STORAGE: bool = false;
    /// The type is not a value, and is not passed to the device.
    const MEANING: u64 = 0;
    /// Results of the type stay on the host.
    const WIRE: WireType = WireType::UNSENT;
    /// It is not known that its values can be copied.
    const IS_COPY: bool = false;

    /// Begins a kernel with an argument that it takes by reference.
    #[inline]
    fn ready<V>(argument: V) -> V {
        argument
    }
}

impl<T> No for Probe<T> {}

/// The type that a view shows for a class's `K`-th field.
pub type FieldView<'w, P, C, const K: usize> = <<C as Field<K>>::Storage as Storage<C, K>>::View<'w, P>;

/// The type that a getter returns for it.
pub type FieldSeen<'w, P, C, const K: usize> = <<C as Field<K>>::Storage as Storage<C, K>>::Seen<'w, P>;
