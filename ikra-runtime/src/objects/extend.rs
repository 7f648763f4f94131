//! Adding many objects at once.

use super::Objects;
use crate::class::Class;
use crate::error::Error;
use crate::storage::{Bump, FieldTuple};
use ikra_core::effects::FieldSet;

impl<C: Class> Objects<C> {
    /// Adds rows without arrays in an arena. Does once for all rows the work that `push` does for each.
    pub(super) fn extend_at_once(&mut self, mut rows: impl Iterator<Item = C>) -> Result<(), Error> {
        // The column addresses and the end of the room are local variables, because writing an object does not change
        // them. The first object makes room.
        let (mut bases, mut room) = (self.table().bases, self.slots());
        let mut adding = Adding { next: self.slots(), objects: self };
        rows.try_for_each(|row| {
            if adding.next == room {
                (bases, room) = adding.objects.make_room_after(adding.next)?;
            }
            // SAFETY: there is room before `room`, and `&mut self` excludes other accesses.
            unsafe { <C::Fields as FieldTuple<C>>::write(&bases, adding.next, row.into_values(), &mut Bump::none()) }
            adding.next += 1;
            Ok(())
        })
    }

    /// Adds the objects before `next`, which are written already.
    #[inline(never)]
    fn add_written(&mut self, next: usize) {
        let first = self.slots();
        if first < next {
            self.table().written(FieldSet::ALL, first..next);
            self.set_len(next);
        }
    }

    /// Adds the objects before `next`, which are written already, and makes room for one more. Returns the new column
    /// addresses and the new end of the room.
    #[cold]
    #[inline(never)]
    fn make_room_after(&mut self, next: usize) -> Result<(C::Bases, usize), Error> {
        self.add_written(next);
        // Values on a device are fetched before objects are written, so that they do not overwrite them.
        self.table().fetch(FieldSet::ALL);
        self.grow(next + 1)?;
        Ok((self.table().bases, self.capacity()))
    }
}

/// Objects that are being added. Dropping this value adds them, even if the iterator that makes them panics.
struct Adding<'a, C: Class> {
    objects: &'a mut Objects<C>,
    /// The index of the next object; the objects before it are written.
    next: usize,
}

impl<C: Class> Drop for Adding<'_, C> {
    // Both are passed by value, so that the number stays in a register as it grows.
    #[inline(always)]
    fn drop(&mut self) {
        self.objects.add_written(self.next);
    }
}
