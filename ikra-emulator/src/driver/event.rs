//! Events: positions in streams, and the times of reaching them.

use std::ffi::c_uint;
use std::time::Instant;

use super::queue::{Place, Work};
use super::state::{Handle, call, put};
use super::status::{INVALID_HANDLE, NOT_READY, Status};

/// `CU_EVENT_DISABLE_TIMING`
const NO_TIMING: c_uint = 2;

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) context: Handle,
    is_timed: bool,
    /// How often it was recorded.
    pub(crate) number: u64,
    /// The position at which it was last recorded.
    pub(crate) place: Option<Place>,
    /// The recording that it belongs to.
    pub(crate) capture: Option<Handle>,
    /// The time at which the stream reached it.
    pub(crate) reached: Option<Instant>,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut Handle, flags: c_uint) -> Status {
    call("cuEventCreate", |driver| {
        let context = driver.current()?.0;
        let handle = driver.handle();
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(event, handle) }?;
        let is_timed = flags & NO_TIMING == 0;
        driver.events.insert(handle, Event { context, is_timed, number: 0, place: None, capture: None, reached: None });
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2(event: Handle) -> Status {
    call("cuEventDestroy_v2", |driver| driver.events.remove(&event).map(drop).ok_or(INVALID_HANDLE))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(event: Handle, stream: Handle) -> Status {
    call("cuEventRecord", |driver| {
        let (resolved, context) = driver.stream(stream)?;
        driver.context(context)?;
        driver.trace(|| format!("stream {stream:#x} records event {event:#x}"));
        let capture = driver.streams[&resolved].capture;
        let state = driver.events.get_mut(&event).filter(|event| event.context == context).ok_or(INVALID_HANDLE)?;
        state.number += 1;
        state.capture = capture;
        (state.place, state.reached) = (None, None);
        let number = state.number;
        if capture.is_some() {
            return Ok(());
        }
        // Noted before: a full stream may reach it at once.
        let place = (resolved, driver.streams[&resolved].end() + 1);
        if let Some(state) = driver.events.get_mut(&event) {
            state.place = Some(place);
        }
        driver.put_on(stream, Work::Record { event, number }, Vec::new(), false)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventSynchronize(event: Handle) -> Status {
    call("cuEventSynchronize", |driver| {
        let state = driver.events.get(&event).ok_or(INVALID_HANDLE)?;
        let (place, context) = (state.place, state.context);
        driver.context(context)?;
        place.map_or(Ok(()), |place| driver.finish(place))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventQuery(event: Handle) -> Status {
    call("cuEventQuery", |driver| {
        let state = driver.events.get(&event).ok_or(INVALID_HANDLE)?;
        let context = state.context;
        driver.context(context)?;
        let is_ahead = |driver: &super::state::Driver| {
            driver.events.get(&event).is_some_and(|event| event.place.is_some() && event.reached.is_none())
        };
        // Time goes by.
        if is_ahead(driver) {
            driver.do_one();
            driver.context(context)?;
        }
        if is_ahead(driver) { Err(NOT_READY) } else { Ok(()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) -> Status {
    call("cuEventElapsedTime", |driver| {
        let state = |event| {
            driver.events.get(&event).filter(|event| event.is_timed && event.place.is_some()).ok_or(INVALID_HANDLE)
        };
        let (start, end) = (state(start)?, state(end)?);
        let (Some(from), Some(to)) = (start.reached, end.reached) else { return Err(NOT_READY) };
        let time = to.saturating_duration_since(from).as_secs_f64() - from.saturating_duration_since(to).as_secs_f64();
        // SAFETY: the caller passes null, or a pointer to a number.
        unsafe { put(milliseconds, (time * 1e3) as f32) }
    })
}
