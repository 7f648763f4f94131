//! The guard behind `world.get_mut(link)`.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use crate::arity::FieldTuple;
use crate::class::Class;
use crate::handle::Handle;
use crate::phase::{FieldSet, Sequential};
use crate::table::Table;

/// An object's view in sequential code, stored when it is dropped.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # #[derive(Debug)]
/// # pub struct Body { pub mass: f32 }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// let link = sim.bodies.push(Body { mass: 2.0 })?;
/// let mut body: ikra::Mut<'_, Body> = sim.get_mut(link);
/// body.mass += 1.0;
/// drop(body);
/// assert_eq!(sim.get(link).mass(), 3.0);
/// # Ok(()) }
/// ```
pub struct Mut<'w, C: Class> {
    view: ManuallyDrop<C::View<'w, Sequential>>,
    table: &'w Table<C>,
    index: usize,
}

impl<'w, C: Class> Mut<'w, C> {
    /// The view of an object that exists, in a world that is borrowed exclusively during `'w`.
    pub(crate) fn new(table: &'w Table<C>, index: usize) -> Self {
        table.fetch(FieldSet::ALL);
        table.changed_on_host(FieldSet::ALL);
        // SAFETY: the object exists, and the borrow of the world excludes other writes.
        let values = unsafe { <C::Fields as FieldTuple>::read::<C>(&table.bases, index) };
        let views = <C::Fields as FieldTuple>::to_views::<C, Sequential>(values, table, index);
        let view = C::to_view(views, Handle::at(table, index));
        Self { view: ManuallyDrop::new(view), table, index }
    }
}

impl<C: Class> Drop for Mut<'_, C> {
    fn drop(&mut self) {
        // SAFETY: taken once, and not used after.
        let view = unsafe { ManuallyDrop::take(&mut self.view) };
        let views = C::from_view(view);
        if let Some(field) = <C::Fields as FieldTuple>::stray::<C, Sequential>(&views, self.table, self.index) {
            if std::thread::panicking() {
                return;
            }
            crate::fault::stray_handle::<C>("sequential code", field);
        }
        let values = <C::Fields as FieldTuple>::from_views::<Sequential>(views);
        // SAFETY: the object exists, and the borrow of the world excludes other accesses.
        unsafe { <C::Fields as FieldTuple>::write_back::<C>(&self.table.bases, self.index, values) }
    }
}

impl<'w, C: Class> Deref for Mut<'w, C> {
    type Target = C::View<'w, Sequential>;
    fn deref(&self) -> &Self::Target {
        &self.view
    }
}

impl<C: Class> DerefMut for Mut<'_, C> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.view
    }
}

impl<'w, C: Class<View<'w, Sequential>: fmt::Debug>> fmt::Debug for Mut<'w, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
