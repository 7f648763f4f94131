//! What is known about the loops of a world: how they ran, how long they took, and which are one kernel.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ikra_ptx::repeat::are_apart;

use crate::compiling::Compiling;
use crate::driver::Function;
use crate::step::Step;

/// Loops of fewer iterations are not timed: starting them takes too large a part.
pub(crate) const TIMED: u64 = 16;
/// If each launch of a graph takes longer, in nanoseconds, it matters little how launches follow each other: then the
/// sequence is not compiled.
const LONG: f64 = 10_000.0;
/// If each launch takes longer as a part of one kernel, a graph may be faster, where kernels have the registers that they
/// alone need. On an H100, iterations of PageRank with four launches took 76 µs as one kernel and 43 µs as a graph; those of
/// a search with two took 9.6 and 11.8 µs.
const TO_COMPARE: f64 = 6_000.0;
/// Loops as a graph, after which one kernel is tried again where it has taken longer.
const GRAPHS: u32 = 64;
/// So many sequences are kept.
const MOST_SEQUENCES: usize = 64;

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
    /// The host started each iteration.
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
            Self::Resident { blocks: 1, threads } => write!(f, "one kernel of a block with {threads} threads"),
            Self::Resident { blocks, threads } => write!(f, "one kernel of {blocks} blocks with {threads} threads"),
            Self::Graph => f.write_str("a graph"),
            Self::Host => f.write_str("iterations that the host started"),
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
    pub(crate) runs_together: Option<bool>,
    pub(crate) sequences: Vec<Sequence>,
}

/// What is known about the launches of an iteration besides their entry points: see `ikra_ptx::repeat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopShape {
    /// Whether the loop has a worklist.
    pub(crate) has_list: bool,
    /// For each launch: for the objects of a worklist the position of the parameter that is their number, and the columns
    /// that it reads or writes, if it writes no other memory.
    pub(crate) launches: Vec<(Option<usize>, Option<Vec<u32>>)>,
    /// The column that says whether the loop goes on; none if it is counted, `None` if that is not known.
    pub(crate) test: Option<Vec<u32>>,
}

impl LoopShape {
    fn of(steps: &[Step], test: Option<Vec<u32>>) -> Self {
        // Entry points take the first position, the end, and a list.
        let has_list = steps.iter().any(|step| step.work.is_some());
        // Blocks always wait in a loop with a worklist.
        let reach = |step: &Step| if has_list { None } else { step.reach() };
        let launch = |step: &Step| (step.is_over_work().then_some(1), reach(step));
        Self { has_list, launches: steps.iter().map(launch).collect(), test }
    }

    /// Whether the first launch leaves the column alone that says whether the loop goes on.
    pub(crate) fn first_is_apart(&self) -> bool {
        let first = self.launches.first().and_then(|(_, reach)| reach.as_deref());
        are_apart(first, self.test.as_deref())
    }
}

/// Entry points that were repeated.
#[derive(Debug)]
pub(crate) struct Sequence {
    /// Their modules and names.
    pub(crate) entries: Vec<(usize, String)>,
    /// How many iterations alternate: 2 if columns are exchanged an odd number of times in each.
    pub(crate) alternating: usize,
    pub(crate) shape: LoopShape,
    pub(crate) kernels: Vec<&'static str>,
    /// Bytes of local memory that a thread of one of them needs.
    pub(crate) local_bytes: usize,
    pub(crate) state: State,
    pub(crate) form: LoopForm,
    /// Why the last loop was not one kernel.
    pub(crate) reason: Option<String>,
    /// Whether it could be one, once the kernel is compiled.
    pub(crate) is_fit: bool,
    /// Threads of all launches, for which the times are.
    pub(crate) threads: u64,
    pub(crate) by_graph: Times,
    pub(crate) in_one: Times,
}

impl Sequence {
    /// Whether it is one kernel that may still be compared with a graph.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, State::Ready(_)) && self.by_graph.loops == 0
    }

    /// Whether a graph is to be compared now: where launches are short, the kernel is faster.
    pub(crate) fn awaits_graph(&self) -> bool {
        self.is_open() && self.in_one.loops > 1 && self.in_one.last > TO_COMPARE * self.entries.len() as f64
    }

    /// Whether each launch of a graph takes so long that one kernel would hardly be faster.
    pub(crate) fn is_long(&self) -> bool {
        self.by_graph.best > LONG * self.entries.len() as f64
    }

    /// Whether it may become one kernel later.
    pub(crate) fn may_change(&self) -> bool {
        self.is_fit && matches!(self.state, State::Waiting(_) | State::Compiling(_))
    }
}

/// Times of loops of one form, in nanoseconds of an iteration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    pub(crate) loops: u32,
    /// The fastest loop.
    pub(crate) best: f64,
    /// The last one.
    pub(crate) last: f64,
}

impl Times {
    /// For a form that does not exist.
    pub(crate) const NEVER: Self = Self { loops: 1, best: f64::INFINITY, last: f64::INFINITY };

    fn add(&mut self, iteration: f64) {
        self.best = if self.last == 0.0 { iteration } else { self.best.min(iteration) };
        self.last = iteration;
        self.loops += 1;
    }

    /// Whether loops of this form took clearly longer than those of the other one.
    pub(crate) fn are_longer(self, other: Self) -> bool {
        // The first loop may include work of the driver.
        self.loops > 1 && other.loops > 0 && self.best > 1.1 * other.best
    }
}

#[derive(Debug)]
pub(crate) enum State {
    /// Loops have taken so long.
    Waiting(Duration),
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
    pub(crate) joint: Arc<[bool]>,
}

impl Loops {
    /// The number of the sequence of these launches. `test` is the column that says whether the loop goes on, if it is known
    /// (see [`LoopShape::test`]).
    pub(crate) fn number(&mut self, steps: &[Step], alternating: usize, test: Option<Vec<u32>>) -> usize {
        let shape = LoopShape::of(steps, test);
        let is_same = |sequence: &Sequence| {
            let entries = sequence.entries.iter().map(|(module, symbol)| (*module, symbol.as_str()));
            (sequence.alternating, &sequence.shape) == (alternating, &shape)
                && entries.eq(steps.iter().map(|step| (step.entry.module, step.entry.symbol.as_str())))
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
            alternating,
            shape,
            kernels: steps.iter().flat_map(Step::kernels).collect(),
            local_bytes: steps.iter().map(|step| step.entry.function.footprint.local_bytes).max().unwrap_or(0),
            state: State::Waiting(Duration::ZERO),
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
        let sequence = &mut self.sequences[number];
        if count == 0 && is_resident {
            // The driver has done what it does once.
            sequence.in_one.loops = sequence.in_one.loops.max(1);
        }
        if count >= TIMED {
            if !is_resident && sequence.by_graph.loops == 0 && sequence.in_one.loops > 0 {
                // The work of an iteration may have changed since the fastest one.
                sequence.in_one.best = sequence.in_one.last;
            }
            let times = if is_resident { &mut sequence.in_one } else { &mut sequence.by_graph };
            times.add(time.as_nanos() as f64 / count as f64);
            // The work of an iteration may have changed since.
            if !is_resident && times.loops.is_multiple_of(GRAPHS) {
                sequence.in_one = Times::default();
            }
        }
    }
}

impl State {
    /// Waits for the thread that compiles it, if there is one.
    pub(crate) fn finish(&mut self) {
        *self = match std::mem::replace(self, Self::Waiting(Duration::ZERO)) {
            Self::Compiling(thread) => thread.result().map_or_else(Self::Refused, Self::Ready),
            state => state,
        };
    }
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
