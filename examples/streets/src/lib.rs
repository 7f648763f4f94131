//! Street networks: read, made up, and drawn.
//!
//! A [`Network`] is a directed graph in compressed rows. Its nodes are junctions, with positions; its edges are
//! streets, with length, class, lanes, speed limit and shape. [`Network::read`] reads a file and recognizes its format:
//! GraphML as OSMnx writes it, OpenStreetMap's PBF and XML, or edge lists with lengths, plain or compressed. A network
//! also comes from a made-up [`City`], or from a [`Builder`].
//!
//! ```
//! use streets::{City, Map, Marker, Theme};
//!
//! let network = City { junctions: 500, ..City::default() }.build();
//! // Where one is after 20 m of the first street.
//! let street = network.street(0);
//! let at = network.position_on(street.id, 20.0_f32.min(street.length));
//! let map = Map::new(&network, 600, 400, Theme::Light).unwrap();
//! let mut picture = map.picture();
//! picture.mark([Marker { at, colour: [220, 40, 40], radius: 3.0 }]);
//! let mut png = Vec::new();
//! picture.write_png(&mut png).unwrap();
//! assert!(png.starts_with(b"\x89PNG"));
//! ```
//!
//! Units are metres and metres per second throughout.
#![forbid(unsafe_code)]

mod animation;
mod builder;
mod city;
mod class;
mod layer;
mod map;
mod memory;
mod network;
mod player;
mod projection;
mod read;
mod tags;
mod warnings;

pub use animation::Animation;
pub use builder::{Builder, Traits};
pub use city::{City, UnknownCity};
pub use class::{Class, Control};
pub use layer::Layer;
pub use map::{Map, Marker, NoPositions, Picture, Theme};
pub use memory::{NoMemory, room_for};
pub use network::{Arrivals, Network, Street};
pub use player::Player;
pub use projection::Coordinates;
pub use read::{InputError, Place};
pub use warnings::{Oddity, Warning, Warnings};
