//! Worlds: the objects of a closed set of classes.

mod alone;
mod cascade;
mod guard;
pub(crate) mod lives;
mod radix;
mod ready;
mod reorder;
mod saved;
mod state;

pub use alone::alone;
pub use guard::Mut;
pub use ready::Ready;
pub(crate) use ready::{check_links, or_panic, ready};
pub use reorder::Moved;
pub(crate) use reorder::{checked, moved, put, sort_by};
pub use state::WorldState;

use std::ops::RangeFull;

use crate::class::{Class, ClassId, Field};
use crate::column::Column;
use crate::dispatch::{Collect, Execute, LinkIn, Reduce, run_pairs};
use crate::error::Error;
use crate::exec;
use crate::exec::stage::Pure;
use crate::executor::{Chosen, Executor, MapOver, On, Over, Part};
use crate::groups::{Groups, Keys};
use crate::handle::AllObjects;
use crate::kernel::{Call, Construct, Kernel, PairCall};
use crate::layout::geometry;
use crate::link::Link;
use crate::objects::{AnyObjects, Links, Objects, Tracked};
use crate::phase::Sequential;
use crate::place::Place;
use crate::storage::Stored;
use crate::value::Value;
use ikra_core::device_code::DeviceCode;
use ikra_core::message::Message;

/// Fails to compile if class `C` has links to a class outside the world, or storage that cannot be laid out.
pub const fn assert_closed<C: Class>(world: &str, classes: &[ClassId]) {
    // Evaluated here, so that `cargo check` reports errors in the geometry.
    let _ = geometry::<C>();
    let mut field = 0;
    while field < C::FIELDS.len() {
        let mut targets = C::FIELDS[field].links_to;
        while let Some((&target, others)) = targets.split_first() {
            targets = others;
            let mut found = false;
            let mut n = 0;
            while n < classes.len() {
                found |= classes[n].may_be(target);
                n += 1;
            }
            if !found {
                let target = target.name();
                let message = Message::new()
                    .push("`")
                    .push(C::NAME)
                    .push("::")
                    .push(C::FIELDS[field].name)
                    .push("` links to objects of class `")
                    .push(target)
                    .push("`, which are not in world `")
                    .push(world)
                    .push("`; add a field of type `Objects<")
                    .push(target)
                    .push(">` to it");
                panic!("{}", message.as_str());
            }
        }
        field += 1;
    }
}

/// A world with objects of class `C`.
///
/// ```
/// use ikra::{Holds, prelude::*};
///
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// /// A function for any world that has bodies.
/// fn heaviest<W: World + Holds<Body>>(world: &W) -> f32 {
///     world.all::<Body>().map(|body| body.mass()).fold(0.0, f32::max)
/// }
/// assert_eq!(heaviest(&Sim::new()), 0.0);
/// ```
///
/// # Safety
///
/// Both methods return the same member of `self`.
#[diagnostic::on_unimplemented(
    message = "world `{Self}` has no objects of class `{C}`",
    label = "no `Objects<{C}>` in this world",
    note = "add a field of type `Objects<{C}>` to the `#[soa_world]` struct"
)]
pub unsafe trait Holds<C: Class>: World {
    /// The objects.
    #[doc(hidden)]
    fn objects(&self) -> &Objects<C>;
    /// The objects.
    #[doc(hidden)]
    fn objects_mut(&mut self) -> &mut Objects<C>;
}

/// A struct under `#[soa_world]`. It owns the objects of a closed set of classes, and runs their kernels.
///
/// | one object | all objects |
/// | --- | --- |
/// | `world.get(link).mass()` | `world.execute(Body::advance, 0.01)` |
/// | `world.get_mut(link).advance(0.01)` | `world.execute_and_reduce(Body::kinetic_energy, (), Sum)` |
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
/// }
///
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// let links: Vec<_> = sim.bodies.extend((0..10).map(|n| Body { pos: n as f32, vel: 1.0 }))?.collect();
/// sim.get_mut(links[0]).advance(0.5);
/// sim.execute(Body::advance, 1.0);
/// sim.over(5..).execute(Body::advance, 1.0);
/// sim.over(&[links[9], links[0]]).execute(Body::advance, 1.0);
/// assert_eq!((sim.get(links[0]).pos(), sim.get(links[9]).pos()), (2.5, 12.0));
/// # Ok(()) }
/// ```
///
/// # Executors
///
/// Four verbs run kernels: [`execute`](World::execute), [`execute_pairs`](World::execute_pairs),
/// [`execute_and_reduce`](World::execute_and_reduce) and [`execute_and_collect`](World::execute_and_collect). Two
/// modifiers restrict them: [`on`](World::on) selects the place, and [`over`](World::over) a range or a list of links.
///
/// | | for all objects | for some |
/// | --- | --- | --- |
/// | on the host | `sim.execute(Body::advance, 0.01)` | `sim.over(100..200).execute(Body::advance, 0.01)` |
/// | at any place | `sim.on(place).execute(Body::advance, 0.01)?` | `sim.on(place).over(&links).execute(Body::advance, 0.01)?` |
/// | on a GPU | `sim.cuda_execute(Body::advance, 0.01)?` | `sim.on(Place::Gpu(0)).over(&links).execute(Body::advance, 0.01)?` |
///
/// The short forms on the host return the value. They panic where the equivalent loop would: for a range out of bounds,
/// a link of another world, or a panic in the kernel. Every call after `on(place)`, and every CUDA call, returns a
/// `Result`. (Functions that make objects return a `Result` on the host too, like `push`.)
///
/// Kernels run on the threads of rayon's pool (`RAYON_NUM_THREADS`, or `ThreadPool::install` around a call). The result
/// of every executor is the same with any number of threads, bit for bit. To guarantee this, the operations of a kernel
/// on atomic fields are checked ([`Atomic`](crate::storage::Atomic)). A kernel is responsible itself for fields that it
/// declares `unordered`, and for other shared state: a `static`, a `Mutex`, or another world among its arguments.
///
/// If a kernel panics, the panic reaches the caller, and the world stays usable. If it panics for several objects, the
/// caller gets the panic for the object with the lowest id, with any number of threads. (`execute_pairs` takes objects
/// in blocks of 16; all objects of a block meet one other object before the next. A kernel of a trait runs class by
/// class.) For the other objects, the kernel may or may not have run. The outcome depends on the field:
///
/// | field | objects whose call returned | the object whose call panicked |
/// | --- | --- | --- |
/// | plain, `#[soa(flatten)]` | as the call left them | as before the call |
/// | inner array, `#[atomic]` | as the call left them | changed, up to the panic |
/// | under `snapshot` | as before the kernel | as before the kernel |
///
/// For `execute_pairs`, a call in this sense is one object with all others. It may also be undone for objects other
/// than the one whose call panicked. `construct` then adds no object. For a class with an `InnerArray` it adds the
/// objects that were made before the panic.
///
/// # Panics
///
/// All methods that follow links or run kernels panic if a reserved object of the world is not initialised. Methods
/// that run kernels panic before the kernel runs if a column has a link to an object that does not exist.
/// (`world.on(place)` returns this as [`Error::BadLink`].) Sequential code panics when it follows such a link.
///
/// # Safety
///
/// 1. `members` and `members_mut` return all members of the world: the objects of the classes in `CLASSES`, in this
///    order.
/// 2. `state` and `state_mut` return the same part of `self`.
pub unsafe trait World: Sized + Send + Sync + 'static {
    /// The classes of the members.
    #[doc(hidden)]
    const CLASSES: &'static [ClassId];
    /// The classes as a list of types, `(Body, (Cell, ()))`, for code that is generic over all of them.
    type Classes;
    /// The device code of the world's package, and of the other packages that it names.
    #[doc(hidden)]
    const DEVICE_CODE: &'static [DeviceCode];
    /// The objects of each class.
    #[doc(hidden)]
    fn members(&self) -> impl AsRef<[&dyn AnyObjects]>;
    /// The objects of each class, for an executor on a device.
    #[doc(hidden)]
    fn members_mut(&mut self) -> impl AsMut<[&mut dyn AnyObjects]>;
    #[doc(hidden)]
    fn state(&self) -> &WorldState<Self>;
    #[doc(hidden)]
    fn state_mut(&mut self) -> &mut WorldState<Self>;
    /// Makes the executor of a place other than the host.
    #[doc(hidden)]
    fn open(world: &mut Self, place: Place) -> Result<Box<dyn Executor<Self>>, Error>;

    /// A world without objects, for code where the world is a type parameter. `#[soa_world]` also gives the struct an
    /// inherent function of this name.
    fn new() -> Self;

    /// Reads an object.
    ///
    /// # Panics
    ///
    /// If the link does not belong to this world, as indexing does; see [`try_get`](Self::try_get).
    #[inline]
    #[track_caller]
    fn get<'w, L: LinkIn<Self>>(&'w self, link: L) -> L::Ref<'w> {
        match self.try_get(link) {
            Ok(object) => object,
            Err(error) => panic!("{error}"),
        }
    }

    /// Reads an object.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`].
    #[inline]
    #[track_caller]
    fn try_get<'w, L: LinkIn<Self>>(&'w self, link: L) -> Result<L::Ref<'w>, Error> {
        link.find(self)
    }

    /// Changes an object through a guard, which has the object's fields and stores them when it is dropped.
    ///
    /// Until then, other links to the object show its former fields, inner arrays included. While the guard exists,
    /// elements of other objects' arrays are read by value, `other.path().get(i)`: see
    /// [`Guarded`](crate::phase::Guarded).
    ///
    /// A field that is a link shows the object that it names. To store another link, assign the object from the guard's
    /// `resolve`, or use [`set`](Self::set):
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Node { pub value: u32, pub next: Option<Link<Node>> }
    /// #[soa_world]
    /// pub struct List { pub nodes: Objects<Node> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut list = List::new();
    /// let a = list.nodes.push(Node { value: 1, next: None })?;
    /// let b = list.nodes.push(Node { value: 2, next: None })?;
    /// list.set(a, node::next, Some(b));
    ///
    /// let mut node = list.get_mut(b);
    /// node.value += 1;
    /// node.next = Some(node.resolve(a));
    /// drop(node);
    /// assert_eq!(list.get(a).next().unwrap().value(), 3);
    /// assert_eq!(list.get(b).next().unwrap().value(), 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// If the link does not belong to this world, as indexing does; see [`try_get_mut`](Self::try_get_mut).
    #[inline]
    #[track_caller]
    fn get_mut<L: LinkIn<Self>>(&mut self, link: L) -> L::Mut<'_> {
        match self.try_get_mut(link) {
            Ok(object) => object,
            Err(error) => panic!("{error}"),
        }
    }

    /// Changes an object through a guard.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`].
    #[inline]
    #[track_caller]
    fn try_get_mut<L: LinkIn<Self>>(&mut self, link: L) -> Result<L::Mut<'_>, Error> {
        link.find_mut(self)
    }

    /// Stores a field of one object, given the value as in the row: for a link field, a link.
    ///
    /// | one field | several, or by a method | all objects |
    /// | --- | --- | --- |
    /// | `world.set(link, body::mass, 2.0)` | `let mut body = world.get_mut(link);` | `bodies.column_mut(body::mass).fill(2.0)` |
    ///
    /// Elements of inner arrays are set through [`get_mut`](Self::get_mut), whole arrays by `Objects::set_array`.
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Node { pub next: Option<Link<Node>> }
    /// # #[soa_world] pub struct List { pub nodes: Objects<Node> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut list = List::new();
    /// let a = list.nodes.push(Node { next: None })?;
    /// let b = list.nodes.push(Node { next: None })?;
    /// list.set(a, node::next, Some(b));
    /// assert_eq!(list.get(a).next().map(|next| next.link()), Some(b));
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// If the link does not belong to this world, as indexing does; see [`try_set`](Self::try_set).
    #[inline]
    #[track_caller]
    fn set<C, T: Value, const K: usize>(&mut self, link: Link<C>, column: Column<C, K>, value: T)
    where
        C: Field<K, Storage: Stored<Row = T, Value = T>>,
        Self: Holds<C>,
    {
        if let Err(error) = self.try_set(link, column, value) {
            panic!("{error}");
        }
    }

    /// Stores a field of one object.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`]; [`Error::NotInitialized`].
    #[inline]
    fn try_set<C, T: Value, const K: usize>(
        &mut self,
        link: Link<C>,
        column: Column<C, K>,
        value: T,
    ) -> Result<(), Error>
    where
        C: Field<K, Storage: Stored<Row = T, Value = T>>,
        Self: Holds<C>,
    {
        Holds::<C>::objects_mut(self).set(link, column, value)
    }

    /// Reads all objects of a class, in the order of their ids.
    ///
    /// # Panics
    ///
    /// If some were removed: see [`compact`](Self::compact).
    #[track_caller]
    fn all<C: Class>(&self) -> AllObjects<'_, C, Sequential>
    where
        Self: Holds<C>,
    {
        ready(self);
        // SAFETY: the tables were just linked, and are borrowed with the world.
        unsafe { AllObjects::of(Holds::<C>::objects(self).table()) }
    }

    /// The executors at a place: the host's cores, or a GPU. See [`On`].
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel]
    ///     pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// let body = sim.bodies.push(Body { pos: 1.0, vel: 2.0 })?;
    /// sim.on(Place::Host).execute(Body::advance, 0.5)?;
    /// assert_eq!(sim.get(body).pos(), 2.0);
    /// # Ok(()) }
    /// ```
    fn on(&mut self, place: Place) -> On<'_, Self> {
        On::new(self, place)
    }

    /// Restricts the executors of the host to some objects of the world: a range of positions, or links. See
    /// [`Subset`](crate::executor::Subset).
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, by: f32) { self.pos += by; } }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// let links: Vec<_> = sim.bodies.extend([1.0, 2.0, 3.0].map(|pos| Body { pos }))?.collect();
    /// sim.over(1..).execute(Body::advance, 0.5);
    /// sim.over(&[links[2], links[0]]).execute(Body::advance, 10.0);
    /// assert_eq!(sim.bodies.column(body::pos), [11.0, 2.5, 13.5]);
    /// # Ok(()) }
    /// ```
    fn over<O>(&mut self, objects: O) -> Over<'_, Self, O> {
        Over::new(self, objects)
    }

    /// Calls a kernel on the host for all objects of its class, or of its trait's classes. Its arguments may have any
    /// type. See [`On::execute`].
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub heat: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel]
    ///     pub fn change(&mut self, how: impl Fn(f32) -> f32 + Copy + Send + Sync) { self.heat = how(self.heat); }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// let body = sim.bodies.push(Body { heat: 2.0 })?;
    /// sim.execute(Body::change, |heat: f32| heat.sqrt());
    /// assert_eq!(sim.get(body).heat(), 2.0_f32.sqrt());
    /// # Ok(()) }
    /// ```
    #[track_caller]
    fn execute<K, A>(&mut self, _kernel: K, args: A)
    where
        K: Execute<Self, A>,
    {
        or_panic(K::run(Ready::of(self), Part::All, args));
    }

    /// Calls a kernel for every pair of an object and another, on the host. See [`On::execute_pairs`].
    #[track_caller]
    fn execute_pairs<K, A>(&mut self, _kernel: K, args: A)
    where
        K: PairCall<A>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class> + Holds<K::Other>,
    {
        or_panic(run_pairs::<K, A, Self>(Ready::of(self), Part::All, args));
    }

    /// Calls a kernel on the host for all objects of its class, or of its trait's classes, and combines the results.
    /// Results may be of any `Copy` type, and the reducer may have state. See [`On::execute_and_reduce`].
    #[track_caller]
    fn execute_and_reduce<K, A, R, T>(&mut self, _kernel: K, args: A, reducer: R) -> T
    where
        K: Reduce<Self, A, R, Output = T>,
    {
        or_panic(K::reduce(Ready::of(self), Part::All, args, reducer))
    }

    /// Calls a kernel for all objects of its class, or of its trait's classes. Returns the results class by class, in
    /// the order of the objects' ids. Results may be of any type, even one that is not `Copy`.
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub mass: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel]
    ///     pub fn label(&self) -> String { format!("{} kg", self.mass) }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.bodies.extend([1.0, 2.5].map(|mass| Body { mass }))?;
    /// assert_eq!(sim.execute_and_collect(Body::label, ()), ["1 kg", "2.5 kg"]);
    /// # Ok(()) }
    /// ```
    #[track_caller]
    fn execute_and_collect<K, A, T>(&mut self, _kernel: K, args: A) -> Vec<T>
    where
        K: Collect<Self, A, Output = T>,
    {
        or_panic(K::collect(Ready::of(self), Part::All, args))
    }

    /// Makes `n` objects by a constructor, on the host, and returns the links to them. See [`On::construct`].
    ///
    /// # Errors
    ///
    /// [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`]. Nothing is added then.
    fn construct<K, A>(&mut self, n: usize, _constructor: K, args: A) -> Result<Links<K::Class>, Error>
    where
        K: Construct<A>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        exec::construct::<K, A>(self.objects_mut(), n, args)
    }

    /// Reorders the objects of a class as in `order`, and removes the objects that `order` does not name. All links in
    /// the world are remapped. For a removed object, an `Option<Link<C>>` becomes `None`, and an `InnerArray` drops it.
    ///
    /// Ids change. [`Moved`] maps former links to current ones, for links that the program keeps outside of the world.
    /// Lists and recordings made before are refused.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Ant { pub age: u32, pub next: Option<Link<Ant>> }
    /// #[soa_world]
    /// pub struct Hill { pub ants: Objects<Ant> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut hill = Hill::new();
    /// let a = hill.ants.push(Ant { age: 1, next: None })?;
    /// let b = hill.ants.push(Ant { age: 2, next: Some(a) })?;
    /// let c = hill.ants.push(Ant { age: 3, next: Some(b) })?;
    /// hill.reorder(&[c, b])?;
    /// assert_eq!(hill.ants.column(ant::age), [3, 2]);
    /// let c = hill.ants.links().next().unwrap();
    /// assert_eq!(hill.get(c).next().unwrap().age(), 2);
    /// assert!(hill.get(c).next().unwrap().next().is_none());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LinkToRemoved`] if a `Link` that cannot be empty names an object that would be removed;
    /// [`Error::Duplicate`], [`Error::NotInWorld`], [`Error::NotAllInitialized`], [`Error::BadLink`], and errors of
    /// fetching. Nothing has changed if there is an error.
    fn reorder<C: Class>(&mut self, order: &[Link<C>]) -> Result<Moved<C>, Error>
    where
        Self: Holds<C>,
    {
        reorder::reorder(self, order.iter().map(|link| link.index() as u32))
    }

    /// Removes an object. Fields of type `Option<Link<_>>` that name it become `None`, and arrays of links drop it. Ids
    /// of other objects do not change; the object's id is free for one that a kernel makes.
    ///
    /// It looks at all links to the class. [`remove_all`](Self::remove_all) and a kernel with `self.remove()` do so once for
    /// many objects.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Ant { pub next: Option<Link<Ant>> }
    /// #[soa_world]
    /// pub struct Hill { pub ants: Objects<Ant> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut hill = Hill::new();
    /// let a = hill.ants.push(Ant { next: None })?;
    /// let b = hill.ants.push(Ant { next: Some(a) })?;
    /// hill.remove(a)?;
    /// assert!(hill.get(b).next().is_none());
    /// assert!(hill.try_get(a).is_err());
    /// assert_eq!(hill.ants.len(), 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`]; [`Error::Removed`] if it was removed before; [`Error::LinkToRemoved`] if a `Link` that
    /// cannot be empty names it; [`Error::NotAllInitialized`], [`Error::BadLink`], and errors of fetching. Nothing has
    /// changed then.
    fn remove<C: Class>(&mut self, link: Link<C>) -> Result<(), Error>
    where
        Self: Holds<C>,
    {
        self.remove_all([link])
    }

    /// Removes some objects, as [`remove`](Self::remove) does for one of them. A link may occur twice.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Ant { pub next: Option<Link<Ant>> }
    /// #[soa_world]
    /// pub struct Hill { pub ants: Objects<Ant> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut hill = Hill::new();
    /// let ants: Vec<_> = hill.ants.extend((0..100).map(|_| Ant { next: None }))?.collect();
    /// hill.remove_all(ants.iter().copied().step_by(2))?;
    /// assert_eq!(hill.ants.len(), 50);
    /// assert!(hill.try_get(ants[98]).is_err() && hill.try_get(ants[99]).is_ok());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`remove`](Self::remove). Then none of them is removed.
    fn remove_all<C: Class>(&mut self, links: impl IntoIterator<Item = Link<C>>) -> Result<(), Error>
    where
        Self: Holds<C>,
    {
        lives::remove_links(self, links)
    }

    /// A handle to an object, to be kept outside of the world: it follows the object when ids change, and tells when
    /// the object was removed. See [`tracked`](Self::tracked).
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Ant { pub age: u32 }
    /// #[soa_world]
    /// pub struct Hill { pub ants: Objects<Ant> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut hill = Hill::new();
    /// let ants: Vec<_> = hill.ants.extend([5, 20, 7].map(|age| Ant { age }))?.collect();
    /// let (old, young) = (hill.track(ants[1])?, hill.track(ants[2])?);
    /// hill.remove(ants[1])?;
    /// hill.compact::<Ant>()?;
    /// assert_eq!(hill.tracked(old), None);
    /// assert_eq!(hill.get(hill.tracked(young).unwrap()).age(), 7);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`]; [`Error::Removed`]; [`Error::NotInitialized`].
    fn track<C: Class>(&mut self, link: Link<C>) -> Result<Tracked<C>, Error>
    where
        Self: Holds<C>,
    {
        let objects: &mut Objects<C> = self.objects_mut();
        objects.check_initialized(link)?;
        Ok(objects.track(link))
    }

    /// The current link to a tracked object, or `None` if it was removed.
    fn tracked<C: Class>(&self, tracked: Tracked<C>) -> Option<Link<C>>
    where
        Self: Holds<C>,
    {
        Holds::<C>::objects(self).tracked(tracked)
    }

    /// Removes all objects of a class, whose next object gets the id 1 again.
    ///
    /// # Errors
    ///
    /// As for [`reorder`](Self::reorder).
    fn clear<C: Class>(&mut self) -> Result<(), Error>
    where
        Self: Holds<C>,
    {
        lives::clear(self)
    }

    /// Gives the objects of a class consecutive ids again, in their order, after others were removed. All links in the
    /// world are remapped; see [`reorder`](Self::reorder).
    ///
    /// Removed objects cost memory. While a class has some, its kernels run for a list of the others, its columns are
    /// no slices, and no kernel reads all its objects. A class under `#[soa_class(compact = 0.8)]` compacts by itself,
    /// when a kernel or [`remove`](Self::remove) has left 80 % of its ids in use or less. Its ids then change.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Ant { pub age: u32 }
    /// #[soa_world]
    /// pub struct Hill { pub ants: Objects<Ant> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut hill = Hill::new();
    /// let ants: Vec<_> = hill.ants.extend([5, 20, 7].map(|age| Ant { age }))?.collect();
    /// hill.remove(ants[0])?;
    /// let moved = hill.compact::<Ant>()?;
    /// assert_eq!(moved.link(ants[1]), Some(ants[0]));
    /// assert_eq!(hill.ants.column(ant::age), [20, 7]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`reorder`](Self::reorder).
    fn compact<C: Class>(&mut self) -> Result<Moved<C>, Error>
    where
        Self: Holds<C>,
    {
        lives::compact(self)
    }

    /// Calls a kernel on the host for all objects of its class, and removes the objects for which it returns `false`.
    /// The others keep their order. See [`reorder`](Self::reorder) for links.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Rabbit { pub energy: f32 }
    /// #[soa_methods]
    /// impl Rabbit {
    ///     #[kernel]
    ///     pub fn lives(&mut self, cost: f32) -> bool {
    ///         self.energy -= cost;
    ///         self.energy > 0.0
    ///     }
    /// }
    /// #[soa_world]
    /// pub struct Meadow { pub rabbits: Objects<Rabbit> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut meadow = Meadow::new();
    /// meadow.rabbits.extend([3.0, 1.0, 2.0].map(|energy| Rabbit { energy }))?;
    /// assert_eq!(meadow.retain(Rabbit::lives, 1.5)?.removed(), 1);
    /// assert_eq!(meadow.rabbits.column(rabbit::energy), [1.5, 0.5]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`reorder`](Self::reorder). No object is removed then, but the kernel's writes stay.
    #[track_caller]
    fn retain<K, A>(&mut self, kernel: K, args: A) -> Result<Moved<K::Class>, Error>
    where
        K: Call<A, Output = bool>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        const { lives::assert_changes_nothing(K::EFFECTS, "retain") }
        let before = Holds::<K::Class>::objects(self).live_indices();
        let keeps = self.execute_and_collect(kernel, args);
        let kept: Vec<_> = before.into_iter().zip(keeps).filter(|&(_, keep)| keep).map(|(index, _)| index).collect();
        reorder::reorder(self, kept.into_iter())
    }

    /// Calls a kernel on the host for all objects of its class, and sorts the objects by the keys that it returns.
    /// Objects with equal keys keep their order. See [`reorder`](Self::reorder) for links.
    ///
    /// Sorting puts objects that interact, such as the objects of one grid cell, side by side in memory.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Boid { pub x: f32, pub friend: Option<Link<Boid>> }
    /// #[soa_methods]
    /// impl Boid {
    ///     #[kernel]
    ///     pub fn cell(&self) -> u32 { (self.x / 10.0) as u32 }
    /// }
    /// #[soa_world]
    /// pub struct Flock { pub boids: Objects<Boid> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut flock = Flock::new();
    /// flock.boids.extend([25.0, 3.0, 14.0, 5.0].map(|x| Boid { x, friend: None }))?;
    /// flock.sort_by_key(Boid::cell, ())?;
    /// assert_eq!(flock.boids.column(boid::x), [3.0, 5.0, 14.0, 25.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`reorder`](Self::reorder).
    #[track_caller]
    fn sort_by_key<K, A>(&mut self, kernel: K, args: A) -> Result<Moved<K::Class>, Error>
    where
        K: Call<A, Output: Ord + Send + Sync + 'static>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        const { lives::assert_changes_nothing(K::EFFECTS, "sort_by_key") }
        let keys = self.execute_and_collect(kernel, args);
        reorder::sort_by(self, &keys)
    }

    /// Puts the objects of a class into a random order, which depends on the seed and the number of objects only. See
    /// [`reorder`](Self::reorder) for links.
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Card { pub number: u32 }
    /// # #[soa_world] pub struct Game { pub cards: Objects<Card> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut game = Game::new();
    /// game.cards.extend((0..6).map(|number| Card { number }))?;
    /// game.shuffle::<Card>(42)?;
    /// assert_eq!(game.cards.column(card::number), [1, 3, 2, 0, 5, 4]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`reorder`](Self::reorder).
    fn shuffle<C: Class>(&mut self, seed: u64) -> Result<Moved<C>, Error>
    where
        Self: Holds<C>,
    {
        reorder::shuffle(self, seed)
    }

    /// The objects for which a kernel returns `true`, for executors on the host. Nothing runs before one of them is
    /// called. The kernel must be pure: it takes `&self`, changes no `#[atomic]` field, and makes and removes nothing.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Car { pub km: u32 }
    /// #[soa_methods]
    /// impl Car {
    ///     #[kernel]
    ///     pub fn is_used(&self) -> bool { self.km > 0 }
    ///     #[kernel(reduce(Sum))]
    ///     pub fn driven(&self) -> u32 { self.km }
    ///     #[kernel]
    ///     pub fn clean(&mut self) { self.km = 0; }
    /// }
    /// #[soa_world]
    /// pub struct Town { pub cars: Objects<Car> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut town = Town::new();
    /// town.cars.extend([5, 0, 7].map(|km| Car { km }))?;
    /// // One loop, in which both kernels run.
    /// assert_eq!(town.select(Car::is_used, ()).map(Car::driven, ()).reduce(Sum), 12);
    /// // First `is_used` for all cars, then `clean` for those that it chose.
    /// town.select(Car::is_used, ()).execute(Car::clean, ());
    /// assert!(town.select(Car::is_used, ()).selection().is_empty());
    /// # Ok(()) }
    /// ```
    #[must_use = "nothing runs before `execute`, `selection` or another executor is called"]
    fn select<K, A>(&mut self, _kernel: K, args: A) -> Over<'_, Self, Chosen<RangeFull, K, A, false>>
    where
        K: Kernel + Collect<Self, A, Output = bool>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        let () = Pure::<K>::CHECK;
        Over::new(self, Chosen::new(.., args))
    }

    /// The results of a pure kernel on the host for all objects of its class: to be changed by closures, combined, or
    /// collected. Nothing runs before that. See [`Over::map`], which has an example.
    fn map<K, A>(
        &mut self,
        kernel: K,
        args: A,
    ) -> MapOver<'_, Self, RangeFull, K, A, impl Fn(u32, <K as Call<A>>::Output) -> <K as Call<A>>::Output + Copy + Sync>
    where
        K: Kernel + Call<A>,
        A: Copy + Send + Sync,
    {
        let () = Pure::<K>::CHECK;
        MapOver::new(Over::new(self, ..), kernel, args, |_, result| result)
    }

    /// Calls a kernel on the host for all objects of its class, and groups the objects by what it returns: a number less
    /// than `keys`, or a position for which `keys` is a [`Grid`](ikra_core::grid::Grid). In each group the objects are
    /// in the order of their ids. See [`Groups`] for the groups as an argument of kernels.
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Ant { pub nest: u32 }
    /// # #[soa_world] pub struct Wood { pub ants: Objects<Ant> }
    /// #[soa_methods]
    /// impl Ant {
    ///     #[kernel]
    ///     pub fn home(&self) -> u32 { self.nest }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut wood = Wood::new();
    /// wood.ants.extend([2, 0, 2].map(|nest| Ant { nest }))?;
    /// let nests = wood.group_by(Ant::home, 3, ())?;
    /// assert_eq!([0, 1, 2].map(|nest| nests.links(nest).len()), [1, 0, 2]);
    /// assert_eq!(nests.links(2).map(Link::id).collect::<Vec<_>>(), [1, 3]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoKey`], [`Error::KeyOutOfRange`]. The kernel's writes stay.
    #[track_caller]
    fn group_by<K, A, T, G>(&mut self, kernel: K, keys: G, args: A) -> Result<Groups<K::Class, G>, Error>
    where
        K: Kernel + Collect<Self, A, Output = T>,
        T: Copy + Sync,
        G: Keys<T>,
        Self: Holds<K::Class>,
    {
        self.over(..).group_by(kernel, keys, args)
    }
}
