//! Models that use only the public API of Ikra, without unsafe code and without lint warnings.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, missing_debug_implementations, unused, unreachable_pub, nonstandard_style)]

pub mod claim;
pub mod life;
pub mod road;
