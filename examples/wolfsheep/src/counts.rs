//! The populations.

use std::fmt;

/// How many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sheep.
    pub sheep: usize,
    /// Wolves.
    pub wolves: usize,
    /// Cells whose grass is grown.
    pub grass: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sheep, {} wolves, {} cells of grass", self.sheep, self.wolves, self.grass)
    }
}
