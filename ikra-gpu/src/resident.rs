//! Loops as one kernel, which stays on the device until the loop ends.
//!
//! `ikra_ptx::repeat` makes it of the entry points that were recorded: a block of it executes one block of a launch after
//! another, and all blocks wait for each other between two launches. Its parameters are those of all launches, so it is
//! compiled once for a sequence of entry points, in a thread, when the sequence has proved to be repeated often.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ikra_ptx::repeat::{MOST_LAUNCHES, repeated};
use ikra_ptx::specialize::state;

use crate::compiling::{Compiling, Program};
use crate::device_world::DeviceWorld;
use crate::driver::{Context, Function, Grid, Module};
use crate::loop_size::{Part, size};
use crate::recordings::is_exchanged_whole;
use crate::step::Step;
use crate::tables::Members;
use crate::versions::{OF_PANICS, own_state};

/// A loop whose launches have more threads is left to a graph: then it hardly matters how launches follow each other, and
/// each kernel has the registers that it alone needs.
const MOST_THREADS: u64 = 1 << 21;
/// A sequence is compiled when so many iterations of it have run.
const PATIENCE: u64 = 64;
/// If an iteration as a graph takes longer for each launch, in nanoseconds, it matters little how launches follow each
/// other: then the sequence is not compiled.
const LONG: f64 = 30_000.0;
/// Loops of fewer iterations are not timed: starting them takes too large a part.
const TIMED: u64 = 16;
/// Loops as a graph, after which one kernel is tried again where it has taken longer.
const GRAPHS: u32 = 64;
/// Bytes of local memory that a loop may need beside what one of its kernels does.
const FURTHER_LOCAL_BYTES: usize = 1024;
/// So many sequences are kept.
const MOST_SEQUENCES: usize = 64;
/// The kernel's name.
const NAME: &str = "ikra_resident";

/// How a loop ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopForm {
    /// As one kernel with so many blocks of so many threads.
    Resident {
        /// Blocks.
        blocks: u32,
        /// Threads of a block.
        threads: u32,
    },
    /// As a graph that repeats a part of itself.
    Graph,
    /// The host started the kernels of each iteration.
    Host,
}

/// A loop's kernels, and how it ran: see [`Cuda::loops`](crate::Cuda::loops).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoopReport {
    /// The kernels of an iteration: `Class::method`.
    pub kernels: Vec<&'static str>,
    /// How it ran the last time.
    pub form: LoopForm,
    /// Why it does not run as one kernel; `None` if the next one may.
    pub reason: Option<String>,
}

impl fmt::Display for LoopForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resident { blocks, threads } => write!(f, "one kernel of {blocks} blocks with {threads} threads"),
            Self::Graph => f.write_str("a graph"),
            Self::Host => f.write_str("kernels that the host started"),
        }
    }
}

impl fmt::Display for LoopReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ran as {}", self.kernels.join(", "), self.form)?;
        self.reason.as_ref().map_or(Ok(()), |reason| write!(f, ", since {reason}"))
    }
}

/// How loops are to run: the variable `IKRA_LOOPS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// As it is fastest.
    Fast,
    /// `resident`: as one kernel, whenever that is possible; `resident:8x256` with so many blocks and threads.
    Resident(Option<(u32, u32)>),
    /// `graph`: never as one kernel.
    Graph,
    /// `host`: never without the host.
    Host,
}

impl Wish {
    pub(crate) fn now() -> Self {
        std::env::var("IKRA_LOOPS").map_or(Self::Fast, |text| Self::of(&text))
    }

    fn of(text: &str) -> Self {
        let size = |text: &str| {
            let (blocks, threads) = text.split_once('x')?;
            Some((blocks.parse().ok()?, threads.parse().ok()?))
        };
        match text.split_once(':').unwrap_or((text, "")) {
            ("resident", wanted) => Self::Resident(size(wanted)),
            ("graph", _) => Self::Graph,
            ("host", _) => Self::Host,
            _ => Self::Fast,
        }
    }
}

/// What is known about the loops of a world.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// The kernel that ends a graph's loop, if it was looked for; `Some(None)` if the driver rejects it.
    pub(crate) end: Option<Option<Function>>,
    /// Whether blocks of a kernel can wait for each other, if that was asked.
    runs_together: Option<bool>,
    sequences: Vec<Sequence>,
}

/// Entry points that were repeated.
#[derive(Debug)]
struct Sequence {
    /// Their modules and names.
    entries: Vec<(usize, String)>,
    kernels: Vec<&'static str>,
    /// Bytes of local memory that a thread of one of them needs.
    local_bytes: usize,
    state: State,
    form: LoopForm,
    /// Why the last loop was not one kernel.
    reason: Option<String>,
    /// Whether it could be one, once the kernel is compiled.
    is_fit: bool,
    /// Threads of all launches, for which the times are.
    threads: u64,
    by_graph: Times,
    in_one: Times,
}

/// Times of loops of one form.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    loops: u32,
    /// Nanoseconds of an iteration in the fastest loop.
    best: f64,
}

impl Times {
    fn add(&mut self, iteration: f64) {
        self.best = if self.loops == 0 { iteration } else { self.best.min(iteration) };
        self.loops += 1;
    }

    /// Whether loops of this form took clearly longer than those of the other one.
    fn are_longer(self, other: Self) -> bool {
        // The first loop may include work of the driver.
        self.loops > 1 && other.loops > 0 && self.best > 1.1 * other.best
    }
}

#[derive(Debug)]
enum State {
    /// So many iterations have run.
    Waiting(u64),
    Compiling(Compiling<Resident>),
    Ready(Resident),
    Refused(String),
}

/// The kernel of a sequence.
#[derive(Clone, Debug)]
pub(crate) struct Resident {
    pub(crate) function: Function,
    /// The number of its parameters.
    pub(crate) parameters: usize,
    /// Whether the threads of a block work together, for each launch.
    joint: Arc<[bool]>,
}

impl Loops {
    /// The number of the sequence of these launches.
    pub(crate) fn number(&mut self, steps: &[Step]) -> usize {
        let is_same = |sequence: &Sequence| {
            let entries = sequence.entries.iter().map(|(module, symbol)| (*module, symbol.as_str()));
            entries.eq(steps.iter().map(|step| (step.entry.module, step.entry.symbol.as_str())))
        };
        if let Some(known) = self.sequences.iter().position(is_same) {
            return known;
        }
        if self.sequences.len() == MOST_SEQUENCES {
            // The oldest one for which nothing has to be waited for.
            let is_idle = |sequence: &Sequence| !matches!(sequence.state, State::Compiling(_));
            self.sequences.remove(self.sequences.iter().position(is_idle).unwrap_or(0));
        }
        self.sequences.push(Sequence {
            entries: steps.iter().map(|step| (step.entry.module, step.entry.symbol.clone())).collect(),
            kernels: steps.iter().flat_map(Step::kernels).collect(),
            local_bytes: steps.iter().map(|step| step.entry.function.footprint.local_bytes).max().unwrap_or(0),
            state: State::Waiting(0),
            form: LoopForm::Host,
            reason: None,
            is_fit: false,
            threads: 0,
            by_graph: Times::default(),
            in_one: Times::default(),
        });
        self.sequences.len() - 1
    }

    /// Records why a sequence is not one kernel from now on, and returns the reason.
    pub(crate) fn refuse(&mut self, number: usize, reason: String) -> String {
        self.sequences[number].state = State::Refused(reason.clone());
        reason
    }

    /// Records how a loop ran, and why not as one kernel.
    pub(crate) fn note(&mut self, number: usize, form: LoopForm, reason: Option<String>) {
        (self.sequences[number].form, self.sequences[number].reason) = (form, reason);
    }

    /// Records the time of a loop.
    pub(crate) fn time(&mut self, number: usize, is_resident: bool, count: u64, time: Duration) {
        if count >= TIMED {
            let sequence = &mut self.sequences[number];
            let times = if is_resident { &mut sequence.in_one } else { &mut sequence.by_graph };
            times.add(time.as_nanos() as f64 / count as f64);
            // The work of an iteration may have changed since.
            if !is_resident && times.loops.is_multiple_of(GRAPHS) {
                sequence.in_one = Times::default();
            }
        }
    }
}

impl DeviceWorld {
    /// The kernel for these launches, or the reason why there is none now. `waits` says that it is to be compiled at once.
    pub(crate) fn resident(
        &mut self,
        members: &mut Members<'_>,
        steps: &[Step],
        number: usize,
        wish: Wish,
        waits: bool,
    ) -> Result<Resident, String> {
        let is_forced = match wish {
            Wish::Resident(_) => true,
            Wish::Fast => false,
            Wish::Graph | Wish::Host => return Err(String::from("`IKRA_LOOPS` says so")),
        };
        let (unfit, waits) = (self.unfit(members, steps, is_forced), waits || is_forced);
        let threads = steps.iter().map(|step| u64::from(step.grid.blocks) * u64::from(step.grid.threads)).sum();
        let sequence = &mut self.loops.sequences[number];
        if std::mem::replace(&mut sequence.threads, threads) != threads {
            (sequence.by_graph, sequence.in_one) = Default::default();
        }
        sequence.is_fit = unfit.is_none();
        unfit.map_or(Ok(()), Err)?;
        if !is_forced && sequence.in_one.are_longer(sequence.by_graph) {
            return Err(String::from("it has taken less time as a graph"));
        }
        if waits && matches!(self.loops.sequences[number].state, State::Waiting(_)) {
            self.compile_loop(number);
        }
        let state = &mut self.loops.sequences[number].state;
        if let State::Compiling(thread) = state
            && (waits || thread.is_done())
        {
            state.finish();
        }
        match state {
            State::Ready(resident) => Ok(resident.clone()),
            State::Refused(reason) => Err(reason.clone()),
            State::Compiling(_) => Err(String::from("it is being compiled")),
            State::Waiting(ended) => {
                Err(format!("it is compiled when {PATIENCE} iterations have run, and {ended} have"))
            }
        }
    }

    /// Records that so many iterations of a sequence have run otherwise, and compiles it when it pays.
    pub(crate) fn count_iterations(&mut self, number: usize, ended: u64) {
        let sequence = &mut self.loops.sequences[number];
        let State::Waiting(before) = &mut sequence.state else { return };
        *before = before.saturating_add(ended);
        if *before < PATIENCE || !sequence.is_fit {
            return;
        }
        let long = LONG * sequence.entries.len() as f64;
        if sequence.by_graph.best > long {
            sequence.reason = Some(String::from("its kernels take so long that a graph is as fast"));
        } else {
            self.compile_loop(number);
        }
    }

    /// Why these launches cannot be one kernel, or need not be.
    fn unfit(&mut self, members: &mut Members<'_>, steps: &[Step], is_forced: bool) -> Option<String> {
        let no = |reason: &str| Some(String::from(reason));
        let (Some(first), 1..=MOST_LAUNCHES) = (steps.first(), steps.len()) else {
            return no("it has no launches, or too many");
        };
        if !*self.loops.runs_together.get_or_insert_with(|| self.log.stream.runs_together()) {
            return no("the device or its driver cannot run blocks together for any time");
        }
        for step in steps {
            if step.entry.module != first.entry.module {
                return no("its kernels were compiled in several packages");
            }
            if self.codes.is_recursive(step.entry.module, &step.entry.symbol) {
                return no("its kernels call functions that may call themselves");
            }
            let Grid { blocks, threads, .. } = step.grid;
            if !threads.is_multiple_of(32) {
                return no("a launch has parts of warps");
            }
            if !is_forced && u64::from(blocks) * u64::from(threads) > MOST_THREADS {
                return no("it has so many threads that a graph is as fast");
            }
            if !step.sections.iter().all(|(effects, positions)| is_exchanged_whole(members, effects, positions)) {
                return no("values of snapshots are copied");
            }
        }
        None
    }

    /// The launch of a kernel for these launches, or the reason why there is none.
    pub(crate) fn loop_grid(&self, resident: &Resident, steps: &[Step], wish: Wish) -> Result<Grid, String> {
        let shared_bytes = steps.iter().map(|step| step.grid.shared_bytes).max().unwrap_or(0);
        let part = |(step, &is_joint): (&Step, &bool)| {
            let Grid { blocks, threads, .. } = step.grid;
            Part { blocks, threads, is_joint }
        };
        let parts: Vec<Part> = steps.iter().zip(&*resident.joint).map(part).collect();
        let room =
            |threads: u32| self.log.stream.blocks_together(&resident.function, threads, shared_bytes).unwrap_or(0);
        let wanted = if let Wish::Resident(wanted) = wish { wanted } else { None };
        let (blocks, threads) =
            size(&parts, wanted, room).ok_or("its kernel needs more registers than there are for such blocks")?;
        Ok(Grid { blocks, threads, shared_bytes })
    }

    /// Starts a thread that compiles a sequence.
    fn compile_loop(&mut self, number: usize) {
        let sequence = &mut self.loops.sequences[number];
        let Some(&(module, _)) = sequence.entries.first() else { return };
        let text = self.codes.texts().nth(module).unwrap_or_default();
        let program = Arc::clone(self.specials.programs.entry(module).or_insert_with(|| Program::of(text)));
        let most_local = sequence.local_bytes + FURTHER_LOCAL_BYTES;
        let symbols: Vec<String> = sequence.entries.iter().map(|(_, symbol)| symbol.clone()).collect();
        let context = self.log.context.clone();
        let work = move || compiled(&context, program.parsed(text)?, &symbols, most_local);
        sequence.state = Compiling::start("ikra-loop", work).map_or_else(State::Refused, State::Compiling);
    }

    /// Waits for loops that are being compiled, and says how each ran.
    pub(crate) fn reported_loops(&mut self) -> Vec<LoopReport> {
        let of = |sequence: &mut Sequence| {
            let was_compiling = matches!(sequence.state, State::Compiling(_));
            sequence.state.finish();
            let reason = match &sequence.state {
                State::Refused(reason) => Some(reason.clone()),
                State::Ready(_) if was_compiling => None,
                _ => sequence.reason.clone(),
            };
            sequence.reason.clone_from(&reason);
            LoopReport { kernels: sequence.kernels.clone(), form: sequence.form, reason }
        };
        self.loops.sequences.iter_mut().map(of).collect()
    }
}

impl State {
    /// Waits for the thread that compiles it, if there is one.
    fn finish(&mut self) {
        *self = match std::mem::replace(self, Self::Waiting(0)) {
            Self::Compiling(thread) => thread.result().map_or_else(Self::Refused, Self::Ready),
            state => state,
        };
    }
}

/// Has the driver compile the kernel of a sequence of entry points.
fn compiled(
    context: &Context,
    program: &ikra_ptx::Module,
    symbols: &[String],
    most_local: usize,
) -> Result<Resident, String> {
    let names: Vec<&str> = symbols.iter().map(String::as_str).collect();
    // What reports panics sees real threads: it compares them with each other only.
    let sees_real_threads = |name: &str| name == ikra_marks::FAILING || name.contains(OF_PANICS);
    let made = repeated(program, &names, NAME, &sees_real_threads).map_err(|refused| refused.to_string())?;
    let text = made.module.to_string();
    if let Some(variable) = own_state(&state(&made.module), &text) {
        return Err(format!("it uses a variable of the program, `{variable}`, of which a loop would have its own"));
    }
    let module = Module::load(context, &text).map_err(|error| error.to_string())?;
    let function = module.function(NAME).map_err(|error| error.to_string())?;
    let function = function.ok_or("the driver does not find it")?;
    if function.footprint.local_bytes > most_local {
        return Err(String::from("it needs more local memory than its kernels"));
    }
    let parameters = made.module.function(NAME).map_or(0, |kernel| kernel.parameters.len());
    Ok(Resident { function, parameters, joint: made.joint.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_form_is_found() {
        let mut times = [Times::default(); 2];
        let is_longer = |times: [Times; 2]| times[1].are_longer(times[0]);
        assert!(!is_longer(times));
        times[0].add(5.0);
        times[1].add(50.0);
        assert!(!is_longer(times), "the first loop may include work of the driver");
        times[1].add(5.4);
        assert!(!is_longer(times), "about as fast");
        times[0].add(4.0);
        assert!(is_longer(times));
    }

    #[test]
    fn wishes() {
        for (text, wish) in [
            ("", Wish::Fast),
            ("sideways", Wish::Fast),
            ("graph", Wish::Graph),
            ("host", Wish::Host),
            ("resident", Wish::Resident(None)),
            ("resident:8x256", Wish::Resident(Some((8, 256)))),
            ("resident:8", Wish::Resident(None)),
        ] {
            assert_eq!(Wish::of(text), wish, "{text}");
        }
    }
}
