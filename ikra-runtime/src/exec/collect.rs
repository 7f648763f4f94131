//! `execute_and_collect`: a kernel for all objects, its results in a list.

use std::ops::Range;

use super::calls::{Calls, for_calls};
use super::chunks::{AllReturned, alone, by_one, spread};
use super::rows::{finish, prepare};
use super::task_len;
use crate::info::ClassInfo;
use crate::isa::Isa;
use crate::kernel::{Call, ValuesOf};
use crate::objects::Objects;
use crate::spread::{Job, Spread};
use crate::table::Table;
use crate::window::WindowTuple;

/// Calls the kernel for all objects, and returns the results in the order of the objects' ids.
pub(crate) fn execute_and_collect<K, A>(objects: &mut Objects<K::Class>, args: A) -> Vec<K::Output>
where
    K: Call<A, Output: Send>,
    A: Copy + Send + Sync,
{
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let len = objects.len();
    let chunk = task_len(len, const { K::EFFECTS.is_heavy() });
    // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
    let collect = |range| unsafe { collect_rows::<K, A, false>(table, &shadow, range, args) };
    // SAFETY: as above; and this thread does all of it.
    let collect_alone = |all| unsafe { collect_rows::<K, A, true>(table, &shadow, all, args) };
    let (results, returned) = match len.div_ceil(chunk) {
        0 => alone(Vec::new),
        1 => alone(|| by_one::<K, _>(collect, collect_alone)(0..len)),
        chunks => collect_chunks(chunks, len, &|n| collect(n * chunk..((n + 1) * chunk).min(len))),
    };
    finish::<K>(objects, std::iter::once(0..len), returned);
    results
}

/// The results for consecutive objects.
///
/// # Safety
///
/// As for [`for_calls`].
unsafe fn collect_rows<K, A, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    range: Range<usize>,
    args: A,
) -> Vec<K::Output>
where
    K: Call<A>,
    A: Copy,
{
    let mut results = Vec::with_capacity(range.len());
    // SAFETY: the contract is the same.
    unsafe {
        for_calls::<K, A, ALONE>(table, shadow, range, args, |windows, calls| {
            windows.spread(Collect { calls, results: &mut results }, Isa::of(const { K::EFFECTS.is_heavy() }));
        });
    }
    results
}

/// The results of some chunks, one after another. One function for all kernels with results of a type.
fn collect_chunks<T: Send>(
    chunks: usize,
    len: usize,
    collect: &(dyn Fn(usize) -> Vec<T> + Sync),
) -> (Vec<T>, AllReturned) {
    let (parts, returned) = spread(chunks, collect);
    let mut results = Vec::with_capacity(len);
    for part in parts {
        results.extend(part);
    }
    (results, returned)
}

/// Adds the results for the objects of a run to a list.
struct Collect<'w, 'r, K: Call<A>, A, const ALONE: bool> {
    calls: Calls<'w, K, A, ALONE>,
    results: &'r mut Vec<K::Output>,
}

impl<K, A, X, const ALONE: bool> Job<X> for Collect<'_, '_, K, A, ALONE>
where
    K: Call<A>,
    A: Copy,
    X: WindowTuple<ValuesOf<K>>,
{
    type Output = ();
    const WIDE: bool = const { K::EFFECTS.is_heavy() };

    #[inline(always)]
    fn run(self, mut windows: X) {
        let Self { calls, results } = self;
        // SAFETY: within the windows.
        results.extend((0..calls.len).map(|n| unsafe { calls.call(&mut windows, n) }));
    }
}
