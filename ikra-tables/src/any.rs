//! Links of traits: a column with the names of classes, and one with the numbers of rows in their tables.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, StringArray, UInt32Array};
use ikra_core::class::Class;
use ikra_core::dispatch::{AnyLink, Dispatch};
use ikra_core::value::Value;
use ikra_runtime::error::Error;
use ikra_runtime::objects::Objects;

use crate::columns::Columns;
use crate::error::{TableError, shown};
use crate::number::{Whole, whole};
use crate::text::texts;
use crate::value::{TableValue, slice_of_values};
use crate::written::{Links, Written};

/// The names of the columns with rows and with classes.
fn columns(name: &str) -> [String; 2] {
    [format!("{name}_row"), format!("{name}_class")]
}

/// The objects that two columns name; `None` for empty and for bad ones. `is_empty` is called for the empty ones.
fn read<D: Dispatch>(
    from: &Columns<'_>,
    [name, classes]: &[String; 2],
    is_empty: impl Fn(usize),
) -> Result<Vec<Option<AnyLink<D>>>, TableError> {
    let texts = texts(from, classes, from.column(classes)?, "texts, the names of classes")?;
    let texts = texts.as_string::<i32>();
    let targets: Vec<_> = D::CLASSES.iter().map(|class| (class.name(), from.target(class.type_id()))).collect();
    for target in targets.iter().filter_map(|(_, target)| *target) {
        if target.holes > 0 {
            return Err(Error::HasHoles { class: target.class, holes: target.holes }.into());
        }
    }
    let mut links = vec![None; from.len()];
    whole(from, name, from.column(name)?, |n, number| {
        let row = match number {
            Whole::Number(row) => u32::try_from(row).ok(),
            Whole::Empty if texts.is_null(n) => return is_empty(n),
            _ => None,
        };
        if texts.is_null(n) {
            return from.bad(classes, n, || format!("empty, although `{name}` has a number"));
        }
        let class = texts.value(n);
        let Some(tag) = targets.iter().position(|&(name, _)| name == class) else {
            let names: Vec<_> = targets.iter().map(|&(name, _)| name).collect();
            return from.bad(classes, n, || format!("`{}` is none of `{}`", shown(class), names.join("`, `")));
        };
        let target = targets[tag].1;
        if target.is_some_and(|target| target.keys.is_some()) {
            return from.bad(name, n, || format!("class {class} has a key, and links of a trait are numbers of rows"));
        }
        if matches!(number, Whole::Empty) {
            return from.bad(name, n, || format!("empty, although `{classes}` is {class}"));
        }
        let row = row.filter(|&row| target.is_some_and(|target| target.has(row as usize)));
        links[n] = row.and_then(|row| AnyLink::from_parts(tag, row));
        if links[n].is_none() {
            let len = target.map_or(0, |target| target.len);
            from.bad(name, n, || format!("there is no such row among {len} of class {class}"));
        }
    })?;
    Ok(links)
}

/// Adds the two columns; those with empty values may have some.
fn write<D: Dispatch>(
    values: &[impl Copy + Into<Option<AnyLink<D>>>],
    name: &str,
    links: &Links<'_>,
    to: &mut Written,
) -> Result<(), TableError> {
    let named: Vec<_> = D::CLASSES.iter().map(|&class| links.named(class)).collect();
    if named.iter().flatten().any(|named| named.has_key()) {
        return Err(to.unwritable(format!("`{name}` has links of trait {}, which cannot be keys", D::NAME)));
    }
    let row = |(n, &link): (usize, &_)| {
        let Some((tag, index)) = Into::<Option<AnyLink<D>>>::into(link).map(AnyLink::parts) else { return Ok(None) };
        let row = named[tag].and_then(|named| named.row(index as usize));
        row.map(Some).ok_or_else(|| links.bad_link(n, D::CLASSES[tag].name()))
    };
    let rows: Vec<Option<u32>> = values.iter().enumerate().map(row).collect::<Result<_, _>>()?;
    let class = |link: Option<AnyLink<D>>| link.map(|link| D::CLASSES[link.parts().0].name());
    let [name, classes] = columns(name);
    to.check_texts(&classes, values.iter().filter_map(|&link| class(link.into())))?;
    let texts: StringArray = values.iter().map(|&link| class(link.into())).collect();
    let rows: UInt32Array = rows.into();
    if rows.null_count() > 0 {
        to.add_optional(&name, Arc::new(rows));
        to.add_optional(&classes, Arc::new(texts));
    } else {
        to.add(&name, Arc::new(UInt32Array::new(rows.values().clone(), None)));
        to.add(&classes, Arc::new(StringArray::new(texts.offsets().clone(), texts.values().clone(), None)));
    }
    Ok(())
}

impl<D: Dispatch> TableValue for AnyLink<D>
where
    Self: Value,
{
    fn names(name: &str, to: &mut Vec<String>) {
        to.extend(columns(name));
    }
    fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError> {
        let columns = columns(name);
        let empty = |n| from.bad(&columns[0], n, || "empty; only fields of an `Option` may be".to_owned());
        let links = read::<D>(from, &columns, empty)?;
        Ok(Cow::Owned(links.into_iter().map(|link| link.unwrap_or(Self::PLACEHOLDER)).collect()))
    }
    fn write(values: &[Self], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        write::<D>(values, name, links, to)
    }
    slice_of_values!();
}

impl<D: Dispatch> TableValue for Option<AnyLink<D>>
where
    Self: Value,
{
    fn names(name: &str, to: &mut Vec<String>) {
        to.extend(columns(name));
    }
    fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError> {
        read::<D>(from, &columns(name), |_| ()).map(Cow::Owned)
    }
    fn write(values: &[Self], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        write::<D>(values, name, links, to)
    }
    slice_of_values!();
}
