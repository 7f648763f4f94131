//! `execute_and_collect`: a kernel for all objects, its results in a list.

use std::marker::PhantomData;

use rayon::prelude::*;

use super::rows::prepare;
use super::{chunk_len, for_runs};
use crate::access::Chunk;
use crate::arity::{AccessTuple, Job, ModeTuple, Spread};
use crate::class::Class;
use crate::isa::Isa;
use crate::kernel::{Call, FieldsOf};
use crate::layout::Layout;
use crate::objects::Objects;
use crate::run::Run;
use crate::step::step;
use crate::table::Table;

/// Calls the kernel for all objects, and returns the results in the order of the objects' ids.
pub(crate) fn execute_and_collect<K, A>(objects: &mut Objects<K::Class>, args: A) -> Vec<K::Output>
where
    K: Call<A, Output: Send>,
    A: Copy + Send + Sync,
{
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let len = objects.len();
    let chunk = chunk_len(len, const { K::EFFECTS.is_heavy });
    let collect = |n: usize| {
        let range = n * chunk..((n + 1) * chunk).min(len);
        let mut results = Vec::with_capacity(range.len());
        for_runs(range, <<K::Class as Class>::Layout as Layout>::RUN, |run| {
            let (first, len) = (run.start, run.len());
            // SAFETY: as in `run_rows`: chunks are disjoint parts of the objects, and `&mut objects` excludes other
            // kernels.
            let runs = unsafe { K::Modes::open::<K::Class>(Chunk { table, shadow: &shadow, first, len }) };
            let job = Collect::<K, A> { table, first, len, args, results: &mut results, kernel: PhantomData };
            runs.spread(job, Isa::of(const { K::EFFECTS.is_heavy }));
        });
        results
    };
    let results = match len.div_ceil(chunk) {
        0 => Vec::new(),
        1 => collect(0),
        chunks => collect_chunks(chunks, len, &collect),
    };
    objects.commit_shadow(const { K::EFFECTS.shadowed() }, 0..len);
    results
}

/// The results of some chunks, one after another. One function for all kernels with results of a type.
fn collect_chunks<T: Send>(chunks: usize, len: usize, collect: &(dyn Fn(usize) -> Vec<T> + Sync)) -> Vec<T> {
    let run = Run::default();
    let parts: Vec<_> = (0..chunks).into_par_iter().map(|n| run.chunk(|| collect(n))).collect();
    let mut results = Vec::with_capacity(len);
    for part in parts.into_iter().flatten() {
        results.extend(part);
    }
    results
}

/// Adds the results for the objects of a run to a list.
struct Collect<'w, 'r, K: Call<A>, A> {
    table: &'w Table<K::Class>,
    first: usize,
    len: usize,
    args: A,
    results: &'r mut Vec<K::Output>,
    kernel: PhantomData<K>,
}

impl<K, A, X> Job<X> for Collect<'_, '_, K, A>
where
    K: Call<A>,
    A: Copy,
    X: AccessTuple<FieldsOf<K>>,
{
    type Output = ();
    const WIDE: bool = const { K::EFFECTS.is_heavy };

    #[inline(always)]
    fn run(self, mut runs: X) {
        let Self { table, first, len, args, results, .. } = self;
        results.extend((0..len).map(|n| {
            // SAFETY: within the runs.
            unsafe { step::<K, X, _>(&mut runs, n, table, first + n, |view| K::call(view, args)) }
        }));
    }
}
