//! Recorded sequences of work on a stream.

use ikra_runtime::error::GpuError;

use super::Stream;
use super::repeated::Loops;
use crate::driver::api::{RawGraph, RawGraphExec};
use crate::driver::context::Context;
use crate::driver::status::check;

/// `CU_STREAM_CAPTURE_MODE_RELAXED`: memory may be allocated during the capture.
const RELAXED: u32 = 2;

/// A stream during a recording; dropping this ends the recording in any case.
pub(super) struct Capture<'a> {
    stream: &'a Stream,
    is_open: bool,
    /// Whether it adds to a graph, which others keep; otherwise it makes one.
    adds: bool,
}

impl<'a> Capture<'a> {
    pub(super) fn begin(stream: &'a Stream) -> Result<Self, GpuError> {
        stream.note_other_work();
        let api = stream.context.enter()?;
        // SAFETY: the stream is alive.
        check(api, "cuStreamBeginCapture", unsafe { (api.capture_begin)(stream.raw, RELAXED) })?;
        Ok(Self { stream, is_open: true, adds: false })
    }

    /// Begins a recording that adds to an empty graph.
    ///
    /// # Safety
    ///
    /// The graph is alive until the recording has ended.
    pub(super) unsafe fn begin_in(stream: &'a Stream, graph: RawGraph, loops: &Loops) -> Result<Self, GpuError> {
        stream.note_other_work();
        let api = stream.context.enter()?;
        // SAFETY: the stream and the graph are alive; there are no nodes to come after.
        let status = unsafe { (loops.capture_into)(stream.raw, graph, std::ptr::null(), std::ptr::null(), 0, RELAXED) };
        check(api, "cuStreamBeginCaptureToGraph", status)?;
        Ok(Self { stream, is_open: true, adds: true })
    }

    pub(super) fn end(mut self) -> Result<Captured<'a>, GpuError> {
        self.close()
    }

    fn close(&mut self) -> Result<Captured<'a>, GpuError> {
        self.is_open = false;
        // The captured work is not on the stream.
        self.stream.note_other_work();
        let api = self.stream.context.enter()?;
        let mut graph = Captured { context: &self.stream.context, raw: RawGraph::NULL };
        // SAFETY: the stream is alive and recorded, and the pointer leads to a handle.
        let status = unsafe { (api.capture_end)(self.stream.raw, &raw mut graph.raw) };
        if self.adds {
            graph.raw = RawGraph::NULL;
        }
        check(api, "cuStreamEndCapture", status)?;
        Ok(graph)
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // Drops the recorded work. An error means that the driver has ended the recording, or that the context is
            // lost.
            let _ = self.close();
        }
    }
}

/// Recorded work that is not instantiated yet.
pub(super) struct Captured<'a> {
    pub(super) context: &'a Context,
    pub(super) raw: RawGraph,
}

impl Captured<'_> {
    /// Makes it ready to run.
    pub(super) fn instantiate(&self) -> Result<Graph, GpuError> {
        let api = self.context.enter()?;
        let mut raw = RawGraphExec::NULL;
        // SAFETY: the graph is alive, and the pointer leads to a handle.
        check(api, "cuGraphInstantiate", unsafe { (api.graph_instantiate)(&raw mut raw, self.raw, 0) })?;
        Ok(Graph { context: self.context.clone(), raw })
    }
}

impl Drop for Captured<'_> {
    fn drop(&mut self) {
        if self.raw == RawGraph::NULL {
            return;
        }
        if let Ok(api) = self.context.enter() {
            // SAFETY: made by the capture, and not used afterwards.
            let _ = unsafe { (api.graph_destroy)(self.raw) };
        }
    }
}

/// A recorded sequence.
#[derive(Debug)]
pub struct Graph {
    pub(super) context: Context,
    pub(super) raw: RawGraphExec,
}

impl Drop for Graph {
    fn drop(&mut self) {
        if let Ok(api) = self.context.enter() {
            // SAFETY: instantiated in `record`.
            let _ = unsafe { (api.graph_exec_destroy)(self.raw) };
        }
    }
}
