//! The pieces of a class's storage that are copied as a whole.

use std::ops::Range;

use crate::class::{
    Class, FieldInfo, MAX_FIELDS, column_count, first_column, has_arena, has_own_columns, in_arena, whole_units,
};
use crate::layout::{Layout, LayoutKind, geometry};
use crate::memory::blocks;
use crate::storage::slot_pitch;
use crate::table::BaseSet;
use ikra_core::effects::FieldSet;

/// A piece of a class's storage that is copied as a whole: a column, all of them, those of an inner array's
/// slots, or the arena.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// The first physical column; 0 for all of them, and the one after the last for the arena.
    pub column: usize,
    /// The number of columns: of slots, which lie `pitch` bytes apart.
    pub columns: usize,
    /// Bytes from one column to the next.
    pub pitch: usize,
    /// The fields in it.
    pub fields: FieldSet,
    /// Its start on the host.
    pub start: *mut u8,
    /// Bytes from the start of each column to what is meant: not 0 in a part of a unit.
    pub offset: usize,
    /// Bytes that an object takes in each column; 0 if objects cannot be copied by themselves.
    pub size: usize,
    /// Bytes that there is room for, in each column.
    pub capacity: usize,
    /// Bytes that the objects take, in each column.
    pub len: usize,
}

impl Unit {
    /// Bytes of memory with the same room.
    pub fn bytes(&self) -> usize {
        (self.columns - 1) * self.pitch + self.capacity
    }

    /// The part of it with these objects, as far as they exist; all of it, if they cannot be copied by themselves.
    pub(super) fn part(&self, objects: Range<usize>) -> Self {
        if self.size == 0 {
            return *self;
        }
        let end = objects.end.saturating_mul(self.size).min(self.len);
        let offset = objects.start.saturating_mul(self.size).min(end);
        Self { start: self.start.wrapping_add(offset), offset, len: end - offset, ..*self }
    }

    /// Its parts without those of some objects, which are in order.
    pub(super) fn parts_without(&self, objects: impl Iterator<Item = usize>) -> impl Iterator<Item = Self> {
        let mut next = 0;
        let ends = objects.map(|object| (object, object + 1)).chain([(usize::MAX, usize::MAX)]);
        let parts = ends.map(move |(end, after)| self.part(std::mem::replace(&mut next, after)..end));
        parts.filter(|part| part.len > 0)
    }
}

/// Where one column's elements of consecutive objects lie in a unit: `rows` pieces of `width` bytes,
/// `pitch` bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The unit's column.
    pub column: usize,
    /// Bytes from the unit's start to the first piece.
    pub offset: usize,
    /// Bytes of a piece.
    pub width: usize,
    /// Pieces.
    pub rows: usize,
    /// Bytes from one piece to the next.
    pub pitch: usize,
}

/// The columns of a field that are copied together: each by itself, or the slots of an array.
fn groups<C: Class>(bases: &C::Bases, field: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let FieldInfo { columns, .. } = C::FIELDS[field];
    let first = first_column(C::FIELDS, field);
    let slots = columns.iter().filter(|column| column.slot.is_some()).count();
    let plain = (first..first + columns.len() - slots).map(|column| (column, 1, 0));
    let column = first + columns.len() - slots;
    let pitch = if slots > 1 { slot_pitch::<C>(bases, column, slots) } else { 0 };
    plain.chain((slots > 0).then_some((column, slots, pitch)))
}

/// The units of storage that starts at `bases` and has room for `capacity` objects, of which there are
/// `len`. `arena` are the bytes of the arena, and of those how many are used.
pub(crate) fn units<C: Class>(bases: &C::Bases, capacity: usize, len: usize, arena: (usize, usize)) -> Vec<Unit> {
    if capacity == 0 {
        return Vec::new();
    }
    let geometry = geometry::<C>();
    let column = column_count(C::FIELDS);
    let (room, used) = arena;
    let arena = (has_arena::<C>() && room > 0).then(|| Unit {
        column,
        columns: 1,
        pitch: 0,
        fields: whole_units::<C>(in_arena::<C>()),
        start: bases.get(column).0,
        offset: 0,
        size: 0,
        capacity: room,
        len: used,
    });
    if !has_own_columns::<C>() {
        let bytes = |objects| blocks::<C>(objects) * geometry.block;
        let len = if len == 0 { 0 } else { bytes(len) };
        let block = Unit {
            column: 0,
            columns: 1,
            pitch: 0,
            fields: FieldSet::ALL,
            start: bases.get(0).0,
            offset: 0,
            size: 0,
            capacity: bytes(capacity),
            len,
        };
        return std::iter::once(block).chain(arena).collect();
    }
    let mut units = Vec::new();
    for field in 0..C::FIELDS.len().min(MAX_FIELDS) {
        for (column, columns, pitch) in groups::<C>(bases, field) {
            let size = geometry.sizes[column];
            units.push(Unit {
                column,
                columns,
                pitch,
                fields: FieldSet::from_bits(1 << field),
                start: bases.get(column).0,
                offset: 0,
                size,
                capacity: size * capacity,
                len: size * len,
            });
        }
    }
    units.extend(arena);
    units
}

/// Where the elements of some fields of objects `first..end` lie.
pub(crate) fn spans<C: Class>(
    bases: &C::Bases,
    fields: FieldSet,
    first: usize,
    end: usize,
    arena: (usize, usize),
) -> Vec<Span> {
    let geometry = geometry::<C>();
    let mut spans = Vec::new();
    if !fields.intersection(in_arena::<C>()).is_empty() && arena.1 > 0 {
        // Snapshots start as copies: what other objects have there is the same.
        let used = arena.1;
        spans.push(Span { column: column_count(C::FIELDS), offset: 0, width: used, rows: 1, pitch: used });
    }
    for field in (0..C::FIELDS.len()).filter(|&field| fields.contains(field)) {
        for column in first_column(C::FIELDS, field)..first_column(C::FIELDS, field + 1) {
            let (size, offset) = (geometry.sizes[column], geometry.offsets[column]);
            let one = |column, offset, objects: usize| Span {
                column,
                offset,
                width: objects * size,
                rows: 1,
                pitch: objects * size,
            };
            match C::Layout::KIND {
                LayoutKind::Soa if has_own_columns::<C>() => {
                    // Slots are known by the first of them.
                    let slot = C::FIELDS[field].columns[column - first_column(C::FIELDS, field)].slot.unwrap_or(0);
                    let shift = bases.get(column).0.addr() - bases.get(column - slot).0.addr();
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
                        // Whole tiles one after another are one span.
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
