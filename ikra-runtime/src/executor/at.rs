//! Passing a run to the executor of a place.

use std::mem;
use std::ops::Range;
use std::slice;

use super::host::Host;
use super::run::{OnHost, Section, Step};
use super::worklist::left;
use super::{Executor, Form, Launch, Named, On, Picked, Run, Subset};
use crate::class::{Class, ClassId};
use crate::dispatch::AnyKernel;
use crate::error::Error;
use crate::exec::{Extent, Part};
use crate::kernel::{Argument, OnDevice};
use crate::list::{LinkList, ListedLink, Unordered};
use crate::objects::{AnyObjects, Objects};
use crate::panics::written;
use crate::place::Place;
use crate::range::within;
use crate::world::{Holds, World, check_links};

pub(crate) struct At<'a, W> {
    pub(crate) world: &'a mut W,
    pub(crate) place: Place,
}

impl<W: World> At<'_, W> {
    /// Calls `work` with the place's executor, which is created if there is none yet.
    pub(crate) fn with<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Executor<W>, &mut W) -> Result<T, Error>,
    ) -> Result<T, Error> {
        /// Puts the executor back, also after a panic.
        struct Taken<'a, W: World>(&'a mut W, Option<Box<dyn Executor<W>>>);
        impl<W: World> Drop for Taken<'_, W> {
            fn drop(&mut self) {
                if let Some(executor) = self.1.take() {
                    self.0.state_mut().executors().put(executor);
                }
            }
        }
        let executor = take(self.world, self.place)?;
        let mut taken = Taken(self.world, Some(executor));
        match &mut taken {
            Taken(world, Some(executor)) => work(&mut **executor, world),
            Taken(_, None) => unreachable!("it was just taken"),
        }
    }

    /// Checks the links that a kernel follows without a check, and the links among its arguments.
    fn check(&self, launch: &Launch<'_>) -> Result<(), Error> {
        match (self.place, launch.form) {
            // A constructor follows no links. The links that it stores are checked before the next kernel.
            (Place::Host, Form::Construct) => Ok(()),
            // A constructor follows no links. Its arguments may name objects that it is about to make.
            (_, Form::Construct) => check_links(self.world, &[]),
            _ => {
                let mut all = slice::from_ref(launch).iter().chain(launch.filters);
                all.try_for_each(|one| check_links(self.world, one.arguments))?;
                // A chain calls kernels for some of the objects, and has checked its columns.
                let is_chain = matches!(launch.form, Form::Chain) || !launch.filters.is_empty();
                if is_chain { Ok(()) } else { has_elements(launch.arguments, launch.sections) }
            }
        }
    }

    /// Starts a run that can be repeated.
    pub(super) fn start<F>(&mut self, launch: Launch<'_>, part: Part<'_>, on_host: F) -> Result<(), Error>
    where
        F: Fn(&mut W, Part<'_>) -> Result<(), Error> + Copy + Send + Sync + 'static,
    {
        self.check(&launch)?;
        let step: &dyn Step<W> = &on_host;
        self.with(|executor, world| executor.run(world, &mut Run { launch, part, on_host: OnHost::Step(step) }))
    }

    /// Completes a run that has a result.
    pub(super) fn finish(
        &mut self,
        launch: Launch<'_>,
        part: Part<'_>,
        on_host: &mut dyn FnMut(&mut W, Part<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.check(&launch)?;
        self.with(|executor, world| executor.run(world, &mut Run { launch, part, on_host: OnHost::Once(on_host) }))
    }

    /// Asks the place for the use of a kernel's results. `None` if it is the host, or does not know that.
    pub(super) fn ask<T>(
        &mut self,
        launch: &Launch<'_>,
        ask: impl FnOnce(&mut dyn Executor<W>, &mut W, &Launch<'_>) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, Error> {
        if self.place == Place::Host {
            return Ok(None);
        }
        self.check(launch)?;
        self.with(|executor, world| ask(executor, world, launch))
    }

    /// Resolves a subset to the objects of a kernel. The place where the kernel runs sorts long slices of links.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`], [`Error::Duplicate`], and errors of sorting links.
    pub(crate) fn pick<K: AnyKernel>(&mut self, over: &impl Subset<W, K>) -> Result<Picked<K::Link>, Error> {
        let among = self.among::<K>(over)?;
        over.choose(self.world, self.place, among)
    }

    /// Resolves a subset to the objects among which its kernels choose.
    ///
    /// # Errors
    ///
    /// As for [`pick`](Self::pick), except those of the kernels.
    pub(crate) fn among<K: AnyKernel>(&mut self, over: &impl Subset<W, K>) -> Result<Picked<K::Link>, Error> {
        match over.among(self.world)? {
            Named::All => Ok(Picked::All),
            Named::Range(range) => {
                let members = self.world.members();
                let member = member(members.as_ref(), K::Link::CLASSES[0]);
                let (len, class) = (member.slots() - member.holes(), member.name());
                match within(&range, len) {
                    Some(range) => Ok(Picked::Range(range)),
                    None => Err(Error::OutOfRange { class, range: written(&range), len }),
                }
            }
            Named::List(list) => {
                self.check_current(list)?;
                Ok(Picked::List(list.clone()))
            }
            Named::Left(list) => {
                self.check_current(list)?;
                let members = self.world.members();
                left(list, member(members.as_ref(), K::Link::CLASSES[0])).map(Picked::List)
            }
            Named::Links(links) => self.listed(links).map(Picked::List),
        }
    }

    /// Checks that the objects of a list still have the same ids as when it was made.
    pub(super) fn check_current<L: ListedLink>(&self, list: &LinkList<L>) -> Result<(), Error> {
        let made = list.order().generation();
        let is_stale = |member: &&&dyn AnyObjects| member.generation() > made && L::CLASSES.contains(&member.class());
        match self.world.members().as_ref().iter().find(is_stale) {
            Some(member) => Err(Error::StaleList { class: member.name() }),
            None => Ok(()),
        }
    }

    /// The list of some links: the last list, if its links are the same.
    fn listed<L: ListedLink>(&mut self, links: &[L]) -> Result<LinkList<L>, Error> {
        /// Up to this number of links, the host sorts faster than a device starts.
        const FEW: usize = 1 << 14;
        let mut last = mem::take(self.world.state_mut().last_list());
        let list = last.list_of(links, &mut |links| {
            let unordered = Unordered::slice(links).filter(|_| self.place != Place::Host && links.len() >= FEW);
            if let Some(unordered) = unordered
                && let Some(order) = self.with(|executor, world| executor.order(world, &unordered))?
            {
                return Ok(LinkList::of(order));
            }
            LinkList::new(links)
        });
        *self.world.state_mut().last_list() = last;
        list
    }
}

impl<W: World, O> On<'_, W, O> {
    /// The objects of a class.
    pub(super) fn objects_of<C: Class>(&mut self) -> &mut Objects<C>
    where
        W: Holds<C>,
    {
        Holds::<C>::objects_mut(self.world)
    }

    pub(super) fn at(&mut self) -> At<'_, W> {
        At { world: &mut *self.world, place: self.place }
    }

    /// Resolves the subset to the objects of a kernel.
    pub(super) fn pick<K: AnyKernel>(&mut self) -> Result<Picked<K::Link>, Error>
    where
        O: Subset<W, K>,
    {
        At { world: &mut *self.world, place: self.place }.pick::<K>(&self.objects)
    }
}

/// The sections of a run, one per class of its kernel. A single section needs no allocation.
pub(super) enum Sections {
    One([Section; 1]),
    Several(Vec<Section>),
}

impl Sections {
    /// The sections of kernel `K`, for a part of a world's objects.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`], [`Error::NotInWorld`].
    pub(super) fn of<K: AnyKernel + OnDevice<A>, A>(world: &impl World, part: Part<'_>) -> Result<Self, Error> {
        let section = |class: usize| {
            let members = world.members();
            Ok::<_, Error>(Section {
                effects: K::EFFECTS[class],
                over: part.of(class, member(members.as_ref(), K::Link::CLASSES[class]))?,
                entry: K::entry(class),
                reducer: 0,
            })
        };
        if K::EFFECTS.len() == 1 {
            return Ok(Self::One([section(0)?]));
        }
        let mut sections = Vec::with_capacity(K::EFFECTS.len());
        for class in 0..K::EFFECTS.len() {
            sections.push(section(class)?);
        }
        Ok(Self::Several(sections))
    }

    pub(super) fn as_mut(&mut self) -> &mut [Section] {
        match self {
            Self::One(one) => one,
            Self::Several(several) => several,
        }
    }

    /// A run of kernel `K`.
    pub(super) fn launch<'b, K: AnyKernel>(&'b self, form: Form, arguments: &'b [Argument<'b>]) -> Launch<'b> {
        let sections: &'b [Section] = match self {
            Self::One(one) => one,
            Self::Several(several) => several,
        };
        Launch { kernel: K::NAME, sections, together: K::TOGETHER, arguments, form, filters: &[] }
    }
}

/// Checks that columns of results among the arguments have elements for all objects. A kernel panics for one that has
/// none, which on a device would end all work there.
pub(super) fn has_elements(arguments: &[Argument<'_>], sections: &[Section]) -> Result<(), Error> {
    let columns = arguments.iter().filter_map(|argument| argument.as_groups()).filter(|all| all.is_column());
    for (column, section) in columns.flat_map(|column| sections.iter().map(move |section| (column, section))) {
        let lacks = |range: Range<usize>| column.first_lacking(range.start as u32..range.end as u32);
        let lacking = match &section.over {
            Extent::Range(range) => lacks(range.clone()),
            Extent::Shared(shared) => lacks(shared.own()),
            Extent::List { list, class } => {
                let listed = list.listed(*class)?;
                listed.ranges(0..listed.len()).find_map(lacks)
            }
        };
        if let Some(index) = lacking {
            return Err(Error::NoElement { class: column.class().name(), id: index + 1 });
        }
    }
    Ok(())
}

/// The objects of a class in a world.
///
/// # Panics
///
/// If the world does not have the class.
fn member<'a>(members: &[&'a dyn AnyObjects], class: ClassId) -> &'a dyn AnyObjects {
    let member = members.iter().find(|member| member.class().type_id() == class.type_id());
    *member.unwrap_or_else(|| panic!("the world has no objects of class {}", class.name()))
}

/// Takes the executor of a place out of its world, or creates one.
fn take<W: World>(world: &mut W, place: Place) -> Result<Box<dyn Executor<W>>, Error> {
    match world.state_mut().executors().take(place) {
        Some(executor) => Ok(executor),
        None if place == Place::Host => Ok(Box::new(Host::new())),
        None if place == Place::Cluster => {
            let reason =
                "no other process shares the world; call `cluster.share(&mut sim)` of the crate `ikra-cluster` before";
            Err(Error::NoSuchPlace { place, reason })
        }
        None => W::open(world, place),
    }
}
