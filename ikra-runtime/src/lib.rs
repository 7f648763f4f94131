//! Columns, layouts, phases and executors behind the [`ikra`](https://docs.rs/ikra) crate.
//!
//! Depend on `ikra`, not on this crate: what is public here and not re-exported there is for the code
//! that the macros make, and changes without notice.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`value`], [`link`], [`storage`] | what a column holds, and how a field is spread over columns |
//! | [`class`], [`layout`], [`phase`] | what the macros know of a class, its geometry, the race check |
//! | [`table`], [`handle`] | an object in its columns |
//! | [`access`], [`arity`], [`kernel`] | what a kernel does with each column, for all columns at once |
//! | [`objects`], [`world`], [`picture`] | what users own |
//! | `exec` | how kernels run on the host |

#![recursion_limit = "256"]

pub mod access;
pub mod arity;
pub mod class;
pub mod error;
mod exec;
pub mod handle;
pub mod isa;
pub mod kernel;
pub mod layout;
pub mod link;
mod memory;
pub mod objects;
pub mod phase;
pub mod picture;
pub mod reduce;
pub mod storage;
pub mod table;
pub mod value;
pub mod world;
