//! Units: the pieces of a class's storage that are copied as a whole.

use std::ops::Range;

use crate::class::{Class, FieldInfo, MAX_FIELDS, first_column};
use crate::layout::LayoutKind;
use crate::plan::Plan;
use crate::table::{Base, BaseSet, Header, Table};
use ikra_core::effects::FieldSet;

/// The storage of a table, without the class's type.
#[derive(Clone, Copy)]
pub(super) struct Storage<'t> {
    pub(super) plan: &'static Plan,
    pub(super) header: &'t Header,
    bases: &'t [Base],
}

impl<'t> Storage<'t> {
    pub(super) fn of<C: Class>(table: &'t Table<C>) -> Self {
        Self { plan: Plan::of::<C>(), header: &table.header, bases: table.bases.all() }
    }

    pub(super) fn units(&self) -> Vec<Unit> {
        let len = self.header.len as usize;
        units(self.plan, self.bases, len, len, self.header.arena)
    }

    /// The stale fields on the host among those that are copied with these.
    pub(super) fn to_fetch(self, fields: FieldSet) -> FieldSet {
        self.header.to_fetch((self.plan.whole_units)(fields))
    }
}

/// A piece of a class's storage that is copied as a whole: a column, all columns, the columns of an inner array's
/// slots, or the arena.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// The first physical column; 0 for all columns, and the number of columns for the arena.
    pub column: usize,
    /// The number of columns. Several columns are slots, which lie `pitch` bytes apart.
    pub columns: usize,
    /// The number of bytes from one column to the next.
    pub pitch: usize,
    /// The fields in it.
    pub fields: FieldSet,
    /// Its start on the host.
    pub start: *mut u8,
    /// The number of bytes from the start of each column to the part; 0 in a whole unit.
    pub offset: usize,
    /// The number of bytes per object in each column; 0 if objects cannot be copied by themselves.
    pub size: usize,
    /// The number of bytes with room for objects, in each column.
    pub capacity: usize,
    /// The number of bytes that the objects take, in each column.
    pub len: usize,
}

impl Unit {
    /// The part with these objects, of those that a part has.
    #[must_use]
    pub fn part_within(&self, objects: Range<usize>) -> Self {
        let whole =
            Self { start: self.start.wrapping_sub(self.offset), offset: 0, len: self.offset + self.len, ..*self };
        whole.part(objects)
    }

    /// The elements of its columns, and the objects that it has. `None` if objects cannot be copied by themselves.
    #[must_use]
    pub fn elements(&self) -> Option<(Vec<Elements>, Range<usize>)> {
        let field = self.fields.bits().trailing_zeros() as usize;
        let column = |n: usize| {
            let start = self.start.wrapping_sub(self.offset).wrapping_add(n * self.pitch);
            Elements { field, size: self.size, start, per_block: usize::MAX, block: 0 }
        };
        let first = self.offset.checked_div(self.size)?;
        Some(((0..self.columns).map(column).collect(), first..first + self.len / self.size))
    }

    /// The number of bytes of memory with the same room.
    pub fn bytes(&self) -> usize {
        (self.columns - 1) * self.pitch + self.capacity
    }

    /// The part with the existing objects of a range. Returns the whole unit if objects cannot be copied by themselves.
    #[must_use]
    pub fn part(&self, objects: Range<usize>) -> Self {
        if self.size == 0 {
            return *self;
        }
        let end = objects.end.saturating_mul(self.size).min(self.len);
        let offset = objects.start.saturating_mul(self.size).min(end);
        Self { start: self.start.wrapping_add(offset), offset, len: end - offset, ..*self }
    }

    /// The parts that remain without some objects, given in ascending order.
    pub(super) fn parts_without(&self, objects: impl Iterator<Item = usize>) -> impl Iterator<Item = Self> {
        let mut next = 0;
        let ends = objects.map(|object| (object, object + 1)).chain([(usize::MAX, usize::MAX)]);
        let parts = ends.map(move |(end, after)| self.part(std::mem::replace(&mut next, after)..end));
        parts.filter(|part| part.len > 0)
    }
}

/// The position of one column's elements of consecutive objects in a unit: `rows` pieces of `width` bytes, `pitch`
/// bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The unit's column.
    pub column: usize,
    /// The number of bytes from the unit's start to the first piece.
    pub offset: usize,
    /// The number of bytes of a piece.
    pub width: usize,
    /// The number of pieces.
    pub rows: usize,
    /// The number of bytes from one piece to the next.
    pub pitch: usize,
}

/// The elements of one column on the host.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// The field.
    pub field: usize,
    /// The number of bytes of an element.
    pub size: usize,
    start: *mut u8,
    /// The number of consecutive elements that lie side by side, and the number of bytes from one such block to the next.
    per_block: usize,
    block: usize,
}

// SAFETY: it is a number for an address; whoever accesses memory there proves that it may.
unsafe impl Send for Elements {}
// SAFETY: as above.
unsafe impl Sync for Elements {}

impl Elements {
    /// The address of an object's element.
    #[must_use]
    #[inline]
    pub fn address(&self, index: usize) -> *mut u8 {
        let block = index / self.per_block;
        self.start.wrapping_add(block * self.block + (index - block * self.per_block) * self.size)
    }

    /// Whether all elements lie side by side.
    pub(crate) fn is_flat(&self) -> bool {
        self.per_block == usize::MAX
    }

    /// The address of an object's element, if elements of this size lie side by side.
    #[inline]
    pub(crate) fn flat_address(&self, index: usize, size: usize) -> *mut u8 {
        self.start.wrapping_add(index * size)
    }

    /// The consecutive objects from this one on whose elements lie side by side.
    #[must_use]
    pub fn run(&self, index: usize) -> usize {
        self.per_block - index % self.per_block
    }

    /// The same elements of storage that starts at another address.
    #[must_use]
    pub fn moved(self, from: usize, to: *mut u8) -> Self {
        Self { start: to.wrapping_add(self.start.addr().wrapping_sub(from)), ..self }
    }
}

/// The elements of some fields in storage that starts at `bases`.
pub(crate) fn elements(plan: &Plan, bases: &[Base], fields: FieldSet) -> Vec<Elements> {
    let mut all = Vec::new();
    for field in (0..plan.fields.len()).filter(|&field| fields.contains(field)) {
        for column in first_column(plan.fields, field)..first_column(plan.fields, field + 1) {
            let (size, offset) = (plan.geometry.sizes[column], plan.geometry.offsets[column]);
            let (start, per_block, block) = match plan.layout {
                LayoutKind::Soa if plan.has_own_columns => (bases[column].0, usize::MAX, 0),
                LayoutKind::Soa => (bases[0].0.wrapping_add(offset), usize::MAX, 0),
                LayoutKind::Aos => (bases[0].0.wrapping_add(offset), 1, plan.geometry.block),
                LayoutKind::Tiles(tile) => (bases[0].0.wrapping_add(offset), tile, plan.geometry.block),
            };
            all.push(Elements { field, size, start, per_block, block });
        }
    }
    all
}

/// The columns of a field that are copied together: a single column, or the slots of an array. Each column has memory of
/// its own.
fn groups(plan: &Plan, bases: &[Base], field: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let FieldInfo { columns, .. } = plan.fields[field];
    let first = first_column(plan.fields, field);
    let slots = columns.iter().filter(|column| column.slot.is_some()).count();
    let plain = (first..first + columns.len() - slots).map(|column| (column, 1, 0));
    let column = first + columns.len() - slots;
    let pitch = if slots > 1 { bases[column + 1].0.addr() - bases[column].0.addr() } else { 0 };
    plain.chain((slots > 0).then_some((column, slots, pitch)))
}

/// The units of storage that starts at `bases`, holds `len` objects and has room for `capacity`. `arena` gives the
/// number of bytes of the arena, and the number of used ones.
pub(crate) fn units(plan: &Plan, bases: &[Base], capacity: usize, len: usize, arena: (usize, usize)) -> Vec<Unit> {
    if capacity == 0 {
        return Vec::new();
    }
    let mut units = Vec::new();
    if plan.has_own_columns {
        for field in 0..plan.fields.len().min(MAX_FIELDS) {
            for (column, columns, pitch) in groups(plan, bases, field) {
                let size = plan.geometry.sizes[column];
                units.push(Unit {
                    column,
                    columns,
                    pitch,
                    fields: FieldSet::from_bits(1 << field),
                    start: bases[column].0,
                    offset: 0,
                    size,
                    capacity: size * capacity,
                    len: size * len,
                });
            }
        }
    } else {
        let bytes = |objects| plan.blocks(objects) * plan.geometry.block;
        units.push(Unit {
            column: 0,
            columns: 1,
            pitch: 0,
            fields: FieldSet::ALL,
            start: bases[0].0,
            offset: 0,
            size: 0,
            capacity: bytes(capacity),
            len: if len == 0 { 0 } else { bytes(len) },
        });
    }
    let (room, used) = arena;
    if !plan.in_arena.is_empty() && room > 0 {
        units.push(Unit {
            column: plan.columns,
            columns: 1,
            pitch: 0,
            fields: (plan.whole_units)(plan.in_arena),
            start: bases[plan.columns].0,
            offset: 0,
            size: 0,
            capacity: room,
            len: used,
        });
    }
    units
}

/// The spans that hold some fields of objects `first..end`.
pub(crate) fn spans(
    plan: &Plan,
    bases: &[Base],
    fields: FieldSet,
    first: usize,
    end: usize,
    arena: (usize, usize),
) -> Vec<Span> {
    let geometry = plan.geometry;
    let mut spans = Vec::new();
    if !fields.intersection(plan.in_arena).is_empty() && arena.1 > 0 {
        // Snapshots start as copies, so the elements of other objects in the arena are the same.
        let used = arena.1;
        spans.push(Span { column: plan.columns, offset: 0, width: used, rows: 1, pitch: used });
    }
    for field in (0..plan.fields.len()).filter(|&field| fields.contains(field)) {
        for column in first_column(plan.fields, field)..first_column(plan.fields, field + 1) {
            let (size, offset) = (geometry.sizes[column], geometry.offsets[column]);
            let one = |column, offset, objects: usize| Span {
                column,
                offset,
                width: objects * size,
                rows: 1,
                pitch: objects * size,
            };
            match plan.layout {
                LayoutKind::Soa if plan.has_own_columns => {
                    // The unit of an array's slots is named by the first slot.
                    let slot = plan.fields[field].columns[column - first_column(plan.fields, field)].slot.unwrap_or(0);
                    let shift = bases[column].0.addr() - bases[column - slot].0.addr();
                    spans.push(one(column - slot, shift + first * size, end - first));
                }
                LayoutKind::Soa => spans.push(one(0, offset + first * size, end - first)),
                LayoutKind::Aos => spans.push(Span {
                    column: 0,
                    offset: offset + first * geometry.block,
                    width: size,
                    rows: end - first,
                    pitch: geometry.block,
                }),
                LayoutKind::Tiles(tile) => {
                    let mut next = first;
                    while next < end {
                        let stop = ((next / tile + 1) * tile).min(end);
                        let start = next / tile * geometry.block + offset + next % tile * size;
                        // Consecutive whole tiles form one span.
                        let rows = if next.is_multiple_of(tile) { (end - next) / tile } else { 0 };
                        if rows > 1 {
                            spans.push(Span {
                                column: 0,
                                offset: start,
                                width: tile * size,
                                rows,
                                pitch: geometry.block,
                            });
                            next += rows * tile;
                        } else {
                            spans.push(one(0, start, stop - next));
                            next = stop;
                        }
                    }
                }
            }
        }
    }
    spans
}
