//! Columns of texts.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::columns::{Columns, owned};
use crate::error::TableError;

/// A column of texts, whichever way they are stored, as one of strings.
pub(crate) fn texts(
    from: &Columns<'_>,
    name: &str,
    column: &dyn Array,
    needed: &'static str,
) -> Result<ArrayRef, TableError> {
    let wrong = || from.wrong_type(name, column.data_type(), needed);
    match column.data_type() {
        DataType::Utf8 => Ok(owned(column)),
        DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
            arrow_cast::cast(column, &DataType::Utf8).map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}
