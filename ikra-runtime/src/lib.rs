//! Objects, worlds and executors on the host, behind the [`ikra`](https://docs.rs/ikra) crate.
//!
//! Depend on `ikra`, not on this crate: what is public here and not re-exported there is for Ikra's other crates and for
//! the code that the macros make, and changes without notice.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`objects`], [`world`] | what users own |
//! | [`place`], [`executor`] | where kernels run, and the executors that users call |
//! | `exec` | how kernels run on the host |
//! | [`list`] | which objects a kernel runs for, in order by class |
//! | [`mirror`] | which columns are valid on the host, which on a device |
//! | [`error`] | what can go wrong |
//!
//! What a class, a kernel and a column are is in [`ikra_core`], for the device as well.

#![warn(unreachable_pub, clippy::multiple_unsafe_ops_per_block)]
// On docs.rs: which feature an item needs, where that is said by hand.
#![cfg_attr(docsrs, feature(doc_cfg), doc(auto_cfg = false))]
use ikra_core::{
    alone, class, column, facts, fingerprint, handle, info, isa, kernel, layout, link, mode, panics, phase, range,
    reduce, spread, step, storage, table, tile_row, transfer, value, window,
};

pub mod dispatch;
pub mod error;
pub mod exec;
pub mod executor;
pub mod list;
mod memory;
pub mod mirror;
pub mod objects;
pub mod place;
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
mod serde;
pub mod world;
