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
//! | [`known`] | one error for a type that is no class or no value |
//! | [`access`], [`arity`], [`kernel`] | what a kernel does with each column, for all columns at once |
//! | [`reduce`], [`transfer`] | how results become one, and get from a device to the host |
//! | [`column`](mod@column), [`object`], [`objects`], [`world`], [`picture`], [`advice`] | what users name and own |
//! | [`origin`] | how host and device know that they mean the same class or kernel |
//! | `exec` | how kernels run on the host |
//! | [`mirror`] | which columns are valid on the host, which on a device |
//! | `device` | how they run on the device, for which the modules above `exec` are compiled too |

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch))]
#![recursion_limit = "256"]

// Sizes and offsets of storage are `usize`, ids and lengths 32 bits wide, and atomics of 64 bits are aligned like what
// they hold: all of this is relied on.
#[cfg(not(target_pointer_width = "64"))]
compile_error!("Ikra needs a target with 64-bit addresses");

pub mod access;
pub mod arity;
mod call;
pub mod class;
pub mod column;
mod fault;
pub mod float;
pub mod handle;
pub mod kernel;
pub mod known;
pub mod layout;
pub mod link;
pub mod object;
pub mod order;
pub mod origin;
pub mod phase;
mod range;
pub mod record;
pub mod reduce;
pub mod storage;
pub mod table;
pub mod transfer;
pub mod value;

#[cfg(target_arch = "nvptx64")]
pub mod device;

#[cfg(not(target_arch = "nvptx64"))]
pub mod advice;
#[cfg(not(target_arch = "nvptx64"))]
pub mod error;
#[cfg(not(target_arch = "nvptx64"))]
pub mod exec;
#[cfg(not(target_arch = "nvptx64"))]
pub mod isa;
#[cfg(not(target_arch = "nvptx64"))]
mod memory;
#[cfg(not(target_arch = "nvptx64"))]
pub mod mirror;
#[cfg(not(target_arch = "nvptx64"))]
pub mod objects;
#[cfg(not(target_arch = "nvptx64"))]
pub mod picture;
#[cfg(all(feature = "serde", not(target_arch = "nvptx64")))]
mod serde;
#[cfg(not(target_arch = "nvptx64"))]
pub mod world;
