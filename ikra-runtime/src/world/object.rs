//! What views and refs of every class can do.

use crate::class::Class;
use crate::handle::{All, Handle};
use crate::link::Link;
use crate::phase::Phase;

/// An object as a method sees it, its own (a view) or another (a ref).
///
/// A field of the same name as one of these methods hides it on refs; `Object::link(&r)` still calls it.
pub trait Object<'w>: Sized {
    /// The object's class.
    type Class: Class;
    /// The code that it is used in.
    type Phase: Phase;

    #[doc(hidden)]
    fn handle(&self) -> Handle<'w, Self::Class, Self::Phase>;

    /// The link to the object, to store in a field.
    #[inline(always)]
    fn link(&self) -> Link<Self::Class> {
        self.handle().link()
    }

    /// The object that a link of the same world refers to.
    #[inline(always)]
    fn resolve<D: Class>(&self, link: Link<D>) -> D::Ref<'w, Self::Phase> {
        self.handle().resolve(link)
    }

    /// All objects of a class of the same world, in the order of their ids.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Body { pub mass: f32, pub share: f32 }
    ///
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel]
    ///     pub fn weigh(&mut self) {
    ///         let total: f32 = self.all::<Body>().map(|other| other.mass()).sum();
    ///         self.share = self.mass / total;
    ///     }
    /// }
    ///
    /// #[soa_world]
    /// pub struct Sim { pub bodies: Objects<Body> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut sim = Sim::new();
    /// sim.bodies.extend([1.0, 3.0].map(|mass| Body { mass, share: 0.0 }))?;
    /// sim.execute(Body::weigh, ());
    /// assert_eq!(sim.bodies.column(body::share), [0.25, 0.75]);
    /// # Ok(()) }
    /// ```
    #[inline(always)]
    fn all<D: Class>(&self) -> All<'w, D, Self::Phase> {
        self.handle().all()
    }
}
