//! Recordings of streams, and their execution.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use super::queue::Work;
use super::state::{Driver, Handle, call, put};
use super::status::{Done, ILLEGAL_STATE, INVALID_HANDLE, INVALID_VALUE, STREAM_CAPTURE_INVALIDATED, Status};

/// A recorded sequence, in the order of recording.
#[derive(Clone)]
pub(crate) struct Graph {
    pub(crate) context: Handle,
    pub(crate) work: Vec<Work>,
}

/// A recording in progress.
pub(crate) struct Capture {
    /// The stream in which it began.
    origin: Handle,
    graph: Graph,
}

impl Driver {
    /// Adds work to a recording.
    pub(crate) fn add_to_capture(&mut self, capture: Handle, work: Work) -> Done {
        let capture = self.captures.get_mut(&capture).ok_or(STREAM_CAPTURE_INVALIDATED)?;
        capture.graph.work.push(work);
        Ok(())
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture_v2(stream: Handle, _mode: c_uint) -> Status {
    call("cuStreamBeginCapture_v2", |driver| {
        let (resolved, context) = driver.stream(stream)?;
        driver.context(context)?;
        // The default stream cannot be recorded.
        if driver.contexts[&context].default == resolved || driver.streams[&resolved].capture.is_some() {
            return Err(ILLEGAL_STATE);
        }
        let handle = driver.handle();
        driver.captures.insert(handle, Capture { origin: resolved, graph: Graph { context, work: Vec::new() } });
        if let Some(state) = driver.streams.get_mut(&resolved) {
            state.capture = Some(handle);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamEndCapture(stream: Handle, graph: *mut Handle) -> Status {
    call("cuStreamEndCapture", |driver| {
        let (resolved, _) = driver.stream(stream)?;
        let handle = driver.streams[&resolved].capture.ok_or(ILLEGAL_STATE)?;
        let is_origin = driver.captures.get(&handle).is_some_and(|capture| capture.origin == resolved);
        if !is_origin {
            return Err(ILLEGAL_STATE);
        }
        for stream in driver.streams.values_mut().filter(|stream| stream.capture == Some(handle)) {
            stream.capture = None;
        }
        let capture = driver.captures.remove(&handle).ok_or(STREAM_CAPTURE_INVALIDATED)?;
        driver.context(capture.graph.context)?;
        let made = driver.handle();
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(graph, made) }?;
        driver.graphs.insert(made, capture.graph);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithFlags(executable: *mut Handle, graph: Handle, _flags: u64) -> Status {
    call("cuGraphInstantiateWithFlags", |driver| {
        let graph = driver.graphs.get(&graph).cloned().ok_or(INVALID_HANDLE)?;
        driver.context(graph.context)?;
        let handle = driver.handle();
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(executable, handle) }?;
        driver.executables.insert(handle, Arc::new(graph));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphLaunch(executable: Handle, stream: Handle) -> Status {
    call("cuGraphLaunch", |driver| {
        let graph = driver.executables.get(&executable).cloned().ok_or(INVALID_HANDLE)?;
        driver.trace(|| format!("stream {stream:#x} replays graph {executable:#x}"));
        driver.put_on(stream, Work::Graph(graph), Vec::new(), false)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphUpload(executable: Handle, stream: Handle) -> Status {
    call("cuGraphUpload", |driver| {
        driver.stream(stream)?;
        if driver.executables.contains_key(&executable) { Ok(()) } else { Err(INVALID_HANDLE) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphGetNodes(graph: Handle, nodes: *mut c_void, count: *mut usize) -> Status {
    call("cuGraphGetNodes", |driver| {
        let len = driver.graphs.get(&graph).ok_or(INVALID_HANDLE)?.work.len();
        // Nodes have no handles here: programs can only ask for their number.
        if !nodes.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes null, or a pointer to a size.
        unsafe { put(count, len) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecDestroy(executable: Handle) -> Status {
    call("cuGraphExecDestroy", |driver| driver.executables.remove(&executable).map(drop).ok_or(INVALID_HANDLE))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphDestroy(graph: Handle) -> Status {
    call("cuGraphDestroy", |driver| driver.graphs.remove(&graph).map(drop).ok_or(INVALID_HANDLE))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuThreadExchangeStreamCaptureMode(mode: *mut c_int) -> Status {
    call("cuThreadExchangeStreamCaptureMode", |_| if mode.is_null() { Err(INVALID_VALUE) } else { Ok(()) })
}
