//! Messages are constants, with the 0 at the end that the driver needs: composing one would make up most of a kernel's
//! code.

use core::ops::RangeBounds;

use crate::info::ClassInfo;

/// A link was followed that does not belong to this world.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn out_of_range(_: &str, _: u32, _: u32) -> ! {
    panic!("a link was followed that does not belong to this world\0");
}

/// An object that does not belong to the world was put into a worklist.
#[cold]
#[inline(never)]
pub(crate) fn stray_work() -> ! {
    panic!("an object that does not belong to this world was put into a worklist\0");
}

/// An object's id does not fit into a link to objects of several classes.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn too_many_for_link(_: &str, _: &str, _: u32, _: u32) -> ! {
    panic!("an object's id does not fit into a link to objects of several classes\0");
}

/// An inner array was indexed out of range.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_element<C: ClassInfo>(_: usize, _: usize, _: usize) -> ! {
    panic!("an inner array was indexed out of range\0");
}

/// A range was out of bounds for an inner array.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_range<C: ClassInfo>(_: usize, _: &impl RangeBounds<usize>, _: usize) -> ! {
    panic!("a range of an inner array is out of range\0");
}

/// There is no group with a key.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_group(_: &str, _: u32, _: u32) -> ! {
    panic!("there is no group with a key\0");
}

/// Groups were used after their objects got other ids: the host looks, before it launches a kernel.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn stale_groups(_: &str) -> ! {
    panic!("groups were made before objects were removed or got other ids\0");
}

/// A column of results was of objects that are no longer the same.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn stale_column(_: &str) -> ! {
    panic!("a column was made before objects were removed or got other ids\0");
}

/// A column of results has no element for an object.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_element(_: &str, _: u32) -> ! {
    panic!("a column has no element for the object\0");
}

/// A range was out of bounds for the objects of a class.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_objects<C: ClassInfo>(_: &impl RangeBounds<usize>, _: usize) -> ! {
    panic!("a range of the objects of a class is out of range\0");
}

/// A kernel changed a field outside its write set.
#[cold]
#[inline(never)]
pub(crate) fn undeclared_write<C: ClassInfo>(_: &str, _: usize) -> ! {
    panic!("the kernel changed a field in a way that its text does not show; run it on the host to see which field\0");
}

/// A view's handle of an atomic field was replaced by another object's.
#[cold]
#[inline(never)]
pub fn stray_handle<C: ClassInfo>(_: &str, _: usize) -> ! {
    panic!("the kernel assigned another object's handle to an `#[atomic]` field; use `.store(value)`\0");
}

/// A method that was called on another object uses an atomic field that the kernel may use only on its own object.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn not_its_own<C: ClassInfo>(_: &str, _: usize) -> ! {
    panic!(
        "a method uses an atomic field of another object in a way that its text does not show; run it on the host to see which\0"
    );
}

/// An object was removed outside of a kernel that may remove objects.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn not_removable<C: ClassInfo>() -> ! {
    panic!("the running kernel may not remove objects\0");
}

/// On the host, a link to a removed object was followed.
#[inline]
pub(crate) fn was_removed(_: &str, _: u32) -> ! {
    panic!("the object was removed\0");
}

/// On the host, a link to an object that a running kernel makes was followed or stored.
#[inline(always)]
pub(crate) fn young_link(_: &str) -> ! {
    panic!("a kernel that makes objects runs on the host\0");
}

/// On the host, code needs all objects of a class in a row.
#[inline]
pub(crate) fn has_holes(_: &str, _: u32) -> ! {
    panic!("objects were removed\0");
}
