//! Memory of devices, page-locked memory of the host, copies and fills.

use std::ffi::{c_uint, c_void};

use super::queue::{Side, Where, Work};
use super::state::{Driver, Handle, call, put};
use super::status::{Done, INVALID_CONTEXT, INVALID_VALUE, NOT_FOUND, OUT_OF_MEMORY, Status};

/// `CU_MEMORYTYPE_HOST`, `CU_MEMORYTYPE_DEVICE`, `CU_MEMORYTYPE_UNIFIED`
const HOST: c_uint = 1;
const DEVICE: c_uint = 2;
const UNIFIED: c_uint = 4;

/// `CUDA_MEMCPY2D`
#[repr(C)]
#[derive(Debug)]
pub struct Copy2d {
    src_x: usize,
    src_y: usize,
    src_memory_type: c_uint,
    src_host: *const c_void,
    src_device: u64,
    src_array: *mut c_void,
    src_pitch: usize,
    dst_x: usize,
    dst_y: usize,
    dst_memory_type: c_uint,
    dst_host: *mut c_void,
    dst_device: u64,
    dst_array: *mut c_void,
    dst_pitch: usize,
    width: usize,
    height: usize,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Status {
    call("cuMemGetInfo_v2", |driver| {
        let device = driver.current()?.1.device;
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(free, driver.free_memory(device)) }?;
        // SAFETY: the same.
        unsafe { put(total, driver.settings.memory) }
    })
}

/// Allocates memory in the current context.
fn allocate(driver: &mut Driver, bytes: usize) -> Result<u64, Status> {
    let device = driver.current()?.1.device;
    if bytes == 0 {
        return Err(INVALID_VALUE);
    }
    if bytes > driver.free_memory(device) {
        return Err(OUT_OF_MEMORY);
    }
    driver.current()?.1.machine.allocate(bytes, "").ok_or(OUT_OF_MEMORY)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Status {
    call("cuMemAlloc_v2", |driver| {
        let allocated = allocate(driver, bytes)?;
        // SAFETY: the caller passes null, or a pointer to an address.
        unsafe { put(address, allocated) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree_v2(address: u64) -> Status {
    call("cuMemFree_v2", |driver| {
        if address == 0 {
            return Ok(());
        }
        let handle = driver.current()?.0;
        // Kernels may still use it.
        driver.finish_context(handle)?;
        driver.context(handle)?.machine.free(address).map_err(|_| INVALID_VALUE)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocAsync(address: *mut u64, bytes: usize, stream: Handle) -> Status {
    call("cuMemAllocAsync", |driver| {
        driver.stream(stream)?;
        let allocated = allocate(driver, bytes)?;
        // SAFETY: the caller passes null, or a pointer to an address.
        unsafe { put(address, allocated) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeAsync(address: u64, stream: Handle) -> Status {
    call("cuMemFreeAsync", |driver| driver.put_on(stream, Work::Free(address), Vec::new(), false))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAddressRange_v2(base: *mut u64, size: *mut usize, address: u64) -> Status {
    call("cuMemGetAddressRange_v2", |driver| {
        let (start, bytes, _) = driver.current()?.1.machine.allocation(address).ok_or(NOT_FOUND)?;
        if !base.is_null() {
            // SAFETY: the caller passes a pointer to an address.
            unsafe { put(base, start) }?;
        }
        if size.is_null() {
            return Ok(());
        }
        // SAFETY: the caller passes a pointer to a size.
        unsafe { put(size, bytes) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(place: *mut *mut c_void, bytes: usize, _flags: c_uint) -> Status {
    call("cuMemHostAlloc", |driver| {
        let (handle, context) = driver.current()?;
        if place.is_null() || bytes == 0 {
            return Err(INVALID_VALUE);
        }
        let start = context.machine.allocate_host(bytes, "page-locked memory").ok_or(OUT_OF_MEMORY)?;
        driver.host.insert(start.addr(), (bytes, handle));
        // SAFETY: the caller passes a pointer to a pointer.
        unsafe { put(place, start.cast()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeHost(start: *mut c_void) -> Status {
    call("cuMemFreeHost", |driver| {
        driver.current()?;
        let &(_, owner) = driver.host.get(&start.addr()).ok_or(INVALID_VALUE)?;
        driver.finish_context(owner)?;
        driver.host.remove(&start.addr());
        driver.context(owner)?.machine.free(start.addr() as u64).map_err(|_| INVALID_VALUE)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostGetDevicePointer_v2(address: *mut u64, start: *mut c_void, _flags: c_uint) -> Status {
    call("cuMemHostGetDevicePointer_v2", |driver| {
        driver.current()?;
        if !driver.is_page_locked(start.addr()) {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes null, or a pointer to an address.
        unsafe { put(address, start.addr() as u64) }
    })
}

impl Driver {
    /// Whether the device can access this memory by itself.
    fn is_page_locked(&self, address: usize) -> bool {
        self.host.range(..=address).next_back().is_some_and(|(&start, &(bytes, _))| address - start < bytes)
    }

    /// Enqueues a copy on a stream. If memory of the host is not page-locked, its bytes are copied before this returns.
    ///
    /// # Safety
    ///
    /// Addresses of the host are valid for this many bytes, until the copy is done.
    unsafe fn copy(&mut self, stream: Handle, to: Side, from: Side, width: usize, rows: usize) -> Done {
        if width == 0 || rows == 0 {
            self.stream(stream)?;
            return Ok(());
        }
        if let (Where::Host(0), _) | (_, Where::Host(0)) = (to.place, from.place) {
            return Err(INVALID_VALUE);
        }
        let (resolved, context) = self.stream(stream)?;
        self.context(context)?;
        if self.streams[&resolved].capture.is_some() {
            self.trace(|| format!("stream {stream:#x} captures a copy of {} bytes", width * rows));
            return self.put_on(stream, Work::Copy { to, from, width, rows }, Vec::new(), false);
        }
        match (to.place, from.place) {
            (Where::Device(start), Where::Host(address)) if !self.is_page_locked(address) => {
                for row in 0..rows {
                    let first: *const u8 = std::ptr::with_exposed_provenance(address + row * from.pitch);
                    // SAFETY: by the caller.
                    let bytes = unsafe { std::slice::from_raw_parts(first, width) }.to_vec();
                    let to = start + (row * to.pitch) as u64;
                    self.put_on(stream, Work::Write { to, bytes }, Vec::new(), false)?;
                }
                Ok(())
            }
            (Where::Host(address), _) if !self.is_page_locked(address) => {
                self.put_on(stream, Work::Copy { to, from, width, rows }, Vec::new(), false)?;
                self.finish_stream(resolved)
            }
            _ => self.put_on(stream, Work::Copy { to, from, width, rows }, Vec::new(), false),
        }
    }

    /// The same for adjacent bytes.
    ///
    /// # Safety
    ///
    /// As for [`copy`](Self::copy).
    unsafe fn copy_bytes(&mut self, stream: Handle, to: Where, from: Where, bytes: usize) -> Done {
        let side = |place| Side { place, pitch: bytes };
        // SAFETY: by the caller.
        unsafe { self.copy(stream, side(to), side(from), bytes, 1) }
    }

    fn fill(&mut self, stream: Handle, to: u64, element: [u8; 4], width: usize, count: usize) -> Done {
        self.put_on(stream, Work::Fill { to, element, width, count }, Vec::new(), false)
    }
}

/// Copies between device and host: on a stream, and at once on the default stream.
macro_rules! copies {
    ($($name:ident, $at_once:ident ($to:ident: $to_ty:ty => $to_place:expr, $from:ident: $from_ty:ty => $from_place:expr);)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($to: $to_ty, $from: $from_ty, bytes: usize, stream: Handle) -> Status {
            call(stringify!($name), |driver| {
                // SAFETY: by the caller.
                unsafe { driver.copy_bytes(stream, $to_place, $from_place, bytes) }
            })
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $at_once($to: $to_ty, $from: $from_ty, bytes: usize) -> Status {
            call(stringify!($at_once), |driver| {
                // SAFETY: by the caller.
                unsafe { driver.copy_bytes(0, $to_place, $from_place, bytes) }?;
                let (default, _) = driver.stream(0)?;
                driver.finish_stream(default)
            })
        }
    )* };
}
copies! {
    cuMemcpyHtoDAsync_v2, cuMemcpyHtoD_v2 (
        to: u64 => Where::Device(to), from: *const c_void => Where::Host(from.expose_provenance())
    );
    cuMemcpyDtoHAsync_v2, cuMemcpyDtoH_v2 (
        to: *mut c_void => Where::Host(to.expose_provenance()), from: u64 => Where::Device(from)
    );
    cuMemcpyDtoDAsync_v2, cuMemcpyDtoD_v2 (to: u64 => Where::Device(to), from: u64 => Where::Device(from));
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeerAsync(
    to: u64,
    to_context: Handle,
    from: u64,
    owner: Handle,
    bytes: usize,
    stream: Handle,
) -> Status {
    call("cuMemcpyPeerAsync", |driver| {
        driver.context(owner)?;
        // The stream may be of any context in CUDA; here it copies to memory of its own.
        if driver.stream(stream)?.1 != to_context {
            return Err(INVALID_CONTEXT);
        }
        driver.put_on(stream, Work::Across { to, owner, from, bytes }, Vec::new(), false)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: Handle) -> Status {
    call("cuMemcpy2DAsync_v2", |driver| {
        if copy.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes such a structure.
        let copy = unsafe { &*copy };
        let side = |kind, device: u64, host: *const c_void, x: usize, y: usize, pitch: usize| {
            let before = x + y * pitch;
            let place = match kind {
                DEVICE | UNIFIED => Where::Device(device + before as u64),
                HOST => Where::Host(host.expose_provenance() + before),
                _ => return Err(INVALID_VALUE),
            };
            if pitch < copy.width && copy.height > 1 {
                return Err(INVALID_VALUE);
            }
            Ok(Side { place, pitch })
        };
        let Copy2d { src_x, src_y, src_pitch, dst_x, dst_y, dst_pitch, width, height, .. } = *copy;
        let from = side(copy.src_memory_type, copy.src_device, copy.src_host, src_x, src_y, src_pitch)?;
        let to = side(copy.dst_memory_type, copy.dst_device, copy.dst_host, dst_x, dst_y, dst_pitch)?;
        // SAFETY: by the caller.
        unsafe { driver.copy(stream, to, from, width, height) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async(to: u64, byte: u8, bytes: usize, stream: Handle) -> Status {
    call("cuMemsetD8Async", |driver| driver.fill(stream, to, [byte, 0, 0, 0], 1, bytes))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32Async(to: u64, value: c_uint, count: usize, stream: Handle) -> Status {
    call("cuMemsetD32Async", |driver| driver.fill(stream, to, value.to_le_bytes(), 4, count))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8_v2(to: u64, byte: u8, bytes: usize) -> Status {
    call("cuMemsetD8_v2", |driver| {
        driver.fill(0, to, [byte, 0, 0, 0], 1, bytes)?;
        let (default, _) = driver.stream(0)?;
        driver.finish_stream(default)
    })
}
