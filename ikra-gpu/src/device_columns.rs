//! A class's columns on the device.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ikra_core::class::ClassId;
use ikra_core::effects::FieldSet;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::mirror::{Mirror, Offer, Pending, Span, Unit};
use ikra_runtime::objects::AnyObjects;

use crate::driver::{Memory, Pieces};
use crate::offers::{DeviceOffer, Region};
use crate::stream_log::{INBOX_BYTES, StreamLog};

/// The columns, in the same units as on the host.
#[derive(Debug)]
pub(crate) struct DeviceColumns {
    /// Unique per process; device tables remember by it which columns they describe.
    pub(crate) number: u64,
    pub(crate) log: Arc<StreamLog>,
    /// The class that the columns belong to.
    class: ClassId,
    pieces: Vec<Piece>,
    /// The addresses that kernels need: the start of each column, followed by the start of its snapshot, or 0.
    words: Vec<u64>,
}

#[derive(Debug)]
struct Piece {
    column: usize,
    /// Columns of slots, `pitch` bytes apart as on the host.
    columns: usize,
    pitch: usize,
    fields: FieldSet,
    memory: Memory,
    /// The memory that kernels with `snapshot` write.
    shadow: Option<Memory>,
    /// The bytes of each column, from its start, whose elements in the snapshot are values of their types.
    filled: usize,
}

impl Piece {
    /// The address of the unit's bytes in one of its columns.
    fn address(&self, unit: &Unit, column: usize) -> u64 {
        self.memory.address() + (column * self.pitch + unit.offset) as u64
    }

    /// The number of objects that it has room for.
    fn room(&self, unit: &Unit, column: usize) -> usize {
        unit.len.min(self.memory.len().saturating_sub(column * self.pitch + unit.offset))
    }
}

/// The operation that a recording cannot have.
const ACROSS: &str = "copying values of other devices";

/// Parcels start at multiples of this many bytes in the inbox.
const PARCEL_ALIGN: usize = 16;

/// A part of a unit in transit.
struct Parcel {
    to: *mut u8,
    offset: usize,
    len: usize,
}

impl DeviceColumns {
    /// Fetches units that fit into the inbox, with a single wait.
    fn fetch_small(&self, units: &[Unit]) -> Result<(), Error> {
        let (inbox, _turn) = (self.log.inbox(), self.log.turn());
        let (mut parcels, mut offset) = (Vec::new(), 0);
        for unit in units {
            let Some(piece) = self.pieces.iter().find(|piece| piece.column == unit.column) else { continue };
            for column in 0..unit.columns {
                let (to, from) = (unit.start.wrapping_add(column * unit.pitch), piece.address(unit, column));
                let len = piece.room(unit, column);
                // SAFETY: the inbox has room for the bytes of all units.
                let place = unsafe { inbox.start().add(offset) };
                // SAFETY: the bytes are within the piece, and parcels start at multiples of 16.
                unsafe { self.log.copy_to_inbox(place, from, len) }?;
                parcels.push(Parcel { to, offset, len });
                offset = (offset + len).next_multiple_of(PARCEL_ALIGN);
            }
        }
        self.log.wait()?;
        self.log.count_down(parcels.iter().map(|parcel| parcel.len).sum());
        for Parcel { to, offset, len } in parcels {
            // SAFETY: the parcel is within the inbox.
            let from = unsafe { inbox.start().add(offset) };
            // SAFETY: the bytes have arrived; the unit is the host's column, and nothing else accesses it until it is
            // fetched (I26).
            unsafe { std::ptr::copy_nonoverlapping(from, to, len) }
        }
        Ok(())
    }

    /// The copy of some objects on this stream, with room for them; created if it does not exist.
    pub(crate) fn of<'o>(objects: &'o mut dyn AnyObjects, log: &Arc<StreamLog>) -> Result<&'o mut Self, Error> {
        let (units, class) = (objects.units(), objects.class());
        let fits =
            Self::known(objects, log.number()).is_some_and(|known| known.class == class && known.has_room(&units));
        if !fits {
            Self::make_room(objects, log)?;
            let columns = Self::new(log, objects, &units)?;
            // SAFETY: the columns have the objects' class and units; a former copy on this stream was removed.
            unsafe { objects.copies().add(log.number(), Box::new(columns)) };
        }
        Ok(Self::known(objects, log.number()).ok_or_else(|| GpuError::Driver {
            call: String::from("finding a class's columns"),
            reason: String::from("another kind of mirror is in their place"),
        })?)
    }

    /// Removes the copies that a new one on this stream replaces: copies on the same device, and copies of dropped
    /// worlds.
    fn make_room(objects: &mut dyn AnyObjects, log: &StreamLog) -> Result<(), Error> {
        let streams: Vec<u64> = objects.copies().streams().collect();
        for stream in streams {
            let is_replaced =
                |known: &mut Self| known.log.is_finished() || known.log.context.number() == log.context.number();
            if Self::known(objects, stream).is_some_and(is_replaced) {
                let fields = objects.copies().only_on(stream);
                objects.fetch(fields)?;
                // SAFETY: every value that only this copy had was fetched (I26).
                unsafe { objects.lose(stream) };
            }
        }
        Ok(())
    }

    /// The copy of some objects on a stream, if it exists.
    pub(crate) fn known(objects: &mut dyn AnyObjects, stream: u64) -> Option<&mut Self> {
        // SAFETY: only this module calls it, and only for the units of these objects.
        unsafe { objects.copies().mirror(stream) }.and_then(|mirror| mirror.as_any().downcast_mut::<Self>())
    }

    fn new(log: &Arc<StreamLog>, objects: &dyn AnyObjects, units: &[Unit]) -> Result<Self, GpuError> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let (name, cleared) = (objects.name(), objects.atomics().union(objects.arrays()));
        let pieces = units
            .iter()
            .map(|unit| {
                let mut memory = Memory::new(&log.context, unit.bytes(), &format!("class {name}"))?;
                // Device code accesses a one-byte atomic as a whole word, and the other bytes may lie after the last
                // object. For snapshots, arrays are copied together with the bytes between their columns.
                if !unit.fields.intersection(cleared).is_empty() {
                    log.stream.clear(&mut memory)?;
                }
                let Unit { column, columns, pitch, fields, .. } = *unit;
                Ok(Piece { column, columns, pitch, fields, memory, shadow: None, filled: 0 })
            })
            .collect::<Result<_, GpuError>>()?;
        let (number, words) = (NUMBERS.fetch_add(1, Ordering::Relaxed), vec![0; 2 * objects.columns()]);
        let mut made = Self { number, log: log.clone(), class: objects.class(), pieces, words };
        made.write_words();
        Ok(made)
    }

    fn has_room(&self, units: &[Unit]) -> bool {
        self.pieces.len() == units.len()
            && self.pieces.iter().zip(units).all(|(piece, unit)| {
                piece.column == unit.column && piece.pitch == unit.pitch && piece.memory.len() >= unit.bytes()
            })
    }

    /// The memory of the pieces.
    fn regions(&self) -> Vec<Region> {
        let region = |piece: &Piece| {
            let Piece { column, columns, pitch, ref memory, .. } = *piece;
            Region { column, columns, pitch, address: memory.address(), len: memory.len() }
        };
        self.pieces.iter().map(region).collect()
    }

    /// Bytes of device memory.
    pub(crate) fn bytes(&self) -> u64 {
        let shadow = |piece: &Piece| piece.shadow.as_ref().map_or(0, Memory::len);
        self.pieces.iter().map(|piece| (piece.memory.len() + shadow(piece)) as u64).sum()
    }

    /// The contents of units on the device, each part with its address.
    pub(crate) fn contents(&self, units: &[Unit]) -> Result<Vec<(u64, Vec<u8>)>, GpuError> {
        let mut parts = Vec::new();
        for unit in units {
            let Some(piece) = self.pieces.iter().find(|piece| piece.column == unit.column) else { continue };
            for column in 0..unit.columns {
                parts.push((piece.address(unit, column), vec![0; piece.room(unit, column)]));
            }
        }
        // SAFETY: the bytes are within the piece, and the vector has room for them; it lives until the stream is
        // synchronised below, also after an error.
        let copied = parts
            .iter_mut()
            .try_for_each(|(from, bytes)| unsafe { self.log.stream.download(bytes.as_mut_ptr(), *from, bytes.len()) });
        let waited = self.log.stream.synchronize();
        copied.and(waited).map_err(|error| self.log.blame(error))?;
        Ok(parts)
    }

    /// Copies units, or parts of them, to the device.
    pub(crate) fn upload(&self, units: &[Unit]) -> Result<(), GpuError> {
        for unit in units {
            let Some(piece) = self.pieces.iter().find(|piece| piece.column == unit.column) else { continue };
            for column in 0..unit.columns {
                let shift = column * unit.pitch;
                let (to, from) = (piece.address(unit, column), unit.start.wrapping_add(shift));
                // SAFETY: the unit's bytes are the host's columns, which are borrowed; the piece has room for them
                // (I18).
                unsafe { self.log.stream.upload(to, from, unit.len) }.map_err(|error| self.log.blame(error))?;
                self.log.count_up(unit.len);
            }
        }
        Ok(())
    }

    /// Allocates the snapshots of these fields that do not exist yet.
    pub(crate) fn prepare_shadow(&mut self, fields: FieldSet, class: &str) -> Result<(), GpuError> {
        for piece in &mut self.pieces {
            if !piece.fields.intersection(fields).is_empty() && piece.shadow.is_none() {
                let what = format!("snapshots of class {class}");
                let mut shadow = Memory::new(&self.log.context, piece.memory.len(), &what)?;
                // Kernels write before they read. But tools that look for uninitialised memory do not see the writes of
                // recorded kernels.
                self.log.stream.clear(&mut shadow)?;
                (piece.shadow, piece.filled) = (Some(shadow), 0);
            }
        }
        self.write_words();
        Ok(())
    }

    /// Copies the columns of these fields to their snapshots.
    pub(crate) fn fill_shadow(&self, fields: FieldSet) -> Result<(), GpuError> {
        for piece in &self.pieces {
            if let Some(shadow) = &piece.shadow
                && !piece.fields.intersection(fields).is_empty()
            {
                let width = piece.memory.len();
                let pieces =
                    Pieces { from: piece.memory.address(), to: shadow.address(), width, rows: 1, pitch: width };
                // SAFETY: both allocations have this length; the stream orders the copy between kernels (I28).
                unsafe { self.log.stream.copy(pieces) }.map_err(|error| self.log.blame(error))?;
            }
        }
        Ok(())
    }

    /// Makes the writes of a kernel with `snapshot` for some objects visible, at `spans`, if the values of the others do not
    /// matter afterwards: by exchanging columns, once the snapshots have values of all objects. Returns whether it did.
    pub(crate) fn exchange_shadow(
        &mut self,
        fields: FieldSet,
        units: &[Unit],
        spans: &[Span],
    ) -> Result<bool, GpuError> {
        if self.has_all(fields, units) {
            self.swap_shadow(fields);
            return Ok(true);
        }
        self.copy_shadow(spans)?;
        self.complete_shadow(fields, units)?;
        Ok(false)
    }

    /// Whether the snapshots of some fields have values of all objects.
    pub(crate) fn has_all(&self, fields: FieldSet, units: &[Unit]) -> bool {
        let pieces = self.pieces.iter().filter(|piece| !piece.fields.intersection(fields).is_empty());
        pieces.into_iter().all(|piece| piece.filled >= bytes_of(piece, units))
    }

    /// Gives the snapshots of some fields values of all objects: the present ones.
    pub(crate) fn complete_shadow(&mut self, fields: FieldSet, units: &[Unit]) -> Result<(), GpuError> {
        self.fill_shadow(fields)?;
        let pieces = self.pieces.iter_mut().filter(|piece| !piece.fields.intersection(fields).is_empty());
        pieces.for_each(|piece| piece.filled = bytes_of(piece, units));
        Ok(())
    }

    /// Notes that arrays of these fields have other lengths than in the snapshots.
    pub(crate) fn forget_shadow(&mut self, fields: FieldSet) {
        let has_these = |piece: &&mut Piece| !piece.fields.intersection(fields).is_empty();
        self.pieces.iter_mut().filter(has_these).for_each(|piece| piece.filled = 0);
    }

    /// Makes the writes of a kernel with `snapshot` for all objects visible, by exchanging columns.
    pub(crate) fn swap_shadow(&mut self, fields: FieldSet) {
        for piece in &mut self.pieces {
            if !piece.fields.intersection(fields).is_empty()
                && let Some(shadow) = &mut piece.shadow
            {
                std::mem::swap(&mut piece.memory, shadow);
            }
        }
        self.write_words();
    }

    /// Makes the writes of a kernel with `snapshot` to some objects visible, by copying.
    pub(crate) fn copy_shadow(&self, spans: &[Span]) -> Result<(), GpuError> {
        for span in spans {
            let Some(piece) = self.pieces.iter().find(|piece| piece.column == span.column) else { continue };
            let Some(shadow) = &piece.shadow else { continue };
            let pieces = Pieces {
                from: shadow.address() + span.offset as u64,
                to: piece.memory.address() + span.offset as u64,
                width: span.width,
                rows: span.rows,
                pitch: span.pitch,
            };
            // SAFETY: spans lie within the units, and both allocations have the unit's size (I18); the stream orders
            // the copy between kernels (I28).
            unsafe { self.log.stream.copy(pieces) }.map_err(|error| self.log.blame(error))?;
        }
        Ok(())
    }

    /// The start of each column and of its snapshot, and the size of its elements, for a class whose columns have memory of
    /// their own.
    pub(crate) fn elements(&self, units: &[Unit], objects: usize) -> Vec<[u64; 3]> {
        let of_unit = |unit: Unit| {
            let piece = self.pieces.iter().find(|piece| piece.column == unit.column)?;
            let shadow = piece.shadow.as_ref()?;
            let shifts = (0..unit.columns).map(move |column| (column * unit.pitch + unit.offset) as u64);
            let size = unit.len.checked_div(objects).unwrap_or_default();
            Some(shifts.map(move |shift| [piece.memory.address() + shift, shadow.address() + shift, size as u64]))
        };
        units.iter().copied().filter_map(of_unit).flatten().collect()
    }

    /// The address of a span.
    pub(crate) fn address(&self, span: &Span) -> Option<u64> {
        let piece = self.pieces.iter().find(|piece| piece.column == span.column)?;
        Some(piece.memory.address() + span.offset as u64)
    }

    /// The start of each column, followed by the start of the memory that kernels with `snapshot` write.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    fn write_words(&mut self) {
        let Self { pieces, words, .. } = self;
        let half = words.len() / 2;
        let (columns, snapshots) = words.split_at_mut(half);
        for piece in pieces {
            for column in 0..piece.columns {
                let (place, shift) = (piece.column + column, (column * piece.pitch) as u64);
                columns[place] = piece.memory.address() + shift;
                snapshots[place] = piece.shadow.as_ref().map_or(0, |shadow| shadow.address() + shift);
            }
        }
    }
}

/// The bytes of a piece's column that hold objects.
fn bytes_of(piece: &Piece, units: &[Unit]) -> usize {
    units.iter().find(|unit| unit.column == piece.column).map_or(0, |unit| unit.len)
}

// SAFETY: downloads each unit's bytes to the unit, and waits for them.
unsafe impl Mirror for DeviceColumns {
    fn fetch(&self, units: &[Unit]) -> Result<(), Error> {
        self.log.check()?;
        let parcel = |unit: &Unit| unit.columns * unit.len.next_multiple_of(PARCEL_ALIGN);
        if units.iter().map(parcel).sum::<usize>() <= INBOX_BYTES {
            return self.fetch_small(units);
        }
        let _turn = self.log.turn();
        self.log.wait()?;
        for unit in units {
            let Some(piece) = self.pieces.iter().find(|piece| piece.column == unit.column) else { continue };
            for column in 0..unit.columns {
                let (to, len) = (unit.start.wrapping_add(column * unit.pitch), piece.room(unit, column));
                // SAFETY: the unit is the host's column, and nothing else accesses it until it is fetched (I26).
                unsafe { self.log.stream.download(to, piece.address(unit, column), len) }
                    .map_err(|error| self.log.blame(error))?;
                self.log.count_down(len);
            }
        }
        self.log.wait()
    }

    fn store(&self, units: &[Unit]) -> Result<bool, Error> {
        self.log.check()?;
        self.log.refuse_in_recording("copying values of other processes")?;
        self.upload(units)?;
        Ok(true)
    }

    unsafe fn offer(&self) -> Result<Option<(Offer, Pending)>, Error> {
        self.log.check()?;
        self.log.refuse_in_recording(ACROSS)?;
        // SAFETY: the pieces are memory of this device, which exists until the offer is withdrawn, by the caller.
        let (offer, pending) = unsafe { DeviceOffer::new(self.class, &self.log, self.regions()) }?;
        Ok(Some((offer, pending)))
    }

    unsafe fn take(&self, offers: &[(Offer, Vec<Unit>)]) -> Result<Option<Pending>, Error> {
        let known = |(offer, units): &(Offer, Vec<Unit>)| Some((offer.clone().downcast().ok()?, units.clone()));
        let Some(offers) = offers.iter().map(known).collect::<Option<Vec<_>>>() else { return Ok(None) };
        self.log.check()?;
        self.log.refuse_in_recording(ACROSS)?;
        // SAFETY: the regions are pieces of this device, which work on its stream uses (I28), but none before the values have
        // arrived, by the caller.
        unsafe { DeviceOffer::take(&offers, self.class, &self.log, &self.regions()) }
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
