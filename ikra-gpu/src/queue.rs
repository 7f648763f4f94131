//! The stream of a world, and what is known of the work on it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ikra_runtime::error::Error;

use crate::driver::{Context, Event, Function, Grid, HostMemory, Module, Stream};
use crate::stats::Counters;

/// The stream on which a world's kernels and copies run in order.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) context: Context,
    pub(crate) stream: Stream,
    pub(crate) module: Module,
    /// The kernel that copies small columns to the inbox.
    copy: Function,
    /// Where results and small columns arrive.
    inbox: Mutex<HostMemory>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    counters: Counters,
    /// The kernels started since the stream was last synchronised, without repetition.
    running: Vec<&'static str>,
    /// Whether kernels are timed.
    timed: bool,
    /// Launches whose time is not known yet.
    times: Vec<(&'static str, Event, Event)>,
    /// The error after which the device's state is lost.
    lost: Option<(String, String)>,
}

/// Bytes of the inbox.
pub(crate) const INBOX_BYTES: usize = 1 << 16;

/// Up to so many bytes a kernel copies in less time than it takes until the device's copy engine starts.
const COPIED_BY_KERNEL: usize = 1 << 13;

/// Timed launches that may be outstanding.
const MAX_TIMES: usize = 4096;

impl Queue {
    /// # Errors
    ///
    /// Also [`Error::DeviceCodeRejected`] if the code was made by another version of `ikra-build`.
    pub(crate) fn new(context: &Context, module: Module) -> Result<Self, Error> {
        let copy = module.function("ikra_copy")?.ok_or_else(|| Error::DeviceCodeRejected {
            log: String::from("it has no kernel `ikra_copy`: it was made by another version; build the program anew"),
        })?;
        Ok(Self {
            context: context.clone(),
            stream: Stream::new(context)?,
            copy,
            module,
            inbox: Mutex::new(HostMemory::new(context, INBOX_BYTES)?),
            state: Mutex::default(),
        })
    }

    /// Memory that the device can write: [`INBOX_BYTES`], used by one at a time, and not after what it is used
    /// for has been waited for.
    pub(crate) fn inbox(&self) -> MutexGuard<'_, HostMemory> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if the device's state is lost.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.state().lost {
            Some((kernel, reason)) => Err(Error::DeviceLost { kernel: kernel.clone(), reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// Names the kernels that may have caused an error, and remembers it.
    pub(crate) fn blame(&self, error: Error) -> Error {
        let Error::DeviceLost { reason, .. } = error else { return error };
        let mut state = self.state();
        if state.lost.is_none() {
            let kernel = match state.running.as_slice() {
                [] => String::from("no kernel of this world"),
                [kernel] => format!("kernel `{kernel}`"),
                kernels => format!("one of the kernels `{}`", kernels.join("`, `")),
            };
            state.lost = Some((kernel, reason.clone()));
        }
        let kernel = state.lost.as_ref().map_or_else(String::new, |(kernel, _)| kernel.clone());
        Error::DeviceLost { kernel, reason }
    }

    /// Starts a kernel, or adds it to a recording.
    ///
    /// # Safety
    ///
    /// As for [`Stream::launch`].
    pub(crate) unsafe fn launch(
        &self,
        recording: bool,
        kernel: &'static str,
        function: Function,
        grid: Grid,
        arguments: &[*const ()],
    ) -> Result<(), Error> {
        if recording {
            // SAFETY: by the caller.
            return unsafe { self.stream.launch(function, grid, arguments) }.map_err(|error| self.blame(error));
        }
        let timer = self.start_timer()?;
        // SAFETY: by the caller.
        unsafe { self.stream.launch(function, grid, arguments) }.map_err(|error| self.blame(error))?;
        {
            let mut state = self.state();
            state.counters.launches += 1;
            state.note_running(kernel);
        }
        self.stop_timer(kernel, timer)
    }

    /// Copies bytes to the inbox. They are there when the stream has been synchronised.
    ///
    /// # Safety
    ///
    /// There are `len` bytes at `from`, and room for them at `to`, a multiple of 4 in the inbox.
    pub(crate) unsafe fn copy_to_inbox(&self, to: *mut u8, from: u64, len: usize) -> Result<(), Error> {
        let copied = if 0 < len && len <= COPIED_BY_KERNEL && from.is_multiple_of(4) {
            let (to, bytes) = (to.addr() as u64, len as u32);
            let arguments = [(&raw const from).cast(), (&raw const to).cast(), (&raw const bytes).cast()];
            let threads = bytes.div_ceil(4).next_multiple_of(32).min(512);
            // SAFETY: the kernel takes two pointers and a `u32`, and copies what the caller says is there; it is one
            // block of 32 threads or more.
            unsafe { self.stream.launch(self.copy, Grid { blocks: 1, threads, shared_bytes: 0 }, &arguments) }
        } else {
            // SAFETY: by the caller.
            unsafe { self.stream.download(to, from, len) }
        };
        copied.map_err(|error| self.blame(error))
    }

    /// Marks where a kernel starts, if kernels are timed.
    fn start_timer(&self) -> Result<Option<Event>, Error> {
        if self.state().timed { self.stream.mark().map(Some) } else { Ok(None) }
    }

    /// Marks where the kernel ends.
    fn stop_timer(&self, kernel: &'static str, timer: Option<Event>) -> Result<(), Error> {
        let Some(start) = timer else { return Ok(()) };
        let mut state = self.state();
        let end = self.stream.mark()?;
        state.times.push((kernel, start, end));
        if state.times.len() >= MAX_TIMES {
            state.collect_times();
        }
        Ok(())
    }

    /// Notes launches that were replayed.
    pub(crate) fn replayed(&self, kernels: &[&'static str]) {
        let mut state = self.state();
        state.counters.launches += kernels.len() as u64;
        for kernel in kernels {
            state.note_running(kernel);
        }
    }

    /// Waits for everything so far.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        self.check()?;
        self.stream.synchronize().map_err(|error| self.blame(error))?;
        self.state().running.clear();
        Ok(())
    }

    pub(crate) fn count_up(&self, bytes: usize) {
        self.state().counters.bytes_up += bytes as u64;
    }

    pub(crate) fn count_down(&self, bytes: usize) {
        self.state().counters.bytes_down += bytes as u64;
    }

    /// Starts or stops to time kernels.
    pub(crate) fn set_timed(&self, timed: bool) {
        self.state().timed = timed;
    }

    /// What was counted so far. Waits for kernels that are timed.
    pub(crate) fn counters(&self) -> Counters {
        let mut state = self.state();
        state.collect_times();
        state.counters.clone()
    }
}

impl State {
    fn note_running(&mut self, kernel: &'static str) {
        // Names are constants: most often the very same text.
        if !self.running.iter().any(|&running| std::ptr::eq(running, kernel)) {
            self.running.push(kernel);
        }
    }

    fn collect_times(&mut self) {
        for (kernel, start, end) in self.times.drain(..) {
            // A launch whose time cannot be read any more is not counted: the error comes from elsewhere too.
            if let Ok(time) = start.until(&end) {
                let entry = self.counters.kernels.entry(kernel).or_insert((0, Duration::ZERO));
                entry.0 += 1;
                entry.1 += time;
            }
        }
    }
}
