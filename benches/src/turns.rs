//! Contestants that take turns, so that a disturbance of the machine meets them alike.

use std::time::{Duration, Instant};

/// How long one sample takes at least: less than a turn of the processor among programs.
const SAMPLE: Duration = Duration::from_micros(500);
/// Samples per contestant.
const SAMPLES: usize = 201;

/// The median of each contestant's samples, in nanoseconds per call.
pub fn medians(contestants: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut samples = vec![Vec::new(); contestants.len()];
    for _ in 0..SAMPLES {
        for (contestant, samples) in contestants.iter_mut().zip(&mut samples) {
            samples.push(timed(contestant));
        }
    }
    let median = |mut samples: Vec<f64>| {
        samples.sort_by(f64::total_cmp);
        samples[SAMPLES / 2]
    };
    samples.into_iter().map(median).collect()
}

/// Nanoseconds per call, after a call that fills the caches.
fn timed(work: &mut dyn FnMut()) -> f64 {
    work();
    let (start, mut calls) = (Instant::now(), 0_u32);
    while start.elapsed() < SAMPLE {
        work();
        calls += 1;
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}
