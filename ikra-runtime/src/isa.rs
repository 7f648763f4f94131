//! Instruction sets: which of a kernel's versions runs on this machine.

use std::sync::OnceLock;

/// The instruction set that compute-heavy kernels are run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// What the program was compiled for.
    Base,
    /// x86-64-v3: AVX2.
    V3,
    /// x86-64-v4: AVX-512.
    V4,
}

impl Isa {
    /// The best that this machine has, or less if the environment variable `IKRA_ISA` says `base`,
    /// `v3` or `v4`.
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Isa> = OnceLock::new();
        *DETECTED.get_or_init(|| {
            let best = best();
            match std::env::var("IKRA_ISA").as_deref() {
                Ok("base") => Self::Base,
                Ok("v3") => best.min(Self::V3),
                _ => best,
            }
        })
    }
}

#[cfg(target_arch = "x86_64")]
fn best() -> Isa {
    macro_rules! has {
        ($($feature:tt)*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
    }
    if !has!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "popcnt") {
        Isa::Base
    } else if has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") {
        Isa::V4
    } else {
        Isa::V3
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn best() -> Isa {
    Isa::Base
}
