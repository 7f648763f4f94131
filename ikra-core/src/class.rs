//! Classes: the facts about a struct that `#[soa_class]` gives the runtime.

use core::fmt::Debug;

use crate::handle::{Assigned, Handle, Own};
pub use crate::info::*;
use crate::layout::Layout;
use crate::phase::Phase;
use crate::storage::{FieldTuple, Storage};

/// A struct under `#[soa_class]`: its objects are stored column by column.
///
/// Only the attribute implements it.
///
/// ```
/// use ikra::{Class, prelude::*};
///
/// #[soa_class(capacity = 100)]
/// pub struct Body { pub mass: f32 }
///
/// fn describe<C: Class>() -> String {
///     format!("{}: {} fields, capacity {:?}", C::NAME, C::FIELDS.len(), C::CAPACITY)
/// }
/// assert_eq!(describe::<Body>(), "Body: 1 fields, capacity Some(100)");
/// ```
///
/// # Safety
///
/// `FIELDS[k]` describes the `k`-th member of `Fields`, further members are `()`, and `LAYOUT` is the kind of `Layout`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a class",
    label = "not under `#[soa_class]`",
    note = "put `#[soa_class]` on the struct"
)]
pub unsafe trait Class: ClassInfo {
    /// `layout = "…"`.
    type Layout: Layout;
    /// The storage of each field, as a tuple, filled up with `()` to a supported length.
    #[doc(hidden)]
    type Fields: FieldTuple<Self>;

    /// The type of `self` in a method: the object's fields as real fields.
    type View<'w, P: Phase>;
    /// Another object, read through getters.
    type Ref<'w, P: Phase>: Copy + Debug;

    /// Takes a row apart.
    #[doc(hidden)]
    fn into_values(self) -> <Self::Fields as FieldTuple<Self>>::Row;
    /// Puts a row together.
    #[doc(hidden)]
    fn from_values(values: <Self::Fields as FieldTuple<Self>>::Row) -> Self;
    /// Makes a view.
    #[doc(hidden)]
    fn to_view<'w, P: Phase>(
        views: <Self::Fields as FieldTuple<Self>>::Views<'w, P>,
        object: Own<'w, Self, P>,
    ) -> Self::View<'w, P>;
    /// Takes a view apart: the fields, and the noted assignments.
    #[doc(hidden)]
    fn from_view<'w, P: Phase>(
        view: Self::View<'w, P>,
    ) -> (<Self::Fields as FieldTuple<Self>>::Views<'w, P>, Assigned<Self>);
    /// Makes a ref.
    #[doc(hidden)]
    fn to_ref<'w, P: Phase>(object: Handle<'w, Self, P>) -> Self::Ref<'w, P>;
    /// Takes a ref apart.
    #[doc(hidden)]
    fn from_ref<'w, P: Phase>(object: Self::Ref<'w, P>) -> Handle<'w, Self, P>;
}

/// The `K`-th field of a class.
///
/// # Safety
///
/// `Storage` is the `K`-th member of `Self::Fields`.
pub unsafe trait Field<const K: usize>: Class {
    /// How the field is stored.
    type Storage: Storage<Self, K>;
}
