//! Recordings that a device repeats by itself, a number of times or as long as a field says so: as one kernel (see
//! `resident.rs`), or, if a field ends it, as a graph.
//!
//! The graph has a kernel that looks at the field for the first time, and a node that repeats another graph. That one has
//! the recorded launches, and the same kernel at its end. The kernel counts the iterations, and sets the condition of the
//! next one. It is a module of its own, since only newer drivers know the function that it calls.

use std::time::{Duration, Instant};

use ikra_core::effects::FieldSet;
use ikra_ptx::repeat::{LAUNCH_PARAMETERS, inverse};
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::executor::{ObjectField, Recording};

use crate::device_columns::DeviceColumns;
use crate::device_world::{DeviceWorld, Scratch};
use crate::driver::{Function, Grid, Module};
use crate::loop_size::grid_of;
use crate::loops::{LoopForm, Resident, TIMED, Times, Wish};
use crate::recordings::{DeviceRecording, Exchange, exchange, own, read_tables};
use crate::step::{Step, WorkPlace, column_number};
use crate::tables::Members;

/// The kernel `ikra_loop(going, count, report, most, condition, ended)`. It adds `ended` iterations to the count, or sets
/// it to 0 if none has ended, and copies it to the host's memory. The next iteration begins if the byte at `going` is not
/// 0, and fewer than `most` have ended.
const CODE: &str = include_str!("looping.ptx");

/// An iteration that the host starts takes longer.
const BY_HOST: Duration = Duration::from_micros(10);

/// A loop of recorded launches.
#[derive(Clone, Copy)]
pub(crate) struct Loop<'r> {
    pub(crate) recorded: &'r DeviceRecording,
    /// The field that says whether it goes on, and its address; without one it has `most` iterations.
    pub(crate) going: Option<(ObjectField, u64)>,
    pub(crate) most: u64,
    /// The iterations that ran before.
    pub(crate) before: u64,
    /// The number of its sequence.
    pub(crate) number: usize,
    pub(crate) places: &'r Places,
}

/// Where launches find their data. Columns that are exchanged for their snapshots an odd number of times in an iteration
/// are in other places for the next one, and in the first ones again for the one after it.
pub(crate) struct Places {
    /// The table entries and the address of the result for each launch of all iterations that alternate.
    pub(crate) launches: Vec<(Vec<u64>, u64)>,
    /// The columns that are exchanged after an iteration.
    pub(crate) exchanges: Vec<Exchange>,
    /// For each of the iterations that alternate its worklist, and the addresses of its list and of the one that it empties.
    /// Empty without a worklist.
    pub(crate) work: Vec<(WorkPlace, [u64; 2])>,
}

impl Places {
    /// How many iterations alternate.
    pub(crate) fn alternating(&self) -> usize {
        if self.exchanges.is_empty() { 1 } else { 2 }
    }
}

impl DeviceWorld {
    /// Replays a recording as long as a byte is not 0, at most so many times, and returns how many times it did; without a
    /// byte, exactly so many times. `None` if the device cannot, or need not; then nothing has run.
    pub(crate) fn repeat(
        &mut self,
        members: &mut Members<'_>,
        recording: &Recording,
        going: Option<ObjectField>,
        most: u64,
    ) -> Result<Option<u64>, Error> {
        let recorded = self.current_alone(members, recording)?;
        let wish = Wish::now();
        // Tables in constant memory may differ from iteration to iteration.
        if read_tables(&recorded.steps) || wish == Wish::Host {
            return Ok(None);
        }
        let Some(field) = going else {
            return self.repeat_counted(members, recorded, wish, most);
        };
        let Some(address) = self.field_address(members, field, 1) else { return Ok(None) };
        let places = self.loop_places(members, &recorded.steps)?;
        exchange(members, &places.exchanges, self.log.number());
        let is_in_place = self.field_address(members, field, 1) == Some(address);
        exchange(members, &places.exchanges, self.log.number());
        if !is_in_place {
            return Ok(None);
        }
        let test = column_of(members, field).map(|column| vec![column]);
        let number = self.loops.number(&recorded.steps, places.alternating(), test);
        let (mut done, mut size) = (0, TIMED);
        loop {
            // Some iterations are timed first, and then more, as long as it may turn out that a graph is faster.
            let left = most - done;
            let sequence = &mut self.loops.sequences[number];
            let is_tried = wish == Wish::Fast && sequence.is_open();
            if is_tried && !(places.exchanges.is_empty() && self.log.stream.can_record_loops()) {
                sequence.by_graph = Times::NEVER;
                continue;
            }
            let mut piece = left;
            if is_tried && sequence.awaits_graph() {
                piece = left.min(TIMED);
            } else if is_tried {
                piece = left.min(size);
                size *= 8;
            }
            let going = Some((field, address));
            let this = Loop { recorded, going, most: piece, before: done, number, places: &places };
            let Some(count) = self.repeat_piece(members, this, address, wish)? else {
                if is_tried && self.loops.sequences[number].awaits_graph() {
                    self.loops.sequences[number].by_graph = Times::NEVER;
                    continue;
                }
                return match done {
                    0 => Ok(None),
                    _ => Err(GpuError::Driver {
                        call: format!("a loop that stays on the device, after {done} iterations"),
                        reason: String::from("the driver refuses it"),
                    }
                    .into()),
                };
            };
            done += count;
            if count < piece || done == most {
                // A loop of several pieces counts once, as it ended.
                let is_resident = matches!(self.loops.sequences[number].form, LoopForm::Resident { .. });
                self.log.count_loop(is_resident);
                return Ok(Some(done));
            }
        }
    }

    /// Runs a loop as one kernel, or else as a graph. `None` if the device can do neither; then nothing has run.
    fn repeat_piece(
        &mut self,
        members: &mut Members<'_>,
        this: Loop<'_>,
        address: u64,
        wish: Wish,
    ) -> Result<Option<u64>, Error> {
        let Loop { most, number, places, .. } = this;
        // A loop without iterations prepares others.
        let reason = match self.try_resident(members, this, wish, most == 0)? {
            Ok(count) => return Ok(Some(count)),
            Err(reason) => reason,
        };
        // A graph has the same addresses in all iterations.
        let count = if places.exchanges.is_empty() { self.repeat_by_graph(members, this, address)? } else { None };
        self.loops.note(number, if count.is_some() { LoopForm::Graph } else { LoopForm::Host }, Some(reason));
        if count.is_none() {
            // How many the host starts is not known: as many as there may be.
            self.add_time(number, BY_HOST.saturating_mul(most.try_into().unwrap_or(u32::MAX)));
        }
        Ok(count)
    }

    /// Replays a recording so many times: as graphs, until there is one kernel for what is left.
    fn repeat_counted(
        &mut self,
        members: &mut Members<'_>,
        recorded: &DeviceRecording,
        wish: Wish,
        most: u64,
    ) -> Result<Option<u64>, Error> {
        let is_forced = matches!(wish, Wish::Resident(_));
        if (1..TIMED).contains(&most) && !is_forced {
            return Ok(None);
        }
        let mut left = most;
        loop {
            let places = self.loop_places(members, &recorded.steps)?;
            let number = self.loops.number(&recorded.steps, places.alternating(), Some(Vec::new()));
            let this = Loop { recorded, going: None, most: left, before: most - left, number, places: &places };
            match self.try_resident(members, this, wish, most == 0)? {
                Ok(_) => {
                    self.log.count_loop(true);
                    return Ok(Some(most));
                }
                Err(reason) => self.loops.note(number, LoopForm::Host, Some(reason)),
            }
            let sequence = &self.loops.sequences[number];
            let is_timed = sequence.may_change() || sequence.awaits_graph();
            let batch = if is_timed { left.min(4 * TIMED) } else { left };
            let start = Instant::now();
            self.replay_times(members, recorded, batch)?;
            if is_timed {
                self.log.synchronize()?;
                self.loops.time(number, false, batch, start.elapsed());
                self.add_time(number, start.elapsed());
            }
            left -= batch;
            if left == 0 {
                return Ok(Some(most));
            }
        }
    }

    /// Runs a loop as one kernel, if that is possible and faster. Otherwise nothing has run, and the reason is returned.
    pub(crate) fn try_resident(
        &mut self,
        members: &mut Members<'_>,
        this: Loop<'_>,
        wish: Wish,
        waits: bool,
    ) -> Result<Result<u64, String>, Error> {
        let Loop { recorded, number, .. } = this;
        let chosen = self
            .resident(members, &recorded.steps, number, wish, waits)
            .and_then(|resident| Ok((self.loop_grid(&resident, &recorded.steps, wish)?, resident)));
        let (grid, resident) = match chosen {
            Ok(chosen) => chosen,
            Err(reason) => return Ok(Err(reason)),
        };
        let start = Instant::now();
        let count = self.repeat_resident(members, this, (&resident, grid))?;
        if let Ok(count) = count {
            let Grid { blocks, threads, .. } = grid;
            self.loops.time(number, true, count, start.elapsed());
            self.loops.note(number, LoopForm::Resident { blocks, threads }, None);
        }
        Ok(count)
    }

    /// Where the launches of an iteration find their data, and those of the next one if that differs. Afterwards all columns
    /// are where they were.
    pub(crate) fn loop_places(&mut self, members: &mut Members<'_>, steps: &[Step]) -> Result<Places, Error> {
        let (mut launches, mut exchanges) = (Vec::new(), Vec::new());
        let mut found = self.iteration_places(members, steps, &mut launches, &mut exchanges);
        let odd = odd(&exchanges);
        if !odd.is_empty() && found.is_ok() {
            found = self.iteration_places(members, steps, &mut launches, &mut exchanges);
        }
        exchange(members, &exchanges, self.log.number());
        found.map(|()| Places { launches, exchanges: odd, work: Vec::new() })
    }

    /// As above, for one iteration, whose exchanges of columns stay.
    fn iteration_places(
        &mut self,
        members: &mut Members<'_>,
        steps: &[Step],
        launches: &mut Vec<(Vec<u64>, u64)>,
        exchanges: &mut Vec<Exchange>,
    ) -> Result<(), Error> {
        for step in steps {
            let words = self.words(members, &step.entry)?;
            let stored = step.stored.as_ref().map(|stored| self.field_address(members, stored.to, stored.size));
            let Some(result) = stored.unwrap_or(Some(0)) else { unreachable!("it was found when it was recorded") };
            for (effects, positions) in &step.sections {
                let snapshot = effects.shadowed();
                let Some((member, objects)) = own(members, effects.class()) else { continue };
                // Those of some objects are copied.
                if !snapshot.is_empty() && positions.are_all(objects) {
                    DeviceColumns::of(objects, &self.log)?.swap_shadow(snapshot);
                    exchanges.push((member, snapshot));
                }
            }
            launches.push((words, result));
        }
        Ok(())
    }

    /// Runs a loop as one kernel. If that cannot be, nothing has run, and the reason is returned.
    fn repeat_resident(
        &mut self,
        members: &mut Members<'_>,
        Loop { recorded, going, most, before, number, places }: Loop<'_>,
        (resident, grid): (&Resident, Grid),
    ) -> Result<Result<u64, String>, Error> {
        let steps = &recorded.steps;
        let arrived = self.scratch(Scratch::Number, size_of::<u64>())?;
        let log = self.log.clone();
        let inbox = log.inbox();
        let report = inbox.start().cast::<u64>();
        let may_write = |(field, _)| steps.first().is_some_and(|first| self.may_write(first, field));
        let is_known_not_to = self.loops.sequences[number].shape.first_is_apart();
        let apart = u32::from(!is_known_not_to && going.is_some_and(may_write));
        let (address, to) = (going.map_or(0, |(_, address)| address), report.addr() as u64);
        let size = |Grid { blocks, threads, .. }: Grid| [blocks, threads, inverse(threads)];
        let of_launches = steps.iter().zip(&*resident.joint).map(|(step, &is_joint)| size(grid_of(step, is_joint)));
        let sizes: Vec<[u32; LAUNCH_PARAMETERS]> = of_launches.collect();
        let own = [&raw const address, &raw const to, &raw const most, &raw const arrived];
        let mut all: Vec<*const ()> = own.map(<*const u64>::cast).to_vec();
        all.push((&raw const apart).cast());
        let lists = places.work.iter().flat_map(|(_, lists)| lists);
        all.extend(lists.map(|list| std::ptr::from_ref(list).cast::<()>()));
        let in_order = steps.iter().zip(&sizes).cycle().zip(&places.launches).enumerate();
        for (n, ((step, size), (words, result))) in in_order {
            all.extend(size.each_ref().map(|number| std::ptr::from_ref(number).cast::<()>()));
            all.extend(step.places(words, result, places.work.get(n / steps.len()).map(|(place, _)| place)));
        }
        if all.len() != resident.parameters {
            unreachable!("entry points take what was recorded for them");
        }
        // SAFETY: in the inbox, which is aligned for it. Nothing else uses the inbox while this holds its lock.
        unsafe { report.write_volatile(0) };
        if grid.blocks > 1 {
            // SAFETY: scratch memory of this size, which nothing else uses before this returns.
            unsafe { log.stream.zero(arrived, size_of::<u64>()) }.map_err(|error| log.blame(error))?;
        }
        // SAFETY: the kernel was made of these entry points, and takes four numbers of 64 bits, one of 32, and for each launch
        // three of 32 and what its entry point takes: `Step` has the arguments, and these are its table entries. `address` is
        // that of a field or 0, `report` is in the inbox, which is locked, `arrived` is 0 if there are several blocks.
        // `loop_grid` has found room for all blocks, each with at least as many threads and as much shared memory as the
        // launches have. The launches are for the columns, numbers of objects and array lengths that `current` has compared,
        // at the addresses of now, and of the time after an iteration, by turns (I27). The kernel is the same program as the
        // launches (I39).
        match unsafe { log.stream.launch_together(&resident.function, grid, &all) } {
            Ok(()) => log.replayed(0, &recorded.effects),
            Err(error @ GpuError::DeviceLost { .. }) => return Err(log.blame(error).into()),
            // For example, another program has a part of the multiprocessors.
            Err(error) => return Ok(Err(self.loops.refuse(number, error.to_string()))),
        }
        // Before an error is found: the values are then lost, and not those of the host.
        self.note_replayed(members, recorded);
        let ended = log.stream.synchronize();
        // SAFETY: as above; nothing runs any more.
        let said = unsafe { report.read_volatile() };
        let (count, launch) = (said >> 8, (said & 255) as usize);
        let kernels: Vec<&str> = steps.get(launch).into_iter().flat_map(Step::kernels).collect();
        ended.map_err(|error| log.blame(in_iteration(error, before + count, &kernels)))?;
        log.synchronize()?;
        if count % 2 == 1 {
            exchange(members, &places.exchanges, log.number());
        }
        log.replayed(steps.len() * count as usize, &[]);
        log.count_down(size_of::<u64>());
        Ok(Ok(count))
    }

    /// Whether a launch may write a field. A kernel stores fields of its own objects, and one result, and changes atomic
    /// fields of any object.
    fn may_write(&self, step: &Step, field: ObjectField) -> bool {
        let table = self.tables.iter().find(|table| table.class == field.class);
        table.is_none_or(|table| table.atomics.contains(field.field))
            || step.sections.iter().any(|(effects, _)| effects.class() == field.class)
            || step.stored.as_ref().is_some_and(|stored| stored.to.class == field.class)
    }

    /// Runs a loop as a graph. `None` if the device cannot; then nothing has run.
    fn repeat_by_graph(
        &mut self,
        members: &mut Members<'_>,
        Loop { recorded, most, before, number, .. }: Loop<'_>,
        going: u64,
    ) -> Result<Option<u64>, Error> {
        if !self.log.stream.can_record_loops() {
            return Ok(None);
        }
        let Some(function) = self.looping()? else { return Ok(None) };
        let (log, count) = (self.log.clone(), self.scratch(Scratch::Number, size_of::<u64>())?);
        let inbox = log.inbox();
        let report = inbox.start().cast::<u64>();
        let look = |condition: u64, ended: u32| {
            let to = report.addr() as u64;
            let grid = Grid { blocks: 1, threads: 1, rows: 1, shared_bytes: 0 };
            let own = [&raw const going, &raw const count, &raw const to, &raw const most, &raw const condition];
            let [going, count, to, most, condition] = own.map(<*const u64>::cast::<()>);
            let all = [going, count, to, most, condition, (&raw const ended).cast()];
            // SAFETY: the kernel takes five numbers of 64 bits and one of 32. `going` is the address of a field, `count` of
            // scratch memory, `to` of the inbox, which is locked; each has room. `record_loop` made the condition.
            unsafe { log.stream.launch(&function, grid, &all) }.map_err(|error| log.blame_any(error.into()))
        };
        let mut exchanges = Vec::new();
        let _turn = log.turn();
        let made = log.stream.record_loop(
            |condition| look(condition, 0),
            |condition| {
                recorded.steps.iter().try_for_each(|step| self.start_step(members, step, None, &mut exchanges))?;
                look(condition, 1)
            },
        );
        exchange(members, &exchanges, log.number());
        let made = made.map_err(|error| log.blame_any(error))?;
        let Some((graph, ())) = made.filter(|_| odd(&exchanges).is_empty()) else { return Ok(None) };
        log.replayed(0, &recorded.effects);
        let start = Instant::now();
        // SAFETY: recorded on this stream, whose modules are loaded. The launches are for the columns, numbers of objects
        // and array lengths that `current` has compared, at the addresses of now (I27). These are the same after each
        // iteration: `odd` has found that columns were exchanged an even number of times.
        unsafe { log.stream.replay(&graph) }?;
        // Before an error is found: the values are then lost, and not those of the host.
        self.note_replayed(members, recorded);
        let ended = log.stream.synchronize();
        // SAFETY: in the inbox, which is aligned for it. The kernel has written it, and nothing runs any more.
        let count = unsafe { report.read_volatile() };
        ended.map_err(|error| log.blame(in_iteration(error, before + count, &[])))?;
        log.synchronize()?;
        self.loops.time(number, false, count, start.elapsed());
        self.add_time(number, start.elapsed());
        log.replayed(recorded.steps.len() * count as usize, &[]);
        log.count_down(size_of::<u64>());
        Ok(Some(count))
    }

    /// The kernel that looks at the field.
    fn looping(&mut self) -> Result<Option<Function>, GpuError> {
        if let Some(known) = &self.loops.end {
            return Ok(known.clone());
        }
        let function = match Module::load_waiting(&self.log.context, CODE) {
            Ok(module) => module.function("ikra_loop")?,
            Err(GpuError::DeviceCodeRejected { .. }) => None,
            Err(error) => return Err(error),
        };
        self.loops.end = Some(function.clone());
        Ok(function)
    }
}

/// The number of the column of a field.
fn column_of(members: &Members<'_>, of: ObjectField) -> Option<u32> {
    let member = members.iter().position(|objects| objects.class() == of.class)?;
    let spans = members[member].spans(FieldSet::from_bits(1 << of.field), of.index, of.index + 1);
    let [span] = &spans[..] else { return None };
    column_number(member, span.column)
}

/// The columns that are not in their places again.
fn odd(exchanges: &[Exchange]) -> Vec<Exchange> {
    let mut odd: Vec<Exchange> = Vec::new();
    for &(member, fields) in exchanges {
        match odd.iter_mut().find(|(known, _)| *known == member) {
            Some((_, known)) => *known = FieldSet::from_bits(known.bits() ^ fields.bits()),
            None => odd.push((member, fields)),
        }
    }
    odd.retain(|(_, fields)| !fields.is_empty());
    odd
}

/// The error of an iteration, counted from 1, in the launch of these kernels, if that is known.
pub(crate) fn in_iteration(error: GpuError, ended: u64, kernels: &[&str]) -> GpuError {
    match error {
        GpuError::DeviceLost { kernel, reason } => {
            let launch = if kernels.is_empty() { String::new() } else { format!(", in `{}`", kernels.join(", ")) };
            let reason = format!("{reason}; in iteration {} of a loop{launch}", ended + 1);
            GpuError::DeviceLost { kernel, reason }
        }
        error => error,
    }
}
