//! What programs do, through the public interface: one module per topic.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]

mod accepted;
mod advice;
mod executors;
mod layouts;
mod objects;
mod places;
mod range_tables;
mod reductions;
mod smoke;
mod worlds;
