//! Programs with a model are built as users build them.
//!
//! Tests that need a compiler for the device are skipped, with a line that says so, where there is none;
//! `IKRA_REQUIRE_DEVICE_CODE=1` makes them fail.
#![allow(missing_docs, reason = "a test, not a library")]

mod code;
mod failures;
mod program;
mod strict;
mod without_compiler;
