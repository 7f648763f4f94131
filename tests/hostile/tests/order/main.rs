//! Order: results that could depend on the order of threads, or on the instruction set.
#![allow(missing_docs, reason = "tests, not a library")]
#![allow(clippy::manual_is_multiple_of, reason = "remainders read best beside other remainders")]
#![forbid(unsafe_code)]

mod bits_of_nans;
mod extremes;
mod fixed_sums;
mod reducers;
mod traits;
