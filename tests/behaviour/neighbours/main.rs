//! Selections, groups and grids, compared with plain models.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]

mod chains;
mod columns;
mod grids;
mod groups;
mod repeat;
mod selections;

/// Runs a test on one, two and five threads.
fn on_threads(test: impl Fn() + Send + Sync) {
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(&test);
    }
}

/// The message of a panic.
fn panic_of<T>(work: impl FnOnce() -> T) -> String {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(work())));
    let payload = caught.expect_err("a panic");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => payload.downcast_ref::<&str>().map_or_else(String::new, |text| (*text).to_owned()),
    }
}
