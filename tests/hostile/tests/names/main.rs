//! Names that collide with generated items, Ikra's own methods, or the standard library. A program that builds must be
//! right.
#![allow(missing_docs, reason = "tests, not a library")]
#![allow(
    clippy::new_ret_no_self,
    clippy::wrong_self_convention,
    dead_code,
    non_camel_case_types,
    reason = "names that are to collide"
)]
#![forbid(unsafe_code)]

mod fields;
mod primitives;
mod traits;
mod types;
