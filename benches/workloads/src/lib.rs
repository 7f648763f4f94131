//! The workloads of TYPEPTR (table 2): as models of Ikra, and in plain Rust: of columns by hand, and of ordinary objects.

mod cases;
pub mod inputs;
pub mod model;
pub mod objects;
pub mod plain;

pub use cases::{Case, Input, Outcome, cases, picture_checksum, start_traffic, torn_checksum, traffic_checksum};

/// Words, one after another, as one number.
pub fn words_checksum(words: impl IntoIterator<Item = u32>) -> u64 {
    words.into_iter().fold(0x243f_6a88_85a3_08d3, |hash, word| {
        (hash ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    })
}
