//! The storage layout of a world: as data, as a table, and as a drawing.

mod svg;
mod table;

use std::any::type_name;

use ikra_core::info::{Addressing, ColumnInfo, FieldInfo, LayoutKind};
use ikra_runtime::objects::{AnyObjects, MAX_OBJECTS, Shape};
use ikra_runtime::world::World;

/// The positions of all columns of a world's classes in memory.
///
/// Its `Display` prints a table; [`to_svg`](Self::to_svg) draws it.
///
/// ```
/// use ikra::prelude::*;
/// use ikra::report::WorldLayout;
///
/// #[soa_class(layout = "aos")]
/// pub struct Body { pub pos: [f32; 2], pub alive: bool }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// let layout = WorldLayout::of(&Sim::new()).for_objects(1000);
/// let bodies = &layout.classes[0];
/// assert_eq!((bodies.columns[1].offset, bodies.columns[1].stride), (Some(8), 12));
/// assert_eq!((bodies.bytes(), bodies.padding()), (12_000, 3_000));
/// println!("{layout}");
/// assert!(layout.to_svg().starts_with("<svg"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorldLayout {
    /// The world's name.
    pub world: &'static str,
    /// Its classes, in the order of its fields.
    pub classes: Vec<ClassLayout>,
}

/// The positions of one class's columns in memory.
///
/// ```
/// use ikra::prelude::*;
/// use ikra::report::ClassLayout;
///
/// #[soa_class]
/// pub struct Body { pub pos: [f32; 3], pub mass: f64 }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// let bodies = ClassLayout::of(&Sim::new().bodies).for_objects(1000);
/// assert_eq!((bodies.bytes_per_object(), bodies.bytes()), (20, 20_000));
/// println!("{bodies}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClassLayout {
    /// The class's name.
    pub class: &'static str,
    /// Its layout.
    pub kind: LayoutKind,
    /// Its addressing mode.
    pub addressing: Addressing,
    /// The `N` of `capacity = N`.
    pub fixed_capacity: Option<u32>,
    /// The number of objects.
    pub objects: usize,
    /// The number of objects that fit without growing.
    pub capacity: usize,
    /// The number of bytes of one object (AoS), of one block of objects (tiles), or of the whole storage (SoA with a
    /// fixed capacity). It is 0 for SoA that grows, where each column is an allocation of its own.
    pub block: usize,
    /// Its columns.
    pub columns: Vec<ColumnLayout>,
    /// The number of used bytes in the arena.
    pub arena_bytes: usize,
    /// The number of bytes of the arena.
    pub arena_capacity: usize,
}

/// The position of one column in memory.
///
/// ```
/// use ikra::prelude::*;
/// use ikra::report::ClassLayout;
///
/// #[soa_class(layout = "tiles")]
/// pub struct Body { pub alive: bool, pub mass: f64 }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// let layout = ClassLayout::of(&Sim::new().bodies);
/// assert_eq!((layout.columns[1].name.as_str(), layout.columns[1].offset), ("mass", Some(128)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnLayout {
    /// The field's name, with the component of a flattened field: `pos.x`.
    pub name: String,
    /// The field's type.
    pub type_name: &'static str,
    /// Whether the field is `#[atomic]`.
    pub atomic: bool,
    /// The number of bytes from the start of the class's storage (of the object, of the block) to the first element;
    /// `None` if the column is an allocation of its own.
    pub offset: Option<usize>,
    /// The number of bytes of an element.
    pub size: usize,
    /// The number of bytes from one element to the next, within a block.
    pub stride: usize,
}

impl WorldLayout {
    /// The layout of a world's classes.
    pub fn of<W: World>(world: &W) -> Self {
        let name = type_name::<W>();
        let members = world.members();
        let classes = members.as_ref().iter().map(|&member| ClassLayout::of(member)).collect();
        Self { world: name.rsplit("::").next().unwrap_or(name), classes }
    }

    /// The same layout with `objects` objects of each class, or fewer where a fixed capacity allows only fewer.
    #[must_use]
    pub fn for_objects(mut self, objects: usize) -> Self {
        for class in &mut self.classes {
            *class = class.clone().for_objects(objects);
        }
        self
    }

    /// The number of bytes of all objects' storage, padding included.
    pub fn bytes(&self) -> usize {
        self.classes.iter().map(ClassLayout::bytes).fold(0, usize::saturating_add)
    }

    /// A drawing like the figures of the papers, with every byte to scale. It has one bar per class, or one per column
    /// if each has its own allocation.
    pub fn to_svg(&self) -> String {
        svg::draw(self)
    }
}

impl ClassLayout {
    /// The layout of one class's [`Objects`](ikra_runtime::objects::Objects).
    pub fn of(objects: &dyn AnyObjects) -> Self {
        let shape = objects.shape();
        let mut all = Vec::new();
        for field in shape.fields {
            all.extend(columns(&shape, field, all.len()));
        }
        let grows = matches!((shape.layout, shape.fixed_capacity), (LayoutKind::Soa, None));
        Self {
            class: shape.class,
            kind: shape.layout,
            addressing: shape.addressing,
            fixed_capacity: shape.fixed_capacity,
            objects: shape.objects,
            capacity: shape.capacity,
            block: if grows { 0 } else { shape.geometry.block },
            columns: all,
            arena_bytes: shape.arena.1,
            arena_capacity: shape.arena.0,
        }
    }

    /// The same layout with `objects` objects, or with fewer where the fixed capacity or the number of ids allows only
    /// fewer.
    #[must_use]
    pub fn for_objects(mut self, objects: usize) -> Self {
        self.objects = objects.min(self.fixed_capacity.map_or(MAX_OBJECTS, |capacity| capacity as usize));
        self.capacity = match (self.fixed_capacity, self.kind) {
            (Some(capacity), LayoutKind::Soa) => capacity as usize,
            (_, LayoutKind::Tiles(tile)) => self.objects.checked_next_multiple_of(tile).unwrap_or(usize::MAX),
            _ => self.objects,
        };
        self
    }

    /// The number of bytes of one object's values.
    pub fn bytes_per_object(&self) -> usize {
        self.columns.iter().map(|column| column.size).sum()
    }

    /// The number of bytes of the objects' storage, padding and arena included, but not the memory reserved for
    /// growing.
    pub fn bytes(&self) -> usize {
        self.inlined_bytes().saturating_add(self.arena_bytes)
    }

    /// The number of bytes of the columns, padding included, without the arena (INNER Fig. 11, lower half).
    pub fn inlined_bytes(&self) -> usize {
        match (self.kind, self.fixed_capacity) {
            (LayoutKind::Soa, None) => self.objects.saturating_mul(self.bytes_per_object()),
            (LayoutKind::Soa, Some(_)) => self.block,
            (LayoutKind::Aos, _) => self.objects.saturating_mul(self.block),
            (LayoutKind::Tiles(tile), _) => self.objects.div_ceil(tile).saturating_mul(self.block),
        }
    }

    /// The number of bytes of [`inlined_bytes`](Self::inlined_bytes) that hold no object's value. Slots of inner arrays
    /// count as values, with or without an element.
    pub fn padding(&self) -> usize {
        self.inlined_bytes().saturating_sub(self.objects.saturating_mul(self.bytes_per_object()))
    }
}

/// The columns of a field.
fn columns<'a>(shape: &'a Shape, field: &'a FieldInfo, first: usize) -> impl Iterator<Item = ColumnLayout> + 'a {
    field.columns.iter().enumerate().map(move |(k, &ColumnInfo { component, size, slot, .. })| {
        let name = match (component, slot) {
            ("", None) => field.name.to_owned(),
            ("", Some(slot)) => format!("{}[{slot}]", field.name),
            (component, _) => format!("{}.{component}", field.name),
        };
        let offset = shape.geometry.offsets[first + k];
        let (offset, stride) = match (shape.layout, shape.fixed_capacity) {
            (LayoutKind::Soa, None) => (None, size),
            (LayoutKind::Aos, _) => (Some(offset), shape.geometry.block),
            _ => (Some(offset), size),
        };
        ColumnLayout { name, type_name: field.type_name, atomic: field.atomic, offset, size, stride }
    })
}
