//! Kernels that make and remove objects, on a device; `device/lives.rs` has the kernels that end such a run.
//!
//! Calls mark their objects, and write new rows to a nursery with room for the most that their text shows. When the kernel
//! has ended, a scan of the makers' counts orders the new objects. They take the indices that removed objects left, and new
//! ones. Then links to objects that this kernel removed become empty. The host learns how many came and went.
//!
//! Whatever these kernels cannot do (owners that go with their objects, links in arrays, fixed capacities) the host does: it
//! runs the whole kernel.

mod births;
mod deaths;
mod kernels;

use std::slice;
use std::sync::Arc;

use ikra_core::class::ClassId;
use ikra_core::device_lives::DeviceLives;
use ikra_core::effects::{Effects, FieldSet};
use ikra_core::info::FieldInfo;
use ikra_core::kernel::{Argument, Entry};
use ikra_core::moves::YOUNG_END;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::executor::{Form, Launch, Section};
use ikra_runtime::objects::AnyObjects;

use crate::changes::{Ending, bits_bytes, room};
use crate::chunks::{LIVES_THREADS, MAKERS, PLACE_THREADS};
use crate::code::{Kind, Shape};
use crate::device_world::DeviceWorld;
use crate::tables::{Loaded, Members};

/// A class of which a kernel makes objects.
struct Made {
    member: usize,
    entry: Arc<Loaded>,
    /// Bytes of a row.
    row: usize,
}

/// The new objects of a class.
struct Birth<'p> {
    made: &'p Made,
    /// The end of the indices before.
    slots: usize,
    /// The number of removed objects whose indices they take, and of those with new ones.
    filled: usize,
    added: usize,
    /// Whether the device keeps one bit per index.
    is_kept: bool,
}

/// A column of links that become empty when their objects are removed.
struct Column {
    member: usize,
    field: usize,
}

/// The way of a run: what ends it here.
pub(crate) struct Plan {
    own: usize,
    effects: &'static Effects,
    made: Vec<Made>,
    /// Whether new objects may have links to new ones.
    links_young: bool,
    columns: Vec<Column>,
}

/// Whether a field is a single link of four bytes that becomes empty when its object is removed.
fn is_plain_link(field: &FieldInfo, class: ClassId) -> bool {
    field.empties
        && !field.cascades
        && field.array.is_none()
        && field.holds_links_to.len() == 1
        && field.holds_links_to[0] == class
        && matches!(field.columns, [column] if column.size == size_of::<u32>())
}

impl DeviceWorld {
    /// Whether no entry point of a run asks for the number of objects of a class with removed ones. Such a kernel may follow
    /// links that nobody checked, and only the host knows the removed objects.
    pub(crate) fn knows_removed(&self, members: &Members<'_>, launch: &Launch<'_>) -> bool {
        let holes: Vec<usize> = (0..members.len()).filter(|&member| members[member].holes() > 0).collect();
        let kind = |section: &Section| match launch.form {
            Form::Reduce(_) => Kind::Reduce(section.reducer),
            _ => Kind::Call,
        };
        let entries = launch.sections.iter().map(|section| (section.entry, kind(section)));
        let together = launch.together.map(|entry| (entry, Kind::Call));
        entries.chain(together).all(|(entry, kind)| holes.iter().all(|&member| !self.may_count(entry, kind, member)))
    }

    /// How to run a kernel that makes or removes objects here, if that is possible.
    pub(crate) fn plan(&mut self, members: &Members<'_>, launch: &Launch<'_>) -> Result<Option<Plan>, Error> {
        let ([section], Form::Each, false) = (launch.sections, launch.form, self.log.is_recording()) else {
            return Ok(None);
        };
        if self.changes.ending.is_none() {
            self.changes.ending = Ending::of(&self.log)?;
        }
        let effects = section.effects;
        let Some(own) = members.iter().position(|member| member.class() == effects.class()) else { return Ok(None) };
        if self.changes.ending.is_none() || !self.knows_removed(members, launch) {
            return Ok(None);
        }
        // A device tells classes apart by a hash.
        let may_be_one = |one: &dyn AnyObjects, other: &dyn AnyObjects| one.class().may_be(other.class());
        if members.iter().enumerate().any(|(n, one)| members[..n].iter().any(|other| may_be_one(&**one, &**other))) {
            return Ok(None);
        }
        let mut plan = Plan { own, effects, made: Vec::new(), links_young: false, columns: Vec::new() };
        if effects.removes() {
            // A class that compacts itself moves all columns.
            if members[own].compacts_below().is_some() && !can_move(&*members[own]) {
                return Ok(None);
            }
            for (member, objects) in members.iter().enumerate() {
                for (field, info) in objects.fields().iter().enumerate() {
                    if info.holds_links_to.contains(&effects.class()) {
                        if !is_plain_link(info, effects.class()) || self.column_of(&**objects, field).is_none() {
                            return Ok(None);
                        }
                        plan.columns.push(Column { member, field });
                    }
                }
            }
        }
        let most = effects.most_births();
        if !effects.spawned().is_empty() && !(1..=u32::from(u8::MAX)).contains(&most) {
            return Ok(None);
        }
        let rows = members[own].slots() * most as usize;
        for (n, &class) in effects.spawned().iter().enumerate() {
            let Some(member) = members.iter().position(|member| member.class() == class) else { return Ok(None) };
            let objects = &members[member];
            if plan.made.iter().any(|made| made.member == member) {
                continue;
            }
            if objects.is_bounded() || !can_move(&**objects) || rows >= first_link(objects.slots()) as usize / 2 {
                return Ok(None);
            }
            let of = (n, objects.signature().fingerprint);
            let Some((entry, row)) = self.born(section.entry, of)? else { return Ok(None) };
            let names_young =
                |field: &FieldInfo| field.holds_links_to.iter().any(|class| effects.spawned().contains(class));
            plan.links_young |= objects.fields().iter().any(names_young);
            plan.made.push(Made { member, entry, row });
        }
        Ok(Some(plan))
    }

    /// Runs a kernel that makes or removes objects.
    pub(crate) fn change(&mut self, members: &mut Members<'_>, launch: &Launch<'_>, plan: &Plan) -> Result<(), Error> {
        let changed = self.try_change(members, launch, plan);
        if changed.is_err() {
            // The bits may be ahead of the host, which does not know by how much.
            self.changes.forget();
        }
        changed
    }

    fn try_change(&mut self, members: &mut Members<'_>, launch: &Launch<'_>, plan: &Plan) -> Result<(), Error> {
        let [section] = launch.sections else { unreachable!("a plan is for one class") };
        let Some(ending) = self.changes.ending.clone() else { unreachable!("a plan has them") };
        let (own, log) = (plan.own, self.log.clone());
        self.prepare(members, slice::from_ref(section))?;
        let makers = members[own].slots();
        let words = makers.div_ceil(32);

        // The number of removed objects, those of the new ones of each class, and whether their links are bad.
        let totals_bytes = (1 + 2 * plan.made.len()) * size_of::<u32>();
        let sums_bytes = makers.div_ceil(MAKERS as usize).max(1) * size_of::<u32>();
        let totals = room(&mut self.changes.totals, &log, totals_bytes)?;
        let sums = room(&mut self.changes.sums, &log, sums_bytes)?;
        // SAFETY: memory for these numbers; its earlier users come before this in the stream (I28).
        unsafe { log.stream.zero(totals, totals_bytes)? };
        let mut states = vec![DeviceLives::default(); members.len()];
        if plan.effects.removes() {
            let bytes = bits_bytes(makers);
            states[own].marks = room(&mut self.changes.lives[own].marks, &log, bytes)?;
            // SAFETY: as above.
            unsafe { log.stream.zero(states[own].marks, bytes)? };
        }
        let after_totals = totals + ((1 + plan.made.len()) * size_of::<u32>()) as u64;
        for (n, made) in plan.made.iter().enumerate() {
            let (lives, state) = (&mut self.changes.lives[made.member], &mut states[made.member]);
            let per_maker = plan.effects.most_births();
            state.rows = room(&mut lives.rows, &log, (makers * per_maker as usize * made.row).max(1))?;
            state.counts = room(&mut lives.counts, &log, makers.max(1))?;
            state.numbers = room(&mut lives.numbers, &log, (makers * per_maker as usize).max(1) * size_of::<u32>())?;
            if plan.links_young {
                state.ranks = room(&mut lives.ranks, &log, makers.max(1) * size_of::<u32>())?;
            }
            (state.makers, state.per_maker) = (makers as u32, per_maker);
            state.bad_links = after_totals + (n * size_of::<u32>()) as u64;
            state.first = first_link(members[made.member].slots());
            // SAFETY: as above.
            unsafe { log.stream.zero(state.counts, makers)? };
        }
        self.write_lives(plan, &states)?;
        self.run(members, launch)?;

        for (n, made) in plan.made.iter().enumerate() {
            let state = &states[made.member];
            let blocks = makers.div_ceil(MAKERS as usize) as u32;
            let count = makers as u32;
            let total = totals + ((1 + n) * size_of::<u32>()) as u64;
            let [counts, count, per_maker, sums, blocks_in, total, numbers, ranks] = [
                Argument::of(&state.counts),
                Argument::of(&count),
                Argument::of(&state.per_maker),
                Argument::of(&sums),
                Argument::of(&blocks),
                Argument::of(&total),
                Argument::of(&state.numbers),
                Argument::of(&state.ranks),
            ];
            if blocks > 0 {
                self.launch(&ending.sum, blocks, LIVES_THREADS, 1, &[counts, count, sums])?;
                self.launch(&ending.place, 1, PLACE_THREADS, 1, &[sums, blocks_in, total])?;
                let arguments = [counts, count, per_maker, sums, numbers, ranks];
                self.launch(&ending.rank, blocks, LIVES_THREADS, 1, &arguments)?;
            }
        }
        if plan.effects.removes() && words > 0 {
            let (marks, words) = (states[own].marks, words as u32);
            let own = [Argument::of(&marks), Argument::of(&words), Argument::of(&totals)];
            self.launch(&ending.tally, words.div_ceil(LIVES_THREADS), LIVES_THREADS, 1, &own)?;
        }
        let totals = self.read_numbers(totals, 1 + plan.made.len())?;
        // The host made room for marks, which no call has set there.
        drop(members[own].take_marks());

        let mut births = Vec::new();
        for (made, &total) in plan.made.iter().zip(&totals[1..]).filter(|(_, total)| **total > 0) {
            births.push(self.make_room(members, plan, &mut states[made.member], made, total as usize, &ending)?);
        }
        if !births.is_empty() {
            for made in plan.made.iter().filter(|made| births.iter().all(|birth| birth.made.member != made.member)) {
                self.describe(members, plan, &mut states[made.member], made.member, 0)?;
            }
            self.deliver(members, plan, &states, &births)?;
        }
        if totals[0] > 0 {
            let removed = (makers, totals[0] as usize);
            self.remove(members, plan, states[own].marks, removed, &ending)?;
        }
        for member in 0..members.len() {
            if self.changes.lives[member].is_ahead {
                self.put_list(&mut *members[member], member, &ending)?;
            }
        }
        Ok(())
    }

    /// Whether a kernel's entry may ask for the number of objects of a member.
    fn may_count(&self, entry: &Entry, kind: Kind, member: usize) -> bool {
        let Some((module, compiled)) = self.codes.find(entry, kind) else { return true };
        let own = self.tables[member].symbols[module].as_ref();
        let counts = |(table, places): &(String, Vec<usize>)| Some(table) == own && places.contains(&0);
        compiled.reads_tables || compiled.words.iter().any(counts)
    }

    /// The entry that makes a kernel's new objects of the class with this number and fingerprint, and the bytes of a row, if
    /// the device code has it.
    fn born(
        &mut self,
        entry: &'static Entry,
        (number, class): (usize, u64),
    ) -> Result<Option<(Arc<Loaded>, usize)>, GpuError> {
        let kind = Kind::Born(number);
        let Some(result) = self.codes.find(entry, kind).map(|(_, compiled)| compiled.result()) else { return Ok(None) };
        let shape = Shape { own: &[size_of::<u32>()], result, class };
        Ok(Some((self.entry(entry, kind, shape, &[])?, result.0)))
    }

    /// Writes the states of the classes that a kernel changes.
    fn write_lives(&self, plan: &Plan, states: &[DeviceLives]) -> Result<(), Error> {
        let changed = plan.made.iter().map(|made| made.member).filter(|&member| member != plan.own);
        for member in changed.chain([plan.own]) {
            let to = self.changes.state_of(member);
            // SAFETY: there is one state per member, and the stream orders the copy between kernels (I28).
            unsafe { self.log.stream.upload(to, (&raw const states[member]).cast(), size_of::<DeviceLives>()) }?;
        }
        Ok(())
    }

    /// The contiguous column of a field of four bytes, if it is one.
    fn column_of(&self, objects: &dyn AnyObjects, field: usize) -> Option<ikra_runtime::mirror::Span> {
        let len = objects.slots();
        let mut spans = objects.spans(FieldSet::from_bits(1 << field), 0, len);
        let span = spans.pop()?;
        (len == 0 || (spans.is_empty() && span.rows == 1 && span.width == len * size_of::<u32>())).then_some(span)
    }
}

/// Whether all values of a class are in columns of single elements, one per object.
fn can_move(objects: &dyn AnyObjects) -> bool {
    objects.has_own_columns() && objects.arrays().is_empty()
}

/// The index by which links name a kernel's first new object until it ends, as on the host.
fn first_link(slots: usize) -> u32 {
    if slots < YOUNG_END as usize / 2 { YOUNG_END - 2 } else { u32::MAX - 2 }
}
