//! The executor of a cluster: each rank's part of a kernel runs on the rank's host, or on its device.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use ikra_core::effects::FieldSet;
use ikra_core::info::FieldInfo;
use ikra_core::table::AtHand;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Executor, Form, Launch, Part, Recorded, Recorder, Recording, Run, Section, Sharing};
use ikra_runtime::groups::{GroupKeys, Grouped};
use ikra_runtime::objects::AnyObjects;
use ikra_runtime::place::Place;
use ikra_runtime::world::World;

use crate::device::Device;
use crate::halo::HaloKey;
use crate::reach::{How, Reach, all_changes, all_reads, changes, has_own_outcome, reach};
use crate::results::Results;
use crate::state::{ClassState, Shared, fields_where};

/// Runs kernels on all ranks.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) shared: Shared,
}

/// The world while the host uses columns that are current only in part. When it is dropped, these are stale again.
struct Lent<'w, W: World> {
    world: &'w mut W,
    shared: &'w Shared,
    /// Whether the kernel has ended on this rank.
    has_ended: bool,
    /// Whether each rank has run it for all objects.
    is_repeated: bool,
    /// Whether it ran on the rank's device.
    is_on_device: bool,
    /// What debug builds check reads against, for each class.
    at_hand: Vec<AtHand>,
    /// The fields of each class of which ranks may have other values if the kernel fails.
    divided: Vec<FieldSet>,
}

/// Whether a kernel may run for inner objects while other ranks copy fields of its class: it only reads these.
fn may_overlap(form: Form, section: &Section, copied: FieldSet) -> bool {
    let effects = section.effects;
    let in_place = effects.writes().without(effects.shadowed()).union(effects.copied());
    matches!(form, Form::Each)
        && in_place.intersection(copied).is_empty()
        && !effects.atomics().any(|used| used.is_changed())
}

impl<W: World> Drop for Lent<'_, W> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        // An error of the device reaches the caller with the next operation there.
        let _ = state.arrive();
        if !self.has_ended {
            let rank = state.ranks.rank();
            // The panic or the error reaches the caller by itself.
            let _ = state.ranks.fail(&format!("rank {rank} has failed in a kernel, so the ranks' worlds differ"));
        }
        for (number, member) in self.world.members_mut().as_mut().iter_mut().enumerate() {
            set_at_hand(&**member, None);
            if let Some(&divided) = self.divided.get(number).filter(|_| !self.has_ended) {
                // Nobody knows how far the ranks have come.
                state.note(number, divided);
            }
            let stale = state.classes[number].stale();
            let changed = member.copies().missing(state.stream);
            if self.is_repeated {
                // On each rank the same.
                state.note_links(number, changed);
            }
            if !self.is_on_device {
                // A run on the host counts all atomic fields as changed, also those of which the host has older values.
                let class = &mut state.classes[number];
                class.on_device = class.on_device.without(changed.intersection(class.on_host));
            }
            // SAFETY: all ranks have changed these fields in the same way, or they are among the stale ones.
            unsafe { member.copies().uploaded(state.stream, changed) };
            // SAFETY: `Newer` collects the values of all ranks, each of which has those of its objects.
            unsafe { member.copies().changed(state.stream, stale) };
        }
    }
}

/// Says which objects' values are current, for the checks of debug builds.
fn set_at_hand(objects: &dyn AnyObjects, at_hand: Option<&AtHand>) {
    let header = objects.header();
    // SAFETY: the header belongs to the objects, which are borrowed.
    let header = unsafe { header.as_ref() };
    // SAFETY: no kernel runs. `Lent` keeps the values, at the same place on the heap, and takes them back.
    unsafe { header.set_at_hand(at_hand) };
}

impl<W: World> Lent<'_, W> {
    /// Makes all columns current on each rank.
    fn collect(&mut self) -> Result<(), Error> {
        let mut state = self.shared.lock();
        let mut members = self.world.members_mut();
        let mut members = members.as_mut().iter_mut().enumerate();
        members.try_for_each(|(number, member)| state.collect(number, FieldSet::ALL, &mut **member))
    }

    /// Makes the first rank's changes those of all ranks.
    fn adopt(&mut self, launch: &Launch<'_>) -> Result<(), Error> {
        let mut state = self.shared.lock();
        for (number, member) in self.world.members_mut().as_mut().iter_mut().enumerate() {
            let fields = member.copies().missing(state.stream).intersection(state.classes[number].all());
            let in_arena = |_, field: &FieldInfo| field.array.is_some_and(|array| array.arena);
            let changed = launch.sections.iter().map(|section| changes(section.effects, &state.classes[number]));
            let changed = changed.fold(FieldSet::EMPTY, FieldSet::union).intersection(fields);
            if !changed.intersection(fields_where(member.fields(), in_arena)).is_empty() && member.has_own_columns() {
                let (class, kernel) = (member.name(), launch.kernel);
                let reason = format!(
                    "{kernel} changes arrays of varying length of class {class} in any order, which ranks cannot"
                );
                return Err(state.ranks.fail(&reason));
            }
            if !fields.is_empty() {
                state.adopt(number, fields, &mut **member)?;
            }
        }
        Ok(())
    }

    /// Prepares a kernel that ranks share, on their hosts or on their devices, and returns what completes its results, and
    /// the key of its ghosts.
    fn prepare(
        &mut self,
        reach: &Reach,
        launch: &Launch<'_>,
        is_on_device: bool,
    ) -> Result<(Results, Option<HaloKey>), Error> {
        self.shared.lock().begin(launch);
        if reach.is_far {
            self.gather(&reach.reads, launch.kernel, is_on_device)?;
        }
        let mut members = self.world.members_mut();
        let members = members.as_mut();
        let mut state = self.shared.lock();
        let (rank, kernel) = (state.ranks.rank(), launch.kernel);
        let has_links = reach.first.iter().any(|fields| !fields.is_empty())
            || launch.arguments.iter().any(|argument| !argument.links_to().is_empty());
        let key = if reach.is_far || !has_links {
            None
        } else {
            let key = state.find_halo(reach, launch, members)?;
            state.exchange(&key, &reach.reads, (kernel, is_on_device), members)?;
            state.begin_updates(&key, &reach.updates, members);
            Some(key)
        };
        if cfg!(debug_assertions) {
            let halo = key.as_ref().and_then(|key| state.halos.get(key));
            let updated = |number: usize| {
                let of_class = reach.updates.iter().filter(move |update| update.class == number);
                of_class.fold(FieldSet::EMPTY, |all, update| all.union(FieldSet::from_bits(1 << update.field)))
            };
            // Of updated fields, only own values and those of ghosts are combined.
            let at_hand = |(number, class): (usize, &ClassState)| AtHand {
                own: class.own(rank),
                stale: class.stale().union(updated(number)),
                near: reach.reads[number].union(updated(number)),
                bits: halo.map_or_else(Box::default, |halo| halo.ghosts[number].clone()),
            };
            self.at_hand = state.classes.iter().enumerate().map(at_hand).collect();
            members.iter().zip(&self.at_hand).for_each(|(member, at_hand)| set_at_hand(&**member, Some(at_hand)));
        }
        let own = reach.classes.iter().map(|&class| state.classes[class].own(rank)).collect();
        let inner = match (launch.sections, &reach.classes[..], key.as_ref().and_then(|key| state.halos.get(key))) {
            ([section], &[class], Some(halo))
                if is_on_device && may_overlap(launch.form, section, reach.reads[class]) =>
            {
                vec![halo.inner[class].clone()]
            }
            _ => Vec::new(),
        };
        if inner.iter().all(Range::is_empty) {
            state.arrive()?;
        }
        Ok((Results { shared: self.shared.clone(), kernel, own, inner }, key))
    }
}

impl<W: World> Lent<'_, W> {
    /// The device that can run a kernel for own objects.
    fn device_for(&self, reach: &Reach, form: Form) -> Option<Device> {
        let (state, members) = (self.shared.lock(), self.world.members());
        let can_divide = reach.classes.iter().all(|&class| members.as_ref()[class].has_own_columns());
        let can_complete = match form {
            Form::Each | Form::Pairs { .. } => true,
            // Hosts have results in another form.
            Form::Reduce(_) | Form::Collect(_) => state.all_have_devices,
            _ => false,
        };
        state.device.filter(|_| can_divide && can_complete && reach.updates.is_empty())
    }

    /// Makes own values current on the host, of the fields that a kernel may use.
    fn bring_home(&mut self, reach: &Reach) -> Result<(), Error> {
        let mut state = self.shared.lock();
        for (number, member) in self.world.members_mut().as_mut().iter_mut().enumerate() {
            let updated = reach.updates.iter().any(|update| update.class == number);
            let is_used = updated || reach.classes.contains(&number);
            let fields = if is_used { FieldSet::ALL } else { reach.reads[number] };
            state.bring_home(number, fields, &mut **member)?;
        }
        Ok(())
    }

    /// Runs a kernel for own objects on the rank's device.
    fn run_on(&mut self, device: Device, run: &mut Run<'_, W>) -> Result<(), Error> {
        self.with_device(device, |executor, world| executor.run(world, run))
    }

    /// Lets the rank's device work with the world.
    fn with_device<T>(
        &mut self,
        device: Device,
        work: impl FnOnce(&mut dyn Executor<W>, &mut W) -> Result<T, Error>,
    ) -> Result<T, Error> {
        for (number, member) in self.world.members_mut().as_mut().iter_mut().enumerate() {
            let known = self.shared.lock().classes[number].on_device;
            // SAFETY: the device has the values of own objects, and those of others that were stored or copied; the host has
            // no newer ones of these. It has older values of other objects, which the kernel does not read.
            unsafe { member.copies().uploaded(device.stream, known) };
        }
        let taken = self.world.state_mut().executors().take(device.place);
        let mut executor = match taken {
            Some(executor) => executor,
            None => W::open(self.world, device.place)?,
        };
        self.is_on_device = true;
        let result = work(&mut *executor, self.world);
        self.world.state_mut().executors().put(executor);
        let result = result?;
        self.shared.lock().arrive()?;
        let (mut state, mut members) = (self.shared.lock(), self.world.members_mut());
        for (number, member) in members.as_mut().iter_mut().enumerate() {
            if member.has_own_columns() {
                state.note_on_device(number);
            }
            // The device counts all atomic fields as changed, of all classes. What the kernel has changed is stale below.
            // SAFETY: the host has older values of the changed fields, which nothing reads before `Lent` is dropped.
            unsafe { member.copies().lend(device.stream) };
        }
        Ok(result)
    }

    /// Makes columns current for a kernel on each rank: on its device, where devices copy from each other, or on its host.
    fn gather(&mut self, fields: &[FieldSet], kernel: &str, is_on_device: bool) -> Result<(), Error> {
        let (mut state, mut members) = (self.shared.lock(), self.world.members_mut());
        let (members, mut across) = (members.as_mut(), vec![FieldSet::EMPTY; fields.len()]);
        for (number, member) in members.iter_mut().enumerate() {
            if is_on_device {
                across[number] = fields[number].intersection(state.across(number, &**member));
            }
            state.collect(number, fields[number].without(across[number]), &mut **member)?;
        }
        state.gather_across(&across, kernel, members)?;
        state.arrive()
    }
}

impl Cluster {
    /// Divides the objects again, so that ranks take equal times.
    pub(crate) fn balance<W: World>(&self, world: &mut W) -> Result<(), Error> {
        let mut lent = self.lend(world)?;
        lent.shared.lock().balance(lent.world.members_mut().as_mut())?;
        lent.has_ended = true;
        Ok(())
    }

    /// Makes all columns current on each rank.
    pub(crate) fn gather<W: World>(&self, world: &mut W) -> Result<(), Error> {
        let mut lent = self.lend(world)?;
        lent.collect()?;
        lent.has_ended = true;
        Ok(())
    }

    /// Brings the state up to date with the world, and lets the host use its columns.
    fn lend<'w, W: World>(&'w self, world: &'w mut W) -> Result<Lent<'w, W>, Error> {
        let mut result = self.fetch(world);
        if result.is_ok() {
            result = self.shared.lock().renew(&self.shared, world.members_mut().as_mut());
        }
        if let Err(error) = result {
            // The others wait for this rank.
            let _ = self.shared.lock().ranks.fail(&error.to_string());
            return Err(error);
        }
        let stream = self.shared.lock().stream;
        for member in world.members_mut().as_mut() {
            // SAFETY: the host has values of all objects, some of them older. `Lent` takes them back when it is dropped, and
            // before that kernels run only for objects whose values are current.
            unsafe { member.copies().lend(stream) };
        }
        Ok(Lent {
            world,
            shared: &self.shared,
            has_ended: false,
            is_repeated: false,
            is_on_device: false,
            at_hand: Vec::new(),
            divided: Vec::new(),
        })
    }

    /// Fetches the values that only a GPU has, but for those of the rank's device.
    fn fetch<W: World>(&self, world: &mut W) -> Result<(), Error> {
        self.shared.lock().ranks.check()?;
        let stream = self.shared.lock().stream;
        for member in world.members_mut().as_mut() {
            // Values that only a GPU has.
            let here = member.copies().only_on(stream);
            // SAFETY: the header belongs to the objects, which are borrowed.
            let elsewhere = unsafe { member.header().as_ref() }.to_fetch(FieldSet::ALL).without(here);
            member.fetch(elsewhere)?;
        }
        Ok(())
    }
}

// SAFETY: 1. and 2.: either every rank runs the kernel for all objects, on equal values. Or each runs it for its own, whose
// values and whose neighbours' values are current; the columns that it changes are stale elsewhere from then on, which
// `Newer` fetches. Reductions and collections complete their results by `Sharing`, on hosts or on devices. 3. As on the host.
// 6. Each rank's device groups all objects, and has the current values of all that the kernel may read.
unsafe impl<W: World> Executor<W> for Cluster {
    fn place(&self) -> Place {
        Place::Cluster
    }

    fn worker(&self) -> Result<String, Error> {
        let state = self.shared.lock();
        state.ranks.check()?;
        let (rank, ranks) = (state.ranks.rank(), state.ranks.count());
        Ok(format!("rank {rank} of {ranks}"))
    }

    fn run(&mut self, world: &mut W, run: &mut Run<'_, W>) -> Result<(), Error> {
        let mut lent = self.lend(world)?;
        let how = {
            let (state, members) = (lent.shared.lock(), lent.world.members());
            reach(&run.launch, run.part, members.as_ref(), &state.classes)
        };
        match how {
            How::Repeated { is_unordered } => {
                if is_unordered && has_own_outcome(&run.launch) {
                    let reason = format!(
                        "{} is `unordered`, and has results, a worklist, or objects that come or go: ranks may get other ones; \
                         let it change fields only, and read these by another kernel",
                        run.launch.kernel
                    );
                    return Err(lent.shared.lock().ranks.fail(&reason));
                }
                lent.collect()?;
                lent.shared.lock().ranks.traffic.repeated += 1;
                lent.is_repeated = true;
                // Ranks with other numbers of threads come to other objects before a panic.
                let changed = |class| all_changes(&run.launch, class);
                lent.divided = lent.shared.lock().classes.iter().map(changed).collect();
                let result = run.on_host(lent.world, run.part);
                // Each rank has the same error: no object has changed.
                lent.has_ended = result.is_err();
                result?;
                if is_unordered {
                    lent.adopt(&run.launch)?;
                }
            }
            How::Shared(reach) => {
                if let Form::Store(store) = run.launch.form {
                    let (mut state, mut members) = (lent.shared.lock(), lent.world.members_mut());
                    let members = members.as_mut();
                    if let Some(number) = members.iter().position(|member| member.class() == store.to.class) {
                        state.collect(number, FieldSet::from_bits(1 << store.to.field), &mut *members[number])?;
                    }
                }
                let is_each = matches!(run.launch.form, Form::Each | Form::Pairs { .. });
                lent.divided = vec![FieldSet::EMPTY; lent.shared.lock().classes.len()];
                for (section, &class) in run.launch.sections.iter().zip(&reach.classes) {
                    let changed = changes(section.effects, &lent.shared.lock().classes[class]);
                    lent.divided[class] = lent.divided[class].union(changed);
                }
                for update in &reach.updates {
                    lent.divided[update.class] =
                        lent.divided[update.class].union(FieldSet::from_bits(1 << update.field));
                }
                let device = lent.device_for(&reach, run.launch.form).filter(|_| matches!(run.part, Part::All));
                let (results, key) = lent.prepare(&reach, &run.launch, device.is_some())?;
                let start = Instant::now();
                match (device, run.part) {
                    (Some(device), _) => {
                        let sharing: Arc<dyn Sharing> = Arc::new(results);
                        run.shared(&sharing, |run| lent.run_on(device, run))?;
                    }
                    (None, Part::Ranges(ranges)) => {
                        lent.bring_home(&reach)?;
                        let within = |(range, own): (&Range<usize>, &Range<usize>)| {
                            let (start, end) = (range.start.max(own.start), range.end.min(own.end));
                            if start < end { start..end } else { range.start..range.start }
                        };
                        let own: Vec<_> = ranges.iter().zip(&results.own).map(within).collect();
                        run.on_host(lent.world, Part::Ranges(&own))?;
                    }
                    _ => {
                        lent.bring_home(&reach)?;
                        let sharing: Arc<dyn Sharing> = Arc::new(results);
                        run.on_host(lent.world, Part::Shared(&sharing))?;
                    }
                }
                let mut state = lent.shared.lock();
                state.ranks.traffic.shared += 1;
                // A reduction has waited for the other ranks.
                if is_each {
                    state.classes[reach.classes[0]].busy += start.elapsed().as_secs_f64();
                }
                if let Some(key) = key {
                    let mut members = lent.world.members_mut();
                    state.end_updates(&key, &reach.updates, run.launch.kernel, members.as_mut())?;
                }
                for (number, &divided) in lent.divided.iter().enumerate() {
                    if device.is_some() {
                        let class = &mut state.classes[number];
                        class.on_host = class.on_host.without(divided);
                    }
                    state.note(number, divided);
                }
            }
        }
        lent.has_ended = true;
        Ok(())
    }

    /// Each rank's device groups all objects, if it can: groups are the same everywhere, and no host has them.
    fn group(&mut self, world: &mut W, launch: &Launch<'_>, keys: GroupKeys) -> Result<Option<Grouped>, Error> {
        let device = {
            let state = self.shared.lock();
            state.device.filter(|_| state.copies_across())
        };
        let Some(device) = device else { return Ok(None) };
        let mut lent = self.lend(world)?;
        let reads = {
            let (state, members) = (lent.shared.lock(), lent.world.members());
            all_reads(launch, members.as_ref(), &state.classes)
        };
        let grouped = match reads {
            Some(reads) => {
                lent.gather(&reads, launch.kernel, true)?;
                lent.with_device(device, |executor, world| executor.group(world, launch, keys))?
            }
            None => None,
        };
        lent.has_ended = true;
        Ok(grouped)
    }

    fn synchronize(&mut self, world: &mut W) -> Result<(), Error> {
        let device = {
            let state = self.shared.lock();
            state.ranks.check()?;
            state.device
        };
        let Some(mut executor) = device.and_then(|device| world.state_mut().executors().take(device.place)) else {
            return Ok(());
        };
        let result = executor.synchronize(world);
        world.state_mut().executors().put(executor);
        result
    }

    fn recorder(&mut self, _: &mut W) -> Result<Arc<dyn Recorder>, Error> {
        Err(Error::NotRecordable { what: String::from("a kernel that ranks share") })
    }

    fn recorded(&mut self, _: &mut W, _: Recorded) -> Result<Recorded, Error> {
        Err(Error::NotRecordable { what: String::from("a kernel that ranks share") })
    }

    unsafe fn replay(&mut self, _: &mut W, _: &Recording) -> Result<(), Error> {
        Err(Error::StaleRecording { reason: String::from("a cluster has no recordings") })
    }
}
