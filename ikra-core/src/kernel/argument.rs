//! The arguments of a launch: the host passes them to the device's code.

use super::Entry;
use crate::directory::Targets;
use crate::groups::GroupsArgument;
use crate::info::ClassId;
#[cfg(not(target_arch = "nvptx64"))]
use crate::moves::Moves;
use crate::value::{BadLink, Value};

/// A kernel, for pairs or for one object, or a constructor, with device code for arguments `A`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot run at every place with arguments `{A}`: a GPU does not take them",
    label = "runs on the host only",
    note = "at every place, a kernel has no type parameters, and takes values only: no references, no closures, no tuples",
    note = "the short forms, as `sim.execute(…)`, run it on the host, whatever it takes"
)]
///
/// # Safety
///
/// 1. The device code's entry point `ENTRY` takes the arguments that `arguments` returns, in this order.
/// 2. So does `entry(n)`, the entry point of the kernel of class number `n`; for the kernel of one class it is `ENTRY`.
pub unsafe trait OnDevice<A>: Copy {
    /// The entry point in the device code.
    const ENTRY: &'static Entry;
    /// The number of classes whose [`SectionWords`](super::SectionWords) it takes, if it is the entry point of a trait's kernel.
    const SECTIONS: usize = 0;
    /// The entry point of the kernel of one class; a trait's kernel has several.
    fn entry(_class: usize) -> &'static Entry {
        Self::ENTRY
    }
    /// The type of an array with the arguments.
    type Arguments<'a>: AsRef<[Argument<'a>]>
    where
        A: 'a;
    /// Each argument in the form that the device takes.
    fn arguments(args: &A) -> Self::Arguments<'_>;
    /// The arguments as a recording keeps them; a type without values if it cannot, since they borrow.
    type Kept: Copy + Send + Sync + 'static;
    /// The arguments for a recording, if it can keep them.
    fn keep(args: A) -> Option<Self::Kept>;
    /// The arguments that were kept.
    fn given(kept: Self::Kept) -> A;
}

/// One argument of a kernel, as bytes to copy.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    start: *const (),
    bytes: usize,
    links_to: &'static [ClassId],
    bad_link: unsafe fn(*const (), Targets<'_>) -> Option<BadLink>,
    #[cfg(not(target_arch = "nvptx64"))]
    show_links: unsafe fn(*const (), Moves<'_>),
    groups: Option<GroupsArgument<'a>>,
    value: core::marker::PhantomData<&'a ()>,
}

impl<'a> Argument<'a> {
    /// An argument of a kernel.
    pub fn of<T: DeviceArgument>(value: &'a T) -> Self {
        value.argument()
    }

    /// A value.
    pub(crate) fn value<T: Value>(value: &'a T) -> Self {
        Self {
            start: core::ptr::from_ref(value).cast(),
            bytes: size_of::<T>(),
            links_to: T::LINKS_TO,
            // SAFETY: it is called only with `start`, below.
            bad_link: |start, targets| unsafe { &*start.cast::<T>() }.bad_link(targets),
            #[cfg(not(target_arch = "nvptx64"))]
            show_links: |start, moves| {
                // SAFETY: it is called only with `start`, below.
                let _ = unsafe { *start.cast::<T>() }.remapped(moves);
            },
            groups: None,
            value: core::marker::PhantomData,
        }
    }

    /// The data that executors pass to an entry point besides the kernel's arguments: numbers that are not links.
    pub fn words(words: &'a [u32]) -> Self {
        Self {
            start: words.as_ptr().cast(),
            bytes: size_of_val(words),
            links_to: &[],
            bad_link: |_, _| None,
            #[cfg(not(target_arch = "nvptx64"))]
            show_links: |_, _| {},
            groups: None,
            value: core::marker::PhantomData,
        }
    }

    /// Groups, whose bytes depend on the device.
    pub(crate) fn groups(groups: GroupsArgument<'a>) -> Self {
        Self { bytes: groups.bytes(), groups: Some(groups), ..Self::words(&[]) }
    }

    /// The bytes of the argument for a device, in whole words.
    pub fn bytes_of(words: &'a [core::mem::MaybeUninit<u64>]) -> Self {
        Self { start: words.as_ptr().cast(), bytes: size_of_val(words), ..Self::words(&[]) }
    }

    /// The bytes of a worklist for a device, in whole words.
    pub fn bytes_of_worklist(self, words: &'a [core::mem::MaybeUninit<u64>]) -> Self {
        Self { groups: self.groups, ..Self::bytes_of(words) }
    }

    /// The groups that it passes, which [`start`](Self::start) is not the address of.
    pub fn as_groups(self) -> Option<GroupsArgument<'a>> {
        self.groups
    }

    /// The classes of its links.
    pub fn links_to(self) -> &'static [ClassId] {
        self.links_to
    }

    /// Its first bad link; `targets` are the targets of the classes in `links_to`.
    pub fn bad_link(self, targets: Targets<'_>) -> Option<BadLink> {
        // SAFETY: `start` is the address of a value of the function's type, which is borrowed.
        unsafe { (self.bad_link)(self.start, targets) }
    }

    /// Shows `moves` each of its links.
    #[cfg(not(target_arch = "nvptx64"))]
    pub fn visit_links(self, moves: Moves<'_>) {
        // SAFETY: `start` is the address of a value of the function's type, which is borrowed.
        unsafe { (self.show_links)(self.start, moves) }
    }

    /// Its address.
    pub fn start(self) -> *const () {
        self.start
    }

    /// Its size in bytes. The device takes no argument of size 0.
    pub fn bytes(self) -> usize {
        self.bytes
    }
}

/// The type of an argument of a kernel on the device: a [`Value`], whose bytes have the same meaning there, or a
/// reference to [`Groups`](crate::groups::Groups).
#[diagnostic::on_unimplemented(
    message = "an argument of type `{Self}` cannot be passed to the GPU",
    label = "this kernel runs on the host only",
    note = "at every place, a kernel takes values only: numbers, `bool`, `Link<Class>`, arrays of these, and structs of your own with `#[derive(Clone, Copy, Value)] #[repr(C)]`; no tuples, no references, no closures",
    note = "`usize` and `isize` may have another size on a device: take a `u32` or a `u64`, and write `as usize` where you use it",
    note = "several arguments, each of them a value, are fine",
    note = "the short forms, as `sim.execute(…)`, run it on the host, whatever it takes"
)]
///
/// # Safety
///
/// [`argument`](Self::argument) returns an argument with the bytes that the device's code takes for the type. For a
/// reference to groups these are the groups themselves.
pub unsafe trait DeviceArgument: Copy + Send + Sync {
    /// The argument of a launch.
    #[doc(hidden)]
    fn argument(&self) -> Argument<'_>;
}
// SAFETY: the value's own bytes, which mean the same there.
#[diagnostic::do_not_recommend]
unsafe impl<T: Value> DeviceArgument for T {
    fn argument(&self) -> Argument<'_> {
        Argument::value(self)
    }
}
