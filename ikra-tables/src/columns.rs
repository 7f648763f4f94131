//! The columns of a batch of rows, by their names.

use std::any::TypeId;
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema};
use hashbrown::HashMap;
use ikra_core::bits::is_set;

use crate::error::{BadRow, BadRows, TableError};
use crate::keys::Keys;

/// The objects to which links of a table may refer, by class.
pub(crate) type Targets = HashMap<TypeId, Target>;

/// The objects of one class, as links in tables name them.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) class: &'static str,
    /// The number of objects.
    pub(crate) len: usize,
    /// The number of objects that were removed before, so that rows have no numbers.
    pub(crate) holes: usize,
    /// The rows of objects that are to be removed: one bit per row.
    pub(crate) removed: Vec<u64>,
    /// Their keys. Without, links are the numbers of rows.
    pub(crate) keys: Option<Keys>,
}

impl Target {
    /// Whether a row is that of an object.
    pub(crate) fn has(&self, row: usize) -> bool {
        row < self.len && !is_set(&self.removed, row)
    }
}

/// The table that a batch is of.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) from: &'a str,
    pub(crate) class: &'static str,
    pub(crate) targets: &'a Targets,
    /// The names of all columns, for messages.
    pub(crate) names: &'a [String],
    /// Whether texts are parsed: a CSV file has nothing else.
    pub(crate) parses: bool,
}

/// From a value's position in a column to the number of its row.
#[derive(Clone, Copy)]
struct Rows<'a> {
    /// The number of the batch's first row.
    first: usize,
    /// The number of values for each row; or for each element of its list, if it has one.
    each: usize,
    /// The ends of the rows' lists.
    lists: Option<&'a [i32]>,
}

/// The columns of a batch of rows, or the elements of its lists.
pub struct Columns<'a> {
    named: Vec<(&'a str, &'a dyn Array)>,
    len: usize,
    rows: Rows<'a>,
    table: Table<'a>,
    bad: &'a RefCell<BadRows>,
    uses: RefCell<Uses>,
}

/// The columns that fields have been read from.
#[derive(Default)]
struct Uses {
    /// The field that is being read, and its name in the table.
    field: Option<(&'static str, String)>,
    /// Columns, each with the field that was read from it, and whether the field has the column's name.
    columns: Vec<(String, &'static str, bool)>,
}

impl<'a> Columns<'a> {
    /// The columns of a batch that starts at row `first`.
    pub(crate) fn of(batch: &'a RecordBatch, first: usize, table: Table<'a>, bad: &'a RefCell<BadRows>) -> Self {
        let names = batch.schema_ref().fields().iter().map(|field| field.name().as_str());
        let named = names.zip(batch.columns().iter().map(|column| &**column)).collect();
        let (len, rows) = (batch.num_rows(), Rows { first, each: 1, lists: None });
        Self { named, len, rows, table, bad, uses: RefCell::default() }
    }

    /// Columns of `each` elements for each value of these columns.
    pub(crate) fn elements<'b>(&self, named: Vec<(&'b str, &'b dyn Array)>, len: usize, each: usize) -> Columns<'b>
    where
        'a: 'b,
    {
        let rows = Rows { each: self.rows.each * each, ..self.rows };
        Columns { named, len, rows, table: self.table, bad: self.bad, uses: RefCell::default() }
    }

    /// Columns of the elements of lists with these ends, one list per value.
    pub(crate) fn lists<'b>(&self, named: Vec<(&'b str, &'b dyn Array)>, len: usize, ends: &'b [i32]) -> Columns<'b>
    where
        'a: 'b,
    {
        let rows = Rows { each: 1, lists: Some(ends), ..self.rows };
        Columns { named, len, rows, table: self.table, bad: self.bad, uses: RefCell::default() }
    }

    /// Begins to read a field, which has this name in the table.
    pub(crate) fn begin(&self, field: &'static str, name: &str) {
        self.uses.borrow_mut().field = Some((field, name.to_owned()));
    }

    /// Notes that the field that is being read has values in a column.
    ///
    /// # Errors
    ///
    /// [`TableError::SharedColumn`], if another field has too; unless both were given the column's name by `rename`.
    pub(crate) fn take(&self, column: &str) -> Result<(), TableError> {
        let mut uses = self.uses.borrow_mut();
        let Some((field, name)) = &uses.field else { return Ok(()) };
        let (field, is_name) = (*field, name == column);
        let mut others = uses.columns.iter().filter(|(other, first, _)| other == column && *first != field);
        if let Some(&(_, first, _)) = others.find(|(.., is_its_name)| !(is_name && *is_its_name)) {
            let (from, class) = (self.table.from.to_owned(), self.table.class);
            return Err(TableError::SharedColumn { from, class, column: column.to_owned(), fields: [first, field] });
        }
        uses.columns.push((column.to_owned(), field, is_name));
        Ok(())
    }

    /// The number of values of each column.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// A column with its name, if there is one.
    ///
    /// # Errors
    ///
    /// [`TableError::SameColumn`], if there are several.
    pub(crate) fn find(&self, name: &str) -> Result<Option<(&'a str, &'a dyn Array)>, TableError> {
        let mut found = self.named.iter().filter(|(other, _)| *other == name);
        match (found.next(), found.next()) {
            (first, None) => Ok(first.copied()),
            (_, Some(_)) => {
                let (from, class) = (self.table.from.to_owned(), self.table.class);
                Err(TableError::SameColumn { from, class, column: name.to_owned() })
            }
        }
    }

    /// A column.
    pub(crate) fn column(&self, name: &str) -> Result<&'a dyn Array, TableError> {
        let (name, column) = self.find(name)?.ok_or_else(|| missing(self.table, name))?;
        self.take(name)?;
        Ok(column)
    }

    /// Whether a column has texts that are parsed.
    pub(crate) fn is_text(&self, column: &dyn Array) -> bool {
        self.table.parses && matches!(column.data_type(), DataType::Utf8)
    }

    /// The objects of a class.
    pub(crate) fn target(&self, class: TypeId) -> Option<&'a Target> {
        self.table.targets.get(&class)
    }

    /// The error for a column of another type.
    pub(crate) fn wrong_type(&self, name: &str, found: &DataType, needed: &'static str) -> TableError {
        TableError::WrongType {
            from: self.table.from.to_owned(),
            class: self.table.class,
            column: name.to_owned(),
            found: crate::error::one_line(found),
            needed,
        }
    }

    /// Notes that a value cannot be read.
    #[cold]
    pub(crate) fn bad(&self, name: &str, value: usize, problem: impl FnOnce() -> String) {
        self.bad.borrow_mut().add(|| BadRow {
            from: self.table.from.to_owned(),
            class: self.table.class,
            column: name.to_owned(),
            row: self.rows.of(value),
            problem: problem(),
        });
    }

    /// Notes the values that are empty.
    pub(crate) fn refuse_nulls(&self, name: &str, nulls: Option<&NullBuffer>) {
        let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else { return };
        for value in (0..nulls.len()).filter(|&value| nulls.is_null(value)) {
            self.bad(name, value, || "empty".to_owned());
        }
    }
}

impl Rows<'_> {
    fn of(self, value: usize) -> usize {
        let element = value / self.each.max(1);
        let row = match self.lists {
            Some(ends) => ends.partition_point(|&end| end as usize <= element),
            None => element,
        };
        self.first + row
    }
}

/// The error for a column that is not there.
pub(crate) fn missing(table: Table<'_>, name: &str) -> TableError {
    const SHOWN: usize = 12;
    let names = table.names;
    let mut list = match names {
        [] => "none".to_owned(),
        names => format!(
            "`{}`",
            names[..names.len().min(SHOWN)]
                .iter()
                .map(|name| crate::error::shown(name))
                .collect::<Vec<_>>()
                .join("`, `")
        ),
    };
    if names.len() > SHOWN {
        list.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    TableError::MissingColumn { from: table.from.to_owned(), class: table.class, column: name.to_owned(), has: list }
}

/// A batch whose wanted columns have values instead of dictionaries, also in lists and structs. A column that is too large
/// for that keeps its dictionary, which is no type that can be read.
pub(crate) fn without_dictionaries<'a>(batch: &'a RecordBatch, wanted: &[String]) -> Cow<'a, RecordBatch> {
    let schema = batch.schema_ref();
    let has_dictionary = |field: &Arc<Field>| wanted.contains(field.name()) && plain(field.data_type()).is_some();
    if !schema.fields().iter().any(has_dictionary) {
        return Cow::Borrowed(batch);
    }
    let columns = schema.fields().iter().zip(batch.columns()).map(|(field, column)| {
        let ty = plain(field.data_type()).filter(|_| wanted.contains(field.name()));
        match ty.and_then(|ty| arrow_cast::cast(column, &ty).ok()) {
            // Values of a dictionary may be empty, whatever the field says.
            Some(values) => (Arc::new(Field::new(field.name(), values.data_type().clone(), true)), values),
            None => (Arc::clone(field), Arc::clone(column)),
        }
    });
    let (fields, columns): (Vec<_>, Vec<_>) = columns.unzip();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let plain = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options);
    plain.map_or(Cow::Borrowed(batch), Cow::Owned)
}

/// A type with values instead of dictionaries, if it has some.
fn plain(ty: &DataType) -> Option<DataType> {
    let element = |field: &Arc<Field>| Some(Arc::new(Field::new(field.name(), plain(field.data_type())?, true)));
    match ty {
        DataType::Dictionary(_, values) => Some(plain(values).unwrap_or_else(|| (**values).clone())),
        DataType::List(field) => element(field).map(DataType::List),
        DataType::LargeList(field) => element(field).map(DataType::LargeList),
        DataType::FixedSizeList(field, len) => element(field).map(|field| DataType::FixedSizeList(field, *len)),
        DataType::Struct(fields) => {
            let plain: Vec<_> = fields.iter().map(element).collect();
            let or_same = |(plain, field): (Option<_>, &Arc<Field>)| plain.unwrap_or_else(|| Arc::clone(field));
            let is_plain = plain.iter().all(Option::is_none);
            (!is_plain).then(|| DataType::Struct(plain.into_iter().zip(fields).map(or_same).collect()))
        }
        _ => None,
    }
}

/// A column in memory of its own.
pub(crate) fn owned(column: &dyn Array) -> ArrayRef {
    column.slice(0, column.len())
}
