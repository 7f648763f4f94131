//! One error for one mistake: what a macro cannot know of a type is asked once.
//!
//! A field's type may be no value, a world's `Objects<X>` may be of something that is no class. Every use of such a
//! type would be an error of its own. So the macros ask with [`Probe`], in one constant, which panics with what to
//! write instead; and they name the type by way of that constant, as what an array of that length consists of. The compiler says
//! nothing more about types that depend on a constant with an error.

use core::marker::PhantomData;

use crate::class::{Class, Field};
use crate::storage::{Storage, Stored};
use crate::value::Value;

/// Tells whether a type without parameters implements a trait: the constants here are found before those of [`No`].
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn() -> T>);

impl<T: Class> Probe<T> {
    /// It is a class.
    pub const IS_CLASS: bool = true;
}

impl<T: Stored> Probe<T> {
    /// It is how a field can be stored.
    pub const IS_STORAGE: bool = true;
}

impl<T: Value> Probe<T> {
    /// What its bytes mean: as [`Value::MEANING`].
    pub const MEANING: u64 = T::MEANING;
}

impl<T: Copy> Probe<T> {
    /// Its values can be copied.
    pub const IS_COPY: bool = true;
}

/// What is so of every type that is not under `#[derive(Value)]`.
pub trait NotDerived {
    /// Nothing is known to be wrong with it. Under the attribute a type has a constant of this name, in whose type is the one
    /// error that says why it is no value.
    const __IS_VALUE: [(); 1] = [()];
}

impl<T: ?Sized> NotDerived for T {}

/// What is so of every type.
pub trait No {
    /// It is not known to be a class.
    const IS_CLASS: bool = false;
    /// It is not known to be how a field can be stored.
    const IS_STORAGE: bool = false;
    /// It is no value, and not passed to the device.
    const MEANING: u64 = 0;
    /// It is not known that its values can be copied.
    const IS_COPY: bool = false;
}

impl<T> No for Probe<T> {}

/// What a view shows for a class's `K`-th field.
pub type FieldView<'w, P, C, const K: usize> = <<C as Field<K>>::Storage as Storage<C, K>>::View<'w, P>;

/// What a getter shows for it.
pub type FieldSeen<'w, P, C, const K: usize> = <<C as Field<K>>::Storage as Storage<C, K>>::Seen<'w, P>;
