//! The common part of host and device, behind the [`ikra`](https://docs.rs/ikra) crate. It is compiled for both.
//!
//! Depend on `ikra`, not on this crate. Items that are public here and not re-exported there serve Ikra's other crates
//! and the macros' code. They change without notice.
//!
//! | module | purpose |
//! | --- | --- |
//! | [`value`], [`link`], [`storage`] | the types that a column holds, and how a field is spread over columns |
//! | [`class`], [`layout`], [`effects`], [`phase`], [`order`] | a class's description, geometry, and kernels' effects |
//! | [`table`], [`handle`], [`object`], [`column`](mod@column) | an object in its columns |
//! | [`dispatch`] | objects of several classes that share a trait |
//! | [`known`] | one error for a type that is neither a class nor a value |
//! | [`groups`], [`grid`] | objects by key, as an argument of kernels |
//! | `shared` | memory of these that a device copies |
//! | [`mapped`] | results of kernels as columns, as an argument of kernels |
//! | [`worklist`] | objects that a loop's kernels have found for its next iteration |
//! | [`kernel`], [`mode`], [`window`], [`step`] | how a kernel uses each column, all columns, and one object |
//! | [`alone`] | kernels that one thread runs alone |
//! | [`reduce`], [`transfer`] | how results are combined, and how they get from a device to the host |
//! | [`origin`], [`device_code`] | how host and device recognise the same class or kernel; the compiled device code |
//! | [`tile_row`], [`near`] | the part of an object that a thread block keeps for kernels over pairs |
//! | [`math`], [`rng`], [`float`] | functions with the same results everywhere |
//! | [`thread`](mod@thread), [`warp`] | the threads and warps that run a kernel |

#![warn(unreachable_pub, clippy::multiple_unsafe_ops_per_block)]
// On docs.rs: shows which feature an item needs, where the attribute is written by hand.
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

// Unsafe code relies on all of this: sizes and offsets of storage are `usize`; ids and lengths have 32 bits; a 64-bit
// atomic is aligned like its value.
#[cfg(not(target_pointer_width = "64"))]
compile_error!("Ikra needs a target with 64-bit addresses");

/// For the macros that define classes.
pub use ikra_marks as marks;

pub mod alone;
pub mod bits;
pub mod class;
pub mod column;
pub mod device_code;
pub mod device_lives;
mod directory;
pub mod dispatch;
pub mod effects;
pub mod expansion;
mod extent;
pub mod facts;
mod field_set;
pub mod fingerprint;
pub mod float;
pub mod grid;
pub mod groups;
pub mod handle;
mod hilbert;
#[cfg(not(target_arch = "nvptx64"))]
pub mod holes;
pub mod info;
pub mod kept;
pub mod kernel;
pub mod known;
pub mod layout;
pub mod link;
mod lives;
pub mod mapped;
pub mod math;
pub mod message;
pub mod mistakes;
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
#[cfg(not(target_arch = "nvptx64"))]
pub mod shared;
pub mod spawn;
pub mod step;
pub mod storage;
pub mod sums;
pub mod table;
pub mod target;
pub mod thread;
pub mod tile_row;
pub mod transfer;
pub mod tuples;
pub mod value;
pub mod warp;
pub mod window;
pub mod worklist;

#[cfg(not(target_arch = "nvptx64"))]
pub mod isa;
#[cfg(all(feature = "serde", not(target_arch = "nvptx64")))]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
mod serde;
#[cfg(not(target_arch = "nvptx64"))]
pub mod spread;
