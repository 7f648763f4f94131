//! Groups on the host: how they are made, and passed to a device.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr;
use std::sync::Arc;

use super::Groups;
use crate::class::Class;
use crate::info::ClassId;
use crate::kernel::{Argument, DeviceArgument};
use crate::link::Link;
use crate::panics::no_such_group;
use crate::target::groups::{Made, Words};
use crate::value::Value;

impl<C: Class, G: Copy> Groups<C, G> {
    /// The groups with these objects.
    ///
    /// # Safety
    ///
    /// The type's invariants.
    #[doc(hidden)]
    pub unsafe fn new(keys: G, starts: Arc<[u32]>, ids: Arc<[u32]>, made: Made) -> Self {
        let groups = starts.len() as u32 - 1;
        Self { starts: Words::new(starts), ids: Words::new(ids), groups, keys, made, class: PhantomData }
    }

    /// The number of objects in all groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.shared().len()
    }

    /// Whether no group has an object.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The links to the objects of a group, in the order of their ids.
    ///
    /// # Panics
    ///
    /// If there is no such group.
    #[track_caller]
    pub fn links(&self, key: u32) -> impl ExactSizeIterator<Item = Link<C>> + '_ {
        if key >= self.groups {
            no_such_group(C::NAME, key, self.groups);
        }
        let starts = &self.starts.shared()[key as usize..];
        self.ids.shared()[starts[0] as usize..starts[1] as usize].iter().map(|&index| Link::at(index))
    }
}

/// Groups as the device's code takes them: the fields of [`Groups`] that have a size there.
#[repr(C)]
struct OnDevice<G> {
    starts: u64,
    ids: u64,
    groups: u32,
    keys: G,
}

// SAFETY: `OnDevice` has the fields of the device's `Groups` that have a size, in the same order, both under `repr(C)`.
#[diagnostic::do_not_recommend]
unsafe impl<C: Class, G: Value> DeviceArgument for &Groups<C, G> {
    fn argument(&self) -> Argument<'_> {
        Argument::groups(GroupsArgument {
            class: C::ID,
            made: self.made,
            words: [&self.starts, &self.ids],
            start: ptr::from_ref::<Groups<C, G>>(self).cast(),
            bytes: size_of::<OnDevice<G>>(),
            write: write::<C, G>,
            groups: PhantomData,
        })
    }
}

/// Writes the device's argument for groups.
///
/// # Safety
///
/// `start` is the address of `Groups<C, G>`, and `to` has room for an [`OnDevice<G>`](OnDevice).
unsafe fn write<C, G: Copy>(start: *const (), [starts, ids]: [u64; 2], to: *mut u8) {
    // SAFETY: by the caller.
    let groups = unsafe { &*start.cast::<Groups<C, G>>() };
    let on_device = OnDevice { starts, ids, groups: groups.groups, keys: groups.keys };
    // SAFETY: by the caller.
    unsafe { to.cast::<OnDevice<G>>().write_unaligned(on_device) };
}

/// Groups as an argument of a launch, independent of their class and keys.
#[derive(Clone, Copy, Debug)]
pub struct GroupsArgument<'a> {
    class: ClassId,
    made: Made,
    words: [&'a Words; 2],
    start: *const (),
    bytes: usize,
    write: unsafe fn(*const (), [u64; 2], *mut u8),
    groups: PhantomData<&'a ()>,
}

impl<'a> GroupsArgument<'a> {
    /// The class of the objects.
    pub fn class(self) -> ClassId {
        self.class
    }

    /// When the groups were made.
    pub fn made(self) -> Made {
        self.made
    }

    /// The starts of the groups, and the indices of the objects.
    pub fn words(self) -> [&'a Arc<[u32]>; 2] {
        self.words.map(Words::shared)
    }

    /// The size of the device's argument, a multiple of 8.
    pub(crate) fn bytes(self) -> usize {
        self.bytes
    }

    /// The device's argument, if the words are at these addresses: its bytes.
    pub fn on_device(self, addresses: [u64; 2]) -> Vec<MaybeUninit<u64>> {
        let mut words = vec![MaybeUninit::uninit(); self.bytes.div_ceil(size_of::<u64>())];
        // SAFETY: `start` is the address of the groups, which are borrowed, and there is room for the argument.
        unsafe { (self.write)(self.start, addresses, words.as_mut_ptr().cast()) };
        words
    }
}
