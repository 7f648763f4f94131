//! Instruction sets: which of a kernel's versions runs on this machine.

use std::sync::OnceLock;

use crate::kernel::Method;

/// The instruction set that compute-heavy kernels are run with.
/// ```
/// println!("heavy kernels run with {:?}", ikra::Isa::detect());
/// assert!(ikra::Isa::detect() >= ikra::Isa::Base);
/// ```
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
    /// The instruction set for a kernel that does or does not do much work a call.
    #[inline(always)]
    pub(crate) fn of(heavy: bool) -> Self {
        if heavy { Self::detect() } else { Self::Base }
    }

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

/// Work on a block of objects.
pub(crate) trait OnBlock<B> {
    /// Does the work.
    fn run(self, block: &mut B);
}

impl Isa {
    /// Does work on a block, compiled for the instruction set if the kernel is a heavy one.
    #[inline(always)]
    pub(crate) fn call<B, K: Method>(self, block: &mut B, work: impl OnBlock<B>) {
        #[inline(never)]
        fn base<B>(block: &mut B, work: impl OnBlock<B>) {
            work.run(block);
        }
        #[cfg(target_arch = "x86_64")]
        if K::HEAVY {
            #[inline(never)]
            #[target_feature(enable = "avx,avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
            fn v3<B>(block: &mut B, work: impl OnBlock<B>) {
                work.run(block);
            }
            #[inline(never)]
            #[target_feature(
                enable = "avx,avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
            )]
            fn v4<B>(block: &mut B, work: impl OnBlock<B>) {
                work.run(block);
            }
            match self {
                // SAFETY: `Isa` has the variant only where the machine has the features.
                Self::V4 => return unsafe { v4(block, work) },
                // SAFETY: `Isa` has the variant only where the machine has the features.
                Self::V3 => return unsafe { v3(block, work) },
                Self::Base => {}
            }
        }
        base(block, work);
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
