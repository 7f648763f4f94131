//! Selects the kernels to build. With `IKRA_LONG` all are built; otherwise a few, among which each way occurs several
//! times.

use std::collections::BTreeMap;

/// The variable that selects all kernels.
const LONG: &str = "IKRA_LONG";

/// How many kernels have each way, if there are as many and not all are built.
const OFTEN: u32 = 3;

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

/// A subset of `all`, in the same order, in which each way occurs several times. Greedy: the kernels that add the most
/// come first.
fn covering<T>(all: Vec<T>, meetings: impl Fn(&T) -> Vec<Meeting>) -> Vec<T> {
    let ways_of = |kernel| -> Vec<String> {
        let mut ways: Vec<String> = meetings(kernel).into_iter().flat_map(|(one, other)| [one, other]).collect();
        ways.sort();
        ways.dedup();
        ways
    };
    let ways: Vec<Vec<String>> = all.iter().map(ways_of).collect();
    let most = ways.iter().map(Vec::len).max().unwrap_or_default();
    let mut seen = BTreeMap::new();
    let mut kept = vec![false; all.len()];
    for wanted in (1..=most).rev() {
        for (ways, kept) in ways.iter().zip(&mut kept).filter(|(_, kept)| !**kept) {
            if ways.iter().filter(|way| seen.get(*way).is_none_or(|&often| often < OFTEN)).count() >= wanted {
                ways.iter().for_each(|way| *seen.entry(way.clone()).or_insert(0) += 1);
                *kept = true;
            }
        }
    }
    all.into_iter().zip(kept).filter_map(|(kernel, kept)| kept.then_some(kernel)).collect()
}
