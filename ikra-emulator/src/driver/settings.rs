//! The values of the variables `IKRA_EMULATOR_…`.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::status::Status;

/// The consequence of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checks {
    /// The launch fails.
    Fail,
    /// Nothing is checked beyond the checks of a GPU.
    Off,
}

/// A planned failure of a function.
#[derive(Clone, Debug)]
struct Failure {
    status: Status,
    /// The calls that fail, counted from 1.
    calls: RangeInclusive<u64>,
}

/// The values of the variables.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) devices: usize,
    /// 90 for `sm_90`.
    pub(crate) capability: u32,
    /// 13000 for CUDA 13.0.
    pub(crate) cuda: u32,
    /// Bytes of each device.
    pub(crate) memory: usize,
    pub(crate) multiprocessors: u32,
    pub(crate) seed: u64,
    /// Cores of the host that run the blocks of a kernel.
    pub(crate) threads: usize,
    pub(crate) checks: Checks,
    pub(crate) is_traced: bool,
    pub(crate) counts: Option<PathBuf>,
    failures: HashMap<String, Failure>,
    calls: HashMap<&'static str, u64>,
}

fn variable(name: &str) -> Option<String> {
    std::env::var(format!("IKRA_EMULATOR_{name}")).ok().filter(|value| !value.is_empty())
}

/// The number in a variable.
///
/// # Errors
///
/// The mistake in it.
fn number<T: std::str::FromStr>(name: &str, usual: T) -> Result<T, String> {
    match variable(name) {
        None => Ok(usual),
        Some(value) => value.parse().map_err(|_| format!("IKRA_EMULATOR_{name}={value}: give a number")),
    }
}

impl Settings {
    /// The values in the environment.
    ///
    /// # Errors
    ///
    /// The variable with an invalid value, and valid ones.
    pub(crate) fn of_environment() -> Result<Self, String> {
        let checks = match variable("CHECKS").as_deref() {
            None | Some("on") => Checks::Fail,
            Some("off") => Checks::Off,
            Some(other) => return Err(format!("IKRA_EMULATOR_CHECKS={other}: give `on` or `off`")),
        };
        Ok(Self {
            devices: number("DEVICES", 1)?,
            capability: number("CAPABILITY", 90)?,
            cuda: number("CUDA", 13_000)?,
            memory: number("MEMORY", 16_usize << 30)?,
            multiprocessors: number("MULTIPROCESSORS", 4)?,
            seed: number("SEED", 0)?,
            threads: number("THREADS", std::thread::available_parallelism().map_or(1, usize::from))?.max(1),
            checks,
            is_traced: variable("TRACE").is_some_and(|value| value != "0"),
            counts: variable("COUNTS").map(PathBuf::from),
            failures: plan(&variable("PLAN").unwrap_or_default())?,
            calls: HashMap::new(),
        })
    }

    /// The status with which the plan makes this call of a function fail.
    pub(crate) fn failure(&mut self, function: &'static str) -> Option<Status> {
        if self.failures.is_empty() {
            return None;
        }
        let failure = self.failures.get(function)?;
        let calls = self.calls.entry(function).or_default();
        *calls += 1;
        failure.calls.contains(calls).then_some(failure.status)
    }

    /// The status with which loading a module fails, if its text has one of the words of the plan.
    pub(crate) fn failure_of_text(&self, text: &str) -> Option<Status> {
        let mut of_texts =
            self.failures.iter().filter_map(|(name, failure)| Some((name.strip_prefix("text/")?, failure)));
        of_texts.find(|(word, _)| text.contains(word)).map(|(_, failure)| failure.status)
    }
}

/// Parses `function:status`, `function:status@first`, `function:status@first-last` and `text/word:status`, with commas
/// between.
fn plan(plan: &str) -> Result<HashMap<String, Failure>, String> {
    let entries = plan.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    entries
        .map(|entry| {
            let read = || {
                let (name, rest) = entry.split_once(':')?;
                let (status, calls) = rest.split_once('@').unwrap_or((rest, "1"));
                let (first, last) = calls.split_once('-').map_or((calls, None), |(first, last)| (first, Some(last)));
                let last = last.map_or(Ok(u64::MAX), str::parse).ok()?;
                let failure = Failure { status: status.parse().ok()?, calls: first.parse().ok()?..=last };
                let is_name = name.starts_with("cu") || name.starts_with("text/");
                is_name.then(|| (name.to_owned(), failure))
            };
            read().ok_or_else(|| {
                format!("IKRA_EMULATOR_PLAN: {entry:?} is none of `cuFunction:status`, `cuFunction:status@first`, `cuFunction:status@first-last`, `text/word:status`")
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read() {
        let plan = plan("cuInit:12345, cuMemAlloc_v2:2@3,cuLaunchKernel:701@4-5,text/griddepcontrol:222").unwrap();
        assert_eq!((plan["cuInit"].status, plan["cuInit"].calls.clone()), (12_345, 1..=u64::MAX));
        assert_eq!((plan["cuMemAlloc_v2"].status, plan["cuMemAlloc_v2"].calls.clone()), (2, 3..=u64::MAX));
        assert_eq!((plan["cuLaunchKernel"].status, plan["cuLaunchKernel"].calls.clone()), (701, 4..=5));
        assert_eq!(plan["text/griddepcontrol"].status, 222);
    }

    #[test]
    fn a_plan_that_cannot_be_read_is_an_error() {
        for text in ["cuInit", "cuInit:x", "malloc:2", "cuInit:1@x", "cuInit:1@2-"] {
            let error = plan(text).unwrap_err();
            assert!(error.contains(text) && error.contains("cuFunction:status"), "{error}");
        }
    }
}
