//! Classes: what `#[soa_class]` tells the runtime about a struct.

use core::fmt::Debug;

use crate::handle::{Assigned, Handle, Own};
pub use crate::info::*;
use crate::layout::Layout;
use crate::phase::Phase;
use crate::storage::{FieldTuple, Storage};
use crate::table::BaseSet;
#[cfg(not(target_arch = "nvptx64"))]
use crate::table::TargetSlot;

/// A struct under `#[soa_class]`: its objects are stored column by column.
///
/// Implemented by the attribute only.
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
/// 1. `FIELDS[k]` describes the `k`-th member of `Fields`, further members are `()`, and `LAYOUT` is the kind of `Layout`.
/// 2. `Bases` is an array with one element per physical column and one for the arena, `Targets` one with one element per
///    class that a field links to, field by field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a class",
    label = "not under `#[soa_class]`",
    note = "put `#[soa_class]` on the struct"
)]
pub unsafe trait Class: ClassInfo {
    /// `layout = "…"`.
    type Layout: Layout;
    /// Where its columns start.
    #[doc(hidden)]
    type Bases: BaseSet;
    /// A word of the class's table in constant memory.
    #[doc(hidden)]
    #[cfg(target_arch = "nvptx64")]
    fn constant(word: usize) -> u64;
    /// The number of objects.
    #[doc(hidden)]
    #[cfg(target_arch = "nvptx64")]
    fn count() -> u32;
    #[doc(hidden)]
    #[cfg(not(target_arch = "nvptx64"))]
    type Targets: AsRef<[TargetSlot]> + Send + Sync + 'static;
    #[doc(hidden)]
    #[cfg(not(target_arch = "nvptx64"))]
    const TARGETS: Self::Targets;
    /// The storage of each field, as a tuple, filled up by `()` to a length for which there are tuples.
    #[doc(hidden)]
    type Fields: FieldTuple<Self>;

    /// What a method sees as `self`: the object's fields as real fields.
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
    /// Takes a view apart: what it shows, and what was noted of assignments.
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
