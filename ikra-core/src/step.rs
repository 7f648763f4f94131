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

/// Loads the view of one object, calls the kernel, and stores what it wrote: on the device.
///
/// # Safety
///
/// 1. `n` is within the windows, and the object there is that at `index` of `table`.
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
    // SAFETY: the contract is the same; 3. nothing is known.
    let (mut view, before) = unsafe { begin::<K, X>(windows, n, table, index, Facts::NONE) };
    let result = call(&mut view);
    // SAFETY: as above.
    unsafe { end::<K, X>(windows, n, table, index, view, before) };
    result
}

/// Loads the view of one object, for a call of the kernel, and then [`end`].
///
/// In two parts with the call between them: in a closure it would be a function, which LLVM does not inline where it is large,
/// so that what is compiled for an instruction set would call what is compiled for all.
///
/// # Safety
///
/// 1. `n` is within the windows, and the object there is that at `index` of `table`.
/// 2. It exists, and the table's links are checked.
/// 3. What is known of objects in the kernel's calls is so.
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
    // SAFETY: the object exists by 2, the values are its own by 1, and the kernel runs for it; what is known is so by 3.
    let views =
        unsafe { FieldsOf::<K>::to_views::<K>(values, const { K::Modes::TOUCHES }, ViewOf::Own, table, index, facts) };
    // SAFETY: 1. by 2; 2. by 3.
    (K::Class::to_view(views, Own::new(unsafe { Handle::at(table, index, facts) }, values)), values)
}

/// Stores what the kernel wrote into a view.
///
/// # Safety
///
/// As for [`begin`], of whose result `view` was, with `before` beside it.
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
        // What was loaded, not what is there now: the compiler sees that it is the same where nothing changed it.
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

/// The values behind a view after a call, and what was noted of assignments.
///
/// # Panics
///
/// If a link in them is to no object.
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

/// Looks for changes that a kernel does not declare.
#[inline(always)]
pub fn check<K: Kernel>(before: &ValuesOf<K>, after: &ValuesOf<K>) {
    if let Some(field) = K::Modes::undeclared(before, after) {
        undeclared_write::<K::Class>(K::EFFECTS.kernel(), field);
    }
}
