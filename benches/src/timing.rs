//! How benchmarks are timed: one thread unless said otherwise, few samples of short runs.

use std::time::{Duration, Instant};

use criterion::{Bencher, Criterion};

/// A criterion with short runs, since there are many of them.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .sample_size(20)
        .without_plots()
        .configure_from_args()
}

/// Times `work` on a pool of `threads`: the calls are made by one of its threads.
///
/// # Panics
///
/// If threads cannot be started.
pub fn time(b: &mut Bencher<'_>, threads: usize, mut work: impl FnMut() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
    b.iter_custom(|calls| {
        pool.install(|| {
            let start = Instant::now();
            for _ in 0..calls {
                work();
            }
            start.elapsed()
        })
    });
}

/// Runs `work` on a pool of `threads`.
///
/// # Panics
///
/// If threads cannot be started.
pub fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start").install(work)
}
