//! The code behind the macros: all of it that needs only names and types of the user, and no other tokens.
//!
//! Each is a macro of `ikra::rt`. Code that differs between host and device is in `target`, so that users' code has no
//! `cfg`.

mod class;
mod dispatch;
mod kernel;
pub mod standard;

pub use crate::target::expansion::*;
pub use class::class;
pub use dispatch::{dispatch, dispatch_kernel};
pub use kernel::{handle, kernel, reach};
