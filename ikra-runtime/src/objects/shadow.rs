//! The shadow: a second storage, to which kernels with `snapshot` write.

use std::ops::Range;

use super::Objects;
use crate::class::{Class, FieldInfo, MAX_FIELDS, base_count, first_column, in_arena};
use crate::error::Error;
use crate::exec::AllReturned;
use crate::memory::Memory;
use crate::storage::FieldTuple;
use crate::table::BaseSet;
use ikra_core::effects::FieldSet;

/// The storage to which kernels with `snapshot` write.
pub(super) struct Shadow<C: Class> {
    /// It has the capacity of the objects' storage, or is empty.
    memory: Memory<C>,
    /// The fields that it holds.
    fields: FieldSet,
    /// The number of objects whose elements hold values, so that references to them may be made.
    len: usize,
}

impl<C: Class> Shadow<C> {
    pub(super) const fn empty() -> Self {
        Self { memory: Memory::empty(), fields: FieldSet::EMPTY, len: 0 }
    }

    /// Makes the arena a copy of the arena of `memory`, in which `used` bytes are used.
    fn copy_arena(&mut self, memory: &Memory<C>, used: usize) -> Result<(), Error> {
        if self.memory.arena_bytes() != memory.arena_bytes() {
            self.memory.grow_arena(memory.arena_bytes(), 0)?;
        }
        self.memory.copy_arena(memory, used);
        Ok(())
    }
}

impl<C: Class> Objects<C> {
    /// Prepares a second storage for the columns of `fields`, for a kernel with `snapshot`. The fields in `copied`
    /// start as copies of the objects' columns.
    pub(crate) fn prepare_shadow(&mut self, fields: FieldSet, copied: FieldSet) -> Result<C::Bases, Error> {
        if fields.is_empty() || self.slots() == 0 {
            return Ok(C::Bases::NONE);
        }
        if self.shadow.fields.intersection(fields) != fields {
            let fields = self.shadow.fields.union(fields);
            self.shadow = Shadow::empty();
            let memory = Memory::new(self.memory.capacity(), &|column| column_in(C::FIELDS, fields, column))?;
            self.shadow = Shadow { memory, fields, len: 0 };
        }
        if !self.shadow.fields.intersection(const { in_arena::<C>() }).is_empty() {
            self.shadow.copy_arena(&self.memory, self.arena().1)?;
        }
        let (from, to) = (self.memory.bases(), self.shadow.memory.bases());
        for index in self.shadow.len..self.slots() {
            // SAFETY: both storages have room for the object, and `&mut self` excludes other accesses.
            unsafe { <C::Fields as FieldTuple<C>>::copy(&from, &to, index, self.shadow.fields) }
        }
        if !copied.is_empty() {
            for index in 0..self.shadow.len {
                // SAFETY: both storages have room for the object, and `&mut self` excludes other accesses.
                unsafe { <C::Fields as FieldTuple<C>>::copy(&from, &to, index, copied) }
            }
        }
        self.shadow.len = self.slots();
        Ok(to)
    }

    /// Commits the writes of a kernel with `snapshot` to the objects in `range`, after its calls have returned.
    #[inline]
    pub(crate) fn commit_shadow(&mut self, fields: FieldSet, range: Range<usize>, _: &AllReturned) {
        if !fields.is_empty() && !range.is_empty() {
            self.commit(fields, range);
        }
    }

    fn commit(&mut self, fields: FieldSet, range: Range<usize>) {
        if range == (0..self.slots()) {
            let mut swapped = true;
            for column in 0..base_count(C::FIELDS) {
                if column_in(C::FIELDS, fields, column) {
                    swapped &= self.memory.swap_column(&mut self.shadow.memory, column);
                }
            }
            if swapped {
                if !fields.intersection(const { in_arena::<C>() }).is_empty() {
                    self.memory.swap_arena(&mut self.shadow.memory);
                }
                let bases = self.memory.bases();
                self.table_mut().bases = bases;
                return;
            }
        }
        let (from, to) = (self.shadow.memory.bases(), self.memory.bases());
        for index in range {
            // SAFETY: both storages have the object; the kernel wrote it; `&mut self` excludes other accesses.
            unsafe { <C::Fields as FieldTuple<C>>::copy(&from, &to, index, fields) }
        }
    }
}

/// Whether a column belongs to one of these fields.
const fn column_in(all: &[FieldInfo], fields: FieldSet, column: usize) -> bool {
    let mut field = 0;
    while field < all.len() && field < MAX_FIELDS {
        if column < first_column(all, field + 1) {
            return fields.contains(field);
        }
        field += 1;
    }
    false
}
