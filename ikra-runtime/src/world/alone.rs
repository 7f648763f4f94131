//! One object in a world of its own, for tests of its methods.

use ikra_core::device_code::DeviceCode;

use super::{Holds, Mut, World, WorldState, assert_closed};
use crate::class::{Class, ClassId};
use crate::error::Error;
use crate::executor::Executor;
use crate::objects::{AnyObjects, Objects};
use crate::place::Place;

/// A world of one class.
struct Alone<C: Class> {
    objects: Objects<C>,
    state: WorldState<Self>,
}

/// Calls methods on an object that is in no world of yours, and returns the object as they leave it: for unit tests.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub pos: f32, pub vel: f32 }
///
/// #[soa_methods]
/// impl Body {
///     #[kernel]
///     pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; }
///     pub fn energy(&self) -> f32 { self.vel * self.vel / 2.0 }
/// }
///
/// let body = ikra::alone(Body { pos: 1.0, vel: 2.0 }, |body| {
///     assert_eq!(body.energy(), 2.0);
///     body.advance(0.5);
/// });
/// assert_eq!(body.pos, 2.0);
/// ```
///
/// The object is the only one, so links in its fields are links to itself. A class with links to other classes does not
/// compile here: its methods need a world with these.
///
/// # Panics
///
/// If the class has a capacity that does not fit into memory, or if a link is not to the object.
#[track_caller]
pub fn alone<C: Class>(object: C, call: impl FnOnce(&mut Mut<'_, C>)) -> C {
    const { assert_closed::<C>("ikra::alone", &[C::ID]) };
    let mut world = <Alone<C> as World>::new();
    let read = world.objects.push(object).and_then(|link| {
        call(&mut world.get_mut(link));
        world.objects.read(link)
    });
    match read {
        Ok(object) => object,
        Err(error) => panic!("{error}"),
    }
}

// SAFETY: 1. the one member, of the one class; 2. the same field.
unsafe impl<C: Class> World for Alone<C> {
    const CLASSES: &'static [ClassId] = &[C::ID];
    type Classes = (C, ());
    const DEVICE_CODE: &'static [DeviceCode] = &[];

    fn members(&self) -> impl AsRef<[&dyn AnyObjects]> {
        let members: [&dyn AnyObjects; 1] = [&self.objects];
        members
    }
    fn members_mut(&mut self) -> impl AsMut<[&mut dyn AnyObjects]> {
        let members: [&mut dyn AnyObjects; 1] = [&mut self.objects];
        members
    }
    fn state(&self) -> &WorldState<Self> {
        &self.state
    }
    fn state_mut(&mut self) -> &mut WorldState<Self> {
        &mut self.state
    }
    fn open(_: &mut Self, place: Place) -> Result<Box<dyn Executor<Self>>, Error> {
        Err(Error::NoSuchPlace { place, reason: "an object that is alone is on the host" })
    }
    fn new() -> Self {
        Self { objects: Objects::new(), state: WorldState::new() }
    }
}

// SAFETY: the one member.
unsafe impl<C: Class> Holds<C> for Alone<C> {
    fn objects(&self) -> &Objects<C> {
        &self.objects
    }
    fn objects_mut(&mut self) -> &mut Objects<C> {
        &mut self.objects
    }
}
