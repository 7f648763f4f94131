//! Programs that once broke a promise, and similar ones (`docs/soundness.md`).
#![allow(missing_docs, reason = "tests, not a library")]

mod alone;
mod atomics;
mod attributes;
mod ends;
// A GPU's errors come with the feature.
#[cfg(feature = "cuda")]
mod gpu;
mod lent;
mod text;
mod views;
mod worlds;
