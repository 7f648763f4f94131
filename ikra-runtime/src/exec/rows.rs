//! `execute`: a kernel for each of many objects.

use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

use super::prefetch::prefetch_next;
use super::{for_chunks, for_runs, positions};
use crate::access::Chunk;
use crate::arity::{AccessTuple, Job, ModeTuple, Spread};
use crate::class::Class;
use crate::isa::Isa;
use crate::kernel::{Call, FieldsOf, Kernel};
use crate::layout::Layout;
use crate::objects::Objects;
use crate::step::step;
use crate::table::Table;

/// Calls the kernel for the objects at some positions.
#[inline]
pub(crate) fn execute<K, A>(objects: &mut Objects<K::Class>, range: impl RangeBounds<usize>, args: A)
where
    K: Call<A>,
    A: Copy + Send + Sync,
{
    let range = positions(range, objects.len(), <K::Class as Class>::NAME);
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    for_chunks(range.clone(), const { K::EFFECTS.is_heavy }, |chunk| {
        // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
        unsafe { run_rows::<K, A>(table, &shadow, chunk, args) }
    });
    objects.commit_shadow(const { K::EFFECTS.shadowed() }, range);
}

/// Says which fields the kernel changes, and makes storage for its snapshots.
///
/// # Panics
///
/// If there is no memory for it.
#[inline(always)]
pub(crate) fn prepare<K: Kernel>(objects: &mut Objects<K::Class>) -> <K::Class as Class>::Bases {
    objects.table().changed_on_host(const { K::EFFECTS.writes });
    if const { K::EFFECTS.shadowed() }.is_empty() {
        return <K::Class as Class>::BASES;
    }
    match objects.prepare_shadow(const { K::EFFECTS.shadowed() }) {
        Ok(bases) => bases,
        Err(error) => panic!("kernel {} needs storage for its snapshot: {error}", K::EFFECTS.kernel),
    }
}

/// Calls the kernel for consecutive objects, one after another.
///
/// # Safety
///
/// 1. The objects exist, and `shadow` is storage for them of the kernel's snapshot columns.
/// 2. During the call, nothing else runs for these objects, and no other kernel in this world.
#[inline]
pub(crate) unsafe fn run_rows<K, A>(
    table: &Table<K::Class>,
    shadow: &<K::Class as Class>::Bases,
    range: Range<usize>,
    args: A,
) where
    K: Call<A>,
    A: Copy,
{
    let isa = Isa::of(const { K::EFFECTS.is_heavy });
    for_runs(range, <<K::Class as Class>::Layout as Layout>::RUN, |run| {
        prefetch_next::<K>(table, run.end);
        let chunk = Chunk { table, shadow, first: run.start, len: run.len() };
        // SAFETY: the chunk is one run. By 2, its objects' elements of the columns that the kernel writes are
        // accessed by this call alone; columns that it reads are written by no call of this kernel, since a column
        // is accessed in the same mode by all of them.
        let runs = unsafe { K::Modes::open::<K::Class>(chunk) };
        let job = Rows::<K, A> { table, first: run.start, len: run.len(), args, kernel: PhantomData };
        runs.spread(job, isa);
    });
}

/// Calls a kernel for each object of a run.
struct Rows<'w, K: Kernel, A> {
    table: &'w Table<K::Class>,
    first: usize,
    len: usize,
    args: A,
    kernel: PhantomData<K>,
}

impl<K, A, X> Job<X> for Rows<'_, K, A>
where
    K: Call<A>,
    A: Copy,
    X: AccessTuple<FieldsOf<K>>,
{
    type Output = ();
    const WIDE: bool = const { K::EFFECTS.is_heavy };

    #[inline(always)]
    fn run(self, mut runs: X) {
        let Self { table, first, len, args, .. } = self;
        let tile = const { <<K::Class as Class>::Layout as Layout>::RUN };
        if tile != usize::MAX && len == tile {
            // A whole tile: the count is a constant.
            for n in 0..tile {
                // SAFETY: within the runs.
                unsafe { step::<K, X, _>(&mut runs, n, table, first + n, |view| K::call(view, args)) };
            }
            return;
        }
        for n in 0..len {
            // SAFETY: within the runs.
            unsafe { step::<K, X, _>(&mut runs, n, table, first + n, |view| K::call(view, args)) };
        }
    }
}
