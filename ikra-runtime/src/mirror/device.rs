//! A copy of columns on a device: what it can do, and copies from one device to another that are under way.

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::Arc;

use super::Unit;
use crate::error::Error;

/// Values that a mirror offers to others.
pub type Offer = Arc<dyn Any + Send + Sync>;

/// A copy of a class's columns on a device.
///
/// # Safety
///
/// `fetch` and `fetch_beside` write only to the units that they receive, within their lengths. `offer` keeps its promise, also
/// if the end of the [`Pending`] is an error.
pub unsafe trait Mirror: Debug + Send + Sync {
    /// Waits for the device, and copies units, or parts of them, to the host.
    ///
    /// # Errors
    ///
    /// Errors of the device; some of the host's bytes may be new then.
    fn fetch(&self, units: &[Unit]) -> Result<(), Error>;

    /// As [`fetch`](Self::fetch), for a mirror that needs others to have all values: those of the same objects, by their
    /// streams.
    ///
    /// # Errors
    ///
    /// As for [`fetch`](Self::fetch).
    fn fetch_beside<'m>(&self, units: &[Unit], others: &dyn Fn(u64) -> Option<&'m dyn Mirror>) -> Result<(), Error> {
        let _ = others;
        self.fetch(units)
    }

    /// Copies units, or parts of them, from the host, and returns whether it can.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    fn store(&self, units: &[Unit]) -> Result<bool, Error> {
        let _ = units;
        Ok(false)
    }

    /// Offers the values that the objects have after all work so far, for [`take`](Self::take) by mirrors of the same class
    /// in other worlds of the process. Once the [`Pending`] has ended, nothing takes them any more, and later work on this
    /// device waits for those who did. `None` if other devices cannot take them.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    ///
    /// # Safety
    ///
    /// Until then, nothing changes these values, and the mirror exists.
    unsafe fn offer(&self) -> Result<Option<(Offer, Pending)>, Error> {
        Ok(None)
    }

    /// Begins to copy units, or parts of them, each from its offer, after all work so far on this device. Once the
    /// [`Pending`] has ended, later work waits until they have arrived. `None` if it cannot take them.
    ///
    /// # Errors
    ///
    /// Errors of the device, or if an offer has ended. Nothing copies from the offers then.
    ///
    /// # Safety
    ///
    /// Until then, nothing uses these parts of the units on this device, and the mirror exists.
    unsafe fn take(&self, offers: &[(Offer, Vec<Unit>)]) -> Result<Option<Pending>, Error> {
        let _ = offers;
        Ok(None)
    }

    /// The mirror as `Any`, for downcasts.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// Copies that are under way: later work on a device may need their end. It waits for that after
/// [`complete`](Self::complete), or after this was dropped.
pub struct Pending(Option<Box<dyn FnOnce() -> Result<(), Error> + Send>>);

impl Pending {
    /// Copies for which `end` lets later work on a device wait.
    #[must_use]
    pub fn until(end: impl FnOnce() -> Result<(), Error> + Send + 'static) -> Self {
        Self(Some(Box::new(end)))
    }

    /// Lets later work on the device wait for them.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub fn complete(mut self) -> Result<(), Error> {
        self.0.take().map_or(Ok(()), |end| end())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // An error of the device reaches the caller with the next operation there.
        let _ = self.0.take().map(|end| end());
    }
}

impl Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pending")
    }
}
