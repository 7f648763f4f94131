//! Traits over classes.

mod packing;
mod strategies;
mod town;
