//! Copies from one device to another: ranks of one process exchange objects' values without the host.
//!
//! The rank that has the values offers its columns: their addresses, and the position in its stream after which they are
//! current. Another rank takes parts of them. A second stream of its own waits for that position and copies, while its
//! kernels go on, and leaves the position after the copies with the offer. When the offer is withdrawn, the owner's stream
//! waits for these. The host waits for nothing.

use std::sync::{Arc, Mutex, PoisonError};

use ikra_core::class::ClassId;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::mirror::{Pending, Unit};

use crate::driver::{Fence, Stream};
use crate::stream_log::StreamLog;

/// The memory of a unit's columns on a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) column: usize,
    /// Columns of slots, `pitch` bytes apart.
    pub(crate) columns: usize,
    pub(crate) pitch: usize,
    pub(crate) address: u64,
    pub(crate) len: usize,
}

/// The address of a unit's bytes in one of its columns, if there is room for them.
fn address(regions: &[Region], unit: &Unit, column: usize) -> Option<u64> {
    let region = regions.iter().find(|region| region.column == unit.column)?;
    let start = column * region.pitch + unit.offset;
    let is_within = column < region.columns && start + unit.len <= region.len;
    is_within.then_some(region.address + start as u64)
}

/// The columns that a device offers.
#[derive(Debug)]
pub(crate) struct DeviceOffer {
    class: ClassId,
    log: Arc<StreamLog>,
    /// The position in its stream after which the values are current.
    ready: Fence,
    regions: Vec<Region>,
    /// The ends of the copies so far; `None` once the offer is withdrawn.
    taken: Mutex<Option<Vec<Arc<Fence>>>>,
}

/// Copies that may have begun. Unless their end is known to the offer, they are done when this is dropped.
struct Begun<'a>(Option<&'a Stream>);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if let Some(stream) = self.0 {
            // After an error of the device nothing runs there any more.
            let _ = stream.synchronize();
        }
    }
}

impl DeviceOffer {
    /// Offers the columns of a class as they are after the work so far.
    ///
    /// # Safety
    ///
    /// The regions are live memory of the log's device, and nothing changes or frees it until the offer is withdrawn.
    pub(crate) unsafe fn new(
        class: ClassId,
        log: &Arc<StreamLog>,
        regions: Vec<Region>,
    ) -> Result<(Arc<Self>, Pending), GpuError> {
        let ready = log.stream.fence().map_err(|error| log.blame(error))?;
        let offer = Arc::new(Self { class, log: log.clone(), ready, regions, taken: Mutex::new(Some(Vec::new())) });
        let withdrawn = Arc::clone(&offer);
        Ok((offer, Pending::until(move || withdrawn.withdraw())))
    }

    /// Copies units of a class, each from its offer, to another device. `None` if one of them has no room for them.
    ///
    /// # Safety
    ///
    /// The regions are live memory of the log's device. Nothing but earlier work on its stream uses the units there, until the
    /// copies have arrived.
    pub(crate) unsafe fn take(
        offers: &[(Arc<Self>, Vec<Unit>)],
        class: ClassId,
        log: &Arc<StreamLog>,
        to: &[Region],
    ) -> Result<Option<Pending>, Error> {
        let mut parts = Vec::new();
        for (offer, units) in offers {
            for unit in units.iter().filter(|_| offer.class == class) {
                for column in 0..unit.columns {
                    let from = address(&offer.regions, unit, column);
                    let Some((from, to)) = from.zip(address(to, unit, column)) else { return Ok(None) };
                    parts.push((&offer.log.context, from, to, unit.len));
                }
            }
        }
        if offers.iter().any(|(offer, _)| offer.class != class) {
            return Ok(None);
        }
        let blame = |error| log.blame(error);
        let side = log.side().map_err(blame)?;
        let before = log.stream.fence().map_err(blame)?;
        side.wait(&before).map_err(blame)?;
        // They stay locked until the end of the copies is known. All who take lock them in the order of the ranks.
        let mut locked = Vec::with_capacity(offers.len());
        for (offer, _) in offers {
            log.context.reach(&offer.log.context).map_err(blame)?;
            let taken = offer.taken.lock().unwrap_or_else(PoisonError::into_inner);
            if taken.is_none() {
                return Err(Error::Cluster {
                    reason: String::from("a rank has failed while others copied its values"),
                });
            }
            side.wait(&offer.ready).map_err(blame)?;
            locked.push(taken);
        }
        let mut begun = Begun(Some(side));
        for (owner, from, to, len) in parts {
            // SAFETY: 1. the source is live, and does not change until the offer is withdrawn. That waits for the lock, and
            // then for the end of the copies: `taken` has it, or they are done when `begun` is dropped. 2. by the caller.
            unsafe { side.copy_across(to, (owner, from), len) }.map_err(blame)?;
            log.count_across(len);
        }
        let end = Arc::new(side.fence().map_err(blame)?);
        locked.iter_mut().filter_map(|taken| taken.as_mut()).for_each(|taken| taken.push(end.clone()));
        begun.0 = None;
        let log = log.clone();
        Ok(Some(Pending::until(move || wait_for(&log, &end))))
    }

    /// Ends the offer: nothing takes from it any more, and later work on its device waits for those who did.
    fn withdraw(&self) -> Result<(), Error> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.into_iter().flatten().map(|end| wait_for(&self.log, &end)).fold(Ok(()), Result::and)
    }
}

/// Makes a world's stream wait for a position in another stream.
fn wait_for(log: &StreamLog, end: &Fence) -> Result<(), Error> {
    log.stream.wait(end).map_err(|error| {
        // An error here means that the device does nothing any more.
        let _ = end.wait();
        log.blame(error).into()
    })
}
