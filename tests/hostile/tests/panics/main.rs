//! Panics: caught midway, in destructors, in other worlds, several at once. Each executor runs all calls, or unwinds
//! before it commits anything.
#![allow(missing_docs, reason = "tests, not a library")]
#![allow(clippy::manual_is_multiple_of, reason = "remainders read best beside other remainders")]
#![forbid(unsafe_code)]

mod caught;
mod checked_links;
mod constructors;
mod destructors;
mod executors;
mod flattened;
mod guards;
mod lists;
mod model;
mod other_worlds;
mod payloads;
mod recordings;
mod reducers;
mod results;
mod shadows;
mod which;
