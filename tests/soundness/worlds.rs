//! Tables, states and storage of worlds: moved, exchanged, shared by threads, in every size.

mod linking;
mod mirrors;
