//! Loops as one kernel, which stays on the device until the loop ends.
//!
//! `ikra_ptx::repeat` makes it of the entry points that were recorded: a block of it executes one block of a launch after
//! another, and all blocks wait for each other between two launches. Its parameters are those of all launches, so it is
//! compiled once for a sequence of entry points, in a thread, when the sequence has proved to be repeated often.

use std::sync::Arc;
use std::time::Duration;

use ikra_ptx::repeat::{Iteration, Launch, MOST_LAUNCHES, repeated_over};
use ikra_ptx::specialize::state;

use crate::compiling::{Compiling, Program};
use crate::device_world::DeviceWorld;
use crate::driver::{Context, Grid, Module};
use crate::loop_size::{Part, grid_of, size};
use crate::loops::{LoopReport, LoopShape, Resident, Sequence, State, Wish};
use crate::recordings::is_exchanged_whole;
use crate::step::Step;
use crate::tables::Members;
use crate::versions::{OF_PANICS, own_state};

/// A loop whose launches have more threads is left to a graph: then it hardly matters how launches follow each other, and
/// each kernel has the registers that it alone needs.
const MOST_THREADS: u64 = 1 << 21;
/// A sequence is compiled when its loops have taken about as long as that takes: then it costs at most as much as it saves.
/// The driver lets other calls wait meanwhile.
const PATIENCE: Duration = Duration::from_millis(300);
/// An iteration over a worklist is expected to have at most so many objects; more of them take turns.
const WORK_THREADS: u32 = 1 << 17;
/// Bytes of local memory that a loop may need beside what one of its kernels does.
const FURTHER_LOCAL_BYTES: usize = 1024;
/// The kernel's name.
const NAME: &str = "ikra_resident";

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
        let alternating = self.loops.sequences[number].alternating;
        let (unfit, waits) = (self.unfit(members, steps, alternating, is_forced), waits || is_forced);
        let threads = steps.iter().map(|step| u64::from(step.grid.blocks) * u64::from(step.grid.threads)).sum();
        let sequence = &mut self.loops.sequences[number];
        if std::mem::replace(&mut sequence.threads, threads) != threads {
            (sequence.by_graph, sequence.in_one) = Default::default();
        }
        sequence.is_fit = unfit.is_none();
        unfit.map_or(Ok(()), Err)?;
        if !is_forced && (sequence.awaits_graph() || sequence.in_one.are_longer(sequence.by_graph)) {
            return Err(String::from("it takes less time as a graph"));
        }
        if waits && matches!(self.loops.sequences[number].state, State::Waiting(_)) {
            self.compile_loop(number);
        }
        let is_long = self.loops.sequences[number].is_long();
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
            State::Waiting(_) if is_long => Err(String::from("its kernels take so long that a graph is as fast")),
            State::Waiting(time) => Err(format!(
                "it is compiled when its loops have taken {} ms, and they took {}",
                PATIENCE.as_millis(),
                time.as_millis()
            )),
        }
    }

    /// Records that loops of a sequence have run otherwise for so long, and compiles it when it pays.
    pub(crate) fn add_time(&mut self, number: usize, time: Duration) {
        let sequence = &mut self.loops.sequences[number];
        let State::Waiting(before) = &mut sequence.state else { return };
        *before = before.saturating_add(time);
        if *before < PATIENCE || !sequence.is_fit {
            return;
        }
        if !sequence.is_long() {
            self.compile_loop(number);
        }
    }

    /// Why these launches cannot be one kernel, or need not be.
    fn unfit(
        &mut self,
        members: &mut Members<'_>,
        steps: &[Step],
        alternating: usize,
        is_forced: bool,
    ) -> Option<String> {
        let no = |reason: &str| Some(String::from(reason));
        let (Some(first), 1..=MOST_LAUNCHES) = (steps.first(), steps.len() * alternating) else {
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
            let Grid { blocks, threads, .. } = step.grid.in_one_row();
            if !threads.is_multiple_of(32) {
                return no("a launch has parts of warps");
            }
            let is_large = u64::from(blocks) * u64::from(threads) > MOST_THREADS;
            if is_large && !is_forced && !step.is_over_work() {
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
            let Grid { blocks, threads, .. } = grid_of(step, is_joint);
            let blocks =
                if step.is_over_work() { blocks.min(WORK_THREADS / threads.min(WORK_THREADS)) } else { blocks };
            Part { blocks, threads, is_joint }
        };
        let parts: Vec<Part> = steps.iter().zip(&*resident.joint).map(part).collect();
        let room =
            |threads: u32| self.log.stream.blocks_together(&resident.function, threads, shared_bytes).unwrap_or(0);
        let wanted = if let Wish::Resident(wanted) = wish { wanted } else { None };
        let (blocks, threads) =
            size(&parts, wanted, room).ok_or("its kernel needs more registers than there are for such blocks")?;
        Ok(Grid { blocks, threads, rows: 1, shared_bytes })
    }

    /// Starts a thread that compiles a sequence.
    fn compile_loop(&mut self, number: usize) {
        let sequence = &mut self.loops.sequences[number];
        let Some(&(module, _)) = sequence.entries.first() else { return };
        let text = self.codes.texts().nth(module).unwrap_or_default();
        let program = Arc::clone(self.specials.programs.entry(module).or_insert_with(|| Program::of(text)));
        let most_local = sequence.local_bytes + FURTHER_LOCAL_BYTES;
        let symbols: Vec<String> = sequence.entries.iter().map(|(_, symbol)| symbol.clone()).collect();
        let (context, alternating, shape) = (self.log.context.clone(), sequence.alternating, sequence.shape.clone());
        let work = move || compiled(&context, program.parsed(text)?, (&symbols, &shape, alternating), most_local);
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

/// Has the driver compile the kernel of a sequence of entry points.
fn compiled(
    context: &Context,
    program: &ikra_ptx::Module,
    (symbols, shape, alternating): (&[String], &LoopShape, usize),
    most_local: usize,
) -> Result<Resident, String> {
    let launches = symbols.iter().zip(&shape.launches);
    let launches =
        launches.map(|(kernel, (length, reach))| Launch { kernel, length: *length, reach: reach.as_deref() });
    let launches: Vec<Launch<'_>> = launches.collect();
    let iteration =
        Iteration { launches: &launches, has_list: shape.has_list, alternating, test: shape.test.as_deref() };
    // What reports panics sees real threads: it compares them with each other only.
    let sees_real_threads = |name: &str| name == ikra_marks::FAILING || name.contains(OF_PANICS);
    let made = repeated_over(program, &iteration, NAME, &sees_real_threads).map_err(|refused| refused.to_string())?;
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
