//! The way from ordinary objects to rows.

use std::collections::VecDeque;

use ikra_core::class::Class;
use ikra_core::link::Link;

use crate::error::{MAX_NESTED, Problem, TraceError};
use crate::graph::Graph;
use crate::object::{Owned, Trace};
use crate::store::Holder;

/// The trace of one object: all objects that are known, and the objects that this one owns and that were not visited.
pub struct Tracer<'o, 't> {
    pub(crate) graph: &'t mut Graph,
    owned: VecDeque<(&'o dyn Owned, u32)>,
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
        while let Some((object, index)) = self.owned.pop_front() {
            object.trace_owned(index, &mut self)?;
        }
        Ok(())
    }

    /// The link to an object that the traced one owns. Nothing else names it, so it is new.
    pub(crate) fn own<X: Trace>(&mut self, object: &'o X) -> Result<Link<X::Class>, Problem> {
        let link = self.graph.store_mut::<X::Class>().hold::<X>(Holder::Owned).map_err(TraceError::from)?;
        self.owned.push_back((object, link.index() as u32));
        Ok(link)
    }

    /// The row of an owned object, put into its store.
    pub(crate) fn put<C: Class>(&mut self, link: Link<C>, row: C) -> Result<(), TraceError> {
        Ok(self.graph.store_mut::<C>().put(link, row)?)
    }
}
