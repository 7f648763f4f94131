//! The way back: from columns to ordinary objects.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::marker::PhantomData;

use ikra_core::class::{Class, Field};
use ikra_core::column::Column;
use ikra_core::link::Link;
use ikra_runtime::objects::{AnyObjects, Objects};

use crate::error::{At, MAX_NESTED, Problem, TraceError};
use crate::graph::Graph;
use crate::held::{Erased, UntypedLink};
use crate::pointers::Refers;
use crate::store::{RowOf, find};

/// The world that kernels have changed, and the objects that it came from.
pub struct Context<'b> {
    pub(crate) graph: &'b Graph,
    pub(crate) members: &'b [&'b dyn AnyObjects],
    /// Whether an object that another owns has changed.
    pub(crate) has_owned_changes: bool,
}

impl Context<'_> {
    fn objects<C: Class>(&self) -> Result<&Objects<C>, TraceError> {
        find(self.members).ok_or(TraceError::NotInWorld { class: C::NAME })
    }

    /// Keeps a pointer that was taken out of its field, if it owns an object: kernels may change the object again.
    pub(crate) fn keep<R: Refers<L>, L: 'static>(&self, pointer: R) {
        if R::OWNS {
            self.graph.removed.borrow_mut().push(Box::new(Owner(pointer, PhantomData)));
        }
    }

    /// Writes the objects of pointers that were taken out of their fields, now or earlier.
    pub(crate) fn write_removed(&self) -> Result<(), Problem> {
        let next = || self.graph.removed.borrow_mut().pop();
        let mut taken = Taken { from: &self.graph.removed, pointers: Vec::new() };
        while let Some(pointer) = next() {
            taken.pointers.push(pointer);
            let mut back = Back::new(self);
            if let Some(pointer) = taken.pointers.last_mut() {
                pointer.visit(&mut back);
            }
            back.finish()?;
        }
        Ok(())
    }
}

/// Pointers that are being written. They go back even if a function of `with` panics.
struct Taken<'g> {
    from: &'g RefCell<Vec<Box<dyn Removed>>>,
    pointers: Vec<Box<dyn Removed>>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.from.borrow_mut().append(&mut self.pointers);
    }
}

/// A pointer that owns an object, and that was taken out of its field.
pub(crate) trait Removed {
    /// Notes the object.
    fn visit<'o>(&'o mut self, back: &mut Back<'o, '_>);
}

struct Owner<R, L>(R, PhantomData<fn(L)>);

impl<R: Refers<L>, L> Removed for Owner<R, L> {
    fn visit<'o>(&'o mut self, back: &mut Back<'o, '_>) {
        self.0.owned_mut(back);
    }
}

/// An owned object, borrowed as its owner is.
pub(crate) enum Access<'o> {
    Shared(&'o dyn Erased),
    Exclusive(&'o mut dyn Erased),
}

/// The changes of one object, and the objects that it owns and that were not visited.
pub struct Back<'o, 'b> {
    pub(crate) context: &'b Context<'b>,
    owned: VecDeque<(Access<'o>, UntypedLink)>,
    nested: usize,
}

impl<'o, 'b> Back<'o, 'b> {
    pub(crate) fn new(context: &'b Context<'b>) -> Self {
        Self { context, owned: VecDeque::new(), nested: 0 }
    }

    /// The same for objects behind a guard. [`finish`](Self::finish) visits them, so that the guard can be dropped.
    pub(crate) fn inner<'n>(&self) -> Back<'n, 'b> {
        Back { context: self.context, owned: VecDeque::new(), nested: self.nested + 1 }
    }

    /// Visits the owned objects.
    pub(crate) fn finish(mut self) -> Result<(), Problem> {
        if self.nested > MAX_NESTED && !self.owned.is_empty() {
            return Err(Problem::TooDeep);
        }
        while let Some((object, link)) = self.owned.pop_front() {
            match object {
                Access::Shared(object) => object.write_at(link, &mut self)?,
                Access::Exclusive(object) => object.write_mut_at(link, &mut self)?,
            }
        }
        Ok(())
    }

    /// Notes an owned object, to be visited later.
    pub(crate) fn own(&mut self, link: UntypedLink, object: Access<'o>) {
        self.context.graph.reach(link);
        self.owned.push_back((object, link));
    }

    /// The link to an object of class `C`, and the fields that have changed.
    ///
    /// # Errors
    ///
    /// [`Problem::OtherVariant`], if the trace found it in a variant of another class.
    pub fn changes<C: Class>(&self, link: UntypedLink) -> Result<(Link<C>, u64), At> {
        let link = link.typed().map_err(|_| Problem::OtherVariant)?;
        Ok((link, self.context.graph.store::<C>().map_or(0, |store| store.mask(link))))
    }

    /// The new value of a field that has changed. The field counts as written.
    ///
    /// # Errors
    ///
    /// The problem of the field.
    #[inline]
    pub fn changed<C: Field<K>, const K: usize>(
        &self,
        (link, mask): (Link<C>, u64),
        column: Column<C, K>,
    ) -> Result<Option<RowOf<C, K>>, At> {
        if mask >> K & 1 == 0 {
            return Ok(None);
        }
        let value = self.context.objects::<C>().and_then(|objects| Ok(objects.read_field(link, column)?));
        let value = value.map_err(|error| At::field::<C, K>(error.into()))?;
        if let Some(store) = self.context.graph.store::<C>() {
            store.note_written(link, K);
        }
        Ok(Some(value))
    }

    /// Fails if a field has changed that functions of `with` cannot write, because its object is shared.
    ///
    /// # Errors
    ///
    /// [`Problem::With`].
    pub fn refuse<C: Field<K>, const K: usize>(&self, changed: (Link<C>, u64), column: Column<C, K>) -> Result<(), At> {
        self.check(changed, column, Problem::With)
    }

    /// Fails with this problem if a field has changed.
    pub(crate) fn check<C: Field<K>, const K: usize>(
        &self,
        (_, mask): (Link<C>, u64),
        _: Column<C, K>,
        problem: Problem,
    ) -> Result<(), At> {
        if mask >> K & 1 == 0 { Ok(()) } else { Err(At::field::<C, K>(problem)) }
    }
}
