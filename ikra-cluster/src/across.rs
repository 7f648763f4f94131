//! Values that ranks of one process copy from device to device: no host has them, and none waits for them.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ikra_core::effects::FieldSet;
use ikra_runtime::error::Error;
use ikra_runtime::mirror::{Offer, Pending, Unit};
use ikra_runtime::objects::AnyObjects;

use crate::device::parts;
use crate::pack;
use crate::ranks::What;
use crate::state::{State, each, fields_where};

/// For each class, ranges of objects.
pub(crate) type Ranges = Vec<Vec<Range<usize>>>;

/// The offers of all ranks of the process. Messages name them by their numbers.
static OFFERS: Mutex<BTreeMap<u64, Offer>> = Mutex::new(BTreeMap::new());

fn all_offers() -> MutexGuard<'static, BTreeMap<u64, Offer>> {
    OFFERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An offer of this rank that others find by its number.
#[derive(Debug)]
struct Offered(u64);

impl Offered {
    fn new(offer: Offer) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Relaxed);
        all_offers().insert(number, offer);
        Self(number)
    }
}

impl Drop for Offered {
    fn drop(&mut self) {
        all_offers().remove(&self.0);
    }
}

impl State {
    /// Lets values arrive that other ranks' devices have sent. Kernels for inner objects may run before.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub(crate) fn arrive(&mut self) -> Result<(), Error> {
        // After an error, the others end when they are dropped.
        self.pending.drain(..).try_for_each(Pending::complete)
    }

    /// Whether ranks copy values from device to device: each has one, and all are threads of this process.
    pub(crate) fn copies_across(&self) -> bool {
        self.all_have_devices && self.ranks.are_threads()
    }

    /// The fields of a class that ranks copy in this way.
    pub(crate) fn across(&self, number: usize, objects: &dyn AnyObjects) -> FieldSet {
        let can = self.copies_across() && objects.has_own_columns();
        if can { self.classes[number].on_device } else { FieldSet::EMPTY }
    }

    /// Makes the values of all objects current on each rank's device, in these fields of each class.
    ///
    /// # Errors
    ///
    /// Errors of other ranks, and of devices.
    pub(crate) fn gather_across(
        &mut self,
        fields: &[FieldSet],
        kernel: &str,
        members: &mut [&mut dyn AnyObjects],
    ) -> Result<(), Error> {
        let mut stale = Vec::with_capacity(fields.len());
        for (class, &fields) in self.classes.iter_mut().zip(fields) {
            let is_old = |field, _: &_| fields.contains(field) && class.written(field) > class.gathered[field];
            let old = fields_where(class.fields, is_old);
            each(old, class.fields.len()).for_each(|field| class.gathered[field] = class.written(field));
            stale.push(old);
        }
        if stale.iter().all(|fields| fields.is_empty()) {
            return Ok(());
        }
        let others: Vec<_> = (0..self.ranks.count()).filter(|&other| other != self.ranks.rank()).collect();
        let all = |&other: &usize| (other, self.classes.iter().map(|class| vec![class.own(other)]).collect());
        let from: Vec<(usize, Ranges)> = others.iter().map(all).collect();
        self.ranks.traffic.gathers += 1;
        self.copy_across(&stale, kernel, &others, &from, members)
    }

    /// Begins to copy values of objects in these fields of each class from the devices of other ranks to this rank's, and lets
    /// `takers` copy from it. The objects to take from a rank are its own. [`arrive`](Self::arrive) completes it, before
    /// anything else uses these fields of other ranks' objects, or changes these fields.
    ///
    /// # Errors
    ///
    /// Errors of other ranks, and of devices.
    pub(crate) fn copy_across(
        &mut self,
        fields: &[FieldSet],
        kernel: &str,
        takers: &[usize],
        from: &[(usize, Ranges)],
        members: &mut [&mut dyn AnyObjects],
    ) -> Result<(), Error> {
        let moved: Vec<_> = (0..members.len()).filter(|&number| !fields[number].is_empty()).collect();
        let mut offered = Vec::new();
        for &number in moved.iter().filter(|_| !takers.is_empty()) {
            let offer = match self.mirror(&mut *members[number]) {
                // SAFETY: `Lent`, which borrows the members, calls `arrive` at the latest. Until then, only `take` below changes
                // the mirror, where other ranks own the objects, and these ranks take none of them from here. A kernel for
                // inner objects does not change these fields.
                Some(mirror) => unsafe { mirror.offer() }?,
                None => None,
            };
            let (offer, pending) = offer.ok_or_else(|| self.cannot(kernel))?;
            self.pending.push(pending);
            offered.push(Offered::new(offer));
        }
        let (state, text) = (self.number(), format!("{kernel}, from device to device"));
        let what = What { text: &text, state };
        let message = |&taker: &usize| {
            let mut message = self.ranks.begin(&what, 8 * offered.len());
            message.extend(offered.iter().flat_map(|offered| offered.0.to_le_bytes()).map(MaybeUninit::new));
            (taker, message)
        };
        let outgoing = takers.iter().map(message).collect();
        let givers: Vec<_> = from.iter().map(|(rank, _)| *rank).collect();
        let received = self.ranks.exchange(&what, outgoing, &givers)?;
        // For each class that is moved, the offers and what to take from them.
        let mut taken: Vec<Vec<(Offer, Vec<Unit>)>> = moved.iter().map(|_| Vec::new()).collect();
        for ((message, start), (_, objects)) in received.iter().zip(from) {
            let numbers = pack::numbers(&message[*start..]).map(u64::from_le_bytes);
            let offers: Vec<_> = numbers.filter_map(|number| all_offers().get(&number).cloned()).collect();
            if offers.len() != moved.len() {
                return Err(self.cannot(kernel));
            }
            for ((&number, taken), offer) in moved.iter().zip(&mut taken).zip(offers) {
                let units = parts(&members[number].units(), fields[number], &objects[number]);
                self.ranks.traffic.bytes_across +=
                    units.iter().map(|unit| unit.columns * unit.len).sum::<usize>() as u64;
                taken.push((offer, units));
            }
        }
        for (&number, taken) in moved.iter().zip(&taken).filter(|(_, taken)| !taken.is_empty()) {
            let pending = match self.mirror(&mut *members[number]) {
                // SAFETY: nothing uses these fields of other ranks' objects before `arrive`, which `Lent` calls at the latest:
                // kernels for inner objects reach own objects only.
                Some(mirror) => unsafe { mirror.take(taken) }?,
                None => None,
            };
            let pending = pending.ok_or_else(|| self.cannot(kernel))?;
            self.pending.push(pending);
        }
        let (state, text) = (self.number(), format!("{kernel}, after copies from device to device"));
        let what = What { text: &text, state };
        let outgoing = givers.iter().map(|&giver| (giver, self.ranks.begin(&what, 0))).collect();
        self.ranks.exchange(&what, outgoing, takers).map(drop)
    }

    fn cannot(&mut self, kernel: &str) -> Error {
        let rank = self.ranks.rank();
        self.ranks.fail(&format!("rank {rank} cannot copy the values that {kernel} needs from device to device"))
    }
}
