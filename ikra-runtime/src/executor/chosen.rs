//! Objects that kernels choose: `select`.

use std::fmt::{self, Debug};
use std::iter;
use std::marker::PhantomData;

use super::at::{At, Sections, has_elements};
use super::choose::among;
use super::run::Section;
use super::{Filtered, Filters, Form, Launch, Named, On, Over, Picked, Subset};
use crate::class::Class;
use crate::dispatch::{AnyKernel, Collect, CollectOn};
use crate::error::Error;
use crate::exec::stage::{All, Pure, Stage, When, With};
use crate::exec::{Extent, Part, chain};
use crate::kernel::{Call, Kernel};
use crate::link::Link;
use crate::place::Place;
use crate::selection::Selection;
use crate::transfer::WireType;
use crate::world::{Holds, Ready, World, check_links, or_panic};

/// The objects of `O` for which kernel `P` returns `true`: a subset that [`On::select`] and [`Over::select`] describe.
/// The kernel runs when another one needs to know the objects.
pub struct Chosen<O, P, A, const ANYWHERE: bool> {
    among: O,
    args: A,
    kernel: PhantomData<P>,
}

impl<O, P, A, const ANYWHERE: bool> Chosen<O, P, A, ANYWHERE> {
    pub(crate) fn new(among: O, args: A) -> Self {
        Self { among, args, kernel: PhantomData }
    }
}

impl<O: Clone, P, A: Clone, const ANYWHERE: bool> Clone for Chosen<O, P, A, ANYWHERE> {
    fn clone(&self) -> Self {
        Self { among: self.among.clone(), args: self.args.clone(), kernel: PhantomData }
    }
}

impl<O: Debug, P: Kernel, A, const ANYWHERE: bool> Debug for Chosen<O, P, A, ANYWHERE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chosen").field("among", &self.among).field("by", &P::EFFECTS.kernel()).finish()
    }
}

/// A kernel of one class that chooses objects.
pub trait Predicate<A>: Call<A, Output = bool> + AnyKernel<Link = Link<<Self as Kernel>::Class>> {}
impl<K: Call<A, Output = bool>, A> Predicate<A> for K {}

/// The objects of a part that a filter chooses.
///
/// # Errors
///
/// As for [`among`].
fn chosen<C: Class, W: Holds<C>, S: Stage<C, Output = ()>>(
    mut world: Ready<'_, W>,
    part: Part<'_>,
    filter: S,
) -> Result<Selection<C>, Error> {
    among::<C, _>(world.objects_mut(), part, |among, objects| {
        let indices = chain::collect(objects, among, With(filter, |index, ()| index));
        Selection::at(indices, objects.table().header.number)
    })
}

impl<O, P: Predicate<A>, A: Copy + Send + Sync> Chosen<O, P, A, true> {
    /// Runs the kernels one after another at the place, each for the objects that those before it have chosen.
    fn run<W>(&self, on: &mut On<'_, W>, among: Picked<Link<P::Class>>) -> Result<Selection<P::Class>, Error>
    where
        W: World + Holds<P::Class>,
        P: CollectOn<W, A, Output = bool>,
        O: Subset<W, P>,
    {
        let among = self.among.choose(on.world, on.place, among)?;
        on.chosen::<P, A>(&among, self.args)
    }
}

impl<O, P: Predicate<A>, A: Copy + Send + Sync> Chosen<O, P, A, false> {
    /// Runs all kernels together.
    fn run<W>(&self, world: &mut W, among: &Picked<Link<P::Class>>) -> Result<Selection<P::Class>, Error>
    where
        W: World + Holds<P::Class>,
        O: Subset<W, P, Filter: Stage<P::Class, Output = ()>>,
    {
        chosen(Ready::try_of(world)?, among.part(), When::<_, P, A>::new(self.among.filter(), self.args))
    }
}

#[diagnostic::do_not_recommend]
impl<W, K, O, P, A> Subset<W, K> for Chosen<O, P, A, true>
where
    W: World + Holds<P::Class>,
    K: AnyKernel<Link = Link<P::Class>>,
    P: Predicate<A> + CollectOn<W, A, Output = bool>,
    A: Copy + Send + Sync,
    O: Subset<W, P>,
{
    type Filter = When<O::Filter, P, A>;
    fn filter(&self) -> Self::Filter {
        When::new(self.among.filter(), self.args)
    }
    fn among(&self, world: &W) -> Result<Named<'_, Link<P::Class>>, Error> {
        check_links(world, P::arguments(&self.args).as_ref())?;
        self.among.among(world)
    }
    fn with_filters(&self, after: Filters<'_>, work: Filtered<'_>) -> Result<(), Error> {
        let section =
            Section { effects: <P as AnyKernel>::EFFECTS[0], over: Extent::Range(0..0), entry: P::ENTRY, reducer: 0 };
        let arguments = P::arguments(&self.args);
        let own = Launch::of(&section, Form::Choose(WireType::of::<bool>()), arguments.as_ref());
        let all: Vec<_> = iter::once(own).chain(after.0.iter().copied()).collect();
        self.among.with_filters(Filters(&all), work)
    }
    fn choose(
        &self,
        world: &mut W,
        place: Place,
        among: Picked<Link<P::Class>>,
    ) -> Result<Picked<Link<P::Class>>, Error> {
        self.run(&mut On::new(world, place), among).map(|chosen| Picked::List(chosen.list().clone()))
    }
}

#[diagnostic::do_not_recommend]
impl<W, K, O, P, A> Subset<W, K> for Chosen<O, P, A, false>
where
    W: World + Holds<P::Class>,
    K: AnyKernel<Link = Link<P::Class>>,
    P: Predicate<A>,
    A: Copy + Send + Sync,
    O: Subset<W, P, Filter: Stage<P::Class, Output = ()>>,
{
    type Filter = When<O::Filter, P, A>;
    fn filter(&self) -> Self::Filter {
        When::new(self.among.filter(), self.args)
    }
    fn among(&self, world: &W) -> Result<Named<'_, Link<P::Class>>, Error> {
        self.among.among(world)
    }
    fn with_filters(&self, _: Filters<'_>, _: Filtered<'_>) -> Result<(), Error> {
        unreachable!("only the host runs it")
    }
    fn choose(&self, world: &mut W, _: Place, among: Picked<Link<P::Class>>) -> Result<Picked<Link<P::Class>>, Error> {
        self.run(world, &among).map(|chosen| Picked::List(chosen.list().clone()))
    }
}

impl<W: World, O: Clone> On<'_, W, O> {
    /// The same executors, restricted to the objects for which a kernel returns `true`. Nothing runs before another
    /// kernel or [`selection`](On::selection) needs to know the objects.
    ///
    /// The kernel must be pure: it takes `&self`, changes no `#[atomic]` field, and makes and removes nothing.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// #[soa_methods]
    /// impl Car {
    ///     #[kernel]
    ///     pub fn is_used(&self) -> bool { self.km > 0 }
    ///     #[kernel]
    ///     pub fn is_below(&self, km: u32) -> bool { self.km < km }
    ///     #[kernel]
    ///     pub fn clean(&mut self) { self.km = 0; }
    ///     #[kernel(reduce(Sum))]
    ///     pub fn driven(&self) -> u32 { self.km }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// town.cars.extend([5, 0, 7, 90].map(|km| Car { km }))?;
    /// let mut place = town.on(Place::Host);
    /// // One loop, in which all three kernels run.
    /// assert_eq!(place.select(Car::is_used, ()).select(Car::is_below, 50).map(Car::driven, ()).reduce(Sum)?, 12);
    /// // First `is_below` for all cars, then `clean` for those that it chose.
    /// place.select(Car::is_below, 7).execute(Car::clean, ())?;
    /// let used = place.select(Car::is_used, ()).selection()?;
    /// assert_eq!(used.links().map(Link::id).collect::<Vec<_>>(), [3, 4]);
    /// # Ok(()) }
    /// ```
    #[must_use = "nothing runs before `execute`, `selection` or another executor is called"]
    pub fn select<K, A>(&mut self, _kernel: K, args: A) -> On<'_, W, Chosen<O, K, A, true>>
    where
        K: Kernel + CollectOn<W, A, Output = bool>,
        A: Copy + Send + Sync,
        W: Holds<K::Class>,
        O: Subset<W, K>,
    {
        let () = Pure::<K>::CHECK;
        let objects = Chosen::new(self.objects.clone(), args);
        On { world: &mut *self.world, place: self.place, objects }
    }
}

impl<W: World> On<'_, W> {
    /// Runs a kernel for some objects, and returns those for which it returns `true`.
    fn chosen<K, A>(&mut self, picked: &Picked<Link<K::Class>>, args: A) -> Result<Selection<K::Class>, Error>
    where
        K: Predicate<A> + CollectOn<W, A, Output = bool>,
        A: Copy + Send + Sync,
        W: Holds<K::Class>,
    {
        let list =
            self.ask::<K, A, bool, _>(picked, &args, |executor, world, launch| executor.select(world, launch))?;
        if let Some(list) = list {
            return Ok(Selection::made(list, self.objects_of::<K::Class>().table().header.number));
        }
        let mut sections = Sections::of::<K, A>(self.world, picked.part())?;
        let (arguments, mut found) = (K::arguments(&args), None);
        has_elements(arguments.as_ref(), sections.as_mut())?;
        let launch = sections.launch::<K>(Form::Chain, arguments.as_ref());
        self.at().finish(launch, picked.part(), &mut |world, part| {
            found = Some(chosen(Ready::try_of(world)?, part, When::<_, K, A>::new(All, args))?);
            Ok(())
        })?;
        let number = self.objects_of::<K::Class>().table().header.number;
        Ok(found.unwrap_or_else(|| Selection::at(Vec::new(), number)))
    }
}

impl<W, O, P, A> On<'_, W, Chosen<O, P, A, true>>
where
    W: World + Holds<P::Class>,
    P: Predicate<A> + CollectOn<W, A, Output = bool>,
    A: Copy + Send + Sync,
    O: Subset<W, P>,
{
    /// The objects, as a [`Selection`]. A GPU makes it itself, and keeps it.
    ///
    /// # Errors
    ///
    /// As for [all executors](On#errors).
    pub fn selection(&mut self) -> Result<Selection<P::Class>, Error> {
        let among = At { world: &mut *self.world, place: self.place }.among::<P>(&self.objects)?;
        self.objects.run(&mut On::new(self.world, self.place), among)
    }
}

impl<W: World, O: Clone> Over<'_, W, O> {
    /// [`World::select`] among the objects of this subset.
    #[must_use = "nothing runs before `execute`, `selection` or another executor is called"]
    pub fn select<K, A>(&mut self, _kernel: K, args: A) -> Over<'_, W, Chosen<O, K, A, false>>
    where
        K: Kernel + Collect<W, A, Output = bool>,
        A: Copy + Send + Sync,
        W: Holds<K::Class>,
        O: Subset<W, K>,
    {
        let () = Pure::<K>::CHECK;
        let objects = Chosen::new(self.objects.clone(), args);
        Over { world: &mut *self.world, objects }
    }
}

impl<W, O, P, A> Over<'_, W, Chosen<O, P, A, false>>
where
    W: World + Holds<P::Class>,
    P: Predicate<A>,
    A: Copy + Send + Sync,
    O: Subset<W, P, Filter: Stage<P::Class, Output = ()>>,
{
    /// The objects, as a [`Selection`].
    #[track_caller]
    pub fn selection(&mut self) -> Selection<P::Class> {
        let among = or_panic(At { world: &mut *self.world, place: Place::Host }.among::<P>(&self.objects));
        or_panic(self.objects.run(self.world, &among))
    }
}
