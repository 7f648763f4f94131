//! Tables as the objects of a world.

use std::any::TypeId;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use arrow_array::RecordBatch;
use hashbrown::HashMap;
use ikra_core::bits::{ones, set};
use ikra_core::class::{Class, Field};
use ikra_core::column::Column;
use ikra_core::storage::Stored;
use ikra_runtime::objects::{Lives, NewObjects, Objects};
use ikra_runtime::world::{Holds, World};

use crate::columns::{Columns, Table, Target, Targets, missing};
use crate::error::{BadRows, TableError, shown};
use crate::export::{Format, REMOVED, TableClasses, check_names};
use crate::fields::{Naming, NamingOf, TableClass, TableFields, column_names};
use crate::files::Opened;
use crate::keys::Keys;
use crate::value::TableValue;

/// Where the table of a class is.
enum From {
    File(PathBuf, Format),
    Batches(Vec<RecordBatch>),
    /// A class of a checkpoint: its rows by the numbers of objects, and the bits of removed ones.
    Saved(String, Vec<RecordBatch>, Vec<u64>),
}

/// The table of class `C`: where it is, and how its columns are named. [`Import`] reads it.
///
/// ```
/// use ikra::{prelude::*, tables::Source};
///
/// #[soa_class]
/// pub struct Car { pub pos: [f32; 2], pub speed: f32, pub street: Link<Street> }
/// #[soa_class]
/// pub struct Street { pub length: f32 }
///
/// let cars = Source::<Car>::parquet("cars.parquet")
///     .rename(car::street, "street_name")                // another name of a column
///     .fill(car::speed, 0.0);                            // one value for all objects
/// let streets = Source::<Street>::csv("streets.csv")
///     .key("name");                                      // links to streets are values of this column
/// ```
pub struct Source<C> {
    from: From,
    naming: Naming,
    key: Option<String>,
    class: PhantomData<fn() -> C>,
}

impl<C: Class> fmt::Debug for Source<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source<{}>({})", C::NAME, self.from.name())
    }
}

impl From {
    fn name(&self) -> String {
        match self {
            Self::File(path, _) => path.display().to_string(),
            Self::Batches(_) => "the table of batches".to_owned(),
            Self::Saved(from, ..) => from.clone(),
        }
    }
}

impl<C: Class> Source<C> {
    fn new(from: From) -> Self {
        Self { from, naming: Naming::new(), key: None, class: PhantomData }
    }

    pub(crate) fn file(path: PathBuf, format: Format) -> Self {
        Self::new(From::File(path, format))
    }

    /// A Parquet file.
    #[must_use]
    pub fn parquet(path: impl AsRef<Path>) -> Self {
        Self::file(path.as_ref().to_owned(), Format::Parquet)
    }

    /// A CSV file, in UTF-8, with commas, whose first line names the columns. Empty is no value.
    #[must_use]
    pub fn csv(path: impl AsRef<Path>) -> Self {
        Self::file(path.as_ref().to_owned(), Format::Csv)
    }

    /// Arrow's batches, whose rows follow one another.
    #[must_use]
    pub fn batches(batches: impl IntoIterator<Item = RecordBatch>) -> Self {
        Self::new(From::Batches(batches.into_iter().collect()))
    }

    /// Reads a field from a column of another name. Components and elements of arrays have names that start with it.
    #[must_use]
    pub fn rename<const K: usize>(mut self, _: Column<C, K>, column: impl Into<String>) -> Self {
        self.naming.rename(K, column.into());
        self
    }

    /// Gives all objects the same value of a field, for which the table needs no column.
    #[must_use]
    pub fn fill<T, const K: usize>(mut self, _: Column<C, K>, value: T) -> Self
    where
        C: Field<K, Storage: Stored<Row = T>>,
        T: TableValue,
    {
        self.naming.fill(K, value);
        self
    }

    /// Links to the class are values of this column: integers or texts, each different. The class needs no field for it.
    /// Without a key, links are the numbers of rows, counted from 0.
    #[must_use]
    pub fn key(mut self, column: impl Into<String>) -> Self {
        self.key = Some(column.into());
        self
    }
}

/// The tables of a checkpoint.
#[derive(Debug)]
pub(crate) struct Saved {
    /// Where it is.
    pub(crate) from: String,
    /// The text with which it was written.
    pub(crate) state: String,
    /// By class: its rows by the numbers of objects, and the bits of removed ones.
    pub(crate) tables: HashMap<String, (Vec<RecordBatch>, Vec<u64>)>,
}

/// Tables of all classes.
pub struct Sources<'a>(Whence<'a>);

/// Where tables of all classes are.
enum Whence<'a> {
    /// A folder with a file for each class.
    Folder(&'a Path, Format),
    Saved(&'a mut Saved),
}

impl Sources<'_> {
    /// The table of a class.
    pub(crate) fn next<C: Class>(&mut self) -> Source<C> {
        match &mut self.0 {
            Whence::Folder(folder, format) => Source::file(folder.join(format.file(C::NAME)), *format),
            Whence::Saved(saved) => {
                let (batches, removed) = saved.tables.remove(C::NAME).unwrap_or_default();
                Source::new(From::Saved(format!("{} of class {}", saved.from, C::NAME), batches, removed))
            }
        }
    }
}

/// Reads tables into a world: Arrow's batches, Parquet and CSV, by the names of columns.
///
/// ```
/// use ikra::{prelude::*, tables::{Import, Source}};
///
/// #[soa_class]
/// pub struct Street { pub length: f32 }
/// #[soa_class]
/// pub struct Car { pub speed: f32, pub street: Link<Street>, pub ahead: Option<Link<Car>> }
/// #[soa_world]
/// pub struct Town { pub streets: Objects<Street>, pub cars: Objects<Car> }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("ikra-import-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let (streets, cars) = (folder.join("streets.csv"), folder.join("cars.csv"));
/// std::fs::write(&streets, "name,length\nElm,120.5\nOak,80\n")?;
/// std::fs::write(&cars, "speed,street,ahead\n13.9,Oak,\n11.1,Oak,0\n")?;
///
/// let town: Town = Import::new()
///     .table(Source::<Street>::csv(&streets).key("name"))
///     .table(Source::<Car>::csv(&cars))
///     .read()?;
/// let last = town.all::<Car>().last().unwrap();
/// assert_eq!(last.street().length(), 80.0);
/// assert_eq!(last.ahead().unwrap().speed(), 13.9);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(()) }
/// ```
///
/// Nothing is read if any value of any table is bad: [`TableError::BadRows`] lists them.
pub struct Import<W> {
    tables: Vec<Box<dyn AnySource<W>>>,
}

impl<W> Default for Import<W> {
    fn default() -> Self {
        Self { tables: Vec::new() }
    }
}

impl<W> fmt::Debug for Import<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tables.iter().map(|table| table.class())).finish()
    }
}

impl<W: World> Import<W> {
    /// No tables yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the table of a class. If the class has one, this one replaces it.
    #[must_use]
    pub fn table<C: TableClass>(mut self, source: Source<C>) -> Self
    where
        W: Holds<C>,
    {
        self.tables.retain(|table| table.id() != TypeId::of::<C>());
        self.tables.push(Box::new(Reading { source, opened: None, removed: Vec::new(), objects: Objects::new() }));
        self
    }

    /// Adds a table for each class: `Body.parquet`, `Cell.parquet` in a folder, as [`Export`](crate::Export) writes them.
    #[must_use]
    pub fn parquet(self, folder: impl AsRef<Path>) -> Self
    where
        W::Classes: TableClasses<W>,
    {
        W::Classes::import(&mut Sources(Whence::Folder(folder.as_ref(), Format::Parquet)), self)
    }

    /// Adds a table for each class: `Body.csv`, `Cell.csv` in a folder.
    #[must_use]
    pub fn csv(self, folder: impl AsRef<Path>) -> Self
    where
        W::Classes: TableClasses<W>,
    {
        W::Classes::import(&mut Sources(Whence::Folder(folder.as_ref(), Format::Csv)), self)
    }

    /// The tables of a checkpoint, which are taken out of it.
    ///
    /// # Errors
    ///
    /// [`TableError::OtherClasses`], [`TableError::SameName`].
    pub(crate) fn saved(mut from: Saved) -> Result<Self, TableError>
    where
        W::Classes: TableClasses<W>,
    {
        check_names::<W>()?;
        let has = |class: &str| from.tables.contains_key(class);
        let lacks = W::CLASSES.iter().map(|class| class.name()).find(|class| !has(class));
        let is_of = |name: &str| W::CLASSES.iter().any(|class| class.name() == name);
        let other = from.tables.keys().find(|name| !is_of(name));
        let reason = match (lacks, other) {
            (Some(class), _) => format!("it has no class {class}"),
            (None, Some(class)) => format!("it has a class {class}, which this world lacks"),
            (None, None) => return Ok(W::Classes::import(&mut Sources(Whence::Saved(&mut from)), Self::new())),
        };
        Err(TableError::OtherClasses { path: from.from, reason })
    }

    /// Reads the tables into a new world. Classes without a table have no objects.
    ///
    /// # Errors
    ///
    /// All but those of writing.
    pub fn read(self) -> Result<W, TableError> {
        let mut world = W::new();
        self.into_world(&mut world)?;
        Ok(world)
    }

    /// Reads the tables into a world that has no objects of these classes. Links may be to its objects of other classes.
    /// After an error the world is as before.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read); [`TableError::NotEmpty`].
    pub fn into_world(mut self, world: &mut W) -> Result<(), TableError> {
        let mut targets = Targets::new();
        for member in world.members().as_ref() {
            let id = member.class().type_id();
            if member.slots() > 0 && self.tables.iter().any(|table| table.id() == id) {
                return Err(TableError::NotEmpty { class: member.name() });
            }
            let (class, len, holes) = (member.name(), member.slots(), member.holes());
            let mut removed = Vec::new();
            if holes > 0 {
                (0..len).filter(|&index| !member.exists(index)).for_each(|index| set(&mut removed, index));
            }
            targets.insert(id, Target { class, len, holes, removed, keys: None });
        }
        let mut bad = BadRows::default();
        for table in &mut self.tables {
            let target = table.open(&mut bad)?;
            targets.insert(table.id(), target);
        }
        for table in &mut self.tables {
            bad.join(table.read(&targets)?);
        }
        bad.finish()?;
        for table in self.tables {
            table.enter(world);
        }
        Ok(())
    }
}

/// A table that is being read.
struct Reading<C: Class> {
    source: Source<C>,
    opened: Option<Opened>,
    /// The objects that are to be removed: one bit per index.
    removed: Vec<u64>,
    objects: Objects<C>,
}

/// [`Reading`] of any class.
trait AnySource<W> {
    fn class(&self) -> &'static str;
    fn id(&self) -> TypeId;
    /// Opens the table, counts its rows, and reads the keys.
    fn open(&mut self, bad: &mut BadRows) -> Result<Target, TableError>;
    /// Reads the objects.
    fn read(&mut self, targets: &Targets) -> Result<BadRows, TableError>;
    /// Puts the objects into the world.
    fn enter(self: Box<Self>, world: &mut W);
}

impl<W: Holds<C>, C: TableClass> AnySource<W> for Reading<C> {
    fn class(&self) -> &'static str {
        C::NAME
    }

    fn id(&self) -> TypeId {
        TypeId::of::<C>()
    }

    fn open(&mut self, bad: &mut BadRows) -> Result<Target, TableError> {
        let from = self.source.from.name();
        let opened = match std::mem::replace(&mut self.source.from, From::Batches(Vec::new())) {
            From::Batches(mut batches) => {
                // Some programs begin with one that says nothing about the table.
                batches.retain(|batch| batch.num_rows() > 0 || batch.num_columns() > 0);
                Opened::Batches(batches)
            }
            From::Saved(from, batches, removed) => {
                let wanted = column_names::<C>(&self.source.naming);
                let is_known = |name: &String| name == REMOVED || wanted.contains(name);
                let names = batches.iter().flat_map(|batch| batch.schema_ref().fields()).map(|field| field.name());
                if let Some(name) = names.into_iter().find(|name| !is_known(name)) {
                    let reason = format!("it has a column `{}`, which class {} lacks", shown(name), C::NAME);
                    return Err(TableError::OtherClasses { path: from, reason });
                }
                self.source.from = From::Saved(from, Vec::new(), Vec::new());
                self.removed = removed;
                Opened::Batches(batches)
            }
            From::File(path, format) => {
                let opened = match format {
                    Format::Parquet => Opened::parquet(&path)?,
                    Format::Csv => {
                        let mut wanted = column_names::<C>(&self.source.naming);
                        wanted.extend(self.source.key.clone());
                        Opened::csv(&path, &wanted)?
                    }
                };
                self.source.from = From::File(path, format);
                opened
            }
        };
        let parts = opened.parts(&from)?;
        let len = parts.iter().fold(0, |len: usize, rows| len.saturating_add(*rows));
        let keys = match &self.source.key {
            Some(key) => Some(read_keys::<C>(&opened, &from, key, &parts, bad)?),
            None => None,
        };
        self.opened = Some(opened);
        Ok(Target { class: C::NAME, len, holes: 0, removed: self.removed.clone(), keys })
    }

    fn read(&mut self, targets: &Targets) -> Result<BadRows, TableError> {
        let Some(opened) = self.opened.take() else { return Ok(BadRows::default()) };
        let wanted = column_names::<C>(&self.source.naming);
        let from = self.source.from.name();
        let parts = opened.parts(&from)?;
        let removed = ones(&self.removed).count();
        if removed > 0 && removed == parts.iter().sum::<usize>() {
            // No object is left, and the rows have no values.
            self.objects.add_removed(removed)?;
            self.removed.clear();
            return Ok(BadRows::default());
        }
        if parts.iter().any(|&rows| rows > 0) {
            self.source.naming.check_links::<C>(targets)?;
        }
        let table = TableOf { opened, from, wanted, parts, naming: &self.source.naming, targets, class: PhantomData };
        let read = match Objects::<C>::has_parts() {
            true => table.by_columns(&mut self.objects),
            false => table.by_rows(&mut self.objects),
        };
        read.map_err(|error| match (error, &self.source.from) {
            (TableError::MissingColumn { class, column, .. }, From::Saved(path, ..)) => {
                let reason = format!("it has no column `{}`, which class {class} has", shown(&column));
                TableError::OtherClasses { path: path.clone(), reason }
            }
            (error, _) => error,
        })
    }

    fn enter(mut self: Box<Self>, world: &mut W) {
        if !self.removed.is_empty() {
            self.objects.remove_all(&self.removed);
        }
        *world.objects_mut() = self.objects;
    }
}

/// Reads the keys of all rows.
fn read_keys<C: Class>(
    opened: &Opened,
    from: &str,
    key: &str,
    parts: &[usize],
    bad: &mut BadRows,
) -> Result<Keys, TableError> {
    let targets = Targets::new();
    let wanted = [key.to_owned()];
    let (mut keys, mut row) = (Keys::default(), 0);
    let found = RefCell::new(BadRows::default());
    for part in 0..parts.len() {
        let names = opened.names(part);
        let table = Table { from, class: C::NAME, targets: &targets, names: &names, parses: opened.is_csv() };
        if !names.iter().any(|name| name == key) {
            return Err(missing(table, key));
        }
        opened.read(from, part, &wanted, |batch| {
            keys.add(&Columns::of(batch, row, table, &found), key, row)?;
            row += batch.num_rows();
            Ok(())
        })?;
    }
    bad.join(found.into_inner());
    Ok(keys)
}

/// A table that is open, with all that its rows need.
struct TableOf<'a, C> {
    opened: Opened,
    from: String,
    /// The columns that the class may have.
    wanted: Vec<String>,
    parts: Vec<usize>,
    naming: &'a Naming,
    targets: &'a Targets,
    class: PhantomData<fn() -> C>,
}

impl<C: TableClass> TableOf<'_, C> {
    /// Reads a part, whose first row has the number `first`.
    fn part(
        &self,
        part: usize,
        first: usize,
        mut with: impl FnMut(&Columns<'_>) -> Result<(), TableError>,
    ) -> Result<BadRows, TableError> {
        let (from, names) = (&self.from, &self.opened.names(part));
        let table = Table { from, class: C::NAME, targets: self.targets, names, parses: self.opened.is_csv() };
        let bad = RefCell::new(BadRows::default());
        let (len, mut read) = (self.parts[part], 0);
        let wrong_count = |read: usize| TableError::Unreadable {
            from: self.from.clone(),
            format: "Parquet",
            reason: format!("a part has {read} rows and claims to have {len}"),
        };
        self.opened.read(&self.from, part, &self.wanted, |batch| {
            if batch.num_rows() > len - read {
                return Err(wrong_count(read + batch.num_rows()));
            }
            with(&Columns::of(batch, first + read, table, &bad))?;
            read += batch.num_rows();
            Ok(())
        })?;
        if read == len { Ok(bad.into_inner()) } else { Err(wrong_count(read)) }
    }

    /// The number of the first row of each part.
    fn starts(&self) -> Vec<usize> {
        let starts = self.parts.iter().scan(0_usize, |next, len| {
            let start = *next;
            *next = next.saturating_add(*len);
            Some(start)
        });
        starts.collect()
    }

    /// Reads all parts at once, column by column.
    fn by_columns(&self, objects: &mut Objects<C>) -> Result<BadRows, TableError> {
        let starts = self.starts();
        let found = Mutex::new(Vec::new());
        let read = |part: usize, new: &mut NewObjects<'_, C>| {
            let bad = self.part(part, starts[part], |from| C::Fields::append(from, &NamingOf(self.naming), new))?;
            if bad.count() > 0 {
                found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((part, bad));
            }
            Ok::<_, TableError>(())
        };
        objects.extend_in_parts(&self.parts, read)?;
        let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        found.sort_unstable_by_key(|(part, _)| *part);
        let mut bad = BadRows::default();
        found.into_iter().for_each(|(_, later)| bad.join(later));
        Ok(bad)
    }

    /// Reads one part after another, object by object: for classes with arrays in an arena.
    fn by_rows(&self, objects: &mut Objects<C>) -> Result<BadRows, TableError> {
        let starts = self.starts();
        let mut bad = BadRows::default();
        for part in 0..self.parts.len() {
            let found = self.part(part, starts[part], |from| {
                objects.extend(C::Fields::rows(from, &NamingOf(self.naming))?)?;
                Ok(())
            })?;
            bad.join(found);
        }
        Ok(bad)
    }
}
