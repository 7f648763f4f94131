//! What the code of the macros consists of: all of it that needs no tokens of the user's but names and types.
//!
//! Each is a macro of `ikra::rt`. What differs between host and device differs here, so that users' code has no `cfg`.

mod class;
mod kernel;
pub mod standard;

pub use class::{class, class_symbol};
#[cfg(not(target_arch = "nvptx64"))]
pub use kernel::{entry, reduced};
pub use kernel::{examine, handle, kernel, reach};
