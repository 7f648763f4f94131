//! Visits of the classes of a trait: what executors do for each of its kernels for a method.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::Arc;

use ikra_core::dispatch::{Dispatch, Done, Includes, Then};
use ikra_core::kernel::HasKernel;

use crate::class::Class;
use crate::error::Error;
use crate::exec::{self, AllReturned};
use crate::executor::{On, Over, Section};
use crate::kernel::{Call, Discardable, Kernel, OnDevice, ReducedBy};
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

/// Runs kernels on the host, and makes visible what they have done when the calls of all have returned. Of a list, all links are
/// looked at before the first of them runs.
pub struct Run<'a, W, A, const METHOD: usize> {
    world: &'a mut W,
    links: Option<&'a Arc<ListOrder>>,
    args: A,
    step: Step,
    /// Of the classes whose kernels have run.
    returned: VecDeque<AllReturned>,
}

/// What a visit of all classes does.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// Looks at the links of a list.
    Check,
    /// Calls the kernels.
    Call,
    /// Makes visible what they have done.
    Finish,
}

impl Step {
    const ALL: [Self; 3] = [Self::Check, Self::Call, Self::Finish];
}

impl<'a, W, A, const METHOD: usize> Run<'a, W, A, METHOD> {
    pub fn new(world: &'a mut W, links: Option<&'a Arc<ListOrder>>, args: A) -> Self {
        Self { world, links, args, step: Step::Check, returned: VecDeque::new() }
    }

    /// Visits all classes in each step.
    pub fn visit<D: Dispatch<Classes: VisitedBy<D, Self>>>(&mut self) -> Result<(), Error> {
        Step::ALL.into_iter().try_for_each(|step| {
            self.step = step;
            D::Classes::visit_all(self)
        })
    }

    /// Looks at the links of a class.
    fn check<C: Class, D: Includes<C>>(&self) -> Result<(), Error>
    where
        W: Holds<C>,
    {
        self.links.map_or(Ok(()), |links| links.check::<C>(D::TAG, self.world.objects().len()).map(drop))
    }

    /// Makes visible what the kernel of a class has done, after those of all.
    fn finish<C: Class, D: Includes<C>, K: Kernel<Class = C>>(&mut self) -> Result<(), Error>
    where
        W: Holds<C>,
    {
        let Some(returned) = self.returned.pop_front() else { return Ok(()) };
        let objects = self.world.objects_mut();
        match self.links {
            None => {
                let all = 0..objects.len();
                exec::finish::<K>(objects, std::iter::once(all), returned);
                Ok(())
            }
            Some(links) => exec::finish_each::<K>(objects, links, D::TAG, returned),
        }
    }
}
impl<D, C, W, A, const METHOD: usize> Visit<D, C> for Run<'_, W, A, METHOD>
where
    C: HasKernel<D, METHOD, Kernel: Call<A, Output: Discardable>>,
    A: Copy + Send + Sync,
    D: Includes<C>,
    W: Holds<C>,
{
    fn visit_forth(&mut self) -> Result<(), Error> {
        match self.step {
            Step::Check => return self.check::<C, D>(),
            Step::Call => {}
            Step::Finish => return self.finish::<C, D, C::Kernel>(),
        }
        let objects = self.world.objects_mut();
        let all = 0..objects.len();
        let returned = match self.links {
            None => exec::call::<C::Kernel, A>(objects, all, self.args),
            Some(links) => exec::call_each::<C::Kernel, A>(objects, links, D::TAG, self.args)?,
        };
        self.returned.push_back(returned);
        Ok(())
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
        Self { run: Run::new(world, links, args), reducer, own: Vec::new(), result: reducer.identity() }
    }

    /// As [`Run::visit`].
    pub fn visit<D: Dispatch<Classes: VisitedBy<D, Self>>>(&mut self) -> Result<(), Error> {
        Step::ALL.into_iter().try_for_each(|step| {
            self.run.step = step;
            D::Classes::visit_all(self)
        })
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
        match self.run.step {
            Step::Check => return self.run.check::<C, D>(),
            Step::Call => {}
            Step::Finish => return self.run.finish::<C, D, C::Kernel>(),
        }
        let (args, objects) = (self.run.args, self.run.world.objects_mut());
        let all = 0..objects.len();
        let (own, returned) = match self.run.links {
            None => exec::reduce::<C::Kernel, A, R>(objects, all, args, self.reducer),
            Some(links) => exec::reduce_each::<C::Kernel, A, R>(objects, links, D::TAG, args, self.reducer)?,
        };
        self.own.push(own);
        self.run.returned.push_back(returned);
        Ok(())
    }
    fn visit_back(&mut self) -> Result<(), Error> {
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
