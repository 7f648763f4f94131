//! Instruction sets: the choice of the kernel's version for this machine.

use std::fmt;
use std::sync::OnceLock;

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
    #[cfg_attr(
        not(all(target_arch = "x86_64", ikra_vectors)),
        expect(dead_code, reason = "nothing is compiled for it")
    )]
    V4,
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether the optimizer makes vectors: with `opt-level` 2 or more.
pub const VECTORS: bool = cfg!(ikra_vectors);

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

/// The sets of which the fastest should be found by trying each, if that `pays`; otherwise the one that usually is.
///
/// Wider vectors are not always faster.
pub fn to_try(pays: bool) -> &'static [Isa] {
    match Isa::detect().0 {
        Set::V4 if pays => &[Isa(Set::V4), Isa(Set::V3)],
        Set::V4 => &[Isa(Set::V4)],
        Set::V3 => &[Isa(Set::V3)],
        Set::Base => &[Isa::BASE],
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
