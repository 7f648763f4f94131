//! A GPU in software: executes PTX, checks each access, and runs warps in an order drawn from a seed.

pub mod counts;
pub mod fault;
pub mod machine;

mod alu;
mod block;
mod code;
mod compute;
mod decode;
mod device;
mod execute;
mod grid;
mod memory;
mod options;
mod poison;
mod program;
mod races;
mod registers;
mod schedule;
mod special;
mod warp;
