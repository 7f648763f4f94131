//! Recorded sequences of work on a stream.

use ikra_runtime::error::GpuError;

use super::Stream;
use crate::driver::api::{RawGraph, RawGraphExec};
use crate::driver::context::Context;
use crate::driver::status::check;

/// `CU_STREAM_CAPTURE_MODE_RELAXED`: memory may be allocated during the capture.
const RELAXED: u32 = 2;

/// A stream during a recording; dropping this ends the recording in any case.
pub(super) struct Capture<'a> {
    stream: &'a Stream,
    is_open: bool,
}

impl<'a> Capture<'a> {
    pub(super) fn begin(stream: &'a Stream) -> Result<Self, GpuError> {
        stream.note_other_work();
        let api = stream.context.enter()?;
        // SAFETY: the stream is alive.
        check(api, "cuStreamBeginCapture", unsafe { (api.capture_begin)(stream.raw, RELAXED) })?;
        Ok(Self { stream, is_open: true })
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
        check(api, "cuStreamEndCapture", unsafe { (api.capture_end)(self.stream.raw, &raw mut graph.raw) })?;
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
    context: &'a Context,
    pub(super) raw: RawGraph,
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
