//! Checks of links and objects before they are used.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::Objects;
use crate::class::Class;
use crate::error::Error;
use crate::exec::{AllReturned, for_chunks};
use crate::link::Link;
use crate::panics::has_holes;
use crate::storage::FieldTuple;
use ikra_core::effects::FieldSet;
use ikra_core::holes::Holes;

impl<C: Class> Objects<C> {
    /// Prepares columns for a kernel if they are not ready.
    ///
    /// # Safety
    ///
    /// As for [`check_links`](Self::check_links).
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn renew(&self) -> Result<(), Error> {
        // SAFETY: the tables are linked and the world is borrowed, as the caller promises.
        unsafe { self.check_links()? };
        self.try_fetch(FieldSet::ALL)
    }

    /// Checks the links written since the last check, in the fields that kernels follow without a check.
    ///
    /// # Safety
    ///
    /// The table is linked to the tables of its world, which is borrowed, and stays linked during the call.
    #[cold]
    #[inline(never)]
    pub(crate) unsafe fn check_links(&self) -> Result<(), Error> {
        let header = &self.table().header;
        let fields = header.unchecked();
        self.try_fetch(fields)?;
        let bad_link = |objects| {
            // SAFETY: these objects exist, since they are unchecked ones; the fields are theirs, and `&self` excludes
            // writes: no field is atomic.
            let found = unsafe { <C::Fields as FieldTuple<C>>::bad_link(self.table(), fields, objects) };
            found.map(|(field, index, link)| (index, field, link))
        };
        let (first, returned) = first_that_fails(header.unchecked_range(), &header.holes, &bad_link);
        match first {
            None => {
                // SAFETY: all unchecked links were checked now, the others before, and nothing has changed them since.
                unsafe { self.set_checked(returned) };
                Ok(())
            }
            Some((index, field, link)) if link.id <= link.len => Err(Error::LinkToNone {
                class: C::NAME,
                field: C::FIELDS[field].name,
                object: Link::<C>::at(index as u32).id(),
                target: link.class.name(),
            }),
            Some((index, field, link)) => Err(Error::BadLink {
                class: C::NAME,
                field: C::FIELDS[field].name,
                object: Link::<C>::at(index as u32).id(),
                target: link.class.name(),
                id: link.id,
                len: link.len as usize,
            }),
        }
    }

    pub(crate) fn is_pending(&self, link: Link<C>) -> bool {
        self.pending.contains(link.index())
    }

    pub(crate) fn check(&self, link: Link<C>) -> Result<(), Error> {
        match self.exists(link.index()) {
            true => Ok(()),
            false if link.index() < self.slots() => Err(Error::Removed { class: C::NAME, id: link.id() }),
            false => Err(not_in_world(link, self.len())),
        }
    }

    pub(crate) fn check_initialized(&self, link: Link<C>) -> Result<(), Error> {
        self.check(link)?;
        if self.is_pending(link) { Err(not_initialized(link)) } else { Ok(()) }
    }

    /// Panics if a reserved object is not initialised, or if objects were removed.
    #[track_caller]
    pub(crate) fn assert_in_a_row(&self) {
        self.assert_initialized();
        if self.holes() > 0 {
            has_holes(C::NAME, self.holes() as u32);
        }
    }

    /// Panics if a reserved object is not initialised.
    #[track_caller]
    pub(crate) fn assert_initialized(&self) {
        if self.table().header.pending > 0 {
            let index = self.pending.ones().next().unwrap_or(0);
            panic!("{}", not_initialized(Link::<C>::at(index as u32)));
        }
    }

    /// Marks all links as checked, after the return of all calls that could store or find bad ones.
    ///
    /// # Safety
    ///
    /// All links in columns that kernels follow without a check name objects that exist; the calls have ensured it.
    pub(crate) unsafe fn set_checked(&self, _: AllReturned) {
        // SAFETY: the links name objects that exist, by the caller.
        unsafe { self.table().header.set_checked() };
    }
}

/// Calls `find` for all objects of a range that exist, in pieces without holes, on several threads. It returns an object and
/// a field that fail, and more about them. The result is the first of these.
pub(super) fn first_that_fails<T: Copy + Send>(
    range: Range<usize>,
    holes: &Holes,
    find: &(dyn Fn(Range<usize>) -> Option<(usize, usize, T)> + Sync),
) -> (Option<(usize, usize, T)>, AllReturned) {
    let first = Mutex::new(None);
    let note = |objects: Range<usize>| {
        let Some((index, field, more)) = find(objects) else { return };
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none_or(|(known, known_field, _)| (index, field) < (known, known_field)) {
            *first = Some((index, field, more));
        }
    };
    let returned = for_chunks(range, false, &|chunk| match holes.count() {
        0 => note(chunk),
        _ => holes.live(chunk).for_each(note),
    });
    (first.into_inner().unwrap_or_else(PoisonError::into_inner), returned)
}

#[cold]
pub(crate) fn not_in_world<C: Class>(link: Link<C>, len: usize) -> Error {
    Error::NotInWorld { class: C::NAME, id: link.id(), len }
}

#[cold]
fn not_initialized<C: Class>(link: Link<C>) -> Error {
    Error::NotInitialized { class: C::NAME, id: link.id() }
}
