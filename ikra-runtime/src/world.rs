//! Worlds: the objects of a closed set of classes.

mod guard;
#[cfg(test)]
mod linking;
mod reorder;

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Acquire, Ordering::Release};
use std::sync::{Mutex, PoisonError};

pub use guard::Mut;
pub use reorder::Moved;

use crate::class::{Class, ClassId, Field};
use crate::column::Column;
use crate::dispatch::{Collect, Execute, LinkIn, Reduce, run_pairs};
use crate::error::Error;
use crate::exec;
use crate::executor::{Executor, Executors, On, Over, Part};
use crate::handle::AllObjects;
use crate::kernel::{Argument, Call, Construct, PairCall};
use crate::layout::geometry;
use crate::link::Link;
use crate::list::LastList;
use crate::objects::{AnyObjects, Links, Objects};
use crate::phase::Sequential;
use crate::place::Place;
use crate::storage::Stored;
use crate::table::{Directory, Targets};
use crate::value::{BadLink, Value};
use ikra_core::device_code::DeviceCode;
use ikra_core::message::Message;

/// What a world of type `W` keeps beside its objects: where the tables of its classes are.
///
/// Its type names the world's, so that no other world's can be put in its place. Two worlds of one type may
/// exchange theirs, as they may exchange their objects: before an object is reached, `link` compares
/// what the state says with what the tables say.
pub struct WorldState<W> {
    directory: Box<Directory>,
    /// Held while tables are linked, so that threads that share the world do so one after another.
    linking: Mutex<()>,
    /// What runs its kernels.
    executors: Mutex<Executors<W>>,
    /// The list of the last slice. It is used by `&mut` alone; behind a mutex, panics do not show in the world's type.
    last_list: Mutex<LastList>,
}

impl<W> fmt::Debug for WorldState<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldState").finish_non_exhaustive()
    }
}

impl<W: World> Default for WorldState<W> {
    fn default() -> Self {
        Self::new()
    }
}

/// That of another world: nothing of it belongs to the clone.
impl<W: World> Clone for WorldState<W> {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl<W: World> WorldState<W> {
    /// That of a world whose tables are not linked yet.
    #[must_use]
    pub fn new() -> Self {
        let entries = W::CLASSES.iter().map(|&class| (class.type_id(), AtomicPtr::new(ptr::null_mut()))).collect();
        Self {
            directory: Box::new(Directory { entries }),
            linking: Mutex::new(()),
            executors: Mutex::new(Executors::NONE),
            last_list: Mutex::default(),
        }
    }

    /// What runs its kernels.
    pub fn executors(&mut self) -> &mut Executors<W> {
        self.executors.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The list of the last slice.
    pub(crate) fn last_list(&mut self) -> &mut LastList {
        self.last_list.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A point in linking where other threads may do something; the tests do.
#[inline(always)]
fn others_may_run() {
    #[cfg(test)]
    linking::others_run();
}

impl<W> WorldState<W> {
    /// Makes the tables refer to each other, if they do not already.
    ///
    /// Objects can be moved between worlds of the same type (`mem::swap`), so that both their place and
    /// whom they refer to must be looked at.
    ///
    /// # Safety
    ///
    /// The members are those of a world that the caller borrows, and whose state this is.
    #[inline]
    unsafe fn link(&self, members: &[&dyn AnyObjects]) {
        if !self.is_linked(members) {
            // SAFETY: by the caller.
            unsafe { self.relink(members) }
        }
    }

    /// Whether the directory lists the members' tables, and they the directory.
    ///
    /// Both are said by [`relink`](Self::relink) alone, for all tables of a world at once. A table of another world,
    /// one that was in this world before, and one at the address of one that is gone are therefore told apart: the
    /// directory lists another table in its place, or the table was last linked by another directory, or by none.
    #[inline]
    fn is_linked(&self, members: &[&dyn AnyObjects]) -> bool {
        let mine = ptr::from_ref(&*self.directory).cast_mut();
        let entries = &self.directory.entries;
        members.len() == entries.len()
            && members.iter().zip(entries).all(|(&member, entry)| {
                others_may_run();
                let current = entry.1.load(Acquire);
                others_may_run();
                ptr::eq(current, member.header().as_ptr()) && directory_of(member).load(Acquire) == mine
            })
    }

    /// Links the tables in four passes, so that a thread that shares the world and looks at it meanwhile sees at
    /// least one table without a directory until all is in place.
    ///
    /// # Panics
    ///
    /// If the members are not of the world's classes, before anything is changed.
    ///
    /// # Safety
    ///
    /// As for [`link`](Self::link).
    #[cold]
    unsafe fn relink(&self, members: &[&dyn AnyObjects]) {
        let _linking = self.linking.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_linked(members) {
            return;
        }
        let entries = &self.directory.entries;
        assert!(
            members.len() == entries.len()
                && members.iter().zip(entries).all(|(member, entry)| member.class().type_id() == entry.0),
            "the members of a world are the objects of its classes"
        );
        for &member in members {
            directory_of(member).store(ptr::null_mut(), Release);
            others_may_run();
        }
        for (member, entry) in members.iter().zip(entries) {
            entry.1.store(member.header().as_ptr(), Release);
            others_may_run();
        }
        for member in members {
            // SAFETY: the tables in the directory are alive: they are those of a world that the caller borrows. The
            // lock excludes other threads that link. Nobody reads the slots meanwhile: each handle is made after
            // `link` during the same borrow of the world, whose tables stay linked once they are, which they are not;
            // handles from a borrow before are gone.
            unsafe { member.point(&self.directory) }
            others_may_run();
        }
        for &member in members {
            // With `Release`: who sees the directory sees the slots of all tables too.
            directory_of(member).store(ptr::from_ref(&*self.directory).cast_mut(), Release);
            others_may_run();
        }
    }
}

/// Where the table of some objects says by which directory it was linked.
#[inline]
fn directory_of(objects: &dyn AnyObjects) -> &AtomicPtr<Directory> {
    // SAFETY: the table is alive as long as the objects, which are borrowed.
    &unsafe { objects.header().as_ref() }.directory
}

/// Fails to compile if class `C` has links to a class that is not in the world, or storage that cannot be.
pub const fn assert_closed<C: Class>(world: &str, classes: &[ClassId]) {
    // Evaluated here, so that its mistakes are found when the program is checked.
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
/// /// For any world that has bodies.
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

/// A struct under `#[soa_world]`: it owns the objects of a closed set of classes, and runs their
/// kernels.
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
/// [`execute_and_reduce`](World::execute_and_reduce) and [`execute_and_collect`](World::execute_and_collect). Two modifiers say
/// where and for which objects: [`on`](World::on) a place, [`over`](World::over) a range or a list of links.
///
/// | | for all objects | for some |
/// | --- | --- | --- |
/// | on the host | `sim.execute(Body::advance, 0.01)` | `sim.over(100..200).execute(Body::advance, 0.01)` |
/// | at any place | `sim.on(place).execute(Body::advance, 0.01)?` | `sim.on(place).over(&links).execute(Body::advance, 0.01)?` |
/// | on a GPU | `sim.cuda_execute(Body::advance, 0.01)?` | `sim.on(Place::Gpu(0)).over(&links).execute(Body::advance, 0.01)?` |
///
/// The short forms on the host return the value, and panic where the loop that they stand for would: a range out of bounds, a link
/// that is not of this world, a kernel that panics. All that follows `on(place)`, and all of CUDA, returns a `Result`. (Functions
/// that make objects return a `Result` on the host too, as `push` does.)
///
/// Kernels run on the threads of rayon's pool (`RAYON_NUM_THREADS`, or `ThreadPool::install` around a
/// call). The result of every executor is the same with any number of threads, bit for bit. What a kernel does
/// to atomic fields is checked for that ([`Atomic`](crate::storage::Atomic)); only fields that it calls `unordered`, and
/// what it shares by other means (a `static`, a `Mutex` or another world among its arguments), are its own responsibility.
///
/// If a kernel panics, the panic arrives in the caller, and the world can be used further. If it panics for several objects, the
/// panic for the one with the lowest id arrives, with any number of threads. (`execute_pairs` takes objects in blocks of 16, in
/// each of which all meet one other object before the next; a kernel of a trait runs class by class.) Kernels that were called
/// for other objects may have run or not. Then, by the kind of field:
///
/// | field | objects whose call returned | the object whose call panicked |
/// | --- | --- | --- |
/// | plain, `#[soa(flatten)]` | as the call left them | as before the call |
/// | inner array, `#[atomic]` | as the call left them | changed in place, up to the panic |
/// | under `snapshot` | as before the kernel | as before the kernel |
///
/// For `execute_pairs`, a call in this sense is that for one object with all others, and it may be undone for objects
/// other than the one whose call panicked. `construct` adds no object then, or, for a class with an `InnerArray`, those that
/// were made before.
///
/// # Panics
///
/// All methods that follow links or run kernels panic if a reserved object of the world is not initialised. Those that run
/// kernels panic if a column has a link to no object ([`Error::BadLink`], which `world.on(place)` returns), before the kernel
/// runs; sequential code panics when it follows such a link.
///
/// # Safety
///
/// `members` and `members_mut` return all members of the world, those of the classes in `CLASSES`, in this order. `state`
/// and `state_mut` return the same part of `self`.
pub unsafe trait World: Sized + Send + Sync + 'static {
    /// The classes of the members.
    #[doc(hidden)]
    const CLASSES: &'static [ClassId];
    /// The device code of the world's package, and of others that it names.
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
    /// Makes what runs kernels at a place other than the host.
    #[doc(hidden)]
    fn open(world: &mut Self, place: Place) -> Result<Box<dyn Executor<Self>>, Error>;

    /// A world without objects, where the world is a type parameter; `#[soa_world]` gives the struct a function of this
    /// name too.
    fn new() -> Self;

    /// An object, to read.
    ///
    /// # Panics
    ///
    /// If the link does not belong to this world, as indexing does; see [`try_get`](Self::try_get).
    #[inline]
    #[track_caller]
    fn get<'w, L: LinkIn<Self>>(&'w self, link: L) -> L::View<'w, Sequential> {
        match self.try_get(link) {
            Ok(object) => object,
            Err(error) => panic!("{error}"),
        }
    }

    /// An object, to read.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`].
    #[inline]
    #[track_caller]
    fn try_get<'w, L: LinkIn<Self>>(&'w self, link: L) -> Result<L::View<'w, Sequential>, Error> {
        link.find(self)
    }

    /// An object, to change: a guard with the object's fields, which are stored when it is dropped.
    ///
    /// Until then, reading the same object through a link shows its fields from before, inner arrays included.
    /// Elements of other objects' arrays are read by value beside a guard, `other.path().get(i)`: see
    /// [`Guarded`](crate::phase::Guarded).
    ///
    /// A field that is a link shows the object behind it; to store another link, ask the guard for the object, or
    /// use [`set`](Self::set):
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

    /// An object, to change.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`].
    #[inline]
    #[track_caller]
    fn try_get_mut<L: LinkIn<Self>>(&mut self, link: L) -> Result<L::Mut<'_>, Error> {
        link.find_mut(self)
    }

    /// Stores a field of one object: the value as the row has it, a link for a link.
    ///
    /// | one field | several, or by a method | all objects |
    /// | --- | --- | --- |
    /// | `world.set(link, body::mass, 2.0)` | `let mut body = world.get_mut(link);` | `bodies.column_mut(body::mass).fill(2.0)` |
    ///
    /// Elements of inner arrays are set through [`get_mut`](Self::get_mut), whole ones by `Objects::set_array`.
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

    /// All objects of a class, to read, in the order of their ids.
    #[track_caller]
    fn all<C: Class>(&self) -> AllObjects<'_, C, Sequential>
    where
        Self: Holds<C>,
    {
        ready(self);
        // SAFETY: they were just linked, and are borrowed with the world.
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

    /// Some objects of the world, for the executors of the host: a range of positions, or links. See
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

    /// Calls a kernel for all objects of its class, or of the classes of its trait, on the host, whatever its arguments are. See
    /// [`On::execute`].
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

    /// Calls a kernel for all objects of its class, or of the classes of its trait, and combines the results, on the host. They
    /// are of any type that is `Copy`, and the reducer may have state. See [`On::execute_and_reduce`].
    #[track_caller]
    fn execute_and_reduce<K, A, R, T>(&mut self, _kernel: K, args: A, reducer: R) -> T
    where
        K: Reduce<Self, A, R, Output = T>,
    {
        or_panic(K::reduce(Ready::of(self), Part::All, args, reducer))
    }

    /// Calls a kernel for all objects of its class, or of the classes of its trait, and returns the results class by class, in
    /// the order of the objects' ids. They may be of any type, even one that is not `Copy`.
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
    /// [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`]; nothing is added then.
    fn construct<K, A>(&mut self, n: usize, _constructor: K, args: A) -> Result<Links<K::Class>, Error>
    where
        K: Construct<A>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        exec::construct::<K, A>(self.objects_mut(), n, args)
    }

    /// Puts the objects of a class in the order of `order`, and removes those that it does not name. All links in the world are
    /// remapped: to a removed object, an `Option<Link<C>>` becomes `None`, and an `InnerArray` does without the link.
    ///
    /// Ids change: [`Moved`] has the present link for each former one, for links that the program keeps outside of the world. Lists and
    /// recordings that were made before are refused.
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
    /// [`Error::LinkToRemoved`] if a `Link` that cannot be empty names an object that would be removed; [`Error::Duplicate`],
    /// [`Error::NotInWorld`], [`Error::NotAllInitialized`], [`Error::BadLink`], and those of fetching. Nothing has changed then.
    fn reorder<C: Class>(&mut self, order: &[Link<C>]) -> Result<Moved<C>, Error>
    where
        Self: Holds<C>,
    {
        reorder::reorder(self, order.iter().map(|link| link.index() as u32))
    }

    /// Calls a kernel for all objects of its class, on the host, and removes those for which it returns `false`. The others
    /// keep their order. See [`reorder`](Self::reorder) for links.
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
    /// As for [`reorder`](Self::reorder). Nothing is removed then; what the kernel wrote stays.
    #[track_caller]
    fn retain<K, A>(&mut self, kernel: K, args: A) -> Result<Moved<K::Class>, Error>
    where
        K: Call<A, Output = bool>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        let keeps = self.execute_and_collect(kernel, args);
        let kept = keeps.iter().enumerate().filter(|&(_, &keep)| keep).map(|(index, _)| index as u32);
        reorder::reorder(self, kept.collect::<Vec<_>>().into_iter())
    }

    /// Calls a kernel for all objects of its class, on the host, and puts them in the order of the keys that it returns. Objects
    /// with equal keys keep their order. See [`reorder`](Self::reorder) for links.
    ///
    /// Objects that meet each other, as those in one cell of a grid, lie side by side then.
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
        K: Call<A, Output: Ord + Send + Sync>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        let keys = self.execute_and_collect(kernel, args);
        reorder::reorder(self, reorder::sorted(&keys).into_iter())
    }
}

/// Links the tables.
#[inline]
fn link<W: World>(world: &W) {
    // SAFETY: both are of the world, which is borrowed.
    unsafe { world.state().link(world.members().as_ref()) };
}

/// The same, and panics if an object is not initialised.
#[inline]
#[track_caller]
pub(crate) fn ready<W: World>(world: &W) {
    // Sequential code asks this for each object that it gets: where all is well, the list of members need not be in memory.
    let members = world.members();
    let members = members.as_ref();
    if !world.state().is_linked(members) || members.iter().any(|member| member.pending() > 0) {
        make_ready(world);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn make_ready<W: World>(world: &W) {
    link(world);
    for member in world.members().as_ref() {
        if member.pending() > 0 {
            not_ready(member.name(), member.pending());
        }
    }
}

/// A world in which a kernel can run on the host: its tables are linked, its links are checked, its objects initialised, and what a
/// device has changed is fetched.
#[derive(Debug)]
pub struct Ready<'w, W>(&'w mut W);

impl<'w, W: World> Ready<'w, W> {
    /// Gets a world ready, and panics if that fails.
    #[inline]
    #[track_caller]
    pub(crate) fn of(world: &'w mut W) -> Self {
        ready_for_kernel(world);
        Self(world)
    }

    /// Gets a world ready.
    ///
    /// # Errors
    ///
    /// Those of checking links and of fetching.
    pub(crate) fn try_of(world: &'w mut W) -> Result<Self, Error> {
        try_ready_for_kernel(world)?;
        Ok(Self(world))
    }
}

impl<W> Deref for Ready<'_, W> {
    type Target = W;
    #[inline(always)]
    fn deref(&self) -> &W {
        self.0
    }
}

impl<W> DerefMut for Ready<'_, W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut W {
        self.0
    }
}

/// Panics with an error: the short forms on the host return values.
#[inline(always)]
#[track_caller]
pub(crate) fn or_panic<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// Gets ready for a kernel, which may read any field of any class: checks links that were written, and fetches from a device
/// whatever is newer there. Panics if that fails, or if an object is not initialised.
#[inline]
#[track_caller]
fn ready_for_kernel<W: World>(world: &mut W) {
    ready(world);
    for member in world.members().as_ref() {
        // SAFETY: `ready` has linked the tables, which stay so as long as the world is borrowed.
        if let Err(error) = unsafe { member.prepare() } {
            not_prepared(member.name(), &error);
        }
    }
}

/// The same, with errors.
fn try_ready_for_kernel<W: World>(world: &mut W) -> Result<(), Error> {
    check_links(world, &[])?;
    // SAFETY: `check_links` has linked the tables, which stay so as long as the world is borrowed.
    world.members().as_ref().iter().try_for_each(|member| unsafe { member.prepare() })
}

/// Before a kernel runs anywhere: links the tables, and checks links that were written, and those among the arguments.
///
/// # Errors
///
/// [`Error::NotAllInitialized`], [`Error::BadLink`], [`Error::NotInWorld`], and those of fetching.
pub(crate) fn check_links<W: World>(world: &W, arguments: &[Argument<'_>]) -> Result<(), Error> {
    link(world);
    let members = world.members();
    let members = members.as_ref();
    for member in members {
        if member.pending() > 0 {
            return Err(Error::NotAllInitialized { class: member.name(), pending: member.pending() });
        }
    }
    for argument in arguments.iter().filter(|argument| !argument.links_to().is_empty()) {
        // SAFETY: the world is borrowed.
        let targets = unsafe { world.state().directory.slots(argument.links_to()) };
        if let Some(BadLink { class, id, len }) = argument.bad_link(Targets::new(&targets)) {
            return Err(Error::NotInWorld { class: class.name(), id, len: len as usize });
        }
    }
    // SAFETY: the tables were linked above, and stay so as long as the world is borrowed.
    members.iter().try_for_each(|member| unsafe { member.check_links() })
}

#[cold]
#[inline(never)]
#[track_caller]
fn not_prepared(class: &str, error: &Error) -> ! {
    match error {
        Error::BadLink { .. } => panic!("{error}"),
        _ => panic!("class {class}: {error}"),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn not_ready(class: &str, pending: u32) -> ! {
    panic!(
        "{pending} objects of class {class} are reserved but not initialised; call `init` for each before the world is used"
    )
}
