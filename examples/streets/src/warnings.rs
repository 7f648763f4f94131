//! Oddities in a file that are not errors.

use std::fmt;

/// An oddity, and its treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Oddity {
    /// A street at a node that the file does not have, or that has no position: skipped.
    MissingNode,
    /// An unknown class of streets: [`Class::Unclassified`](crate::Class::Unclassified).
    UnknownClass,
    /// An unknown speed limit: the usual one of the class.
    UnknownSpeed,
    /// An unknown number of lanes: the usual one of the class.
    UnknownLanes,
    /// An unknown length: measured on the map, or 100 m without positions.
    UnknownLength,
    /// An unknown shape: a straight line.
    UnknownShape,
}

impl Oddity {
    const COUNT: usize = 6;

    /// The texts for one, for several, and for the treatment.
    fn texts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::MissingNode => ("street at a node that is missing", "streets at nodes that are missing", "left out"),
            Self::UnknownClass => ("unknown street type", "unknown street types", "taken as unclassified"),
            Self::UnknownSpeed => ("unknown speed limit", "unknown speed limits", "the usual of the street type"),
            Self::UnknownLanes => {
                ("unknown number of lanes", "unknown numbers of lanes", "the usual of the street type")
            }
            Self::UnknownLength => ("unknown length", "unknown lengths", "measured on the map, or 100 m"),
            Self::UnknownShape => ("unknown shape", "unknown shapes", "taken as straight"),
        }
    }
}

/// The number of occurrences of an oddity in a file.
///
/// ```
/// use streets::Network;
///
/// let (_, warnings) = Network::from_bytes("my.txt", b"1 2 50\n2 1 far\n").unwrap();
/// let lines: Vec<String> = warnings.iter().map(|warning| warning.to_string()).collect();
/// assert_eq!(lines, ["1 unknown length, measured on the map, or 100 m; the first is \"far\" in line 2"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// The oddity.
    pub oddity: Oddity,
    /// The number of occurrences.
    pub count: u64,
    /// The first occurrence: its text and position.
    pub first: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, several, remedy) = self.oddity.texts();
        let what = if self.count == 1 { one } else { several };
        write!(f, "{} {what}, {remedy}; the first is {}", self.count, self.first)
    }
}

/// All oddities of a file, one [`Warning`] for each kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Warnings([Option<Warning>; Oddity::COUNT]);

impl Warnings {
    /// The warnings.
    pub fn iter(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter().flatten()
    }

    /// The number of occurrences of this oddity in the file.
    #[must_use]
    pub fn count(&self, oddity: Oddity) -> u64 {
        self.0[oddity as usize].as_ref().map_or(0, |warning| warning.count)
    }

    /// Counts an occurrence.
    pub(crate) fn add(&mut self, oddity: Oddity, first: impl FnOnce() -> String) {
        match &mut self.0[oddity as usize] {
            Some(warning) => warning.count += 1,
            none => *none = Some(Warning { oddity, count: 1, first: first() }),
        }
    }
}
