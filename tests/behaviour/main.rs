//! What programs do, through the public interface: one module per topic, in one program, since each further program is linked
//! with the whole library once more.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]

mod accepted;
mod arrays;
mod dispatch;
mod executors;
mod methods;
mod objects;
mod places;
mod reductions;
mod smoke;
mod worlds;

/// Held by a test that puts its panic hook before the present one, so that no other test's hook is lost.
static HOOKS: std::sync::Mutex<()> = std::sync::Mutex::new(());
