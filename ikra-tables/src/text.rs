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
    fn is_text(ty: &DataType) -> bool {
        match ty {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
            DataType::Dictionary(_, values) => is_text(values),
            _ => false,
        }
    }
    if matches!(column.data_type(), DataType::Utf8) {
        return Ok(owned(column));
    }
    let wrong = || from.wrong_type(name, column.data_type(), needed);
    if !is_text(column.data_type()) {
        return Err(wrong());
    }
    arrow_cast::cast(column, &DataType::Utf8).map_err(|_| wrong())
}
