//! The way from ordinary objects to rows.

use std::collections::VecDeque;

use ikra_core::class::Class;
use ikra_core::link::Link;

use crate::error::{At, MAX_NESTED, Problem, TraceError};
use crate::graph::Graph;
use crate::held::{Erased, UntypedLink};
use crate::object::TraceObject;

/// The trace of one object: all objects that are known, and the objects that this one owns and that were not visited.
pub struct Tracer<'o, 't> {
    pub(crate) graph: &'t mut Graph,
    owned: VecDeque<(&'o dyn Erased, UntypedLink)>,
    nested: usize,
}

impl<'o, 't> Tracer<'o, 't> {
    pub(crate) fn new(graph: &'t mut Graph) -> Self {
        Self { graph, owned: VecDeque::new(), nested: 0 }
    }

    /// A tracer for objects behind a guard. [`finish`](Self::finish) visits them, so that the guard can be dropped.
    pub(crate) fn inner<'n>(&mut self) -> Tracer<'n, '_> {
        Tracer { graph: self.graph, owned: VecDeque::new(), nested: self.nested + 1 }
    }

    /// Visits the owned objects: however many own each other, one after the other.
    pub(crate) fn finish(mut self) -> Result<(), Problem> {
        if self.nested > MAX_NESTED && !self.owned.is_empty() {
            return Err(Problem::TooDeep);
        }
        while let Some((object, link)) = self.owned.pop_front() {
            object.trace_at(link, &mut self)?;
        }
        Ok(())
    }

    /// The link to an object that the traced one owns. Nothing else names it, so it is new.
    pub(crate) fn own<X: TraceObject>(&mut self, object: &'o X) -> Result<X::Link, Problem> {
        let link = self.graph.own(object)?;
        self.owned.push_back((object, link));
        X::link(link)
    }

    /// The link to an object of class `C`, whose row is made.
    ///
    /// # Errors
    ///
    /// [`Problem::OtherVariant`], if it was in a variant of another class when it became known.
    pub fn link<C: Class>(&self, link: UntypedLink) -> Result<Link<C>, At> {
        Ok(link.typed().map_err(|_| Problem::OtherVariant)?)
    }

    /// Stores the row of an object.
    ///
    /// # Errors
    ///
    /// The class has too many objects.
    pub fn put<C: Class>(&mut self, link: Link<C>, row: C) -> Result<(), At> {
        Ok(self.graph.store_mut::<C>().put(link, row).map_err(|error| Problem::from(TraceError::from(error)))?)
    }
}
