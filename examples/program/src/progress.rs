//! The progress of a program.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// The progress of the work, as a bar on a terminal; nothing if standard error is not a terminal.
#[derive(Debug)]
pub struct Progress {
    unit: &'static str,
    all: u32,
    is_shown: bool,
    last: Instant,
}

/// The time between two updates of the bar.
const PERIOD: Duration = Duration::from_millis(100);
/// The number of characters of the bar.
const WIDTH: u64 = 30;

impl Progress {
    /// Starts the progress of this many units: `"steps"`.
    #[must_use]
    pub fn new(unit: &'static str, all: u32) -> Self {
        Self { unit, all, is_shown: io::stderr().is_terminal(), last: Instant::now() }
    }

    /// Shows the number of finished units, ten times per second.
    pub fn show(&mut self, done: u32) {
        if self.is_shown && self.last.elapsed() > PERIOD {
            eprint!("\r{}", self.bar(done));
            self.last = Instant::now();
        }
    }

    /// Removes the bar.
    pub fn clear(&self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }

    fn bar(&self, done: u32) -> String {
        let filled = (u64::from(done) * WIDTH / u64::from(self.all.max(1))).min(WIDTH) as usize;
        let (filled, empty) = ("█".repeat(filled), "░".repeat(WIDTH as usize - filled));
        format!("{filled}{empty} {done} of {} {}", self.all, self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        let progress = Progress::new("steps", 90);
        assert_eq!(progress.bar(0), format!("{} 0 of 90 steps", "░".repeat(30)));
        assert_eq!(progress.bar(31), format!("{}{} 31 of 90 steps", "█".repeat(10), "░".repeat(20)));
        assert_eq!(progress.bar(90), format!("{} 90 of 90 steps", "█".repeat(30)));
        assert_eq!(Progress::new("steps", 0).bar(0), format!("{} 0 of 0 steps", "░".repeat(30)));
    }
}
