//! Attempts at undefined behaviour: bad links, swapped worlds, sizes at their limits, external data. Meant for the
//! sanitizers; the expected result of each is asserted as well.
#![allow(missing_docs, reason = "tests, not a library")]
#![allow(clippy::mem_replace_option_with_some, clippy::forget_non_drop, reason = "unusual forms are what is tested")]
#![allow(clippy::manual_is_multiple_of, reason = "remainders read best beside other remainders")]
#![forbid(unsafe_code)]

mod bad_links;
mod counts;
mod exchanged_worlds;
mod lifetimes;
mod odd_layouts;
mod serialized;
mod worlds_in_arguments;
