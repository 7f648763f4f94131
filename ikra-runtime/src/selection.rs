//! Selections: the objects of a class for which a kernel returns `true`.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Peekable;

use crate::class::Class;
use crate::exec::spread;
use crate::groups::Groups;
use crate::kernel::DeviceArgument;
use crate::link::Link;
use crate::list::{LinkList, ListOrder, Listed};
use crate::objects::generation;
use crate::value::Value;

/// A set of objects of one class, in the order of their ids. [`World::select`](crate::world::World::select) chooses them.
///
/// A selection goes where a list goes: `sim.over(&hungry).execute(Sheep::eat, ())`. Like a list it does not follow later
/// changes, and it is refused if objects of the class got other ids since. So is a set that is made from it.
///
/// A selection that a GPU makes stays there: the host gets the number of its objects only. Its objects are copied to the
/// host when the program asks for one of them, or for a set that is made from it.
///
/// # Panics
///
/// Asking for its objects panics if they are on a GPU that has failed.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Sheep { pub energy: i32, pub age: u32 }
///
/// #[soa_methods]
/// impl Sheep {
///     #[kernel]
///     pub fn is_hungry(&self, below: i32) -> bool { self.energy < below }
///     #[kernel]
///     pub fn is_old(&self) -> bool { self.age > 9 }
///     #[kernel]
///     pub fn graze(&mut self) { self.energy += 5; }
/// }
///
/// #[soa_world]
/// pub struct Meadow { pub sheep: Objects<Sheep> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut meadow = Meadow::new();
/// meadow.sheep.extend([(1, 3), (9, 12), (2, 15)].map(|(energy, age)| Sheep { energy, age }))?;
/// let hungry = meadow.select(Sheep::is_hungry, 4).selection();
/// let young = hungry.difference(&meadow.select(Sheep::is_old, ()).selection());
/// assert_eq!((hungry.len(), young.len()), (2, 1));
/// meadow.over(&young).execute(Sheep::graze, ());
/// assert_eq!(meadow.sheep.column(sheep::energy), [6, 9, 2]);
/// # Ok(()) }
/// ```
pub struct Selection<C> {
    list: LinkList<Link<C>>,
}

impl<C: Class> Selection<C> {
    /// The objects of a class, from results for those in `among`, which exist in the table of this number.
    pub(crate) fn of(results: &[bool], among: &Listed, table: u64) -> Self {
        /// The number of results per task.
        const CHUNK: usize = 1 << 16;
        let chosen = |n: usize| {
            let places = n * CHUNK..((n + 1) * CHUNK).min(results.len());
            let chunk = &results[places.clone()];
            let mut indices = Vec::with_capacity(chunk.iter().filter(|&&is_chosen| is_chosen).count());
            let objects = among.ranges(places).flatten();
            indices.extend(objects.zip(chunk).filter(|&(_, &is_chosen)| is_chosen).map(|(index, _)| index as u32));
            indices
        };
        let (parts, _) = spread(results.len().div_ceil(CHUNK), &chosen);
        let indices = match <[Vec<u32>; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => parts.concat(),
        };
        let list = ListOrder::made(vec![Listed::new(indices)], generation());
        Self::made(list, table)
    }

    /// The objects with these indices, which ascend, and which exist in the table of this number.
    pub(crate) fn at(indices: Vec<u32>, table: u64) -> Self {
        Self::made(ListOrder::made(vec![Listed::new(indices)], generation()), table)
    }

    /// The objects of a list, which exist in the table of this number.
    pub(crate) fn made(list: ListOrder, table: u64) -> Self {
        Self { list: LinkList::of(list.existing_in(table)) }
    }

    /// The objects of a list.
    pub(crate) fn of_list(list: LinkList<Link<C>>) -> Self {
        Self { list }
    }

    /// As above, as they were in a generation of ids.
    fn in_generation(indices: Vec<u32>, generation: u64) -> Self {
        Self { list: LinkList::of(ListOrder::made(vec![Listed::new(indices)], generation)) }
    }

    /// The objects of a group, as a subset for kernels. If a GPU has the groups, they are copied to the host.
    ///
    /// ```
    /// use ikra::{Selection, prelude::*};
    /// # #[soa_class] pub struct Ant { pub nest: u32, pub age: u32 }
    /// # #[soa_methods]
    /// # impl Ant {
    /// #     #[kernel] pub fn home(&self) -> u32 { self.nest }
    /// #     #[kernel] pub fn grow(&mut self) { self.age += 1; }
    /// # }
    /// # #[soa_world] pub struct Wood { pub ants: Objects<Ant> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut wood = Wood::new();
    /// wood.ants.extend([0, 1, 0].map(|nest| Ant { nest, age: 5 }))?;
    /// let nests = wood.group_by(Ant::home, 2, ())?;
    /// wood.over(&Selection::of_group(&nests, 0)).execute(Ant::grow, ());
    /// assert_eq!(wood.ants.column(ant::age), [6, 5, 6]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such group, or if the groups are on a GPU that has failed.
    #[must_use]
    #[track_caller]
    pub fn of_group<G: Value>(groups: &Groups<C, G>, key: u32) -> Self {
        let argument = DeviceArgument::argument(&groups);
        let made = argument.as_groups().expect("groups are an argument").made();
        Self::in_generation(distinct(groups.links(key)), made.generation)
    }

    /// The number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no objects in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether an object is in it.
    ///
    /// ```
    /// # use ikra::{Selection, prelude::*};
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// let [a, b, c] = [1, 2, 3].map(|id| Link::<Car>::from_id(id).unwrap());
    /// let some: Selection<Car> = [c, a].into_iter().collect();
    /// assert!(some.contains(a) && !some.contains(b));
    /// ```
    #[must_use]
    pub fn contains(&self, link: Link<C>) -> bool {
        self.listed().contains(link.index())
    }

    /// The links to its objects, in the order of their ids.
    ///
    /// ```
    /// # use ikra::{Selection, prelude::*};
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// let [a, b] = [1, 2].map(|id| Link::<Car>::from_id(id).unwrap());
    /// let both: Selection<Car> = [b, a, b].into_iter().collect();
    /// assert!(both.links().eq([a, b]));
    /// ```
    pub fn links(&self) -> impl Iterator<Item = Link<C>> + '_ {
        self.indices().map(Link::at)
    }

    /// The objects that are in this selection or in the other one.
    ///
    /// ```
    /// # use ikra::{Selection, prelude::*};
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// let [a, b, c] = [1, 2, 3].map(|id| Link::<Car>::from_id(id).unwrap());
    /// let [left, right] = [[a, b], [b, c]].map(|links| Selection::from_iter(links));
    /// assert!(left.union(&right).links().eq([a, b, c]));
    /// assert!(left.intersection(&right).links().eq([b]));
    /// assert!(left.difference(&right).links().eq([a]));
    /// ```
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.merged(other, |_| true)
    }

    /// The objects that are in both selections. See [`union`](Self::union) for an example.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.merged(other, |found| found == Found::Both)
    }

    /// The objects that are in this selection and not in the other one. See [`union`](Self::union) for an example.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.merged(other, |found| found == Found::First)
    }

    /// The objects of both selections that are found where `keep` says.
    fn merged(&self, other: &Self, keep: impl Fn(Found) -> bool) -> Self {
        let both = Merge { first: self.indices().peekable(), second: other.indices().peekable() };
        let indices = both.filter(|&(_, found)| keep(found)).map(|(index, _)| index).collect();
        // The older one may name objects that have other ids since.
        let generation = self.list.order().generation().min(other.list.order().generation());
        Self::in_generation(indices, generation)
    }

    /// The selection as a list.
    pub(crate) fn list(&self) -> &LinkList<Link<C>> {
        &self.list
    }

    fn listed(&self) -> &Listed {
        self.list.order().listed(0).unwrap_or_else(|error| panic!("the selection is on a device: {error}"))
    }

    fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        self.listed().iter().map(|index| index as u32)
    }
}

/// Objects in any order; duplicates count once.
impl<C: Class> FromIterator<Link<C>> for Selection<C> {
    fn from_iter<I: IntoIterator<Item = Link<C>>>(links: I) -> Self {
        Self::in_generation(distinct(links), generation())
    }
}

/// The indices of objects, each once, in ascending order.
fn distinct<C: Class>(links: impl IntoIterator<Item = Link<C>>) -> Vec<u32> {
    let mut indices: Vec<_> = links.into_iter().map(|link| link.index() as u32).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

impl<C> Clone for Selection<C> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone() }
    }
}

impl<C: Class> fmt::Debug for Selection<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Selection<{}>({} objects)", C::NAME, self.len())
    }
}

/// The sets that an object is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    First,
    Second,
    Both,
}

/// Two ascending sequences as one.
struct Merge<A: Iterator<Item = u32>, B: Iterator<Item = u32>> {
    first: Peekable<A>,
    second: Peekable<B>,
}

impl<A: Iterator<Item = u32>, B: Iterator<Item = u32>> Iterator for Merge<A, B> {
    type Item = (u32, Found);

    fn next(&mut self) -> Option<(u32, Found)> {
        let (first, found) = match (self.first.peek(), self.second.peek()) {
            (None, None) => return None,
            (Some(_), None) => (true, Found::First),
            (None, Some(_)) => (false, Found::Second),
            (Some(a), Some(b)) => match a.cmp(b) {
                Ordering::Less => (true, Found::First),
                Ordering::Greater => (false, Found::Second),
                Ordering::Equal => {
                    self.second.next();
                    (true, Found::Both)
                }
            },
        };
        let index = if first { self.first.next() } else { self.second.next() };
        Some((index?, found))
    }
}
