//! The driver's state: all objects that have handles.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use super::counts::Counters;
use super::event::Event;
use super::graph::{Capture, Graph};
use super::module::{Function, Module};
use super::programs::Programs;
use super::queue::Stream;
use super::settings::{Checks, Settings};
use super::status::{Done, INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_INITIALIZED, Status, UNKNOWN};
use crate::machine;

/// The type behind a handle of the driver: handles are numbers, passed as pointers and never followed.
pub(crate) type Handle = usize;

/// A GPU.
#[derive(Debug)]
pub(crate) struct Gpu {
    /// The handle of its primary context, whether that exists or not.
    pub(crate) primary: Handle,
    /// The number of times that it was retained.
    pub(crate) references: usize,
}

/// A context: memory of its own, streams, and perhaps an error that blocks it.
pub(crate) struct Context {
    pub(crate) device: usize,
    pub(crate) machine: Arc<machine::Device>,
    /// The error that each function returns, after a kernel has failed.
    pub(crate) lost: Option<Status>,
    /// Bytes of a thread's stack.
    pub(crate) stack: usize,
    /// The default stream.
    pub(crate) default: Handle,
}

/// The driver's state in this process.
pub(crate) struct Driver {
    pub(crate) settings: Settings,
    pub(crate) random: Random,
    pub(crate) is_initialised: bool,
    pub(crate) gpus: Vec<Gpu>,
    pub(crate) contexts: BTreeMap<Handle, Context>,
    /// By their handles, so that an order drawn from a seed is reproducible.
    pub(crate) streams: BTreeMap<Handle, Stream>,
    pub(crate) events: HashMap<Handle, Event>,
    pub(crate) modules: HashMap<Handle, Module>,
    pub(crate) programs: Programs,
    pub(crate) functions: HashMap<Handle, Arc<Function>>,
    pub(crate) graphs: HashMap<Handle, Graph>,
    pub(crate) executables: HashMap<Handle, Arc<Graph>>,
    pub(crate) captures: HashMap<Handle, Capture>,
    /// Bytes of page-locked memory, by its start, with its context.
    pub(crate) host: BTreeMap<usize, (usize, Handle)>,
    pub(crate) counts: Counters,
    next: Handle,
}

/// Random numbers from the seed.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// The state, after the first request; `Err` names the invalid variable.
static DRIVER: Mutex<Option<Result<Driver, String>>> = Mutex::new(None);

thread_local! {
    /// The contexts of this thread; the last is the current one.
    static CURRENT: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

/// The current context of this thread.
pub(crate) fn current_handle() -> Handle {
    CURRENT.with_borrow(|stack| stack.last().copied().unwrap_or_default())
}

/// Changes this thread's contexts.
pub(crate) fn with_current<T>(change: impl FnOnce(&mut Vec<Handle>) -> T) -> T {
    CURRENT.with_borrow_mut(change)
}

/// Runs the body of a function of the driver: alone, unless the plan says that it fails.
pub(crate) fn call(name: &'static str, body: impl FnOnce(&mut Driver) -> Done) -> Status {
    call_before_init(name, |driver| if driver.is_initialised { body(driver) } else { Err(NOT_INITIALIZED) })
}

/// The same, for functions that may come before `cuInit`.
pub(crate) fn call_before_init(name: &'static str, body: impl FnOnce(&mut Driver) -> Done) -> Status {
    let mut state = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
    let driver = state.get_or_insert_with(|| {
        let driver = Settings::of_environment().map(Driver::new);
        if let Err(error) = &driver {
            eprintln!("ikra-emulator: {error}");
        }
        driver
    });
    let Ok(driver) = driver else { return INVALID_VALUE };
    if driver.settings.is_traced {
        eprintln!("called {name}");
    }
    if let Some(status) = driver.settings.failure(name) {
        return status;
    }
    // A panic must not unwind into C code.
    match catch_unwind(AssertUnwindSafe(|| body(driver))) {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status,
        Err(panic) => {
            eprintln!("ikra-emulator: `{name}` panicked, which is an error of the emulator: {}", panic_text(&*panic));
            UNKNOWN
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

/// Writes the result of a function.
///
/// # Errors
///
/// [`INVALID_VALUE`] if the pointer is null.
///
/// # Safety
///
/// `place` is null, or valid for a write of a `T`.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Done {
    if place.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller promises it, and it is not null.
    unsafe { place.write(value) };
    Ok(())
}

impl Driver {
    fn new(settings: Settings) -> Self {
        let mut driver = Self {
            random: Random::new(settings.seed),
            counts: Counters::new(settings.counts.clone()),
            settings,
            is_initialised: false,
            gpus: Vec::new(),
            contexts: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: HashMap::new(),
            modules: HashMap::new(),
            programs: Programs::default(),
            functions: HashMap::new(),
            graphs: HashMap::new(),
            executables: HashMap::new(),
            captures: HashMap::new(),
            host: BTreeMap::new(),
            next: 0x1_0000,
        };
        for _ in 0..driver.settings.devices {
            let primary = driver.handle();
            driver.gpus.push(Gpu { primary, references: 0 });
        }
        driver
    }

    /// A handle that was never used.
    pub(crate) fn handle(&mut self) -> Handle {
        self.next += 0x10;
        self.next
    }

    /// Prints a trace, if it was requested.
    pub(crate) fn trace(&self, text: impl FnOnce() -> String) {
        if self.settings.is_traced {
            eprintln!("{}", text());
        }
    }

    /// The current context, whether it has failed or not.
    pub(crate) fn entered(&mut self) -> Result<(Handle, &mut Context), Status> {
        let handle = current_handle();
        self.contexts.get_mut(&handle).map(|context| (handle, context)).ok_or(INVALID_CONTEXT)
    }

    /// The current context, in which nothing has failed.
    pub(crate) fn current(&mut self) -> Result<(Handle, &mut Context), Status> {
        let (handle, context) = self.entered()?;
        context.lost.map_or(Ok((handle, context)), Err)
    }

    /// An existing context in which nothing has failed.
    pub(crate) fn context(&mut self, handle: Handle) -> Result<&mut Context, Status> {
        let context = self.contexts.get_mut(&handle).ok_or(INVALID_CONTEXT)?;
        context.lost.map_or(Ok(context), Err)
    }

    /// The number of a device.
    pub(crate) fn device(&self, number: i32) -> Result<usize, Status> {
        let number = usize::try_from(number).map_err(|_| super::status::INVALID_DEVICE)?;
        if number < self.gpus.len() { Ok(number) } else { Err(super::status::INVALID_DEVICE) }
    }

    /// Makes a context with this handle.
    pub(crate) fn open(&mut self, handle: Handle, device: usize) {
        let default = self.handle();
        self.streams.insert(default, Stream::new(handle, true));
        let checks = match self.settings.checks {
            Checks::Off => machine::Checks { bounds: true, ..machine::Checks::NONE },
            Checks::Fail => machine::Checks::default(),
        };
        let options = machine::Options {
            seed: self.settings.seed,
            threads: self.settings.threads,
            checks,
            multiprocessors: self.settings.multiprocessors,
            memory_bytes: self.settings.memory,
            // No two contexts have the same addresses, up to a large number of contexts.
            number: (handle >> 4) as u8,
            ..machine::Options::default()
        };
        let machine = Arc::new(machine::Device::new(options));
        self.contexts.insert(handle, Context { device, machine, lost: None, stack: 1024, default });
    }

    /// Destroys a context and everything in it, after executing the work on its streams.
    pub(crate) fn close(&mut self, handle: Handle) {
        // A failure now has no receiver any more; it was printed.
        let _ = self.finish_context(handle);
        self.counts.write();
        self.contexts.remove(&handle);
        self.streams.retain(|_, stream| stream.context != handle);
        self.events.retain(|_, event| event.context != handle);
        self.modules.retain(|_, module| module.context != handle);
        self.functions.retain(|_, function| function.context != handle);
        self.host.retain(|_, (_, context)| *context != handle);
        self.graphs.retain(|_, graph| graph.context != handle);
        self.executables.retain(|_, graph| graph.context != handle);
    }

    /// Bytes of a device that are not allocated.
    pub(crate) fn free_memory(&self, device: usize) -> usize {
        let of_device = self.contexts.values().filter(|context| context.device == device);
        let taken: usize = of_device.map(|context| context.machine.usage().used).sum();
        self.settings.memory.saturating_sub(taken)
    }

    /// The stream with this handle, and its context.
    pub(crate) fn stream(&self, handle: Handle) -> Result<(Handle, Handle), Status> {
        // `NULL`, `CU_STREAM_LEGACY`, `CU_STREAM_PER_THREAD`
        if handle <= 2 {
            let current = current_handle();
            let context = self.contexts.get(&current).ok_or(INVALID_CONTEXT)?;
            return Ok((context.default, current));
        }
        let stream = self.streams.get(&handle).filter(|stream| !stream.is_destroyed).ok_or(INVALID_HANDLE)?;
        Ok((handle, stream.context))
    }
}

/// Writes the counts at the end of the process, however it ends.
pub(crate) fn write_counts() {
    let mut state = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(Ok(driver)) = state.as_mut() {
        driver.counts.write();
    }
}
