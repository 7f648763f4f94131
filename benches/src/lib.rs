//! Benchmarks of Ikra beside hand-written code and other crates: the models, the baselines, and how they
//! are timed.

pub mod advance;
pub mod atomics;
pub mod chain;
pub mod dispatch;
pub mod force;
pub mod loops;
pub mod neighbours;
pub mod ruby;
pub mod timing;
pub mod trace;
pub mod turns;
pub mod whole;
pub mod wide;
