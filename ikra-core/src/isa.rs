//! Instruction sets: which of a kernel's versions runs on this machine.

use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The instruction set that compute-heavy kernels are run with.
/// ```
/// println!("heavy kernels run with {:?}", ikra::Isa::detect());
/// assert!(ikra::Isa::detect() >= ikra::Isa::BASE);
/// ```
///
/// This machine has it: other values than [`Isa::BASE`] come from [`Isa::detect`] alone, so that code for an instruction set runs
/// only where there is one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Isa(Set);

/// The instruction sets that kernels are compiled for, from the smallest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Set {
    /// What the program was compiled for.
    Base,
    /// x86-64-v3: AVX2.
    V3,
    /// x86-64-v4: AVX-512.
    V4,
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Isa {
    /// What the program was compiled for.
    pub const BASE: Self = Self(Set::Base);

    /// Which one it is: one that this machine has.
    #[cfg(all(target_arch = "x86_64", ikra_vectors))]
    #[inline(always)]
    pub(crate) fn set(self) -> Set {
        self.0
    }

    /// The instruction set for a kernel that does or does not do much work a call.
    #[inline(always)]
    pub fn of(heavy: bool) -> Self {
        if heavy { Self::detect() } else { Self::BASE }
    }

    /// The best that this machine has, or less if the environment variable `IKRA_ISA` says `base`,
    /// `v3` or `v4`. Where Ikra is compiled with `opt-level` 0 or 1, which makes no vectors, it is [`Isa::BASE`].
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Isa> = OnceLock::new();
        *DETECTED.get_or_init(|| {
            let best = best();
            match std::env::var("IKRA_ISA").as_deref() {
                Ok("base") => Self::BASE,
                // What has more has this too.
                Ok("v3") => best.min(Self(Set::V3)),
                _ => best,
            }
        })
    }
}

/// A trial of which instruction set does some work in less time.
///
/// Wider vectors are not always faster: where division and square root are what takes the time, they do
/// as much a cycle with 256 bits as with 512, and some processors run faster meanwhile. No rounding
/// depends on the choice.
#[derive(Debug)]
pub struct Trial {
    /// The set to be used.
    best: Isa,
    /// The least time of a piece of work, with the best set and with the one before it.
    times: [Duration; 2],
    /// Pieces that are still to be timed.
    left: u32,
}

/// Pieces that are timed with each instruction set.
const SAMPLES: u32 = 2;

impl Trial {
    /// For some pieces of equal work, of which a part is spent on the trial if there are many.
    pub fn new(pieces: usize) -> Self {
        let best = Isa::detect();
        let pays = best.0 == Set::V4 && pieces >= 16;
        Self { best, times: [Duration::MAX; 2], left: if pays { 2 * SAMPLES } else { 0 } }
    }

    /// Does one piece of work.
    #[inline(always)]
    pub fn run(&mut self, work: impl FnOnce(Isa)) {
        if self.left == 0 {
            work(self.best);
        } else {
            self.run_timed(work);
        }
    }

    fn run_timed(&mut self, work: impl FnOnce(Isa)) {
        self.left -= 1;
        let narrow = self.left % 2 == 1;
        let start = Instant::now();
        // A machine with v4, of which there is a trial, has v3.
        work(if narrow { Isa(Set::V3) } else { self.best });
        let time = &mut self.times[usize::from(narrow)];
        *time = start.elapsed().min(*time);
        if self.left == 0 && self.times[1] < self.times[0] {
            self.best = Isa(Set::V3);
        }
    }
}

/// Calls a macro with what x86-64-v3 has, and what x86-64-v4 has beside it.
macro_rules! with_features {
    ($make:ident $($arguments:tt)*) => {
        $make! {
            ["avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "popcnt"]
            ["avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"]
            $($arguments)*
        }
    };
}
pub(crate) use with_features;

#[cfg(all(target_arch = "x86_64", ikra_vectors))]
fn best() -> Isa {
    use std::arch::is_x86_feature_detected as has;
    macro_rules! best {
        ([$($v3:tt)+] [$($v4:tt)+]) => {
            if !($(has!($v3))&&+) {
                Isa::BASE
            } else if $(has!($v4))&&+ {
                Isa(Set::V4)
            } else {
                Isa(Set::V3)
            }
        };
    }
    with_features!(best)
}

#[cfg(not(all(target_arch = "x86_64", ikra_vectors)))]
fn best() -> Isa {
    Isa::BASE
}

#[cfg(test)]
mod tests {
    use super::*;

    const V3: Isa = Isa(Set::V3);
    const V4: Isa = Isa(Set::V4);

    /// Work that takes longer with one of the sets.
    fn chosen(slow: Isa) -> Isa {
        let mut trial = Trial { best: V4, times: [Duration::MAX; 2], left: 2 * SAMPLES };
        let mut seen = Vec::new();
        for _ in 0..10 {
            trial.run(|isa| {
                seen.push(isa);
                if isa == slow {
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
        }
        assert!(seen[..4].contains(&V3) && seen[..4].contains(&V4));
        assert!(seen[4..].iter().all(|isa| *isa == seen[9]), "{seen:?}");
        seen[9]
    }

    #[test]
    fn the_faster_set_is_chosen() {
        assert_eq!((chosen(V4), chosen(V3)), (V3, V4));
    }

    #[test]
    fn little_work_is_not_tried() {
        let mut trial = Trial::new(15);
        trial.run(|isa| assert_eq!(isa, Isa::detect()));
    }
}
