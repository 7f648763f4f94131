//! Operations on atomic fields give the results of a plain model, with any number of threads.
#![allow(missing_docs, dead_code, unused, clippy::all, reason = "generated")]

use ikra::prelude::*;
use ikra_generated_tests::plain::mixed;

mod common;
use common::{COUNT, MANY, OTHER, PAIRED, SALT, pool};

/// The object in plain Rust; links are positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    seed: u32,
    seen: u32,
    next: usize,
    maybe: Option<usize>,
    links: Vec<usize>,
    a: u32,
    b: u32,
    three: [u32; 3],
    whole: [u32; 2],
    var: Vec<u32>,
}

mod plain {
    use super::*;

    pub fn objects(count: usize) -> Vec<Plain> {
        (0..count)
            .map(|n| {
                let at = |salt| mixed(n, salt) as usize % count;
                Plain {
                    seed: mixed(n, 1),
                    seen: mixed(n, 2),
                    next: at(3),
                    maybe: (n % 3 != 0).then(|| at(4)),
                    links: (0..4).map(|k| at(20 + k)).collect(),
                    a: mixed(n, 5),
                    b: mixed(n, 6),
                    three: [mixed(n, 7), mixed(n, 8), mixed(n, 9)],
                    whole: [mixed(n, 30), mixed(n, 31)],
                    var: (0..1 + n % 4).map(|k| mixed(n, 10 + k as u32)).collect(),
                }
            })
            .collect()
    }
}

fn pick<T>(one: T, other: T, salt: u32) -> T {
    if salt % 3 == 0 { one } else { other }
}

include!(concat!(env!("OUT_DIR"), "/atomics.rs"));

layouts! { soa aos tiles small_tiles capacity aos_capacity }
