//! Worlds from tables and back: Arrow's record batches, Parquet and CSV, by the names of columns. The feature `tables` of
//! the [`ikra`](https://docs.rs/ikra) crate provides it.
//!
//! | item | |
//! | --- | --- |
//! | [`TableWorld`] | reads and writes all classes of a world |
//! | [`Import`], [`Source`] | read tables of other programs: links by keys, other names of columns |
//! | [`Export`] | writes tables for other programs |
//! | [`Checkpoints`] | worlds on the disk, from which a program that was stopped goes on |
//! | [`TableType`] | structs and enums of a model in tables |
//! | [`TableError`] | errors, of one line each |
//!
//! [`TableWorld`] has an example. Depend on `ikra`, not on this crate: `ikra::tables` re-exports all items. Without the
//! feature `files` the crate is empty, so that a build of all packages of Ikra's repository does not build Arrow and
//! Parquet.

#![cfg_attr(not(feature = "files"), allow(rustdoc::broken_intra_doc_links, reason = "the crate is empty"))]
#![cfg(feature = "files")]
#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod any;
mod checkpoint;
mod columns;
mod custom;
mod error;
mod export;
mod fields;
mod files;
mod import;
mod keys;
mod lists;
mod number;
mod text;
mod value;
mod whole;
mod world;
mod written;

pub use checkpoint::{Checkpoint, Checkpoints};
pub use custom::{Components, Conversion, Names, TableNames, TableParts, TableType};
pub use error::{BadRow, BadRows, TableError};
pub use export::{Export, TableClasses};
pub use fields::{TableClass, TableFields};
pub use import::{Import, Source};
pub use value::TableValue;
pub use world::TableWorld;

/// The examples of the page on tables.
#[cfg(doctest)]
#[doc = include_str!("../../docs/tables.md")]
struct Tables;
