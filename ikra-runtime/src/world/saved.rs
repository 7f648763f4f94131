//! The values of a class before a kernel that may fail at its end.

use std::mem::MaybeUninit;
use std::ptr;

use crate::error::Error;
use crate::mirror::Unit;
use crate::objects::AnyObjects;
use ikra_core::effects::FieldSet;

/// The bytes of the columns of a member, and of its arena.
pub(super) struct Saved {
    /// The number of the member.
    pub(super) member: usize,
    /// The number of used bytes of its arena.
    arena: usize,
    parts: Vec<Vec<MaybeUninit<u8>>>,
}

/// The start and the length of the part of each column in use.
fn parts(units: &[Unit]) -> impl Iterator<Item = (*mut u8, usize)> + '_ {
    let parts = |unit: &Unit| {
        let (start, pitch, len) = (unit.start, unit.pitch, unit.len);
        (0..unit.columns).map(move |column| (start.wrapping_add(column * pitch), len))
    };
    units.iter().flat_map(parts)
}

impl Saved {
    /// Copies the values of a member.
    ///
    /// # Errors
    ///
    /// Errors of fetching.
    pub(super) fn of(number: usize, member: &mut dyn AnyObjects) -> Result<Self, Error> {
        member.fetch(FieldSet::ALL)?;
        let copy = |(start, len): (*mut u8, usize)| {
            let mut bytes = vec![MaybeUninit::uninit(); len];
            // SAFETY: the part is in the storage of the member, which is borrowed exclusively; the copy has its length.
            unsafe { ptr::copy_nonoverlapping(start.cast(), bytes.as_mut_ptr(), len) };
            bytes
        };
        Ok(Self { member: number, arena: member.arena_bytes(), parts: parts(&member.units()).map(copy).collect() })
    }

    /// Makes the values of the member those that were copied. It has as many objects as then.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], if its arena was packed since and cannot grow again.
    pub(super) fn restore(self, member: &mut dyn AnyObjects) -> Result<(), Error> {
        // SAFETY: all values are stored next, and their arrays are in the arena's bytes of then.
        unsafe { member.begin_restore(self.arena)? }
        for (bytes, (start, len)) in self.parts.iter().zip(parts(&member.units())) {
            assert!(bytes.len() <= len, "no object was removed since");
            // SAFETY: the part is in the storage of the member, which is borrowed exclusively. These are the bytes of
            // the same elements: a class's parts have one order, and the objects are the same.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), start.cast(), bytes.len()) };
        }
        Ok(())
    }
}
