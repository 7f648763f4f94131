//! Types and traits of other libraries. A program apart: with these libraries, the compiler infers fewer types.
#![allow(missing_docs, reason = "a test, not a library")]

mod glam;
mod serde;
