//! With `Floats::Fast`: divisions and square roots of `f32` are approximate.
#![allow(missing_docs, reason = "a test, not a library")]

#[path = "../../bounds.rs"]
mod bounds;

use bounds::Bounds;
use ikra_fast_tests::{has_gpu, model};

/// The bounds of `Floats::Fast`.
pub const BOUNDS: Bounds = Bounds { single: 2, double: 0, functions: 4 };
