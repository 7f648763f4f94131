//! Work over the windows of a class's columns, each passed as a separate parameter.

use crate::isa::{Isa, with_features};
use crate::tuples::for_tuples;

/// Work over windows `X`.
pub trait Job<X> {
    /// The type of its result.
    type Output;
    /// Whether the work is worth compiling for several instruction sets.
    const WIDE: bool;
    /// Does the work.
    fn run(self, windows: X) -> Self::Output;
}

/// Calls a job with each run as a separate parameter.
///
/// References that are parameters of a function are known not to alias; references inside a struct or tuple are not.
/// LLVM vectorises loops over many columns only with this knowledge.
pub trait Spread: Sized {
    /// Calls the job, compiled for the instruction set if it wants that.
    fn spread<J: Job<Self>>(self, job: J, isa: Isa) -> J::Output;
}

macro_rules! spread {
    ([$($v3:literal)+] [$($v4:literal)+] $(($F:ident $M:ident $X:ident $k:tt))+) => {
        impl<$($X),+> Spread for ($($X,)+) {
            #[inline(always)]
            fn spread<J: Job<Self>>(self, job: J, isa: Isa) -> J::Output {
                #[inline(never)]
                #[allow(clippy::too_many_arguments, non_snake_case, reason = "one parameter per column is the point")]
                fn base<JOB: Job<($($X,)+)>, $($X),+>(job: JOB, $($X: $X),+) -> JOB::Output {
                    job.run(($($X,)+))
                }
                #[cfg(all(target_arch = "x86_64", ikra_vectors))]
                if J::WIDE {
                    #[inline(never)]
                    #[allow(clippy::too_many_arguments, non_snake_case, reason = "one parameter per column is the point")]
                    #[target_feature($(enable = $v3),+)]
                    fn v3<JOB: Job<($($X,)+)>, $($X),+>(job: JOB, $($X: $X),+) -> JOB::Output {
                        job.run(($($X,)+))
                    }
                    #[inline(never)]
                    #[allow(clippy::too_many_arguments, non_snake_case, reason = "one parameter per column is the point")]
                    #[target_feature($(enable = $v3,)+ $(enable = $v4),+)]
                    fn v4<JOB: Job<($($X,)+)>, $($X),+>(job: JOB, $($X: $X),+) -> JOB::Output {
                        job.run(($($X,)+))
                    }
                    match isa.set() {
                        // SAFETY: an `Isa` is of this set only where the machine has the features: it comes from `Isa::detect`.
                        crate::isa::Set::V4 => return unsafe { v4(job, $(self.$k),+) },
                        // SAFETY: an `Isa` is of this set only where the machine has the features: it comes from `Isa::detect`.
                        crate::isa::Set::V3 => return unsafe { v3(job, $(self.$k),+) },
                        crate::isa::Set::Base => {}
                    }
                }
                let _ = isa;
                base(job, $(self.$k),+)
            }
        }
    };
}
macro_rules! spread_with_features {
    ($($fields:tt)+) => { with_features!(spread $($fields)+); };
}
for_tuples!(spread_with_features);
