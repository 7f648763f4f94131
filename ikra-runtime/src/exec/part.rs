//! The objects of a run.

use std::fmt::{self, Debug};
use std::ops::Range;
use std::sync::Arc;

use crate::error::Error;
use crate::list::ListOrder;
use crate::objects::AnyObjects;

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
pub enum Extent {
    /// The objects at these positions.
    Range(Range<usize>),
    /// The objects in a list.
    List {
        /// The list. Its objects of the class exist.
        list: Arc<ListOrder>,
        /// The number of the kernel's class in the list.
        class: usize,
    },
}

impl Part<'_> {
    /// The run's objects of the class with this number.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`], [`Error::NotInWorld`].
    #[inline]
    pub(crate) fn of(self, class: usize, objects: &(impl AnyObjects + ?Sized)) -> Result<Extent, Error> {
        if objects.holes() > 0 {
            return self.of_live(class, objects);
        }
        let (len, name) = (objects.slots(), objects.name());
        match self {
            Self::All => Ok(Extent::Range(0..len)),
            Self::Ranges(ranges) => match ranges.get(class) {
                Some(range) if range.start <= range.end && range.end <= len => Ok(Extent::Range(range.clone())),
                Some(range) => Err(Error::OutOfRange { class: name, range: format!("{range:?}"), len }),
                None => Ok(Extent::Range(0..0)),
            },
            Self::List(list) => {
                list.check(class, len, name)?;
                Ok(Extent::List { list: Arc::clone(list), class })
            }
        }
    }

    /// As [`of`](Self::of), for a class some of whose objects were removed: those that exist, in the order of their
    /// ids.
    #[cold]
    fn of_live(self, class: usize, objects: &(impl AnyObjects + ?Sized)) -> Result<Extent, Error> {
        let name = objects.name();
        let live = objects.live();
        match self {
            Self::All => Ok(Extent::List { list: live, class: 0 }),
            Self::Ranges(ranges) => {
                let range = ranges.get(class).cloned().unwrap_or(0..0);
                let part = live.part(range.clone())?;
                let len = live.places_of(0).len();
                let list = part.ok_or_else(|| Error::OutOfRange { class: name, range: format!("{range:?}"), len })?;
                Ok(Extent::List { list: Arc::new(list), class: 0 })
            }
            Self::List(list) => {
                list.check(class, objects.slots(), name)?;
                if list.is_known_in(objects) {
                    return Ok(Extent::List { list: Arc::clone(list), class });
                }
                match list.listed(class)?.iter().find(|&index| !objects.exists(index)) {
                    Some(index) => Err(Error::Removed { class: name, id: index as u32 + 1 }),
                    None => Ok(Extent::List { list: Arc::clone(list), class }),
                }
            }
        }
    }
}

impl Extent {
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

impl Debug for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(range) => range.fmt(f),
            Self::List { .. } => write!(f, "a list of {}", self.len()),
        }
    }
}
