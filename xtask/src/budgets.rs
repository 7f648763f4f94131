//! Budgets for the size of the library. A change that adds a special case removes one.
//!
//! A change that makes a number smaller lowers its budget; raising a budget needs a reason in the commit.

/// The counted item, the most that it may reach, and its target.
pub struct Budget {
    pub what: &'static str,
    pub most: usize,
    pub goal: usize,
}

/// The budgets, in the order of [`Counts::figures`](crate::counts::Counts::figures).
pub const BUDGETS: [Budget; 8] = [
    Budget { what: "lines without unit tests", most: 80_833, goal: 44_000 },
    Budget { what: "traits", most: 124, goal: 70 },
    Budget { what: "`#[doc(hidden)]`", most: 127, goal: 90 },
    Budget { what: "names in `ikra::rt`", most: 77, goal: 60 },
    Budget { what: "`#[inline(always)]`", most: 884, goal: 500 },
    Budget { what: "files of more than 500 lines", most: 1, goal: 0 },
    Budget { what: "SAFETY comments that only forward, per 1,000", most: 75, goal: 125 },
    Budget { what: "modules in the largest circle of imports", most: 3, goal: 3 },
];

/// Crates of the library, and how many modules of each may import one another in a cycle. The emulator, programs and
/// reports are not included, since models are not compiled with them.
pub const CRATES: [(&str, &str, usize); 8] = [
    ("ikra", "src", 1),
    ("ikra-core", "ikra-core/src", 3),
    ("ikra-runtime", "ikra-runtime/src", 3),
    ("ikra-gpu", "ikra-gpu/src", 1),
    ("ikra-macros", "ikra-macros/src", 2),
    ("ikra-build", "ikra-build/src", 1),
    ("ikra-marks", "ikra-marks/src", 1),
    ("ikra-ptx", "ikra-ptx/src", 1),
];

/// The largest number of lines in a file.
pub const MOST_LINES: usize = 500;
