//! Alternative strategies for finding an object's class from its link: `strategy = "…"`. They exist for measurements,
//! to be compared with the strategy of `#[soa_dispatch]` in the [`ikra`](https://docs.rs/ikra) crate.
//!
//! | strategy | a link | the class is found | the call |
//! | --- | --- | --- | --- |
//! | `"type_pointer"`, Ikra's own | class and id (TYPEPTR §6) | in the bits | a `match` |
//! | `"range_table"` | a number in the regions of all classes (§4) | by a search in a table of the regions (COAL, §5) | a `match` |
//! | `"class_tag"` | a number that the objects of all classes share | in a byte of memory per object (Concord) | a `match` |
//! | `"vtable"` | the same as for `"class_tag"` | in 4 bytes of memory per object (CUDA) | through a table of functions |
//!
//! All strategies give the same results, and the same guarantees about links: the class of a link does not depend on a
//! world.
//!
//! A model with a strategy other than Ikra's own depends on this crate. Its device code depends on it too:
//!
//! ```text
//! // In `build.rs`.
//! ikra_build::Device::new("src/model.rs").dependency("ikra-strategies", "\"0.1\"").build();
//! ```
//!
//! ```
//! use ikra::prelude::*;
//!
//! #[soa_class] pub struct Car { pub km: u32 }
//! #[soa_class] pub struct Bus { pub seats: u32 }
//! #[soa_dispatch(Car, Bus, strategy = "range_table")]
//! pub trait Vehicle { fn pace(&self) -> u32 { 50 } }
//! #[soa_methods] impl Vehicle for Car {}
//! #[soa_methods] impl Vehicle for Bus { fn pace(&self) -> u32 { 30 } }
//! #[soa_world] pub struct Town { pub cars: Objects<Car>, pub buses: Objects<Bus> }
//!
//! # fn main() -> Result<(), ikra::Error> {
//! let mut town = Town::new();
//! let links: [VehicleLink; 2] = [town.cars.push(Car { km: 7 })?.into(), town.buses.push(Bus { seats: 20 })?.into()];
//! assert_eq!(links.map(|link| town.get(link).pace()), [50, 30]);
//! # Ok(()) }
//! ```

#![warn(unreachable_pub, clippy::multiple_unsafe_ops_per_block)]
#![cfg_attr(target_arch = "nvptx64", no_std)]

mod functions;
mod links;
pub mod range_table;

pub use functions::{ClassFunction, Functions};
pub use links::{Ranged, Remembered, TagCell, TagCells, Tags};
