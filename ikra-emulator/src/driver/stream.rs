//! Streams: work of a device that is executed in order.

use std::ffi::{c_int, c_uint, c_void};

use super::queue::{Stream, Work};
use super::state::{Handle, call, put};
use super::status::{INVALID_HANDLE, INVALID_VALUE, NOT_READY, STREAM_CAPTURE_UNSUPPORTED, Status};

/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: c_uint = 1;

/// Makes a stream in the current context.
///
/// # Safety
///
/// `stream` is null, or a pointer to a handle.
unsafe fn create(name: &'static str, stream: *mut Handle, flags: c_uint) -> Status {
    call(name, |driver| {
        let context = driver.current()?.0;
        let handle = driver.handle();
        // SAFETY: by the caller.
        unsafe { put(stream, handle) }?;
        driver.streams.insert(handle, Stream::new(context, flags & NON_BLOCKING == 0));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(stream: *mut Handle, flags: c_uint) -> Status {
    // SAFETY: by the caller.
    unsafe { create("cuStreamCreate", stream, flags) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, _priority: c_int) -> Status {
    // SAFETY: by the caller.
    unsafe { create("cuStreamCreateWithPriority", stream, flags) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy_v2(stream: Handle) -> Status {
    call("cuStreamDestroy_v2", |driver| {
        let state = driver.streams.get_mut(&stream).filter(|state| !state.is_destroyed).ok_or(INVALID_HANDLE)?;
        let capture = state.capture.take();
        // Its work is still executed at some time.
        state.is_destroyed = true;
        if state.is_idle() {
            driver.streams.remove(&stream);
        }
        if let Some(capture) = capture {
            driver.captures.remove(&capture);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSynchronize(stream: Handle) -> Status {
    call("cuStreamSynchronize", |driver| {
        let (stream, context) = driver.stream(stream)?;
        driver.context(context)?;
        driver.refuse_capture(stream)?;
        driver.finish_stream(stream)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamQuery(stream: Handle) -> Status {
    call("cuStreamQuery", |driver| {
        let (stream, context) = driver.stream(stream)?;
        driver.context(context)?;
        driver.refuse_capture(stream)?;
        // Time goes by.
        if !driver.streams[&stream].is_idle() {
            driver.do_one();
            driver.context(context)?;
        }
        if driver.streams.get(&stream).is_none_or(Stream::is_idle) { Ok(()) } else { Err(NOT_READY) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx(stream: Handle, context: *mut Handle) -> Status {
    call("cuStreamGetCtx", |driver| {
        let (_, own) = driver.stream(stream)?;
        driver.context(own)?;
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(context, own) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamIsCapturing(stream: Handle, status: *mut c_uint) -> Status {
    call("cuStreamIsCapturing", |driver| {
        let (stream, context) = driver.stream(stream)?;
        driver.context(context)?;
        // `CU_STREAM_CAPTURE_STATUS_NONE`, `CU_STREAM_CAPTURE_STATUS_ACTIVE`
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(status, c_uint::from(driver.streams[&stream].capture.is_some())) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) -> Status {
    call("cuStreamWaitEvent", |driver| {
        let (resolved, context) = driver.stream(stream)?;
        driver.context(context)?;
        let state = driver.events.get(&event).ok_or(INVALID_HANDLE)?;
        driver.trace(|| format!("stream {stream:#x} waits for event {event:#x}"));
        // An event of a recording: the stream is recorded too from now on.
        if let Some(capture) = state.capture {
            let is_open = driver.captures.contains_key(&capture);
            let own = driver.streams[&resolved].capture;
            if !is_open || own.is_some_and(|own| own != capture) {
                return Err(STREAM_CAPTURE_UNSUPPORTED);
            }
            if let Some(state) = driver.streams.get_mut(&resolved) {
                state.capture = Some(capture);
            }
            return Ok(());
        }
        // An event that was never recorded needs no waiting.
        let Some(place) = state.place else { return Ok(()) };
        if driver.streams[&resolved].capture.is_some() {
            return Err(STREAM_CAPTURE_UNSUPPORTED);
        }
        driver.put_on(stream, Work::Wait, vec![place], false)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchHostFunc(
    stream: Handle,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> Status {
    call("cuLaunchHostFunc", |driver| {
        let function = function.ok_or(INVALID_VALUE)?;
        driver.put_on(stream, Work::Call { function, data: data.expose_provenance() }, Vec::new(), false)
    })
}
