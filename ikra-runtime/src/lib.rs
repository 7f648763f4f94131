//! Objects, worlds and executors on the host, behind the [`ikra`](https://docs.rs/ikra) crate.
//!
//! Depend on `ikra`, not on this crate. Items that are public here but not re-exported there serve Ikra's other crates
//! and the macros' code, and change without notice.
//!
//! | module | contents |
//! | --- | --- |
//! | [`objects`], [`world`] | the types that users own |
//! | [`place`], [`executor`] | the places where kernels run, and the executors that users call |
//! | `exec` | the execution of kernels on the host |
//! | [`list`] | the objects for which a kernel runs, sorted by class |
//! | [`selection`], [`groups`] | objects for which a kernel returns `true`, and objects by the keys that it returns |
//! | [`mirror`] | which columns are current on the host, and which on a device |
//! | `plan`, `memory` | how a class stores its objects, and the memory for them |
//! | [`error`] | errors |
//!
//! [`ikra_core`] defines classes, kernels and columns, for the device as well.

#![warn(unreachable_pub, clippy::multiple_unsafe_ops_per_block)]
// On docs.rs: shows which feature an item needs, where an attribute names it.
#![cfg_attr(docsrs, feature(doc_cfg), doc(auto_cfg = false))]
use ikra_core::{
    alone, class, column, facts, fingerprint, handle, info, isa, kernel, layout, link, mode, panics, phase, range,
    reduce, spread, step, storage, table, tile_row, transfer, value, window,
};

pub mod dispatch;
pub mod error;
pub mod exec;
pub mod executor;
pub mod groups;
pub mod list;
mod memory;
pub mod mirror;
pub mod objects;
pub mod place;
mod plan;
pub mod selection;
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
mod serde;
pub mod world;
