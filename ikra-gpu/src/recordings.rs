//! Recordings on a device: launches, and graphs of them.
//!
//! A kernel with `snapshot` exchanges columns for their snapshots. So after a sequence with an odd number of such
//! kernels, or between sequences, columns are in other memory. The launches stay the same, but a graph contains
//! addresses. A graph is made for each state that occurs: most often one, or two that alternate.

use std::sync::{Arc, Mutex, PoisonError};
use std::{iter, mem, ptr};

use ikra_core::class::ClassId;
use ikra_core::effects::{Effects, FieldSet};
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Recorded, Recorder, Recording};
use ikra_runtime::objects::AnyObjects;

use crate::device_columns::DeviceColumns;
use crate::device_world::{DeviceWorld, columns};
use crate::driver::Graph;
use crate::step::{Positions, Step, WorkPlace};
use crate::stream_log::StreamLog;
use crate::tables::{Members, Table, TableState, Text};

/// A recorded sequence.
#[derive(Debug)]
pub(crate) struct DeviceRecording {
    // Dropped first: the graphs use the modules of the log.
    graphs: Mutex<Graphs>,
    pub(crate) steps: Vec<Step>,
    /// The launches of all steps, without repetition.
    pub(crate) effects: Vec<&'static Effects>,
    /// The objects that the recording is for.
    tables: Vec<TableState>,
    log: Arc<StreamLog>,
}

#[derive(Debug, Default)]
struct Graphs {
    captured: Vec<Captured>,
    texts: Vec<Text>,
}

/// The most launches in a graph that repeats a recording.
const MOST_TOGETHER: u64 = 256;
/// The number of graphs that are kept. More states alternate only if columns of many fields are exchanged between
/// replays.
const MAX_GRAPHS: usize = 8;

/// Recorded launches as a graph, for the columns' addresses when it was made.
#[derive(Debug)]
struct Captured {
    graph: Graph,
    /// How many times it has the launches.
    times: u64,
    /// The columns' addresses for each member before the launches.
    before: Vec<Vec<u64>>,
    /// The contents of tables in constant memory afterwards, if the launches read them.
    said: Option<Vec<Vec<u64>>>,
    exchanges: Vec<Exchange>,
}

/// Fields of a member whose columns are exchanged for their snapshots.
pub(crate) type Exchange = (usize, FieldSet);

/// The addresses of each member's columns.
fn places(members: &mut Members<'_>, stream: u64) -> Vec<Vec<u64>> {
    (0..members.len()).map(|member| columns(members, member, stream).to_vec()).collect()
}

/// Exchanges the columns of these fields for their snapshots. A second call undoes the exchange.
pub(crate) fn exchange(members: &mut Members<'_>, exchanges: &[Exchange], stream: u64) {
    for &(member, fields) in exchanges {
        if let Some(columns) = DeviceColumns::known(&mut *members[member], stream) {
            columns.swap_shadow(fields);
        }
    }
}

impl Captured {
    /// Whether it is for the columns' current addresses.
    fn is_for(&self, members: &mut Members<'_>, stream: u64) -> bool {
        self.before.iter().enumerate().all(|(member, then)| columns(members, member, stream) == then)
    }
}

/// Whether the launches read tables in constant memory.
pub(crate) fn read_tables(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.entry.reads_tables)
}

/// The objects of a class, and their position among the members.
pub(crate) fn own<'m>(members: &'m mut Members<'_>, class: ClassId) -> Option<(usize, &'m mut dyn AnyObjects)> {
    let member = members.iter().position(|objects| objects.class() == class)?;
    Some((member, &mut *members[member]))
}

/// Whether the values of a launch's snapshots need no copies: the columns are exchanged for them, or there are none.
pub(crate) fn is_exchanged_whole(members: &mut Members<'_>, effects: &Effects, positions: &Positions) -> bool {
    if effects.shadowed().is_empty() {
        return effects.copied().is_empty();
    }
    let Some((_, objects)) = own(members, effects.class()) else { return false };
    effects.copied().is_empty() && positions.are_all(objects)
}

/// Records on a stream.
struct StreamRecorder(Arc<StreamLog>);

impl Recorder for StreamRecorder {
    fn record(&self, sequence: &mut dyn FnMut() -> Result<(), Error>) -> Result<Recorded, Error> {
        let steps = self.0.record(sequence)?;
        let mut effects: Vec<&'static Effects> = Vec::new();
        for (changes, _) in steps.iter().flat_map(|step| &step.sections) {
            if !effects.iter().any(|known| ptr::eq(*known, *changes)) {
                effects.push(changes);
            }
        }
        let (graphs, tables, log) = (Mutex::default(), Vec::new(), Arc::clone(&self.0));
        Ok(Box::new(DeviceRecording { graphs, steps, effects, tables, log }))
    }
}

impl DeviceWorld {
    pub(crate) fn recorder(&mut self, members: &mut Members<'_>) -> Result<Arc<dyn Recorder>, Error> {
        self.log.refuse_in_recording("another recording")?;
        if let Some(objects) = members.iter().find(|objects| objects.holes() > 0) {
            let what = format!(
                "a world in which objects of class {} were removed, and which `world.compact` has not closed up since,",
                objects.name()
            );
            return Err(Error::NotRecordable { what });
        }
        self.prepare(members, &[])?;
        self.log.synchronize()?;
        Ok(Arc::new(StreamRecorder(Arc::clone(&self.log))))
    }

    /// Completes work that was recorded here. Graphs of it are made when they are needed.
    pub(crate) fn recorded(&mut self, members: &mut Members<'_>, recorded: Recorded) -> Result<Recorded, Error> {
        let own = recorded.downcast::<DeviceRecording>().ok().filter(|made| Arc::ptr_eq(&made.log, &self.log));
        let Some(mut recorded) = own else {
            return Err(Error::NotRecordable { what: String::from("putting another world in this one's place") });
        };
        for (member, objects) in members.iter_mut().enumerate() {
            if !self.knows(member, &mut **objects) {
                let what = format!("a change to objects of class {} elsewhere", objects.name());
                return Err(Error::NotRecordable { what });
            }
        }
        self.prepare(members, &[])?;
        recorded.tables = self.tables.iter().map(|table| table.state.clone()).collect();
        Ok(recorded)
    }

    /// A recording that can be replayed here now, in a prepared world.
    ///
    /// # Errors
    ///
    /// [`Error::StaleRecording`].
    pub(crate) fn current<'r>(
        &mut self,
        members: &mut Members<'_>,
        recording: &'r Recording,
    ) -> Result<&'r DeviceRecording, Error> {
        self.log.refuse_in_recording("replaying another one")?;
        let own = recording.recorded::<DeviceRecording>().filter(|made| Arc::ptr_eq(&made.log, &self.log));
        let Some(recorded) = own else {
            let reason = String::from("it was made in another world, or before this one was opened again");
            return Err(Error::StaleRecording { reason });
        };
        if let Some(objects) = members.iter().find(|objects| objects.holes() > 0) {
            let reason =
                format!("objects of class {} were removed; call `world.compact`, and record again", objects.name());
            return Err(Error::StaleRecording { reason });
        }
        self.prepare(members, &[])?;
        if let Some(reason) = Table::difference(&self.tables, &recorded.tables) {
            return Err(Error::StaleRecording { reason });
        }
        // Lists whose objects' snapshots are copied: a capture cannot fetch them.
        for (effects, positions) in recorded.steps.iter().flat_map(|step| &step.sections) {
            if let (false, Some(list)) = (effects.shadowed().is_empty(), &positions.list) {
                list.objects()?;
            }
        }
        Ok(recorded)
    }

    /// As [`current`](Self::current), of a recording that is no loop over a worklist.
    pub(crate) fn current_alone<'r>(
        &mut self,
        members: &mut Members<'_>,
        recording: &'r Recording,
    ) -> Result<&'r DeviceRecording, Error> {
        let recorded = self.current(members, recording)?;
        if recorded.steps.iter().any(|step| step.work.is_some()) {
            let reason = String::from("it is for the worklist of a loop");
            return Err(Error::StaleRecording { reason });
        }
        Ok(recorded)
    }

    /// Replays a recording.
    pub(crate) fn replay(&mut self, members: &mut Members<'_>, recording: &Recording) -> Result<(), Error> {
        let recorded = self.current_alone(members, recording)?;
        self.replay_together(members, recorded, 1)
    }

    /// Replays a recording so many times, with as few launches as pays.
    pub(crate) fn replay_times(
        &mut self,
        members: &mut Members<'_>,
        recorded: &DeviceRecording,
        times: u64,
    ) -> Result<(), Error> {
        let together = MOST_TOGETHER / recorded.steps.len().max(1) as u64;
        // Making a graph takes as long as some launches.
        let (together, single) = if together > 1 && times >= 4 * together && !read_tables(&recorded.steps) {
            (together, times % together)
        } else {
            (1, times)
        };
        for _ in 0..(times - single) / together {
            self.replay_together(members, recorded, together)?;
        }
        (0..single).try_for_each(|_| self.replay_together(members, recorded, 1))
    }

    /// Replays a recording so many times, as one graph.
    fn replay_together(
        &mut self,
        members: &mut Members<'_>,
        recorded: &DeviceRecording,
        times: u64,
    ) -> Result<(), Error> {
        let mut graphs = recorded.graphs.lock().unwrap_or_else(PoisonError::into_inner);
        let Graphs { captured, texts } = &mut *graphs;
        if read_tables(&recorded.steps) {
            self.write_tables(members)?;
        }
        let is_known = |captured: &Captured| captured.times == times && captured.is_for(members, self.log.number());
        let known = captured.iter().position(is_known);
        let known = match known {
            Some(known) => known,
            None => {
                if captured.len() == MAX_GRAPHS {
                    captured.remove(0);
                }
                captured.push(self.capture(members, &recorded.steps, times, texts)?);
                captured.len() - 1
            }
        };
        // SAFETY: recorded on this stream, whose modules are loaded. The launches are for the columns, numbers of
        // objects and array lengths that the tables described then, and describe now. Columns with the same number are
        // the same memory, which the world owns. The graph is for the current addresses (I27), and if it reads tables
        // in constant memory, they hold these addresses too.
        unsafe { self.run_captured(members, &captured[known]) }?;
        self.log.replayed(recorded.steps.len() * times as usize, &recorded.effects);
        self.note_replayed(members, recorded);
        Ok(())
    }

    /// Records that only the device is current for the fields that recorded launches change.
    pub(crate) fn note_replayed(&self, members: &mut Members<'_>, recorded: &DeviceRecording) {
        self.note_changes(members, recorded.effects.iter().copied());
        for stored in recorded.steps.iter().filter_map(|step| step.stored.as_ref()) {
            self.note_stored(members, stored.to);
        }
    }

    /// Captures recorded launches in a graph, so many times, for the columns' current addresses and matching tables.
    /// Afterwards columns and tables are as before.
    fn capture(
        &mut self,
        members: &mut Members<'_>,
        steps: &[Step],
        times: u64,
        texts: &mut Vec<Text>,
    ) -> Result<Captured, Error> {
        let log = self.log.clone();
        let _turn = log.turn();
        let before = places(members, self.log.number());
        let mut said = Vec::new();
        for (table, columns) in self.tables.iter_mut().zip(&before) {
            let now = iter::once(table.header).chain(columns.iter().copied()).collect();
            said.push(mem::replace(&mut table.said, now));
        }
        let mut exchanges = Vec::new();
        self.texts = Some(mem::take(texts));
        let graph = log.stream.record(|| {
            let mut all = (0..times).flat_map(|_| steps);
            all.try_for_each(|step| self.start_step(members, step, None, &mut exchanges))
        });
        *texts = self.texts.take().unwrap_or_default();
        for (table, said) in self.tables.iter_mut().zip(&mut said) {
            mem::swap(&mut table.said, said);
        }
        exchange(members, &exchanges, log.number());
        let (graph, ()) = graph.map_err(|error| log.blame_any(error))?;
        let said = read_tables(steps).then_some(said);
        Ok(Captured { graph, times, before, said, exchanges })
    }

    /// Starts a launch, or captures it, with copies of its snapshots. Adds the columns that are exchanged after it.
    pub(crate) fn start_step(
        &mut self,
        members: &mut Members<'_>,
        step: &Step,
        place: Option<&WorkPlace>,
        exchanges: &mut Vec<Exchange>,
    ) -> Result<(), Error> {
        for (effects, _) in &step.sections {
            let Some((_, objects)) = own(members, effects.class()) else { continue };
            DeviceColumns::of(objects, &self.log)?.fill_shadow(effects.copied())?;
        }
        let words = self.words(members, &step.entry)?;
        let stored = step.stored.as_ref().map(|stored| self.field_address(members, stored.to, stored.size));
        let Some(result) = stored.unwrap_or(Some(0)) else { unreachable!("it was found when it was recorded") };
        // SAFETY: `Step` was made for the entry point with its arguments, and these are its table entries. The kernel
        // is sound when it runs, which the code that runs the graph guarantees, or `iterate`, whose list this is (I40).
        unsafe { step.start(&self.log.stream, &words, result, place) }?;
        self.spare = words;
        for (effects, positions) in &step.sections {
            let Some((member, objects)) = own(members, effects.class()) else { continue };
            let snapshot = effects.shadowed();
            if !snapshot.is_empty() && self.commit_snapshot(objects, snapshot, positions)? {
                exchanges.push((member, snapshot));
            }
        }
        Ok(())
    }

    /// Runs a graph that matches the current columns and tables, and records that they have changed.
    ///
    /// # Safety
    ///
    /// The captured steps are still sound.
    unsafe fn run_captured(&mut self, members: &mut Members<'_>, captured: &Captured) -> Result<(), Error> {
        // SAFETY: the captured steps are still sound, and the graph contains nothing else.
        unsafe { self.log.stream.replay(&captured.graph) }?;
        for (table, said) in self.tables.iter_mut().zip(captured.said.iter().flatten()) {
            table.said.clone_from(said);
        }
        exchange(members, &captured.exchanges, self.log.number());
        Ok(())
    }
}
