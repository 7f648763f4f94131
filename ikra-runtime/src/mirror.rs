//! Mirrors: copies of a class's columns on devices, and where the last values of each column are.
//!
//! A column's last values are on the host, on devices, or on several of these (RUBY §4.4, decided per launch by what the
//! kernel's phase writes). The host knows which of its own are old, and each copy in the list which of its are the last:
//! [`Copies`]. Columns of their own (growing SoA) are tracked one by one; a class whose
//! columns share one block of memory is tracked as a whole, since its bytes can only be copied together.

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::{Mutex, PoisonError};

use crate::class::{
    Class, FieldInfo, MAX_FIELDS, column_count, first_column, has_arena, has_own_columns, in_arena, whole_units,
};
use crate::error::Error;
use crate::storage::slot_pitch;
use crate::table::{BaseSet, Header, Newer, Table};
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

/// What keeps a copy of a class's columns on a device.
///
/// # Safety
///
/// `fetch` writes to the units that it is given, within their lengths, and to nothing else.
pub unsafe trait Mirror: Debug + Send + Sync {
    /// Waits for the device, and copies units to the host.
    ///
    /// # Errors
    ///
    /// Those of the device; the host's bytes are then those of before.
    fn fetch(&self, units: &[Unit]) -> Result<(), Error>;

    /// The mirror as what it is.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// One device's copy of a class's columns.
#[derive(Debug)]
pub(crate) struct DeviceCopy {
    /// The stream on which it is used. No other stream of the process has the same number.
    stream: u64,
    /// The fields of which it has the last values.
    valid: FieldSet,
    mirror: Box<dyn Mirror>,
}

/// What a table holds once a device was used: the copies, which one thread at a time asks.
#[derive(Default)]
pub(crate) struct Mirrored(Mutex<Vec<DeviceCopy>>);

impl Mirrored {
    pub(crate) fn get_mut(&mut self) -> &mut Vec<DeviceCopy> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the host's values of some fields of the table that this belongs to the last ones. After an error, those that
    /// could not be fetched are as before.
    pub(crate) fn try_fetch<C: Class>(&self, table: &Table<C>, fields: FieldSet) -> Result<(), Error> {
        let copies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have had the lock, and fetched them.
        let mut missing = table.header.to_fetch(whole_units::<C>(fields));
        if missing.is_empty() {
            return Ok(());
        }
        let mut failure = None;
        // Nothing is newer on a device where there is nothing.
        if table.len() > 0 {
            let units = units::<C>(&table.bases, table.len(), table.len(), table.header.arena);
            for copy in &*copies {
                let found = missing.intersection(copy.valid);
                if found.is_empty() {
                    continue;
                }
                let has_found = |unit: &&Unit| !unit.fields.intersection(found).is_empty();
                // Nobody holds references into these units: whoever made one fetched a field of the unit first, and fields
                // of one unit are marked and unmarked together (`whole_units`), so that no field of the unit would have to
                // be fetched.
                match copy.mirror.fetch(&units.iter().filter(has_found).copied().collect::<Vec<_>>()) {
                    Ok(()) => {
                        // SAFETY: they were just fetched.
                        unsafe { table.header.set_fetched(found) };
                        missing = missing.without(found);
                    }
                    // Another device may have them too.
                    Err(error) => failure = Some(error),
                }
            }
        }
        match failure {
            Some(failure) if !missing.is_empty() => Err(failure),
            _ => {
                // SAFETY: without a copy or objects there is nothing to fetch.
                unsafe { table.header.set_fetched(missing) };
                Ok(())
            }
        }
    }
}

/// The copies of a class's columns on devices: a list of which each entry says of which fields it has the last values.
///
/// ```text
///            host      stream 1 (gpu:0)   stream 2 (gpu:1)
/// pos        old       last               old
/// vel        last      last               last
/// mass       last      old                old
/// ```
///
/// Each field has last values somewhere.
pub struct Copies<'o> {
    header: &'o Header,
    list: &'o mut Vec<DeviceCopy>,
    whole_units: fn(FieldSet) -> FieldSet,
}

impl Debug for Copies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}

impl<'o> Copies<'o> {
    pub(crate) fn of<C: Class>(header: &'o Header, list: &'o mut Vec<DeviceCopy>) -> Self {
        let changed = header.take_changed_on_host();
        if !changed.is_empty() {
            for copy in &mut *list {
                copy.valid = copy.valid.without(changed);
            }
        }
        Self { header, list, whole_units: whole_units::<C> }
    }

    fn find(&self, stream: u64) -> Option<&DeviceCopy> {
        self.list.iter().find(|copy| copy.stream == stream)
    }

    /// The streams on which there are copies.
    pub fn streams(&self) -> impl Iterator<Item = u64> {
        self.list.iter().map(|copy| copy.stream)
    }

    /// The fields whose last values are not in the copy on a stream.
    #[must_use]
    pub fn missing(&self, stream: u64) -> FieldSet {
        self.find(stream).map_or(FieldSet::ALL, |copy| FieldSet::ALL.without(copy.valid))
    }

    /// The fields whose last values are in the copy on a stream and nowhere else.
    #[must_use]
    pub fn only_on(&self, stream: u64) -> FieldSet {
        let others = self.list.iter().filter(|copy| copy.stream != stream);
        let elsewhere = others.fold(FieldSet::EMPTY, |fields, copy| fields.union(copy.valid));
        let here = self.find(stream).map_or(FieldSet::EMPTY, |copy| copy.valid);
        self.header.to_fetch(here).without(elsewhere)
    }

    /// The copy on a stream.
    ///
    /// # Safety
    ///
    /// Nothing is asked of it that concerns other columns.
    #[must_use]
    pub unsafe fn mirror(self, stream: u64) -> Option<&'o mut dyn Mirror> {
        let copy = self.list.iter_mut().find(|copy| copy.stream == stream)?;
        Some(&mut *copy.mirror)
    }

    /// Adds a copy of which no values are the last.
    ///
    /// # Safety
    ///
    /// It is of these objects, and there is none on this stream.
    pub unsafe fn add(&mut self, stream: u64, mirror: Box<dyn Mirror>) {
        self.list.push(DeviceCopy { stream, valid: FieldSet::EMPTY, mirror });
    }

    /// Says that a copy has the host's values of these fields.
    ///
    /// # Safety
    ///
    /// It has, and the host's values are the last ones, or the copy had those.
    pub unsafe fn uploaded(&mut self, stream: u64, fields: FieldSet) {
        let fields = (self.whole_units)(fields);
        for copy in self.list.iter_mut().filter(|copy| copy.stream == stream) {
            copy.valid = copy.valid.union(fields);
        }
    }

    /// Says that fields are changed in a copy: it has the last values, and no other.
    ///
    /// # Safety
    ///
    /// The copy has values of these fields for all objects, at the latest when it fetches them.
    pub unsafe fn changed(&mut self, stream: u64, fields: FieldSet) {
        let fields = (self.whole_units)(fields);
        for copy in &mut *self.list {
            copy.valid = if copy.stream == stream { copy.valid.union(fields) } else { copy.valid.without(fields) };
        }
        // SAFETY: nobody holds references into columns, since the objects are borrowed exclusively.
        unsafe { self.header.set_changed_on_device(fields) };
    }

    pub(crate) fn remove(&mut self, stream: u64) {
        self.list.retain(|copy| copy.stream != stream);
    }
}

// SAFETY: the mirror writes within the units that it is given: those of the fields that are to be fetched, and of fields
// that share memory with them.
unsafe impl<C: Class> Newer<C> for Mirrored {
    fn fetch(&self, table: &Table<C>, fields: FieldSet) {
        if let Err(error) = self.try_fetch(table, fields) {
            panic!("class {}: {error}", C::NAME);
        }
    }
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
    let geometry = crate::layout::geometry::<C>();
    let column = column_count(C::FIELDS);
    let (room, used) = arena;
    let arena = (has_arena::<C>() && room > 0).then(|| Unit {
        column,
        columns: 1,
        pitch: 0,
        fields: whole_units::<C>(in_arena::<C>()),
        start: bases.get(column).0,
        capacity: room,
        len: used,
    });
    if !has_own_columns::<C>() {
        let blocks = |objects| crate::memory::blocks::<C>(objects) * geometry.block;
        let len = if len == 0 { 0 } else { blocks(len) };
        let block = Unit {
            column: 0,
            columns: 1,
            pitch: 0,
            fields: FieldSet::ALL,
            start: bases.get(0).0,
            capacity: blocks(capacity),
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
    use crate::layout::{Layout, LayoutKind};
    let geometry = crate::layout::geometry::<C>();
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
