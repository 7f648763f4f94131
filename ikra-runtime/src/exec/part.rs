//! The objects of a run.

use std::fmt::{self, Debug};
use std::ops::Range;
use std::sync::Arc;

use crate::error::Error;
use crate::list::ListOrder;

/// The objects of a run, for each of its kernel's classes: all of them, or a part. An executor that shares a run with
/// others passes its part to [`Run::on_host`](crate::executor::Run::on_host).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Part<'a> {
    /// All objects of all classes.
    All,
    /// The objects at some positions: one range per class, in the order of the classes.
    Ranges(&'a [Range<usize>]),
    /// The objects in a list.
    List(&'a Arc<ListOrder>),
}

/// A run's objects of one class.
#[derive(Clone)]
#[non_exhaustive]
pub enum Extent<'a> {
    /// The objects at these positions.
    Range(Range<usize>),
    /// The objects in a list.
    List {
        /// The list. Its objects of the class exist.
        list: &'a Arc<ListOrder>,
        /// The number of the kernel's class in the list.
        class: usize,
    },
}

impl<'a> Part<'a> {
    /// The run's objects of the class with this number, this name and `len` objects.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`], [`Error::NotInWorld`].
    #[inline]
    pub(crate) fn of(self, class: usize, len: usize, name: &'static str) -> Result<Extent<'a>, Error> {
        match self {
            Self::All => Ok(Extent::Range(0..len)),
            Self::Ranges(ranges) => match ranges.get(class) {
                Some(range) if range.start <= range.end && range.end <= len => Ok(Extent::Range(range.clone())),
                Some(range) => Err(Error::OutOfRange { class: name, range: format!("{range:?}"), len }),
                None => Ok(Extent::Range(0..0)),
            },
            Self::List(list) => {
                list.check(class, len, name)?;
                Ok(Extent::List { list, class })
            }
        }
    }
}

impl Extent<'_> {
    /// The number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::List { list, class } => list.places_of(*class).len(),
        }
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Debug for Extent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(range) => range.fmt(f),
            Self::List { .. } => write!(f, "a list of {}", self.len()),
        }
    }
}
