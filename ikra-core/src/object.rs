//! The methods of the views and refs of every class.

mod shown;

pub use shown::{NotShown, Shown};

use crate::class::{Class, Field};
use crate::column::Column;
use crate::dispatch::Referent;
use crate::handle::Follow;
use crate::handle::{AllObjects, Handle};
use crate::link::Link;
use crate::lives;
use crate::message::Message;
use crate::panics::not_removable;
use crate::phase::Phase;
use crate::storage::Stored;
use crate::value::Value;

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

/// Another object of a class, or of one of the classes of a trait, in phase `P`.
///
/// Methods under `#[soa_methods]` write `Ref<Body>`. Functions elsewhere say the phase, so that kernels and sequential code
/// can call them. `Ref<Body, P>` is another name of `BodyRef<'_, P>`.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub mass: f32, pub next: Link<Body>, pub is_light: bool }
///
/// fn is_light(body: Ref<Body, impl Phase>) -> bool { body.mass() < 1.0 }
///
/// #[soa_methods]
/// impl Body {
///     #[kernel]
///     pub fn look(&mut self) { self.is_light = is_light(self.next); }
/// }
/// ```
// The compiler prints this line if the phase is left out.
#[rustfmt::skip]
pub type Ref<'w, C, P> = <C as Referent>::Ref<'w, P>; // outside of `#[soa_methods]` write `Ref<Class, impl Phase>`

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

/// The object of a kernel's call, `self`: the call can remove it.
///
/// # Safety
///
/// The type is the view of a class. Safe code gets `&mut` of a view for the object of its own call alone, so calls for
/// one object are in one thread.
pub unsafe trait KernelObject<'w>: Object<'w> {
    /// Removes the object when the kernel ends.
    ///
    /// Until then it is an object like any other. Then fields of type `Option<Link<_>>` that name it become `None`, and
    /// arrays of links drop it. A `Link` that cannot be empty and names it is an error of the call, and the world stays
    /// as it was before the kernel. Ids of other objects do not change; see [`World::compact`].
    ///
    /// [`World::compact`]: https://docs.rs/ikra/latest/ikra/trait.World.html#method.compact
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Sheep { pub energy: f32, pub friend: Option<Link<Sheep>> }
    ///
    /// #[soa_methods]
    /// impl Sheep {
    ///     #[kernel]
    ///     pub fn graze(&mut self, cost: f32) {
    ///         self.energy -= cost;
    ///         if self.energy < 0.0 {
    ///             self.remove();
    ///         }
    ///     }
    /// }
    ///
    /// #[soa_world]
    /// pub struct Meadow { pub sheep: Objects<Sheep> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut meadow = Meadow::new();
    /// let weak = meadow.sheep.push(Sheep { energy: 1.0, friend: None })?;
    /// let strong = meadow.sheep.push(Sheep { energy: 5.0, friend: Some(weak) })?;
    /// meadow.execute(Sheep::graze, 2.0);
    /// assert_eq!(meadow.sheep.len(), 1);
    /// assert!(meadow.get(strong).friend().is_none());
    /// # Ok(()) }
    /// ```
    ///
    /// A GPU runs such a kernel too, unless it cannot empty the links to the objects: then it passes the kernel on to the
    /// host, with the same result.
    #[inline]
    fn remove(&mut self) {
        const { assert_removes::<Self::Phase>() }
        let object = self.handle();
        if !lives::remove::<Self::Class>(object.place(), object.index()) {
            not_removable::<Self::Class>();
        }
    }

    /// Stores a field when the kernel ends, given the value as in the row: a link to an object that the kernel makes.
    /// Such an object does not exist yet, so that a field of the view cannot show it.
    ///
    /// The kernel has a parameter of type [`Spawn`](crate::spawn::Spawn). If a call stores a field several times, the
    /// last value counts.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Goat { pub kid: Option<Link<Goat>> }
    ///
    /// #[soa_methods]
    /// impl Goat {
    ///     #[kernel]
    ///     pub fn breed(&mut self, young: Spawn<Goat>) {
    ///         let kid = young.push(Goat { kid: None });
    ///         self.set_at_end(goat::kid, Some(kid));
    ///     }
    /// }
    ///
    /// #[soa_world]
    /// pub struct Hill { pub goats: Objects<Goat> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut hill = Hill::new();
    /// let goat = hill.goats.push(Goat { kid: None })?;
    /// hill.execute(Goat::breed, ());
    /// assert!(hill.get(goat).kid().unwrap().kid().is_none());
    /// # Ok(()) }
    /// ```
    #[inline]
    fn set_at_end<T: Value, const K: usize>(&mut self, _field: Column<Self::Class, K>, value: T)
    where
        Self::Class: Field<K, Storage: Stored<Row = T, Value = T>>,
    {
        const { assert_makes::<Self::Phase>() }
        let object = self.handle();
        // SAFETY: it is the address of the table of the object's class.
        unsafe { lives::set_at_end::<Self::Class, T, K>(object.place(), object.index(), value) };
    }
}

/// Fails to compile unless phase `P` is a kernel that makes objects.
const fn assert_makes<P: Phase>() {
    assert!(
        !P::EFFECTS.spawned().is_empty(),
        "`set_at_end` is for kernels that make objects, with a parameter of type `Spawn<Class>`; other code assigns the field"
    );
}

/// Fails to compile unless phase `P` is a kernel that says that it removes its object.
const fn assert_removes<P: Phase>() {
    if P::EFFECTS.removes() {
        return;
    }
    let message = Message::new();
    let message = if P::SEQUENTIAL {
        message.push("`remove` is for kernels; outside of kernels, call `world.remove(link)`")
    } else {
        message
            .push("kernel `")
            .push(P::EFFECTS.kernel())
            .push("` removes its object in a way that its text does not show; write `#[kernel(removes)]`")
    };
    panic!("{}", message.as_str());
}
