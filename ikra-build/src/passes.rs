//! What is done to device code behind the compiler, in the order in which it is done.

use crate::{checks, counters, counts, loops, offsets, panics, slots, spaces, stores, strides, uncalled, words};

/// Each makes a text of another that does the same.
const PASSES: &[fn(&str) -> String] = &[
    spaces::named,
    slots::direct,
    stores::after_loads,
    strides::stepped,
    counters::down,
    counts::read_once,
    panics::reported,
    uncalled::emptied,
    checks::first,
    loops::forbid_unrolling,
    offsets::last,
    words::passed,
];

/// The code as it is given to the driver.
pub(crate) fn done(code: &str) -> String {
    PASSES.iter().fold(code.to_owned(), |code, pass| pass(&code))
}
