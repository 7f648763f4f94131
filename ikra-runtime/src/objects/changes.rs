//! Differences between the objects of a class and an earlier clone of them.

use super::Objects;
use crate::class::{Class, Field};
use crate::column::Column;
use crate::error::Error;
use crate::link::Link;
use crate::storage::{Storage, Stored};
use ikra_core::effects::FieldSet;

impl<C: Class> Objects<C> {
    /// Reads one field of one object by value, with any layout and storage.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Route { #[inline_array(2)] pub stops: InnerArray<u16>, pub length: f32 }
    /// #[soa_world]
    /// pub struct Plan { pub routes: Objects<Route> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut plan = Plan::new();
    /// let route = plan.routes.push(Route { stops: [4, 5, 6].into(), length: 1.5 })?;
    /// assert_eq!(plan.routes.read_field(route, route::stops)?[2], 6);
    /// assert_eq!(plan.routes.read_field(route, route::length)?, 1.5);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`]; [`Error::NotInitialized`].
    pub fn read_field<const K: usize>(
        &self,
        link: Link<C>,
        _: Column<C, K>,
    ) -> Result<<C::Storage as Stored>::Row, Error>
    where
        C: Field<K>,
    {
        self.check_initialized(link)?;
        self.table().fetch_object(const { FieldSet::from_bits(1 << K) }, link.index());
        // SAFETY: the object exists by the check, its field is current, and `&self` excludes writes that are not
        // atomic.
        Ok(unsafe { C::Storage::read_row(&self.table().bases, link.index()) })
    }

    /// The objects whose field has other bits than in an earlier clone. Objects that the clone does not have, or that
    /// one of the two has removed, are not among them. A column that a device changed is fetched.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Body { pub pos: f32, pub mass: f32 }
    /// #[soa_world]
    /// pub struct Sim { pub bodies: Objects<Body> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut sim = Sim::new();
    /// let links: Vec<_> = sim.bodies.extend([1.0, 2.0].map(|mass| Body { pos: 0.0, mass }))?.collect();
    /// let before = sim.bodies.clone();
    /// sim.get_mut(links[1]).mass = 3.0;
    /// assert_eq!(sim.bodies.changed_since(&before, body::mass), [links[1]]);
    /// assert!(sim.bodies.changed_since(&before, body::pos).is_empty());
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// If a reserved object of one of the two is not initialised.
    #[track_caller]
    pub fn changed_since<const K: usize>(&self, before: &Self, _: Column<C, K>) -> Vec<Link<C>>
    where
        C: Field<K>,
    {
        for objects in [self, before] {
            objects.assert_initialized();
            objects.table().fetch(const { FieldSet::from_bits(1 << K) });
        }
        let (now, then) = (&self.table().bases, &before.table().bases);
        let removed = |index| self.holes() + before.holes() > 0 && !(self.exists(index) && before.exists(index));
        let is_changed = |&index: &usize| {
            // SAFETY: both have an object, or values of a removed one, at the index. `&self` and `&before` exclude
            // writes that are not atomic.
            let differs = unsafe { C::Storage::differs(now, then, index) };
            differs && !removed(index)
        };
        let common = self.slots().min(before.slots());
        (0..common).filter(is_changed).map(|index| Link::at(index as u32)).collect()
    }
}
