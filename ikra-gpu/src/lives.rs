//! Kernels that make and remove objects, on a device; `device/{lives,births}.rs` have the kernels that end such a run.
//!
//! Calls mark their objects, and write new rows to a nursery with room for the most that their text shows. When the kernel
//! has ended, a scan of the makers' counts orders the new objects. They take the indices that removed objects left, and new
//! ones. Then owners are found that go with removed objects, and links to these become empty. The host learns how many came
//! and went.
//!
//! Whatever these kernels cannot do (fixed capacities, or owners that go when there may be new ones) the host does: it runs
//! the whole kernel.

mod births;
mod deaths;
mod kernels;
pub(crate) mod moving;
mod owners;

use std::slice;
use std::sync::Arc;

use ikra_core::device_lives::DeviceLives;
use ikra_core::effects::{Effects, FieldSet};
use ikra_core::info::FieldInfo;
use ikra_core::kernel::{Argument, Entry};
use ikra_core::moves::YOUNG_END;
use ikra_core::transfer::WireType;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::executor::{Form, Launch, Section};
use ikra_runtime::objects::AnyObjects;

use crate::changes::{bits_bytes, room};
use crate::chunks::{LIVES_THREADS, MAKERS};
use crate::code::{Kind, Shape};
use crate::device_world::DeviceWorld;
use crate::lists::Wanted;
use crate::tables::{Loaded, Members};
use moving::{Links, can_move, can_tell_apart};
use owners::Owner;

/// A class of which a kernel makes objects.
struct Made {
    member: usize,
    entry: Arc<Loaded>,
    /// Bytes of a row.
    row: usize,
    /// Whether its objects may have links, and to new ones.
    has_links: bool,
    names_young: bool,
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
    /// Whether they have a bad link, if their rows were checked.
    is_bad: Option<bool>,
}

/// The addresses of numbers that a kernel's calls, and the kernels after it, count.
struct Counted {
    /// The number of removed objects, and of new ones per class.
    totals: u64,
    /// Per class, whether a new object has a bad link.
    bad_links: u64,
    /// Per class, the blocks that have counted.
    done: u64,
}

/// A class whose objects may be removed.
struct Going {
    member: usize,
    /// The links to them.
    links: Vec<Links>,
}

/// Removed objects of a class.
#[derive(Clone, Copy)]
struct Gone {
    /// The position of the class among those whose objects may be removed.
    place: usize,
    /// The address of one bit per object, set for these.
    marks: u64,
    /// The number of bits, and of these objects.
    slots: usize,
    count: usize,
}

/// The way of a run: what ends it here.
pub(crate) struct Plan {
    own: usize,
    effects: &'static Effects,
    made: Vec<Made>,
    /// Whether new objects may have links to new ones.
    links_young: bool,
    /// The classes whose objects may be removed, first the kernel's.
    going: Vec<Going>,
    /// The objects that go with others.
    owners: Vec<Owner>,
}

impl DeviceWorld {
    /// Whether no entry point of a run asks for the number of objects of a class with removed ones. Such a kernel may follow
    /// links that nobody checked, and only the host knows the removed objects.
    pub(crate) fn knows_removed(&self, members: &Members<'_>, launch: &Launch<'_>) -> bool {
        let holes: Vec<usize> = (0..members.len()).filter(|&member| members[member].holes() > 0).collect();
        let kind = |section: &Section| match launch.form {
            Form::Reduce(_) | Form::Store(_) => Kind::Reduce(section.reducer),
            Form::Collect(_) | Form::Choose(_) => Kind::Collect,
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
        let effects = section.effects;
        let Some(own) = members.iter().position(|member| member.class() == effects.class()) else { return Ok(None) };
        if !self.knows_removed(members, launch) {
            return Ok(None);
        }
        if !can_tell_apart(members) {
            return Ok(None);
        }
        let mut plan =
            Plan { own, effects, made: Vec::new(), links_young: false, going: Vec::new(), owners: Vec::new() };
        if effects.removes() {
            let Some((classes, owners)) = self.owners(members, own)? else { return Ok(None) };
            if !owners.is_empty() && !effects.spawned().is_empty() {
                return Ok(None);
            }
            plan.owners = owners;
            for member in classes {
                // A class that compacts itself moves all columns.
                if members[member].compacts_below().is_some() && !can_move(&*members[member]) {
                    return Ok(None);
                }
                let Some(links) = self.links_to(members, members[member].class(), true)? else { return Ok(None) };
                plan.going.push(Going { member, links });
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
            let names_young = objects.fields().iter().any(names_young);
            plan.links_young |= names_young;
            let has_links = objects.fields().iter().any(|field| !field.holds_links_to.is_empty());
            plan.made.push(Made { member, entry, row, has_links, names_young });
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
        let (own, log) = (plan.own, self.log.clone());
        self.prepare(members, slice::from_ref(section))?;
        let makers = members[own].slots();

        let mut states = vec![DeviceLives::default(); members.len()];
        let Counted { totals, bad_links, done } = self.room_to_count(plan, &mut states, makers)?;
        let blocks = makers.div_ceil(MAKERS as usize);
        let sums_bytes = (blocks * size_of::<u32>()) as u64;
        let sums = room(&mut self.changes.sums, &log, (plan.made.len() * blocks).max(1) * size_of::<u32>())?;
        for (n, made) in plan.made.iter().enumerate() {
            let (lives, state) = (&mut self.changes.lives[made.member], &mut states[made.member]);
            let per_maker = plan.effects.most_births();
            state.rows = room(&mut lives.rows, &log, (makers * per_maker as usize * made.row).max(1))?;
            state.numbers = room(&mut lives.numbers, &log, (makers * per_maker as usize).max(1) * size_of::<u32>())?;
            if plan.links_young {
                state.ranks = room(&mut lives.ranks, &log, makers.max(1) * size_of::<u32>())?;
            }
            (state.makers, state.per_maker) = (makers as u32, per_maker);
            state.bad_links = bad_links + (n * size_of::<u32>()) as u64;
            state.first = first_link(members[made.member].slots());
        }
        self.write_lives(&states)?;
        self.run(members, launch)?;

        let (blocks, count) = (blocks as u32, makers as u32);
        let of_class = |n: usize| (n * size_of::<u32>()) as u64;
        let checked = plan.made.iter().map(|made| blocks > 0 && self.checks_rows(members, made)).collect::<Vec<_>>();
        for (made, _) in plan.made.iter().zip(&checked).filter(|(_, checked)| **checked) {
            self.start_births(members, made, births::ROWS, count)?;
        }
        // The numbers of removed and of new objects, then whether these have bad links.
        let numbers = 1 + 2 * plan.made.len();
        let add = |device: &Self, inbox: *mut u8| {
            // The first of these also counts removed objects, and the last sends the numbers.
            let mut marks = if plan.effects.removes() { states[own].marks } else { 0 };
            let counts = plan.made.iter().map(|made| states[made.member].counts);
            let only_marks = (plan.made.is_empty() && marks != 0).then_some(0);
            for (n, counts) in counts.chain(only_marks).enumerate() {
                let (sums, result, done) = (sums + n as u64 * sums_bytes, 1 + n as u32, done + of_class(n));
                let of_marks = std::mem::take(&mut marks);
                let sent = if n + 1 == plan.made.len().max(1) { numbers as u32 } else { 0 };
                let inbox = inbox.addr() as u64;
                let [counts, sums] = [Argument::of(&counts), Argument::of(&sums)];
                let [totals, result, done] = [Argument::of(&totals), Argument::of(&result), Argument::of(&done)];
                let [marks, inbox, sent] = [Argument::of(&of_marks), Argument::of(&inbox), Argument::of(&sent)];
                let arguments = [counts, Argument::of(&count), sums, totals, result, done, marks, inbox, sent];
                device.launch(&log.kernels.sum_births, blocks, LIVES_THREADS, 1, &arguments)?;
            }
            Ok(())
        };
        let rank = |device: &Self| {
            for (n, made) in plan.made.iter().enumerate() {
                let (state, sums) = (&states[made.member], sums + n as u64 * sums_bytes);
                let [counts, per_maker] = [Argument::of(&state.counts), Argument::of(&state.per_maker)];
                let [numbers, ranks] = [Argument::of(&state.numbers), Argument::of(&state.ranks)];
                let arguments = [counts, Argument::of(&count), per_maker, Argument::of(&sums), numbers, ranks];
                device.launch(&log.kernels.rank_births, blocks, LIVES_THREADS, 1, &arguments)?;
            }
            Ok(())
        };
        let totals = match blocks {
            0 => vec![0; numbers],
            // SAFETY: the last of these kernels writes all numbers.
            _ => unsafe { self.receive(numbers, add, rank) }?,
        };
        // The host made room for marks, which no call has set there.
        drop(members[own].take_marks());

        let mut births = Vec::new();
        let removed = |member: usize| if member == own { totals[0] as usize } else { 0 };
        let is_bad = checked.into_iter().zip(&totals[1 + plan.made.len()..]);
        for ((made, &total), (is_checked, &is_bad)) in plan.made.iter().zip(&totals[1..]).zip(is_bad) {
            if total > 0 {
                let is_bad = is_checked.then_some(is_bad != 0);
                let numbers = (total as usize, removed(made.member));
                births.push(self.make_room(members, &mut states[made.member], (made, is_bad), numbers)?);
            }
        }
        if !births.is_empty() {
            for made in plan.made.iter().filter(|made| births.iter().all(|birth| birth.made.member != made.member)) {
                self.describe(members, &mut states[made.member], made.member, (0, removed(made.member)))?;
            }
            self.deliver(members, plan, &states, &births)?;
        }
        if totals[0] > 0 {
            let first = Gone { place: 0, marks: states[own].marks, slots: makers, count: totals[0] as usize };
            let gone = self.find_owners(members, plan, first)?;
            // Whatever may be missing is missed before the first object goes.
            for &gone in &gone {
                self.room_to_remove(members, plan, gone)?;
            }
            log.whole(|| {
                let mut cleared = Vec::new();
                for &gone in &gone {
                    cleared.push((plan.going[gone.place].member, self.remove(members, plan, gone)?));
                }
                cleared.iter().try_for_each(|&(member, cleared)| self.list_left(members, member, cleared))
            })?;
        }
        (0..members.len()).try_for_each(|member| self.list_left(members, member, Wanted::SET))
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
        let Some((size, align)) = self.codes.find(entry, kind).map(|(_, compiled)| compiled.result()) else {
            return Ok(None);
        };
        let shape = Shape { own: &[size_of::<u32>()], result: WireType { size, align, meaning: class } };
        Ok(Some((self.entry(entry, kind, shape, &[])?, size)))
    }

    /// Memory for what a kernel's calls count, all of it 0.
    fn room_to_count(&mut self, plan: &Plan, states: &mut [DeviceLives], makers: usize) -> Result<Counted, Error> {
        let of_numbers = |count: usize| count * size_of::<u32>();
        // The number of removed objects; per class the number of new ones, whether their links are bad, and the blocks that
        // have counted.
        let totals_bytes = of_numbers(1 + 3 * plan.made.len()).next_multiple_of(16);
        let marks_bytes = if plan.effects.removes() { bits_bytes(makers) } else { 0 };
        let counts_bytes = makers.next_multiple_of(16);
        let bytes = totals_bytes + marks_bytes + plan.made.len() * counts_bytes;
        let totals = room(&mut self.changes.counted, &self.log, bytes)?;
        // SAFETY: memory of this size; its earlier users come before this in the stream (I28).
        unsafe { self.log.stream.zero(totals, bytes)? };
        let marks = totals + totals_bytes as u64;
        if plan.effects.removes() {
            states[plan.own].marks = marks;
        }
        for (n, made) in plan.made.iter().enumerate() {
            states[made.member].counts = marks + (marks_bytes + n * counts_bytes) as u64;
        }
        let bad_links = totals + of_numbers(1 + plan.made.len()) as u64;
        Ok(Counted { totals, bad_links, done: bad_links + of_numbers(plan.made.len()) as u64 })
    }

    /// Writes the states of all classes.
    fn write_lives(&self, states: &[DeviceLives]) -> Result<(), Error> {
        // SAFETY: there is one state per member, and the stream orders the copy between kernels (I28).
        Ok(unsafe { self.log.stream.upload(self.changes.states(), states.as_ptr().cast(), size_of_val(states)) }?)
    }

    /// The contiguous column of a field of four bytes, if it is one.
    pub(crate) fn column_of(&self, objects: &dyn AnyObjects, field: usize) -> Option<ikra_runtime::mirror::Span> {
        let len = objects.slots();
        let mut spans = objects.spans(FieldSet::from_bits(1 << field), 0, len);
        let span = spans.pop()?;
        (len == 0 || (spans.is_empty() && span.rows == 1 && span.width == len * size_of::<u32>())).then_some(span)
    }
}

/// The index by which links name a kernel's first new object until it ends, as on the host.
fn first_link(slots: usize) -> u32 {
    if slots < YOUNG_END as usize / 2 { YOUNG_END - 2 } else { u32::MAX - 2 }
}
