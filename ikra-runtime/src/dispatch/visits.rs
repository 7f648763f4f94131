//! Visits of the classes of a trait: how executors run the kernel of each class.

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

/// The work for one class.
pub trait Visit<D, C> {
    /// Runs for each class, first to last.
    fn visit_forth(&mut self) -> Result<(), Error>;
    /// Runs for each class, last to first, if no error occurred.
    fn visit_back(&mut self);
}

/// A list of classes that `V` can visit.
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

/// How a visit treats the results of a kernel.
pub(crate) trait Verb<K: Kernel, A> {
    /// Calls the kernel for some objects.
    fn call(&mut self, objects: &mut Objects<K::Class>, over: &Extent, args: A) -> Result<AllReturned, Error>;
    /// Runs after the calls for all classes, last class first.
    fn called(&mut self) {}
}

/// Results are `()`.
pub struct Each;
impl<K, A> Verb<K, A> for Each
where
    K: Call<A, Output: Discardable>,
    A: Copy + Send + Sync,
{
    fn call(&mut self, objects: &mut Objects<K::Class>, over: &Extent, args: A) -> Result<AllReturned, Error> {
        exec::call::<K, A>(objects, over, args)
    }
}

/// Results are combined in the order of the classes: each with the combined result of the classes after it.
pub struct Folded<T, R> {
    reducer: R,
    /// The results of the classes whose kernels were called.
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
    fn call(&mut self, objects: &mut Objects<K::Class>, over: &Extent, args: A) -> Result<AllReturned, Error> {
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
    fn call(&mut self, objects: &mut Objects<K::Class>, over: &Extent, args: A) -> Result<AllReturned, Error> {
        let (own, returned) = exec::collect::<K, A>(objects, over, args)?;
        self.0.extend(own);
        Ok(returned)
    }
}

/// Runs kernels on the host. Checks that all objects exist before the first kernel runs, and commits the effects after
/// all calls for all classes have returned.
pub struct Visiting<'a, W, A, V, const METHOD: usize> {
    world: Ready<'a, W>,
    part: Part<'a>,
    args: A,
    verb: V,
    step: Step,
    /// The proofs for the classes whose kernels have run.
    returned: VecDeque<AllReturned>,
}

/// A step of a visit of all classes.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// Checks that the objects exist.
    Check,
    /// Calls the kernels.
    Call,
    /// Commits the effects.
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
        let over = self.part.of(D::TAG, &*objects)?;
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

/// The entry points of a trait's kernel, one per class.
///
/// # Safety
///
/// 1. `entry(n)` is the entry point of the kernel of class number `n`.
/// 2. All these kernels take the same arguments.
pub unsafe trait Entries<D, A, const METHOD: usize> {
    /// The entry point of a class's kernel.
    fn entry(class: usize) -> &'static Entry;
}
// SAFETY: an empty list has no class, so the function never returns.
unsafe impl<D, A, const METHOD: usize> Entries<D, A, METHOD> for Done {
    fn entry(class: usize) -> &'static Entry {
        unreachable!("there is no class after the last: {class}")
    }
}
// SAFETY: 1. class 0 is the first of the list, and class `n` is number `n - 1` of the rest; 2. the kernels of one
// trait's method take the same arguments.
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

/// A reducer's numbers, one among the reducers of each class's kernel.
///
/// # Safety
///
/// `number(n)` is [`ReducedBy::NUMBER`] of the kernel of class number `n`.
pub unsafe trait Numbers<D, R, const METHOD: usize> {
    /// The number of the reducer.
    fn number(class: usize) -> usize;
}
// SAFETY: an empty list has no class, so the function never returns.
unsafe impl<D, R, const METHOD: usize> Numbers<D, R, METHOD> for Done {
    fn number(class: usize) -> usize {
        unreachable!("there is no class after the last: {class}")
    }
}
// SAFETY: class 0 is the first of the list, and class `n` is number `n - 1` of the rest.
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
