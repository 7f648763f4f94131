//! A driver whose devices are the host's memory: it copies, but runs no kernels, except those of
//! `tests/device/src/waves.rs` and `tests/modules`. Each device has its own part of the memory, and uses no other. It fails as it is told to:
//! `IKRA_FAKE_DRIVER` holds `function:status` pairs. What it is asked for is printed on standard error.
//! There are as many devices as `devices:2` says there, or one, of the compute capability that `cc:90` says, or of none, and the driver is
//! as old as `version:12030` says. `griddepcontrol:222` is what it says to kernels that wait for others.
//!
//! Built by the tests that use it, as a library of its own, with `--cfg old` as one for CUDA 11.2.

#![allow(non_snake_case, missing_docs, clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks, unused_unsafe)]

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn status(function: &str) -> c_uint {
    let plan = std::env::var("IKRA_FAKE_DRIVER").unwrap_or_default();
    let find = |pair: &str| pair.split_once(':').filter(|(name, _)| *name == function)?.1.parse().ok();
    plan.split(',').find_map(find).unwrap_or(0)
}

/// Functions of which only the status matters. On the hosts with CUDA, a function may be called with more arguments
/// than it looks at.
macro_rules! plain {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> c_uint {
            eprintln!("called {}", stringify!($name));
            status(stringify!($name))
        }
    )* };
}
plain! {
    cuInit cuDeviceGetName cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset_v2 cuMemGetInfo_v2
    cuMemFreeHost cuMemcpy2DAsync_v2 cuStreamDestroy_v2 cuStreamSynchronize cuGraphExecDestroy
    cuGraphDestroy cuEventDestroy_v2 cuEventSynchronize cuEventElapsedTime cuModuleUnload
    cuDeviceTotalMem_v2 cuCtxGetDevice cuCtxSynchronize cuCtxDestroy_v2
}

/// Whether what was put on a stream last is a kernel.
static ENDS_IN_KERNEL: Mutex<BTreeMap<usize, bool>> = Mutex::new(BTreeMap::new());

/// Notes what is put on a stream.
fn note(stream: usize, is_kernel: bool) {
    ENDS_IN_KERNEL.lock().unwrap().insert(stream, is_kernel);
}

/// Functions that do something, if they succeed.
macro_rules! working {
    ($($name:ident ($($arg:ident: $ty:ty),*) $work:block)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> c_uint {
            let status = status(stringify!($name));
            if status == 0 {
                unsafe { $work }
            }
            status
        }
    )* };
}

/// `CUDA_ERROR_NOT_FOUND`
const NOT_FOUND: c_uint = 500;

/// A handle that no other is.
fn handle() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0x1_0000);
    NEXT.fetch_add(0x10, Ordering::Relaxed)
}

/// Bytes of a thread's stack.
static STACK: AtomicUsize = AtomicUsize::new(1024);
const PRIMARY: usize = 0x1000;
thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}
/// The context of each stream.
static STREAMS: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);
/// What was captured, by stream and then by graph.
static CAPTURED: Mutex<BTreeMap<usize, Vec<Work>>> = Mutex::new(BTreeMap::new());
/// The contexts and texts of modules.
static MODULES: Mutex<BTreeMap<usize, (usize, String)>> = Mutex::new(BTreeMap::new());
/// The tables of classes, by module and name.
static GLOBALS: Mutex<BTreeMap<(usize, String), usize>> = Mutex::new(BTreeMap::new());
/// The end and the context of memory, by its start.
static MEMORY: Mutex<BTreeMap<usize, (usize, usize)>> = Mutex::new(BTreeMap::new());

/// A kernel, with its module and what it takes of tables.
#[derive(Clone)]
pub struct Function {
    module: usize,
    name: String,
    /// The number of the parameter with the words that it takes.
    place: usize,
    takes: Vec<TakenWord>,
    /// Whether it waits for other kernels before it does anything else.
    is_waiting: bool,
}

/// What streams do.
#[derive(Clone)]
enum Work {
    Copy { to: usize, from: usize, bytes: usize },
    Kernel { function: Function, words: Vec<TakenWord>, first: usize, end: usize, list: usize },
}

/// A word of a class's table that came with a launch: the table's symbol, the place, and the word.
type TakenWord = (String, usize, usize);

/// The words that a kernel takes, as its text says, and the number of the parameter that they are.
fn takes(text: &str, kernel: &str) -> (usize, Vec<TakenWord>) {
    let (head, body) = text.split_once(&format!(".entry {kernel}(")).unwrap().1.split_once('{').unwrap();
    let said = body.split('}').next().unwrap().split_once("//ikra:takes ");
    let (mut words, mut table) = (Vec::new(), "");
    for part in said.iter().flat_map(|(_, rest)| rest.lines().next().unwrap().split_whitespace().skip(1)) {
        match part.parse() {
            Ok(place) => words.push((table.to_owned(), place, 0)),
            Err(_) => table = part,
        }
    }
    assert!(words.is_empty() || head.contains(&format!("_words[{}]", 8 * words.len())), "{head}");
    (head.matches(".param ").count().saturating_sub(1), words)
}

/// Does it, or adds it to what is captured.
unsafe fn put(stream: usize, work: Work) {
    let mut captured = CAPTURED.lock().unwrap();
    match captured.get_mut(&stream) {
        None => unsafe { perform(&work) },
        Some(works) => {
            if let Work::Copy { bytes, .. } = work {
                eprintln!("stream {stream:#x} captures a copy of {bytes} bytes");
            }
            works.push(work);
        }
    }
}

/// The start of the symbol of the class that a kernel is for, if it is run here.
fn class_of(kernel: &str) -> Option<String> {
    let mut classes = ["Left_", "Right_", "Gear_", "Spring_", "Hand_"].into_iter();
    let class = classes.find(|class| kernel.strip_prefix("ikra_kernel_").is_some_and(|rest| rest.starts_with(class)))?;
    Some(format!("ikra_class_{class}"))
}

unsafe fn perform(work: &Work) {
    match work {
        Work::Copy { to, from, bytes } => unsafe { (*to as *mut u8).copy_from(*from as *const u8, *bytes) },
        Work::Kernel { function: Function { module, name, .. }, words, first, end, list } => {
            let globals = GLOBALS.lock().unwrap();
            let context = MODULES.lock().unwrap()[module].0;
            for &(.., word) in words {
                check_owner(word, context);
            }
            let word = |class: &str, n: usize| {
                words.iter().find(|(table, place, _)| table.starts_with(class) && *place == n).map(|&(.., word)| word)
            };
            // A column of a class, or its snapshot, after these and the arena. Before them is the number of objects.
            let column = |class: &str, place: usize| {
                word(class, 1 + place).unwrap_or_else(|| panic!("{name} takes no word {place} of {class}")) as *mut u32
            };
            // The same for functions that are called, in constant memory.
            let constant = |class: &str, place: usize| {
                let mut tables = globals.iter().filter(|((owner, name), _)| owner == module && name.starts_with(class));
                let word = unsafe { (*tables.next().unwrap().1 as *const usize).add(1 + place).read() };
                check_owner(word, context);
                word as *mut u32
            };
            // Elements of all classes here have 4 bytes.
            let has = |class: &str, n: usize| {
                for (table, place, word) in words.iter().filter(|(table, ..)| table.starts_with(class)) {
                    match place {
                        0 => assert!(n < unsafe { (*word as *const u32).read() } as usize, "{name}: {table} has not {n}"),
                        _ => check_owner(word + 4 * n, context),
                    }
                }
            };
            let left = |place| column("ikra_class_Left_", place);
            let gear = |place| column("ikra_class_Gear_", place);
            let Some(class) = class_of(name) else { return };
            check_owner(*list, context);
            for n in *first..*end {
                let n = if *list == 0 { n } else { unsafe { (*list as *const u32).add(n).read() as usize } };
                has(&class, n);
                unsafe {
                    if name.starts_with("ikra_kernel_Left_turn_") {
                        let next = left(2).add(n).read() as usize - 1;
                        let new = left(0).add(n).read().wrapping_mul(3).wrapping_add(left(0).add(next).read());
                        left(4).add(n).write(new);
                    } else if name.starts_with("ikra_kernel_Left_swing_") {
                        let next = left(2).add(n).read() as usize - 1;
                        let new = left(1).add(n).read().wrapping_mul(5).wrapping_add(left(1).add(next).read());
                        left(5).add(n).write(new.wrapping_add(left(0).add(n).read()));
                    } else if name.starts_with("ikra_kernel_Left_shift_") {
                        left(0).add(n).write(left(0).add(n).read().wrapping_add(7));
                    } else if name.starts_with("ikra_kernel_Left_trace_") {
                        assert!(word("ikra_class_Left_", 0).is_some(), "the number of objects");
                        let deep = |place, n| constant("ikra_class_Left_", place).add(n).read();
                        let steps = left(1).add(n).read() % 4;
                        let way: Vec<usize> =
                            (0..steps).scan(0, |at, _| Some(std::mem::replace(at, deep(2, *at) as usize - 1))).collect();
                        let last = way.last().map_or(0, |&at| deep(2, at) as usize - 1);
                        let ahead = way.iter().rev().fold(deep(0, last), |sum, &at| sum.wrapping_mul(3) ^ deep(0, at));
                        left(1).add(n).write(ahead.wrapping_add(left(0).add(n).read()));
                    } else if name.starts_with("ikra_kernel_Right_turn_") {
                        let right = |place| column("ikra_class_Right_", place);
                        right(2).add(n).write(right(0).add(n).read().wrapping_mul(9).wrapping_add(1));
                    } else if name.starts_with("ikra_kernel_Gear_mesh_") {
                        let next = gear(1).add(n).read() as usize - 1;
                        let new = gear(0).add(n).read().wrapping_mul(3).wrapping_add(gear(0).add(next).read());
                        gear(3).add(n).write(new);
                    } else if name.starts_with("ikra_kernel_Spring_wind_") {
                        let tension = column("ikra_class_Spring_", 0).add(n);
                        tension.write(tension.read() + 1);
                    } else if name.starts_with("ikra_kernel_Hand_follow_") {
                        let hand = |place| column("ikra_class_Hand_", place).add(n);
                        let mover = hand(1).read() as usize - 1;
                        hand(0).write(hand(0).read().wrapping_add(gear(0).add(mover).read()));
                    }
                }
            }
        }
    }
}

fn memory(bytes: usize) -> usize {
    // Of which nobody knows when it is free.
    let start = vec![0_u128; bytes.div_ceil(16)].leak().as_mut_ptr().addr();
    MEMORY.lock().unwrap().insert(start, (start + bytes, CURRENT.get()));
    start
}

/// Memory of a device is used by the device only. Null is no memory.
fn check_owner(address: usize, context: usize) {
    let memory = MEMORY.lock().unwrap();
    let owner = memory.range(..=address).next_back().filter(|(_, (end, _))| address < *end);
    assert!(address == 0 || owner.is_some_and(|(_, (_, owner))| *owner == context), "{address:#x} is not memory of {context:#x}");
}

working! {
    cuDriverGetVersion(version: *mut c_int) {
        *version = match self::status("version") {
            0 if cfg!(old) => 11020,
            0 => 13000,
            said => said as c_int,
        };
    }
    cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint) {
        let capability = self::status("cc") as c_int;
        // `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`, `_MINOR`
        *value = match attribute {
            75 => capability / 10,
            76 => capability % 10,
            _ => 0,
        };
    }
    cuDeviceGetCount(count: *mut c_int) { *count = self::status("devices").max(1) as c_int }
    cuDeviceGet(device: *mut c_int, number: c_int) { *device = number }
    cuDevicePrimaryCtxRetain(context: *mut usize, device: c_int) { *context = PRIMARY + device as usize }
    cuCtxCreate_v3(context: *mut usize) { *context = handle() }
    cuCtxSetCurrent(context: usize) { CURRENT.set(context) }
    cuCtxGetCurrent(context: *mut usize) { *context = CURRENT.get() }
    cuCtxGetLimit(value: *mut usize) { *value = STACK.load(Ordering::Relaxed) }
    cuCtxSetLimit(limit: c_uint, value: usize) {
        eprintln!("limit {limit} is {value} now");
        STACK.store(value, Ordering::Relaxed);
    }
    cuMemAlloc_v2(address: *mut usize, bytes: usize) { *address = memory(bytes) }
    cuMemFree_v2(address: usize) {
        assert!(address == 0 || MEMORY.lock().unwrap().contains_key(&address), "{address:#x} was not allocated");
    }
    cuMemHostAlloc(address: *mut usize, bytes: usize) { *address = memory(bytes) }
    cuMemcpyHtoDAsync_v2(to: *mut u8, from: *const u8, bytes: usize, stream: usize) {
        note(stream, false);
        check_owner(to.addr(), CURRENT.get());
        to.copy_from(from, bytes);
    }
    cuMemcpyDtoHAsync_v2(to: *mut u8, from: *const u8, bytes: usize, stream: usize) {
        note(stream, false);
        check_owner(from.addr(), CURRENT.get());
        to.copy_from(from, bytes);
    }
    cuMemcpyDtoDAsync_v2(to: usize, from: usize, bytes: usize, stream: usize) {
        check_owner(to, CURRENT.get());
        check_owner(from, CURRENT.get());
        note(stream, false);
        put(stream, Work::Copy { to, from, bytes });
    }
    cuMemsetD8Async(to: *mut u8, byte: u8, bytes: usize, stream: usize) {
        note(stream, false);
        to.write_bytes(byte, bytes);
    }
    cuStreamCreate(stream: *mut usize) {
        *stream = handle();
        STREAMS.lock().unwrap().get_or_insert_default().insert(*stream, CURRENT.get());
    }
    cuStreamGetCtx(stream: usize, context: *mut usize) {
        let known = STREAMS.lock().unwrap().get_or_insert_default().get(&stream).copied();
        *context = known.unwrap_or(CURRENT.get());
    }
    cuStreamBeginCapture_v2(stream: usize) {
        note(stream, false);
        CAPTURED.lock().unwrap().insert(stream, Vec::new());
    }
    cuStreamEndCapture(stream: usize, graph: *mut usize) {
        note(stream, false);
        let mut captured = CAPTURED.lock().unwrap();
        let works = captured.remove(&stream).unwrap();
        *graph = handle();
        captured.insert(*graph, works);
    }
    cuStreamIsCapturing(stream: usize, status: *mut c_uint) {
        *status = CAPTURED.lock().unwrap().contains_key(&stream).into();
    }
    cuGraphLaunch(graph: usize, stream: usize) {
        note(stream, false);
        let works = CAPTURED.lock().unwrap()[&graph].clone();
        works.iter().for_each(|work| perform(work));
    }
    cuEventCreate(event: *mut usize) { *event = handle() }
    cuEventRecord(event: usize, stream: usize) {
        note(stream, false);
        eprintln!("stream {stream:#x} records event {event:#x}");
    }
    cuStreamWaitEvent(stream: usize, event: usize) {
        note(stream, false);
        eprintln!("stream {stream:#x} waits for event {event:#x}");
    }
    cuModuleGetFunction(function: *mut *const Function, module: usize, name: *const c_char) {
        let name = CStr::from_ptr(name).to_string_lossy().into_owned();
        let modules = MODULES.lock().unwrap();
        let text = &modules[&module].1;
        if !text.contains(&format!(".entry {name}(")) {
            return NOT_FOUND;
        }
        let (place, takes) = takes(text, &name);
        let body = text.split_once(&format!(".entry {name}(")).unwrap().1.split_once("\n{").map(|(_, body)| body.trim_start());
        let is_waiting = body.is_some_and(|body| body.starts_with("griddepcontrol.wait;"));
        *function = Box::leak(Box::new(Function { module, name, place, takes, is_waiting }));
    }
    cuFuncGetAttribute(value: *mut c_int, _attribute: c_int) { *value = 0 }
    cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int) { *blocks = 4 }
    cuModuleGetGlobal_v2(address: *mut usize, bytes: *mut usize, module: usize, name: *const c_char) {
        let name = CStr::from_ptr(name).to_string_lossy().into_owned();
        // `compute-sanitizer` takes it for an error of the program.
        assert!(MODULES.lock().unwrap()[&module].1.contains(&format!(" {name}[")), "there is no {name}");
        *bytes = 1 << 16;
        *address = *GLOBALS.lock().unwrap().entry((module, name)).or_insert_with(|| memory(*bytes));
    }
    cuGetErrorString(_error: c_uint, text: *mut *const c_char) { *text = c"in words".as_ptr() }
}

#[cfg(not(old))]
working! {
    cuGraphInstantiateWithFlags(exec: *mut usize, graph: usize) { *exec = graph }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: *const Function,
    _grid_x: c_uint,
    _grid_y: c_uint,
    _grid_z: c_uint,
    _block_x: c_uint,
    _block_y: c_uint,
    _block_z: c_uint,
    _shared_bytes: c_uint,
    stream: usize,
    arguments: *const *const c_void,
) -> c_uint {
    let function = unsafe { &*function };
    eprintln!("stream {stream:#x} launches {}", function.name);
    note(stream, true);
    unsafe { launch(function, stream, arguments) };
    status("cuLaunchKernel")
}

/// `CUlaunchConfig` and `CUlaunchAttribute`
#[repr(C)]
pub struct Config {
    blocks: [c_uint; 3],
    threads: [c_uint; 3],
    shared_bytes: c_uint,
    stream: usize,
    attributes: *const [c_uint; 18],
    attribute_count: c_uint,
}

/// Only for kernels that are started early, and may be.
#[cfg(not(old))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx(
    config: *const Config,
    function: *const Function,
    arguments: *const *const c_void,
) -> c_uint {
    let (function, config) = unsafe { (&*function, &*config) };
    let Config { blocks, threads, stream, .. } = *config;
    eprintln!("stream {stream:#x} starts {} early", function.name);
    assert!(blocks[0] > 0 && threads[0] > 0 && (&blocks[1..], &threads[1..]) == (&[1; 2], &[1; 2]));
    let attribute = unsafe { *config.attributes };
    assert_eq!((config.attribute_count, &attribute[..3]), (1, &[6, 0, 1][..]));
    assert_eq!(ENDS_IN_KERNEL.lock().unwrap().get(&stream), Some(&true), "behind something else");
    assert!(function.is_waiting, "{} does not wait", function.name);
    unsafe { launch(function, stream, arguments) };
    status("cuLaunchKernelEx")
}

unsafe fn launch(function: &Function, stream: usize, arguments: *const *const c_void) {
    let context = STREAMS.lock().unwrap().get_or_insert_default()[&stream];
    let own = MODULES.lock().unwrap()[&function.module].0;
    assert_eq!((own, CURRENT.get()), (context, context), "of another device");
    // The one kernel that Ikra itself copies with.
    if function.name == "ikra_copy" {
        unsafe {
            let (from, to) = ((*arguments).cast::<*const u8>().read(), (*arguments.add(1)).cast::<*mut u8>().read());
            check_owner(from.addr(), context);
            to.copy_from(from, (*arguments.add(2)).cast::<c_uint>().read() as usize);
        }
    } else {
        unsafe {
            let bound = |n| (*arguments.add(n)).cast::<c_uint>().read() as usize;
            let list = class_of(&function.name).map_or(0, |_| (*arguments.add(2)).cast::<usize>().read());
            let mut words = function.takes.clone();
            for (n, (.., word)) in words.iter_mut().enumerate() {
                *word = (*arguments.add(function.place)).cast::<usize>().add(n).read();
            }
            put(stream, Work::Kernel { function: function.clone(), words, first: bound(0), end: bound(1), list });
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut usize,
    image: *const c_char,
    count: c_uint,
    options: *const c_uint,
    values: *const *mut c_char,
) -> c_uint {
    let text = unsafe { CStr::from_ptr(image) }.to_string_lossy().into_owned();
    let of_waiting = if text.contains("griddepcontrol") { status("griddepcontrol") } else { 0 };
    let status = if of_waiting == 0 { status("cuModuleLoadDataEx") } else { of_waiting };
    unsafe {
        *module = handle();
        MODULES.lock().unwrap().insert(*module, (CURRENT.get(), text));
    }
    for n in 0..count as usize {
        unsafe {
            // `CU_JIT_ERROR_LOG_BUFFER`
            if status != 0 && *options.add(n) == 5 {
                let log = c"ptxas fatal: line 7, unexpected 'nonsense'";
                std::ptr::copy_nonoverlapping(log.as_ptr(), *values.add(n), log.count_bytes() + 1);
            }
        }
    }
    status
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: c_uint, name: *mut *const c_char) -> c_uint {
    let known = match error {
        218 => c"CUDA_ERROR_INVALID_PTX",
        700 => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        _ => return 1,
    };
    unsafe { *name = known.as_ptr() };
    0
}
