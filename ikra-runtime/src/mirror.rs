//! Mirrors: copies of a class's columns on devices. This module tracks where each column is current.
//!
//! A column can be current on the host, on devices, or on several of these (RUBY §4.4; each launch decides by the
//! fields that the kernel's phase writes). The host knows which of its own columns are stale, and [`Copies`] lists
//! which columns of each copy are current. Separate columns (growing SoA) are tracked one by one. A class whose columns
//! share one block of memory is tracked as a whole, since its bytes can only be copied together.
//!
//! A copy of a separate column may be stale for some objects only, because the host has changed them; then only these
//! are copied. Conversely, if the host reads a few objects of a column that a device has changed, it fetches only
//! these. After many such reads it fetches the whole column, as soon as that would have been as fast.

mod device;
mod units;

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use device::{Mirror, Offer, Pending};
use units::Storage;
pub use units::{Elements, Span, Unit};
pub(crate) use units::{elements, spans, units};

use crate::class::Class;
use crate::error::Error;
use crate::plan::Plan;
use crate::table::{Header, HostChanges, Newer, Table};
use ikra_core::effects::FieldSet;

/// One device's copy of a class's columns.
#[derive(Debug)]
pub(crate) struct DeviceCopy {
    /// The stream that uses it. Its number is unique in the process.
    stream: u64,
    /// The fields that are current in this copy.
    valid: FieldSet,
    /// The fields that are current except for some objects. The host has the current values of these objects.
    partly: FieldSet,
    lacking: Range<usize>,
    mirror: Box<dyn Mirror>,
}

impl DeviceCopy {
    /// Records the host's changes.
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

    /// Marks these fields as current in this copy, or as stale.
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

/// Single objects that the host has fetched from columns that are current on a device.
#[derive(Debug, Default)]
struct Held {
    /// The objects, in order, and for each the fields that are current on the host.
    objects: BTreeMap<usize, FieldSet>,
    /// The cost of reading them so far, as a number of bytes that could have been fetched meanwhile.
    cost: usize,
    /// The largest such cost: the number of bytes of the columns that were last needed.
    limit: usize,
}

/// The cost of fetching an object: a copy takes about ten microseconds, however small.
const FETCH_COST: usize = 1 << 17;
/// The cost of reading an object that was fetched.
const READ_COST: usize = 1 << 8;
/// The largest total cost: a column with too many gaps is copied in too many parts.
const MOST_COST: usize = 1 << 25;

impl Held {
    /// Whether these fields of the object are current on the host and reading it once more stays within the limit.
    fn read(&mut self, index: usize, fields: FieldSet) -> bool {
        let has = self.objects.get(&index).is_some_and(|held| fields.without(*held).is_empty());
        self.cost += READ_COST;
        has && self.cost <= self.limit
    }

    /// Forgets these fields of all objects: the host's values are either all stale, or all current.
    fn forget(&mut self, fields: FieldSet) {
        self.cost = 0;
        if !self.objects.is_empty() {
            self.objects.retain(|_, held| {
                *held = held.without(fields);
                !held.is_empty()
            });
        }
    }

    /// The parts of a unit that are stale on the host.
    fn rest<'u>(&self, unit: &'u Unit) -> impl Iterator<Item = Unit> + use<'_, 'u> {
        let has = |held: &FieldSet| !held.intersection(unit.fields).is_empty();
        unit.parts_without(self.objects.iter().filter(move |&(_, held)| has(held)).map(|(&index, _)| index))
    }
}

/// A table's state once a device was used: the copies, and the objects held on the host. The mutex guards both.
#[derive(Default)]
pub(crate) struct Mirrored(Mutex<State>);

#[derive(Debug, Default)]
pub(crate) struct State {
    copies: Vec<DeviceCopy>,
    held: Held,
    revision: u64,
}

impl Mirrored {
    pub(crate) fn get_mut(&mut self) -> &mut State {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches stale fields of the table that this belongs to, so that the host's values are current. After an error,
    /// fields that were not fetched are unchanged.
    pub(crate) fn try_fetch<C: Class>(&self, table: &Table<C>, fields: FieldSet) -> Result<(), Error> {
        self.lock().fetch(Storage::of(table), fields)
    }

    /// Like `try_fetch` for one object, or for all objects if that is cheaper.
    fn try_fetch_object(&self, storage: Storage<'_>, fields: FieldSet, index: usize) -> Result<(), Error> {
        let mut state = self.lock();
        // Another thread may have fetched them before this one got the lock.
        let missing = storage.to_fetch(fields);
        if missing.is_empty() || state.held.read(index, missing) {
            return Ok(());
        }
        // Elements of atomics are changed in place, so the whole column must be current on the host.
        if !missing.intersection(storage.plan.whole).is_empty() || !state.fetch_object(storage, missing, index)? {
            state.fetch(storage, missing)?;
        }
        Ok(())
    }
}

impl State {
    fn fetch(&mut self, storage: Storage<'_>, fields: FieldSet) -> Result<(), Error> {
        // Another thread may have fetched them before this one got the lock.
        let mut missing = storage.to_fetch(fields);
        if missing.is_empty() {
            return Ok(());
        }
        let mut failure = None;
        // Without objects, a device has no newer values.
        if storage.header.len > 0 {
            let units = storage.units();
            for copy in &self.copies {
                let found = missing.intersection(copy.valid);
                if found.is_empty() {
                    continue;
                }
                let has_found = |unit: &&Unit| !unit.fields.intersection(found).is_empty();
                // No references into these parts of the units exist. Code that made one has first fetched a field of
                // the unit. It fetched all of the field, or only the field of one object. In the first case no field of
                // the unit is missing here, because the fields of one unit are marked and unmarked together
                // (`whole_units`). In the second case the object is held, so it is not among these parts (I26).
                let parts = units.iter().filter(has_found).flat_map(|unit| self.held.rest(unit));
                let others = beside(&self.copies);
                match copy.mirror.fetch_beside(&parts.collect::<Vec<_>>(), &others) {
                    Ok(()) => {
                        // SAFETY: all objects' values of these fields were just fetched, or are held.
                        unsafe { storage.header.set_fetched(found) };
                        self.held.forget(found);
                        missing = missing.without(found);
                    }
                    // Another device may have current values too.
                    Err(error) => failure = Some(error),
                }
            }
        }
        match failure {
            Some(failure) if !missing.is_empty() => Err(failure),
            _ => {
                // SAFETY: without a copy or without objects, the host's values are the only ones.
                unsafe { storage.header.set_fetched(missing) };
                Ok(())
            }
        }
    }

    /// Fetches separate columns' fields of an object. Returns false if fetching all objects is as cheap.
    fn fetch_object(&mut self, storage: Storage<'_>, fields: FieldSet, index: usize) -> Result<bool, Error> {
        let missing = fields.without(self.held.objects.get(&index).copied().unwrap_or(FieldSet::EMPTY));
        let units = storage.units();
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
        // No references to these elements exist: code that made one fetched them first, so they would be held (I26).
        let parts: Vec<_> = own.map(|unit| unit.part(index..index + 1)).collect();
        copy.mirror.fetch_beside(&parts, &beside(&self.copies))?;
        self.held.cost += FETCH_COST;
        let held = self.held.objects.entry(index).or_insert(FieldSet::EMPTY);
        *held = held.union(missing);
        Ok(true)
    }
}

/// The mirrors of some copies, by their streams.
fn beside<'m>(copies: &'m [DeviceCopy]) -> impl Fn(u64) -> Option<&'m dyn Mirror> {
    move |stream| copies.iter().find(|copy| copy.stream == stream).map(|copy| &*copy.mirror)
}

/// A number that nothing else in the process has.
fn unique() -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(1);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// The copies of a class's columns on devices. Each entry of the list records which fields are current in that copy.
///
/// ```text
///            host         stream 1 (gpu:0)        stream 2 (gpu:1)
/// pos        stale, 7 ok  current                 stale
/// vel        current      current                 current
/// mass       current      stale                   stale
/// charge     current      current but for 3..5    current
/// ```
///
/// For each field, the current values of all objects exist somewhere: the host has those that a copy lacks for some
/// objects. In a stale row the host may hold single objects.
pub struct Copies<'o> {
    header: &'o Header,
    list: &'o mut Vec<DeviceCopy>,
    held: &'o mut Held,
    revision: &'o mut u64,
    whole_units: fn(FieldSet) -> FieldSet,
}

impl Debug for Copies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}

impl<'o> Copies<'o> {
    pub(crate) fn of(
        plan: &'static Plan,
        header: &'o Header,
        State { copies: list, held, revision }: &'o mut State,
    ) -> Self {
        let changes = header.take_changed_on_host();
        let copies = Self { header, list, held, revision, whole_units: plan.whole_units };
        if let Some(changes) = changes {
            copies.list.iter_mut().for_each(|copy| copy.note(&changes));
            *copies.revision = unique();
            copies.set_incomplete();
        }
        copies
    }

    /// A number that is unique in the process, until a value changes, on the host or on a device, or the list of copies.
    #[must_use]
    pub fn revision(&self) -> u64 {
        *self.revision
    }

    /// Stamps the copy on a stream with a new unique number, if all its fields are current and it is the only copy.
    /// [`AnyObjects::is_complete`](crate::objects::AnyObjects::is_complete) knows it until the objects change.
    #[must_use]
    pub fn completed(&mut self, stream: u64) -> Option<u64> {
        let [copy] = &self.list[..] else { return None };
        (copy.stream == stream && FieldSet::ALL.without(copy.valid).is_empty()).then(|| {
            let number = unique();
            // SAFETY: the list and the fields were just checked. Every change of the list of copies or of their current
            // fields resets the number.
            unsafe { self.header.set_complete(number) };
            number
        })
    }

    fn set_incomplete(&self) {
        // SAFETY: 0 claims nothing about the copy.
        unsafe { self.header.set_complete(0) };
    }

    fn find(&self, stream: u64) -> Option<&DeviceCopy> {
        self.list.iter().find(|copy| copy.stream == stream)
    }

    /// The streams that have copies.
    pub fn streams(&self) -> impl Iterator<Item = u64> {
        self.list.iter().map(|copy| copy.stream)
    }

    /// The fields that are not fully current in the copy on a stream.
    #[must_use]
    pub fn missing(&self, stream: u64) -> FieldSet {
        self.find(stream).map_or(FieldSet::ALL, |copy| FieldSet::ALL.without(copy.valid))
    }

    /// The parts of the units that the copy on a stream lacks: whole units, and the parts that the host has changed.
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

    /// The fields that are current only in the copy on a stream.
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
    /// The caller uses the mirror only for these objects' columns.
    #[must_use]
    pub unsafe fn mirror(self, stream: u64) -> Option<&'o mut dyn Mirror> {
        let copy = self.list.iter_mut().find(|copy| copy.stream == stream)?;
        Some(&mut *copy.mirror)
    }

    /// Adds a copy, all of whose fields are stale.
    ///
    /// # Safety
    ///
    /// The copy belongs to these objects, and the stream has no other copy.
    pub unsafe fn add(&mut self, stream: u64, mirror: Box<dyn Mirror>) {
        self.set_incomplete();
        *self.revision = unique();
        self.list.push(DeviceCopy { stream, valid: FieldSet::EMPTY, partly: FieldSet::EMPTY, lacking: 0..0, mirror });
    }

    /// Marks fields as uploaded to a copy.
    ///
    /// # Safety
    ///
    /// 1. The copy has the host's values of these fields.
    /// 2. The host's values are current, or the copy was current already.
    pub unsafe fn uploaded(&mut self, stream: u64, fields: FieldSet) {
        let fields = (self.whole_units)(fields);
        for copy in self.list.iter_mut().filter(|copy| copy.stream == stream) {
            copy.set_valid(fields, true);
        }
    }

    /// Marks fields as changed in a copy: only this copy is current.
    ///
    /// # Safety
    ///
    /// The copy has values of these fields for all objects, at the latest when it fetches them.
    pub unsafe fn changed(&mut self, stream: u64, fields: FieldSet) {
        if fields.is_empty() {
            return;
        }
        *self.revision = unique();
        let fields = (self.whole_units)(fields);
        if self.list.iter().any(|copy| copy.stream != stream) {
            self.set_incomplete();
        }
        for copy in &mut *self.list {
            copy.set_valid(fields, copy.stream == stream);
        }
        self.held.forget(fields);
        // SAFETY: no references into columns exist, since the objects are borrowed exclusively.
        unsafe { self.header.set_changed_on_device(fields) };
    }

    /// Makes the host take fields that are current only in the copy on a stream for current, and returns them.
    ///
    /// # Safety
    ///
    /// The host has values of these fields for all objects. The caller calls [`changed`](Self::changed) for the fields
    /// before references to the columns are made, except by kernels that read current values.
    pub unsafe fn lend(&mut self, stream: u64) -> FieldSet {
        let fields = self.only_on(stream);
        // SAFETY: this copy writes to the host again only after `changed`, by the caller.
        unsafe { self.header.set_fetched(fields) };
        self.held.forget(fields);
        fields
    }

    pub(crate) fn remove(&mut self, stream: u64) {
        self.set_incomplete();
        *self.revision = unique();
        self.list.retain(|copy| copy.stream != stream);
    }
}

// SAFETY: the mirror writes only within the units that it receives: the fields to fetch, and fields that share memory
// with them. Of an object that was fetched by itself, it never receives these fields again while references to them may
// exist. They stay held until a device changes them, and `Copies::changed` reports that while the objects are borrowed
// exclusively (I26).
unsafe impl<C: Class> Newer<C> for Mirrored {
    fn fetch(&self, table: &Table<C>, fields: FieldSet) {
        if let Err(error) = self.try_fetch(table, fields) {
            panic!("class {}: {error}", C::NAME);
        }
    }

    fn fetch_object(&self, table: &Table<C>, fields: FieldSet, index: usize) {
        if let Err(error) = self.try_fetch_object(Storage::of(table), fields, index) {
            panic!("class {}: {error}", C::NAME);
        }
    }
}
