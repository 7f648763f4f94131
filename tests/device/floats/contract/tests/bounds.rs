//! With `Floats::Contract`: divisions and square roots are exact.
#![allow(missing_docs, reason = "a test, not a library")]

#[path = "../../bounds.rs"]
mod bounds;

use bounds::Bounds;
use ikra_contract_tests::{has_gpu, model};

/// The bounds of `Floats::Contract`.
pub const BOUNDS: Bounds = Bounds { single: 0, double: 0, functions: 2 };
