//! Chunks of a kernel's calls: either all chunks return, or the executor panics.
//!
//! Committing a kernel's effects (shadows, lengths, results, checked links) requires an [`AllReturned`] (I24). The
//! functions here make it after the last call. They catch the panic of a chunk themselves and resume it. So neither a
//! panic that a kernel catches nor an earlier one that is unwinding the thread counts.

use std::any::Any;
use std::mem;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::trial::Trial;
use super::{HEAVY_GRAIN, task_len};
use crate::alone::pays;
use crate::isa::Isa;
use crate::phase::Phase;

/// Proof that all calls of a kernel have returned.
#[derive(Debug)]
#[must_use = "what a kernel has done is committed with it"]
pub(crate) struct AllReturned(());

/// Calls `work`, which makes all calls of the kernel, on this thread.
#[inline(always)]
pub(crate) fn alone<T>(work: impl FnOnce() -> T) -> (T, AllReturned) {
    let result = work();
    (result, AllReturned(()))
}

/// Does work of kernel `K` while no other thread does any: with the code for several threads, unless a specialised
/// version pays.
#[inline(always)]
pub(crate) fn by_one<K: Phase, P, T>(among: impl Fn(P) -> T, alone: impl Fn(P) -> T) -> impl Fn(P) -> T {
    move |piece| if const { pays::<K>() } { alone(piece) } else { among(piece) }
}

/// Consecutive objects, and the instruction set for a kernel that is compiled for several.
pub(crate) type Piece = (Range<usize>, Isa);

/// Calls `work` for chunks of `range`, in parallel if that pays.
pub(crate) fn for_chunks(range: Range<usize>, heavy: bool, work: &(dyn Fn(Range<usize>) + Sync)) -> AllReturned {
    let of_chunk = |(chunk, _): Piece| work(chunk);
    for_chunks_or_alone(range, heavy, false, &[Isa::BASE], of_chunk, of_chunk)
}

/// Calls `work` for chunks of `range` on several threads. If that does not pay, calls `all` for all of it on this one.
/// Both get one of the instruction sets: the fastest.
///
/// If the chunks are `entangled`, `all` may be faster although there are many objects. Then it may be called for a part:
/// before or after other threads work, and never meanwhile.
#[inline]
pub(crate) fn for_chunks_or_alone(
    range: Range<usize>,
    heavy: bool,
    entangled: bool,
    isas: &[Isa],
    work: impl Fn(Piece) + Sync,
    all: impl Fn(Piece),
) -> AllReturned {
    let len = task_len(range.len(), heavy);
    let is_spread = range.len() > len;
    if isas.len() > 1 || (entangled && is_spread) {
        let threads = if is_spread { rayon::current_num_threads() } else { 1 };
        return Trial { threads, entangled, isas, work: &work, all: &all }.run(range, len);
    }
    if is_spread {
        return spread_chunks(range, len, &|chunk| work((chunk, isas[0])));
    }
    alone(|| {
        if !range.is_empty() {
            all((range, isas[0]));
        }
    })
    .1
}

/// Calls `work` for chunks of `len` on several threads. One function serves all kernels, because rayon's code for a
/// closure takes longer to compile than most kernels.
pub(super) fn spread_chunks(range: Range<usize>, len: usize, work: &(dyn Fn(Range<usize>) + Sync)) -> AllReturned {
    // Bounds are multiples of a cache line's objects, whatever the start.
    let first = range.start / HEAVY_GRAIN * HEAVY_GRAIN;
    let chunk = |n: usize| (first + n * len).max(range.start)..(first + (n + 1) * len).min(range.end);
    spread_calls((range.end - first).div_ceil(len), &|n| work(chunk(n)))
}

/// Calls `work` with each number below `count` on several threads, and returns the results in this order.
///
/// # Panics
///
/// If a call of `work` panics. The payload is that of the lowest number whose call panics, with any number of threads.
/// Results of the other calls are dropped as the thread unwinds, like those of earlier calls on one thread.
pub(crate) fn spread<T: Send>(count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> (Vec<T>, AllReturned) {
    let mut places = Vec::with_capacity(count);
    places.resize_with(count, || Mutex::new(None));
    let returned = spread_calls(count, &|n| {
        let result = work(n);
        *places[n].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    let mut results = Vec::with_capacity(count);
    for place in places {
        match place.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(result) => results.push(result),
            None => unreachable!("a chunk is left out only after a panic"),
        }
    }
    (results, returned)
}

/// Calls `work` with each number below `count` on several threads. One function serves all work.
fn spread_calls(count: usize, work: &(dyn Fn(usize) + Sync)) -> AllReturned {
    if count == 1 {
        work(0);
        return AllReturned(());
    }
    let failures = Failures { lowest: AtomicUsize::new(usize::MAX), first: Mutex::new(None) };
    (0..count).into_par_iter().for_each(|n| failures.catch(n, || work(n)));
    // A call is left out only after a panic, whose payload is here.
    if let Some((_, payload)) = failures.first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(payload);
    }
    AllReturned(())
}

type Payload = Box<dyn Any + Send>;

struct Failures {
    /// The lowest number whose work panicked; `usize::MAX` before any panic.
    lowest: AtomicUsize,
    /// That number, with the panic's payload.
    first: Mutex<Option<(usize, Payload)>>,
}

impl Failures {
    /// Does the work of chunk `n`, and catches its panic. It skips the work after a panic of a lower number, but never
    /// after one of a higher. So it finds the lowest of all panics.
    fn catch(&self, n: usize, work: impl FnOnce()) {
        if self.lowest.load(Relaxed) < n {
            return;
        }
        if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
            self.add(n, payload);
        }
    }

    #[cold]
    fn add(&self, n: usize, payload: Payload) {
        self.lowest.fetch_min(n, Relaxed);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let other = match &*first {
            Some((lowest, _)) if *lowest < n => Some(payload),
            _ => first.replace((n, payload)).map(|(_, later)| later),
        };
        drop(first);
        // A payload's destructor may panic too. That panic is ignored, so that the caller gets one panic.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(other))) {
            mem::forget(payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    fn in_pools(work: impl Fn() + Sync + Send) {
        for threads in [1, 2, 8] {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&work);
        }
    }

    fn payload(work: impl FnOnce()) -> usize {
        let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("a panic");
        *payload.downcast().expect("a number")
    }

    #[test]
    fn the_panic_of_the_lowest_chunk_arrives() {
        in_pools(|| {
            for bad in [[0, 1, 999], [3, 500, 501], [997, 998, 999]] {
                for _ in 0..20 {
                    let ran = AtomicUsize::new(0);
                    let found = payload(|| {
                        let work = |n| {
                            if bad.contains(&n) {
                                resume_unwind(Box::new(n));
                            }
                            ran.fetch_add(usize::from(n < bad[0]), Relaxed);
                        };
                        drop(spread(1000, &work));
                    });
                    assert_eq!((found, ran.into_inner()), (bad[0], bad[0]), "all before it have run");
                }
            }
        });
    }

    #[test]
    fn all_results_come_in_order() {
        in_pools(|| assert!(spread(1000, &|n| n).0.into_iter().eq(0..1000)));
    }

    /// Neither work during unwinding nor a panic that a chunk catches itself skips a chunk.
    #[test]
    fn other_panics_count_for_nothing() {
        struct Spreads<'a>(&'a AtomicUsize);
        impl Drop for Spreads<'_> {
            fn drop(&mut self) {
                let work = |n| {
                    if n % 10 == 0 {
                        payload(|| resume_unwind(Box::new(n)));
                    }
                    self.0.fetch_add(1, Relaxed);
                };
                let _all = spread(1000, &work).1;
            }
        }
        in_pools(|| {
            let ran = AtomicUsize::new(0);
            assert_eq!(
                payload(|| {
                    let _spreads = Spreads(&ran);
                    resume_unwind(Box::new(7_usize))
                }),
                7
            );
            assert_eq!(ran.into_inner(), 1000);
        });
    }

    /// A payload's destructor that panics neither ends the process nor replaces the lowest panic.
    #[test]
    fn destructors_of_payloads_may_panic() {
        struct Bad(usize);
        impl Drop for Bad {
            fn drop(&mut self) {
                resume_unwind(Box::new(Bad(self.0)));
            }
        }
        in_pools(|| {
            let work = |n| {
                if n % 7 == 3 {
                    resume_unwind(Box::new(Bad(n)))
                }
            };
            let payload = catch_unwind(|| drop(spread(100, &work))).expect_err("a panic");
            let bad = payload.downcast::<Bad>().expect("that of a chunk");
            assert_eq!(bad.0, 3);
            mem::forget(bad);
        });
    }
}
