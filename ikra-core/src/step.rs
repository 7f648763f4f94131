//! One call of a kernel for one object, on host and device.

use crate::class::Class;
use crate::facts::Facts;
use crate::handle::{Assigned, Handle, Own};
use crate::kernel::{FieldsOf, Kernel, ValuesOf, assert_modes};
use crate::mode::ModeTuple;
use crate::panics::{out_of_range, stray_handle, undeclared_write};
use crate::storage::{FieldTuple, ViewOf};
use crate::table::Table;
use crate::value::BadLink;
use crate::window::WindowTuple;

/// Loads the view of one object, calls the kernel, and stores its writes: on the device.
///
/// # Safety
///
/// 1. `n` is within the windows, and the object there is the one at `index` of `table`.
/// 2. It exists, and the table's links are checked.
#[inline(always)]
pub unsafe fn step<'w, K, X, R>(
    windows: &mut X,
    n: usize,
    table: &'w Table<K::Class>,
    index: usize,
    call: impl FnOnce(&mut <K::Class as Class>::View<'w, K>) -> R,
) -> R
where
    K: Kernel,
    X: WindowTuple<ValuesOf<K>>,
{
    // SAFETY: the contract is the same; 3. no facts are known.
    let (mut view, before) = unsafe { begin::<K, X>(windows, n, table, index, Facts::NONE) };
    let result = call(&mut view);
    // SAFETY: as above.
    unsafe { end::<K, X>(windows, n, table, index, view, before) };
    result
}

/// Loads the view of one object, for a call of the kernel; [`end`] follows the call.
///
/// The two functions surround the call. A closure with the call would be a function, which LLVM does not inline if it
/// is large. Code for an instruction set would then call code compiled for the base set.
///
/// # Safety
///
/// 1. `n` is within the windows, and the object there is the one at `index` of `table`.
/// 2. It exists, and the table's links are checked.
/// 3. The facts about objects in the kernel's calls are true.
#[inline(always)]
pub unsafe fn begin<'w, K, X>(
    windows: &X,
    n: usize,
    table: &'w Table<K::Class>,
    index: usize,
    facts: Facts,
) -> (<K::Class as Class>::View<'w, K>, ValuesOf<K>)
where
    K: Kernel,
    X: WindowTuple<ValuesOf<K>>,
{
    const { assert_modes::<K>() };
    // SAFETY: by 1.
    let values = unsafe { windows.get(n) };
    // SAFETY: the object exists by 2, the values are its own by 1, and the kernel runs for it; the facts are true by 3.
    let views =
        unsafe { FieldsOf::<K>::to_views::<K>(values, const { K::Modes::TOUCHES }, ViewOf::Own, table, index, facts) };
    // SAFETY: 1. by 2; 2. by 3.
    (K::Class::to_view(views, Own::new(unsafe { Handle::at(table, index, facts) }, values)), values)
}

/// Stores a kernel's writes from a view.
///
/// # Safety
///
/// As for [`begin`], which returned `view` and `before`.
#[inline(always)]
pub unsafe fn end<'w, K, X>(
    windows: &mut X,
    n: usize,
    table: &'w Table<K::Class>,
    index: usize,
    view: <K::Class as Class>::View<'w, K>,
    before: ValuesOf<K>,
) where
    K: Kernel,
    X: WindowTuple<ValuesOf<K>>,
{
    if const { K::EFFECTS.is_exclusive() } {
        // The loaded value, not the current one: the compiler sees that both are equal if nothing changed it.
        let (after, assigned) = finish::<K>(view, table, index);
        check::<K>(&before, &after);
        let before = assigned.values(&before);
        if assigned.is_empty() && K::Modes::keep(before, &after) {
            return;
        }
        // SAFETY: by 1.
        unsafe { windows.replace(n, before, after, assigned.fields()) };
    }
}

/// The values behind a view after a call, and the noted assignments.
///
/// # Panics
///
/// If they have a bad link.
#[inline(always)]
pub fn finish<'w, K: Kernel>(
    view: <K::Class as Class>::View<'w, K>,
    table: &'w Table<K::Class>,
    index: usize,
) -> (ValuesOf<K>, Assigned<K::Class>) {
    let (views, assigned) = K::Class::from_view(view);
    if let Some(field) = FieldsOf::<K>::stray::<K>(&views, table, index) {
        stray_handle::<K::Class>(K::EFFECTS.kernel(), field);
    }
    let values = FieldsOf::<K>::from_views::<K>(views);
    if let Some(BadLink { class, id, len }) = FieldsOf::<K>::bad_number::<K>(&values, table) {
        out_of_range(class.name(), id.wrapping_sub(1), len);
    }
    (values, assigned)
}

/// Checks for changes that a kernel does not declare.
#[inline(always)]
pub fn check<K: Kernel>(before: &ValuesOf<K>, after: &ValuesOf<K>) {
    if let Some(field) = K::Modes::undeclared(before, after) {
        undeclared_write::<K::Class>(K::EFFECTS.kernel(), field);
    }
}
