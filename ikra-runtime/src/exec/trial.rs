//! Trials: a kernel's work is done in several ways on a few objects each, and in the fastest way on the others.
//!
//! Which way that is depends on the machine, on the kernel and on its data:
//!
//! - Wider vectors are not always faster. If division and square root dominate, 256 bits do as much per cycle as 512,
//!   and some processors clock higher with them. Two threads may share one unit for wide vectors. So all threads use one
//!   instruction set at a time.
//! - Atomic instructions of several threads may take longer than plain ones of one thread.
//!
//! No way affects a result.

use std::ops::Range;
use std::time::Instant;

use super::HEAVY_GRAIN;
use super::chunks::{AllReturned, Piece, alone, spread_chunks};
use crate::isa::Isa;

/// How often each way is tried.
const ROUNDS: usize = 2;

/// The part of the objects on which one way is tried in one round.
const PART: usize = 64;

/// Work that can be done in several ways.
pub(super) struct Trial<'a> {
    /// The number of threads.
    pub(super) threads: usize,
    /// Whether one of several threads may be faster than all.
    pub(super) entangled: bool,
    /// Instruction sets, first the one that is usually fastest.
    pub(super) isas: &'a [Isa],
    /// Does the work for a chunk, beside other threads.
    pub(super) work: &'a (dyn Fn(Piece) + Sync),
    /// Does the work for any number of objects, while no other thread does.
    pub(super) all: &'a dyn Fn(Piece),
}

#[derive(Clone, Copy)]
struct Way {
    isa: Isa,
    /// By all threads, or by this one.
    is_spread: bool,
}

impl Trial<'_> {
    /// Does the work for the objects in a range, by chunks of `len` objects on several threads.
    pub(super) fn run(&self, range: Range<usize>, len: usize) -> AllReturned {
        let ways: Vec<Way> = [true, false]
            .into_iter()
            .filter(|&is_spread| if is_spread { self.threads > 1 } else { self.threads == 1 || self.entangled })
            .flat_map(|is_spread| self.isas.iter().map(move |&isa| Way { isa, is_spread }))
            .collect();
        let part = (range.len() / (PART * self.threads)).max(HEAVY_GRAIN).next_multiple_of(HEAVY_GRAIN);
        if range.len() < 2 * ROUNDS * ways.len() * self.threads * part {
            return self.go(ways[0], range, len);
        }
        let mut times = vec![f64::INFINITY; ways.len()];
        let mut start = range.start;
        for _ in 0..ROUNDS {
            for (way, time) in ways.iter().zip(&mut times) {
                let objects = if way.is_spread { part * self.threads } else { part };
                let before = Instant::now();
                let _ = self.go(*way, start..start + objects, part);
                *time = time.min(before.elapsed().as_secs_f64() / objects as f64);
                start += objects;
            }
        }
        let best = (0..ways.len()).min_by(|&a, &b| times[a].total_cmp(&times[b])).unwrap_or_default();
        self.go(ways[best], start..range.end, len)
    }

    fn go(&self, way: Way, range: Range<usize>, len: usize) -> AllReturned {
        if way.is_spread {
            return spread_chunks(range, len, &|chunk| (self.work)((chunk, way.isa)));
        }
        alone(|| (self.all)((range, way.isa))).1
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    /// Does work, one way of which is slow. Returns whether one thread did the last piece.
    fn last_by_one(is_slow: impl Fn(bool) -> bool + Sync) -> bool {
        let seen = Mutex::new(Vec::new());
        let note = |range: Range<usize>, by_one: bool| {
            if is_slow(by_one) {
                sleep(Duration::from_millis(2));
            }
            seen.lock().unwrap().push((range, by_one));
        };
        let work = |(range, _): Piece| note(range, false);
        let all = |(range, _): Piece| note(range, true);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(|| {
            let trial = Trial { threads: 2, entangled: true, isas: &[Isa::BASE], work: &work, all: &all };
            let _ = trial.run(7..100_007, 10_000);
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_by_key(|(range, _)| (range.start, range.end));
        assert!(seen.windows(2).all(|pair| pair[0].0.end == pair[1].0.start), "each object once: {seen:?}");
        assert_eq!((seen[0].0.start, seen[seen.len() - 1].0.end), (7, 100_007));
        seen[seen.len() - 1].1
    }

    #[test]
    fn the_faster_way_does_the_rest() {
        assert_eq!([last_by_one(|by_one| by_one), last_by_one(|by_one| !by_one)], [false, true]);
    }
}
