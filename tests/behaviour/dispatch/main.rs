//! Traits over classes.

mod packing;
mod town;
