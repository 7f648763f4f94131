//! Items for the code of `#[derive(Trace)]`.

use std::marker::PhantomData;

pub use ikra_core::class::Class;
pub use ikra_core::column::Column;
pub use ikra_core::dispatch::AnyLink;
pub use ikra_core::link::Link;
use ikra_core::message::same;
use ikra_core::value::Value;

pub use crate::back::{Back, Context};
pub use crate::code::{FieldCode, VariantCode, any_link, only};
pub use crate::error::At;
pub use crate::held::{NewObject, UntypedLink};
pub use crate::store::Columns;
pub use crate::tracer::Tracer;

/// A copy of a value.
pub fn copied<T: Value>(value: &T) -> T {
    *value
}

/// Tells whether two types are the same: the constant here takes precedence over that of [`Differ`].
#[derive(Debug)]
pub struct Two<A, B>(PhantomData<fn(A, B)>);

impl<A> Two<A, A> {
    /// They are.
    pub const SAME: bool = true;
}

/// The answer for types that differ.
pub trait Differ {
    /// They are not.
    const SAME: bool = false;
}
impl<A, B> Differ for Two<A, B> {}

/// The number of the field with this name; 0 if there is none, which is an error where the row is made.
pub const fn field_named<C: Class>(name: &str) -> usize {
    let mut field = 0;
    while field < C::FIELDS.len() {
        if same(C::FIELDS[field].name, name) {
            return field;
        }
        field += 1;
    }
    0
}
