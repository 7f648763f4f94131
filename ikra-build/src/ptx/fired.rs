//! How often each pass over device code fired.

use std::fmt;

use ikra_marks::PASSES;

/// How often each pass over some device code fired, and after which compiler.
///
/// A pass may find nothing in another compiler's code: the code stays right, and becomes slower. So tests compare with
/// the expected numbers.
///
/// ```
/// use ikra_build::ptx::Fired;
///
/// let before = Fired::read("//ikra:passes rustc=1.96.0 spaces=120 counters=6 slots=0").unwrap();
/// let newer = Fired::read("//ikra:passes rustc=1.97.0 spaces=118 counters=2 slots=0").unwrap();
/// assert_eq!(newer.less_than(&before), ["`counters` fired 2 times, and 6 times behind rustc 1.96.0"]);
/// let again = Fired::read("//ikra:passes rustc=1.96.0 spaces=118 counters=6 slots=0").unwrap();
/// assert_eq!(again.less_than(&before), ["`spaces` fired 118 times, and 120 times behind rustc 1.96.0"]);
/// assert_eq!(before.to_string(), "rustc=1.96.0 spaces=120 counters=6 slots=0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fired {
    /// The compiler's release, such as `1.96.0`.
    pub compiler: String,
    /// The passes in their order, each with its count; `None` if it was left out.
    pub counts: Vec<(String, Option<u64>)>,
}

impl Fired {
    /// The counts that device code states at its end, if it does.
    #[must_use]
    pub fn read(code: &str) -> Option<Self> {
        Self::of(code.lines().rev().find_map(|line| ikra_marks::words(line, PASSES))?)
    }

    /// The same from a printed text: `rustc=1.96.0 spaces=120`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::of(text.split_whitespace())
    }

    fn of<'t>(words: impl Iterator<Item = &'t str>) -> Option<Self> {
        let mut pairs = words.map(|word| word.split_once('='));
        let compiler = pairs.next()??;
        let counts = pairs.map(|pair| {
            let (name, count) = pair?;
            Some((name.to_owned(), if count == "off" { None } else { Some(count.parse().ok()?) }))
        });
        let counts = counts.collect::<Option<_>>()?;
        (compiler.0 == "rustc").then(|| Self { compiler: compiler.1.to_owned(), counts })
    }

    /// How often a pass fired, if it is one and was not left out.
    #[must_use]
    pub fn count(&self, pass: &str) -> Option<u64> {
        self.counts.iter().find(|(name, _)| name == pass).and_then(|(_, count)| *count)
    }

    /// The passes whose counts differ from the expected ones, in sentences. The same compiler makes the same code.
    /// After another one, a pass fires at least half as often.
    #[must_use]
    pub fn less_than(&self, expected: &Self) -> Vec<String> {
        let times = |count: Option<u64>| count.map_or(String::from("no"), |count| count.to_string());
        let is_as_expected = |now: Option<u64>, before: Option<u64>| {
            now == before
                || self.compiler != expected.compiler
                    && now.zip(before).is_some_and(|(now, before)| now >= before.div_ceil(2))
        };
        let mut differences = Vec::new();
        for (pass, before) in &expected.counts {
            let now = self.count(pass);
            if !is_as_expected(now, *before) {
                differences.push(format!(
                    "`{pass}` fired {} times, and {} times behind rustc {}",
                    times(now),
                    times(*before),
                    expected.compiler
                ));
            }
        }
        let is_new = |pass: &str| !expected.counts.iter().any(|(known, _)| known == pass);
        differences.extend(
            self.counts
                .iter()
                .filter(|(pass, _)| is_new(pass))
                .map(|(pass, _)| format!("`{pass}` is a pass that was not there")),
        );
        differences
    }
}

impl fmt::Display for Fired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rustc={}", self.compiler)?;
        self.counts.iter().try_for_each(|(pass, count)| match count {
            Some(count) => write!(f, " {pass}={count}"),
            None => write!(f, " {pass}=off"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fired(text: &str) -> Fired {
        Fired::parse(text).unwrap()
    }

    #[test]
    fn a_pass_that_is_turned_off_shows() {
        let before = fired("rustc=1.96.0 spaces=5 loops=1");
        assert!(before.less_than(&before).is_empty());
        // After another compiler half is enough, but zero instead of one is not.
        assert!(fired("rustc=1.97.0 spaces=3 loops=1").less_than(&before).is_empty());
        assert_eq!(fired("rustc=1.97.0 spaces=2 loops=0").less_than(&before).len(), 2);
        assert_eq!(fired("rustc=1.97.0 spaces=off loops=1").less_than(&before).len(), 1);
        assert!(fired("rustc=1.97.0 spaces=50 loops=10").less_than(&before).is_empty());
        // The same compiler makes the same code.
        assert_eq!(fired("rustc=1.96.0 spaces=6 loops=1").less_than(&before).len(), 1);
        // A pass that is gone, and one that is new.
        assert_eq!(fired("rustc=1.96.0 spaces=5").less_than(&before).len(), 1);
        assert_eq!(before.less_than(&fired("rustc=1.96.0 spaces=5")), ["`loops` is a pass that was not there"]);
    }

    #[test]
    fn only_whole_lines_are_read() {
        for text in ["", "spaces=5", "rustc=1.96.0 spaces", "rustc=1.96.0 spaces=x", "llvm=22 spaces=1"] {
            assert_eq!(Fired::parse(text), None, "{text}");
        }
        assert_eq!(Fired::read(".version 6.3\n"), None);
    }
}
