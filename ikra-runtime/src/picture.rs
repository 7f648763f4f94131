//! The storage layout of a world, as data, as a table and as a drawing.

use crate::class::{Addressing, Class};
use crate::layout::{Layout, LayoutKind, geometry};
use crate::objects::Objects;

/// Where every column of every class of a world lies in memory: `world.layout()`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorldLayout {
    /// The world's name.
    pub world: &'static str,
    /// Its classes, in the order of its fields.
    pub classes: Vec<ClassLayout>,
}

/// Where the columns of one class lie in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClassLayout {
    /// The class's name.
    pub class: &'static str,
    /// Its layout.
    pub kind: LayoutKind,
    /// Its addressing mode.
    pub addressing: Addressing,
    /// `capacity = N`.
    pub fixed_capacity: Option<u32>,
    /// Objects.
    pub objects: usize,
    /// Objects that there is room for.
    pub capacity: usize,
    /// Bytes of one object (AoS) or one block of objects (tiles); 0 for SoA.
    pub block: usize,
    /// Its columns.
    pub columns: Vec<ColumnLayout>,
}

/// Where one column lies in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnLayout {
    /// The field, and the component of a flattened one: `pos.x`.
    pub name: String,
    /// The field's type.
    pub type_name: &'static str,
    /// Whether the field is `#[atomic]`.
    pub atomic: bool,
    /// Bytes from the start of the class's storage to the first element; `None` if the column is an
    /// allocation of its own.
    pub offset: Option<usize>,
    /// Bytes of one element.
    pub size: usize,
    /// Bytes from one element to the next, within a block.
    pub stride: usize,
}

impl WorldLayout {
    #[doc(hidden)]
    pub fn new(world: &'static str, classes: impl IntoIterator<Item = ClassLayout>) -> Self {
        Self { world, classes: classes.into_iter().collect() }
    }
}

impl<C: Class> Objects<C> {
    /// Where the columns lie in memory.
    pub fn layout(&self) -> ClassLayout {
        let geometry = geometry::<C>();
        let mut columns = Vec::new();
        for field in C::FIELDS {
            for column in field.columns {
                let n = columns.len();
                let name = match column.component {
                    "" => field.name.to_owned(),
                    component => format!("{}.{component}", field.name),
                };
                let (offset, stride) = match (C::Layout::KIND, C::CAPACITY) {
                    (LayoutKind::Soa, None) => (None, column.size),
                    (LayoutKind::Aos, _) => (Some(geometry.offsets[n]), geometry.block),
                    _ => (Some(geometry.offsets[n]), column.size),
                };
                let ColumnInfo { size, .. } = *column;
                columns.push(ColumnLayout {
                    name,
                    type_name: field.type_name,
                    atomic: field.atomic,
                    offset,
                    size,
                    stride,
                });
            }
        }
        ClassLayout {
            class: C::NAME,
            kind: C::Layout::KIND,
            addressing: C::ADDRESSING,
            fixed_capacity: C::CAPACITY,
            objects: self.len(),
            capacity: self.capacity(),
            block: if matches!(C::Layout::KIND, LayoutKind::Soa) { 0 } else { geometry.block },
            columns,
        }
    }
}

use crate::class::ColumnInfo;
