//! Visits of the classes of a trait: what executors do for each of its kernels for a method.

use std::collections::VecDeque;

use ikra_core::dispatch::{Dispatch, Done, Includes, Then};
use ikra_core::kernel::HasKernel;

use crate::error::Error;
use crate::exec::{self, AllReturned};
use crate::exec::{Extent, Part};
use crate::kernel::{Call, Discardable, Entry, Kernel, OnDevice, ReducedBy};
use crate::objects::Objects;
use crate::reduce::Reducer;
use crate::world::{Holds, Ready};

/// What is done for a class.
pub trait Visit<D, C> {
    /// First to last.
    fn visit_forth(&mut self) -> Result<(), Error>;
    /// Then, if nothing went wrong, last to first.
    fn visit_back(&mut self);
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
        visit.visit_back();
        Ok(())
    }
}

/// What a visit does with the results of a kernel.
pub(crate) trait Verb<K: Kernel, A> {
    /// Calls the kernel for some objects.
    fn call(&mut self, objects: &mut Objects<K::Class>, over: &Extent<'_>, args: A) -> Result<AllReturned, Error>;
    /// After the calls for all classes, last class first.
    fn called(&mut self) {}
}

/// Results are `()`.
pub struct Each;
impl<K, A> Verb<K, A> for Each
where
    K: Call<A, Output: Discardable>,
    A: Copy + Send + Sync,
{
    fn call(&mut self, objects: &mut Objects<K::Class>, over: &Extent<'_>, args: A) -> Result<AllReturned, Error> {
        exec::call::<K, A>(objects, over, args)
    }
}

/// Results are combined in the order of the classes: the last ones first.
pub struct Folded<T, R> {
    reducer: R,
    /// Those of classes whose kernels were called.
    own: Vec<T>,
    pub result: T,
}
impl<T, R: Reducer<T>> Folded<T, R> {
    pub fn new(reducer: R) -> Self {
        Self { reducer, own: Vec::new(), result: reducer.identity() }
    }
}
impl<K, A, T, R> Verb<K, A> for Folded<T, R>
where
    K: Call<A, Output = T> + ReducedBy<R>,
    A: Copy + Send + Sync,
    T: Copy + Send + Sync,
    R: Reducer<T>,
{
    fn call(&mut self, objects: &mut Objects<K::Class>, over: &Extent<'_>, args: A) -> Result<AllReturned, Error> {
        let (own, returned) = exec::reduce::<K, A, R>(objects, over, args, self.reducer)?;
        self.own.push(own);
        Ok(returned)
    }
    fn called(&mut self) {
        if let Some(own) = self.own.pop() {
            self.result = self.reducer.combine(own, self.result);
        }
    }
}

/// Results are kept in the order of the classes.
pub struct Collected<T>(pub Vec<T>);
impl<T> Default for Collected<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}
impl<K, A, T> Verb<K, A> for Collected<T>
where
    K: Call<A, Output = T>,
    A: Copy + Send + Sync,
    T: Send,
{
    fn call(&mut self, objects: &mut Objects<K::Class>, over: &Extent<'_>, args: A) -> Result<AllReturned, Error> {
        let (own, returned) = exec::collect::<K, A>(objects, over, args)?;
        self.0.extend(own);
        Ok(returned)
    }
}

/// Runs kernels on the host, and makes visible what they have done when the calls of all have returned. All objects are checked to
/// exist before the first of them runs.
pub struct Visiting<'a, W, A, V, const METHOD: usize> {
    world: Ready<'a, W>,
    part: Part<'a>,
    args: A,
    verb: V,
    step: Step,
    /// Of the classes whose kernels have run.
    returned: VecDeque<AllReturned>,
}

/// What a visit of all classes does.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// Looks whether the objects exist.
    Check,
    /// Calls the kernels.
    Call,
    /// Makes visible what they have done.
    Finish,
}

impl<'a, W, A, V, const METHOD: usize> Visiting<'a, W, A, V, METHOD> {
    pub fn new(world: Ready<'a, W>, part: Part<'a>, args: A, verb: V) -> Self {
        Self { world, part, args, verb, step: Step::Check, returned: VecDeque::new() }
    }

    /// Visits all classes in each step.
    pub fn visit<D: Dispatch<Classes: VisitedBy<D, Self>>>(mut self) -> Result<V, Error> {
        for step in [Step::Check, Step::Call, Step::Finish] {
            self.step = step;
            D::Classes::visit_all(&mut self)?;
        }
        Ok(self.verb)
    }
}

impl<D, C, W, A, V, const METHOD: usize> Visit<D, C> for Visiting<'_, W, A, V, METHOD>
where
    C: HasKernel<D, METHOD>,
    V: Verb<C::Kernel, A>,
    A: Copy,
    D: Includes<C>,
    W: Holds<C>,
{
    fn visit_forth(&mut self) -> Result<(), Error> {
        let objects: &mut Objects<C> = self.world.objects_mut();
        let over = self.part.of(D::TAG, objects.len(), <C as crate::class::ClassInfo>::NAME)?;
        match self.step {
            Step::Check => {}
            Step::Call => self.returned.push_back(self.verb.call(objects, &over, self.args)?),
            Step::Finish => {
                if let Some(returned) = self.returned.pop_front() {
                    exec::finish::<C::Kernel>(objects, &over, returned)?;
                }
            }
        }
        Ok(())
    }
    fn visit_back(&mut self) {
        if self.step == Step::Call {
            self.verb.called();
        }
    }
}

/// The entries of a trait's kernel, of each class's kernel by itself.
///
/// # Safety
///
/// `entry(n)` is that of the kernel of class number `n`, which takes the same arguments as those of all others.
pub unsafe trait Entries<D, A, const METHOD: usize> {
    /// The entry of a class's kernel.
    fn entry(class: usize) -> &'static Entry;
}
// SAFETY: there is no such class.
unsafe impl<D, A, const METHOD: usize> Entries<D, A, METHOD> for Done {
    fn entry(class: usize) -> &'static Entry {
        unreachable!("there is no class after the last: {class}")
    }
}
// SAFETY: class 0 is the first of a list, and class 1 that of the rest. The methods of one trait's kernel take the same.
unsafe impl<D, A, C, Rest, const METHOD: usize> Entries<D, A, METHOD> for Then<C, Rest>
where
    C: HasKernel<D, METHOD, Kernel: OnDevice<A>>,
    Rest: Entries<D, A, METHOD>,
{
    fn entry(class: usize) -> &'static Entry {
        match class.checked_sub(1) {
            None => <C::Kernel as OnDevice<A>>::ENTRY,
            Some(after) => Rest::entry(after),
        }
    }
}

/// The numbers of a reducer among those of each class's kernel.
///
/// # Safety
///
/// `number(n)` is [`ReducedBy::NUMBER`] of the kernel of class number `n`.
pub unsafe trait Numbers<D, R, const METHOD: usize> {
    /// The number of the reducer.
    fn number(class: usize) -> usize;
}
// SAFETY: there is no such class.
unsafe impl<D, R, const METHOD: usize> Numbers<D, R, METHOD> for Done {
    fn number(class: usize) -> usize {
        unreachable!("there is no class after the last: {class}")
    }
}
// SAFETY: class 0 is the first of a list, and class 1 that of the rest.
unsafe impl<D, R, C, Rest, const METHOD: usize> Numbers<D, R, METHOD> for Then<C, Rest>
where
    C: HasKernel<D, METHOD, Kernel: ReducedBy<R>>,
    Rest: Numbers<D, R, METHOD>,
{
    fn number(class: usize) -> usize {
        match class.checked_sub(1) {
            None => <C::Kernel as ReducedBy<R>>::NUMBER,
            Some(after) => Rest::number(after),
        }
    }
}
