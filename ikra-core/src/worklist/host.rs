//! Worklists on the host: how loops use them, and how they are passed to a device.

use core::marker::PhantomData;
use core::ptr;
use std::any::Any;
use std::sync::Arc;
use std::vec::Vec;

use super::Worklist;
use crate::class::Class;
use crate::groups::{GroupsArgument, Source};
use crate::kernel::{Argument, DeviceArgument};
use crate::target::WORKLIST_WORDS;
use crate::target::groups::Made;
use crate::target::worklist::{Found, Younger};

#[doc(hidden)]
impl<C: Class> Worklist<C> {
    /// The worklist of a loop over objects of the class, of which there are `count`. `now` are those of this iteration.
    #[must_use]
    pub fn new(made: Made, count: u32, now: Arc<dyn Any + Send + Sync>) -> Self {
        Self { found: Found::new(made, count, now), class: PhantomData }
    }

    /// The same worklist, whose loop a device runs.
    #[must_use]
    pub fn on_device(made: Made, now: Arc<dyn Any + Send + Sync>) -> Self {
        Self { found: Found::on_device(made, now), class: PhantomData }
    }

    /// The objects of this iteration, as the loop has set them.
    #[must_use]
    pub fn now(&self) -> &(dyn Any + Send + Sync) {
        &*self.found.now
    }

    /// Begins an iteration for these objects, when there are `count` of the class.
    pub fn begin(&mut self, made: Made, count: u32, now: Arc<dyn Any + Send + Sync>) {
        self.found.begin(made, count, now);
    }

    /// The objects that kernels of this iteration may have made.
    #[must_use]
    pub const fn younger(&self) -> &Arc<Younger> {
        &self.found.younger
    }

    /// Takes the objects that were put in: their indices, in ascending order.
    #[must_use]
    pub fn take(&mut self) -> Vec<u32> {
        self.found.take()
    }
}

/// A worklist as the device's code takes it.
#[repr(C)]
struct OnDevice {
    marks: u64,
    list: u64,
    count: u32,
    /// For the device's use.
    others: [u32; 8],
}

const _: () = assert!(size_of::<OnDevice>() == WORKLIST_WORDS * size_of::<u64>());

// SAFETY: `OnDevice` has the fields of the device's `Found`, in the same order, both under `repr(C)`.
#[diagnostic::do_not_recommend]
unsafe impl<C: Class> DeviceArgument for &Worklist<C> {
    fn argument(&self) -> Argument<'_> {
        let start = ptr::from_ref::<Worklist<C>>(self).cast();
        let (words, bytes) = ([Source::Loop, Source::Loop], size_of::<OnDevice>());
        // SAFETY: `write` writes an `OnDevice`.
        Argument::groups(unsafe { GroupsArgument::new(C::ID, self.found.made, words, start, bytes, write) })
    }
}

/// Writes the device's argument for a worklist without room.
///
/// # Safety
///
/// `to` has room for an [`OnDevice`].
unsafe fn write(_: *const (), [marks, list]: [u64; 2], to: *mut u8) {
    // SAFETY: there is room for it, at any address.
    unsafe { to.cast::<OnDevice>().write_unaligned(OnDevice { marks, list, count: 0, others: [0; 8] }) };
}
