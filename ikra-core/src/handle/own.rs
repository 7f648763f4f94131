//! What a view knows of its object beside the fields: which one it is, and which fields were assigned.

use core::fmt;

use super::Handle;
use crate::class::{Class, Field};
use crate::phase::Phase;
use crate::storage::{FieldTuple, Storage, Stored};
use crate::target::assigned;

/// The fields of an object of class `C` that were assigned.
pub type Assigned<C> = assigned::Assigned<<<C as Class>::Fields as FieldTuple<C>>::Values>;

/// The object of a view.
///
/// Which fields are assigned is noted by the macros, after each statement that they know to assign. It decides only whether a
/// field is stored without a look at what it was before: a field that changed and is not noted is stored too.
pub struct Own<'w, C: Class, P: Phase> {
    handle: Handle<'w, C, P>,
    assigned: Assigned<C>,
}

impl<C: Class, P: Phase> fmt::Debug for Own<'_, C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handle.fmt(f)
    }
}

impl<'w, C: Class, P: Phase> Own<'w, C, P> {
    /// An object with these values, of whose fields none is assigned yet.
    #[inline(always)]
    pub fn new(handle: Handle<'w, C, P>, values: <C::Fields as FieldTuple<C>>::Values) -> Self {
        Self { handle, assigned: Assigned::<C>::new(values) }
    }

    /// Which object it is.
    #[inline(always)]
    pub fn handle(&self) -> Handle<'w, C, P> {
        self.handle
    }

    /// Notes that field `K` was assigned, and is this now.
    #[inline(always)]
    pub fn assign<const K: usize>(&mut self, now: <<C as Field<K>>::Storage as Storage<C, K>>::View<'w, P>)
    where
        C: Field<K>,
    {
        self.assigned.insert::<K>(|values| {
            let now = <<C as Field<K>>::Storage as Storage<C, K>>::from_view::<P>(now);
            // SAFETY: by the contract of `Field`, it is the value of the `K`-th field.
            unsafe { <C::Fields as FieldTuple<C>>::put::<K, _>(values, now) };
        });
    }

    /// Notes that a part of field `K` was assigned, and what the field is now.
    #[inline(always)]
    pub fn assign_part<const K: usize>(&mut self, now: &<<C as Field<K>>::Storage as Storage<C, K>>::View<'w, P>)
    where
        C: Field<K>,
    {
        // A large one is compared in the end rather than copied each time.
        let now = if const { size_of::<<<C as Field<K>>::Storage as Stored>::Value>() <= 16 } {
            <<C as Field<K>>::Storage as Storage<C, K>>::of_view::<P>(now)
        } else {
            None
        };
        match now {
            Some(now) => self.assigned.insert::<K>(|values| {
                // SAFETY: by the contract of `Field`, it is the value of the `K`-th field.
                unsafe { <C::Fields as FieldTuple<C>>::put::<K, _>(values, now) };
            }),
            None => self.lend::<K>(),
        }
    }

    /// Notes that field `K` was lent, or a part of it, to be changed. Elements of inner arrays are assigned where they are.
    #[inline(always)]
    pub fn lend<const K: usize>(&mut self)
    where
        C: Field<K>,
    {
        if const { <<C as Field<K>>::Storage as Stored>::ARRAY.is_none() } {
            self.assigned.insert_part::<K>();
        }
    }

    /// What was noted.
    #[inline(always)]
    pub fn into_assigned(self) -> Assigned<C> {
        self.assigned
    }
}
