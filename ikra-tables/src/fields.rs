//! All fields of a class, as columns.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use hashbrown::{HashMap, HashSet};
use ikra_core::class::{Class, ClassInfo};
use ikra_core::storage::{FieldTuple, Storage};
use ikra_core::tuples::for_tuples;
use ikra_runtime::objects::{NewObjects, Objects};
use ikra_runtime::world::Holds;

use crate::columns::{Columns, Targets};
use crate::error::TableError;
use crate::value::TableValue;
use crate::written::{Links, Named, Written};

/// How the fields of class `C` are named in a table.
pub(crate) struct Naming {
    /// By field: the column's name, if it is another one.
    names: HashMap<usize, String>,
    /// By field: the value of all objects, instead of a column.
    values: HashMap<usize, Filled>,
}

/// A value of all objects.
struct Filled {
    value: Box<dyn Any + Send + Sync>,
    /// Writes the value, to check its links.
    write: fn(&(dyn Any + Send + Sync), &Links<'_>) -> Result<(), TableError>,
}

fn write_filled<T: TableValue>(value: &(dyn Any + Send + Sync), links: &Links<'_>) -> Result<(), TableError> {
    let Some(value) = value.downcast_ref::<T>() else { return Ok(()) };
    T::write(std::slice::from_ref(value), "", links, &mut Written::new(false, String::new()))
}

impl Naming {
    pub(crate) fn new() -> Self {
        Self { names: HashMap::new(), values: HashMap::new() }
    }

    pub(crate) fn rename(&mut self, field: usize, name: String) {
        self.names.insert(field, name);
    }

    pub(crate) fn fill<T: TableValue>(&mut self, field: usize, value: T) {
        self.values.insert(field, Filled { value: Box::new(value), write: write_filled::<T> });
    }

    /// An error if a value of all objects is a link to no object.
    pub(crate) fn check_links<C: ClassInfo>(&self, targets: &Targets) -> Result<(), TableError> {
        if self.values.is_empty() {
            return Ok(());
        }
        let named = targets.iter().map(|(class, target)| (*class, Named::of_rows(target))).collect();
        let mut fields: Vec<_> = self.values.iter().collect();
        fields.sort_unstable_by_key(|(field, _)| **field);
        for (&field, filled) in fields {
            let Some(info) = C::FIELDS.get(field) else { continue };
            let written = (filled.write)(&*filled.value, &Links::new(&named, C::NAME, info.name));
            // Another value that cannot be written can be read.
            if let Err(error @ TableError::BadLink { .. }) = written {
                return Err(error);
            }
        }
        Ok(())
    }

    fn name<C: ClassInfo>(&self, field: usize) -> &str {
        self.names.get(&field).map_or_else(|| C::FIELDS.get(field).map_or("", |field| field.name), String::as_str)
    }
}

/// The values of field `K`, from a column or for all objects.
fn read<'a, C: Class, F: Storage<C, K, Row: TableValue>, const K: usize>(
    from: &Columns<'a>,
    naming: &Naming,
) -> Result<Cow<'a, [F::Row]>, TableError> {
    match naming.values.get(&K).and_then(|filled| filled.value.downcast_ref::<F::Row>()) {
        Some(value) => Ok(Cow::Owned(vec![value.clone(); from.len()])),
        None => {
            let name = naming.name::<C>(K);
            from.begin(C::FIELDS.get(K).map_or("", |field| field.name), name);
            F::Row::read(from, name)
        }
    }
}

/// Reads field `K` of the next objects.
fn append<C: Class, F: Storage<C, K, Row: TableValue>, const K: usize>(
    from: &Columns<'_>,
    naming: &Naming,
    new: &mut NewObjects<'_, C>,
) -> Result<(), TableError> {
    if K < C::FIELDS.len() {
        new.append::<F, K>(&read::<C, F, K>(from, naming)?);
    }
    Ok(())
}

/// A class that is being written.
pub(crate) struct Writing<'a, W, C: Class> {
    pub(crate) objects: &'a Objects<C>,
    pub(crate) named: &'a HashMap<TypeId, Named>,
    /// The fields of classes that are left out.
    pub(crate) skipped: &'a HashSet<(TypeId, usize)>,
    /// The world, if columns may stay where they are.
    pub(crate) shared: Option<&'a Arc<W>>,
    /// The objects, counted without removed ones.
    pub(crate) rows: Range<usize>,
}

/// A column of a world that others hold too.
struct Shared<W> {
    world: Arc<W>,
    bytes: fn(&W) -> &[u8],
}

impl<W> AsRef<[u8]> for Shared<W> {
    fn as_ref(&self) -> &[u8] {
        (self.bytes)(&self.world)
    }
}

/// The bytes of a column, if its values lie side by side and are those of an Arrow column. They were fetched before.
fn bytes_of<W: Holds<C>, C: Class, T: TableValue, const K: usize>(world: &W) -> &[u8] {
    T::slice(world.objects(), K).ok().flatten().and_then(T::bytes).unwrap_or(&[])
}

fn write<W, C, F, const K: usize>(from: &Writing<'_, W, C>, to: &mut Written) -> Result<(), TableError>
where
    W: Holds<C>,
    C: Class,
    F: Storage<C, K, Row: TableValue>,
{
    let Some(field) = C::FIELDS.get(K) else { return Ok(()) };
    if from.skipped.contains(&(TypeId::of::<C>(), K)) {
        return Ok(());
    }
    to.begin(field.name);
    let values = match F::Row::slice(from.objects, K)? {
        Some(values) => Cow::Borrowed(values),
        None => Cow::Owned(from.objects.field_values::<F, K>()?),
    };
    if let (Some(world), Cow::Borrowed(values)) = (from.shared, &values)
        && F::Row::bytes(values).is_some()
    {
        let shared = Shared { world: Arc::clone(world), bytes: bytes_of::<W, C, F::Row, K> };
        if let Some(column) = F::Row::column(Bytes::from_owner(shared).into(), values.len()) {
            to.add(field.name, column);
            return Ok(());
        }
    }
    F::Row::write(&values[from.rows.clone()], field.name, &Links::new(from.named, C::NAME, field.name), to)
}

/// The fields of a class, all of which can be columns: implemented for each class whose fields implement [`TableValue`].
pub trait TableFields<C: Class>: FieldTuple<C> {
    /// The names of the columns from which the fields may be read.
    #[doc(hidden)]
    fn names(naming: &dyn Fn(usize) -> Option<String>) -> Vec<String>;
    /// Reads a batch into new objects, column by column.
    #[doc(hidden)]
    fn append(from: &Columns<'_>, naming: &NamingOf<'_>, new: &mut NewObjects<'_, C>) -> Result<(), TableError>;
    /// Reads a batch as rows.
    #[doc(hidden)]
    fn rows(from: &Columns<'_>, naming: &NamingOf<'_>) -> Result<Vec<C>, TableError>;
    /// Writes all objects.
    #[doc(hidden)]
    fn write<W: Holds<C>>(from: &WritingOf<'_, W, C>, to: &mut Written) -> Result<(), TableError>;
}

/// [`Naming`], for a public trait.
pub struct NamingOf<'a>(pub(crate) &'a Naming);
/// [`Writing`], for a public trait.
pub struct WritingOf<'a, W, C: Class>(pub(crate) Writing<'a, W, C>);

macro_rules! table_fields {
    ($(($F:ident $M:ident $X:ident $k:tt))+) => {
        impl<C: Class<Fields = Self>, $($F: Storage<C, $k, Row: TableValue>),+> TableFields<C> for ($($F,)+) {
            fn names(name: &dyn Fn(usize) -> Option<String>) -> Vec<String> {
                let mut names = Vec::new();
                $(
                    if let Some(name) = name($k) {
                        $F::Row::names(&name, &mut names);
                    }
                )+
                names
            }
            fn append(from: &Columns<'_>, naming: &NamingOf<'_>, new: &mut NewObjects<'_, C>) -> Result<(), TableError> {
                $(append::<C, $F, $k>(from, naming.0, new)?;)+
                Ok(())
            }
            fn rows(from: &Columns<'_>, naming: &NamingOf<'_>) -> Result<Vec<C>, TableError> {
                let columns = ($(read::<C, $F, $k>(from, naming.0)?,)+);
                Ok((0..from.len()).map(|n| C::from_values(($(columns.$k[n].clone(),)+))).collect())
            }
            fn write<W: Holds<C>>(from: &WritingOf<'_, W, C>, to: &mut Written) -> Result<(), TableError> {
                $(write::<W, C, $F, $k>(&from.0, to)?;)+
                Ok(())
            }
        }
    };
}
for_tuples!(table_fields);

/// A class whose fields can all be columns of a table.
///
/// ```
/// use ikra::{Holds, prelude::*, tables::{TableClass, TableWorld}};
///
/// /// The columns of any class.
/// fn columns<C: TableClass, W: TableWorld + Holds<C>>(world: &W) -> usize {
///     world.batch::<C>().map_or(0, |batch| batch.num_columns())
/// }
/// # #[soa_class] pub struct Body { pub pos: [f32; 2], pub mass: f32 }
/// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
/// assert_eq!(columns::<Body, Sim>(&Sim::new()), 2);
/// ```
pub trait TableClass: Class<Fields: TableFields<Self>> {}
impl<C: Class<Fields: TableFields<C>>> TableClass for C {}

/// The names of the columns from which class `C` may be read.
pub(crate) fn column_names<C: TableClass>(naming: &Naming) -> Vec<String> {
    let name = |field| {
        let is_column = field < C::FIELDS.len() && !naming.values.contains_key(&field);
        is_column.then(|| naming.name::<C>(field).to_owned())
    };
    C::Fields::names(&name)
}
