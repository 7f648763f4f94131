//! Launches of kernels.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use super::module::Function;
use super::queue::Work;
use super::report;
use super::state::{Driver, Handle, call};
use super::status::{COOPERATIVE_LAUNCH_TOO_LARGE, Done, INVALID_VALUE, Status};
use crate::machine;

/// `CU_LAUNCH_PARAM_END`, `CU_LAUNCH_PARAM_BUFFER_POINTER`, `CU_LAUNCH_PARAM_BUFFER_SIZE`
const END: usize = 0;
const BUFFER: usize = 1;
const BUFFER_BYTES: usize = 2;

/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`
const EARLY: c_uint = 6;
/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`
const COOPERATIVE: c_uint = 2;

/// `CUlaunchConfig`
#[repr(C)]
#[derive(Debug)]
pub struct LaunchConfig {
    blocks: [c_uint; 3],
    threads: [c_uint; 3],
    shared_bytes: c_uint,
    stream: Handle,
    attributes: *const LaunchAttribute,
    attribute_count: c_uint,
}

/// `CUlaunchAttribute`
#[repr(C, align(8))]
#[derive(Debug)]
pub struct LaunchAttribute {
    id: c_uint,
    padding: c_uint,
    value: [c_int; 16],
}

/// The arguments of a kernel, one after the other where it expects them.
///
/// # Safety
///
/// As for `cuLaunchKernel`: a pointer per parameter, or a buffer.
unsafe fn arguments(
    info: &machine::KernelInfo,
    arguments: *const *const c_void,
    extra: *const *const c_void,
) -> Result<Vec<u8>, Status> {
    let bytes = info.parameters.iter().map(|parameter| parameter.offset + parameter.bytes).max().unwrap_or_default();
    let mut buffer = vec![0; bytes];
    if !extra.is_null() {
        let (mut start, mut len) = (std::ptr::null::<u8>(), 0);
        for pair in 0.. {
            // SAFETY: the caller passes pairs; the last one starts with `CU_LAUNCH_PARAM_END`.
            let (key, value) = unsafe { (*extra.add(2 * pair), extra.add(2 * pair + 1)) };
            match key.addr() {
                END => break,
                // SAFETY: such a pair has a second part.
                BUFFER => start = unsafe { *value }.cast(),
                // SAFETY: the same; it is a pointer to a size.
                BUFFER_BYTES => len = unsafe { (*value).cast::<usize>().read() },
                _ => return Err(INVALID_VALUE),
            }
        }
        if start.is_null() || len < bytes {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the buffer has `len` bytes, by the caller.
        buffer.copy_from_slice(unsafe { std::slice::from_raw_parts(start, bytes) });
        return Ok(buffer);
    }
    if arguments.is_null() && !info.parameters.is_empty() {
        return Err(INVALID_VALUE);
    }
    for (n, parameter) in info.parameters.iter().enumerate() {
        // SAFETY: the caller passes a pointer per parameter.
        let argument = unsafe { *arguments.add(n) }.cast::<u8>();
        if argument.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes pointers to values of the parameters' types.
        let value = unsafe { std::slice::from_raw_parts(argument, parameter.bytes) };
        buffer[parameter.offset..][..parameter.bytes].copy_from_slice(value);
    }
    Ok(buffer)
}

impl Driver {
    /// Enqueues a kernel on a stream.
    fn put_kernel(
        &mut self,
        stream: Handle,
        function: &Arc<Function>,
        launch: machine::Launch,
        is_early: bool,
    ) -> Done {
        self.check_launch(function, &launch)?;
        let name = &function.info().name;
        self.trace(|| match is_early {
            true => format!("stream {stream:#x} starts {name} early"),
            false => format!("stream {stream:#x} launches {name}"),
        });
        // A kernel that waits first cannot be told from one that is started later.
        let overtakes = is_early && !function.waits_first;
        self.put_on(stream, Work::Kernel { function: function.clone(), launch }, Vec::new(), overtakes)
    }

    /// The function with this handle, for a stream of the current context.
    fn launched(&mut self, handle: Handle, stream: Handle) -> Result<(Arc<Function>, usize), Status> {
        let (current, context) = self.current()?;
        let stack = context.stack;
        let (_, own) = self.stream(stream)?;
        if own != current {
            return Err(super::status::INVALID_HANDLE);
        }
        Ok((self.function(handle, current)?, stack))
    }

    /// Runs a kernel to its end.
    pub(crate) fn run(&mut self, machine: &machine::Device, function: &Function, launch: &machine::Launch) -> Done {
        match machine.launch(&function.loaded, function.kernel, launch) {
            Ok(counts) => {
                self.counts.add(function.info(), launch, &counts);
                Ok(())
            }
            Err(fault) => {
                let object = |thread| report::object_of(machine, function.info(), launch, thread);
                Err(report::kernel_failed(&fault, object))
            }
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: Handle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared_bytes: c_uint,
    stream: Handle,
    values: *const *const c_void,
    extra: *const *const c_void,
) -> Status {
    call("cuLaunchKernel", |driver| {
        let (function, stack_bytes) = driver.launched(function, stream)?;
        // SAFETY: by the caller.
        let arguments = unsafe { arguments(function.info(), values, extra) }?;
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        driver.put_kernel(
            stream,
            &function,
            machine::Launch { grid, block, shared_bytes, arguments, stack_bytes, is_cooperative: false },
            false,
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx(
    config: *const LaunchConfig,
    function: Handle,
    values: *const *const c_void,
    extra: *const *const c_void,
) -> Status {
    call("cuLaunchKernelEx", |driver| {
        if config.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes such a structure.
        let config = unsafe { &*config };
        let attributes = match config.attribute_count {
            0 => &[],
            _ if config.attributes.is_null() => return Err(INVALID_VALUE),
            // SAFETY: the caller passes this many attributes.
            count => unsafe { std::slice::from_raw_parts(config.attributes, count as usize) },
        };
        let has = |id| attributes.iter().any(|attribute| attribute.id == id && attribute.value[0] != 0);
        let (is_early, is_cooperative) = (has(EARLY), has(COOPERATIVE));
        let handle = function;
        let (function, stack_bytes) = driver.launched(handle, config.stream)?;
        if is_cooperative {
            if let Some(status) = driver.settings.failure("cuLaunchKernelEx/cooperative") {
                return Err(status);
            }
            let threads = config.threads.iter().product::<c_uint>();
            let each = super::module::resident(driver, handle, threads as c_int, config.shared_bytes as usize)?;
            let room = each * driver.settings.multiprocessors as usize;
            if config.blocks.iter().map(|&n| n as usize).product::<usize>() > room {
                return Err(COOPERATIVE_LAUNCH_TOO_LARGE);
            }
        }
        // SAFETY: by the caller.
        let arguments = unsafe { arguments(function.info(), values, extra) }?;
        let launch = machine::Launch {
            grid: config.blocks,
            block: config.threads,
            shared_bytes: config.shared_bytes,
            arguments,
            stack_bytes,
            is_cooperative,
        };
        driver.put_kernel(config.stream, &function, launch, is_early)
    })
}
