//! Work on streams, and the time of its execution.
//!
//! Enqueued work is not executed at once, unless the host has to wait for it. When the host waits, or a stream is full,
//! pieces of work are executed one by one. Each comes from any stream whose next piece may run; the seed decides the
//! order. So a program shows if its streams should wait for each other and do not.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use super::graph::Graph;
use super::module::Function;
use super::state::{Driver, Handle};
use super::status::{Done, INVALID_HANDLE, INVALID_VALUE, STREAM_CAPTURE_UNSUPPORTED, Status, is_fatal};
use crate::machine;

/// The capacity of a stream: further work makes it execute some.
const FULL: usize = 512;

/// A position in a stream: the number of pieces of work before it.
pub(crate) type Place = (Handle, u64);

/// A part of memory in two dimensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) place: Where,
    pub(crate) pitch: usize,
}

/// The position of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Where {
    Device(u64),
    /// An address of the host's.
    Host(usize),
}

impl Where {
    fn plus(self, bytes: usize) -> Self {
        match self {
            Self::Device(address) => Self::Device(address + bytes as u64),
            Self::Host(address) => Self::Host(address + bytes),
        }
    }
}

/// A piece of work on a stream.
#[derive(Clone)]
pub(crate) enum Work {
    /// Writes bytes that were copied from the host before.
    Write { to: u64, bytes: Vec<u8> },
    /// Copies rows of bytes.
    Copy { to: Side, from: Side, width: usize, rows: usize },
    /// Fills memory with the same element.
    Fill { to: u64, element: [u8; 4], width: usize, count: usize },
    /// Runs a kernel.
    Kernel { function: Arc<Function>, launch: machine::Launch },
    /// Notes the time.
    Record { event: Handle, number: u64 },
    /// Copies bytes from a context's memory.
    Across { to: u64, owner: Handle, from: u64, bytes: usize },
    /// Nothing: it waits for other work.
    Wait,
    /// Executes a recording.
    Graph(Arc<Graph>),
    /// Executes a recording as long as a condition is not 0. `body` is the recording's handle, until the recording that
    /// holds this is instantiated.
    Loop { condition: u64, body: Handle, graph: Arc<Graph> },
    /// Calls a function of the host.
    Call { function: unsafe extern "C" fn(*mut c_void), data: usize },
    /// Frees memory.
    Free(u64),
}

struct Entry {
    work: Work,
    after: Vec<Place>,
    /// Whether it may be executed before the kernel in front of it.
    is_early: bool,
}

/// A stream.
pub(crate) struct Stream {
    pub(crate) context: Handle,
    /// Whether it waits for the default stream, and the default stream for it.
    pub(crate) is_blocking: bool,
    /// Whether the program has released its handle: the rest is executed.
    pub(crate) is_destroyed: bool,
    /// The recording in progress.
    pub(crate) capture: Option<Handle>,
    queue: VecDeque<Entry>,
    /// The number of pieces of work that were ever put on it.
    count: u64,
}

impl Stream {
    pub(crate) fn new(context: Handle, is_blocking: bool) -> Self {
        Self { context, is_blocking, is_destroyed: false, capture: None, queue: VecDeque::new(), count: 0 }
    }

    /// The number of executed pieces of work.
    fn done(&self) -> u64 {
        self.count - self.queue.len() as u64
    }

    /// The position after all work so far.
    pub(crate) fn end(&self) -> u64 {
        self.count
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }
}

impl Driver {
    /// Puts work on a stream, or into its recording.
    pub(crate) fn put_on(&mut self, handle: Handle, work: Work, mut after: Vec<Place>, is_early: bool) -> Done {
        let (stream, context) = self.stream(handle)?;
        self.context(context)?;
        if let Some(capture) = self.streams[&stream].capture {
            return self.add_to_capture(capture, work);
        }
        // The default stream waits for the others, and they wait for it.
        let default = self.contexts[&context].default;
        let is_blocking = self.streams[&stream].is_blocking;
        for (&other, state) in &self.streams {
            let is_of_both = stream == default || other == default;
            if is_blocking
                && is_of_both
                && other != stream
                && state.context == context
                && state.is_blocking
                && !state.is_idle()
            {
                after.push((other, state.end()));
            }
        }
        let state = self.streams.get_mut(&stream).ok_or(INVALID_HANDLE)?;
        state.queue.push_back(Entry { work, after, is_early });
        state.count += 1;
        let end = state.end();
        if state.queue.len() > FULL {
            // Half of it, so that this does not happen for each piece of work.
            return self.finish((stream, end - FULL as u64 / 2));
        }
        Ok(())
    }

    fn is_reached(&self, (stream, place): Place) -> bool {
        self.streams.get(&stream).is_none_or(|stream| stream.done() >= place)
    }

    /// Executes all work before a position of a stream, and perhaps other work.
    ///
    /// # Errors
    ///
    /// The error of the stream's context, if a kernel has failed in it.
    pub(crate) fn finish(&mut self, place: Place) -> Done {
        let Some(context) = self.streams.get(&place.0).map(|stream| stream.context) else { return Ok(()) };
        while !self.is_reached(place) {
            self.do_one();
        }
        self.context(context).map(drop)
    }

    /// The same for all work of a stream.
    pub(crate) fn finish_stream(&mut self, stream: Handle) -> Done {
        let end = self.streams.get(&stream).map_or(0, Stream::end);
        self.finish((stream, end))
    }

    /// The same for all work of a context.
    pub(crate) fn finish_context(&mut self, context: Handle) -> Done {
        let of_context = self.streams.iter().filter(|(_, stream)| stream.context == context);
        let places: Vec<Place> = of_context.map(|(&handle, stream)| (handle, stream.end())).collect();
        places.into_iter().try_for_each(|place| self.finish(place))?;
        self.context(context).map(drop)
    }

    /// Executes one piece of work from any stream whose next piece may run.
    pub(crate) fn do_one(&mut self) {
        let is_ready = |entry: &Entry| entry.after.iter().all(|&place| self.is_reached(place));
        let mut ready: Vec<(Handle, usize)> = Vec::new();
        for (&handle, stream) in &self.streams {
            let mut entries = stream.queue.iter();
            let Some(first) = entries.next() else { continue };
            if is_ready(first) {
                ready.push((handle, 0));
                // A kernel that is started early and does not wait may overtake the kernel before it.
                let overtakes = |entry: &&Entry| {
                    entry.is_early
                        && is_ready(entry)
                        && matches!((&first.work, &entry.work), (Work::Kernel { .. }, Work::Kernel { .. }))
                };
                if entries.next().as_ref().is_some_and(overtakes) {
                    ready.push((handle, 1));
                }
            }
        }
        assert!(!ready.is_empty(), "streams wait for each other");
        let (handle, position) = ready[self.random.below(ready.len())];
        let Some(stream) = self.streams.get_mut(&handle) else { return };
        let context = stream.context;
        let Some(entry) = stream.queue.remove(position) else { return };
        if stream.is_destroyed && stream.is_idle() {
            self.streams.remove(&handle);
        }
        self.perform(context, entry.work);
    }

    /// Executes it, and notes a failure.
    fn perform(&mut self, context: Handle, work: Work) {
        match self.try_perform(context, work) {
            Ok(()) => {}
            Err(status) => {
                let status = if is_fatal(status) { status } else { super::status::LAUNCH_FAILED };
                if let Some(state) = self.contexts.get_mut(&context) {
                    state.lost = Some(status);
                }
                // No later work is executed.
                for stream in self.streams.values_mut().filter(|stream| stream.context == context) {
                    stream.queue.clear();
                }
                self.streams.retain(|_, stream| !stream.is_destroyed || stream.context != context);
            }
        }
    }

    fn try_perform_all(&mut self, context: Handle, graph: &Graph) -> Done {
        graph.work.iter().try_for_each(|work| self.try_perform(context, work.clone()))
    }

    fn try_perform(&mut self, context: Handle, work: Work) -> Done {
        let machine = self.context(context)?.machine.clone();
        let refuse = |fault: machine::Fault| super::report::copy_failed(&fault);
        match work {
            Work::Write { to, bytes } => machine.write(to, &bytes).map_err(refuse),
            Work::Copy { to, from, width, rows } => (0..rows).try_for_each(|row| {
                let (to, from) = (to.place.plus(row * to.pitch), from.place.plus(row * from.pitch));
                copy(&machine, to, from, width)
            }),
            Work::Across { to, owner, from, bytes } => {
                let mut values = vec![0; bytes];
                self.context(owner)?.machine.read(from, &mut values).map_err(refuse)?;
                machine.write(to, &values).map_err(refuse)
            }
            Work::Fill { to, element, width, count }
                if width == 1 || element[..width].iter().all(|&byte| byte == element[0]) =>
            {
                machine.fill(to, element[0], width * count).map_err(refuse)
            }
            Work::Fill { to, element, width, count } => {
                machine.write(to, &element[..width].repeat(count)).map_err(refuse)
            }
            Work::Kernel { function, launch } => self.run(&machine, &function, &launch),
            Work::Record { event, number } => {
                if let Some(event) = self.events.get_mut(&event).filter(|event| event.number == number) {
                    event.reached = Some(Instant::now());
                }
                Ok(())
            }
            Work::Wait => Ok(()),
            Work::Graph(graph) => {
                for &(condition, value) in &graph.conditions {
                    machine.put_condition(condition, value);
                }
                self.try_perform_all(context, &graph)
            }
            Work::Loop { condition, graph, .. } => {
                while machine.condition(condition) != 0 {
                    self.try_perform_all(context, &graph)?;
                }
                Ok(())
            }
            Work::Call { function, data } => {
                // SAFETY: the code that enqueued the call promises that it may be made when all work before it is done.
                unsafe { function(std::ptr::with_exposed_provenance_mut(data)) };
                Ok(())
            }
            Work::Free(address) => machine.free(address).map_err(refuse),
        }
    }
}

fn copy(machine: &machine::Device, to: Where, from: Where, width: usize) -> Done {
    let refuse = |fault: machine::Fault| super::report::copy_failed(&fault);
    match (to, from) {
        (Where::Device(to), Where::Device(from)) => machine.copy(to, from, width).map_err(refuse),
        (Where::Device(to), Where::Host(from)) => {
            // SAFETY: the code that enqueued the copy promises that these bytes stay valid until it is done.
            let bytes = unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(from), width) };
            machine.write(to, bytes).map_err(refuse)
        }
        (Where::Host(to), Where::Device(from)) => {
            let mut bytes = vec![0; width];
            machine.read(from, &mut bytes).map_err(refuse)?;
            let to: *mut u8 = std::ptr::with_exposed_provenance_mut(to);
            // SAFETY: the code that enqueued the copy promises room for these bytes until it is done.
            unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), width) };
            Ok(())
        }
        (Where::Host(to), Where::Host(from)) => {
            let (to, from) =
                (std::ptr::with_exposed_provenance_mut::<u8>(to), std::ptr::with_exposed_provenance::<u8>(from));
            // SAFETY: as in both cases above.
            unsafe { to.copy_from(from, width) };
            Ok(())
        }
    }
}

impl Driver {
    /// Refuses to wait for a recording in progress.
    pub(crate) fn refuse_capture(&self, stream: Handle) -> Result<(), Status> {
        match self.streams.get(&stream) {
            None => Err(INVALID_VALUE),
            Some(stream) if stream.capture.is_some() => Err(STREAM_CAPTURE_UNSUPPORTED),
            Some(_) => Ok(()),
        }
    }
}
