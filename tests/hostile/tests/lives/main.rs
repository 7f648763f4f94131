//! Objects that come and go: panics midway, stale and provisional links, exchanged worlds, empty classes, names.
#![allow(missing_docs, reason = "tests, not a library")]
#![allow(clippy::manual_is_multiple_of, reason = "remainders read best beside other remainders")]
#![forbid(unsafe_code)]

mod arenas;
mod cascades;
mod exchanged;
mod links;
mod names;
mod none;
mod panics;
