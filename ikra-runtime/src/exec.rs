//! The host executor: chunks of consecutive objects, spread over threads.
//!
//! A chunk covers at least a few cache lines of each column, so that two threads seldom write to the same line. Its
//! bounds never affect a result.

mod accumulators;
mod calls;
pub(crate) mod chain;
mod chunks;
mod collect;
mod construct;
mod each;
mod pairs;
mod part;
mod prefetch;
mod reduce;
mod rows;
pub mod stage;
mod trial;

pub(crate) use chunks::{AllReturned, for_chunks, spread};
pub(crate) use construct::construct;
pub use part::{Extent, Part, SharedExtent, Sharing};

use std::ops::{Range, RangeBounds};

use crate::error::Error;
use crate::kernel::{Call, Kernel, PairCall};
use crate::objects::Objects;
use crate::panics::written;
use crate::range::within;
use crate::reduce::Reducer;
use crate::table::Table;

/// Chunk sizes are multiples of this: a tile, and cache lines of the smallest element.
const GRAIN: usize = 128;

/// The grain for kernels with much work per call. It also is the number of objects from which other threads are woken.
const HEAVY_GRAIN: usize = 64;

/// Below this many objects, waking other threads costs more than it brings.
const SEQUENTIAL_BELOW: usize = 4096;

/// The number of objects per task.
#[inline]
fn task_len(objects: usize, heavy: bool) -> usize {
    let sequential_below = if heavy { HEAVY_GRAIN } else { SEQUENTIAL_BELOW };
    if objects <= sequential_below {
        return objects.max(1);
    }
    let threads = rayon::current_num_threads();
    if threads == 1 {
        return objects;
    }
    if heavy {
        return (objects / (threads * 8)).max(HEAVY_GRAIN).next_multiple_of(HEAVY_GRAIN);
    }
    (objects / (threads * 8)).max(1024).next_multiple_of(GRAIN)
}

/// Calls a kernel for some objects; [`finish`] commits its effects.
///
/// # Errors
///
/// Errors of the list: [`Error::NotInWorld`], and errors of a device that holds the list. No call is then made.
#[inline]
#[track_caller]
pub(crate) fn call<K, A>(objects: &mut Objects<K::Class>, over: &Extent, args: A) -> Result<AllReturned, Error>
where
    K: Call<A>,
    A: Copy + Send + Sync,
{
    Ok(match over {
        Extent::Range(range) => rows::call::<K, A>(objects, range.clone(), args),
        Extent::Shared(shared) => rows::call::<K, A>(objects, shared.own(), args),
        Extent::List { list, class } => {
            each::call_listed::<K, A>(objects, list.objects_of::<K::Class>(*class, objects.slots())?, args)
        }
    })
}

/// Like [`call`], for every pair of a selected object and an object of `others`, a table of the same world.
///
/// # Errors
///
/// As for [`call`].
#[track_caller]
pub(crate) fn call_pairs<K, A>(
    objects: &mut Objects<K::Class>,
    over: &Extent,
    others: *const Table<K::Other>,
    args: A,
) -> Result<AllReturned, Error>
where
    K: PairCall<A>,
    A: Copy + Send + Sync,
{
    Ok(match over {
        Extent::Range(range) => pairs::call_pairs::<K, A>(objects, range.clone(), others, args),
        Extent::Shared(shared) => pairs::call_pairs::<K, A>(objects, shared.own(), others, args),
        Extent::List { list, class } => {
            pairs::call_pairs_each::<K, A>(objects, list.objects_of::<K::Class>(*class, objects.slots())?, others, args)
        }
    })
}

/// Like [`call`], but combines the results.
///
/// # Errors
///
/// As for [`call`].
#[inline]
#[track_caller]
pub(crate) fn reduce<K, A, R>(
    objects: &mut Objects<K::Class>,
    over: &Extent,
    args: A,
    reducer: R,
) -> Result<(K::Output, AllReturned), Error>
where
    K: Call<A, Output: Copy + Send + Sync>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
{
    Ok(match over {
        Extent::Range(range) => reduce::reduce::<K, A, R>(objects, range.clone(), args, reducer),
        Extent::Shared(shared) => reduce::reduce_shared::<K, A, R>(objects, shared, args, reducer)?,
        Extent::List { list, class } => reduce::reduce_each::<K, A, R>(
            objects,
            list.objects_of::<K::Class>(*class, objects.slots())?,
            args,
            reducer,
        ),
    })
}

/// Like [`call`], but returns the results in the order of the objects' ids.
///
/// # Errors
///
/// As for [`call`].
#[track_caller]
pub(crate) fn collect<K, A>(
    objects: &mut Objects<K::Class>,
    over: &Extent,
    args: A,
) -> Result<(Vec<K::Output>, AllReturned), Error>
where
    K: Call<A, Output: Send>,
    A: Copy + Send + Sync,
{
    Ok(match over {
        Extent::Range(range) => collect::collect::<K, A>(objects, range.clone(), args),
        Extent::Shared(shared) => {
            let (own, returned) = collect::collect::<K, A>(objects, shared.own(), args);
            // SAFETY: only executors of other places make such parts, of runs, whose results hold no pointers.
            (unsafe { shared.complete(own, shared.own().start, shared.count()) }?, returned)
        }
        Extent::List { list, class } => {
            collect::collect_each::<K, A>(objects, list.objects_of::<K::Class>(*class, objects.slots())?, args)
        }
    })
}

/// Commits a kernel's effects on some objects, after all its calls have returned.
///
/// # Errors
///
/// As for [`call`].
#[inline(always)]
pub(crate) fn finish<K: Kernel>(
    objects: &mut Objects<K::Class>,
    over: &Extent,
    returned: AllReturned,
) -> Result<(), Error> {
    match over {
        Extent::Range(range) => rows::finish::<K>(objects, std::iter::once(range.clone()), returned),
        // Snapshots are exchanged as a whole. Those of other processes' objects have older values, but these objects are
        // stale here after the kernel anyway.
        Extent::Shared(shared) => rows::finish::<K>(objects, std::iter::once(0..shared.count()), returned),
        Extent::List { list, class } => {
            let listed = list.objects_of::<K::Class>(*class, objects.slots())?;
            rows::finish::<K>(objects, listed.ranges(0..listed.len()), returned);
        }
    }
    Ok(())
}

/// Resolves a range to positions below `len`.
///
/// # Panics
///
/// If the range is out of bounds, as slicing does.
#[track_caller]
fn positions(range: impl RangeBounds<usize>, len: usize, class: &str) -> Range<usize> {
    match within(&range, len) {
        Some(range) => range,
        None => panic!("range `{}` is out of range for {len} objects of class {class}", written(&range)),
    }
}

/// Splits a chunk at the ends of the layout's windows.
fn for_windows(range: Range<usize>, window: usize, mut work: impl FnMut(Range<usize>)) {
    let mut start = range.start;
    while start < range.end {
        let end = if window == usize::MAX { range.end } else { (start / window + 1) * window }.min(range.end);
        work(start..end);
        start = end;
    }
}
