//! `execute_each`: a kernel for the objects in a list.

use std::ops::Range;

use super::for_chunks;
use super::rows::{finish, prepare, run_rows};
use crate::error::Error;
use crate::kernel::Call;
use crate::list::ListOrder;
use crate::objects::Objects;

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
    let indices = list.objects_of::<K::Class>(class, objects.len())?;
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    for_chunks(0..indices.len(), const { K::EFFECTS.is_heavy }, |chunk| {
        for range in ranges(&indices[chunk]) {
            // SAFETY: these objects exist, each is in the list once, and `&mut objects` excludes other kernels.
            unsafe { run_rows::<K, A>(table, &shadow, range, args) }
        }
    });
    finish::<K>(objects, ranges(indices));
    Ok(())
}

/// The objects that follow each other, together.
pub(super) fn runs(indices: &[u32]) -> impl Iterator<Item = &[u32]> {
    indices.chunk_by(|a, b| b.wrapping_sub(*a) == 1)
}

/// Where these objects are.
pub(super) fn ranges(indices: &[u32]) -> impl Iterator<Item = Range<usize>> {
    runs(indices).map(|run| run[0] as usize..run[0] as usize + run.len())
}
