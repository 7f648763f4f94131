//! The methods of the views and refs of every class.

mod shown;

pub use shown::{NotShown, Shown};

use crate::class::Class;
use crate::handle::Follow;
use crate::handle::{AllObjects, Handle};
use crate::link::Link;
use crate::phase::Phase;

/// A capability of views that refs lack. A ref's fields are read one by one, so a method cannot return a borrow of one
/// of them.
///
/// "`CellRef: LendsFields` was not satisfied" means that a method was called on a ref which may borrow from `self`. It
/// can be called on `self`. Methods that return values or `Ref`s can be called on both. So can methods that return
/// `impl Trait`, if they list the borrows, `+ use<>`:
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Cell { pub alive: bool, pub left: Option<Link<Cell>>, pub right: Option<Link<Cell>> }
///
/// #[soa_methods]
/// impl Cell {
///     pub fn around(&self) -> impl Iterator<Item = Ref<Cell>> + use<> {
///         self.left.into_iter().chain(self.right)
///     }
///     pub fn alive_around(&self) -> usize {
///         self.around().flat_map(|cell| cell.around()).filter(|cell| cell.alive()).count()
///     }
/// }
/// ```
pub trait LendsFields {}

/// An object in a method: its own (a view) or another (a ref).
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Node { pub first: Link<Node>, pub value: u32 }
///
/// #[soa_methods]
/// impl Node {
///     #[kernel(snapshot(value))]
///     pub fn copy(&mut self, from: Link<Node>) {
///         if self.link() != from {
///             self.value = self.resolve(from).value() + self.all::<Node>().len() as u32;
///         }
///     }
/// }
///
/// #[soa_world]
/// pub struct List { pub nodes: Objects<Node> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut list = List::new();
/// let first = list.nodes.reserve(1)?.next().unwrap();
/// list.nodes.init(first, Node { first, value: 40 })?;
/// let second = list.nodes.push(Node { first, value: 0 })?;
/// list.execute(Node::copy, first);
/// assert_eq!(list.get(second).value(), 42);
/// # Ok(()) }
/// ```
///
/// A field with the name of one of these methods hides it on refs; `Object::link(&r)` still calls it.
pub trait Object<'w>: Sized {
    /// The object's class.
    type Class: Class;
    /// The phase in which it is used.
    type Phase: Phase;

    #[doc(hidden)]
    fn handle(&self) -> Handle<'w, Self::Class, Self::Phase>;

    /// The link to the object, to store in a field.
    #[inline(always)]
    fn link(&self) -> Link<Self::Class> {
        self.handle().link()
    }

    /// The object that a link of this world refers to.
    ///
    /// # Panics
    ///
    /// If the object does not exist.
    #[inline(always)]
    #[track_caller]
    fn resolve<L: Follow>(&self, link: L) -> L::View<'w, Self::Phase> {
        self.handle().resolve(link)
    }

    /// All objects of a class of this world, in the order of their ids.
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
    fn all<D: Class>(&self) -> AllObjects<'w, D, Self::Phase> {
        self.handle().all()
    }
}
