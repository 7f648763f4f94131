//! Instruction sets: the choice of the kernel's version for this machine.

use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The instruction set for compute-heavy kernels.
/// ```
/// println!("heavy kernels run with {:?}", ikra::Isa::detect());
/// assert!(ikra::Isa::detect() >= ikra::Isa::BASE);
/// ```
///
/// This machine has it: values other than [`Isa::BASE`] come only from [`Isa::detect`]. So code for an instruction set
/// runs only on machines that have it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Isa(Set);

/// The instruction sets that kernels are compiled for, from the smallest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Set {
    /// The instruction set for which the program was compiled.
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
    /// The instruction set for which the program was compiled.
    pub const BASE: Self = Self(Set::Base);

    /// The kind: one that this machine has.
    #[cfg(all(target_arch = "x86_64", ikra_vectors))]
    #[inline(always)]
    pub(crate) fn set(self) -> Set {
        self.0
    }

    /// The instruction set for a kernel that is or is not heavy.
    #[inline(always)]
    pub fn of(heavy: bool) -> Self {
        if heavy { Self::detect() } else { Self::BASE }
    }

    /// The best that this machine has, or less if the environment variable `IKRA_ISA` is `base`, `v3` or `v4`. If Ikra
    /// is compiled with `opt-level` 0 or 1, which makes no vectors, it is [`Isa::BASE`].
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Isa> = OnceLock::new();
        *DETECTED.get_or_init(|| {
            let best = best();
            match std::env::var("IKRA_ISA").as_deref() {
                Ok("base") => Self::BASE,
                // Larger sets include this one.
                Ok("v3") => best.min(Self(Set::V3)),
                _ => best,
            }
        })
    }
}

/// A trial that finds the faster instruction set for some work.
///
/// Wider vectors are not always faster. If division and square root dominate, 256 bits do as much per cycle as 512, and
/// some processors clock higher with them. The choice does not affect rounding.
#[derive(Debug)]
pub struct Trial {
    /// The set to be used.
    best: Isa,
    /// The least time of a piece of work, with the best set and with the next smaller one.
    times: [Duration; 2],
    /// The number of pieces that are still to be timed.
    left: u32,
}

/// The number of pieces that are timed with each instruction set.
const SAMPLES: u32 = 2;

impl Trial {
    /// A trial for some pieces of equal work. If there are many, it uses a part of them.
    pub fn new(pieces: usize) -> Self {
        let best = Isa::detect();
        let pays = best.0 == Set::V4 && pieces >= 16;
        Self { best, times: [Duration::MAX; 2], left: if pays { 2 * SAMPLES } else { 0 } }
    }

    /// Runs one piece of work.
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
        // A machine with v4, which alone has trials, has v3.
        work(if narrow { Isa(Set::V3) } else { self.best });
        let time = &mut self.times[usize::from(narrow)];
        *time = start.elapsed().min(*time);
        if self.left == 0 && self.times[1] < self.times[0] {
            self.best = Isa(Set::V3);
        }
    }
}

/// Calls a macro with the features of x86-64-v3, and with the further ones of x86-64-v4.
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

    /// Work that takes longer with one of the instruction sets.
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
