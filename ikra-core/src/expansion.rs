//! What the code of the macros consists of: all of it that needs no tokens of the user's but names and types.
//!
//! Each is a macro of `ikra::rt`. What differs between host and device is in `target`, so that users' code
//! has no `cfg`.

mod class;
mod dispatch;
mod kernel;
pub mod standard;

pub use crate::target::expansion::*;
pub use class::class;
pub use dispatch::{dispatch, dispatch_kernel};
pub use kernel::{handle, kernel, reach};
