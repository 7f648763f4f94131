//! Classes as Arrow batches, Parquet and CSV.

use std::any::TypeId;
use std::fs;
use std::io::BufWriter;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, ListArray, RecordBatch, UInt32Array};
use arrow_buffer::{BooleanBufferBuilder, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Schema};
use hashbrown::{HashMap, HashSet};
use ikra_core::class::{Class, Field};
use ikra_core::column::Column;
use ikra_core::storage::Stored;
use ikra_runtime::objects::{Lives, Objects};
use ikra_runtime::world::{Holds, World};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::error::{TableError, one_line};
use crate::fields::{TableClass, TableFields, Writing, WritingOf};
use crate::import::{Import, Sources};
use crate::value::TableValue;
use crate::whole::{NewFile, file_error};
use crate::written::{Links, Named, Written};

/// The rows that are one group of a Parquet file. Groups are read in parallel.
const GROUP: usize = 1 << 18;

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Parquet,
    Csv,
}

impl Format {
    /// The file of a class.
    pub(crate) fn file(self, class: &str) -> String {
        match self {
            Self::Parquet => format!("{class}.parquet"),
            Self::Csv => format!("{class}.csv"),
        }
    }
}

/// Writes the objects of a world as tables: as Arrow's batches, Parquet or CSV.
///
/// Links are the numbers of rows in the other class's table, counted from 0; removed objects have no row. Where the other
/// class has a [`key`](Self::key), links are its values.
///
/// ```
/// use ikra::{prelude::*, tables::Export};
///
/// #[soa_class]
/// pub struct Street { pub number: u64, pub next: Option<Link<Street>> }
/// #[soa_world]
/// pub struct Town { pub streets: Objects<Street> }
///
/// # fn main() -> Result<(), ikra::tables::TableError> {
/// let mut town = Town::new();
/// let last = town.streets.push(Street { number: 700, next: None })?;
/// town.streets.push(Street { number: 500, next: Some(last) })?;
///
/// let folder = std::env::temp_dir().join(format!("ikra-export-{}", std::process::id()));
/// Export::of(&town).key(street::number)?.csv(&folder)?;
/// assert_eq!(std::fs::read_to_string(folder.join("Street.csv")).unwrap(), "number,next\n700,\n500,700\n");
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok(()) }
/// ```
pub struct Export<'w, W> {
    world: &'w W,
    keys: HashMap<TypeId, ArrayRef>,
    skipped: HashSet<(TypeId, usize)>,
    /// The objects of all classes, once a class is written.
    named: OnceLock<HashMap<TypeId, Named>>,
}

impl<W> std::fmt::Debug for Export<'_, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").finish_non_exhaustive()
    }
}

impl<'w, W: World> Export<'w, W> {
    /// The tables of this world.
    #[must_use]
    pub fn of(world: &'w W) -> Self {
        Self { world, keys: HashMap::new(), skipped: HashSet::new(), named: OnceLock::new() }
    }

    /// Writes links to a class as the values of this field. They have to differ; [`Import`](crate::Import) checks that.
    ///
    /// # Errors
    ///
    /// [`TableError::NoKey`], if the field is several columns; [`TableError::World`].
    pub fn key<C, const K: usize>(mut self, _: Column<C, K>) -> Result<Self, TableError>
    where
        W: Holds<C>,
        C: Field<K, Storage: Stored<Row: TableValue>>,
    {
        let values = Holds::<C>::objects(self.world).field_values::<C::Storage, K>()?;
        let mut written = Written::new(true, C::NAME.to_owned());
        let (class, field) = (C::NAME, C::FIELDS[K].name);
        let no_key = |reason: String| TableError::NoKey { class, field, reason };
        let named = HashMap::new();
        TableValue::write(&values, field, &Links::new(&named, class, field), &mut written).map_err(
            |error| match error {
                TableError::BadLink { .. } => no_key("it has links".to_owned()),
                error => error,
            },
        )?;
        match <[_; 1]>::try_from(written.into_columns()) {
            Ok([(_, column)]) if column.data_type().is_integer() || column.data_type().is_string() => {
                self.keys.insert(TypeId::of::<C>(), column);
                self.named = OnceLock::new();
                Ok(self)
            }
            Ok([(_, column)]) => {
                Err(no_key(format!("a key is integers or texts, and it has values of type {}", column.data_type())))
            }
            Err(columns) => Err(no_key(format!("a key is one column, and it has {}", columns.len()))),
        }
    }

    /// Leaves out a field.
    #[must_use]
    pub fn skip<C: Field<K>, const K: usize>(mut self, _: Column<C, K>) -> Self
    where
        W: Holds<C>,
    {
        self.skipped.insert((TypeId::of::<C>(), K));
        self
    }

    fn all_named(&self, by_number: bool) -> HashMap<TypeId, Named> {
        let members = self.world.members();
        let named = members.as_ref().iter().map(|&member| {
            let id = member.class().type_id();
            (id, Named::of(member, self.keys.get(&id).cloned(), by_number))
        });
        named.collect()
    }

    fn columns<C: TableClass>(&self, how: &How<'_, W>, path: String) -> Result<RecordBatch, TableError>
    where
        W: Holds<C>,
    {
        let objects: &Objects<C> = self.world.objects();
        let is_in_a_row = objects.in_a_row()?;
        // An export writes either tables or a part of a checkpoint.
        let named = self.named.get_or_init(|| self.all_named(how.part.is_some()));
        let mut written = Written::new(how.is_flat, path);
        let len = objects.len();
        let rows = how.part.map_or(0..len, |(part, parts)| {
            let bound = |part: usize| (len as u128 * part as u128 / parts as u128) as usize;
            bound(part)..bound(part + 1)
        });
        let (shared, skipped) = (how.shared, &self.skipped);
        let writing = Writing { objects, named, shared, skipped, rows: rows.clone() };
        C::Fields::write(&WritingOf(writing), &mut written)?;
        let (path, batch) = written.finish(rows.len())?;
        if how.part.is_none() || is_in_a_row {
            return Ok(batch);
        }
        let is_last = how.part.is_some_and(|(part, parts)| part + 1 == parts);
        with_removed(objects, rows, is_last, &batch)
            .map_err(|error| TableError::Unwritable { path, reason: one_line(error) })
    }

    /// The objects of a class as a batch, with a copy of each column.
    ///
    /// # Errors
    ///
    /// [`TableError::BadLink`], [`TableError::World`].
    pub fn batch<C: TableClass>(&self) -> Result<RecordBatch, TableError>
    where
        W: Holds<C>,
    {
        self.columns::<C>(&How::TABLE, C::NAME.to_owned())
    }

    /// The same, without a copy where that is possible.
    pub(crate) fn shared<C: TableClass>(world: &'w Arc<W>) -> Result<RecordBatch, TableError>
    where
        W: Holds<C>,
    {
        Self::of(world).columns::<C>(&How { shared: Some(world), ..How::TABLE }, C::NAME.to_owned())
    }

    fn file<C: TableClass>(&self, path: &Path, format: Format) -> Result<NewFile, TableError>
    where
        W: Holds<C>,
    {
        self.new_file::<C>(path, format).map_err(|error| match error {
            TableError::Unwritable { path, reason } => TableError::Unwritable {
                path,
                reason: format!("{reason}; the file that was there before is unchanged"),
            },
            error => error,
        })
    }

    fn new_file<C: TableClass>(&self, path: &Path, format: Format) -> Result<NewFile, TableError>
    where
        W: Holds<C>,
    {
        let how = How { is_flat: format == Format::Csv, ..How::TABLE };
        let batch = self.columns::<C>(&how, path.display().to_string())?;
        if batch.num_columns() == 0 {
            let reason = "files have no rows without columns; add a field to the class, or write a checkpoint";
            let (path, reason) =
                (path.display().to_string(), format!("class {} has no columns, and {reason}", C::NAME));
            return Err(TableError::Unwritable { path, reason });
        }
        let mut file = NewFile::new(path)?;
        file.write(|file| encode(&batch, file, format))?;
        Ok(file)
    }

    /// Writes a class to a Parquet file. The file is written under another name and gets its name when it is whole.
    ///
    /// # Errors
    ///
    /// [`TableError::File`], [`TableError::Unwritable`], [`TableError::BadLink`], [`TableError::World`].
    pub fn parquet_of<C: TableClass>(&self, path: impl AsRef<Path>) -> Result<(), TableError>
    where
        W: Holds<C>,
    {
        self.file::<C>(path.as_ref(), Format::Parquet)?.appear()
    }

    /// Writes a class to a CSV file, as [`parquet_of`](Self::parquet_of) does.
    ///
    /// # Errors
    ///
    /// As for [`parquet_of`](Self::parquet_of). Classes with an `InnerArray` are [`TableError::Unwritable`].
    pub fn csv_of<C: TableClass>(&self, path: impl AsRef<Path>) -> Result<(), TableError>
    where
        W: Holds<C>,
    {
        self.file::<C>(path.as_ref(), Format::Csv)?.appear()
    }

    fn folder(&self, folder: &Path, format: Format) -> Result<(), TableError>
    where
        W::Classes: TableClasses<W>,
    {
        check_names::<W>()?;
        fs::create_dir_all(folder).map_err(|error| file_error(folder, error))?;
        let mut files = Files { folder, format, whole: Vec::new() };
        W::Classes::write(self, &mut files)?;
        files.whole.into_iter().try_for_each(NewFile::appear)
    }

    /// A part of all classes, with links by numbers of objects.
    pub(crate) fn saved(&self, part: usize, parts: usize) -> Result<Vec<(&'static str, RecordBatch)>, TableError>
    where
        W::Classes: TableClasses<W>,
    {
        check_names::<W>()?;
        let mut tables = Tables { part: (part, parts), batches: Vec::new() };
        W::Classes::write(self, &mut tables)?;
        Ok(tables.batches)
    }

    /// Writes all classes to a folder, which is made if it does not exist: `Body.parquet`, `Cell.parquet`. Each file is
    /// written under another name. When all are whole, they get their names.
    ///
    /// # Errors
    ///
    /// As for [`parquet_of`](Self::parquet_of); [`TableError::SameName`].
    pub fn parquet(&self, folder: impl AsRef<Path>) -> Result<(), TableError>
    where
        W::Classes: TableClasses<W>,
    {
        self.folder(folder.as_ref(), Format::Parquet)
    }

    /// Writes all classes to a folder, as [`parquet`](Self::parquet) does: `Body.csv`, `Cell.csv`.
    ///
    /// # Errors
    ///
    /// As for [`csv_of`](Self::csv_of); [`TableError::SameName`].
    pub fn csv(&self, folder: impl AsRef<Path>) -> Result<(), TableError>
    where
        W::Classes: TableClasses<W>,
    {
        self.folder(folder.as_ref(), Format::Csv)
    }
}

fn encode(batch: &RecordBatch, file: &mut BufWriter<fs::File>, format: Format) -> Result<(), String> {
    match format {
        Format::Parquet => {
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .set_max_row_group_row_count(Some(GROUP))
                .build();
            let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).map_err(one_line)?;
            writer.write(batch).map_err(one_line)?;
            writer.close().map_err(one_line)?;
            Ok(())
        }
        Format::Csv => {
            let mut writer = arrow_csv::WriterBuilder::new().with_header(true).build(file);
            writer.write(batch).map_err(one_line)
        }
    }
}

/// The column that says which objects were removed, in a checkpoint of a class with some. No field has such a name.
pub(crate) const REMOVED: &str = "(removed)";

/// Rows of objects that exist, and rows for the removed objects before each of them; in the last part, also for those at the
/// end. Removed objects have the values of one that exists: links that name objects, and nothing that a field could not have.
/// But their lists are empty. A part where no object exists has no column but [`REMOVED`].
fn with_removed<C: Class>(
    objects: &Objects<C>,
    rows: Range<usize>,
    is_last: bool,
    batch: &RecordBatch,
) -> Result<RecordBatch, ArrowError> {
    let mut live = (0..objects.slots()).filter(|&index| objects.exists(index));
    let before = rows.start.checked_sub(1).and_then(|before| live.nth(before));
    let mut next = before.map_or(0, |before| before + 1);
    let (mut order, mut removed) = (Vec::new(), BooleanBufferBuilder::new(0));
    for (row, index) in live.take(rows.len()).enumerate() {
        order.resize(order.len() + index + 1 - next, row as u32);
        removed.append_n(index - next, true);
        removed.append(false);
        next = index + 1;
    }
    if is_last {
        removed.append_n(objects.slots() - next, true);
        order.resize(removed.len(), rows.len().saturating_sub(1) as u32);
    }
    let (order, removed) = (UInt32Array::from(order), removed.finish());
    let values = batch.schema_ref().fields().iter().zip(batch.columns()).filter(|_| !rows.is_empty());
    let taken = values.map(|(field, column)| {
        let DataType::List(element) = column.data_type() else {
            return Ok((Arc::clone(field), arrow_select::take::take(column, &order, None)?));
        };
        // Each row that is left comes once, in order: its elements stay where they are.
        let lists = column.as_list::<i32>();
        let len = |(&row, removed): (&u32, bool)| if removed { 0 } else { lists.value_length(row as usize) as usize };
        let ends = OffsetBuffer::from_lengths(order.values().iter().zip(&removed).map(len));
        let (first, last) = (lists.value_offsets()[0] as usize, lists.value_offsets()[lists.len()] as usize);
        let elements = lists.values().slice(first, last - first);
        Ok((Arc::clone(field), Arc::new(ListArray::try_new(Arc::clone(element), ends, elements, None)?) as ArrayRef))
    });
    let removed: ArrayRef = Arc::new(BooleanArray::new(removed.clone(), None));
    let field = Arc::new(ArrowField::new(REMOVED, DataType::Boolean, false));
    let columns = taken.chain([Ok((field, removed))]).collect::<Result<Vec<_>, ArrowError>>()?;
    let (fields, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// How a class becomes columns.
pub(crate) struct How<'a, W> {
    is_flat: bool,
    /// The world, if columns may stay where they are.
    shared: Option<&'a Arc<W>>,
    /// A part of the objects, with links by numbers of objects: which one, and of how many.
    part: Option<(usize, usize)>,
}

impl<W> How<'_, W> {
    const TABLE: Self = Self { is_flat: false, shared: None, part: None };
}

pub(crate) fn check_names<W: World>() -> Result<(), TableError> {
    for (n, class) in W::CLASSES.iter().enumerate() {
        if W::CLASSES[..n].iter().any(|other| other.name() == class.name()) {
            return Err(TableError::SameName { class: class.name() });
        }
    }
    Ok(())
}

/// A target of all classes: files of a folder, or tables in memory.
pub trait Target<W> {
    /// Adds the objects of a class.
    fn add<C: TableClass>(&mut self, from: &Export<'_, W>) -> Result<(), TableError>
    where
        W: World + Holds<C>;
}

/// Files that are whole, and have no names yet.
struct Files<'a> {
    folder: &'a Path,
    format: Format,
    whole: Vec<NewFile>,
}

impl<W> Target<W> for Files<'_> {
    fn add<C: TableClass>(&mut self, from: &Export<'_, W>) -> Result<(), TableError>
    where
        W: World + Holds<C>,
    {
        self.whole.push(from.file::<C>(&self.folder.join(self.format.file(C::NAME)), self.format)?);
        Ok(())
    }
}

/// A part of each class.
struct Tables {
    part: (usize, usize),
    batches: Vec<(&'static str, RecordBatch)>,
}

impl<W> Target<W> for Tables {
    fn add<C: TableClass>(&mut self, from: &Export<'_, W>) -> Result<(), TableError>
    where
        W: World + Holds<C>,
    {
        let how = How { part: Some(self.part), ..How::TABLE };
        self.batches.push((C::NAME, from.columns::<C>(&how, C::NAME.to_owned())?));
        Ok(())
    }
}

/// The classes of a world, all of which can be tables: implemented for worlds of such classes.
#[diagnostic::on_unimplemented(
    message = "some class of this world cannot be a table",
    note = "`world.batch::<Class>()` says which field of a class is the reason; read and write the other classes one by one"
)]
pub trait TableClasses<W> {
    #[doc(hidden)]
    fn write(from: &Export<'_, W>, to: &mut impl Target<W>) -> Result<(), TableError>;
    #[doc(hidden)]
    fn import(from: &mut Sources<'_>, import: Import<W>) -> Import<W>;
}

impl<W> TableClasses<W> for () {
    fn write(_: &Export<'_, W>, _: &mut impl Target<W>) -> Result<(), TableError> {
        Ok(())
    }
    fn import(_: &mut Sources<'_>, import: Import<W>) -> Import<W> {
        import
    }
}

impl<W: World + Holds<C>, C: TableClass, R: TableClasses<W>> TableClasses<W> for (C, R) {
    fn write(from: &Export<'_, W>, to: &mut impl Target<W>) -> Result<(), TableError> {
        to.add::<C>(from)?;
        R::write(from, to)
    }
    fn import(from: &mut Sources<'_>, import: Import<W>) -> Import<W> {
        let import = import.table(from.next::<C>());
        R::import(from, import)
    }
}
