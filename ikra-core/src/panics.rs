//! What kernels and getters panic with.
//!
//! On the device messages are constants, with the 0 at the end that the driver wants: putting one
//! together would make up most of a kernel's code.

use core::ops::RangeBounds;

use crate::class::Class;
use crate::kernel::Kernel;

/// Panics, unless another thread already has, in the same run of a kernel: then this one ends without a
/// message of its own.
#[cfg(not(target_arch = "nvptx64"))]
#[track_caller]
fn stop(message: String) -> ! {
    if crate::failure::is_first_failure() {
        panic!("{message}");
    }
    std::panic::resume_unwind(Box::new(message))
}

/// A link was followed that is not of this world.
#[cold]
#[inline(never)]
#[track_caller]
#[cfg_attr(target_arch = "nvptx64", expect(unused_variables, reason = "messages are constants there"))]
pub(crate) fn out_of_range(class: &str, index: u32, len: u32) -> ! {
    #[cfg(not(target_arch = "nvptx64"))]
    stop(format!(
        "link {class}#{} is not of this world, which has {len} objects of class {class}",
        u64::from(index) + 1
    ));
    #[cfg(target_arch = "nvptx64")]
    panic!("a link was followed that is not of this world\0");
}

/// An inner array was indexed out of range.
#[cold]
#[inline(never)]
#[track_caller]
#[cfg_attr(target_arch = "nvptx64", expect(unused_variables, reason = "messages are constants there"))]
pub(crate) fn no_such_element<C: Class>(field: usize, index: usize, len: usize) -> ! {
    #[cfg(not(target_arch = "nvptx64"))]
    stop(format!("`{}::{}` has {len} elements and none at index {index}", C::NAME, C::FIELDS[field].name));
    #[cfg(target_arch = "nvptx64")]
    panic!("an inner array was indexed out of range\0");
}

/// A range of an inner array's elements was asked for that it does not have.
#[cold]
#[inline(never)]
#[track_caller]
#[cfg_attr(target_arch = "nvptx64", expect(unused_variables, reason = "messages are constants there"))]
pub(crate) fn no_such_range<C: Class>(field: usize, range: &impl RangeBounds<usize>, len: usize) -> ! {
    #[cfg(not(target_arch = "nvptx64"))]
    stop(format!(
        "`{}::{}` has {len} elements, and none at some of the positions `{}`",
        C::NAME,
        C::FIELDS[field].name,
        crate::range::written(range)
    ));
    #[cfg(target_arch = "nvptx64")]
    panic!("a range of an inner array is out of range\0");
}

/// A kernel changed a field and is not known to.
#[cold]
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", expect(unused_variables, reason = "messages are constants there"))]
pub(crate) fn undeclared_write<K: Kernel>(field: usize) -> ! {
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let field = <K::Class as Class>::FIELDS[field].name;
        stop(format!(
            "kernel `{kernel}` changed `{class}::{field}` in a way that its text does not show, so the change would be lost; write `#[kernel(writes({field}))]`",
            kernel = K::EFFECTS.kernel,
            class = <K::Class as Class>::NAME,
        ))
    }
    #[cfg(target_arch = "nvptx64")]
    panic!("the kernel changed a field in a way that its text does not show; run it on the host to learn which\0");
}

/// A view's handle of an atomic field was replaced by another object's.
#[cold]
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", expect(unused_variables, reason = "messages are constants there"))]
pub fn stray_handle<C: Class>(code: &str, field: usize) -> ! {
    #[cfg(not(target_arch = "nvptx64"))]
    stop(format!(
        "`{code}` assigned another object's handle to `{class}::{field}`; use `.store(value)` to change an `#[atomic]` field, and `[index]` an element of an array",
        class = C::NAME,
        field = C::FIELDS[field].name,
    ));
    #[cfg(target_arch = "nvptx64")]
    panic!("the kernel assigned another object's handle to an `#[atomic]` field; use `.store(value)`\0");
}
