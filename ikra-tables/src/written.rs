//! Columns that are being written, and the links in them.

use std::any::TypeId;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Schema};
use hashbrown::HashMap;
use ikra_core::class::{Class, ClassId};
use ikra_core::link::Link;
use ikra_runtime::objects::AnyObjects;

use crate::columns::Target;
use crate::error::{TableError, one_line};

/// The columns of a class.
pub struct Written {
    columns: Vec<(Field, ArrayRef)>,
    /// The fields so far, and the number of columns before each.
    fields: Vec<(&'static str, usize)>,
    is_flat: bool,
    path: String,
}

impl Written {
    /// No columns yet; flat ones for CSV, which has no lists.
    pub(crate) fn new(is_flat: bool, path: String) -> Self {
        Self { columns: Vec::new(), fields: Vec::new(), is_flat, path }
    }

    /// Columns of the elements of lists.
    pub(crate) fn inner(&self) -> Self {
        Self::new(self.is_flat, self.path.clone())
    }

    pub(crate) fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// Begins the columns of a field.
    pub(crate) fn begin(&mut self, field: &'static str) {
        self.fields.push((field, self.columns.len()));
    }

    /// Adds a column without empty values.
    pub(crate) fn add(&mut self, name: &str, column: ArrayRef) {
        self.columns.push((Field::new(name, column.data_type().clone(), false), column));
    }

    /// Adds a column that may have empty values.
    pub(crate) fn add_optional(&mut self, name: &str, column: ArrayRef) {
        self.columns.push((Field::new(name, column.data_type().clone(), true), column));
    }

    pub(crate) fn into_columns(self) -> Vec<(Field, ArrayRef)> {
        self.columns
    }

    pub(crate) fn unwritable(&self, reason: String) -> TableError {
        TableError::Unwritable { path: self.path.clone(), reason }
    }

    /// An error if the texts of a column are too long together.
    pub(crate) fn check_texts<'t>(&self, name: &str, texts: impl Iterator<Item = &'t str>) -> Result<(), TableError> {
        if i32::try_from(texts.map(str::len).sum::<usize>()).is_ok() {
            return Ok(());
        }
        let advice = "write it with more processes, or give shorter names";
        Err(self.unwritable(format!("the names in column `{name}` have 2³¹ bytes or more; {advice}")))
    }

    /// The field of a column.
    fn field(&self, column: usize) -> &'static str {
        self.fields.iter().rfind(|(_, first)| *first <= column).map_or("", |(field, _)| field)
    }

    /// An error if two columns have the same name: a reader would take one of them for both.
    fn check_names(&self) -> Result<(), TableError> {
        let mut seen = HashMap::new();
        for (n, (column, _)) in self.columns.iter().enumerate() {
            let Some(before) = seen.insert(column.name(), n) else { continue };
            let (first, second) = (self.field(before), self.field(n));
            let reason = format!("fields `{first}` and `{second}` both have a column `{}`", column.name());
            return Err(self.unwritable(format!("{reason}; give one of them another name")));
        }
        Ok(())
    }

    /// The columns as a batch of `len` rows, and where they will be written.
    pub(crate) fn finish(self, len: usize) -> Result<(String, RecordBatch), TableError> {
        self.check_names()?;
        let Self { columns, path, .. } = self;
        let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let options = RecordBatchOptions::new().with_row_count(Some(len));
        match RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options) {
            Ok(batch) => Ok((path, batch)),
            Err(error) => Err(TableError::Unwritable { path, reason: one_line(error) }),
        }
    }
}

/// The objects of one class, as links in tables name them.
pub(crate) struct Named {
    /// By index: the row of each object. Without, all objects are in a row.
    rows: Option<Vec<u32>>,
    len: usize,
    /// By row: the keys, which are written instead of rows.
    key: Option<ArrayRef>,
}

/// The row of an object that was removed.
const NO_ROW: u32 = u32::MAX;

impl Named {
    /// If `by_number`, links are the numbers of objects, not of rows.
    pub(crate) fn of(objects: &dyn AnyObjects, key: Option<ArrayRef>, by_number: bool) -> Self {
        let len = objects.slots();
        let rows = (objects.holes() > 0).then(|| {
            let mut next = 0;
            let row = |index| match objects.exists(index) {
                true if by_number => index as u32,
                true => {
                    next += 1;
                    next - 1
                }
                false => NO_ROW,
            };
            (0..len).map(row).collect()
        });
        Self { rows, len, key }
    }

    /// The objects of a table that is being read.
    pub(crate) fn of_rows(target: &Target) -> Self {
        let row = |row: usize| if target.has(row) { row as u32 } else { NO_ROW };
        let rows = (!target.removed.is_empty()).then(|| (0..target.len).map(row).collect());
        Self { rows, len: target.len, key: None }
    }

    /// Whether links to the class are its keys.
    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    #[inline]
    pub(crate) fn row(&self, index: usize) -> Option<u32> {
        match &self.rows {
            Some(rows) => rows.get(index).copied().filter(|&row| row != NO_ROW),
            None => (index < self.len).then_some(index as u32),
        }
    }
}

/// The rows of objects with these indices; 0 where there is no object.
///
/// # Errors
///
/// The position of the first object without a row.
fn rows_of(
    objects: impl ExactSizeIterator<Item = Option<usize>> + Clone,
    row: impl Fn(usize) -> Option<u32>,
) -> Result<Vec<u32>, usize> {
    let mut are_good = true;
    // It does not stop at a bad one, so that the loop is one of vectors.
    let rows = objects.clone().map(|object| {
        let row = object.map_or(Some(0), &row);
        are_good &= row.is_some();
        row.unwrap_or(0)
    });
    let rows = rows.collect();
    let is_bad = |object: Option<usize>| object.is_some_and(|object| row(object).is_none());
    if are_good { Ok(rows) } else { Err(objects.into_iter().position(is_bad).unwrap_or(0)) }
}

/// The links of a field that is being written.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    named: &'a HashMap<TypeId, Named>,
    class: &'static str,
    field: &'static str,
    each: usize,
    ends: Option<&'a [usize]>,
}

impl<'a> Links<'a> {
    pub(crate) fn new(named: &'a HashMap<TypeId, Named>, class: &'static str, field: &'static str) -> Self {
        Self { named, class, field, each: 1, ends: None }
    }

    /// The links of arrays of this length.
    pub(crate) fn each(self, len: usize) -> Self {
        Self { each: self.each * len, ..self }
    }

    /// The links of arrays with these ends.
    pub(crate) fn lists<'b>(self, ends: &'b [usize]) -> Links<'b>
    where
        'a: 'b,
    {
        Links { each: 1, ends: Some(ends), ..self }
    }

    /// The error for value `n`, which is a link to no object of a class.
    pub(crate) fn bad_link(&self, n: usize, target: &'static str) -> TableError {
        let element = n / self.each.max(1);
        let row = self.ends.map_or(element, |ends| ends.partition_point(|&end| end <= element));
        TableError::BadLink { class: self.class, field: self.field, row, target }
    }

    /// The objects of a class.
    pub(crate) fn named(&self, class: ClassId) -> Option<&'a Named> {
        self.named.get(&class.type_id())
    }

    /// A column with links: the rows of their objects, or the objects' keys. `nulls` says where there is none.
    pub(crate) fn column<C: Class>(
        &self,
        links: &[impl Copy + Into<Option<Link<C>>>],
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, TableError> {
        let bad_link = |n: usize| self.bad_link(n, C::NAME);
        let named = self.named.get(&TypeId::of::<C>()).ok_or_else(|| bad_link(0))?;
        let index = |link: &_| Into::<Option<Link<C>>>::into(*link).map(Link::index);
        // Without removed objects, the loop has no table of rows.
        let rows = match &named.rows {
            None => rows_of(links.iter().map(index), |index| (index < named.len).then_some(index as u32)),
            Some(_) => rows_of(links.iter().map(index), |index| named.row(index)),
        };
        let rows = UInt32Array::new(rows.map_err(bad_link)?.into(), nulls);
        match &named.key {
            None => Ok(Arc::new(rows)),
            Some(key) => arrow_select::take::take(key, &rows, None).map_err(|_| bad_link(0)),
        }
    }
}
