//! Tables of whole worlds.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use ikra_runtime::world::{Holds, World};

use crate::error::TableError;
use crate::export::{Export, TableClasses};
use crate::fields::TableClass;
use crate::import::Import;

/// Tables of a world: short forms of [`Import`] and [`Export`].
///
/// ```
/// use ikra::{prelude::*, tables::TableWorld};
///
/// #[soa_class]
/// pub struct Body { pub pos: [f32; 2], pub near: Option<Link<Body>> }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::tables::TableError> {
/// let mut sim = Sim::new();
/// let body = sim.bodies.push(Body { pos: [1.0, 2.0], near: None })?;
/// sim.bodies.push(Body { pos: [3.0, 4.0], near: Some(body) })?;
///
/// let folder = std::env::temp_dir().join(format!("ikra-world-{}", std::process::id()));
/// sim.write_parquet(&folder)?;                      // folder/Body.parquet
/// let copy = Sim::read_parquet(&folder)?;
/// assert_eq!(copy.bodies.column(body::pos), sim.bodies.column(body::pos));
/// assert_eq!(copy.bodies.column(body::near), sim.bodies.column(body::near));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok(()) }
/// ```
pub trait TableWorld: World {
    /// Reads a world from a folder of Parquet files, one per class: `Body.parquet`.
    ///
    /// # Errors
    ///
    /// As for [`Import::read`].
    fn read_parquet(folder: impl AsRef<Path>) -> Result<Self, TableError>
    where
        Self::Classes: TableClasses<Self>,
    {
        Import::new().parquet(folder).read()
    }

    /// Reads a world from a folder of CSV files, one per class: `Body.csv`.
    ///
    /// # Errors
    ///
    /// As for [`Import::read`].
    fn read_csv(folder: impl AsRef<Path>) -> Result<Self, TableError>
    where
        Self::Classes: TableClasses<Self>,
    {
        Import::new().csv(folder).read()
    }

    /// Writes all classes to a folder of Parquet files, one per class: [`Export::parquet`].
    ///
    /// # Errors
    ///
    /// As for [`Export::parquet`].
    fn write_parquet(&self, folder: impl AsRef<Path>) -> Result<(), TableError>
    where
        Self::Classes: TableClasses<Self>,
    {
        Export::of(self).parquet(folder)
    }

    /// Writes all classes to a folder of CSV files, one per class: [`Export::csv`].
    ///
    /// # Errors
    ///
    /// As for [`Export::csv`].
    fn write_csv(&self, folder: impl AsRef<Path>) -> Result<(), TableError>
    where
        Self::Classes: TableClasses<Self>,
    {
        Export::of(self).csv(folder)
    }

    /// The objects of a class as Arrow's batch, with a copy of each column.
    ///
    /// # Errors
    ///
    /// As for [`Export::batch`].
    fn batch<C: TableClass>(&self) -> Result<RecordBatch, TableError>
    where
        Self: Holds<C>,
    {
        Export::of(self).batch::<C>()
    }

    /// The objects of a class as Arrow's batch, without a copy of columns that are Arrow's already: those of numbers and
    /// of arrays of numbers, in layout `soa`, of a class without removed objects. The others are copied.
    ///
    /// The batch keeps the world alive, and nothing changes a world in an `Arc`. When all batches are gone,
    /// `Arc::into_inner` returns the world.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use ikra::{prelude::*, tables::TableWorld};
    ///
    /// #[soa_class]
    /// pub struct Body { pub mass: f32 }
    /// #[soa_world]
    /// pub struct Sim { pub bodies: Objects<Body> }
    ///
    /// # fn main() -> Result<(), ikra::tables::TableError> {
    /// let mut sim = Sim::new();
    /// sim.bodies.extend((0..1000).map(|n| Body { mass: n as f32 }))?;
    /// let sim = Arc::new(sim);
    /// let batch = sim.share_batch::<Body>()?;
    /// let column = batch.column(0).to_data();
    /// assert_eq!(column.buffers()[0].as_ptr(), sim.bodies.column(body::mass).as_ptr().cast());
    /// drop((column, batch));
    /// let mut sim = Arc::into_inner(sim).expect("no batch has it");
    /// sim.bodies.column_mut(body::mass)[0] = 1.0;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Export::batch`].
    fn share_batch<C: TableClass>(self: &Arc<Self>) -> Result<RecordBatch, TableError>
    where
        Self: Holds<C>,
    {
        Export::shared::<C>(self)
    }
}

impl<W: World> TableWorld for W {}
