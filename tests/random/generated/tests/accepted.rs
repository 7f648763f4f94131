//! Kernels without a race give the results of a plain model, with any number of threads.
#![allow(missing_docs, dead_code, unused, clippy::all, reason = "generated")]

use ikra::prelude::*;
use ikra_generated_tests::plain::{self, Plain};

mod common;
use common::{COUNT, MANY, OTHER, PAIRED, SALT, pool};

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Pair {
    pub x: u32,
    pub y: u32,
}

fn put(place: &mut u32, v: u32) {
    *place = v;
}

include!(concat!(env!("OUT_DIR"), "/accepted.rs"));

layouts! { soa aos tiles small_tiles capacity aos_capacity }
