//! Events: positions in a stream, to wait for, or to measure the time between.

use std::time::Duration;

use ikra_runtime::error::GpuError;

use crate::driver::api::{RawEvent, RawStream};
use crate::driver::context::Context;
use crate::driver::status::check;

/// A position in a stream.
#[derive(Debug)]
pub struct Event {
    context: Context,
    raw: RawEvent,
}

impl Event {
    /// Marks the current position in a stream.
    ///
    /// # Safety
    ///
    /// The stream is alive.
    pub(super) unsafe fn record(context: &Context, stream: RawStream) -> Result<Self, GpuError> {
        let api = context.enter()?;
        let mut raw = RawEvent::NULL;
        // SAFETY: the pointer leads to a handle.
        check(api, "cuEventCreate", unsafe { (api.event_create)(&raw mut raw, 0) })?;
        let event = Self { context: context.clone(), raw };
        // SAFETY: the event is alive, and by the caller so is the stream.
        check(api, "cuEventRecord", unsafe { (api.event_record)(raw, stream) })?;
        Ok(event)
    }

    /// Waits until the stream has reached it.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] if a kernel failed.
    pub fn wait(&self) -> Result<(), GpuError> {
        let api = self.context.enter()?;
        // SAFETY: the event is alive.
        check(api, "cuEventSynchronize", unsafe { (api.event_synchronize)(self.raw) })
    }

    /// Waits for this event and `self`, and returns the time from `self` to it on the device.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] if a kernel failed.
    pub fn until(&self, end: &Self) -> Result<Duration, GpuError> {
        end.wait()?;
        let api = self.context.enter()?;
        let mut milliseconds = 0.0;
        // SAFETY: both events are alive, and the pointer leads to a number.
        let status = unsafe { (api.event_elapsed)(&raw mut milliseconds, self.raw, end.raw) };
        check(api, "cuEventElapsedTime", status)?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(api) = self.context.enter() {
            // SAFETY: created in `record`.
            let _ = unsafe { (api.event_destroy)(self.raw) };
        }
    }
}
