//! The host's executor.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::run::{OnHost, Step};
use super::{Executor, Part, Recorded, Recorder, Recording, Run};
use crate::error::Error;
use crate::objects::AnyObjects;
use crate::place::Place;
use crate::world::World;

/// Describes the worker, the pool's threads.
pub(super) fn worker() -> String {
    match rayon::current_num_threads() {
        1 => String::from("1 thread"),
        threads => format!("{threads} threads"),
    }
}

/// Runs kernels on the threads of rayon's pool.
pub(super) struct Host<W> {
    /// The current recording; shared with recorders.
    trace: Arc<Trace<W>>,
    /// The state of the world's classes when the last recorder was made.
    began: Vec<ClassState>,
}

/// The steps of a recording in progress.
struct Trace<W> {
    /// Unique in the process, also after this executor is dropped.
    number: u64,
    steps: Mutex<Option<Steps<W>>>,
}

struct Kept<W> {
    step: Box<dyn Step<W>>,
    /// The objects, one range per class; `None` means all objects.
    ranges: Option<Box<[Range<usize>]>>,
}

struct Steps<W> {
    runs: Vec<Kept<W>>,
    /// The first error, even if the recording program ignored it.
    failure: Option<String>,
}

struct HostRecording<W> {
    runs: Vec<Kept<W>>,
    world: u64,
    classes: Vec<ClassState>,
}

/// The properties of a class on which a recording relies.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ClassState {
    name: &'static str,
    count: u32,
    /// The time of the last removal.
    removed_at: u64,
    /// The number of used bytes in the arena.
    arena: usize,
    /// The number of the table.
    table: u64,
}

impl ClassState {
    fn of(members: &[&dyn AnyObjects]) -> Vec<Self> {
        let state = |member: &&dyn AnyObjects| {
            let (name, count, arena) = (member.name(), member.count(), member.arena_bytes());
            // SAFETY: the header belongs to the objects, which are borrowed.
            let table = unsafe { member.header().as_ref() }.number;
            Self { name, count, removed_at: member.removed_at(), arena, table }
        };
        members.iter().map(state).collect()
    }

    /// Describes how the classes have changed, if they have.
    fn difference(then: &[Self], now: &[Self]) -> Option<String> {
        let (then, now) = then.iter().zip(now).find(|(then, now)| then != now)?;
        let name = then.name;
        Some(if then.count != now.count {
            format!("it was made for {} objects of class {name}, and there are {}", then.count, now.count)
        } else if then.removed_at != now.removed_at {
            format!("objects of class {name} were removed since")
        } else if then.table != now.table {
            format!("the columns of class {name} were exchanged for others")
        } else {
            format!("arrays of class {name} have other lengths")
        })
    }
}

impl<W> Trace<W> {
    fn steps(&self) -> MutexGuard<'_, Option<Steps<W>>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> fmt::Debug for Host<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("number", &self.trace.number).finish_non_exhaustive()
    }
}

impl<W> Steps<W> {
    fn add(&mut self, run: &Run<'_, W>) -> Result<(), Error> {
        match (&run.on_host, run.launch.not_recordable()) {
            (OnHost::Step(step), None) => {
                let ranges = match run.part {
                    Part::All => None,
                    Part::Ranges(ranges) => Some(ranges.into()),
                    Part::List(_) => return Err(self.refuse("a kernel for a list of links")),
                    Part::Shared(_) => return Err(self.refuse("a kernel that several processes share")),
                };
                self.runs.push(Kept { step: step.keep(), ranges });
                Ok(())
            }
            (_, what) => Err(self.refuse(what.unwrap_or("this"))),
        }
    }

    /// Stores an error. A recording that lacks a kernel is useless.
    fn refuse(&mut self, what: &str) -> Error {
        let error = Error::NotRecordable { what: what.to_owned() };
        self.failure.get_or_insert_with(|| error.to_string());
        error
    }
}

impl<W> fmt::Debug for HostRecording<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded").field("runs", &self.runs.len()).field("classes", &self.classes).finish()
    }
}

impl<W: World> Recorder for Trace<W> {
    fn record(&self, sequence: &mut dyn FnMut() -> Result<(), Error>) -> Result<Recorded, Error> {
        struct Ends<'a, W>(&'a Trace<W>);
        impl<W> Drop for Ends<'_, W> {
            fn drop(&mut self) {
                *self.0.steps() = None;
            }
        }
        *self.steps() = Some(Steps { runs: Vec::new(), failure: None });
        let ends = Ends(self);
        sequence()?;
        let steps = self.steps().take();
        drop(ends);
        match steps {
            Some(Steps { runs, failure: None }) => {
                Ok(Box::new(HostRecording { runs, world: self.number, classes: Vec::new() }))
            }
            steps => {
                let failure = steps.and_then(|steps| steps.failure).unwrap_or_default();
                Err(Error::NotRecordable { what: format!("a call that failed ({failure})") })
            }
        }
    }
}

impl<W: World> Host<W> {
    pub(super) fn new() -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Self { trace: Arc::new(Trace { number, steps: Mutex::new(None) }), began: Vec::new() }
    }

    fn refuse_in_recording(&self, what: &str) -> Result<(), Error> {
        match &mut *self.trace.steps() {
            Some(steps) => Err(steps.refuse(what)),
            None => Ok(()),
        }
    }
}

// SAFETY: 1. to 3. every run that is not recorded is run by `on_host`, for its whole part.
unsafe impl<W: World> Executor<W> for Host<W> {
    fn place(&self) -> Place {
        Place::Host
    }

    fn worker(&self) -> Result<String, Error> {
        Ok(worker())
    }

    fn run(&mut self, world: &mut W, run: &mut Run<'_, W>) -> Result<(), Error> {
        if let Some(steps) = &mut *self.trace.steps() {
            return steps.add(run);
        }
        run.on_host(world, run.part)
    }

    fn synchronize(&mut self, _: &mut W) -> Result<(), Error> {
        self.refuse_in_recording("synchronizing")
    }

    fn recorder(&mut self, world: &mut W) -> Result<Arc<dyn Recorder>, Error> {
        self.refuse_in_recording("another recording")?;
        self.began = ClassState::of(world.members().as_ref());
        Ok(Arc::clone(&self.trace) as Arc<dyn Recorder>)
    }

    fn recorded(&mut self, world: &mut W, recorded: Recorded) -> Result<Recorded, Error> {
        let refused = |what: String| Err(Error::NotRecordable { what });
        let recorded = recorded.downcast::<HostRecording<W>>().ok().filter(|made| made.world == self.trace.number);
        let Some(mut recorded) = recorded else {
            return refused(String::from("putting another world in this one's place"));
        };
        recorded.classes = ClassState::of(world.members().as_ref());
        if let Some(then) = self.began.iter().zip(&recorded.classes).find(|(then, now)| then != now) {
            return refused(format!("a change to objects or columns of class {} on the host", then.0.name));
        }
        Ok(recorded)
    }

    unsafe fn replay(&mut self, world: &mut W, recording: &Recording) -> Result<(), Error> {
        self.refuse_in_recording("replaying another one")?;
        let recorded = recording.recorded::<HostRecording<W>>().filter(|made| made.world == self.trace.number);
        let Some(recorded) = recorded else {
            return Err(Error::StaleRecording { reason: String::from("it was made in another world") });
        };
        if let Some(reason) = ClassState::difference(&recorded.classes, &ClassState::of(world.members().as_ref())) {
            return Err(Error::StaleRecording { reason });
        }
        recorded.runs.iter().try_for_each(|run| {
            let part = run.ranges.as_deref().map_or(Part::All, Part::Ranges);
            run.step.run(world, part)
        })
    }
}
