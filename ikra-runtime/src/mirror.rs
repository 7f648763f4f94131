//! Mirrors: copies of a class's columns on devices, and where the last values of each column are.
//!
//! A column's last values are on the host, on devices, or on several of these (RUBY §4.4, decided per launch by what the
//! kernel's phase writes). The host knows which of its own are old, and each copy in the list which of its are the last:
//! [`Copies`]. Columns of their own (growing SoA) are tracked one by one; a class whose
//! columns share one block of memory is tracked as a whole, since its bytes can only be copied together.
//!
//! Of a column of its own, a copy may lack some objects only, those that the host has changed: then these are copied. And
//! the host, when it reads a few objects of a column that a device has changed, fetches these, and the column when it has read
//! so many that this would have been as fast.

mod units;

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use units::{Span, Unit};
pub(crate) use units::{spans, units};

use crate::class::{Class, atomics, undivided, whole_units};
use crate::error::Error;
use crate::table::{Header, HostChanges, Newer, Table};
use ikra_core::effects::FieldSet;

/// What keeps a copy of a class's columns on a device.
///
/// # Safety
///
/// `fetch` writes to the units that it is given, within their lengths, and to nothing else.
pub unsafe trait Mirror: Debug + Send + Sync {
    /// Waits for the device, and copies units, or parts of them, to the host.
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
    /// The fields of which it has them but for some objects. The host has those.
    partly: FieldSet,
    /// These objects.
    lacking: Range<usize>,
    mirror: Box<dyn Mirror>,
}

impl DeviceCopy {
    /// Notes what the host has changed.
    fn note(&mut self, HostChanges { all, some, objects }: &HostChanges) {
        let had = self.valid.union(self.partly);
        let some = some.intersection(had);
        self.valid = self.valid.without(*all).without(some);
        self.partly = self.partly.without(*all).union(some);
        if !some.is_empty() {
            let known = std::mem::take(&mut self.lacking);
            self.lacking = match known.is_empty() {
                true => objects.clone(),
                false => known.start.min(objects.start)..known.end.max(objects.end),
            };
        }
        self.tidy();
    }

    /// Says that it has the last values of these fields, or that it has not.
    fn set_valid(&mut self, fields: FieldSet, valid: bool) {
        self.valid = if valid { self.valid.union(fields) } else { self.valid.without(fields) };
        self.partly = self.partly.without(fields);
        self.tidy();
    }

    fn tidy(&mut self) {
        if self.partly.is_empty() {
            self.lacking = 0..0;
        }
    }
}

/// Single objects that the host has fetched of columns that are on a device.
#[derive(Debug, Default)]
struct Held {
    /// The objects, in order, and the fields of which the host has their last values.
    objects: BTreeMap<usize, FieldSet>,
    /// What reading them has cost, in bytes that would have been fetched meanwhile.
    cost: usize,
    /// What it may cost: the bytes of what was asked for last.
    limit: usize,
}

/// What it costs to fetch an object: a copy takes ten microseconds or so, however small.
const FETCH_COST: usize = 1 << 17;
/// What it costs to read one that was fetched.
const READ_COST: usize = 1 << 8;
/// What all of it may cost: a column with too many gaps is copied in too many parts.
const MOST_COST: usize = 1 << 25;

impl Held {
    /// Whether the host has the last values of these fields of the object, and it is read once more.
    fn read(&mut self, index: usize, fields: FieldSet) -> bool {
        let has = self.objects.get(&index).is_some_and(|held| fields.without(*held).is_empty());
        self.cost += READ_COST;
        has && self.cost <= self.limit
    }

    /// Says that the host's values of these fields are not the last ones any more, or all of them are.
    fn forget(&mut self, fields: FieldSet) {
        self.cost = 0;
        if !self.objects.is_empty() {
            self.objects.retain(|_, held| {
                *held = held.without(fields);
                !held.is_empty()
            });
        }
    }

    /// What of a unit the host does not have.
    fn rest<'u>(&self, unit: &'u Unit) -> impl Iterator<Item = Unit> + use<'_, 'u> {
        let has = |held: &FieldSet| !held.intersection(unit.fields).is_empty();
        unit.parts_without(self.objects.iter().filter(move |&(_, held)| has(held)).map(|(&index, _)| index))
    }
}

/// What a table holds once a device was used: the copies, and what the host has of their columns. One thread at a time asks.
#[derive(Default)]
pub(crate) struct Mirrored(Mutex<State>);

#[derive(Debug, Default)]
pub(crate) struct State {
    copies: Vec<DeviceCopy>,
    held: Held,
}

impl Mirrored {
    pub(crate) fn get_mut(&mut self) -> &mut State {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the host's values of some fields of the table that this belongs to the last ones. After an error, those that
    /// could not be fetched are as before.
    pub(crate) fn try_fetch<C: Class>(&self, table: &Table<C>, fields: FieldSet) -> Result<(), Error> {
        self.lock().fetch(table, fields)
    }

    /// The same for one object, or for all.
    fn try_fetch_object<C: Class>(&self, table: &Table<C>, fields: FieldSet, index: usize) -> Result<(), Error> {
        let mut state = self.lock();
        // Another thread may have had the lock, and fetched them.
        let missing = table.header.to_fetch(whole_units::<C>(fields));
        if missing.is_empty() || state.held.read(index, missing) {
            return Ok(());
        }
        // Elements of atomics are changed where they are, so that the column has to be here.
        let whole = const { undivided::<C>().union(atomics::<C>()) };
        if !missing.intersection(whole).is_empty() || !state.fetch_object(table, missing, index)? {
            state.fetch(table, missing)?;
        }
        Ok(())
    }
}

impl State {
    fn fetch<C: Class>(&mut self, table: &Table<C>, fields: FieldSet) -> Result<(), Error> {
        // Another thread may have had the lock, and fetched them.
        let mut missing = table.header.to_fetch(whole_units::<C>(fields));
        if missing.is_empty() {
            return Ok(());
        }
        let mut failure = None;
        // Nothing is newer on a device where there is nothing.
        if table.len() > 0 {
            let units = units::<C>(&table.bases, table.len(), table.len(), table.header.arena);
            for copy in &self.copies {
                let found = missing.intersection(copy.valid);
                if found.is_empty() {
                    continue;
                }
                let has_found = |unit: &&Unit| !unit.fields.intersection(found).is_empty();
                // Nobody holds references into these parts of the units: whoever made one fetched a field of the unit first,
                // and fields of one unit are marked and unmarked together (`whole_units`), so that no field of the unit would
                // have to be fetched; or fetched the field of this object, which is held, and not among these parts.
                let parts = units.iter().filter(has_found).flat_map(|unit| self.held.rest(unit));
                match copy.mirror.fetch(&parts.collect::<Vec<_>>()) {
                    Ok(()) => {
                        // SAFETY: they were just fetched, or held.
                        unsafe { table.header.set_fetched(found) };
                        self.held.forget(found);
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

    /// Fetches divided fields of an object, and says whether it did: not if all objects might as well be fetched.
    fn fetch_object<C: Class>(&mut self, table: &Table<C>, fields: FieldSet, index: usize) -> Result<bool, Error> {
        let missing = fields.without(self.held.objects.get(&index).copied().unwrap_or(FieldSet::EMPTY));
        let units = units::<C>(&table.bases, table.len(), table.len(), table.header.arena);
        let bytes = |of: FieldSet| {
            let own = units.iter().filter(move |unit| !unit.fields.intersection(of).is_empty());
            own.map(|unit| unit.columns * unit.len).sum::<usize>()
        };
        self.held.limit = bytes(fields).min(MOST_COST);
        if self.held.cost + FETCH_COST > self.held.limit {
            return Ok(false);
        }
        let Some(copy) = self.copies.iter().find(|copy| missing.without(copy.valid).is_empty()) else {
            return Ok(false);
        };
        let own = units.iter().filter(|unit| !unit.fields.intersection(missing).is_empty());
        // Nobody has references to these elements: whoever made one fetched them first, and they were held.
        copy.mirror.fetch(&own.map(|unit| unit.part(index..index + 1)).collect::<Vec<_>>())?;
        self.held.cost += FETCH_COST;
        let held = self.held.objects.entry(index).or_insert(FieldSet::EMPTY);
        *held = held.union(missing);
        Ok(true)
    }
}

/// The copies of a class's columns on devices: a list of which each entry says of which fields it has the last values.
///
/// ```text
///            host         stream 1 (gpu:0)        stream 2 (gpu:1)
/// pos        old, held 7  last                    old
/// vel        last         last                    last
/// mass       last         old                     old
/// charge     last         last but for 3..5       last
/// ```
///
/// Each field has last values of all objects somewhere, on the host where a copy has them but for some objects. In a row the host
/// may hold single objects.
pub struct Copies<'o> {
    header: &'o Header,
    list: &'o mut Vec<DeviceCopy>,
    held: &'o mut Held,
    whole_units: fn(FieldSet) -> FieldSet,
}

impl Debug for Copies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}

impl<'o> Copies<'o> {
    pub(crate) fn of<C: Class>(header: &'o Header, State { copies: list, held }: &'o mut State) -> Self {
        let changes = header.take_changed_on_host();
        let copies = Self { header, list, held, whole_units: whole_units::<C> };
        if let Some(changes) = changes {
            copies.list.iter_mut().for_each(|copy| copy.note(&changes));
            copies.set_incomplete();
        }
        copies
    }

    /// If the copy on a stream has the last values of all fields, and there is no other: a number that nothing had before, which
    /// [`AnyObjects::is_complete`](crate::objects::AnyObjects::is_complete) knows as long as nothing happens to that.
    #[must_use]
    pub fn completed(&mut self, stream: u64) -> Option<u64> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let [copy] = &self.list[..] else { return None };
        (copy.stream == stream && FieldSet::ALL.without(copy.valid).is_empty()).then(|| {
            let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
            // SAFETY: it was just looked at; what changes the list of copies or what they have says that they may not.
            unsafe { self.header.set_complete(number) };
            number
        })
    }

    fn set_incomplete(&self) {
        // SAFETY: says no more than before.
        unsafe { self.header.set_complete(0) };
    }

    fn find(&self, stream: u64) -> Option<&DeviceCopy> {
        self.list.iter().find(|copy| copy.stream == stream)
    }

    /// The streams on which there are copies.
    pub fn streams(&self) -> impl Iterator<Item = u64> {
        self.list.iter().map(|copy| copy.stream)
    }

    /// The fields of which some last values are not in the copy on a stream.
    #[must_use]
    pub fn missing(&self, stream: u64) -> FieldSet {
        self.find(stream).map_or(FieldSet::ALL, |copy| FieldSet::ALL.without(copy.valid))
    }

    /// What of the units is missing in the copy on a stream: whole ones, and parts with the objects that the host changed.
    #[must_use]
    pub fn missing_units(&self, stream: u64, units: &[Unit]) -> Vec<Unit> {
        let Some(copy) = self.find(stream) else { return units.to_vec() };
        let has = |unit: &Unit, fields: FieldSet| !unit.fields.intersection(fields).is_empty();
        let whole = self.missing(stream).without(copy.partly);
        let missing = units.iter().filter_map(|unit| match (has(unit, whole), has(unit, copy.partly)) {
            (true, _) => Some(*unit),
            (_, true) => Some(unit.part(copy.lacking.clone())),
            _ => None,
        });
        missing.filter(|unit| unit.len > 0).collect()
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
        self.set_incomplete();
        self.list.push(DeviceCopy { stream, valid: FieldSet::EMPTY, partly: FieldSet::EMPTY, lacking: 0..0, mirror });
    }

    /// Says that a copy has the host's values of these fields.
    ///
    /// # Safety
    ///
    /// It has, and the host's values are the last ones, or the copy had those.
    pub unsafe fn uploaded(&mut self, stream: u64, fields: FieldSet) {
        let fields = (self.whole_units)(fields);
        for copy in self.list.iter_mut().filter(|copy| copy.stream == stream) {
            copy.set_valid(fields, true);
        }
    }

    /// Says that fields are changed in a copy: it has the last values, and no other.
    ///
    /// # Safety
    ///
    /// The copy has values of these fields for all objects, at the latest when it fetches them.
    pub unsafe fn changed(&mut self, stream: u64, fields: FieldSet) {
        if fields.is_empty() {
            return;
        }
        let fields = (self.whole_units)(fields);
        if self.list.iter().any(|copy| copy.stream != stream) {
            self.set_incomplete();
        }
        for copy in &mut *self.list {
            copy.set_valid(fields, copy.stream == stream);
        }
        self.held.forget(fields);
        // SAFETY: nobody holds references into columns, since the objects are borrowed exclusively.
        unsafe { self.header.set_changed_on_device(fields) };
    }

    pub(crate) fn remove(&mut self, stream: u64) {
        self.set_incomplete();
        self.list.retain(|copy| copy.stream != stream);
    }
}

// SAFETY: the mirror writes within the units that it is given: those of the fields that are to be fetched, and of fields
// that share memory with them. Of an object that was fetched by itself it is given nothing more: those fields of it are held
// until a device changes them, which `Copies::changed` says, with the objects borrowed exclusively.
unsafe impl<C: Class> Newer<C> for Mirrored {
    fn fetch(&self, table: &Table<C>, fields: FieldSet) {
        if let Err(error) = self.try_fetch(table, fields) {
            panic!("class {}: {error}", C::NAME);
        }
    }

    fn fetch_object(&self, table: &Table<C>, fields: FieldSet, index: usize) {
        if let Err(error) = self.try_fetch_object(table, fields, index) {
            panic!("class {}: {error}", C::NAME);
        }
    }
}
