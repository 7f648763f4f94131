//! Messages, composed when they are needed.

use core::ops::{Bound, RangeBounds};

use crate::info::ClassInfo;
use crate::moves::may_be_young;

/// A range in Rust's notation.
pub fn written(range: &impl RangeBounds<usize>) -> String {
    let start = match range.start_bound() {
        Bound::Included(start) => start.to_string(),
        // Only a pair of bounds can state this.
        Bound::Excluded(start) => format!("{start}+1"),
        Bound::Unbounded => String::new(),
    };
    match range.end_bound() {
        Bound::Included(end) => format!("{start}..={end}"),
        Bound::Excluded(end) => format!("{start}..{end}"),
        Bound::Unbounded => format!("{start}.."),
    }
}

/// A link was followed that does not belong to this world.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn out_of_range(class: &str, index: u32, len: u32) -> ! {
    if index < len {
        was_removed(class, index + 1);
    }
    let young = if may_be_young(index) {
        "; if the running kernel makes the object, it exists when the kernel has ended: store its link by `set_at_end`"
    } else {
        ""
    };
    panic!(
        "link {class}#{} does not belong to this world, which has {len} objects of class {class}{young}",
        u64::from(index) + 1
    );
}

/// A kernel that several processes share reads an object that its effects do not name.
#[cold]
#[inline(never)]
#[track_caller]
#[cfg(debug_assertions)]
pub(crate) fn not_at_hand<C: ClassInfo>(kernel: &str, field: usize, id: u32) -> ! {
    panic!(
        "kernel `{kernel}` reads `{}::{}` of {}#{id}, which another rank of the cluster has, and its text does not show that: call the getter in the kernel, or in a method of its class",
        C::NAME,
        C::FIELDS[field].name,
        C::NAME
    );
}

/// An object's id does not fit into a link to objects of several classes.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn too_many_for_link(class: &str, of: &str, id: u32, largest: u32) -> ! {
    panic!(
        "{class}#{id} does not fit into a link of `{of}`, which has room for {largest} objects of each class; write `#[soa_dispatch(…, wide)]`"
    );
}

/// An inner array was indexed out of range.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_element<C: ClassInfo>(field: usize, index: usize, len: usize) -> ! {
    panic!("`{}::{}` has {len} elements, so index {index} is out of range", C::NAME, C::FIELDS[field].name);
}

/// A range was out of bounds for an inner array.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_range<C: ClassInfo>(field: usize, range: &impl RangeBounds<usize>, len: usize) -> ! {
    panic!(
        "`{}::{}` has {len} elements, so the range `{}` is out of range",
        C::NAME,
        C::FIELDS[field].name,
        written(range)
    );
}

/// There is no group with a key.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_group(class: &str, key: u32, groups: u32) -> ! {
    panic!("there are {groups} groups of class {class}, counted from 0, so there is no group {key}");
}

/// Groups were used after their objects got other ids, or in another world.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn stale_groups(class: &str) -> ! {
    panic!(
        "the groups were made before objects of class {class} were removed or got other ids, or in another world; make them again by `group_by`"
    );
}

/// A column of results was of objects that are no longer the same.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn stale_column(class: &str) -> ! {
    panic!(
        "the column was made before objects of class {class} were removed or got other ids, or in another world; make it again by `map`"
    );
}

/// A column of results has no element for an object.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_element(class: &str, id: u32) -> ! {
    panic!("the column has no element for {class}#{id}: make it for all objects of the kernel");
}

/// A range was out of bounds for the objects of a class.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_such_objects<C: ClassInfo>(range: &impl RangeBounds<usize>, len: usize) -> ! {
    panic!("there are {len} objects of `{}`, so the range `{}` is out of range", C::NAME, written(range));
}

/// A kernel changed a field outside its write set.
#[cold]
#[inline(never)]
pub(crate) fn undeclared_write<C: ClassInfo>(kernel: &str, field: usize) -> ! {
    panic!(
        "kernel `{kernel}` changed `{class}::{field}` in a way that its text does not show, so the change would be lost; write `#[kernel(writes({field}))]`",
        class = C::NAME,
        field = C::FIELDS[field].name,
    );
}

/// A view's handle of an atomic field was replaced by another object's.
#[cold]
#[inline(never)]
pub fn stray_handle<C: ClassInfo>(code: &str, field: usize) -> ! {
    panic!(
        "`{code}` assigned another object's handle to `{class}::{field}`; use `.store(value)` to change an `#[atomic]` field, and `[index]` an element of an array",
        class = C::NAME,
        field = C::FIELDS[field].name,
    );
}

/// A method that was called on another object uses an atomic field that the kernel may use only on its own object.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn not_its_own<C: ClassInfo>(kernel: &str, field: usize) -> ! {
    panic!(
        "kernel `{kernel}` has `{class}::{field}` of its own object alone, and a method that it calls on another object uses `{field}` in a way that its text does not show; write `self.{field}` in that method, and the compiler says what the kernel may do",
        class = C::NAME,
        field = C::FIELDS[field].name,
    );
}

/// An object was removed outside of a kernel that may remove objects.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn not_removable<C: ClassInfo>() -> ! {
    panic!("objects of class {} are removed by kernels that say so", C::NAME);
}

/// A link to a removed object was followed.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn was_removed(class: &str, id: u32) -> ! {
    panic!("object {class}#{id} was removed; keep a `Tracked` handle to it, which tells whether it still exists");
}

/// A link to an object that a running kernel makes was followed, or stored where it is not remapped.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn young_link(class: &str) -> ! {
    panic!(
        "an object of class {class} that a kernel makes exists when the kernel has ended: until then, store its link by `set_at_end` or in rows of others that the kernel makes"
    );
}

/// Code needs all objects of a class in a row, and some were removed.
#[cold]
#[inline(never)]
#[track_caller]
pub fn has_holes(class: &str, holes: u32) -> ! {
    panic!(
        "objects of class {class} were removed ({holes}), and this needs the others in a row: call `world.compact::<{class}>()` before it, or declare `#[soa_class(compact = 1.0)]`"
    );
}

#[cfg(test)]
mod tests {
    use core::ops::Bound::{Excluded, Included};

    use super::written;

    #[test]
    fn ranges_are_shown_as_they_are_written() {
        let shown = [written(&(..)), written(&(3..)), written(&(..4)), written(&(3..4)), written(&(3..=4))];
        assert_eq!(shown, ["..", "3..", "..4", "3..4", "3..=4"]);
        assert_eq!(written(&(Excluded(3), Included(4))), "3+1..=4");
    }
}
