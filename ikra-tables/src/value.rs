//! The types of fields that tables may have columns of.

use std::any::TypeId;
use std::borrow::Cow;
use std::cell::Cell;

use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer, ToByteSlice};
use ikra_core::class::Class;
use ikra_core::link::Link;
use ikra_core::value::Value;
use ikra_runtime::error::Error;
use ikra_runtime::objects::Objects;
use std::sync::Arc;

use crate::columns::Columns;
use crate::error::TableError;
use crate::number::{Whole, is_number, numbers, rows, truths, whole};
use crate::written::{Links, Written};

/// The type of a field, as columns of a table.
///
/// | field | column |
/// | --- | --- |
/// | `u8` to `u64`, `i8` to `i64`, `f32`, `f64`, `bool` | of this type; any other type of numbers is converted, if all numbers stay the same |
/// | `Link<C>` | the number of a row in the table of class `C`, or a value of this table's key |
/// | `Option<Link<C>>` | the same, or empty |
/// | `ActorLink`, a link of a trait, and its `Option` | two columns, `name_row` and `name_class` |
/// | `[T; N]` | lists of `N`, or columns `pos_0`, `pos_1`, … |
/// | `InnerArray<T>` | lists |
/// | a type of your own under [`TableType`](crate::TableType) | a column per component, or texts |
///
/// A class with a field of another type cannot be read or written:
///
/// ```compile_fail
/// # use ikra::{prelude::*, tables::TableWorld};
/// #[soa_class]
/// pub struct Body { pub mass: u128 }                 // `u128` is no type of a column in a table
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
/// Sim::new().batch::<Body>();
/// ```
///
/// Other types of your own implement [`TableType`](crate::TableType), not this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a column in a table",
    label = "this field cannot be read from a table, or written to one",
    note = "numbers up to 64 bits, `bool`, `Link<Class>`, `Option<Link<Class>>` and arrays of these are; for a struct or an enum under `#[derive(Value)]`, implement `ikra::tables::TableType`"
)]
pub trait TableValue: Clone + Send + Sync + 'static {
    /// Adds the names of the columns from which a field of this name may be read.
    #[doc(hidden)]
    fn names(name: &str, to: &mut Vec<String>);

    /// The values of all rows. If some cannot be read, these rows are noted, and hold any value.
    #[doc(hidden)]
    fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError>;

    /// Adds columns with these values.
    #[doc(hidden)]
    fn write(values: &[Self], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError>;

    /// Values that lie side by side, as the bytes of a column. `None` if a column has other bytes.
    #[doc(hidden)]
    fn bytes(_values: &[Self]) -> Option<&[u8]> {
        None
    }

    /// A column of `len` values that [`bytes`](Self::bytes) returned.
    #[doc(hidden)]
    fn column(_bytes: Buffer, _len: usize) -> Option<ArrayRef> {
        None
    }

    /// The values of a field, if they lie side by side.
    #[doc(hidden)]
    fn slice<C: Class>(_objects: &Objects<C>, _field: usize) -> Result<Option<&[Self]>, Error> {
        Ok(None)
    }
}

/// [`TableValue::slice`] for values.
macro_rules! slice_of_values {
    () => {
        fn slice<X: Class>(objects: &Objects<X>, field: usize) -> Result<Option<&[Self]>, Error> {
            objects.field_slice(field)
        }
    };
}
pub(crate) use slice_of_values;

macro_rules! numbers {
    ($($ty:ident $arrow:ident)*) => { $(
        impl TableValue for $ty {
            fn names(name: &str, to: &mut Vec<String>) {
                to.push(name.to_owned());
            }
            fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError> {
                numbers::<$arrow>(from, name)
            }
            fn write(values: &[Self], name: &str, _: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
                to.add(name, Arc::new(PrimitiveArray::<$arrow>::from_iter_values(values.iter().copied())));
                Ok(())
            }
            fn bytes(values: &[Self]) -> Option<&[u8]> {
                Some(values.to_byte_slice())
            }
            fn column(bytes: Buffer, len: usize) -> Option<ArrayRef> {
                Some(primitive::<$arrow>(bytes, len))
            }
            slice_of_values!();
        }
    )* };
}
numbers! {
    i8 Int8Type i16 Int16Type i32 Int32Type i64 Int64Type
    u8 UInt8Type u16 UInt16Type u32 UInt32Type u64 UInt64Type
    f32 Float32Type f64 Float64Type
}

fn primitive<P: ArrowPrimitiveType>(bytes: Buffer, len: usize) -> ArrayRef {
    Arc::new(PrimitiveArray::<P>::new(ScalarBuffer::new(bytes, 0, len), None))
}

impl TableValue for bool {
    fn names(name: &str, to: &mut Vec<String>) {
        to.push(name.to_owned());
    }
    fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError> {
        truths(from, name).map(Cow::Owned)
    }
    fn write(values: &[Self], name: &str, _: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        to.add(name, Arc::new(BooleanArray::from(values.to_vec())));
        Ok(())
    }
    slice_of_values!();
}

/// The objects that a column's values name, in their order; `None` for empty and for bad ones. `is_empty` is called for
/// the empty ones.
fn links<C: Class>(
    from: &Columns<'_>,
    name: &str,
    is_empty: impl Fn(usize),
) -> Result<Vec<Option<Link<C>>>, TableError> {
    let column = from.column(name)?;
    let mut links = vec![None; column.len()];
    let Some(target) = from.target(TypeId::of::<C>()) else { return Ok(links) };
    if let Some(nulls) = column.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
        (0..nulls.len()).filter(|&n| nulls.is_null(n)).for_each(&is_empty);
    }
    if column.data_type().is_null() {
        return Ok(links);
    }
    if let Some(keys) = &target.keys {
        let found = |n: usize, row: u32| links[n] = Link::from_index(row as usize);
        keys.rows(from, name, target.class, is_empty, found)?;
        return Ok(links);
    }
    if target.holes > 0 {
        return Err(Error::HasHoles { class: target.class, holes: target.holes }.into());
    }
    if !is_number(column.data_type()) && !from.is_text(column) {
        const NEEDED: &str = "the numbers of rows of another table; for other links, name that table's column by `key`";
        return Err(from.wrong_type(name, column.data_type(), NEEDED));
    }
    let are_there = Cell::new(true);
    let link = |row: u32| {
        are_there.set(are_there.get() & target.has(row as usize));
        Link::from_index(row as usize)
    };
    let found = match &*target.removed {
        [] => rows(from, name, column, target.len, |row| Link::from_index(row as usize)),
        _ => rows(from, name, column, target.len, link).filter(|_| are_there.get()),
    };
    if let Some(links) = found {
        return Ok(links);
    }
    let none = |n, shown: &dyn std::fmt::Debug| {
        from.bad(name, n, || format!("there is no row {shown:?} among {} of class {}", target.len, target.class));
    };
    whole(from, name, column, |n, number| match number {
        Whole::Number(row) if usize::try_from(row).is_ok_and(|row| target.has(row)) => {
            links[n] = Link::from_index(row as usize);
        }
        Whole::Number(row) => none(n, &row),
        Whole::Large(row) => none(n, &row),
        Whole::Fraction(row) => none(n, &row),
        Whole::Empty if column.is_null(n) => {}
        // Not a number.
        Whole::Empty => is_empty(n),
    })?;
    Ok(links)
}

impl<C: Class> TableValue for Link<C> {
    fn names(name: &str, to: &mut Vec<String>) {
        to.push(name.to_owned());
    }
    fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError> {
        let empty = |n| from.bad(name, n, || "empty; only fields of type `Option<Link<_>>` may be".to_owned());
        let links = links::<C>(from, name, empty)?;
        Ok(Cow::Owned(links.into_iter().map(|link| link.unwrap_or(Link::at(0))).collect()))
    }
    fn write(values: &[Self], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        to.add(name, links.column::<C>(values, None)?);
        Ok(())
    }
    slice_of_values!();
}

impl<C: Class> TableValue for Option<Link<C>> {
    fn names(name: &str, to: &mut Vec<String>) {
        to.push(name.to_owned());
    }
    fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError> {
        links::<C>(from, name, |_| ()).map(Cow::Owned)
    }
    fn write(values: &[Self], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        let is_there = BooleanBuffer::collect_bool(values.len(), |n| values[n].is_some());
        let nulls = NullBuffer::new(is_there);
        to.add_optional(name, links.column::<C>(values, Some(nulls).filter(|nulls| nulls.null_count() > 0))?);
        Ok(())
    }
    slice_of_values!();
}

/// The filler of a class's tuple of fields, which is not a field.
impl TableValue for () {
    fn names(_: &str, _: &mut Vec<String>) {}
    fn read<'a>(from: &Columns<'a>, _: &str) -> Result<Cow<'a, [Self]>, TableError> {
        Ok(Cow::Owned(vec![(); from.len()]))
    }
    fn write(_: &[Self], _: &str, _: &Links<'_>, _: &mut Written) -> Result<(), TableError> {
        Ok(())
    }
}

/// A placeholder for values that cannot be read.
pub(crate) fn placeholders<T: Value>(len: usize) -> Vec<T> {
    vec![T::PLACEHOLDER; len]
}
