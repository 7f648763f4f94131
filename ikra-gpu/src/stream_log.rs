//! The stream of a world, and the records about its work.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use ikra_core::effects::Effects;
use ikra_core::kernel::Argument;
use ikra_runtime::error::{Error, GpuError};

use crate::arguments::Arguments;
use crate::driver::{Context, Event, Function, Grid, HostMemory, Loss, Module, Stream};
use crate::kernels::Kernels;
use crate::stats::Counters;
use crate::step::Step;

/// The stream on which a world's kernels and copies run in order.
///
/// A world, its columns and its recordings share it, so it lives as long as any of them.
#[derive(Debug)]
pub(crate) struct StreamLog {
    /// Unique among all streams that the process ever had.
    number: u64,
    pub(crate) context: Context,
    pub(crate) stream: Stream,
    /// The stream of copies from other devices.
    side: OnceLock<Stream>,
    /// The device code, in the order in which kernels are searched; at least one module.
    pub(crate) modules: Vec<Module>,
    /// The kernels of the first module that are not of its model.
    pub(crate) kernels: Kernels,
    /// The buffer for arriving results and small columns.
    inbox: Mutex<HostMemory>,
    turns: Mutex<()>,
    state: Mutex<State>,
    /// The launches so far, while kernels are recorded.
    recording: Mutex<Option<Trace>>,
    /// Whether kernels are being recorded, for the check at each launch.
    is_recording: AtomicBool,
    /// Whether kernels are timed, for the check at each launch, which then takes the lock once.
    is_timed: AtomicBool,
    /// Whether the world that created it was dropped.
    is_finished: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    counters: Counters,
    /// The kernels started since the stream was last synchronised, without repetition.
    running: Vec<&'static str>,
    /// Kernels with methods that may call themselves.
    recursive: Vec<&'static str>,
    /// Launches whose time is not known yet.
    times: Vec<(&'static str, Event, Event)>,
}

/// Threads of a block, and the shared memory of each of them, in words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) threads: u32,
    pub(crate) words: u32,
}

/// The recorded launches.
#[derive(Debug, Default)]
struct Trace {
    steps: Vec<Step>,
    /// The first error, which the recording code may not have seen.
    failure: Option<String>,
}

/// Bytes of the inbox.
pub(crate) const INBOX_BYTES: usize = 1 << 16;

/// Up to this size, a kernel finishes its copy before the device's copy engine would have started.
const COPIED_BY_KERNEL: usize = 1 << 13;

/// The largest number of timed launches that may be outstanding.
const MAX_TIMES: usize = 4096;

/// The logs of the process: when two share a context, a kernel of one may fail during a call for the other.
static LOGS: Mutex<Vec<Weak<StreamLog>>> = Mutex::new(Vec::new());

impl StreamLog {
    /// # Errors
    ///
    /// Also [`GpuError::DeviceCodeRejected`] if another version of `ikra-build` made the code.
    pub(crate) fn new(context: &Context, modules: Vec<Module>) -> Result<Arc<Self>, GpuError> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let kernels = Kernels::of(&modules[0])?;
        let log = Arc::new(Self {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            context: context.clone(),
            stream: Stream::new(context)?,
            side: OnceLock::new(),
            kernels,
            modules,
            inbox: Mutex::new(HostMemory::new(context, INBOX_BYTES)?),
            turns: Mutex::default(),
            state: Mutex::default(),
            recording: Mutex::default(),
            is_recording: AtomicBool::new(false),
            is_timed: AtomicBool::new(false),
            is_finished: AtomicBool::new(false),
        });
        let mut logs = LOGS.lock().unwrap_or_else(PoisonError::into_inner);
        logs.retain(|log| log.strong_count() > 0);
        logs.push(Arc::downgrade(&log));
        Ok(log)
    }

    /// A number that no other stream of the process has or had.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The stream of copies from other devices.
    pub(crate) fn side(&self) -> Result<&Stream, GpuError> {
        match self.side.get() {
            Some(side) => Ok(side),
            None => {
                let made = Stream::new(&self.context)?;
                Ok(self.side.get_or_init(|| made))
            }
        }
    }

    /// Whether the world that created it was dropped.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished.load(Ordering::Relaxed)
    }

    /// Memory that the device can write: [`INBOX_BYTES`]. It has one user at a time, which waits for its results before
    /// the next use.
    pub(crate) fn inbox(&self) -> MutexGuard<'_, HostMemory> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn to copy to the host, as any thread may, or to capture: a graph would get the copy. The inbox comes first.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn trace(&self) -> MutexGuard<'_, Option<Trace>> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if the device's state is lost.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        match self.context.loss() {
            Some(loss) => Err(loss.error(self.number)),
            None => Ok(()),
        }
    }

    /// Adds the kernels that may have caused an error to it, and remembers it.
    pub(crate) fn blame(&self, error: GpuError) -> GpuError {
        let GpuError::DeviceLost { mut reason, .. } = error else { return error };
        let loss = self.context.lose(|| {
            let kernels = running_in(&self.context);
            let state = self.state();
            let recursive = state.recursive.iter().find(|&known| kernels.contains(&(self.number, known)));
            if let (Some(kernel), false) = (recursive, reason.contains("CUDA_ERROR_ASSERT")) {
                reason += &format!(
                    "; methods that `{kernel}` calls may call themselves: perhaps so often that a thread's stack was too small, which `.stack(bytes)` of `ikra_build::Device` in the build script makes larger"
                );
            }
            Loss { kernels, reason }
        });
        loss.error(self.number)
    }

    /// Does work that must not stop half way: after any error, values that only this device has are lost.
    pub(crate) fn whole(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        work().map_err(|error| {
            let (kernel, reason) = (String::from("work that has begun"), error.to_string());
            let is_lost = matches!(error, Error::Gpu(GpuError::DeviceLost { .. }));
            self.blame_any(if is_lost { error } else { GpuError::DeviceLost { kernel, reason }.into() })
        })
    }

    /// Records that methods of a kernel may call themselves.
    pub(crate) fn note_recursive(&self, kernel: &'static str) {
        let mut state = self.state();
        if !state.recursive.contains(&kernel) {
            state.recursive.push(kernel);
        }
    }

    /// As `blame`, for errors of any kind.
    pub(crate) fn blame_any(&self, error: Error) -> Error {
        if let Error::Gpu(error) = error { self.blame(error).into() } else { error }
    }

    /// Whether kernels are recorded.
    pub(crate) fn is_recording(&self) -> bool {
        self.is_recording.load(Ordering::Acquire)
    }

    /// Fails while kernels are recorded.
    pub(crate) fn refuse_in_recording(&self, what: &str) -> Result<(), Error> {
        if self.is_recording() { Err(Error::NotRecordable { what: what.to_owned() }) } else { Ok(()) }
    }

    /// Records an error: a recording that misses a kernel is unusable.
    pub(crate) fn spoil_recording(&self, error: &Error) {
        if self.is_recording()
            && let Some(trace) = &mut *self.trace()
        {
            trace.failure.get_or_insert_with(|| error.to_string());
        }
    }

    /// Adds a launch to the recording.
    pub(crate) fn note(&self, step: Step) {
        if let Some(trace) = &mut *self.trace() {
            trace.steps.push(step);
        }
    }

    /// Records the launches of `sequence` on this stream. However it ends, the recording has ended afterwards.
    pub(crate) fn record(&self, sequence: impl FnOnce() -> Result<(), Error>) -> Result<Vec<Step>, Error> {
        struct Ends<'a>(&'a StreamLog);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.is_recording.store(false, Ordering::Release);
                *self.0.trace() = None;
            }
        }
        self.refuse_in_recording("another recording")?;
        let ends = Ends(self);
        *self.trace() = Some(Trace::default());
        self.is_recording.store(true, Ordering::Release);
        sequence().map_err(|error| self.blame_any(error))?;
        let trace = self.trace().take().unwrap_or_default();
        drop(ends);
        match trace.failure {
            Some(failure) => Err(Error::NotRecordable { what: format!("a call that failed ({failure})") }),
            None => Ok(trace.steps),
        }
    }

    /// Waits for kernels that are still outstanding when the world is dropped, and prints a message if one failed.
    pub(crate) fn finish(&self) {
        self.is_finished.store(true, Ordering::Relaxed);
        if self.is_recording() || self.state().running.is_empty() || self.context.loss().is_some() {
            return;
        }
        if let Err(Error::Gpu(GpuError::DeviceLost { kernel, reason })) = self.synchronize() {
            eprintln!(
                "ikra: the device failed in {kernel}: {reason}; its world was dropped before anyone waited for it"
            );
        }
    }

    /// Records work that was started, so that a later error can name it.
    pub(crate) fn note_running(&self, work: &'static str) {
        self.state().note_running(work);
    }

    /// Starts a kernel.
    ///
    /// # Safety
    ///
    /// As for [`Stream::launch`].
    pub(crate) unsafe fn launch(
        &self,
        kernel: &'static str,
        function: &Function,
        grid: Grid,
        arguments: &[*const ()],
    ) -> Result<(), GpuError> {
        let timer = self.start_timer()?;
        // SAFETY: by the caller.
        unsafe { self.stream.launch(function, grid, arguments) }.map_err(|error| self.blame(error))?;
        {
            let mut state = self.state();
            state.counters.launches += 1;
            state.note_running(kernel);
        }
        if let Some(start) = timer {
            self.stop_timer(kernel, start);
        }
        Ok(())
    }

    /// Starts one of these kernels. Errors name it by `work`.
    pub(crate) fn start(
        &self,
        work: &'static str,
        function: &Function,
        blocks: u32,
        Block { threads, words }: Block,
        own: &[Argument<'_>],
    ) -> Result<(), GpuError> {
        let grid = Grid { blocks, threads, rows: 1, shared_bytes: words * threads * size_of::<u32>() as u32 };
        let arguments = Arguments { own, arguments: &[] };
        // SAFETY: the callers pass what the kernel takes: addresses of memory with room for the numbers given beside them.
        arguments.with_places(&[], |all| unsafe { self.launch(work, function, grid, all) })
    }

    /// Copies bytes to the inbox. They have arrived when the stream has been synchronised.
    ///
    /// # Safety
    ///
    /// `from` has `len` bytes, and `to`, a multiple of 4 in the inbox, has room for them.
    pub(crate) unsafe fn copy_to_inbox(&self, to: *mut u8, from: u64, len: usize) -> Result<(), GpuError> {
        let copied = if 0 < len && len <= COPIED_BY_KERNEL && from.is_multiple_of(4) {
            let (to, bytes) = (to.addr() as u64, len as u32);
            let arguments = [(&raw const from).cast(), (&raw const to).cast(), (&raw const bytes).cast()];
            let threads = bytes.div_ceil(4).next_multiple_of(32).min(512);
            // SAFETY: the kernel takes two pointers and a `u32`, and copies bytes that exist by the caller. It runs as
            // one block of 32 threads or more.
            unsafe {
                self.stream.launch(
                    &self.kernels.copy,
                    Grid { blocks: 1, threads, rows: 1, shared_bytes: 0 },
                    &arguments,
                )
            }
        } else {
            // SAFETY: `from` has `len` bytes, and the inbox has room for them; it lives until the stream is
            // synchronised.
            unsafe { self.stream.download(to, from, len) }
        };
        copied.map_err(|error| self.blame(error))
    }

    /// Marks the start of a kernel, if kernels are timed.
    fn start_timer(&self) -> Result<Option<Event>, GpuError> {
        if self.is_timed.load(Ordering::Relaxed) { self.stream.mark().map(Some) } else { Ok(None) }
    }

    /// Marks the end of the kernel. An error must not hide that the kernel was started: its time is missing then.
    fn stop_timer(&self, kernel: &'static str, start: Event) {
        let mut state = self.state();
        let Ok(end) = self.stream.mark() else { return };
        state.times.push((kernel, start, end));
        if state.times.len() >= MAX_TIMES {
            state.collect_times();
        }
    }

    /// Adds replayed launches to the statistics.
    pub(crate) fn replayed(&self, launches: usize, effects: &[&'static Effects]) {
        let mut state = self.state();
        state.counters.launches += launches as u64;
        for effects in effects {
            state.note_running(effects.kernel());
        }
    }

    /// Adds a loop to the statistics.
    pub(crate) fn count_loop(&self, is_resident: bool) {
        let counters = &mut self.state().counters;
        *if is_resident { &mut counters.resident_loops } else { &mut counters.graph_loops } += 1;
    }

    /// Waits for all work so far.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        self.check()?;
        self.refuse_in_recording("synchronizing")?;
        self.wait()
    }

    /// The same, also while another thread makes a recording: copies to the host that have begun need it.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        self.stream.synchronize().map_err(|error| self.blame(error))?;
        self.state().running.clear();
        Ok(())
    }

    /// Copies numbers to the host.
    ///
    /// # Safety
    ///
    /// The address has so many, in memory that is alive. Every bit pattern is one.
    pub(crate) unsafe fn fetched<T: Copy + Default>(&self, from: u64, len: usize) -> Result<Vec<T>, Error> {
        self.check()?;
        let _turn = self.turn();
        let mut numbers = vec![T::default(); len];
        let bytes = size_of_val(&numbers[..]);
        // SAFETY: both buffers have so many; the stream is synchronised below.
        unsafe { self.stream.download(numbers.as_mut_ptr().cast(), from, bytes) }.map_err(|error| self.blame(error))?;
        self.wait()?;
        self.count_down(bytes);
        Ok(numbers)
    }

    pub(crate) fn count_up(&self, bytes: usize) {
        self.state().counters.bytes_up += bytes as u64;
    }

    pub(crate) fn count_down(&self, bytes: usize) {
        self.state().counters.bytes_down += bytes as u64;
    }

    pub(crate) fn count_across(&self, bytes: usize) {
        self.state().counters.bytes_across += bytes as u64;
    }

    /// Turns the timing of kernels on or off.
    pub(crate) fn set_timed(&self, timed: bool) {
        self.is_timed.store(timed, Ordering::Relaxed);
    }

    /// The statistics so far. Waits for timed kernels.
    pub(crate) fn counters(&self) -> Counters {
        let mut state = self.state();
        if !self.is_recording() {
            state.collect_times();
        }
        state.counters.clone()
    }
}

/// The kernels of all logs in a context that are still outstanding.
fn running_in(context: &Context) -> Vec<(u64, &'static str)> {
    let logs: Vec<Arc<StreamLog>> = {
        let logs = LOGS.lock().unwrap_or_else(PoisonError::into_inner);
        logs.iter().filter_map(Weak::upgrade).collect()
    };
    let mut running = Vec::new();
    for log in logs.iter().filter(|log| log.context.number() == context.number()) {
        running.extend(log.state().running.iter().map(|&kernel| (log.number, kernel)));
    }
    running
}

impl State {
    fn note_running(&mut self, kernel: &'static str) {
        // Names are constants, so most often the very same text.
        if !self.running.iter().any(|&running| std::ptr::eq(running, kernel)) {
            self.running.push(kernel);
        }
    }

    fn collect_times(&mut self) {
        for (kernel, start, end) in self.times.drain(..) {
            // If the time of a launch cannot be read any more, the launch is not counted: the error is reported
            // elsewhere too.
            if let Ok(time) = start.until(&end) {
                let entry = self.counters.kernels.entry(kernel).or_insert((0, Duration::ZERO));
                entry.0 += 1;
                entry.1 += time;
            }
        }
    }
}
