//! Compares every layout, addressing mode and kind of capacity with a plain `Vec` of structs.
//!
//! One text defines 24 classes, `things`; without `IKRA_LONG=1` eight of them are built. `plain` applies their kernels
//! to plain structs, and `script` runs the same random operations on both.
#![allow(missing_docs, unreachable_pub, missing_debug_implementations, reason = "a test, not a library")]

mod addresses;
mod plain;
mod script;
mod subject;
mod things;
mod values;

use proptest::prelude::*;

use crate::script::{Op, run};
use crate::things::for_all_things;

/// Fewer cases than usual, as there are many classes; `PROPTEST_CASES` overrides.
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

macro_rules! tests {
    ($($layout:ident { $($module:ident)* })*) => {
        /// After any operations, the objects equal plain structs, bit for bit.
        mod same_as_plain {
            $(mod $layout {
                use crate::*;
                $(
                    #[test]
                    fn $module() {
                        let ops = prop::collection::vec(Op::any(), 1..20);
                        proptest!(config(), |(first in 0usize..300, ops in ops)| {
                            run::<things::$layout::$module::Space>(first, &ops)?;
                        });
                    }
                )*
            })*
        }

        /// The elements of all columns are aligned, apart from each other and inside the storage.
        mod addresses_are_sound {
            $(mod $layout {
                use crate::*;
                $(
                    #[test]
                    fn $module() {
                        for len in [1, 2, 15, 63, 64, 65, 127, 128, 129, 255, 300] {
                            addresses::check::<things::$layout::$module::Space>(len);
                        }
                    }
                )*
            })*
        }

        /// Floating-point results do not depend on the addresses of columns.
        #[test]
        fn sums_do_not_depend_on_the_layout() {
            for len in [0, 1, 15, 16, 17, 63, 64, 65, 128, 300] {
                let sums = [$($(script::float_sum::<things::$layout::$module::Space>(len)),*),*];
                assert!(sums.iter().all(|sum| *sum == sums[0]), "{len} objects: {sums:x?}");
            }
        }
    };
}
for_all_things!(tests);
