//! Destructors that run while their thread unwinds, on every kind of pool thread.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use rayon::prelude::*;

use crate::{hush, on_threads};

/// The context in which a thread unwinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Within `ThreadPool::install`.
    Install,
    /// In a task of `rayon::scope`.
    Scope,
    /// In one side of `rayon::join`.
    Join,
    /// In a parallel iterator, while other items are processed.
    ParIter,
    /// In a thread outside of any pool.
    OwnThread,
    /// In a destructor during an earlier unwinding.
    Twice,
    /// By `resume_unwind`, which does not call the panic hook.
    Resumed,
}

/// All contexts.
pub const WAYS: [Way; 7] =
    [Way::Install, Way::Scope, Way::Join, Way::ParIter, Way::OwnThread, Way::Twice, Way::Resumed];

/// Runs code in its destructor, which must run while the thread unwinds.
struct InDrop<'r, R, F: FnOnce() -> R> {
    work: Option<F>,
    result: &'r mut Option<R>,
}

impl<R, F: FnOnce() -> R> Drop for InDrop<'_, R, F> {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "the destructor is to run while its thread unwinds");
        *self.result = self.work.take().map(|work| work());
    }
}

/// Runs code in a destructor during a panic.
fn in_a_destructor<R>(work: impl FnOnce() -> R, unwind: impl FnOnce()) -> R {
    let mut result = None;
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let _in_drop = InDrop { work: Some(work), result: &mut result };
        unwind();
    }));
    assert!(ended.is_err(), "it unwinds");
    result.expect("the destructor has run")
}

fn by_panic() {
    panic!("on purpose");
}

/// Runs code in a destructor while its thread unwinds, with this number of threads in the pool.
///
/// # Panics
///
/// If `work` panics.
pub fn while_unwinding<R: Send>(way: Way, threads: usize, work: impl FnOnce() -> R + Send) -> R {
    hush();
    // A panic in a destructor during unwinding aborts the program, which would hide a failed assertion.
    let mut ended = None;
    let ended_here = &mut ended;
    let work = move || *ended_here = Some(catch_unwind(AssertUnwindSafe(work)));
    match way {
        Way::Install => on_threads(threads, || in_a_destructor(work, by_panic)),
        Way::Scope => on_threads(threads, || {
            rayon::scope(|scope| {
                scope.spawn(|_| in_a_destructor(work, by_panic));
                scope.spawn(|_| std::thread::yield_now());
            });
        }),
        Way::Join => on_threads(threads, || {
            rayon::join(|| in_a_destructor(work, by_panic), std::thread::yield_now);
        }),
        Way::ParIter => on_threads(threads, || {
            let work = std::sync::Mutex::new(Some(work));
            (0..64_u32).into_par_iter().for_each(|n| {
                if n == 17 {
                    let work = work.lock().expect("nobody panicked").take().expect("it is there");
                    in_a_destructor(work, by_panic);
                }
            });
        }),
        Way::OwnThread => {
            std::thread::scope(|scope| {
                scope.spawn(|| in_a_destructor(work, by_panic)).join().expect("it caught the panic");
            });
        }
        Way::Twice => on_threads(threads, || {
            in_a_destructor(|| in_a_destructor(work, by_panic), by_panic);
        }),
        Way::Resumed => on_threads(threads, || in_a_destructor(work, || resume_unwind(Box::new(1_u32)))),
    }
    match ended.expect("it was done") {
        Ok(result) => result,
        Err(payload) => resume_unwind(payload),
    }
}
