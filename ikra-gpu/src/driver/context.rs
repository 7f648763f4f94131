//! Devices, and this process's context on one.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ikra_runtime::error::GpuError;

use super::api::{Api, RawContext, api};
use super::status::{check, is_fatal, text};

/// A GPU that the driver shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its number, as counted within `CUDA_VISIBLE_DEVICES` if that is set.
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
    // SAFETY: may be called any number of times.
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
    // SAFETY: the place is an integer's.
    check(api, "cuDriverGetVersion", unsafe { (api.driver_version)(&raw mut version) })?;
    Ok((version as u32 / 1000, version as u32 % 1000 / 10))
}

/// The GPUs that the driver shows.
///
/// # Errors
///
/// [`GpuError::NoDevice`] without a driver.
pub fn devices() -> Result<Vec<DeviceInfo>, GpuError> {
    let api = driver()?;
    let mut count = 0;
    // SAFETY: the place is an integer's.
    check(api, "cuDeviceGetCount", unsafe { (api.device_count)(&raw mut count) })?;
    (0..count).map(|index| info(api, index)).collect()
}

fn info(api: &Api, index: c_int) -> Result<DeviceInfo, GpuError> {
    let mut device = 0;
    // SAFETY: the place is an integer's.
    check(api, "cuDeviceGet", unsafe { (api.device_get)(&raw mut device, index) })?;
    let mut name = [0_u8; 256];
    // SAFETY: the buffer has the length that is said.
    check(api, "cuDeviceGetName", unsafe { (api.device_name)(name.as_mut_ptr().cast(), 255, device) })?;
    let mut memory = 0;
    // SAFETY: the place is an integer's.
    check(api, "cuDeviceTotalMem", unsafe { (api.device_memory)(&raw mut memory, device) })?;
    let attribute = |number| {
        let mut value = 0;
        // SAFETY: the place is an integer's.
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
    /// The number of the context that this thread set last.
    static ENTERED: Cell<u64> = const { Cell::new(0) };
}

/// The process's context on a device, kept while anything uses it: one for all that is alive at the same time.
///
/// After a kernel has failed, the driver does nothing more in it. When the last that uses it is dropped it is reset,
/// so that a new one can be opened, if the driver allows that.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    api: &'static Api,
    raw: RawContext,
    device: c_int,
    info: DeviceInfo,
    /// No other context of the process has or had the same number: addresses are used again.
    number: u64,
    is_lost: AtomicBool,
    loss: Mutex<Option<Loss>>,
}

/// Why nothing works in a context any more.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    /// The kernels that may have failed, each with the number of the queue that it was in.
    pub(crate) kernels: Vec<(u64, &'static str)>,
    /// What the driver says.
    pub(crate) reason: String,
}

impl Loss {
    /// The error, for one whose queue has this number.
    pub(crate) fn error(&self, queue: u64) -> GpuError {
        let name = |&(of, kernel): &(u64, &str)| {
            if of == queue { format!("`{kernel}`") } else { format!("`{kernel}` of another world") }
        };
        let kernel = match self.kernels.as_slice() {
            [] => String::from("something that no world started"),
            [kernel] => format!("kernel {}", name(kernel)),
            kernels => {
                format!("one of the kernels {}", kernels.iter().map(name).collect::<Vec<_>>().join(", "))
            }
        };
        GpuError::DeviceLost { kernel, reason: self.reason.clone() }
    }
}

/// The open context of each device. Whoever opens or closes one holds the lock.
static OPEN: Mutex<Vec<(c_int, Weak<Inner>)>> = Mutex::new(Vec::new());

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Context").field(&self.0.info).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let own = std::ptr::from_ref(self);
        let is_last = open.iter().any(|(_, known)| std::ptr::eq(known.as_ptr(), own));
        open.retain(|(_, known)| !std::ptr::eq(known.as_ptr(), own));
        if is_last && self.is_lost.load(Ordering::Acquire) {
            // SAFETY: nobody uses the context any more: each user has a reference, and this was the last one; none is
            // opened meanwhile. An error means that the driver keeps the context lost.
            let _ = unsafe { (self.api.context_reset)(self.device) };
        }
        // SAFETY: retained once in `open`. An error means that the context is lost, and there is nothing to release.
        let _ = unsafe { (self.api.context_release)(self.device) };
    }
}

impl Context {
    /// The primary context of the device with this number.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoDevice`] if there is no driver, or no device with this number; [`GpuError::DeviceLost`] after a kernel
    /// has failed, while anything that used the context is alive.
    pub fn open(index: usize) -> Result<Self, GpuError> {
        let api = driver()?;
        let devices = devices()?;
        let Some(info) = devices.get(index).cloned() else {
            let reason = match devices.len() {
                0 => String::from(
                    "the driver shows no GPU; see `nvidia-smi`, and whether `CUDA_VISIBLE_DEVICES` hides it",
                ),
                n => {
                    format!("there is no device {index}: the driver shows {n}, counted from 0; open one of these")
                }
            };
            return Err(GpuError::NoDevice { reason });
        };
        let mut device = 0;
        // SAFETY: the place is an integer's.
        check(api, "cuDeviceGet", unsafe { (api.device_get)(&raw mut device, index as c_int) })?;
        // A context that turns out to be alive is dropped after the lock, which its `Drop` takes.
        let context;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let alive = open.iter().find(|(of, _)| *of == device).and_then(|(_, known)| known.upgrade());
        if let Some(alive) = alive {
            context = Self(alive);
        } else {
            static NUMBERS: AtomicU64 = AtomicU64::new(1);
            let raw = retain(api, device)?;
            let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
            let (is_lost, loss) = (AtomicBool::new(false), Mutex::new(None));
            let inner = Arc::new(Inner { api, raw, device, info, number, is_lost, loss });
            open.retain(|(of, _)| *of != device);
            open.push((device, Arc::downgrade(&inner)));
            context = Self(inner);
        }
        drop(open);
        if let Some(Loss { kernels, reason }) = context.loss() {
            let wait = "a new world can use the device when all worlds and recordings that used it are dropped, or their losses accepted";
            return Err(Loss { kernels, reason: format!("{reason}; {wait}") }.error(0));
        }
        context.enter()?;
        Ok(context)
    }

    /// Why nothing works in this context any more, if a kernel has failed in it.
    pub(crate) fn loss(&self) -> Option<Loss> {
        if !self.0.is_lost.load(Ordering::Acquire) {
            return None;
        }
        self.0.loss.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that nothing works in this context any more, unless that is known, and returns why.
    pub(crate) fn lose(&self, why: impl FnOnce() -> Loss) -> Loss {
        let mut loss = self.0.loss.lock().unwrap_or_else(PoisonError::into_inner);
        let loss = loss.get_or_insert_with(why).clone();
        self.0.is_lost.store(true, Ordering::Release);
        loss
    }

    /// A number that no other context of the process has.
    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// The driver's functions, this context being the calling thread's.
    pub(crate) fn enter(&self) -> Result<&'static Api, GpuError> {
        // SAFETY: the context is retained.
        check(self.0.api, "cuCtxSetCurrent", unsafe { (self.0.api.context_set)(self.0.raw) })?;
        ENTERED.set(self.0.number);
        Ok(self.0.api)
    }

    /// The same, for functions that name a stream and so fail in another context: the thread's context is
    /// taken to be the one that was set here last.
    pub(crate) fn enter_again(&self) -> Result<&'static Api, GpuError> {
        if ENTERED.get() == self.0.number { Ok(self.0.api) } else { self.enter() }
    }

    /// Free and total memory of the device in bytes.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub fn memory(&self) -> Result<(usize, usize), GpuError> {
        let api = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the places are integers'.
        check(api, "cuMemGetInfo", unsafe { (api.mem_info)(&raw mut free, &raw mut total) })?;
        Ok((free, total))
    }
}

/// Takes a reference to a device's primary context. If it is lost from earlier and nobody has it any more, it is reset
/// first.
fn retain(api: &Api, device: c_int) -> Result<RawContext, GpuError> {
    let mut raw = RawContext::NULL;
    // SAFETY: the place is a handle's.
    let status = unsafe { (api.context_retain)(&raw mut raw, device) };
    if !is_fatal(status) {
        return check(api, "cuDevicePrimaryCtxRetain", status).map(|()| raw);
    }
    // SAFETY: nothing of this library uses the context, and nothing else can: it is lost.
    let _ = unsafe { (api.context_reset)(device) };
    // SAFETY: the place is a handle's.
    let status = unsafe { (api.context_retain)(&raw mut raw, device) };
    if is_fatal(status) {
        let reason = format!(
            "{}; a kernel has failed in this process, after which the driver allows it no more work: start the program again",
            text(api, status)
        );
        return Err(GpuError::NoDevice { reason });
    }
    check(api, "cuDevicePrimaryCtxRetain", status).map(|()| raw)
}
