//! Where the storage of a class lies in memory: numbers for reports to people.

use super::Objects;
use crate::class::{Addressing, Class, FieldInfo};
use crate::layout::{Geometry, LayoutKind, geometry};

/// The largest number of objects of one class: ids are 32 bits wide, and 0 is none.
pub const MAX_OBJECTS: usize = u32::MAX as usize - 1;

/// How the objects of a class are stored now.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The class's name.
    pub class: &'static str,
    /// Its layout.
    pub layout: LayoutKind,
    /// Its addressing mode.
    pub addressing: Addressing,
    /// `capacity = N`.
    pub fixed_capacity: Option<u32>,
    /// Its fields, each with its columns.
    pub fields: &'static [FieldInfo],
    /// Where the columns lie in the object, the block or the storage.
    pub geometry: &'static Geometry,
    /// Objects.
    pub objects: usize,
    /// Objects that there is room for.
    pub capacity: usize,
    /// Bytes of the arena, and how many of them are taken.
    pub arena: (usize, usize),
}

impl<C: Class> Objects<C> {
    /// How the objects are stored now. The crate `ikra-report` prints and draws it.
    pub fn shape(&self) -> Shape {
        Shape {
            class: C::NAME,
            layout: C::LAYOUT,
            addressing: C::ADDRESSING,
            fixed_capacity: C::CAPACITY,
            fields: C::FIELDS,
            geometry: geometry::<C>(),
            objects: self.len(),
            capacity: self.capacity(),
            arena: self.arena(),
        }
    }
}
