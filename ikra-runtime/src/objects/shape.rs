//! The storage of a class, as numbers for reports.

use super::Objects;
use crate::class::{Addressing, Class, FieldInfo};
use crate::layout::{Geometry, LayoutKind, geometry};

/// The largest number of objects of one class: ids are 32 bits wide, and 0 means no object.
pub const MAX_OBJECTS: usize = u32::MAX as usize - 1;

/// The current storage of a class's objects.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The class's name.
    pub class: &'static str,
    /// Its layout.
    pub layout: LayoutKind,
    /// Its addressing mode.
    pub addressing: Addressing,
    /// The `N` of `capacity = N`.
    pub fixed_capacity: Option<u32>,
    /// Its fields, each with its columns.
    pub fields: &'static [FieldInfo],
    /// The offsets of the columns in the object, the block or the storage.
    pub geometry: &'static Geometry,
    /// The number of objects.
    pub objects: usize,
    /// The number of objects that fit without growing.
    pub capacity: usize,
    /// The number of bytes of the arena, and the number of used ones.
    pub arena: (usize, usize),
}

impl<C: Class> Objects<C> {
    /// The current storage of the objects. The crate `ikra-report` prints and draws it.
    pub fn shape(&self) -> Shape {
        Shape {
            class: C::NAME,
            layout: C::LAYOUT,
            addressing: C::ADDRESSING,
            fixed_capacity: C::CAPACITY,
            fields: C::FIELDS,
            geometry: geometry::<C>(),
            objects: self.slots(),
            capacity: self.capacity(),
            arena: self.arena(),
        }
    }
}
