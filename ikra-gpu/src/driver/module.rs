//! Device code, compiled by the driver.

use std::borrow::Cow;
use std::ffi::{CString, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use ikra_runtime::error::GpuError;

use super::api::{RawFunction, RawModule};
use super::context::Context;
use super::early::{Waiting, waiting, waiting_once};
use super::status::{NOT_FOUND, OUT_OF_MEMORY, check, is_fatal, text};

/// Compiled device code on a device, kept while anything uses it.
#[derive(Clone, Debug)]
pub struct Module(Arc<Loaded>);

#[derive(Debug)]
struct Loaded {
    context: Context,
    raw: RawModule,
    /// The kernels that wait for the kernels before them.
    waiting: Cow<'static, [String]>,
}

/// A kernel of a module, which stays loaded while the kernel is kept.
#[derive(Clone, Debug)]
pub struct Function {
    pub(super) raw: RawFunction,
    /// Whether it first waits for the kernels before it: see [`waiting`](super::waiting).
    pub(super) is_waiting: bool,
    /// Its use of a multiprocessor.
    pub(crate) footprint: Footprint,
    _module: Module,
}

/// A kernel's use of a multiprocessor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Footprint {
    /// Bytes of local memory per thread, for arrays and for values that do not fit into registers.
    pub(crate) local_bytes: usize,
    /// How many blocks of [`LARGE`](Self::LARGE) threads run at the same time; 0 if they need too many registers.
    pub(crate) large_blocks: usize,
}

impl Footprint {
    /// Threads of a large block.
    pub(crate) const LARGE: u32 = 512;
}

/// `CU_FUNC_ATTRIBUTE_*`
const LOCAL_SIZE_BYTES: c_int = 3;

/// `CU_JIT_*`
const INFO_LOG: c_uint = 3;
const INFO_LOG_BYTES: c_uint = 4;
const ERROR_LOG: c_uint = 5;
const ERROR_LOG_BYTES: c_uint = 6;

impl Module {
    /// Compiles PTX for the device.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceCodeRejected`] with the log of the driver's compiler; [`GpuError::DeviceLost`] after a fault.
    pub fn load(context: &Context, ptx: &str) -> Result<Self, GpuError> {
        Self::compile(context, ptx, Cow::Borrowed(&[]))
    }

    /// As [`load_waiting`](Self::load_waiting), for a text that is loaded once.
    pub(crate) fn load_special(context: &Context, ptx: &str) -> Result<Self, GpuError> {
        match context.starts_early().then(|| waiting(ptx)).flatten() {
            Some(Waiting { ptx, kernels }) => Self::compile(context, &ptx, Cow::Owned(kernels)),
            None => Self::load(context, ptx),
        }
    }

    /// As [`load`](Self::load). If device and driver can start kernels early, the kernels [wait](super::waiting) for
    /// the kernels before them.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load).
    pub fn load_waiting(context: &Context, ptx: &'static str) -> Result<Self, GpuError> {
        if let Some(made) = context.starts_early().then(|| waiting_once(ptx)).flatten() {
            match Self::compile(context, &made.ptx, Cow::Borrowed(&made.kernels)) {
                // The driver's verdict on the unmodified text decides.
                Err(GpuError::DeviceCodeRejected { .. }) => {}
                loaded => return loaded,
            }
        }
        Self::load(context, ptx)
    }

    /// The kernels of these names wait before their first other instruction.
    fn compile(context: &Context, ptx: &str, waiting: Cow<'static, [String]>) -> Result<Self, GpuError> {
        let api = context.enter()?;
        let image = CString::new(ptx)
            .map_err(|_| GpuError::DeviceCodeRejected { log: String::from("the text holds a zero byte") })?;
        let mut info = vec![0_u8; 8192];
        let mut error = vec![0_u8; 8192];
        let mut options = [INFO_LOG, INFO_LOG_BYTES, ERROR_LOG, ERROR_LOG_BYTES];
        // Numbers are passed in place of pointers.
        let mut values: [*mut c_void; 4] = [
            info.as_mut_ptr().cast(),
            ptr::without_provenance_mut(info.len()),
            error.as_mut_ptr().cast(),
            ptr::without_provenance_mut(error.len()),
        ];
        let mut raw = RawModule::NULL;
        // SAFETY: the text ends in 0; there are as many options as values, and their buffers have the lengths that are
        // passed.
        let status = unsafe {
            (api.module_load)(&raw mut raw, image.as_ptr().cast(), 4, options.as_mut_ptr(), values.as_mut_ptr())
        };
        if status == OUT_OF_MEMORY {
            let (free, _) = context.memory()?;
            return Err(GpuError::OutOfDeviceMemory { what: String::from("device code"), requested: ptx.len(), free });
        }
        if status != 0 && !is_fatal(status) {
            let mut log = text(api, status);
            for buffer in [error, info] {
                let said =
                    String::from_utf8_lossy(buffer.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned();
                if !said.trim().is_empty() {
                    log = format!("{log}\n{}", said.trim());
                }
            }
            return Err(GpuError::DeviceCodeRejected { log });
        }
        check(api, "cuModuleLoadDataEx", status)?;
        Ok(Self(Arc::new(Loaded { context: context.clone(), raw, waiting })))
    }

    /// The kernel of this name, if the module has one.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub fn function(&self, name: &str) -> Result<Option<Function>, GpuError> {
        let api = self.0.context.enter()?;
        let Ok(text) = CString::new(name) else { return Ok(None) };
        let mut raw = RawFunction::NULL;
        // SAFETY: the text ends in 0, and the pointer leads to a handle.
        match unsafe { (api.module_function)(&raw mut raw, self.0.raw, text.as_ptr()) } {
            NOT_FOUND => return Ok(None),
            status => check(api, "cuModuleGetFunction", status)?,
        }
        let (mut local_bytes, mut large_blocks) = (0, 0);
        // SAFETY: the pointer leads to an integer, and the function belongs to this module.
        let status = unsafe { (api.function_attribute)(&raw mut local_bytes, LOCAL_SIZE_BYTES, raw) };
        check(api, "cuFuncGetAttribute", status)?;
        // SAFETY: the pointer leads to an integer, and the function belongs to this module, which is loaded.
        let status = unsafe { (api.resident_blocks)(&raw mut large_blocks, raw, Footprint::LARGE as c_int, 0) };
        check(api, "cuOccupancyMaxActiveBlocksPerMultiprocessor", status)?;
        let footprint = Footprint { local_bytes: local_bytes as usize, large_blocks: large_blocks as usize };
        let is_waiting = self.0.waiting.iter().any(|kernel| kernel == name);
        Ok(Some(Function { raw, is_waiting, footprint, _module: self.clone() }))
    }

    /// Address and size of the global of this name, if the module has one.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub fn global(&self, name: &str) -> Result<Option<(u64, usize)>, GpuError> {
        let api = self.0.context.enter()?;
        let Ok(text) = CString::new(name) else { return Ok(None) };
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the text ends in 0, and the pointers lead to an address and a size.
        match unsafe { (api.module_global)(&raw mut address, &raw mut bytes, self.0.raw, text.as_ptr()) } {
            NOT_FOUND => Ok(None),
            status => check(api, "cuModuleGetGlobal", status).map(|()| Some((address, bytes))),
        }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if let Ok(api) = self.context.enter() {
            // SAFETY: loaded in `load`. An error means that the context is lost.
            let _ = unsafe { (api.module_unload)(self.raw) };
        }
    }
}
