//! Traits over classes.

#[path = "dispatch/packing.rs"]
mod packing;
#[path = "dispatch/town.rs"]
mod town;
