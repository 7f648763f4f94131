//! Tests of the device code. A test of a pass is in the file with the pass's name. Further tests are next to the
//! passes, in `ikra-build/src/passes`.
#![allow(missing_docs, reason = "a test, not a library")]

mod assembled;
mod barriers;
mod counts;
mod dispatch;
mod early;
mod kernels;
mod panics;
mod passes;
mod resident;
mod spaces;
mod words;
