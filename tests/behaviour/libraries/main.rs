//! Types and traits of other libraries. It is a separate program, because these libraries limit type inference.
#![allow(missing_docs, reason = "a test, not a library")]

mod glam;
mod serde;
