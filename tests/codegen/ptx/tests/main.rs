//! The device code is what it should be. A test of a pass over it is in the file with the pass's name; further ones are beside the
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
mod spaces;
mod words;
