//! Mirrors: copies of a class's columns on a device, and which of the two is valid.
//!
//! A column is valid on the host, on the device, or on both (RUBY §4.4, decided per launch by what the
//! kernel's phase writes). Columns of their own (growing SoA) are tracked one by one; a class whose
//! columns share one block of memory is tracked as a whole, since its bytes can only be copied together.

use std::any::Any;
use std::fmt::{self, Debug};

use crate::class::{
    Class, ClassId, FieldInfo, MAX_FIELDS, base_count, column_count, first_column, has_arena, has_own_columns,
};
use crate::error::Error;
use crate::objects::Objects;
use crate::origin::Signature;
use crate::phase::FieldSet;
use crate::storage::slot_pitch;
use crate::table::BaseSet;

/// A piece of a class's storage that is copied as a whole: a column, all of them, those of an inner array's
/// slots, or the arena.
#[doc(hidden)]
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
#[doc(hidden)]
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

/// What keeps copies of a class's columns on a device.
///
/// # Safety
///
/// `fetch` writes to the units that it is given, within their lengths, and to nothing else.
#[doc(hidden)]
pub unsafe trait Mirror: Debug + Send + Sync {
    /// Waits for the device, and copies units to the host.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] and other errors of the device; the host's bytes are then those of before.
    fn fetch(&self, units: &[Unit]) -> Result<(), Error>;

    /// The mirror as what it is.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// The objects of any class, for an executor on a device.
///
/// There is no object of this type but those that a [`Visitor`] shows: who makes one promises that what is said
/// through these methods is true.
#[doc(hidden)]
pub trait AnyObjects {
    /// The class's name.
    fn name(&self) -> &'static str;
    /// Identifies the class.
    fn class(&self) -> ClassId;
    /// The class, as the device code is asked for it.
    fn signature(&self) -> Signature;
    /// The number of addresses that the storage starts at: of physical columns and the arena.
    fn columns(&self) -> usize;
    /// The number of objects.
    fn count(&self) -> u32;
    /// The number of objects that there is room for.
    fn capacity(&self) -> usize;
    /// Objects that are reserved and not yet initialised.
    fn pending(&self) -> u32;
    /// The pieces of the storage.
    fn units(&self) -> Vec<Unit>;
    /// The pieces that hold some fields of objects `first..end`.
    fn spans(&self, fields: FieldSet, first: usize, end: usize) -> Vec<Span>;
    /// Whether each column has memory of its own.
    fn has_own_columns(&self) -> bool;
    /// The fields that changed on the host since [`uploaded`](Self::uploaded).
    fn changed_on_host(&self) -> FieldSet;
    /// Says that the device has the host's values.
    fn uploaded(&mut self, fields: FieldSet);
    /// Says that the device changes fields.
    fn changed_on_device(&mut self, fields: FieldSet);
    /// The fields whose last values are on the device.
    fn newer_on_device(&self) -> FieldSet;
    /// The fields that are `#[atomic]`.
    fn atomics(&self) -> FieldSet;
    /// The fields that kernels change in place, so that their snapshots start as copies.
    fn arrays(&self) -> FieldSet;
    /// The mirror.
    fn mirror(&mut self) -> &mut Option<Box<dyn Mirror>>;
    /// Fetches what the device changed.
    ///
    /// # Errors
    ///
    /// As for [`Mirror::fetch`]; the last values are then on the device as before.
    fn fetch_all(&mut self) -> Result<(), Error>;
    /// Adds objects that the device will initialise, and returns the index of the first.
    ///
    /// # Errors
    ///
    /// As for [`Objects::reserve`]; nothing is added then.
    fn add(&mut self, count: usize) -> Result<usize, Error>;
    /// Removes the objects from `len` on, which were just added.
    fn truncate(&mut self, len: usize);
    /// Forgets what the device changed, and the mirror: from now on the host's values count.
    fn lose_device(&mut self);
}

/// Shows the objects of a world's classes to an executor on a device.
#[doc(hidden)]
pub struct Visitor<'a>(&'a mut dyn FnMut(&mut dyn AnyObjects));

impl<'a> Visitor<'a> {
    /// One that calls `visit` for the objects of each class.
    ///
    /// # Safety
    ///
    /// What `visit` says through [`AnyObjects`] is true:
    ///
    /// 1. [`mirror`](AnyObjects::mirror) is left with a mirror of these objects, or none.
    /// 2. [`truncate`](AnyObjects::truncate) takes away objects that [`add`](AnyObjects::add) just added, and objects
    ///    that were added are initialised by the device, or taken away.
    /// 3. Fields are [`uploaded`](AnyObjects::uploaded) when the mirror has the host's values, and
    ///    [`changed_on_device`](AnyObjects::changed_on_device) whenever it has newer ones.
    pub unsafe fn new(visit: &'a mut dyn FnMut(&mut dyn AnyObjects)) -> Self {
        Self(visit)
    }

    /// Shows the objects of one class.
    pub fn visit<C: Class>(&mut self, objects: &mut Objects<C>) {
        (self.0)(&mut Shown(objects));
    }
}

impl Debug for Visitor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Visitor")
    }
}

/// Objects as a visitor shows them.
struct Shown<'a, C: Class>(&'a mut Objects<C>);

impl<C: Class> AnyObjects for Shown<'_, C> {
    fn name(&self) -> &'static str {
        C::NAME
    }
    fn class(&self) -> ClassId {
        C::ID
    }
    fn signature(&self) -> Signature {
        const { Signature::of::<C>() }
    }
    fn columns(&self) -> usize {
        base_count(C::FIELDS)
    }
    fn count(&self) -> u32 {
        self.0.len() as u32
    }
    fn capacity(&self) -> usize {
        self.0.capacity()
    }
    fn pending(&self) -> u32 {
        self.0.table().header.pending
    }
    fn units(&self) -> Vec<Unit> {
        units::<C>(&self.0.table().bases, self.0.capacity(), self.0.len(), self.0.arena())
    }
    fn spans(&self, fields: FieldSet, first: usize, end: usize) -> Vec<Span> {
        spans::<C>(&self.0.table().bases, fields, first, end, self.0.arena())
    }
    fn has_own_columns(&self) -> bool {
        has_own_columns::<C>()
    }
    fn changed_on_host(&self) -> FieldSet {
        self.0.table().header.changed_on_host()
    }
    fn uploaded(&mut self, fields: FieldSet) {
        self.0.table().header.set_uploaded(fields);
    }
    fn changed_on_device(&mut self, fields: FieldSet) {
        self.0.table().header.set_changed_on_device(whole_units::<C>(fields));
    }
    fn atomics(&self) -> FieldSet {
        atomics::<C>()
    }
    fn arrays(&self) -> FieldSet {
        arrays::<C>()
    }
    fn mirror(&mut self) -> &mut Option<Box<dyn Mirror>> {
        self.0.mirror_mut()
    }
    fn newer_on_device(&self) -> FieldSet {
        self.0.table().header.to_fetch(FieldSet::ALL)
    }
    fn fetch_all(&mut self) -> Result<(), Error> {
        self.0.table().try_fetch(FieldSet::ALL)
    }
    fn add(&mut self, count: usize) -> Result<usize, Error> {
        let first = self.0.len();
        self.0.add_placeholders(count)?;
        Ok(first)
    }
    fn truncate(&mut self, len: usize) {
        self.0.set_len(len);
    }
    fn lose_device(&mut self) {
        self.0.table().header.set_fetched(FieldSet::ALL);
        self.0.table().header.set_changed_on_host(FieldSet::ALL);
        *self.0.mirror_mut() = None;
    }
}

/// The fields of `C` that are `#[atomic]`.
pub(crate) const fn atomics<C: Class>() -> FieldSet {
    let mut bits = 0;
    let mut field = 0;
    while field < C::FIELDS.len() {
        bits |= (C::FIELDS[field].atomic as u64) << field;
        field += 1;
    }
    FieldSet::from_bits(bits)
}

/// The fields of `C` that are inner arrays.
pub(crate) const fn arrays<C: Class>() -> FieldSet {
    let mut bits = 0;
    let mut field = 0;
    while field < C::FIELDS.len() {
        bits |= (C::FIELDS[field].array.is_some() as u64) << field;
        field += 1;
    }
    FieldSet::from_bits(bits)
}

/// The fields of `C` that have elements in the arena.
pub(crate) const fn in_arena<C: Class>() -> FieldSet {
    let mut bits = 0;
    let mut field = 0;
    while field < C::FIELDS.len() {
        if let Some(array) = C::FIELDS[field].array {
            bits |= (array.arena as u64) << field;
        }
        field += 1;
    }
    FieldSet::from_bits(bits)
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

/// The fields that are copied when some are: all that share a piece of memory with one of them. Arrays in the arena
/// do, whatever the layout.
#[inline(always)]
pub(crate) const fn whole_units<C: Class>(fields: FieldSet) -> FieldSet {
    let in_arena = const { in_arena::<C>() };
    if fields.is_empty() {
        fields
    } else if !const { has_own_columns::<C>() } {
        FieldSet::ALL
    } else if fields.intersection(in_arena).is_empty() {
        fields
    } else {
        fields.union(in_arena)
    }
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
fn spans<C: Class>(bases: &C::Bases, fields: FieldSet, first: usize, end: usize, arena: (usize, usize)) -> Vec<Span> {
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
