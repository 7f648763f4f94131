//! Lost writes: each kernel changes one field of its object in a hidden form. The change is either stored, or rejected
//! by a panic that names the field. It is never lost silently.
#![allow(missing_docs, reason = "tests, not a library")]
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes_without_reason,
    irrefutable_let_patterns,
    reason = "unusual forms are what is tested"
)]
#![allow(unused, unused_must_use, reason = "unusual forms are what is tested")]
#![forbid(unsafe_code)]

#[macro_use]
mod node;
mod arrays;
mod calls;
mod closures;
mod executors;
mod macros;
mod paths;
mod patterns;
mod places;
