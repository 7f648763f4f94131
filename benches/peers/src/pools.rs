//! On how many threads a system runs.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// The calling thread, or a pool of one.
    One,
    /// A pool of two.
    Two,
}

impl Threads {
    /// The pool of the systems that run on rayon.
    pub(crate) fn pool(self) -> &'static ThreadPool {
        static ONE: LazyLock<ThreadPool> = LazyLock::new(|| pool(1));
        static TWO: LazyLock<ThreadPool> = LazyLock::new(|| pool(2));
        match self {
            Self::One => &ONE,
            Self::Two => &TWO,
        }
    }
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start")
}
