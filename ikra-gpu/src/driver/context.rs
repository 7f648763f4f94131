//! Devices, and this process's context on one.

mod loss;
mod peers;

use std::any::Any;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ikra_runtime::error::GpuError;

pub(crate) use loss::Loss;

use super::api::{Api, RawContext, api, replace};
use super::status::{OUT_OF_MEMORY, check, is_fatal, text};

/// Another library's CUDA context.
///
/// # Safety
///
/// 1. `as_raw` returns a `CUcontext` that is alive while `self` is, and while the value that `keep` returns is.
/// 2. If `keep` returns `None`, it is the primary context of its device, and `self` holds a reference to it.
pub unsafe trait ForeignContext {
    /// The driver's handle.
    fn as_raw(&self) -> *mut c_void;
    /// A value that keeps the context alive; `None` for the primary context of a device, which the world then keeps
    /// alive itself.
    fn keep(&self) -> Option<Box<dyn Any + Send + Sync>>;
}

/// A GPU that the driver lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its number, counted within `CUDA_VISIBLE_DEVICES` if that is set.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its memory in bytes.
    pub memory: usize,
    /// Its compute capability: (9, 0) for `sm_90`.
    pub compute_capability: (u32, u32),
    /// Its multiprocessors.
    pub multiprocessors: u32,
}

/// The driver, initialised.
fn driver() -> Result<&'static Api, GpuError> {
    let api = api().map_err(|reason| GpuError::NoDevice { reason })?;
    // SAFETY: this function may be called any number of times.
    let status = unsafe { (api.init)(0) };
    if status != 0 {
        return Err(GpuError::NoDevice { reason: super::status::text(api, status) });
    }
    Ok(api)
}

/// The newest CUDA version that the driver knows: (13, 0).
///
/// # Errors
///
/// [`GpuError::NoDevice`] without a driver.
pub fn driver_version() -> Result<(u32, u32), GpuError> {
    let api = driver()?;
    let mut version = 0;
    // SAFETY: the pointer leads to an integer.
    check(api, "cuDriverGetVersion", unsafe { (api.driver_version)(&raw mut version) })?;
    Ok((version as u32 / 1000, version as u32 % 1000 / 10))
}

/// Uses the library at `path` as the driver from now on, for example this workspace's emulator. Call it before anything
/// is opened. By default `IKRA_DRIVER` names the library, or else it is the system's driver.
///
/// ```no_run
/// // SAFETY: the emulator's functions are those of the driver.
/// unsafe { ikra_gpu::driver::load("target/release/libikra_emulator.so") }?;
/// println!("{}", ikra_gpu::driver::devices()?[0].name);
/// # Ok::<(), ikra_runtime::error::GpuError>(())
/// ```
///
/// # Errors
///
/// [`GpuError::NoDevice`] if the library does not exist, if it lacks a function, or if a context was opened before.
///
/// # Safety
///
/// The library may be loaded into the process, and its functions with names of the CUDA driver API behave as that API
/// documents.
pub unsafe fn load(path: impl AsRef<std::path::Path>) -> Result<(), GpuError> {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if open.was_used {
        let reason = String::from("a context of another driver was opened before: load this one first");
        return Err(GpuError::NoDevice { reason });
    }
    // SAFETY: by the caller. Nothing was opened with another driver, and nothing is opened meanwhile.
    unsafe { replace(path.as_ref()) }.map_err(|reason| GpuError::NoDevice { reason })
}

/// The library that is used as the driver: its path, or its name in the system.
///
/// # Errors
///
/// [`GpuError::NoDevice`] without a driver.
pub fn library() -> Result<&'static str, GpuError> {
    Ok(&api().map_err(|reason| GpuError::NoDevice { reason })?.library_name)
}

/// The GPUs that the driver lists.
///
/// # Errors
///
/// [`GpuError::NoDevice`] without a driver.
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    let api = driver()?;
    let mut count = 0;
    // SAFETY: the pointer leads to an integer.
    check(api, "cuDeviceGetCount", unsafe { (api.device_count)(&raw mut count) })?;
    (0..count).map(|index| info(api, index)).collect()
}

fn info(api: &Api, index: c_int) -> Result<DeviceInfo, GpuError> {
    let mut device = 0;
    // SAFETY: the pointer leads to an integer.
    check(api, "cuDeviceGet", unsafe { (api.device_get)(&raw mut device, index) })?;
    let mut name = [0_u8; 256];
    // SAFETY: the buffer has the length that is passed.
    check(api, "cuDeviceGetName", unsafe { (api.device_name)(name.as_mut_ptr().cast(), 255, device) })?;
    let mut memory = 0;
    // SAFETY: the pointer leads to an integer.
    check(api, "cuDeviceTotalMem", unsafe { (api.device_memory)(&raw mut memory, device) })?;
    let attribute = |number| {
        let mut value = 0;
        // SAFETY: the pointer leads to an integer.
        let status = unsafe { (api.device_attribute)(&raw mut value, number, device) };
        check(api, "cuDeviceGetAttribute", status).map(|()| value as u32)
    };
    Ok(DeviceInfo {
        index: index as usize,
        name: String::from_utf8_lossy(name.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned(),
        memory,
        compute_capability: (attribute(75)?, attribute(76)?),
        multiprocessors: attribute(16)?,
    })
}

thread_local! {
    /// The number of the context that this thread last made current.
    static ENTERED: Cell<u64> = const { Cell::new(0) };
}

/// `CU_LIMIT_STACK_SIZE`
const STACK_SIZE: u32 = 0;

/// The process's context on a device, kept while anything uses it; all its users share one context.
///
/// After a kernel has failed, the driver does nothing more in it. When its last user is dropped, it is reset if the
/// driver allows that, and if no other library is known to use it. Then a new one can be opened.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    api: &'static Api,
    raw: RawContext,
    device: c_int,
    info: DeviceInfo,
    /// Unique among all contexts that the process ever had; addresses are reused.
    number: u64,
    is_lost: AtomicBool,
    loss: Mutex<Option<Loss>>,
    /// Whether other libraries use it too.
    is_shared: AtomicBool,
    /// The numbers of other devices' contexts whose memory this one was allowed to access.
    peers: Mutex<Vec<u64>>,
    /// A value that keeps another library's context alive; `None` for the primary context, to which this holds a
    /// reference.
    owner: Option<Box<dyn Any + Send + Sync>>,
}

/// The contexts that the process has open. A thread that opens or closes a context holds the lock.
struct Open {
    /// Whether a context was ever open.
    was_used: bool,
    contexts: Vec<Weak<Inner>>,
    /// The devices whose primary contexts other libraries use, perhaps longer than this one: they are not reset.
    shared: Vec<c_int>,
}

static OPEN: Mutex<Open> = Mutex::new(Open { was_used: false, contexts: Vec::new(), shared: Vec::new() });

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Context").field(&self.0.info).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let own = std::ptr::from_ref(self);
        let is_last = open.contexts.iter().any(|known| std::ptr::eq(known.as_ptr(), own));
        open.contexts.retain(|known| !std::ptr::eq(known.as_ptr(), own));
        if self.owner.is_some() {
            return;
        }
        if is_last && self.is_lost.load(Ordering::Acquire) && !open.shared.contains(&self.device) {
            // SAFETY: nothing uses the context: each user held a reference, and this was the last one; the lock keeps
            // others from opening one. An error means that the driver keeps the context lost.
            let _ = unsafe { (self.api.context_reset)(self.device) };
        }
        // SAFETY: retained once in `open`. An error means that the context is lost, and needs no release.
        let _ = unsafe { (self.api.context_release)(self.device) };
    }
}

impl Context {
    /// The primary context of the device with this number.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoDevice`] if no driver or no device with this number exists; [`GpuError::DeviceLost`] after a
    /// kernel has failed, while any user of that context is alive.
    pub fn open(index: usize) -> Result<Self, GpuError> {
        let api = driver()?;
        let devices = devices()?;
        let Some(info) = devices.get(index).cloned() else {
            let reason = match devices.len() {
                0 => String::from(
                    "the driver shows no GPU; see `nvidia-smi`, and whether `CUDA_VISIBLE_DEVICES` hides it",
                ),
                n => {
                    format!("there is no device {index}: the driver shows {n}, numbered from 0; open one of these")
                }
            };
            return Err(GpuError::NoDevice { reason });
        };
        let device = number_of(api, index)?;
        Self::find(
            |inner| inner.device == device && inner.owner.is_none(),
            |open| {
                let raw = retain(api, device, open.shared.contains(&device))?;
                Ok(Inner::new(api, raw, device, info, None))
            },
        )
    }

    /// The context that another library created.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a kernel has failed in it.
    pub fn open_in(foreign: &impl ForeignContext) -> Result<Self, GpuError> {
        let api = driver()?;
        let raw = RawContext(foreign.as_raw());
        // SAFETY: the context is alive, by clause 1 of the trait.
        check(api, "cuCtxSetCurrent", unsafe { (api.context_set)(raw) })?;
        forget_entered();
        let mut device = 0;
        // SAFETY: the pointer leads to an integer.
        check(api, "cuCtxGetDevice", unsafe { (api.context_device)(&raw mut device) })?;
        let devices = devices()?;
        let is_its_own = |info: &&DeviceInfo| number_of(api, info.index).is_ok_and(|number| number == device);
        let Some(info) = devices.iter().find(is_its_own).cloned() else {
            return Err(GpuError::NoDevice {
                reason: String::from("the context's device is none that the driver shows"),
            });
        };
        let context = match foreign.keep() {
            None => Self::open(info.index)?,
            Some(owner) => Self::find(
                |inner| inner.raw == raw && inner.owner.is_some(),
                |_| Ok(Inner::new(api, raw, device, info, Some(owner))),
            )?,
        };
        context.share();
        Ok(context)
    }

    /// The registered context for this handle, or a new one.
    fn find(
        is_known: impl Fn(&Inner) -> bool,
        make: impl FnOnce(&Open) -> Result<Inner, GpuError>,
    ) -> Result<Self, GpuError> {
        // Contexts that turn out to be alive are dropped after the lock, because their `Drop` takes it.
        let mut alive: Vec<Arc<Inner>>;
        let context;
        {
            let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            open.was_used = true;
            alive = open.contexts.iter().filter_map(Weak::upgrade).collect();
            context = match alive.iter().position(|inner| is_known(inner)) {
                Some(place) => Self(alive.swap_remove(place)),
                None => {
                    let inner = Arc::new(make(&open)?);
                    // A context that is being dropped is no longer the last one.
                    open.contexts.retain(|known| known.strong_count() > 0);
                    open.contexts.push(Arc::downgrade(&inner));
                    Self(inner)
                }
            };
        }
        drop(alive);
        if let Some(Loss { kernels, reason }) = context.loss() {
            let wait = "a new world can use the device when all worlds and recordings that used it are dropped, or their losses accepted";
            return Err(Loss { kernels, reason: format!("{reason}; {wait}") }.error(0));
        }
        context.enter()?;
        Ok(context)
    }

    /// The reason why nothing works in this context any more, if a kernel has failed in it.
    pub(crate) fn loss(&self) -> Option<Loss> {
        if !self.0.is_lost.load(Ordering::Acquire) {
            return None;
        }
        self.0.loss.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records that nothing works in this context any more, unless that is recorded already, and returns the reason.
    pub(crate) fn lose(&self, why: impl FnOnce() -> Loss) -> Loss {
        let mut loss = self.0.loss.lock().unwrap_or_else(PoisonError::into_inner);
        let loss = loss.get_or_insert_with(why).clone();
        self.0.is_lost.store(true, Ordering::Release);
        loss
    }

    /// Records that other libraries use the context too.
    pub(crate) fn share(&self) {
        self.0.is_shared.store(true, Ordering::Release);
        if self.0.owner.is_none() {
            let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            if !open.shared.contains(&self.0.device) {
                open.shared.push(self.0.device);
            }
        }
    }

    /// The driver's handle.
    pub(crate) fn as_raw(&self) -> RawContext {
        self.0.raw
    }

    /// A number that no other context of the process has or had.
    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// Whether kernels can be started [early](super::early) here. Drivers since that of CUDA 12.4 can also record such
    /// starts.
    pub(crate) fn starts_early(&self) -> bool {
        driver_version().is_ok_and(|version| version >= (12, 4))
            && self.0.api.launch_with.is_some()
            && self.device().compute_capability >= (9, 0)
    }

    /// The driver's functions, with this context current on the calling thread.
    pub(crate) fn enter(&self) -> Result<&'static Api, GpuError> {
        // SAFETY: the context is retained.
        check(self.0.api, "cuCtxSetCurrent", unsafe { (self.0.api.context_set)(self.0.raw) })?;
        ENTERED.set(self.0.number);
        Ok(self.0.api)
    }

    /// As `enter`, for functions that take a stream and so fail in another context. It assumes that the context that
    /// was last set here is still the thread's current one.
    pub(crate) fn enter_again(&self) -> Result<&'static Api, GpuError> {
        // Another library may have set another one.
        if ENTERED.get() == self.0.number && !self.0.is_shared.load(Ordering::Acquire) {
            return Ok(self.0.api);
        }
        self.enter()
    }

    /// Gives each thread at least this many bytes of stack.
    ///
    /// # Errors
    ///
    /// [`GpuError::OutOfDeviceMemory`] if the device lacks memory for the stacks of all threads that can run at the
    /// same time; [`GpuError::Driver`] if a thread's stack exceeds the device's limit; [`GpuError::DeviceLost`] after a
    /// fault.
    pub fn raise_stack(&self, bytes: usize) -> Result<(), GpuError> {
        let api = self.enter()?;
        let mut now = 0;
        // SAFETY: the pointer leads to an integer.
        check(api, "cuCtxGetLimit", unsafe { (api.limit_get)(&raw mut now, STACK_SIZE) })?;
        if now >= bytes {
            return Ok(());
        }
        // SAFETY: this function may be called at any time.
        let status = unsafe { (api.limit_set)(STACK_SIZE, bytes) };
        if status == OUT_OF_MEMORY {
            let (free, _) = self.memory()?;
            return Err(GpuError::OutOfDeviceMemory {
                what: String::from("the stack of each thread"),
                requested: bytes,
                free,
            });
        }
        check(api, "cuCtxSetLimit", status)
    }

    /// Free and total memory of the device in bytes.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub fn memory(&self) -> Result<(usize, usize), GpuError> {
        let api = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the pointers lead to integers.
        check(api, "cuMemGetInfo", unsafe { (api.mem_info)(&raw mut free, &raw mut total) })?;
        Ok((free, total))
    }
}

/// Forgets which context was set last, because another library sets one.
pub(crate) fn forget_entered() {
    ENTERED.set(0);
}

/// The driver's number of the device.
fn number_of(api: &Api, index: usize) -> Result<c_int, GpuError> {
    let mut device = 0;
    // SAFETY: the pointer leads to an integer.
    check(api, "cuDeviceGet", unsafe { (api.device_get)(&raw mut device, index as c_int) })?;
    Ok(device)
}

impl Inner {
    fn new(
        api: &'static Api,
        raw: RawContext,
        device: c_int,
        info: DeviceInfo,
        owner: Option<Box<dyn Any + Send + Sync>>,
    ) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        Self {
            api,
            raw,
            device,
            info,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            is_lost: AtomicBool::new(false),
            loss: Mutex::new(None),
            is_shared: AtomicBool::new(false),
            peers: Mutex::new(Vec::new()),
            owner,
        }
    }
}

/// Takes a reference to a device's primary context. If it is lost from an earlier failure and has no users any more, it
/// is reset first.
fn retain(api: &Api, device: c_int, is_shared: bool) -> Result<RawContext, GpuError> {
    let mut raw = RawContext::NULL;
    // SAFETY: the pointer leads to a handle.
    let status = unsafe { (api.context_retain)(&raw mut raw, device) };
    if !is_fatal(status) {
        return check(api, "cuDevicePrimaryCtxRetain", status).map(|()| raw);
    }
    if !is_shared {
        // SAFETY: nothing of this library uses the context, and nothing else can use it, since it is lost.
        let _ = unsafe { (api.context_reset)(device) };
    }
    // SAFETY: the pointer leads to a handle.
    let status = unsafe { (api.context_retain)(&raw mut raw, device) };
    if is_fatal(status) {
        let reason = format!(
            "{}; a kernel has failed in this process, and the driver accepts no more work from it: restart the program",
            text(api, status)
        );
        return Err(GpuError::NoDevice { reason });
    }
    check(api, "cuDevicePrimaryCtxRetain", status).map(|()| raw)
}
