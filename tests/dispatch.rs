//! Traits over classes.

#[path = "dispatch/town.rs"]
mod town;
