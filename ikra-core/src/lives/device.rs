//! Objects that a running kernel makes and removes: noted in the device's memory, by maker.

use core::ptr;

use crate::class::Class;
use crate::device_lives::set_bit;
use crate::link::Link;
use crate::table::{TableRef, lives};

/// Notes that the running kernel removes the object at this index. Returns whether the kernel may do so.
#[inline(always)]
pub(crate) fn remove<C: Class>(_: TableRef<'_>, index: usize) -> bool {
    let Some(lives) = lives::<C>().filter(|lives| lives.marks != 0) else { return false };
    // SAFETY: the host made a bit for each object (I34).
    unsafe { set_bit(lives.marks, index as u32) };
    true
}

/// Makes an object of class `C`, by the object `maker` of the running kernel.
///
/// # Panics
///
/// If the running kernel may make no objects, or if the call makes more than its text shows.
#[inline(always)]
#[track_caller]
pub(crate) fn spawn<C: Class>(_: TableRef<'_>, maker: u32, row: C) -> Link<C> {
    let Some(lives) = lives::<C>().filter(|lives| maker < lives.makers) else {
        panic!("objects are made by a kernel with a parameter of type `Spawn`\0")
    };
    // SAFETY: there is a byte for each maker (I35), and one thread runs the maker's call.
    let count = unsafe { &mut *ptr::with_exposed_provenance_mut::<u8>(lives.counts as usize).add(maker as usize) };
    let made = u32::from(*count);
    assert!(made < lives.per_maker, "a call makes more objects than its text shows\0");
    *count += 1;
    let number = maker * lives.per_maker + made;
    // SAFETY: there is room for this many rows for each maker (I35), and one thread runs the maker's call.
    unsafe { ptr::with_exposed_provenance_mut::<C>(lives.rows as usize).add(number as usize).write(row) };
    Link::at(lives.first - number)
}

/// Not on a device: the host runs such kernels.
///
/// # Safety
///
/// No requirement here: it is as on the host.
#[inline]
pub(crate) unsafe fn set_at_end<C: Class, T, const K: usize>(_: TableRef<'_>, _: usize, _: T) {
    panic!("a kernel that stores fields when it ends runs on the host\0")
}
