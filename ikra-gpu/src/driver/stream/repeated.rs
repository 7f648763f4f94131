//! Recorded work that a device repeats by itself.

use std::ffi::{c_uint, c_void};
use std::ptr;

use ikra_runtime::error::GpuError;

use super::Stream;
use super::graph::{Capture, Captured, Graph};
use crate::driver::api::{Api, LoopNode, RawContext, RawGraph, RawNode, RawStream, Status};
use crate::driver::status::check;

/// `CU_GRAPH_COND_ASSIGN_DEFAULT`: each launch of the graph begins with the condition's default.
const ASSIGN: c_uint = 1;

/// The functions for graphs that repeat a part of themselves: those of drivers for CUDA 12.4 and newer.
pub(super) struct Loops {
    create: unsafe extern "C" fn(*mut RawGraph, c_uint) -> Status,
    nodes: unsafe extern "C" fn(RawGraph, *mut RawNode, *mut usize) -> Status,
    condition: unsafe extern "C" fn(*mut u64, RawGraph, RawContext, c_uint, c_uint) -> Status,
    add: unsafe extern "C" fn(*mut RawNode, RawGraph, *const RawNode, *const c_void, usize, *mut LoopNode) -> Status,
    pub(super) capture_into:
        unsafe extern "C" fn(RawStream, RawGraph, *const RawNode, *const c_void, usize, c_uint) -> Status,
}

impl Loops {
    fn of(api: &Api) -> Option<Self> {
        Some(Self {
            create: api.graph_create?,
            nodes: api.graph_nodes?,
            condition: api.graph_condition?,
            add: api.graph_add?,
            capture_into: api.capture_into?,
        })
    }
}

impl Stream {
    /// Whether [`record_loop`](Self::record_loop) works.
    pub(crate) fn can_record_loops(&self) -> bool {
        self.context.enter_again().is_ok_and(|api| Loops::of(api).is_some())
    }

    /// Records work that the device repeats as long as a condition is not 0, without the host. Both functions get the
    /// condition's handle. A kernel of `first` sets the condition for the first time, by `cudaGraphSetConditional`. A
    /// kernel of `work`, which is repeated, sets it for the next time. `None` if the driver has no such graphs.
    ///
    /// # Errors
    ///
    /// As for [`record`](Self::record).
    pub(crate) fn record_loop<T, E: From<GpuError>>(
        &self,
        first: impl FnOnce(u64) -> Result<(), E>,
        work: impl FnOnce(u64) -> Result<T, E>,
    ) -> Result<Option<(Graph, T)>, E> {
        let api = self.context.enter()?;
        let Some(loops) = Loops::of(api) else { return Ok(None) };
        let mut graph = Captured { context: &self.context, raw: RawGraph::NULL };
        // SAFETY: the pointer leads to a handle.
        check(api, "cuGraphCreate", unsafe { (loops.create)(&raw mut graph.raw, 0) })?;
        let (mut condition, context) = (0, self.context.as_raw());
        // SAFETY: graph and context are alive, and the pointer leads to a handle.
        let status = unsafe { (loops.condition)(&raw mut condition, graph.raw, context, 0, ASSIGN) };
        check(api, "cuGraphConditionalHandleCreate", status)?;
        // SAFETY: `graph` is alive until the end.
        unsafe { self.record_in(graph.raw, &loops, || first(condition)) }?;
        let body = add_loop(self.context.enter()?, &loops, graph.raw, condition, context)?;
        // SAFETY: the body belongs to a node of `graph`, which is alive until the end.
        let result = unsafe { self.record_in(body, &loops, || work(condition)) }?;
        Ok(Some((graph.instantiate()?, result)))
    }

    /// Records the work that `work` puts on this stream, in an empty graph.
    ///
    /// # Safety
    ///
    /// The graph is alive until this returns.
    unsafe fn record_in<T, E: From<GpuError>>(
        &self,
        graph: RawGraph,
        loops: &Loops,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        // SAFETY: passed on.
        let capture = unsafe { Capture::begin_in(self, graph, loops) }?;
        let result = work()?;
        capture.end()?;
        Ok(result)
    }
}

/// Adds a node that comes after all others of a graph, and repeats another graph, which it returns.
fn add_loop(
    api: &Api,
    loops: &Loops,
    graph: RawGraph,
    condition: u64,
    context: RawContext,
) -> Result<RawGraph, GpuError> {
    // It comes after all of them.
    let mut count = 0;
    // SAFETY: the graph is alive; without room for nodes the function counts them.
    check(api, "cuGraphGetNodes", unsafe { (loops.nodes)(graph, ptr::null_mut(), &raw mut count) })?;
    let mut nodes = vec![RawNode::NULL; count];
    // SAFETY: the graph is alive, and there is room for so many nodes.
    check(api, "cuGraphGetNodes", unsafe { (loops.nodes)(graph, nodes.as_mut_ptr(), &raw mut count) })?;
    let mut node = RawNode::NULL;
    let mut parameters = LoopNode::new(condition, context);
    // SAFETY: graph, nodes and condition are alive, and the parameters have the driver's layout.
    let status =
        unsafe { (loops.add)(&raw mut node, graph, nodes.as_ptr(), ptr::null(), nodes.len(), &raw mut parameters) };
    check(api, "cuGraphAddNode", status)?;
    // SAFETY: on success the driver has set the pointer to an array of one graph, which lives as long as the node.
    Ok(unsafe { parameters.bodies.read() })
}
