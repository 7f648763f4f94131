//! Types of a model's own in tables: structs as a column per component, enums as texts.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, StringArray};
use ikra_core::class::Class;
use ikra_core::message::same;
use ikra_core::storage::Flatten;
use ikra_core::value::Value;
use ikra_runtime::error::Error;
use ikra_runtime::objects::Objects;

use crate::columns::Columns;
use crate::error::{TableError, shown};
use crate::text::texts;
use crate::value::{TableValue, placeholders, slice_of_values};
use crate::written::{Links, Written};

/// Says how a type under `#[derive(Value)]` is in tables: by [`Components`] or by [`Names`].
///
/// ```
/// use ikra::{prelude::*, tables::{Components, Names, TableNames, TableType, TableWorld}};
///
/// #[derive(Clone, Copy, Value)]
/// #[repr(C)]
/// pub struct Colour { pub red: u8, pub green: u8 }
/// impl TableType for Colour { type As = Components; }
///
/// #[derive(Clone, Copy, Value)]
/// #[repr(u8)]
/// pub enum State { Off, On }
/// impl TableType for State { type As = Names; }
/// impl TableNames for State {
///     const NAMES: &'static [(&'static str, Self)] = &[("off", State::Off), ("on", State::On)];
/// }
///
/// #[soa_class]
/// pub struct Light { pub colour: Colour, pub state: State }
/// #[soa_world]
/// pub struct Street { pub lights: Objects<Light> }
///
/// # fn main() -> Result<(), ikra::tables::TableError> {
/// let mut street = Street::new();
/// street.lights.push(Light { colour: Colour { red: 9, green: 7 }, state: State::On })?;
/// let batch = street.batch::<Light>()?;
/// let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
/// assert_eq!(names, ["colour_red", "colour_green", "state"]);
/// # Ok(()) }
/// ```
pub trait TableType: Value {
    /// [`Components`] or [`Names`].
    type As: Conversion<Self>;
}

/// A struct with named fields has a column per field: `colour_red`, `colour_green`. A column `colour` of structs can be
/// read too.
#[derive(Debug)]
pub struct Components;

/// An enum is a column of texts, the names of its variants: [`TableNames`].
#[derive(Debug)]
pub struct Names;

/// The names of an enum's variants in tables. [`TableType`] has an example.
///
/// The names differ, and none is empty: a CSV file has no value there. A world with other names does not compile:
///
/// ```compile_fail
/// use ikra::{prelude::*, tables::{Names, TableNames, TableType, TableWorld}};
///
/// #[derive(Clone, Copy, Value)]
/// #[repr(u8)]
/// pub enum State { Off, On }
/// impl TableType for State { type As = Names; }
/// impl TableNames for State {
///     const NAMES: &'static [(&'static str, Self)] = &[("on", State::Off), ("on", State::On)];
/// }
/// #[soa_class]
/// pub struct Light { pub state: State }
/// #[soa_world]
/// pub struct Street { pub lights: Objects<Light> }
///
/// Street::new().batch::<Light>();
/// ```
///
/// ```compile_fail
/// # use ikra::{prelude::*, tables::{Names, TableNames, TableType, TableWorld}};
/// # #[derive(Clone, Copy, Value)]
/// # #[repr(u8)]
/// # pub enum State { Off, On }
/// # impl TableType for State { type As = Names; }
/// impl TableNames for State {
///     const NAMES: &'static [(&'static str, Self)] = &[("", State::Off), ("on", State::On)];
/// }
/// # #[soa_class]
/// # pub struct Light { pub state: State }
/// # #[soa_world]
/// # pub struct Street { pub lights: Objects<Light> }
/// # Street::new().batch::<Light>();
/// ```
pub trait TableNames: Value {
    /// Each variant with its name.
    const NAMES: &'static [(&'static str, Self)];
}

/// Stops the compiler if two variants have the same name, of which a reader would take one for both; or if a name is empty,
/// as no value is in CSV.
const fn check_names<T: TableNames>() {
    let mut n = 0;
    while n < T::NAMES.len() {
        assert!(!T::NAMES[n].0.is_empty(), "`TableNames::NAMES` has an empty name; give the variant another one");
        let mut other = 0;
        while other < n {
            let is_same = same(T::NAMES[n].0, T::NAMES[other].0);
            assert!(!is_same, "`TableNames::NAMES` has one name twice; give each variant a name of its own");
            other += 1;
        }
        n += 1;
    }
}

/// How values of type `T` become columns: [`Components`] and [`Names`] implement it.
pub trait Conversion<T: Value> {
    #[doc(hidden)]
    fn names(name: &str, to: &mut Vec<String>);
    #[doc(hidden)]
    fn read(from: &Columns<'_>, name: &str) -> Result<Vec<T>, TableError>;
    #[doc(hidden)]
    fn write(values: &[T], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError>;
}

impl<T: TableType> TableValue for T {
    fn names(name: &str, to: &mut Vec<String>) {
        T::As::names(name, to);
    }
    fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError> {
        T::As::read(from, name).map(Cow::Owned)
    }
    fn write(values: &[Self], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        T::As::write(values, name, links, to)
    }
    slice_of_values!();
}

impl<T: Flatten<Parts: TableParts>> Conversion<T> for Components {
    fn names(name: &str, to: &mut Vec<String>) {
        to.push(name.to_owned());
        T::Parts::names(&component_names::<T>(name), to);
    }
    fn read(from: &Columns<'_>, name: &str) -> Result<Vec<T>, TableError> {
        let found = from.find(name)?;
        if let Some((name, column)) = found.filter(|(_, column)| column.data_type().is_null()) {
            from.take(name)?;
            from.refuse_nulls(name, column.logical_nulls().as_ref());
            return Ok(placeholders(from.len()));
        }
        if let Some((name, column)) = found
            && let Some(structs) = column.as_struct_opt()
        {
            from.take(name)?;
            from.refuse_nulls(name, structs.nulls());
            let names = structs.fields().iter().map(|field| field.name().as_str());
            let parts = names.zip(structs.columns().iter().map(|column| &**column)).collect();
            let parts = from.elements(parts, from.len(), 1);
            let names: Vec<_> = T::PART_NAMES.iter().map(|&part| part.to_owned()).collect();
            return Ok(T::Parts::read(&parts, &names)?.into_iter().map(T::from_parts).collect());
        }
        let parts = T::Parts::read(from, &component_names::<T>(name))?;
        Ok(parts.into_iter().map(T::from_parts).collect())
    }
    fn write(values: &[T], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        let parts: Vec<_> = values.iter().map(|&value| value.into_parts()).collect();
        T::Parts::write(&parts, &component_names::<T>(name), links, to)
    }
}

fn component_names<T: Flatten>(name: &str) -> Vec<String> {
    T::PART_NAMES.iter().map(|part| format!("{name}_{part}")).collect()
}

impl<T: TableNames> Conversion<T> for Names {
    fn names(name: &str, to: &mut Vec<String>) {
        const { check_names::<T>() };
        to.push(name.to_owned());
    }
    fn read(from: &Columns<'_>, name: &str) -> Result<Vec<T>, TableError> {
        let column = from.column(name)?;
        from.refuse_nulls(name, column.logical_nulls().as_ref());
        let texts = texts(from, name, column, "texts, the names of variants")?;
        let values = texts.as_string::<i32>().iter().enumerate().map(|(n, text)| {
            let found = text.and_then(|text| T::NAMES.iter().find(|(name, _)| *name == text));
            if let (None, Some(text)) = (found, text) {
                let names: Vec<_> = T::NAMES.iter().map(|(name, _)| *name).collect();
                from.bad(name, n, || format!("`{}` is none of `{}`", shown(text), names.join("`, `")));
            }
            found.map_or(T::PLACEHOLDER, |&(_, value)| value)
        });
        Ok(values.collect())
    }
    fn write(values: &[T], name: &str, _: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        const { check_names::<T>() };
        let mut texts = Vec::with_capacity(values.len());
        for value in values {
            match T::NAMES.iter().find(|(_, other)| other.same(value)) {
                Some((text, _)) => texts.push(*text),
                None => {
                    let reason = format!("column `{name}` has a variant that `TableNames::NAMES` lacks; add it there");
                    return Err(to.unwritable(reason));
                }
            }
        }
        to.check_texts(name, texts.iter().copied())?;
        to.add(name, Arc::new(StringArray::from(texts)));
        Ok(())
    }
}

/// The components of a struct, as a tuple of at most 16.
pub trait TableParts: Sized {
    #[doc(hidden)]
    fn names(names: &[String], to: &mut Vec<String>);
    #[doc(hidden)]
    fn read(from: &Columns<'_>, names: &[String]) -> Result<Vec<Self>, TableError>;
    #[doc(hidden)]
    fn write(values: &[Self], names: &[String], links: &Links<'_>, to: &mut Written) -> Result<(), TableError>;
}

macro_rules! parts {
    ($(($T:ident $k:tt))+) => {
        parts!(@upto [] $(($T $k))+);
    };
    (@upto [$($done:tt)*]) => {};
    (@upto [$($done:tt)*] $next:tt $($rest:tt)*) => {
        parts!(@one $($done)* $next);
        parts!(@upto [$($done)* $next] $($rest)*);
    };
    (@one $(($T:ident $k:tt))+) => {
        impl<$($T: TableValue),+> TableParts for ($($T,)+) {
            fn names(names: &[String], to: &mut Vec<String>) {
                $($T::names(&names[$k], to);)+
            }
            fn read(from: &Columns<'_>, names: &[String]) -> Result<Vec<Self>, TableError> {
                let parts = ($($T::read(from, &names[$k])?,)+);
                Ok((0..from.len()).map(|n| ($(parts.$k[n].clone(),)+)).collect())
            }
            fn write(values: &[Self], names: &[String], links: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
                $(
                    let part: Vec<$T> = values.iter().map(|parts| parts.$k.clone()).collect();
                    $T::write(&part, &names[$k], links, to)?;
                )+
                Ok(())
            }
        }
    };
}

parts! {
    (T0 0) (T1 1) (T2 2) (T3 3) (T4 4) (T5 5) (T6 6) (T7 7)
    (T8 8) (T9 9) (T10 10) (T11 11) (T12 12) (T13 13) (T14 14) (T15 15)
}
