//! Access to the memory of other devices.

use std::sync::PoisonError;

use ikra_runtime::error::GpuError;

use super::Context;
use crate::driver::status::{check, is_fatal};

impl Context {
    /// Lets copies from another device's memory take the direct way, if the machine has one. The driver copies through
    /// the host otherwise.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub(crate) fn reach(&self, other: &Self) -> Result<(), GpuError> {
        let mut peers = self.0.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if self.number() == other.number() || peers.contains(&other.number()) {
            return Ok(());
        }
        let api = self.enter()?;
        // SAFETY: the other context is alive.
        let status = unsafe { (api.peer_enable)(other.0.raw, 0) };
        if is_fatal(status) {
            return check(api, "cuCtxEnablePeerAccess", status);
        }
        peers.push(other.number());
        Ok(())
    }
}
