//! Launches whose blocks run at the same time, so that they can wait for each other.

use std::ffi::{c_int, c_uint, c_void};

use ikra_runtime::error::GpuError;

use super::{Grid, Stream};
use crate::driver::api::{LaunchAttribute, LaunchConfig};
use crate::driver::module::Function;
use crate::driver::status::check;

/// `CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH`
const TOGETHER: c_uint = 95;
/// `CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT`
const HAS_TIME_LIMIT: c_uint = 17;

impl Stream {
    /// Whether [`launch_together`](Self::launch_together) works, and a kernel may run for any time. A device with a display
    /// may end a kernel that runs for seconds.
    pub(crate) fn runs_together(&self) -> bool {
        let Ok(api) = self.context.enter_again() else { return false };
        let mut device = 0;
        // SAFETY: the pointer leads to an integer.
        let status = unsafe { (api.device_get)(&raw mut device, self.context.device().index as c_int) };
        let is = |attribute: c_uint| {
            let mut value = 0;
            // SAFETY: the pointer leads to an integer.
            let status = unsafe { (api.device_attribute)(&raw mut value, attribute, device) };
            status == 0 && value != 0
        };
        status == 0 && api.launch_with.is_some() && is(TOGETHER) && !is(HAS_TIME_LIMIT)
    }

    /// The number of blocks of a kernel that run at the same time; 0 if such a block has no room.
    pub(crate) fn blocks_together(
        &self,
        function: &Function,
        threads: u32,
        shared_bytes: u32,
    ) -> Result<u32, GpuError> {
        let api = self.context.enter_again()?;
        let mut blocks = 0;
        // SAFETY: the pointer leads to an integer, and the function's module is loaded.
        let status =
            unsafe { (api.resident_blocks)(&raw mut blocks, function.raw, threads as c_int, shared_bytes as usize) };
        check(api, "cuOccupancyMaxActiveBlocksPerMultiprocessor", status)?;
        Ok(u32::try_from(blocks).unwrap_or(0) * self.context.device().multiprocessors)
    }

    /// Starts a kernel whose blocks all run at the same time, after all work before it.
    ///
    /// # Errors
    ///
    /// [`GpuError::Driver`] if the launch is refused, for example because there is no room for so many blocks;
    /// [`GpuError::DeviceLost`] after a fault.
    ///
    /// # Safety
    ///
    /// As for [`launch`](Self::launch).
    pub(crate) unsafe fn launch_together(
        &self,
        function: &Function,
        grid: Grid,
        arguments: &[*const ()],
    ) -> Result<(), GpuError> {
        // A kernel that follows starts when this one is done: the launches in it have no kernels before them.
        self.note_other_work();
        let api = self.context.enter_again()?;
        let Some(launch) = api.launch_with else {
            let reason = String::from("the driver has no `cuLaunchKernelEx`");
            return Err(GpuError::Driver { call: String::from("cuLaunchKernelEx"), reason });
        };
        let attribute = LaunchAttribute::together();
        let config = LaunchConfig {
            blocks: [grid.blocks, 1, 1],
            threads: [grid.threads / grid.rows, grid.rows, 1],
            shared_bytes: grid.shared_bytes,
            stream: self.raw,
            attributes: &raw const attribute,
            attribute_count: 1,
        };
        // Only read, in spite of its type.
        let arguments = arguments.as_ptr().cast_mut().cast::<*mut c_void>();
        // SAFETY: the arguments point to values of the types that the kernel takes, and its use of them is sound, by the
        // caller. The driver copies them in this call. The configuration has the driver's layout, and the stream is alive.
        let status = unsafe { launch(&raw const config, function.raw, arguments, std::ptr::null_mut()) };
        check(api, "cuLaunchKernelEx", status)
    }
}
