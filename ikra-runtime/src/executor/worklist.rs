//! Loops over the objects that the iteration before has found: `repeat_over`.

use std::any::Any;
use std::sync::Arc;

use ikra_core::target::groups::Made;
use ikra_core::worklist::Worklist;

use super::{Iteration, Named, On, Subset};
use crate::class::{Class, ClassId};
use crate::dispatch::AnyKernel;
use crate::error::Error;
use crate::exec::stage::All;
use crate::exec::{Extent, Part};
use crate::link::Link;
use crate::list::{LinkList, ListMemory, ListOrder, Listed, ListedLink};
use crate::objects::{AnyObjects, generation};
use crate::selection::Selection;
use crate::world::{Holds, World, check_links};

/// A loop over a worklist, for a place that runs it by itself.
#[derive(Debug)]
#[non_exhaustive]
pub struct WorkLoop<'a> {
    /// The class of the objects.
    pub class: ClassId,
    /// The objects of the first iteration.
    pub start: &'a Arc<ListOrder>,
    /// The most iterations.
    pub most: u64,
}

/// How a loop over a worklist ended.
#[derive(Clone, Debug)]
pub struct Worked {
    /// The iterations that ran.
    pub iterations: u64,
    /// The indices of the objects for the next one, in ascending order.
    pub left: Vec<u32>,
}

/// In place of a list's memory: the objects of an iteration that a device will run.
#[derive(Debug)]
pub struct OfIteration {
    /// The number of the objects' table.
    table: u64,
    objects: usize,
}

impl OfIteration {
    /// The number of the objects' table, if these are the objects of an iteration.
    #[must_use]
    pub fn table(over: &Extent) -> Option<u64> {
        let Extent::List { list, .. } = over else { return None };
        list.memory()?.as_any().downcast_ref::<Self>().map(|own| own.table)
    }
}

// SAFETY: it returns no list.
unsafe impl ListMemory for OfIteration {
    fn fetch(&self) -> Result<Vec<u32>, Error> {
        let what = String::from("asking for the objects of a worklist");
        Err(Error::NotRecordable { what })
    }
    fn numbers(&self) -> usize {
        self.objects
    }
    fn is_there(&self) -> bool {
        true
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The list without objects that were removed since it was made; `objects` are those of its class.
pub(super) fn left<L: ListedLink>(list: &LinkList<L>, objects: &dyn AnyObjects) -> Result<LinkList<L>, Error> {
    let order = list.order();
    let is_recorded = order.memory().is_some_and(|memory| memory.as_any().is::<OfIteration>());
    if is_recorded || objects.holes() == 0 || order.is_known_in(objects) {
        return Ok(list.clone());
    }
    // Those that never existed stay, for the check that follows.
    let is_left = |index: usize| index >= objects.slots() || objects.exists(index);
    let left = order.listed(0)?.iter().filter(|&index| is_left(index)).map(|index| index as u32).collect();
    Ok(LinkList::of(ListOrder::made(vec![Listed::new(left)], order.generation())))
}

#[diagnostic::do_not_recommend]
impl<W, K: AnyKernel<Link = Link<C>>, C: Class> Subset<W, K> for &Worklist<C> {
    type Filter = All;
    fn filter(&self) -> All {
        All
    }
    fn among(&self, _: &W) -> Result<Named<'_, Link<C>>, Error> {
        let list = self.now().downcast_ref::<LinkList<Link<C>>>();
        Ok(Named::Left(list.expect("`repeat_over` makes worklists with lists")))
    }
}

impl<W: World> On<'_, W> {
    /// Runs a sequence of kernels for the objects `start`, then for the objects that kernels have put into the worklist
    /// meanwhile, and so on: until none has, at most `most` times. Returns how many times it has run, and the objects that
    /// are left.
    ///
    /// `iteration` describes one iteration. `step.over(work)` names its objects, and kernels take `work` as an argument to
    /// put objects into the next one: see [`Worklist`]. Kernels may also run for other objects. So a search costs as much as
    /// the vertices that it reaches, and not all vertices in each iteration.
    ///
    /// On the host this is an ordinary loop. A GPU repeats a recording, as for [`repeat_while`](Self::repeat_while), and
    /// keeps the worklist in its memory: as one kernel once that is compiled, and before with a copy of four bytes after each
    /// iteration. With `most` = 0 nothing runs, but a GPU compiles that kernel at once.
    ///
    /// Objects that are removed are not in the next iteration, and no later kernel of this one runs for them. Objects that
    /// kernels make are in the next one if they are put in: `next.push(young.push(row))`. Their ids are not those of objects
    /// that were removed in the same iteration.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// #[soa_class]
    /// pub struct Person { pub day: u32, pub is_ill: bool, pub friend: Option<Link<Person>> }
    ///
    /// #[soa_methods]
    /// impl Person {
    ///     #[kernel]
    ///     pub fn fall_ill(&mut self, news: Ref<News>) { self.is_ill = true; self.day = news.day(); }
    ///     #[kernel]
    ///     pub fn infect(&self, next: Worklist<Person>) {
    ///         if let Some(friend) = self.friend && !friend.is_ill() { next.push(friend.link()); }
    ///     }
    /// }
    /// #[soa_class]
    /// pub struct News { pub day: u32 }
    /// #[soa_methods]
    /// impl News {
    ///     #[kernel]
    ///     pub fn next(&mut self) { self.day += 1; }
    /// }
    /// # #[soa_world] pub struct Town { pub people: Objects<Person>, pub news: Objects<News> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// # let all: Vec<_> = town.people.reserve(9)?.collect();
    /// # for n in 0..9 {
    /// #     town.people.init(all[n], Person { day: 0, is_ill: false, friend: all.get(n + 1).copied() })?;
    /// # }
    /// let news = town.news.push(News { day: 0 })?;
    /// let first = [all[0]].into_iter().collect();
    /// let (days, left) = town.on(Place::Host).repeat_over(&first, 5, |step, work| {
    ///     step.execute(News::next, ())?;
    ///     step.over(work).execute(Person::fall_ill, news)?;
    ///     step.over(work).execute(Person::infect, work)
    /// })?;
    /// assert_eq!((days, left.links().collect::<Vec<_>>()), (5, vec![all[5]]));
    /// assert_eq!(town.get(all[4]).day(), 5);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`repeat`](Self::repeat). [`Error::NotInWorld`], [`Error::Removed`] or [`Error::StaleList`] for objects of
    /// `start`; the first one also if a kernel puts in an object that does not exist. [`Error::StaleList`] if objects of the
    /// class got other ids meanwhile, as in a class that compacts itself. On a GPU
    /// [`Error::NotRecordable`] if a recording cannot hold the kernels, or if `step.over(work)` is used for anything but
    /// `execute`.
    pub fn repeat_over<C>(
        &mut self,
        start: &Selection<C>,
        most: u64,
        iteration: impl Fn(&mut Iteration<'_, W>, &Worklist<C>) -> Result<(), Error>,
    ) -> Result<(u64, Selection<C>), Error>
    where
        C: Class,
        W: Holds<C>,
    {
        let first = start.list().clone();
        self.at().check_current(&first)?;
        Part::List(first.order()).of(0, self.objects_of::<C>())?;
        if self.at().with(|executor, _| Ok(executor.has_worklists()))? {
            return self.repeat_over_there(first.order(), most, iteration);
        }
        let (made, count) = self.made::<C>();
        let (mut now, mut done) = (first, 0);
        let mut work = Worklist::new(made, count, Arc::new(now.clone()));
        while done < most && !now.is_empty() {
            let made = generation();
            // What is found and then removed must not be taken for a new object.
            self.objects_of::<C>().keep_holes(work.younger());
            iteration(&mut Iteration(On::new(self.world, self.place)), &work)?;
            self.synchronize()?;
            self.at().check_current(&now)?;
            let (mut found, objects) = (work.take(), self.objects_of::<C>());
            if let Some(&last) = found.last().filter(|&&last| last as usize >= objects.slots()) {
                let len = objects.slots() - objects.holes();
                return Err(Error::NotInWorld { class: C::NAME, id: last + 1, len });
            }
            if objects.holes() > 0 {
                found.retain(|&index| objects.exists(index as usize));
            }
            let (table, count) = self.made::<C>();
            now = LinkList::of(ListOrder::made(vec![Listed::new(found)], made).existing_in(table.table));
            work.begin(table, count, Arc::new(now.clone()));
            done += 1;
        }
        Ok((done, Selection::of_list(now)))
    }

    /// As above, at a place that repeats a recording by itself.
    fn repeat_over_there<C>(
        &mut self,
        start: &Arc<ListOrder>,
        most: u64,
        iteration: impl Fn(&mut Iteration<'_, W>, &Worklist<C>) -> Result<(), Error>,
    ) -> Result<(u64, Selection<C>), Error>
    where
        C: Class,
        W: Holds<C>,
    {
        let (made, count) = self.made::<C>();
        let objects = count as usize;
        let memory = Box::new(OfIteration { table: made.table, objects });
        // SAFETY: 1. and 2.: the list has all objects of the class; its memory returns none.
        let list = unsafe { ListOrder::on_device(&[(objects, 0..objects)], Some(memory)) };
        let work = Worklist::on_device(made, Arc::new(LinkList::<Link<C>>::of(list)));
        let recording = self.record(|on| iteration(&mut Iteration(On::new(on.world, on.place)), &work))?;
        let this = WorkLoop { class: C::ID, start, most };
        check_links(self.world, &[])?;
        // SAFETY: `check_links` has linked the tables and checked the links, and the world has been borrowed since. The
        // objects of the start were found in the world, and no recording removes objects.
        let worked = self.at().with(|executor, world| unsafe { executor.repeat_over(world, &recording, &this) })?;
        let left = LinkList::of(ListOrder::made(vec![Listed::new(worked.left)], generation()));
        Ok((worked.iterations, Selection::of_list(left)))
    }

    /// The objects of a class as they are now, and their number.
    fn made<C: Class>(&mut self) -> (Made, u32)
    where
        W: Holds<C>,
    {
        let objects = self.objects_of::<C>();
        // SAFETY: the table is alive as long as the objects, which are borrowed.
        let table = unsafe { AnyObjects::header(objects).as_ref() }.number;
        (Made { table, generation: generation() }, objects.slots() as u32)
    }
}
