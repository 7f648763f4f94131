//! Which kernels are built: all with `IKRA_LONG`; otherwise a few, among which two ways that meet in any kernel still meet.

use std::collections::BTreeSet;

/// The variable that asks for all kernels.
const LONG: &str = "IKRA_LONG";

/// Two ways that meet in a kernel.
pub type Meeting = (String, String);

/// Of `all` kernels those that are built. `meetings` are the pairs of ways that meet in a kernel.
#[must_use]
pub fn choose<T>(all: Vec<T>, meetings: impl Fn(&T) -> Vec<Meeting>) -> Vec<T> {
    if is_long() { all } else { covering(all, meetings) }
}

/// Whether all kernels are built.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os(LONG).is_some_and(|value| !value.is_empty())
}

/// A part of `all`, in the same order, that has all meetings. First come the kernels that add the most.
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
