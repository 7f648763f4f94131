//! Errors of GPUs.

use std::fmt;

/// Errors on a GPU, and before one is reached.
///
/// ```
/// use ikra::{Error, gpu::GpuError, prelude::*};
///
/// # #[soa_class]
/// # pub struct Body { pub age: u32 }
/// # #[soa_methods]
/// # impl Body {
/// #     #[kernel]
/// #     pub fn grow_old(&mut self) { self.age += 1; }
/// # }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), Error> {
/// let mut sim = Sim::new();
/// match sim.cuda_execute(Body::grow_old, ()) {
///     // Without a GPU, or without a compiler for it.
///     Err(Error::Gpu(GpuError::NoDevice { .. } | GpuError::NoDeviceCode { .. })) => sim.execute(Body::grow_old, ()),
///     result => result?,
/// }
/// # Ok(()) }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no usable GPU: no driver, or no device.
    #[error("no GPU to run on: {reason}")]
    NoDevice {
        /// The missing part, and what to do.
        reason: String,
    },
    /// The program has no code for the device.
    #[error(
        "world {world} was compiled without device code; call `ikra_build::device(\"src/model.rs\")` in the build script, and run `ikra-doctor` to see whether a compiler for the device is installed"
    )]
    NoDeviceCode {
        /// The world.
        world: &'static str,
    },
    /// The driver did not accept the device code.
    #[error(
        "the driver rejected the device code: {log}; rebuild the program, with an older `target` in the build script if the driver is older, or update the driver"
    )]
    DeviceCodeRejected {
        /// The message of the driver's compiler.
        log: String,
    },
    /// The device code lacks a kernel.
    #[error(
        "the device code of {packages} has no kernel `{kernel}` from this place in the source; put its class into the model file that the build script compiles, without `cfg` around the kernel, or, if it is of another package, name that one's device code, as in `#[soa_world(device_code = [shapes::DEVICE_CODE])]`, and rebuild the program"
    )]
    NoSuchKernel {
        /// The kernel.
        kernel: String,
        /// The packages whose device code was searched. If a package has no device code, the text adds the cause.
        packages: String,
    },
    /// Host and device code were compiled with different definitions of a class or a kernel. Nothing was run.
    #[error(
        "the device code does not fit the program: {what}; what kernels and columns are made of must be the same on both sides, so write it without `cfg(target_arch)`, `cfg!` and features, and rebuild the program"
    )]
    DeviceCodeDiffers {
        /// The class or kernel, and the difference.
        what: String,
    },
    /// The device has not enough memory. The world stays usable on the host.
    #[error(
        "no device memory for {requested} bytes of {what}: {free} bytes are free; the world can still be used on the host"
    )]
    OutOfDeviceMemory {
        /// The purpose of the memory.
        what: String,
        /// The number of bytes requested.
        requested: usize,
        /// The number of bytes that were free.
        free: usize,
    },
    /// A kernel panicked, or accessed memory outside its columns. Values that the device changed and that were not
    /// fetched are lost: their columns cannot be read until `sim.cuda().accept_loss()` accepts the host's stale values.
    /// All worlds of the program on this device get this error, again at each attempt.
    #[error(
        "the device failed in {kernel}: {reason}; what it changed since the last fetch is lost, so call `sim.cuda().accept_loss()` to continue with the host's older values"
    )]
    DeviceLost {
        /// The kernel that failed, or all kernels that were in flight.
        kernel: String,
        /// The driver's message.
        reason: String,
    },
    /// The stream of another library cannot work with the world. No column was lent.
    #[error("a world cannot be lent to this stream: {reason}")]
    ForeignStream {
        /// The cause, and what to do.
        reason: String,
    },
    /// Another error of the driver.
    #[error(
        "{call} failed: {reason}; the driver refused it, so see whether other programs use the device, and run `ikra-doctor`"
    )]
    Driver {
        /// The call that failed.
        call: String,
        /// The driver's message.
        reason: String,
    },
}

/// Prints the message, with what to do, because `main` and `unwrap` show this form.
impl fmt::Debug for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
