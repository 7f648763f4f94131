//! Recordings that a device repeats by itself, as long as a field says so.
//!
//! The loop is a graph: a kernel that looks at the field for the first time, and a node that repeats another graph. That
//! one has the recorded launches, and the same kernel at its end. The kernel counts the iterations, and sets the
//! condition of the next one. It is a module of its own, since only newer drivers know the function that it calls.

use ikra_core::effects::FieldSet;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::executor::{ObjectField, Recording};

use crate::device_world::{DeviceWorld, Scratch};
use crate::driver::{Function, Grid, Module};
use crate::recordings::{Exchange, exchange, read_tables};
use crate::tables::Members;

/// The kernel `ikra_loop(going, count, report, most, condition, ended)`. It adds `ended` iterations to the count, or sets
/// it to 0 if none has ended, and copies it to the host's memory. The next iteration begins if the byte at `going` is not
/// 0, and fewer than `most` have ended.
const CODE: &str = include_str!("looping.ptx");

impl DeviceWorld {
    /// Replays a recording as long as a byte is not 0, at most so many times, and returns how many times it did. `None` if
    /// the device cannot; then nothing has run.
    pub(crate) fn repeat(
        &mut self,
        members: &mut Members<'_>,
        recording: &Recording,
        going: ObjectField,
        most: u64,
    ) -> Result<Option<u64>, Error> {
        let recorded = self.current(members, recording)?;
        let Some(going) = self.field_address(members, going, 1) else { return Ok(None) };
        // Tables in constant memory may differ from iteration to iteration.
        if read_tables(&recorded.steps) || !self.log.stream.can_record_loops() {
            return Ok(None);
        }
        let Some(function) = self.looping()? else { return Ok(None) };
        let (log, count) = (self.log.clone(), self.scratch(Scratch::Number, size_of::<u64>())?);
        let inbox = log.inbox();
        let report = inbox.start().cast::<u64>();
        let look = |condition: u64, ended: u32| {
            let to = report.addr() as u64;
            let grid = Grid { blocks: 1, threads: 1, shared_bytes: 0 };
            let own = [&raw const going, &raw const count, &raw const to, &raw const most, &raw const condition];
            let [going, count, to, most, condition] = own.map(<*const u64>::cast::<()>);
            let all = [going, count, to, most, condition, (&raw const ended).cast()];
            // SAFETY: the kernel takes five numbers of 64 bits and one of 32. `going` is the address of a field, `count` of
            // scratch memory, `to` of the inbox, which is locked; each has room. `record_loop` made the condition.
            unsafe { log.stream.launch(&function, grid, &all) }.map_err(|error| log.blame_any(error.into()))
        };
        let mut exchanges = Vec::new();
        let made = log.stream.record_loop(
            |condition| look(condition, 0),
            |condition| {
                recorded.steps.iter().try_for_each(|step| self.capture_step(members, step, &mut exchanges))?;
                look(condition, 1)
            },
        );
        exchange(members, &exchanges, log.number());
        let Some((graph, ())) = made.map_err(|error| log.blame_any(error))? else { return Ok(None) };
        if !are_undone(&exchanges) {
            return Ok(None);
        }
        log.replayed(0, &recorded.effects);
        // SAFETY: recorded on this stream, whose modules are loaded. The launches are for the columns, numbers of objects
        // and array lengths that `current` has compared, at the addresses of now (I27). These are the same after each
        // iteration, since columns are exchanged an even number of times in each.
        unsafe { log.stream.replay(&graph) }?;
        // Before an error is found: the values are then lost, and not those of the host.
        self.note_replayed(members, recorded);
        let ended = log.stream.synchronize();
        // SAFETY: in the inbox, which is aligned for it. The kernel has written it, and nothing runs any more.
        let count = unsafe { report.read_volatile() };
        ended.map_err(|error| log.blame(in_iteration(error, count)))?;
        log.synchronize()?;
        log.replayed(recorded.steps.len() * count as usize, &[]);
        log.count_down(size_of::<u64>());
        Ok(Some(count))
    }

    /// The kernel that looks at the field.
    fn looping(&mut self) -> Result<Option<Function>, GpuError> {
        if let Some(known) = &self.looping {
            return Ok(known.clone());
        }
        let function = match Module::load_waiting(&self.log.context, CODE) {
            Ok(module) => module.function("ikra_loop")?,
            Err(GpuError::DeviceCodeRejected { .. }) => None,
            Err(error) => return Err(error),
        };
        self.looping = Some(function.clone());
        Ok(function)
    }
}

/// Whether all columns are in their places again.
fn are_undone(exchanges: &[Exchange]) -> bool {
    let mut odd: Vec<Exchange> = Vec::new();
    for &(member, fields) in exchanges {
        match odd.iter_mut().find(|(known, _)| *known == member) {
            Some((_, known)) => *known = FieldSet::from_bits(known.bits() ^ fields.bits()),
            None => odd.push((member, fields)),
        }
    }
    odd.iter().all(|(_, fields)| fields.is_empty())
}

/// The error of an iteration, counted from 1.
fn in_iteration(error: GpuError, ended: u64) -> GpuError {
    match error {
        GpuError::DeviceLost { kernel, reason } => {
            GpuError::DeviceLost { kernel, reason: format!("{reason}; in iteration {} of a loop", ended + 1) }
        }
        error => error,
    }
}
