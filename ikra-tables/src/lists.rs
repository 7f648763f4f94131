//! Arrays in fields: lists in a column, or a column per element.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeListArray, ListArray, new_null_array};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use ikra_core::class::Class;
use ikra_core::storage::InnerArray;
use ikra_core::value::Value;
use ikra_runtime::error::Error;
use ikra_runtime::objects::Objects;

use crate::columns::{Columns, owned};
use crate::error::TableError;
use crate::value::{TableValue, placeholders, slice_of_values};
use crate::written::{Links, Written};

fn is_list(ty: &DataType) -> bool {
    // A column where all values are empty has any type.
    matches!(ty, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::Null)
}

/// The columns of lists from which values of type `T` may be read, with other lists as `ListArray`.
fn lists<T: TableValue>(from: &Columns<'_>, name: &str) -> Result<Vec<(String, ArrayRef)>, TableError> {
    let (mut names, mut lists) = (Vec::new(), Vec::new());
    T::names(name, &mut names);
    names.sort_unstable();
    names.dedup();
    for column in names {
        let Some((found, array)) = from.find(&column)?.filter(|(_, array)| is_list(array.data_type())) else {
            continue;
        };
        from.take(found)?;
        let list = match array.data_type() {
            DataType::LargeList(element) => arrow_cast::cast(array, &DataType::List(Arc::clone(element)))
                .map_err(|_| from.wrong_type(&column, array.data_type(), "lists of fewer than 2³¹ elements"))?,
            DataType::Null => new_null_array(&DataType::new_list(DataType::Null, true), array.len()),
            _ => owned(array),
        };
        lists.push((column, list));
    }
    Ok(lists)
}

impl<T: TableValue + Value, const N: usize> TableValue for [T; N] {
    fn names(name: &str, to: &mut Vec<String>) {
        if N == 0 {
            return;
        }
        // Lists, or a column per element.
        T::names(name, to);
        for n in 0..N {
            T::names(&format!("{name}_{n}"), to);
        }
    }

    fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError> {
        if N == 0 {
            return Ok(Cow::Owned(placeholders(from.len())));
        }
        // The usual case without a copy: one column, of lists of this length.
        if let Some((name, column)) = from.find(name)?
            && let Some(values) = regular(column, N)
        {
            from.take(name)?;
            let elements = from.elements(vec![(name, values)], values.len(), N);
            return Ok(match T::read(&elements, name)? {
                Cow::Borrowed(values) => Cow::Borrowed(values.as_chunks().0),
                Cow::Owned(values) => Cow::Owned(values.as_chunks().0.to_vec()),
            });
        }
        let lists = lists::<T>(from, name)?;
        if lists.is_empty() {
            let arrays = element_columns(from, name).map(Cow::Owned);
            return match (arrays, from.find(name)?) {
                (Err(TableError::MissingColumn { .. }), Some((_, column))) => {
                    const NEEDED: &str = "lists, or for each element a column, whose name ends with its number";
                    Err(from.wrong_type(name, column.data_type(), NEEDED))
                }
                (arrays, _) => arrays,
            };
        }
        let mut columns = Vec::with_capacity(lists.len());
        let mut is_good = true;
        for (column, list) in &lists {
            from.refuse_nulls(column, list.nulls());
            is_good &= list.null_count() == 0;
            let values = match list.as_list_opt::<i32>() {
                Some(list) => {
                    for (n, len) in
                        list.offsets().lengths().enumerate().filter(|&(n, len)| len != N && list.is_valid(n))
                    {
                        is_good = false;
                        from.bad(column, n, || format!("a list of {len}, not of {N}"));
                    }
                    let (first, end) = (list.offsets()[0] as usize, list.offsets()[list.len()] as usize);
                    list.values().slice(first, end - first)
                }
                None => {
                    let list = list.as_fixed_size_list();
                    if list.value_length() as usize != N {
                        return Err(from.wrong_type(column, list.data_type(), "lists as long as the field's arrays"));
                    }
                    list.values().slice(0, list.len() * N)
                }
            };
            columns.push((column.as_str(), values));
        }
        if !is_good {
            return Ok(Cow::Owned(placeholders(from.len())));
        }
        let columns = columns.iter().map(|(column, values)| (*column, &**values)).collect();
        let elements = from.elements(columns, from.len() * N, N);
        Ok(Cow::Owned(T::read(&elements, name)?.as_chunks().0.to_vec()))
    }

    fn write(values: &[Self], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        if to.is_flat() || N == 0 {
            for n in 0..N {
                let elements: Vec<T> = values.iter().map(|array| array[n]).collect();
                T::write(&elements, &format!("{name}_{n}"), links, to)?;
            }
            return Ok(());
        }
        let mut elements = to.inner();
        T::write(values.as_flattened(), name, &links.each(N), &mut elements)?;
        for (field, column) in elements.into_columns() {
            to.add(field.name(), fixed_size_list(&field, N, column));
        }
        Ok(())
    }

    fn bytes(values: &[Self]) -> Option<&[u8]> {
        if N == 0 { None } else { T::bytes(values.as_flattened()) }
    }
    fn column(bytes: Buffer, len: usize) -> Option<ArrayRef> {
        let values = T::column(bytes, len * N)?;
        let field = Field::new("item", values.data_type().clone(), false);
        Some(fixed_size_list(&field, N, values))
    }
    slice_of_values!();
}

/// The elements of lists that all have this length, none of which is empty, if the column has no other elements.
fn regular(column: &dyn Array, len: usize) -> Option<&dyn Array> {
    let (values, is_regular) = if let Some(list) = column.as_fixed_size_list_opt() {
        (list.values(), list.value_length() as usize == len)
    } else {
        let list = column.as_list_opt::<i32>()?;
        let offsets = list.offsets();
        // It does not stop at another length, so that the loop is one of vectors.
        let is_len = |all, pair: &[i32]| all & (pair[1].wrapping_sub(pair[0]) as usize == len);
        (list.values(), offsets[0] == 0 && offsets.windows(2).fold(true, is_len))
    };
    (is_regular && column.null_count() == 0 && values.len() == column.len() * len).then_some(&**values)
}

/// Arrays whose elements are in a column each.
fn element_columns<T: TableValue + Value, const N: usize>(
    from: &Columns<'_>,
    name: &str,
) -> Result<Vec<[T; N]>, TableError> {
    let mut arrays = placeholders::<[T; N]>(from.len());
    for n in 0..N {
        for (array, element) in arrays.iter_mut().zip(&*T::read(from, &format!("{name}_{n}"))?) {
            array[n] = *element;
        }
    }
    Ok(arrays)
}

fn fixed_size_list(element: &Field, len: usize, values: ArrayRef) -> ArrayRef {
    let item = Field::new("item", values.data_type().clone(), element.is_nullable());
    // Fields of arrays have few elements.
    Arc::new(FixedSizeListArray::new(Arc::new(item), len as i32, values, None))
}

impl<T: TableValue + Value> TableValue for InnerArray<T> {
    fn names(name: &str, to: &mut Vec<String>) {
        T::names(name, to);
    }

    fn read<'a>(from: &Columns<'a>, name: &str) -> Result<Cow<'a, [Self]>, TableError> {
        const NEEDED: &str = "lists, of which CSV has none; write Parquet";
        let lists = lists::<T>(from, name)?;
        let Some((_, first)) = lists.first() else {
            let column = from.column(name)?;
            return Err(from.wrong_type(name, column.data_type(), NEEDED));
        };
        let ends: Vec<i32> = ends(first).skip(1).collect();
        let mut columns = Vec::with_capacity(lists.len());
        for (column, list) in &lists {
            from.refuse_nulls(column, list.nulls());
            if !self::ends(list).skip(1).eq(ends.iter().copied()) {
                return Err(from.wrong_type(
                    column,
                    list.data_type(),
                    "lists as long as those of the field's first column",
                ));
            }
            let len = ends.last().map_or(0, |&end| end as usize);
            let values = match list.as_list_opt::<i32>() {
                Some(list) => list.values().slice(list.offsets()[0] as usize, len),
                None => {
                    let list = list.as_fixed_size_list();
                    list.values().slice(0, len)
                }
            };
            columns.push((column.as_str(), values));
        }
        let len = ends.last().map_or(0, |&end| end as usize);
        let columns = columns.iter().map(|(column, values)| (*column, &**values)).collect();
        let elements = from.lists(columns, len, &ends);
        let values = T::read(&elements, name)?;
        let starts = [0].into_iter().chain(ends.iter().copied());
        let arrays = starts.zip(&ends).map(|(start, &end)| InnerArray::from(&values[start as usize..end as usize]));
        Ok(Cow::Owned(arrays.collect()))
    }

    fn write(values: &[Self], name: &str, links: &Links<'_>, to: &mut Written) -> Result<(), TableError> {
        if to.is_flat() {
            return Err(to.unwritable(format!("column `{name}` has lists, of which CSV has none; write Parquet")));
        }
        let all: Vec<T> = values.iter().flat_map(|array| array.iter().copied()).collect();
        if i32::try_from(all.len()).is_err() {
            return Err(to.unwritable(format!("the arrays of `{name}` have 2³¹ elements or more in all")));
        }
        let mut elements = to.inner();
        let ends: Vec<_> = values
            .iter()
            .scan(0, |end, array| {
                *end += array.len();
                Some(*end)
            })
            .collect();
        T::write(&all, name, &links.lists(&ends), &mut elements)?;
        for (field, column) in elements.into_columns() {
            let item = Field::new("item", column.data_type().clone(), field.is_nullable());
            let offsets = OffsetBuffer::from_lengths(values.iter().map(|array| array.len()));
            to.add(field.name(), Arc::new(ListArray::new(Arc::new(item), offsets, column, None)));
        }
        Ok(())
    }
}

/// Where the rows' lists start and end, counted from the first.
fn ends(list: &ArrayRef) -> Box<dyn Iterator<Item = i32> + '_> {
    match list.as_list_opt::<i32>() {
        Some(list) => Box::new(list.offsets().iter().map(|offset| offset - list.offsets()[0])),
        None => {
            let list = list.as_fixed_size_list();
            Box::new((0..=list.len()).map(|n| n as i32 * list.value_length()))
        }
    }
}
