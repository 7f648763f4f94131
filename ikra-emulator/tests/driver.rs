//! The functions of the driver, as a program calls them.
#![allow(missing_docs, reason = "a test, not a library")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    clippy::borrow_as_ptr,
    reason = "calls of functions of the driver, with places of this test's"
)]

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{from_mut, from_ref, null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ikra_emulator::driver::context::*;
use ikra_emulator::driver::device::*;
use ikra_emulator::driver::event::*;
use ikra_emulator::driver::graph::*;
use ikra_emulator::driver::launch::*;
use ikra_emulator::driver::memory::*;
use ikra_emulator::driver::module::*;
use ikra_emulator::driver::stream::*;

const NON_BLOCKING: u32 = 1;
const NO_TIMING: u32 = 2;

/// The primary context, kept while a test runs. One at a time: others would do each other's work.
struct Opened(#[allow(dead_code, reason = "held")] MutexGuard<'static, ()>);

impl Opened {
    fn new() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut context = 0;
        unsafe {
            assert_eq!(cuInit(0), 0);
            assert_eq!(cuDevicePrimaryCtxRetain(&raw mut context, 0), 0);
            assert_eq!(cuCtxSetCurrent(context), 0);
        }
        Self(alone)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        assert_eq!(unsafe { cuDevicePrimaryCtxRelease_v2(0) }, 0);
    }
}

fn stream(flags: u32) -> usize {
    let mut stream = 0;
    assert_eq!(unsafe { cuStreamCreate(&raw mut stream, flags) }, 0);
    stream
}

fn memory(bytes: usize) -> u64 {
    let mut address = 0;
    assert_eq!(unsafe { cuMemAlloc_v2(&raw mut address, bytes) }, 0);
    address
}

fn pinned(bytes: usize) -> *mut u8 {
    let mut start = null_mut();
    assert_eq!(unsafe { cuMemHostAlloc(&raw mut start, bytes, 0) }, 0);
    start.cast()
}

/// The number at an address.
fn at(address: u64) -> u32 {
    let mut value = 0_u32;
    assert_eq!(unsafe { cuMemcpyDtoH_v2(from_mut(&mut value).cast(), address, 4) }, 0);
    value
}

#[test]
fn work_on_a_stream_is_in_order_and_late() {
    let _opened = Opened::new();
    let (stream, address, host) = (stream(NON_BLOCKING), memory(64), pinned(4).cast::<u32>());
    unsafe {
        assert_eq!(cuMemsetD32Async(address, 7, 16, stream), 0);
        host.write(3);
        assert_eq!(cuMemcpyHtoDAsync_v2(address + 4, host.cast(), 4, stream), 0);
        // From page-locked memory the bytes are taken when the copy is done.
        host.write(9);
        assert_eq!(cuStreamQuery(stream), 600, "one piece of work was done, and one is left");
        assert_eq!(cuStreamSynchronize(stream), 0);
        assert_eq!((at(address), at(address + 4)), (7, 9));
        // From other memory they are taken at once.
        let mut value = 5_u32;
        assert_eq!(cuMemcpyHtoDAsync_v2(address, from_mut(&mut value).cast(), 4, stream), 0);
        value = 6;
        assert_eq!(cuStreamSynchronize(stream), 0);
        assert_eq!((at(address), value), (5, 6));
        assert_eq!(cuMemFreeHost(host.cast()), 0);
        assert_eq!(cuStreamDestroy_v2(stream), 0);
        assert_eq!(cuStreamSynchronize(stream), 400);
        assert_eq!((cuMemFree_v2(address), cuMemFree_v2(address)), (0, 1));
    }
}

/// Two streams that copy through the same place. With events there is one result; without, it depends on the order that is drawn.
#[test]
fn streams_that_do_not_wait_for_each_other_show_it() {
    let _opened = Opened::new();
    let (one, other) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let (place, result) = (memory(4), memory(4));
    let run = |waits: bool| unsafe {
        let mut event = 0;
        assert_eq!(cuEventCreate(&raw mut event, NO_TIMING), 0);
        assert_eq!(cuMemsetD32Async(place, 1, 1, other), 0);
        assert_eq!(cuStreamSynchronize(other), 0);
        assert_eq!(cuMemsetD32Async(place, 2, 1, one), 0);
        assert_eq!(cuEventRecord(event, one), 0);
        if waits {
            assert_eq!(cuStreamWaitEvent(other, event, 0), 0);
        }
        assert_eq!(cuMemcpyDtoDAsync_v2(result, place, 4, other), 0);
        assert_eq!(cuStreamSynchronize(other), 0);
        assert_eq!((cuStreamSynchronize(one), cuEventDestroy_v2(event)), (0, 0));
        at(result)
    };
    assert!((0..50).all(|_| run(true) == 2));
    let results: Vec<u32> = (0..50).map(|_| run(false)).collect();
    assert!(results.contains(&1) && results.contains(&2), "{results:?}");
}

#[test]
fn the_default_stream_waits_for_blocking_streams_only() {
    let _opened = Opened::new();
    let (blocking, place) = (stream(0), memory(4));
    for value in 0..30 {
        assert_eq!(unsafe { cuMemsetD32Async(place, value, 1, blocking) }, 0);
        assert_eq!(at(place), value, "a copy on the default stream");
    }
}

#[test]
fn what_is_recorded_is_done_by_each_launch() {
    let _opened = Opened::new();
    let (one, other, place, copy) = (stream(NON_BLOCKING), stream(NON_BLOCKING), memory(4), memory(4));
    let (mut event, mut graph, mut executable, mut status) = (0, 0, 0, 0);
    unsafe {
        assert_eq!(cuMemsetD32Async(place, 1, 1, one), 0);
        assert_eq!(cuMemsetD32Async(copy, 0, 1, one), 0);
        assert_eq!(cuStreamSynchronize(one), 0);
        assert_eq!(cuStreamBeginCapture_v2(one, 2), 0);
        assert_eq!((cuStreamIsCapturing(one, &raw mut status), status), (0, 1));
        assert_eq!(cuMemsetD32Async(place, 4, 1, one), 0);
        // Another stream becomes part of the recording by an event.
        assert_eq!((cuEventCreate(&raw mut event, NO_TIMING), cuEventRecord(event, one)), (0, 0));
        assert_eq!(cuStreamWaitEvent(other, event, 0), 0);
        assert_eq!(cuMemcpyDtoDAsync_v2(copy, place, 4, other), 0);
        assert_eq!(cuStreamSynchronize(one), 900, "nobody waits for what is recorded");
        assert_eq!(cuStreamEndCapture(other, &raw mut graph), 401, "it began in another stream");
        assert_eq!(cuStreamEndCapture(one, &raw mut graph), 0);
        assert_eq!((at(place), at(copy)), (1, 0), "nothing was done");
        assert_eq!(cuGraphInstantiateWithFlags(&raw mut executable, graph, 0), 0);
        assert_eq!(cuGraphDestroy(graph), 0);
        for _ in 0..2 {
            assert_eq!(cuMemsetD32Async(place, 2, 1, one), 0);
            assert_eq!((cuGraphLaunch(executable, one), cuStreamSynchronize(one)), (0, 0));
            assert_eq!((at(place), at(copy)), (4, 4));
        }
        assert_eq!((cuGraphExecDestroy(executable), cuGraphExecDestroy(executable)), (0, 400));
    }
}

/// A kernel that counts down, and goes on as long as the number is not 0.
const COUNT_DOWN: &CStr = c"
.version 6.3
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 a, .param .b32 b);
.visible .entry down(.param .u64 at, .param .u64 condition, .param .u32 by)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [at];
	ld.param.u64 %rd2, [condition];
	ld.param.u32 %r1, [by];
	ld.global.u32 %r2, [%rd1];
	sub.u32 %r3, %r2, %r1;
	st.global.u32 [%rd1], %r3;
	{
	.param .b64 param0;
	st.param.b64 [param0], %rd2;
	.param .b32 param1;
	st.param.b32 [param1], %r3;
	call.uni cudaGraphSetConditional, (param0, param1);
	}
	ret;
}
";

#[test]
fn a_part_of_a_graph_is_repeated_while_a_kernel_says_so() {
    let _opened = Opened::new();
    let (stream, left, done, step) = (stream(NON_BLOCKING), memory(4), memory(4), memory(4));
    let (mut context, mut module, mut down) = (0, 0, 0);
    let (mut graph, mut end, mut node, mut executable, mut condition) = (0, 0, 0, 0, 0_u64);
    unsafe {
        assert_eq!(cuCtxGetCurrent(&raw mut context), 0);
        assert_eq!(cuModuleLoadData(&raw mut module, COUNT_DOWN.as_ptr().cast()), 0);
        assert_eq!(cuModuleGetFunction(&raw mut down, module, c"down".as_ptr()), 0);
    }
    let launch = |by: u32, condition: u64| unsafe {
        let arguments = [from_ref(&left).cast(), from_ref(&condition).cast(), from_ref(&by).cast()];
        cuLaunchKernel(down, 1, 1, 1, 1, 1, 1, 0, stream, arguments.as_ptr(), null())
    };
    unsafe {
        assert_eq!(cuGraphCreate(&raw mut graph, 0), 0);
        assert_eq!(cuGraphConditionalHandleCreate(&raw mut condition, graph, context, 1, 1), 0);
        assert_eq!(cuStreamBeginCaptureToGraph(stream, graph, null(), null(), 0, 2), 0);
        assert_eq!(launch(0, condition), 0);
        assert_eq!((cuStreamEndCapture(stream, &raw mut end), end), (0, graph));
        let mut count = 0;
        assert_eq!((cuGraphGetNodes(graph, null_mut(), &raw mut count), count), (0, 1));
        let mut wanted = ConditionalNode {
            kind: 13,
            reserved: [0; 3],
            condition,
            form: 1,
            graphs: 1,
            bodies: null_mut(),
            context,
            rest: [0; 26],
        };
        assert_eq!(cuGraphGetNodes(graph, &raw mut node, &raw mut count), 0);
        let other = ConditionalNode { condition: condition + 1, ..wanted };
        assert_eq!(cuGraphAddNode_v2(&raw mut node, graph, &raw const node, null(), 1, &mut { other }), 1);
        assert_eq!(cuGraphAddNode_v2(&raw mut node, graph, &raw const node, null(), 1, &raw mut wanted), 0);
        let body = wanted.bodies.read();
        assert_eq!(cuStreamBeginCaptureToGraph(stream, body, null(), null(), 0, 2), 0);
        // What is done in each iteration: the last one is seen in `done`.
        assert_eq!(cuMemcpyDtoDAsync_v2(done, left, 4, stream), 0);
        assert_eq!(cuMemsetD32Async(step, 5, 1, stream), 0);
        assert_eq!(launch(3, condition), 0);
        assert_eq!(cuStreamEndCapture(stream, &raw mut end), 0);
        assert_eq!(cuGraphInstantiateWithFlags(&raw mut executable, graph, 0), 0);
        assert_eq!((cuGraphDestroy(graph), cuGraphDestroy(graph)), (0, 400));
        for (from, last) in [(12, 3), (0, 7)] {
            assert_eq!((cuMemsetD32Async(left, from, 1, stream), cuMemsetD32Async(done, 7, 1, stream)), (0, 0));
            assert_eq!((cuGraphLaunch(executable, stream), cuStreamSynchronize(stream)), (0, 0));
            assert_eq!((at(left), at(done)), (0, last), "from {from}");
        }
    }
}

#[test]
fn events_have_times_once_they_are_reached() {
    let _opened = Opened::new();
    let (stream, place) = (stream(NON_BLOCKING), memory(1 << 20));
    let (mut start, mut end, mut time) = (0, 0, -1.0);
    unsafe {
        assert_eq!((cuEventCreate(&raw mut start, 0), cuEventCreate(&raw mut end, 0)), (0, 0));
        assert_eq!(cuEventElapsedTime(&raw mut time, start, end), 400, "never recorded");
        assert_eq!(cuEventRecord(start, stream), 0);
        assert_eq!(cuMemsetD8Async(place, 1, 1 << 20, stream), 0);
        assert_eq!(cuEventRecord(end, stream), 0);
        assert_eq!(cuEventElapsedTime(&raw mut time, start, end), 600, "not there yet");
        assert_eq!(cuEventSynchronize(end), 0);
        assert_eq!((cuEventQuery(end), cuEventElapsedTime(&raw mut time, start, end)), (0, 0));
    }
    assert!(time > 0.0);
}

#[test]
fn a_copy_out_of_bounds_loses_the_context_until_it_is_reset() {
    let _opened = Opened::new();
    let (stream, place) = (stream(NON_BLOCKING), memory(4));
    let mut device = 0;
    unsafe {
        assert_eq!(cuMemsetD32Async(place, 1, 2, stream), 0);
        assert_eq!(cuStreamSynchronize(stream), 700);
        assert_eq!(cuMemAlloc_v2(&mut 0, 4), 700, "everything fails from now on");
        assert_eq!(cuDevicePrimaryCtxRetain(&mut 0, 0), 700);
        assert_eq!((cuCtxGetDevice(&raw mut device), device), (0, 0));
        assert_eq!(cuDevicePrimaryCtxReset_v2(0), 0);
        assert_eq!(cuStreamSynchronize(stream), 400, "it is gone");
    }
    memory(4);
}

#[test]
fn copies_in_two_dimensions_are_those_rows() {
    let _opened = Opened::new();
    let (from, to) = (memory(64), memory(64));
    unsafe {
        let bytes: Vec<u8> = (0..64).collect();
        assert_eq!(cuMemcpyHtoD_v2(from, bytes.as_ptr().cast(), 64), 0);
        assert_eq!(cuMemsetD8_v2(to, 0xff, 64), 0);
        let words = |place: u64, pitch: u64| [0, 0, 2, 0, place, 0, pitch];
        let copy: Vec<u64> = [&words(from, 16)[..], &words(to, 8), &[4, 3]].concat();
        assert_eq!(cuMemcpy2DAsync_v2(copy.as_ptr().cast(), 0), 0);
        let mut read = vec![0_u8; 24];
        assert_eq!(cuMemcpyDtoH_v2(read.as_mut_ptr().cast(), to, 24), 0);
        let wanted =
            [0, 1, 2, 3, 255, 255, 255, 255, 16, 17, 18, 19, 255, 255, 255, 255, 32, 33, 34, 35, 255, 255, 255, 255];
        assert_eq!(read, wanted);
    }
}

#[test]
fn a_text_that_is_no_program_says_in_which_line() {
    let _opened = Opened::new();
    let mut module = 0;
    let mut log = [0_u8; 256];
    let mut options = [5_u32, 6];
    let values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len())];
    for (text, status, words) in [
        (c"nonsense", 218, "line 1"),
        (c".version 6.3\n.target sm_120\n", 218, "higher than that of the device"),
        (c".version 42.0\n.target sm_75\n", 222, "Unsupported .version 42.0; current version is '9.0'"),
    ] {
        let found = unsafe {
            cuModuleLoadDataEx(&raw mut module, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_ptr())
        };
        let said = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
        assert!(found == status && said.contains(words), "{found}: {said}");
    }
}

#[test]
fn null_where_there_must_be_a_place_is_refused() {
    let _opened = Opened::new();
    unsafe {
        assert_eq!(cuDeviceGetCount(null_mut()), 1);
        assert_eq!(cuDeviceGetName(null_mut(), 10, 0), 1);
        assert_eq!(cuDeviceGet(&mut 0, 1), 101);
        assert_eq!(cuMemAlloc_v2(null_mut(), 4), 1);
        assert_eq!((cuMemAlloc_v2(&mut 0, 0), cuMemAlloc_v2(&mut 0, 1 << 40)), (1, 2));
        assert_eq!(cuMemcpy2DAsync_v2(null(), 0), 1);
        assert_eq!(cuModuleLoadData(&mut 0, null()), 1);
        assert_eq!(cuModuleGetFunction(&mut 0, 12_345, c"k".as_ptr()), 400);
        assert_eq!(cuCtxSetCurrent(12_345), 201);
        assert_eq!(cuMemFreeHost(null_mut()), 1);
    }
}

#[test]
fn contexts_of_a_program_are_their_own() {
    let _opened = Opened::new();
    let place = memory(4);
    let (mut primary, mut own, mut context) = (0, 0, 0);
    unsafe {
        assert_eq!(cuCtxGetCurrent(&raw mut primary), 0);
        assert_eq!(cuCtxCreate_v3(&raw mut own, null_mut(), 0, 0, 0), 0);
        assert_eq!((cuCtxGetCurrent(&raw mut context), context), (0, own));
        let stream = stream(0);
        assert_eq!((cuStreamGetCtx(stream, &raw mut context), context), (0, own));
        assert_eq!(cuMemFree_v2(place), 1, "memory of another context");
        assert_eq!(cuDeviceGetAttribute(&mut 0, 75, 0), 0);
        assert_eq!(cuCtxDestroy_v2(primary), 201, "that is the device's");
        assert_eq!(cuCtxDestroy_v2(own), 0);
        assert_eq!((cuCtxGetCurrent(&raw mut context), context), (0, primary));
        assert_eq!((cuStreamSynchronize(stream), cuMemFree_v2(place)), (400, 0));
    }
}

#[test]
fn functions_are_found_by_name() {
    let mut found: c_int = -1;
    let mut function = null_mut();
    unsafe {
        assert_eq!(cuGetProcAddress_v2(c"cuMemAlloc".as_ptr(), &raw mut function, 12_000, 0, &raw mut found), 0);
        assert_eq!((function, found), (cuMemAlloc_v2 as *mut c_void, 0));
        assert_eq!(cuGetProcAddress_v2(c"cuNothing".as_ptr(), &raw mut function, 12_000, 0, &raw mut found), 500);
        assert!(function.is_null() && found == 1);
    }
}
