//! How a class stores its objects, without its type.

use crate::class::{
    Class, ClassInfo, FieldInfo, atomics, column_count, has_own_columns, in_arena, undivided, whole_units,
};
use crate::layout::{Geometry, LayoutKind, geometry};
use ikra_core::effects::FieldSet;

/// How a class stores its objects. Functions that take it in place of the class are compiled once, not for each class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The class's name.
    pub(crate) class: &'static str,
    pub(crate) layout: LayoutKind,
    /// The `N` of `capacity = N`.
    pub(crate) fixed_capacity: Option<u32>,
    pub(crate) fields: &'static [FieldInfo],
    pub(crate) geometry: &'static Geometry,
    /// Whether each column has memory of its own.
    pub(crate) has_own_columns: bool,
    /// The number of columns, without the arena.
    pub(crate) columns: usize,
    /// The fields with elements in the arena.
    pub(crate) in_arena: FieldSet,
    /// The fields whose columns must be current as a whole: their elements are copied with others, or changed in place.
    pub(crate) whole: FieldSet,
    /// The fields that are copied with the given ones.
    pub(crate) whole_units: fn(FieldSet) -> FieldSet,
}

impl Plan {
    pub(crate) const fn of<C: Class>() -> &'static Self {
        const {
            &Self {
                class: C::NAME,
                layout: <C as ClassInfo>::LAYOUT,
                fixed_capacity: C::CAPACITY,
                fields: C::FIELDS,
                geometry: geometry::<C>(),
                has_own_columns: has_own_columns::<C>(),
                columns: column_count(C::FIELDS),
                in_arena: in_arena::<C>(),
                whole: undivided::<C>().union(atomics::<C>()),
                whole_units: whole_units::<C>,
            }
        }
    }

    /// The number of geometry blocks that `objects` take.
    pub(crate) fn blocks(&self, objects: usize) -> usize {
        match self.layout {
            LayoutKind::Soa => 1,
            LayoutKind::Aos => objects,
            LayoutKind::Tiles(tile) => objects.div_ceil(tile),
        }
    }
}
