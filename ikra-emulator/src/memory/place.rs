//! The position of an address: in an allocation, next to one, or nowhere.

use std::fmt;

/// An address next to or in an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The purpose of the allocation.
    pub(crate) what: String,
    /// Its size.
    pub(crate) bytes: usize,
    /// The distance of the address from the allocation's start.
    pub(crate) offset: i64,
    /// Whether it is live.
    pub(crate) live: bool,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, bytes, offset, live } = self;
        let size = *bytes as i64;
        let count = |n: i64| if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") };
        if *offset < 0 {
            write!(f, "{} before the start of", count(-offset))?;
        } else if *offset >= size {
            write!(f, "{} past the end of", count(offset - size))?;
        } else {
            write!(f, "byte {offset} of")?;
        }
        write!(f, " {} of {}", if *live { "an allocation" } else { "a freed allocation" }, count(size))?;
        if !what.is_empty() {
            write!(f, " ({what})")?;
        }
        Ok(())
    }
}
