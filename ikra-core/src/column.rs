//! Names of columns.

use core::fmt;
use core::marker::PhantomData;

use crate::class::Class;
use crate::field_set::FieldSet;

/// Names the `K`-th field of class `C`: `body::mass`, a constant that `#[soa_class]` makes.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # #[derive(Debug)]
/// # pub struct Body { pub mass: f32 }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.extend([1.0, 2.0].map(|mass| Body { mass }))?;
/// let column: ikra::Column<Body, 0> = body::mass;
/// assert_eq!(sim.bodies.column(column), [1.0, 2.0]);
/// # Ok(()) }
/// ```
pub struct Column<C, const K: usize>(PhantomData<fn() -> C>);

impl<C, const K: usize> Column<C, K> {
    #[doc(hidden)]
    pub const NEW: Self = Self(PhantomData);
}
impl<C, const K: usize> Copy for Column<C, K> {}
impl<C, const K: usize> Clone for Column<C, K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C: Class, const K: usize> fmt::Debug for Column<C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", C::NAME, C::FIELDS[K].name)
    }
}

impl FieldSet {
    /// Whether the field with this name is in the set: `effects.writes().has(body::pos)`.
    pub const fn has<C, const K: usize>(self, _field: Column<C, K>) -> bool {
        self.contains(K)
    }
}
