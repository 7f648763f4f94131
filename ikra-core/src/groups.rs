//! Objects by key: groups that kernels iterate over, to visit neighbours.

mod around;
#[cfg(not(target_arch = "nvptx64"))]
mod host;

use core::fmt;
use core::marker::PhantomData;

use crate::class::Class;
use crate::directory::TableRef;
use crate::facts::Facts;
use crate::handle::Handle;
use crate::link::Link;
use crate::object::Object;
use crate::panics::{no_such_group, stale_groups};
use crate::phase::Phase;
use crate::target::groups::{Made, Words};
use crate::value::Value;

pub use around::Around;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{GroupsArgument, Source};

/// The keys by which objects are grouped, from what a kernel returns for each: a number of groups, or a
/// [`Grid`](crate::grid::Grid) for positions.
///
/// Programs can have keys of their own:
///
/// ```
/// use ikra::{Keys, prelude::*};
///
/// /// Groups by age: up to ten years, up to twenty, and so on.
/// #[derive(Clone, Copy, Value)]
/// #[repr(C)]
/// pub struct Decades { pub count: u32 }
/// impl Keys<f32> for Decades {
///     fn groups(&self) -> u32 { self.count }
///     fn key(&self, age: f32) -> Option<u32> { Some(((age / 10.0) as u32).min(self.count - 1)) }
/// }
///
/// #[soa_class]
/// pub struct Person { pub age: f32 }
/// #[soa_methods]
/// impl Person {
///     #[kernel]
///     pub fn years(&self) -> f32 { self.age }
/// }
/// #[soa_world]
/// pub struct Town { pub people: Objects<Person> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut town = Town::new();
/// town.people.extend([31.0, 4.0, 99.0, 36.5].map(|age| Person { age }))?;
/// let by_age = town.group_by(Person::years, Decades { count: 5 }, ())?;
/// assert_eq!(by_age.links(3).map(Link::id).collect::<Vec<_>>(), [1, 4]);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` groups no objects for which a kernel returns `{T}`",
    label = "no keys for `{T}`",
    note = "a number of groups, a `u32`, is for kernels that return a `u32`; a `Grid<D>` for those that return `[f32; D]`",
    note = "for other types, implement `Keys` for a type of your own"
)]
pub trait Keys<T>: Value {
    /// The number of groups.
    fn groups(&self) -> u32;
    /// The key of an object: less than the number of groups. `None` if the object has none, which is an error.
    fn key(&self, of: T) -> Option<u32>;
}

#[diagnostic::do_not_recommend]
impl Keys<Self> for u32 {
    #[inline]
    fn groups(&self) -> u32 {
        *self
    }
    #[inline]
    fn key(&self, of: Self) -> Option<u32> {
        Some(of)
    }
}

/// Objects of a class by key; in each group they are in the order of their ids.
/// [`World::group_by`](../ikra/trait.World.html#method.group_by) makes them.
///
/// `&groups` is an argument of kernels. In methods, a parameter of type `Groups<Boid>` is a [`Grouped`], whose objects
/// are `Ref`s. Groups of a [`Grid`](crate::grid::Grid)'s cells are `Groups<Boid, Grid<2>>`.
///
/// Groups that a GPU makes stay there, until the program or a kernel on the host asks for their objects.
///
/// Groups do not follow later changes. They are refused in another world, and if objects of the class were removed or
/// got other ids since.
///
/// ```
/// use ikra::{Grid, prelude::*};
///
/// #[soa_class]
/// pub struct Boid { pub pos: [f32; 2], pub crowd: u32 }
///
/// #[soa_methods]
/// impl Boid {
///     #[kernel]
///     pub fn place(&self) -> [f32; 2] { self.pos }
///     /// Counts the boids up to 1 away.
///     #[kernel]
///     pub fn look(&mut self, near: Groups<Boid, Grid<2>>) {
///         self.crowd = 0;
///         for other in near.around(self.pos) {
///             let [x, y] = near.grid().offset(self.pos, other.pos());
///             if x * x + y * y <= 1.0 { self.crowd += 1; }
///         }
///     }
/// }
///
/// #[soa_world]
/// pub struct Flock { pub boids: Objects<Boid> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut flock = Flock::new();
/// flock.boids.extend([0.5, 1.25, 9.5, 4.0].map(|x| Boid { pos: [x, 5.0], crowd: 0 }))?;
/// let grid = Grid::new([0.0, 0.0], [10.0, 10.0], 1.0).periodic();
/// let near = flock.group_by(Boid::place, grid, ())?;
/// flock.execute(Boid::look, &near);
/// assert_eq!(flock.boids.column(boid::crowd), [3, 2, 2, 1]);
/// # Ok(()) }
/// ```
///
/// Invariants, which [`new`](Self::new) requires:
///
/// 1. `starts` has one number more than there are groups. It ascends from 0 to the number of `ids`.
/// 2. Each of `ids` was the index of an object in the table `made.table` in the generation `made.generation`.
#[repr(C)]
pub struct Groups<C, G = u32> {
    /// The position of each group's first object in `ids`, and the number of `ids`.
    starts: Words,
    /// The indices of the objects, group by group.
    ids: Words,
    groups: u32,
    keys: G,
    made: Made,
    class: PhantomData<fn() -> C>,
}

impl<C, G: Copy> Groups<C, G> {
    /// The number of groups.
    #[must_use]
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// The keys by which the objects are grouped.
    #[must_use]
    pub fn keys(&self) -> G {
        self.keys
    }
}

impl<C: Class, G: Copy> Groups<C, G> {
    /// The groups as methods see them, from an object of their world. Kernels' arguments become this by themselves; it
    /// serves calls of methods in sequential code.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Ant { pub nest: u32 }
    /// #[soa_methods]
    /// impl Ant {
    ///     #[kernel]
    ///     pub fn home(&self) -> u32 { self.nest }
    ///     pub fn family(&self, nests: Groups<Ant>) -> usize { nests.of(self.nest).len() }
    /// }
    /// #[soa_world]
    /// pub struct Wood { pub ants: Objects<Ant> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut wood = Wood::new();
    /// let ants: Vec<_> = wood.ants.extend([0, 1, 0].map(|nest| Ant { nest }))?.collect();
    /// let nests = wood.group_by(Ant::home, 2, ())?;
    /// let ant = wood.get(ants[2]);
    /// assert_eq!(ant.family(nests.seen_by(&ant)), 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// If the groups are of another world, or if objects of the class were removed or got other ids since they were made; if
    /// they are on a GPU that has failed.
    #[inline(always)]
    #[track_caller]
    pub fn seen_by<'g, 'w, O: Object<'w>>(&'g self, object: &O) -> Grouped<'g, 'w, O::Phase, C, G> {
        let handle = object.handle();
        let place = handle.place_of::<C>();
        if self.made.is_stale(place.changed()) {
            stale_groups(C::NAME);
        }
        self.starts.bring();
        self.ids.bring();
        Grouped { groups: self, place, facts: handle.facts().of_linked_object(), phase: PhantomData }
    }
}

impl<C: Class, G: fmt::Debug> fmt::Debug for Groups<C, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Groups").field("class", &C::NAME).field("keys", &self.keys).finish_non_exhaustive()
    }
}

/// Objects by key, as a method sees them: a parameter of type [`Groups<Boid>`](Groups) is one.
///
/// The type is for functions outside of `#[soa_methods]`:
///
/// ```
/// use ikra::{Grouped, Phase, prelude::*};
///
/// #[soa_class]
/// pub struct Ant { pub nest: u32, pub family: u32 }
///
/// fn family<P: Phase>(nests: Grouped<'_, '_, P, Ant>, nest: u32) -> u32 { nests.of(nest).len() as u32 }
///
/// #[soa_methods]
/// impl Ant {
///     #[kernel]
///     pub fn home(&self) -> u32 { self.nest }
///     #[kernel]
///     pub fn count(&mut self, nests: Groups<Ant>) { self.family = family(nests, self.nest); }
/// }
/// # #[soa_world]
/// # pub struct Wood { pub ants: Objects<Ant> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut wood = Wood::new();
/// wood.ants.extend([0, 1, 0].map(|nest| Ant { nest, family: 0 }))?;
/// let nests = wood.group_by(Ant::home, 2, ())?;
/// wood.execute(Ant::count, &nests);
/// assert_eq!(wood.ants.column(ant::family), [2, 1, 2]);
/// # Ok(()) }
/// ```
pub struct Grouped<'g, 'w, P, C, G = u32> {
    /// All objects of the groups exist in the world of `place`: this was checked when it was made, and no object
    /// disappears during `'w`.
    groups: &'g Groups<C, G>,
    /// The address of the table of `C` in the world.
    place: TableRef<'w>,
    /// The known facts about all objects of the world.
    facts: Facts,
    phase: PhantomData<fn() -> P>,
}

impl<P, C, G> Copy for Grouped<'_, '_, P, C, G> {}
impl<P, C, G> Clone for Grouped<'_, '_, P, C, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, C: Class, G: fmt::Debug> fmt::Debug for Grouped<'_, '_, P, C, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.groups, f)
    }
}

impl<'g, 'w, P: Phase, C: Class, G: Copy> Grouped<'g, 'w, P, C, G> {
    /// The objects of a group, in the order of their ids.
    ///
    /// # Panics
    ///
    /// If there is no such group.
    #[inline(always)]
    #[track_caller]
    pub fn of(self, key: u32) -> Group<'g, 'w, P, C> {
        if key >= self.groups() {
            no_such_group(C::NAME, key, self.groups());
        }
        // SAFETY: both are at most the number of groups.
        unsafe { self.between(key, key + 1) }
    }

    /// The number of groups.
    #[inline]
    #[must_use]
    pub fn groups(self) -> u32 {
        self.groups.groups
    }

    /// The keys by which the objects are grouped.
    #[inline]
    #[must_use]
    pub fn keys(self) -> G {
        self.groups.keys
    }

    /// The objects of the groups from `first` to `end`.
    ///
    /// # Safety
    ///
    /// Neither is more than the number of groups, and `first` is not more than `end`.
    #[inline(always)]
    unsafe fn between(self, first: u32, end: u32) -> Group<'g, 'w, P, C> {
        // SAFETY: `starts` has one number more than there are groups.
        let next = unsafe { self.groups.starts.get(first) };
        // SAFETY: as above.
        let end = unsafe { self.groups.starts.get(end) };
        Group { ids: &self.groups.ids, next, end, place: self.place, facts: self.facts, marker: PhantomData }
    }
}

/// The objects of a group, as refs. See [`Grouped::of`].
pub struct Group<'g, 'w, P, C> {
    /// Indices of objects that exist in the world of `place`.
    ids: &'g Words,
    next: u32,
    /// At most the number of `ids`, and not less than `next`.
    end: u32,
    place: TableRef<'w>,
    facts: Facts,
    marker: PhantomData<(fn() -> P, &'w C)>,
}

impl<P, C> Clone for Group<'_, '_, P, C> {
    fn clone(&self) -> Self {
        Self {
            ids: self.ids,
            next: self.next,
            end: self.end,
            place: self.place,
            facts: self.facts,
            marker: PhantomData,
        }
    }
}

impl<P, C: Class> fmt::Debug for Group<'_, '_, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group<{}>({} objects)", C::NAME, self.end - self.next)
    }
}

impl<'w, P: Phase, C: Class> Iterator for Group<'_, 'w, P, C> {
    type Item = C::Ref<'w, P>;

    #[inline(always)]
    fn next(&mut self) -> Option<C::Ref<'w, P>> {
        if self.next == self.end {
            return None;
        }
        // SAFETY: `next` is less than the number of `ids`.
        let index = unsafe { self.ids.get(self.next) };
        self.next += 1;
        // SAFETY: it is an object's index.
        let link = unsafe { Link::at_unchecked(index) };
        // SAFETY: 1. the address is that of a table of `C`, in which the object exists (I37); 2. the facts hold for all
        // objects of the world.
        Some(C::to_ref(unsafe { Handle::new(link, self.place, self.facts.of_existing()) }))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }
}

impl<P: Phase, C: Class> ExactSizeIterator for Group<'_, '_, P, C> {}
