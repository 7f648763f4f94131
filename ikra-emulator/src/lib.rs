//! A GPU in software: executes PTX, checks each access, and runs warps in an order drawn from a seed.

pub mod counts;
pub mod fault;
pub mod machine;

mod alu;
mod device;
mod memory;
mod options;
mod program;
