//! Fences: positions in a stream for which other streams wait.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ikra_runtime::error::GpuError;

use super::Stream;
use crate::driver::api::{RawEvent, RawStream};
use crate::driver::context::Context;
use crate::driver::status::check;

/// `CU_EVENT_DISABLE_TIMING`
const NO_TIMING: u32 = 2;

/// The events of a stream's fences that can be used again: making one takes as long as starting a copy.
#[derive(Debug)]
pub(super) struct Fences {
    context: Context,
    spare: Mutex<Vec<RawEvent>>,
}

impl Fences {
    pub(super) fn new(context: &Context) -> Arc<Self> {
        Arc::new(Self { context: context.clone(), spare: Mutex::default() })
    }

    fn spare(&self) -> MutexGuard<'_, Vec<RawEvent>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Fences {
    fn drop(&mut self) {
        if let Ok(api) = self.context.enter() {
            for raw in self.spare().drain(..) {
                // SAFETY: created in `fence`, and no fence has it.
                let _ = unsafe { (api.event_destroy)(raw) };
            }
        }
    }
}

/// A position in a stream, for other streams, of any device.
#[derive(Debug)]
pub(crate) struct Fence {
    of: Arc<Fences>,
    pub(super) raw: RawEvent,
}

impl Stream {
    /// Marks the current position in the stream.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub(crate) fn fence(&self) -> Result<Fence, GpuError> {
        self.note_other_work();
        // SAFETY: the stream is alive.
        unsafe { self.fence_of(self.raw) }
    }

    /// Marks the current position in a stream.
    ///
    /// # Safety
    ///
    /// It is a live stream of the same context.
    pub(super) unsafe fn fence_of(&self, stream: RawStream) -> Result<Fence, GpuError> {
        let spare = self.fences.spare().pop();
        let raw = match spare {
            Some(raw) => raw,
            None => {
                let (api, mut raw) = (self.context.enter()?, RawEvent::NULL);
                // SAFETY: the pointer leads to a handle.
                check(api, "cuEventCreate", unsafe { (api.event_create)(&raw mut raw, NO_TIMING) })?;
                raw
            }
        };
        let fence = Fence { of: Arc::clone(&self.fences), raw };
        let api = self.context.enter_again()?;
        // SAFETY: the event is alive, and by the caller so is the stream. Streams that wait for an earlier position of the
        // event still do: a wait takes the position that the event has then.
        check(api, "cuEventRecord", unsafe { (api.event_record)(raw, stream) })?;
        Ok(fence)
    }

    /// Makes later work on this stream wait for a position in another one, of any device.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub(crate) fn wait(&self, fence: &Fence) -> Result<(), GpuError> {
        self.note_other_work();
        let api = self.context.enter_again()?;
        // SAFETY: stream and event are alive.
        check(api, "cuStreamWaitEvent", unsafe { (api.stream_wait)(self.raw, fence.raw, 0) })
    }
}

impl Fence {
    /// Waits until the stream has reached it.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] if a kernel failed.
    pub(crate) fn wait(&self) -> Result<(), GpuError> {
        let api = self.of.context.enter()?;
        // SAFETY: the event is alive.
        check(api, "cuEventSynchronize", unsafe { (api.event_synchronize)(self.raw) })
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        self.of.spare().push(self.raw);
    }
}
