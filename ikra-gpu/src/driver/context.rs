//! Devices, and this process's context on one.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;

use ikra_runtime::error::Error;

use super::api::{Api, RawContext, api};
use super::status::check;

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
fn driver() -> Result<&'static Api, Error> {
    let api = api().map_err(|reason| Error::NoDevice { reason })?;
    // SAFETY: may be called any number of times.
    let status = unsafe { (api.init)(0) };
    if status != 0 {
        return Err(Error::NoDevice { reason: super::status::text(api, status) });
    }
    Ok(api)
}

/// The newest CUDA version that the driver knows: (13, 0).
///
/// # Errors
///
/// [`Error::NoDevice`] without a driver.
pub fn driver_version() -> Result<(u32, u32), Error> {
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
/// [`Error::NoDevice`] without a driver.
pub fn devices() -> Result<Vec<DeviceInfo>, Error> {
    let api = driver()?;
    let mut count = 0;
    // SAFETY: the place is an integer's.
    check(api, "cuDeviceGetCount", unsafe { (api.device_count)(&raw mut count) })?;
    (0..count).map(|index| info(api, index)).collect()
}

fn info(api: &Api, index: c_int) -> Result<DeviceInfo, Error> {
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
    /// The context that this thread set last.
    static ENTERED: Cell<usize> = const { Cell::new(0) };
}

/// The process's context on a device, kept while anything uses it.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    api: &'static Api,
    raw: RawContext,
    device: c_int,
    info: DeviceInfo,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Context").field(&self.0.info).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: retained once in `open`. An error means that the context is lost, and there is nothing to release.
        let _ = unsafe { (self.api.context_release)(self.device) };
    }
}

impl Context {
    /// The primary context of the device with this number.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if there is no driver, or no device with this number.
    pub fn open(index: usize) -> Result<Self, Error> {
        let api = driver()?;
        let devices = devices()?;
        let Some(info) = devices.get(index).cloned() else {
            let reason = match devices.len() {
                0 => String::from(
                    "the driver shows no GPU; see `nvidia-smi`, and whether `CUDA_VISIBLE_DEVICES` hides it",
                ),
                n => format!("there is no device {index}: the driver shows {n}, counted from 0"),
            };
            return Err(Error::NoDevice { reason });
        };
        let mut device = 0;
        // SAFETY: the place is an integer's.
        check(api, "cuDeviceGet", unsafe { (api.device_get)(&raw mut device, index as c_int) })?;
        let mut raw = RawContext::NULL;
        // SAFETY: the place is a handle's.
        check(api, "cuDevicePrimaryCtxRetain", unsafe { (api.context_retain)(&raw mut raw, device) })?;
        let context = Self(Arc::new(Inner { api, raw, device, info }));
        context.enter()?;
        Ok(context)
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// The driver's functions, this context being the calling thread's.
    pub(crate) fn enter(&self) -> Result<&'static Api, Error> {
        // SAFETY: the context is retained.
        check(self.0.api, "cuCtxSetCurrent", unsafe { (self.0.api.context_set)(self.0.raw) })?;
        ENTERED.set(self.0.raw.0.addr());
        Ok(self.0.api)
    }

    /// The same, for functions that name a stream and so fail in another context: the thread's context is
    /// taken to be the one that was set here last.
    pub(crate) fn enter_again(&self) -> Result<&'static Api, Error> {
        if ENTERED.get() == self.0.raw.0.addr() { Ok(self.0.api) } else { self.enter() }
    }

    /// Free and total memory of the device in bytes.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] after a fault.
    pub fn memory(&self) -> Result<(usize, usize), Error> {
        let api = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the places are integers'.
        check(api, "cuMemGetInfo", unsafe { (api.mem_info)(&raw mut free, &raw mut total) })?;
        Ok((free, total))
    }
}
