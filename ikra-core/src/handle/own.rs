//! The data of a view besides the fields: the object's handle, and the fields that were assigned.

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
/// The macros note assigned fields, after each statement that they know to assign. This decides only whether a field is
/// stored without comparing it to its previous value. A field that changed and is not noted is stored too.
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
    /// An object with these values and no assigned fields.
    #[inline(always)]
    pub fn new(handle: Handle<'w, C, P>, values: <C::Fields as FieldTuple<C>>::Values) -> Self {
        Self { handle, assigned: Assigned::<C>::new(values) }
    }

    /// The object's handle.
    #[inline(always)]
    pub fn handle(&self) -> Handle<'w, C, P> {
        self.handle
    }

    /// Notes that field `K` was assigned, with its new value.
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

    /// Notes that a part of field `K` was assigned, with the field's new value.
    #[inline(always)]
    pub fn assign_part<const K: usize>(&mut self, now: &<<C as Field<K>>::Storage as Storage<C, K>>::View<'w, P>)
    where
        C: Field<K>,
    {
        // A large field is compared at the end rather than copied each time.
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

    /// Notes that field `K` or a part of it was lent for changes. Elements of inner arrays are assigned in place.
    #[inline(always)]
    pub fn lend<const K: usize>(&mut self)
    where
        C: Field<K>,
    {
        if const { <<C as Field<K>>::Storage as Stored>::ARRAY.is_none() } {
            self.assigned.insert_part::<K>();
        }
    }

    /// The noted fields.
    #[inline(always)]
    pub fn into_assigned(self) -> Assigned<C> {
        self.assigned
    }
}
