//! What the host and the device have in common, behind the [`ikra`](https://docs.rs/ikra) crate. It is compiled for both.
//!
//! Depend on `ikra`, not on this crate: what is public here and not re-exported there is for Ikra's other crates and for
//! the code that the macros make, and changes without notice.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`value`], [`link`], [`storage`] | what a column holds, and how a field is spread over columns |
//! | [`class`], [`layout`], [`effects`], [`phase`], [`order`] | what the macros know of a class, its geometry, what kernels do, and its checks |
//! | [`table`], [`handle`], [`object`], [`column`](mod@column) | an object in its columns |
//! | [`dispatch`] | objects of several classes that share a trait |
//! | [`known`] | one error for a type that is no class or no value |
//! | [`kernel`], [`mode`], [`window`], [`step`] | what a kernel does with each column, with all of them, and for one object |
//! | [`alone`] | kernels that one thread runs alone |
//! | [`reduce`], [`transfer`] | how results become one, and get from a device to the host |
//! | [`origin`], [`device_code`] | how host and device know that they mean the same class or kernel; what was compiled for the device |
//! | [`tile_row`], [`near`] | what a block of the device's threads keeps of an object for kernels over pairs |
//! | [`math`], [`rng`], [`float`] | functions with the same results everywhere |
//! | [`thread`](mod@thread), [`warp`] | who runs a kernel |

#![warn(unreachable_pub, clippy::multiple_unsafe_ops_per_block)]
// On docs.rs: which feature an item needs, where that is said by hand.
#![cfg_attr(docsrs, feature(doc_cfg), doc(auto_cfg = false))]
#![cfg_attr(
    target_arch = "nvptx64",
    no_std,
    feature(
        rustc_attrs,
        core_intrinsics,
        const_eval_select,
        stdarch_nvptx,
        link_llvm_intrinsics,
        asm_experimental_arch
    ),
    allow(internal_features)
)]
#![recursion_limit = "256"]

// Sizes and offsets of storage are `usize`, ids and lengths 32 bits wide, and atomics of 64 bits are aligned like what
// they hold: all of this is relied on.
#[cfg(not(target_pointer_width = "64"))]
compile_error!("Ikra needs a target with 64-bit addresses");

/// For the macros of classes.
pub use ikra_marks as marks;

pub mod alone;
pub mod class;
pub mod column;
pub mod device_code;
mod directory;
pub mod dispatch;
pub mod effects;
pub mod expansion;
mod extent;
pub mod facts;
mod field_set;
pub mod fingerprint;
pub mod float;
pub mod handle;
pub mod info;
pub mod kernel;
pub mod known;
pub mod layout;
pub mod link;
pub mod math;
pub mod message;
pub mod mode;
pub mod moves;
pub mod near;
pub mod object;
pub mod order;
pub mod origin;
pub mod panics;
pub mod phase;
pub mod range;
pub mod reduce;
pub mod rng;
pub mod step;
pub mod storage;
pub mod table;
pub mod target;
pub mod thread;
pub mod tile_row;
pub mod transfer;
mod tuples;
pub mod value;
pub mod warp;
pub mod window;

#[cfg(not(target_arch = "nvptx64"))]
pub mod isa;
#[cfg(all(feature = "serde", not(target_arch = "nvptx64")))]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
mod serde;
#[cfg(not(target_arch = "nvptx64"))]
pub mod spread;
