//! Selects the kernels to build. With `IKRA_LONG` all are built; otherwise a few that still cover every meeting of two
//! ways.

use std::collections::BTreeSet;

/// The variable that selects all kernels.
const LONG: &str = "IKRA_LONG";

/// Two ways that occur together in a kernel.
pub type Meeting = (String, String);

/// The kernels of `all` that are built. `meetings` are the pairs of ways that occur together in a kernel.
#[must_use]
pub fn choose<T>(all: Vec<T>, meetings: impl Fn(&T) -> Vec<Meeting>) -> Vec<T> {
    if is_long() { all } else { covering(all, meetings) }
}

/// Whether all kernels are built.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os(LONG).is_some_and(|value| !value.is_empty())
}

/// A subset of `all`, in the same order, that covers all meetings. Greedy: the kernels that add the most come first.
fn covering<T>(all: Vec<T>, meetings: impl Fn(&T) -> Vec<Meeting>) -> Vec<T> {
    let meetings: Vec<Vec<Meeting>> = all.iter().map(meetings).collect();
    let most = meetings.iter().map(Vec::len).max().unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut kept = vec![false; all.len()];
    for wanted in (1..=most).rev() {
        for (meetings, kept) in meetings.iter().zip(&mut kept) {
            if meetings.iter().filter(|meeting| !seen.contains(*meeting)).count() >= wanted {
                seen.extend(meetings.iter().cloned());
                *kept = true;
            }
        }
    }
    all.into_iter().zip(kept).filter_map(|(kernel, kept)| kept.then_some(kernel)).collect()
}
