//! Kernels without a race do what a plain model does, with any number of threads.
#![allow(missing_docs, dead_code, unused, clippy::all, reason = "generated")]

use std::sync::OnceLock;

use ikra::prelude::*;
use ikra_generated_tests::plain::{self, Plain};
use rayon::ThreadPool;

const SALT: u32 = 0x1234_5678;
const OTHER: usize = 5;
/// For heavy kernels, of which so few are spread over threads.
const COUNT: usize = 300;
/// For light ones.
const MANY: usize = 4201;
const PAIRED: usize = 140;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Pair {
    pub x: u32,
    pub y: u32,
}

fn put(place: &mut u32, v: u32) {
    *place = v;
}

fn pool(threads: usize) -> &'static ThreadPool {
    static POOLS: [OnceLock<ThreadPool>; 9] = [const { OnceLock::new() }; 9];
    POOLS[threads].get_or_init(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
}

include!(concat!(env!("OUT_DIR"), "/accepted.rs"));

macro_rules! layouts {
    ($($layout:ident)*) => { $(
        #[test]
        fn $layout() {
            let count = self::$layout::run();
            println!("{count} kernels");
            assert!(count > 100);
        }
    )* };
}

layouts! { soa aos tiles small_tiles capacity aos_capacity }
