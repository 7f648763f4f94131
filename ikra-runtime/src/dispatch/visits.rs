//! Visits of the classes of a trait: what executors do for each of its kernels for a method.

use std::marker::PhantomData;
use std::sync::Arc;

use ikra_core::dispatch::{Done, Includes, Then};
use ikra_core::kernel::HasKernel;

use crate::error::Error;
use crate::exec;
use crate::executor::{On, Over, Section};
use crate::kernel::{Call, Discardable, OnDevice, ReducedBy};
use crate::list::ListOrder;
use crate::reduce::Reducer;
use crate::transfer::Transfer;
use crate::world::Holds;

/// What is done for a class.
pub trait Visit<D, C> {
    /// First to last.
    fn visit_forth(&mut self) -> Result<(), Error>;
    /// Then, if nothing went wrong, last to first.
    fn visit_back(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// A list of classes all of which `V` visits.
pub trait VisitedBy<D, V> {
    fn visit_all(visit: &mut V) -> Result<(), Error>;
}
impl<D, V> VisitedBy<D, V> for Done {
    fn visit_all(_: &mut V) -> Result<(), Error> {
        Ok(())
    }
}
impl<D, V: Visit<D, C>, C, Rest: VisitedBy<D, V>> VisitedBy<D, V> for Then<C, Rest> {
    fn visit_all(visit: &mut V) -> Result<(), Error> {
        visit.visit_forth()?;
        Rest::visit_all(visit)?;
        visit.visit_back()
    }
}

/// Runs kernels on the host. Of a list, all links are looked at before the first of them runs.
pub struct Run<'a, W, A, const METHOD: usize> {
    pub world: &'a mut W,
    pub links: Option<&'a Arc<ListOrder>>,
    pub args: A,
}
impl<D, C, W, A, const METHOD: usize> Visit<D, C> for Run<'_, W, A, METHOD>
where
    C: HasKernel<D, METHOD, Kernel: Call<A, Output: Discardable>>,
    A: Copy + Send + Sync,
    D: Includes<C>,
    W: Holds<C>,
{
    fn visit_forth(&mut self) -> Result<(), Error> {
        match self.links {
            None => exec::execute::<C::Kernel, A>(self.world.objects_mut(), .., self.args),
            Some(links) => links.check::<C>(D::TAG, self.world.objects().len()).map(drop)?,
        }
        Ok(())
    }
    fn visit_back(&mut self) -> Result<(), Error> {
        let Some(links) = self.links else { return Ok(()) };
        exec::execute_each::<C::Kernel, A>(self.world.objects_mut(), links, D::TAG, self.args)
    }
}

/// The same with results, which are combined in the order of the classes: the last ones first.
pub struct Fold<'a, W, A, R, T, const METHOD: usize> {
    pub run: Run<'a, W, A, METHOD>,
    pub reducer: R,
    /// Those of classes that have been visited once.
    pub own: Vec<T>,
    pub result: T,
}
impl<'a, W, A, R: Reducer<T>, T, const METHOD: usize> Fold<'a, W, A, R, T, METHOD> {
    pub fn new(world: &'a mut W, links: Option<&'a Arc<ListOrder>>, args: A, reducer: R) -> Self {
        Self { run: Run { world, links, args }, reducer, own: Vec::new(), result: reducer.identity() }
    }
}
impl<D, C, W, A, R, T, const METHOD: usize> Visit<D, C> for Fold<'_, W, A, R, T, METHOD>
where
    C: HasKernel<D, METHOD, Kernel: Call<A, Output = T> + ReducedBy<R>>,
    T: Copy + Send + Sync,
    A: Copy + Send + Sync,
    R: Reducer<T>,
    D: Includes<C>,
    W: Holds<C>,
{
    fn visit_forth(&mut self) -> Result<(), Error> {
        let Run { world, links, args } = &mut self.run;
        let objects = world.objects_mut();
        match links {
            None => self.own.push(exec::execute_and_reduce::<C::Kernel, A, R>(objects, .., *args, self.reducer)),
            Some(links) => links.check::<C>(D::TAG, objects.len()).map(drop)?,
        }
        Ok(())
    }
    fn visit_back(&mut self) -> Result<(), Error> {
        let Run { world, links, args } = &mut self.run;
        let objects = world.objects_mut();
        if let Some(links) = links {
            self.own.push(exec::execute_each_and_reduce::<C::Kernel, A, R>(
                objects,
                links,
                D::TAG,
                *args,
                self.reducer,
            )?);
        }
        if let Some(own) = self.own.pop() {
            self.result = self.reducer.combine(own, self.result);
        }
        Ok(())
    }
}

/// The same at any place.
pub struct FoldOn<'a, 'w, W, A, R, T, const METHOD: usize> {
    pub on: &'a mut On<'w, W>,
    pub links: Option<&'a Arc<ListOrder>>,
    pub args: A,
    pub reducer: R,
    pub own: Vec<T>,
    pub result: T,
}
impl<D, C, W, A, R, T, const METHOD: usize> Visit<D, C> for FoldOn<'_, '_, W, A, R, T, METHOD>
where
    C: HasKernel<D, METHOD, Kernel: Call<A, Output = T> + ReducedBy<R> + OnDevice<A>>,
    T: Transfer,
    A: Copy + Send + Sync + 'static,
    R: Reducer<T>,
    D: Includes<C>,
    W: Holds<C>,
{
    fn visit_forth(&mut self) -> Result<(), Error> {
        match self.links {
            None => self.own.push(self.on.reduce_range::<C::Kernel, A, R>(.., self.args, self.reducer)?),
            Some(links) => links.check::<C>(D::TAG, self.on.world().objects().len()).map(drop)?,
        }
        Ok(())
    }
    fn visit_back(&mut self) -> Result<(), Error> {
        if let Some(links) = self.links {
            self.own.push(self.on.reduce_each::<C::Kernel, A, R>(links, D::TAG, self.args, self.reducer)?);
        }
        if let Some(own) = self.own.pop() {
            self.result = self.reducer.combine(own, self.result);
        }
        Ok(())
    }
}

/// Makes the sections of one run: for all objects, or for those of a list, which are looked at.
pub struct Sections<'w, 'a, W, A, const METHOD: usize> {
    pub world: &'w W,
    pub links: Option<&'a Arc<ListOrder>>,
    pub sections: Vec<Section<'a>>,
    pub args: PhantomData<A>,
}
impl<D, C, W, A, const METHOD: usize> Visit<D, C> for Sections<'_, '_, W, A, METHOD>
where
    C: HasKernel<D, METHOD, Kernel: OnDevice<A>>,
    D: Includes<C>,
    W: Holds<C>,
{
    fn visit_forth(&mut self) -> Result<(), Error> {
        let len = self.world.objects().len();
        // Safe code may have made the list; a launch for all classes has them in the order of their numbers.
        assert!(self.sections.len() == D::TAG, "the classes of {} are in the order of its list", D::NAME);
        let over = match self.links {
            None => Over::Range(0..len),
            Some(list) => {
                list.check::<C>(D::TAG, len)?;
                Over::List { list, class: D::TAG }
            }
        };
        self.sections.push(Section::of::<C::Kernel, A>(over));
        Ok(())
    }
}
