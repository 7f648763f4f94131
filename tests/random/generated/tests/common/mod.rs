//! The common harness of both kinds of kernels.

use std::sync::OnceLock;

use rayon::ThreadPool;

pub const SALT: u32 = 0x1234_5678;
pub const OTHER: usize = 5;
/// The number of objects for heavy kernels: they run on several threads even for this few.
pub const COUNT: usize = 300;
/// The number of objects for light kernels.
pub const MANY: usize = 4201;
pub const PAIRED: usize = 140;

pub fn pool(threads: usize) -> &'static ThreadPool {
    static POOLS: [OnceLock<ThreadPool>; 9] = [const { OnceLock::new() }; 9];
    POOLS[threads].get_or_init(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
}

/// A test per layout.
#[macro_export]
macro_rules! layouts {
    ($($layout:ident)*) => { $(
        #[test]
        fn $layout() {
            let count = self::$layout::run();
            println!("{count} kernels");
            assert!(count > if ikra_generated_tests::choose::is_long() { 60 } else { 2 });
        }
    )* };
}
