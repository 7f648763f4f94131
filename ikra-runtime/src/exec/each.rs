//! `execute_each`: a kernel for the objects in a list.

use super::calls::{Calls, WindowsOf, for_calls};
use super::for_chunks;
use super::rows::{finish, prepare, run_rows};
use crate::class::ClassInfo;
use crate::error::Error;
use crate::kernel::Call;
use crate::list::{ListOrder, Run};
use crate::objects::Objects;
use crate::table::Table;

/// Calls the kernel for the objects of a list that are of the class with this number.
///
/// # Errors
///
/// [`Error::NotInWorld`]; the kernel is then called for none.
pub(crate) fn execute_each<K, A>(
    objects: &mut Objects<K::Class>,
    list: &ListOrder,
    class: usize,
    args: A,
) -> Result<(), Error>
where
    K: Call<A>,
    A: Copy + Send + Sync,
{
    let listed = list.objects_of::<K::Class>(class, objects.len())?;
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    for_chunks(0..listed.len(), const { K::EFFECTS.is_heavy }, |chunk| {
        for run in listed.runs(chunk) {
            match run {
                // SAFETY: these objects exist, each is in the list once, and `&mut objects` excludes other kernels.
                Run::Range(range) => unsafe { run_rows::<K, A>(table, &shadow, range, args) },
                // SAFETY: as above.
                Run::Each(indices) => unsafe { run_each::<K, A>(table, &shadow, indices, args) },
            }
        }
    });
    finish::<K>(objects, listed.ranges());
    Ok(())
}

/// Calls the kernel for objects, few of which follow each other.
///
/// # Safety
///
/// As for [`for_calls`], for each of the objects.
#[inline(never)]
unsafe fn run_each<K, A>(table: &Table<K::Class>, shadow: &<K::Class as ClassInfo>::Bases, indices: &[u32], args: A)
where
    K: Call<A>,
    A: Copy,
{
    for &index in indices {
        let index = index as usize;
        if const { K::EFFECTS.is_heavy } {
            // SAFETY: the contract is the same, for each of the objects.
            unsafe { run_rows::<K, A>(table, shadow, index..index + 1, args) };
            continue;
        }
        // In this loop itself: a call takes longer than most kernels.
        let call = |mut windows: WindowsOf<'_, K>, calls: Calls<'_, K, A>| {
            // SAFETY: the windows are those of this object.
            unsafe { calls.call(&mut windows, 0) };
        };
        // SAFETY: as above.
        unsafe { for_calls::<K, A>(table, shadow, index..index + 1, args, call) };
    }
}
