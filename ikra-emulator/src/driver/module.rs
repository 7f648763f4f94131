//! Modules: device code, its kernels and its variables.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

use super::programs::Known;
use super::state::{Driver, Handle, call, put};
use super::status::{
    Done, INVALID_HANDLE, INVALID_PTX, INVALID_VALUE, NOT_FOUND, OUT_OF_MEMORY, Status, UNSUPPORTED_PTX_VERSION,
};
use crate::machine;

/// `CU_JIT_ERROR_LOG_BUFFER`, `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`
const ERROR_LOG: c_uint = 5;
const ERROR_LOG_BYTES: c_uint = 6;

/// `CU_FUNC_ATTRIBUTE_*`
const MAX_THREADS: c_int = 0;
const SHARED_BYTES: c_int = 1;
const LOCAL_BYTES: c_int = 3;
const REGISTERS: c_int = 4;
const PTX_VERSION: c_int = 5;
const BINARY_VERSION: c_int = 6;
const DYNAMIC_SHARED_BYTES: c_int = 8;

/// The resources of a multiprocessor.
const THREADS_OF_MULTIPROCESSOR: usize = 2048;
const REGISTERS_OF_MULTIPROCESSOR: usize = 65_536;
const SHARED_OF_MULTIPROCESSOR: usize = 228 * 1024;
const BLOCKS_OF_MULTIPROCESSOR: usize = 32;
/// The most registers that a thread can have: further ones are in local memory.
const REGISTERS_OF_THREAD: usize = 255;

/// Device code in a context.
pub(crate) struct Module {
    pub(crate) context: Handle,
    loaded: Arc<machine::LoadedProgram>,
    known: Arc<Known>,
    /// The kernels that programs looked up, by their names.
    functions: HashMap<String, Handle>,
}

/// A kernel of a module.
pub(crate) struct Function {
    pub(crate) context: Handle,
    pub(crate) loaded: Arc<machine::LoadedProgram>,
    pub(crate) kernel: machine::Kernel,
    /// Whether it waits for the kernels before it, before it does anything else.
    pub(crate) waits_first: bool,
}

impl Function {
    pub(crate) fn info(&self) -> &machine::KernelInfo {
        self.loaded.program().info(self.kernel)
    }
}

/// The first word after a directive, outside of comments.
fn said<'a>(text: &'a str, directive: &str) -> Option<&'a str> {
    let mut statements = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    statements
        .find_map(|line| line.strip_prefix(directive))
        .and_then(|rest| rest.split([',', ' ', '\t']).find(|word| !word.is_empty()))
}

/// Refuses a text for newer drivers or devices.
fn check_age(driver: &Driver, text: &str) -> Result<(), (Status, String)> {
    let version = said(text, ".version").and_then(|said| {
        let (major, minor) = said.split_once('.')?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    });
    // CUDA 11.0 came with PTX 7.0, and so on.
    let (major, minor) = (driver.settings.cuda / 1000, driver.settings.cuda % 1000 / 10);
    if let Some(version) = version
        && version > (major.saturating_sub(4), minor)
    {
        let text = format!(
            "ptxas fatal   : Unsupported .version {}.{}; current version is '{}.{minor}'",
            version.0,
            version.1,
            major.saturating_sub(4)
        );
        return Err((UNSUPPORTED_PTX_VERSION, text));
    }
    let target = said(text, ".target")
        .and_then(|said| said.strip_prefix("sm_")?.trim_end_matches(['a', 'f']).parse::<u32>().ok());
    if let Some(target) = target
        && target > driver.settings.capability
    {
        let text = format!(
            "ptxas fatal   : SM version specified by .target is higher than that of the device: {target} and {}",
            driver.settings.capability
        );
        return Err((INVALID_PTX, text));
    }
    Ok(())
}

/// Loads a text.
fn load(driver: &mut Driver, text: &str) -> Result<Handle, (Status, String)> {
    let (context, state) = driver.current().map_err(|status| (status, String::new()))?;
    let machine = state.machine.clone();
    if let Some(status) = driver.settings.failure_of_text(text) {
        return Err((status, String::from("ptxas fatal   : IKRA_EMULATOR_PLAN refuses this text")));
    }
    check_age(driver, text)?;
    let known = driver.programs.of(text).map_err(|error| {
        (INVALID_PTX, format!("ptxas application ptx input, line {}; error   : {}", error.line, error.message))
    })?;
    driver.counts.keep_text(text);
    let loaded = machine.load(Arc::clone(&known.program)).map_err(|_| (OUT_OF_MEMORY, String::new()))?;
    let handle = driver.handle();
    driver.modules.insert(handle, Module { context, loaded: Arc::new(loaded), known, functions: HashMap::new() });
    Ok(handle)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut Handle,
    image: *const c_void,
    count: c_uint,
    options: *const c_uint,
    values: *const *mut c_void,
) -> Status {
    call("cuModuleLoadDataEx", |driver| {
        if image.is_null() || module.is_null() || count > 0 && (options.is_null() || values.is_null()) {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes a text that ends in 0.
        let text = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
        let (status, log) = match load(driver, &text) {
            // SAFETY: the caller passes a pointer to a handle.
            Ok(handle) => return unsafe { put(module, handle) },
            Err(error) => error,
        };
        let (options, values) = match count {
            0 => (&[][..], &[][..]),
            // SAFETY: the caller passes the stated number of options and of values.
            _ => unsafe {
                (
                    std::slice::from_raw_parts(options, count as usize),
                    std::slice::from_raw_parts(values, count as usize),
                )
            },
        };
        let value = |wanted| options.iter().zip(values).find(|(option, _)| **option == wanted).map(|(_, value)| *value);
        if let (Some(buffer), Some(bytes)) = (value(ERROR_LOG), value(ERROR_LOG_BYTES)) {
            let (buffer, room) = (buffer.cast::<u8>(), bytes.addr());
            if !buffer.is_null() && room > 0 {
                let len = log.len().min(room - 1);
                // SAFETY: the caller passes room for this many bytes.
                unsafe { buffer.copy_from_nonoverlapping(log.as_ptr(), len) };
                // SAFETY: and for one more.
                unsafe { buffer.add(len).write(0) };
            }
        } else if !log.is_empty() {
            eprintln!("ikra-emulator: {log}");
        }
        Err(status)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData(module: *mut Handle, image: *const c_void) -> Status {
    // SAFETY: by the caller; there are no options.
    unsafe { cuModuleLoadDataEx(module, image, 0, std::ptr::null(), std::ptr::null()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleUnload(module: Handle) -> Status {
    call("cuModuleUnload", |driver| {
        let context = driver.modules.get(&module).ok_or(INVALID_HANDLE)?.context;
        // Kernels of it may be on streams.
        driver.finish_context(context)?;
        if let Some(module) = driver.modules.remove(&module) {
            module.functions.values().for_each(|function| drop(driver.functions.remove(function)));
        }
        Ok(())
    })
}

/// A name in a program's request.
///
/// # Safety
///
/// `name` is null, or a text that ends in 0.
unsafe fn name_of(name: *const c_char) -> Result<String, Status> {
    if name.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller promises it, and it is not null.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) -> Status {
    call("cuModuleGetFunction", |driver| {
        // SAFETY: by the caller.
        let name = unsafe { name_of(name) }?;
        let state = driver.modules.get(&module).ok_or(INVALID_HANDLE)?;
        let (context, loaded, known) = (state.context, state.loaded.clone(), state.functions.get(&name).copied());
        driver.context(context)?;
        if let Some(known) = known {
            // SAFETY: the caller passes null, or a pointer to a handle.
            return unsafe { put(function, known) };
        }
        let kernel = loaded.program().kernel(&name).ok_or(NOT_FOUND)?;
        let handle = driver.handle();
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(function, handle) }?;
        if let Some(state) = driver.modules.get_mut(&module) {
            let waits_first = state.known.waiting.contains(&name);
            driver.functions.insert(handle, Arc::new(Function { context, loaded, kernel, waits_first }));
            state.functions.insert(name, handle);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal_v2(
    address: *mut u64,
    bytes: *mut usize,
    module: Handle,
    name: *const c_char,
) -> Status {
    call("cuModuleGetGlobal_v2", |driver| {
        // SAFETY: by the caller.
        let name = unsafe { name_of(name) }?;
        let state = driver.modules.get(&module).ok_or(INVALID_HANDLE)?;
        let (start, size) = state.loaded.variable(&name).ok_or(NOT_FOUND)?;
        let context = state.context;
        driver.context(context)?;
        if !address.is_null() {
            // SAFETY: the caller passes a pointer to an address.
            unsafe { put(address, start) }?;
        }
        if bytes.is_null() {
            return Ok(());
        }
        // SAFETY: the caller passes a pointer to a size.
        unsafe { put(bytes, size) }
    })
}

/// Registers of each thread of a kernel, limited to the maximum.
fn registers(info: &machine::KernelInfo) -> usize {
    (info.registers as usize).clamp(16, REGISTERS_OF_THREAD)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Handle) -> Status {
    call("cuFuncGetAttribute", |driver| {
        let function = driver.functions.get(&function).cloned().ok_or(INVALID_HANDLE)?;
        driver.context(function.context)?;
        let info = function.info();
        let number = match attribute {
            MAX_THREADS => 1024,
            SHARED_BYTES => info.shared_bytes as c_int,
            LOCAL_BYTES => info.local_bytes as c_int,
            REGISTERS => registers(info) as c_int,
            PTX_VERSION | BINARY_VERSION => driver.settings.capability as c_int,
            DYNAMIC_SHARED_BYTES => 48 * 1024,
            _ => 0,
        };
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(value, number) }
    })
}

/// The number of blocks of this many threads that a multiprocessor runs at the same time. Registers are not known,
/// since nothing assigns them: they are assumed to fit.
pub(super) fn resident(
    driver: &mut Driver,
    function: Handle,
    threads: c_int,
    shared_bytes: usize,
) -> Result<usize, Status> {
    let function = driver.functions.get(&function).cloned().ok_or(INVALID_HANDLE)?;
    driver.context(function.context)?;
    let threads = usize::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(INVALID_VALUE)?;
    if threads > 1024 {
        return Ok(0);
    }
    let shared = function.info().shared_bytes as usize + shared_bytes;
    let by_registers = REGISTERS_OF_MULTIPROCESSOR / (32 * threads.next_multiple_of(32));
    let by_shared = SHARED_OF_MULTIPROCESSOR.checked_div(shared).unwrap_or(BLOCKS_OF_MULTIPROCESSOR);
    let by_threads = THREADS_OF_MULTIPROCESSOR / threads.next_multiple_of(32);
    Ok(by_threads.min(by_registers).min(by_shared).min(BLOCKS_OF_MULTIPROCESSOR))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    function: Handle,
    threads: c_int,
    shared_bytes: usize,
) -> Status {
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", |driver| {
        let resident = resident(driver, function, threads, shared_bytes)?;
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(blocks, resident as c_int) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    function: Handle,
    threads: c_int,
    shared_bytes: usize,
    _flags: c_uint,
) -> Status {
    // SAFETY: by the caller.
    unsafe { cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes) }
}

impl Driver {
    /// The kernel with this handle, for the current context.
    pub(crate) fn function(&self, handle: Handle, context: Handle) -> Result<Arc<Function>, Status> {
        self.functions.get(&handle).filter(|function| function.context == context).cloned().ok_or(INVALID_HANDLE)
    }

    /// Whether a launch has room: threads, blocks and shared memory.
    pub(crate) fn check_launch(&self, function: &Function, launch: &machine::Launch) -> Done {
        let threads = launch.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let has_none = launch.grid.contains(&0) || launch.block.contains(&0);
        let is_wide = launch.grid[0] > i32::MAX as u32 || launch.grid[1] > 65_535 || launch.grid[2] > 65_535;
        if has_none || is_wide || threads > 1024 || launch.block[2] > 64 {
            return Err(INVALID_VALUE);
        }
        let shared = u64::from(function.info().shared_bytes) + u64::from(launch.shared_bytes);
        if shared > 227 * 1024 { Err(INVALID_VALUE) } else { Ok(()) }
    }
}
