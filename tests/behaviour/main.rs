//! Programs that use the public interface: one module per topic.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]

mod accepted;
mod changed_ids;
mod executors;
mod lives;
mod lives_model;
mod lives_soak;
mod objects;
mod places;
mod reductions;
mod reorder;
mod smoke;
mod worklists;
mod worlds;
