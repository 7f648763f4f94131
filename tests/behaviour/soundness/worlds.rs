//! Tables, states and storage of worlds: moved, swapped, shared by threads, in every size.

mod any_links;
mod arena;
mod arrays;
mod by_hand;
mod clones;
mod links;
mod mirrors;
mod pairs;
mod panics;
mod sizes;
