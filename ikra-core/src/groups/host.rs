//! Groups on the host: how they are made, and passed to a device.

use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;
use std::any::Any;
use std::string::String;
use std::sync::Arc;

use super::Groups;
use crate::class::Class;
use crate::info::ClassId;
use crate::kernel::{Argument, DeviceArgument};
use crate::link::Link;
use crate::panics::no_such_group;
use crate::shared::Memory;
use crate::target::groups::{Made, Remote, Words};
use crate::value::Value;

#[doc(hidden)]
impl<C: Class, G: Copy> Groups<C, G> {
    /// The groups with these objects.
    ///
    /// # Safety
    ///
    /// The type's invariants.
    pub unsafe fn new(keys: G, starts: Arc<[u32]>, ids: Arc<[u32]>, made: Made) -> Self {
        let groups = starts.len() as u32 - 1;
        Self { starts: Words::new(starts), ids: Words::new(ids), groups, keys, made, class: PhantomData }
    }

    /// The groups, of this number, whose numbers a device has.
    ///
    /// # Safety
    ///
    /// The type's invariants.
    pub unsafe fn on_device(keys: G, (groups, starts): (u32, Remote), ids: Remote, made: Made) -> Self {
        Self { starts: Words::remote(starts), ids: Words::remote(ids), groups, keys, made, class: PhantomData }
    }
}

impl<C: Class, G: Copy> Groups<C, G> {
    /// The number of objects in all groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
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
    /// If there is no such group, or if the groups are on a GPU that has failed.
    #[track_caller]
    pub fn links(&self, key: u32) -> impl ExactSizeIterator<Item = Link<C>> + '_ {
        if key >= self.groups {
            no_such_group(C::NAME, key, self.groups);
        }
        let starts = &self.starts.here()[key as usize..];
        self.ids.here()[starts[0] as usize..starts[1] as usize].iter().map(|&index| Link::at(index))
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
        let words = [Source::Words(&self.starts), Source::Words(&self.ids)];
        let (start, bytes) = (ptr::from_ref::<Groups<C, G>>(self).cast(), size_of::<OnDevice<G>>());
        // SAFETY: `write` is given the address of these groups, and writes an `OnDevice<G>`.
        Argument::groups(unsafe { GroupsArgument::new(C::ID, self.made, words, start, bytes, write::<C, G>) })
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

/// The memory of an argument.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// The host has it.
    Host(Memory<'a>),
    /// Numbers that a device may have made.
    Words(&'a Words),
    /// The memory of a worklist, which only a loop on a device has.
    Loop,
}

impl<'a> Source<'a> {
    /// The memory of the device that made it, if one did.
    pub fn remote(self) -> Option<&'a (dyn Any + Send + Sync)> {
        match self {
            Self::Host(_) | Self::Loop => None,
            Self::Words(words) => words.memory(),
        }
    }

    /// The memory of the host, which is fetched if necessary.
    ///
    /// # Errors
    ///
    /// The reason why the device cannot copy it.
    pub fn memory(self) -> Result<Memory<'a>, String> {
        match self {
            Self::Host(memory) => Ok(memory),
            Self::Words(words) => words.shared().map(Memory::of),
            Self::Loop => Err(String::from("a worklist is in device memory while its loop runs there")),
        }
    }
}

/// Groups, or a column of results, as an argument of a launch, independent of their class and their type.
#[derive(Clone, Copy)]
pub struct GroupsArgument<'a> {
    class: ClassId,
    made: Made,
    words: [Source<'a>; 2],
    start: *const (),
    bytes: usize,
    write: unsafe fn(*const (), [u64; 2], *mut u8),
    /// For a column: returns the first index in a range whose object has no element.
    lacks: Option<unsafe fn(*const (), Range<u32>) -> Option<u32>>,
}

impl fmt::Debug for GroupsArgument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupsArgument").field("class", &self.class).field("words", &self.words).finish_non_exhaustive()
    }
}

impl<'a> GroupsArgument<'a> {
    /// An argument at the address `start`, whose form on the device has this number of bytes and contains the addresses
    /// of the copies of `words`.
    ///
    /// # Safety
    ///
    /// During `'a`, `write` can be called with `start`, addresses, and room for `bytes` bytes.
    pub(crate) unsafe fn new(
        class: ClassId,
        made: Made,
        words: [Source<'a>; 2],
        start: *const (),
        bytes: usize,
        write: unsafe fn(*const (), [u64; 2], *mut u8),
    ) -> Self {
        Self { class, made, words, start, bytes, write, lacks: None }
    }

    /// The same, of a column of results.
    ///
    /// # Safety
    ///
    /// During `'a`, `lacks` can be called with `start`. It returns the first index in a range whose object has no element.
    pub(crate) unsafe fn of_column(self, lacks: unsafe fn(*const (), Range<u32>) -> Option<u32>) -> Self {
        Self { lacks: Some(lacks), ..self }
    }

    /// Whether it is a worklist.
    pub fn is_worklist(self) -> bool {
        matches!(self.words, [Source::Loop, _])
    }

    /// Whether it is a column of results.
    pub fn is_column(self) -> bool {
        self.lacks.is_some()
    }

    /// The first index in a range whose object has no element in the column, if it is one.
    pub fn first_lacking(self, range: Range<u32>) -> Option<u32> {
        // SAFETY: by the contract of `of_column`.
        self.lacks.and_then(|lacks| unsafe { lacks(self.start, range) })
    }

    /// The class of the objects.
    pub fn class(self) -> ClassId {
        self.class
    }

    /// When it was made.
    pub fn made(self) -> Made {
        self.made
    }

    /// For groups their starts, and the indices of the objects. For a column the indices of the objects, and the values.
    pub fn words(self) -> [Source<'a>; 2] {
        self.words
    }

    /// The size of the device's argument, a multiple of 4.
    pub(crate) fn bytes(self) -> usize {
        self.bytes
    }

    /// The device's argument, if the words are at these addresses: its bytes.
    pub fn on_device(self, addresses: [u64; 2]) -> Vec<MaybeUninit<u64>> {
        let mut words = vec![MaybeUninit::uninit(); self.bytes.div_ceil(size_of::<u64>())];
        // SAFETY: by the contract of `new`; there is room for the argument.
        unsafe { (self.write)(self.start, addresses, words.as_mut_ptr().cast()) };
        words
    }
}
