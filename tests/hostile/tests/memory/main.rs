//! Attempts at undefined behaviour: bad links, worlds that change places, sizes at their limits, data from outside. Meant for
//! the sanitizers; what must come of each is asserted as well.
#![allow(missing_docs, reason = "tests, not a library")]
#![forbid(unsafe_code)]

mod bad_links;
mod counts;
mod exchanged_worlds;
mod lifetimes;
mod odd_layouts;
mod serialized;
mod worlds_in_arguments;
