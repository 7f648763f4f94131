//! Names of columns of one type, as values of one type.

use std::fmt;

use super::Objects;
use super::columns::{SliceColumn, SliceColumnMut};
use crate::class::{Class, Field};
use crate::column::Column;
use crate::layout::Contiguous;
use crate::storage::Stored;

/// A column of class `C` with values of type `T`, whichever it is: made of names of columns, which have a type each.
///
/// ```
/// use ikra::{AnyColumn, prelude::*};
///
/// #[soa_class]
/// pub struct Boid { pub pos: f32, pub vel: f32 }
/// #[soa_world]
/// pub struct Sky { pub boids: Objects<Boid> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sky = Sky::new();
/// sky.boids.extend([Boid { pos: 1.0, vel: 2.0 }, Boid { pos: 3.0, vel: 4.0 }])?;
/// let columns: [AnyColumn<Boid, f32>; 2] = [boid::pos.into(), boid::vel.into()];
/// for column in columns {
///     column.of_mut(&mut sky.boids).reverse();
/// }
/// assert_eq!(sky.boids.column(boid::pos), [3.0, 1.0]);
/// assert_eq!(columns[1].of(&sky.boids), [4.0, 2.0]);
/// # Ok(()) }
/// ```
pub struct AnyColumn<C: Class, T: 'static> {
    field: usize,
    shared: fn(&Objects<C>) -> &[T],
    exclusive: fn(&mut Objects<C>) -> &mut [T],
}

impl<C: Class, T> AnyColumn<C, T> {
    /// [`Objects::column`].
    ///
    /// # Panics
    ///
    /// If a reserved object is not initialised.
    #[track_caller]
    pub fn of(self, objects: &Objects<C>) -> &[T] {
        (self.shared)(objects)
    }

    /// [`Objects::column_mut`].
    ///
    /// # Panics
    ///
    /// If a reserved object is not initialised.
    #[track_caller]
    pub fn of_mut(self, objects: &mut Objects<C>) -> &mut [T] {
        (self.exclusive)(objects)
    }
}

impl<C, T, const K: usize> From<Column<C, K>> for AnyColumn<C, T>
where
    C: Field<K, Storage: SliceColumn + SliceColumnMut + Stored<Row = T>, Layout: Contiguous>,
{
    fn from(_: Column<C, K>) -> Self {
        Self {
            field: K,
            shared: |objects| objects.column(Column::<C, K>::NEW),
            exclusive: |objects| objects.column_mut(Column::<C, K>::NEW),
        }
    }
}

impl<C: Class, T> Copy for AnyColumn<C, T> {}
impl<C: Class, T> Clone for AnyColumn<C, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C: Class, T> fmt::Debug for AnyColumn<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", C::NAME, C::FIELDS[self.field].name)
    }
}
