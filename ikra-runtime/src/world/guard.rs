//! The guard that `world.get_mut(link)` returns.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use crate::class::Class;
use crate::facts::Facts;
use crate::handle::{Handle, Own};
use crate::phase::Guarded;
use crate::storage::{Copies, FieldTuple, ViewOf};
use crate::table::Table;
use ikra_core::effects::FieldSet;

/// An object's view in sequential code, stored when it is dropped.
///
/// Its fields belong to the guard, inner arrays included: links to the same object show the object's former state. Only
/// fields under `#[atomic]` belong to the object.
///
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
///
/// A guard whose fields were exchanged with another's (`mem::swap` of arrays or atomics of two worlds) panics when it
/// is dropped, and stores nothing. A forgotten guard (`mem::forget`) stores nothing either.
pub struct Mut<'w, C: Class> {
    view: ManuallyDrop<C::View<'w, Guarded>>,
    /// The values from which the view was made. Arrays are in `copies`.
    values: <C::Fields as FieldTuple<C>>::Values,
    /// Leaked if the view of another guard may show them.
    copies: ManuallyDrop<Copies>,
    table: &'w Table<C>,
    index: usize,
    /// Whether the thread was unwinding when the guard was made, in a destructor. Then the panic does not drop the
    /// guard; the destructor does.
    was_panicking: bool,
}

impl<'w, C: Class> Mut<'w, C> {
    /// The view of an object that exists, in a world that is borrowed exclusively during `'w`.
    pub(crate) fn new(table: &'w Table<C>, index: usize) -> Self {
        // Fetches all fields, and marks them as changed already: the world stays borrowed until the guard stores them.
        table.written(FieldSet::ALL, index..index + 1);
        let mut copies = Copies::new();
        // SAFETY: the object exists, and the borrow of the world excludes other writes.
        let values = unsafe { <C::Fields as FieldTuple<C>>::read(&table.bases, index) };
        // SAFETY: the values belong to the object, which exists, and the borrow of the world excludes other writes.
        let values = unsafe { <C::Fields as FieldTuple<C>>::detach(values, &mut copies) };
        // SAFETY: the object exists, and the values belong to it.
        let views = unsafe {
            <C::Fields as FieldTuple<C>>::to_views::<Guarded>(
                values,
                FieldSet::ALL,
                ViewOf::Own,
                table,
                index,
                Facts::NONE,
            )
        };
        // SAFETY: the object exists, by the caller.
        let view = C::to_view(views, Own::new(unsafe { Handle::found(table, index) }, values));
        let was_panicking = std::thread::panicking();
        Self { view: ManuallyDrop::new(view), values, copies: ManuallyDrop::new(copies), table, index, was_panicking }
    }
}

impl<C: Class> Drop for Mut<'_, C> {
    fn drop(&mut self) {
        // SAFETY: the view is taken once, and not used afterwards.
        let view = unsafe { ManuallyDrop::take(&mut self.view) };
        let (views, _) = C::from_view(view);
        let stray = <C::Fields as FieldTuple<C>>::stray::<Guarded>(&views, self.table, self.index);
        let values = <C::Fields as FieldTuple<C>>::from_views::<Guarded>(views);
        if let Some(field) = stray.or_else(|| <C::Fields as FieldTuple<C>>::other_array(&self.values, &values)) {
            // The copies are leaked, because the other guard's view may show them.
            if std::thread::panicking() && !self.was_panicking {
                return;
            }
            crate::panics::stray_handle::<C>("sequential code", field);
        }
        // SAFETY: 1. The object exists. The borrow of the world excludes all accesses except those of refs in phase
        // `Guarded`. These refs do not refer into columns (I8). They are in this thread, since neither they nor the
        // guard can be sent to another. 2. The arrays are this guard's copies.
        unsafe { <C::Fields as FieldTuple<C>>::write_back(&self.table.bases, self.index, values) }
        // SAFETY: the copies are dropped once. Only the view showed them: arrays can only be exchanged, and each of
        // these is in its place. So another guard has no array that was made from them.
        unsafe { ManuallyDrop::drop(&mut self.copies) }
    }
}

impl<'w, C: Class> Deref for Mut<'w, C> {
    type Target = C::View<'w, Guarded>;
    fn deref(&self) -> &Self::Target {
        &self.view
    }
}

impl<C: Class> DerefMut for Mut<'_, C> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.view
    }
}

impl<'w, C: Class<View<'w, Guarded>: fmt::Debug>> fmt::Debug for Mut<'w, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
