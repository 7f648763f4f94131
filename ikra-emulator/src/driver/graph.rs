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
    /// The handles of its conditions, with the values that they have when it starts.
    pub(crate) conditions: Vec<(u64, u32)>,
}

impl Graph {
    fn new(context: Handle) -> Self {
        Self { context, work: Vec::new(), conditions: Vec::new() }
    }
}

/// A recording in progress.
pub(crate) struct Capture {
    /// The stream in which it began.
    origin: Handle,
    /// The graph that it adds to; otherwise it makes one.
    into: Option<Handle>,
    graph: Graph,
}

/// `CUgraphNodeParams` of a node with a condition.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ConditionalNode {
    /// `CU_GRAPH_NODE_TYPE_CONDITIONAL`
    pub kind: c_uint,
    /// Zeros.
    pub reserved: [c_uint; 3],
    /// The condition.
    pub condition: u64,
    /// `CUgraphConditionalNodeType`
    pub form: c_uint,
    /// How many graphs the node has.
    pub graphs: c_uint,
    /// The driver's array of these graphs.
    pub bodies: *mut Handle,
    /// The context of these graphs.
    pub context: Handle,
    /// The rest of the union, and a reserved number.
    pub rest: [u64; 26],
}

/// `CU_GRAPH_NODE_TYPE_CONDITIONAL`
const CONDITIONAL: c_uint = 13;
/// `CU_GRAPH_COND_TYPE_WHILE`
const WHILE: c_uint = 1;
/// `CU_GRAPH_COND_ASSIGN_DEFAULT`
const ASSIGN: c_uint = 1;

impl Driver {
    /// Adds work to a recording.
    pub(crate) fn add_to_capture(&mut self, capture: Handle, work: Work) -> Done {
        let capture = self.captures.get_mut(&capture).ok_or(STREAM_CAPTURE_INVALIDATED)?;
        capture.graph.work.push(work);
        Ok(())
    }

    /// Begins a recording.
    fn begin_capture(&mut self, stream: Handle, into: Option<Handle>) -> Done {
        let (resolved, context) = self.stream(stream)?;
        self.context(context)?;
        // The default stream cannot be recorded.
        if self.contexts[&context].default == resolved || self.streams[&resolved].capture.is_some() {
            return Err(ILLEGAL_STATE);
        }
        let handle = self.handle();
        self.captures.insert(handle, Capture { origin: resolved, into, graph: Graph::new(context) });
        if let Some(state) = self.streams.get_mut(&resolved) {
            state.capture = Some(handle);
        }
        Ok(())
    }

    /// A graph, with the graphs of its nodes as they are now.
    fn instantiated(&self, graph: Handle) -> Result<Graph, Status> {
        let mut made = self.graphs.get(&graph).cloned().ok_or(INVALID_HANDLE)?;
        for work in &mut made.work {
            if let Work::Loop { body, graph, .. } = work {
                *graph = Arc::new(self.instantiated(*body)?);
            }
        }
        Ok(made)
    }

    /// Forgets a graph and the graphs of its nodes.
    fn destroy_graph(&mut self, graph: Handle) -> Done {
        let gone = self.graphs.remove(&graph).ok_or(INVALID_HANDLE)?;
        gone.work.iter().try_for_each(|work| match work {
            Work::Loop { body, .. } => self.destroy_graph(*body),
            _ => Ok(()),
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphCreate(graph: *mut Handle, _flags: c_uint) -> Status {
    call("cuGraphCreate", |driver| {
        let (context, _) = driver.current()?;
        let made = driver.handle();
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(graph, made) }?;
        driver.graphs.insert(made, Graph::new(context));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphConditionalHandleCreate(
    condition: *mut u64,
    graph: Handle,
    context: Handle,
    value: c_uint,
    flags: c_uint,
) -> Status {
    call("cuGraphConditionalHandleCreate", |driver| {
        let machine = driver.context(context)?.machine.clone();
        let made = driver.handle() as u64;
        let known = driver.graphs.get_mut(&graph).ok_or(INVALID_HANDLE)?;
        // Without this flag a condition keeps its value from launch to launch: nothing here asks for that.
        if known.context != context || flags != ASSIGN {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(condition, made) }?;
        known.conditions.push((made, value));
        machine.put_condition(made, value);
        Ok(())
    })
}

/// Nodes have no handles: programs add them one after another, each after the one before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddNode_v2(
    node: *mut Handle,
    graph: Handle,
    _after: *const Handle,
    _edges: *const c_void,
    after_count: usize,
    parameters: *mut ConditionalNode,
) -> Status {
    call("cuGraphAddNode_v2", |driver| {
        if parameters.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes a pointer to the parameters of a node, which all have this size.
        let wanted = unsafe { parameters.read() };
        let known = driver.graphs.get(&graph).ok_or(INVALID_HANDLE)?;
        let (context, own) = (known.context, known.conditions.iter().any(|&(own, _)| own == wanted.condition));
        let is_used =
            known.work.iter().any(|w| matches!(w, Work::Loop { condition, .. } if *condition == wanted.condition));
        let is_in_order = after_count == usize::from(!known.work.is_empty());
        let is_loop = (wanted.kind, wanted.form, wanted.graphs) == (CONDITIONAL, WHILE, 1);
        if !is_loop || !own || is_used || !is_in_order || wanted.context != context || wanted.reserved != [0; 3] {
            return Err(INVALID_VALUE);
        }
        let body = driver.handle();
        driver.graphs.insert(body, Graph::new(context));
        let Some(known) = driver.graphs.get_mut(&graph) else { return Err(INVALID_HANDLE) };
        known.work.push(Work::Loop { condition: wanted.condition, body, graph: Arc::new(Graph::new(context)) });
        let place = known.work.len();
        // The driver's array lives as long as the graph: here, as long as the process.
        let bodies: &'static mut [Handle] = Box::leak(Box::new([body]));
        // SAFETY: as above.
        unsafe { (*parameters).bodies = bodies.as_mut_ptr() };
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(node, place) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCaptureToGraph(
    stream: Handle,
    graph: Handle,
    _after: *const Handle,
    _edges: *const c_void,
    after_count: usize,
    _mode: c_uint,
) -> Status {
    call("cuStreamBeginCaptureToGraph", |driver| {
        let known = driver.graphs.get(&graph).ok_or(INVALID_HANDLE)?;
        if after_count != 0 || !known.work.is_empty() {
            return Err(INVALID_VALUE);
        }
        driver.begin_capture(stream, Some(graph))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture_v2(stream: Handle, _mode: c_uint) -> Status {
    call("cuStreamBeginCapture_v2", |driver| driver.begin_capture(stream, None))
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
        let made = capture.into.unwrap_or_else(|| driver.handle());
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(graph, made) }?;
        match capture.into {
            Some(into) => driver.graphs.get_mut(&into).ok_or(INVALID_HANDLE)?.work = capture.graph.work,
            None => drop(driver.graphs.insert(made, capture.graph)),
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithFlags(executable: *mut Handle, graph: Handle, _flags: u64) -> Status {
    call("cuGraphInstantiateWithFlags", |driver| {
        let graph = driver.instantiated(graph)?;
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
pub unsafe extern "C" fn cuGraphGetNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) -> Status {
    call("cuGraphGetNodes", |driver| {
        let len = driver.graphs.get(&graph).ok_or(INVALID_HANDLE)?.work.len();
        if !nodes.is_null() {
            // SAFETY: the caller passes a pointer to a size, beside room for so many handles.
            let room = unsafe { count.read() };
            for place in 0..len.min(room) {
                // SAFETY: within the room.
                unsafe { nodes.add(place).write(place + 1) };
            }
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
    call("cuGraphDestroy", |driver| driver.destroy_graph(graph))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuThreadExchangeStreamCaptureMode(mode: *mut c_int) -> Status {
    call("cuThreadExchangeStreamCaptureMode", |_| if mode.is_null() { Err(INVALID_VALUE) } else { Ok(()) })
}
