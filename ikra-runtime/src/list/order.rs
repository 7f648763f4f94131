//! The objects in a list, class by class.

use std::ops::Range;
use std::sync::OnceLock;

use crate::class::Class;
use crate::error::Error;

/// A list without the type of its links: of each class its objects, in the order of their ids.
#[derive(Debug)]
pub struct ListOrder {
    classes: Vec<Listed>,
    /// Where those of each class are among `objects`.
    places: Vec<Range<usize>>,
    /// All of them, if that was asked for.
    objects: OnceLock<Vec<u32>>,
}

impl ListOrder {
    /// Threads of a GPU's warp.
    const WARP: usize = 32;
    /// What is at a place without an object, in the last warp of a class.
    const NONE: u32 = u32::MAX;

    /// The list of these objects.
    pub(super) fn new(classes: Vec<Listed>) -> Self {
        let mut start = 0;
        let places = classes.iter().map(|class| {
            let places = start..start + class.len();
            start = places.end.next_multiple_of(Self::WARP);
            places
        });
        let places = places.collect();
        Self { classes, places, objects: OnceLock::new() }
    }

    /// How many objects there are.
    pub(super) fn len(&self) -> usize {
        self.classes.iter().map(Listed::len).sum()
    }

    /// The objects of all classes; where a class starts they start at a multiple of 32. A GPU asks for them: no warp works for
    /// two classes.
    #[must_use]
    pub fn objects(&self) -> &[u32] {
        self.objects.get_or_init(|| {
            let mut all =
                Vec::with_capacity(self.places.last().map_or(0, |last| last.end.next_multiple_of(Self::WARP)));
            for class in &self.classes {
                match class {
                    Listed::Range(range) => all.extend(range.clone().map(|index| index as u32)),
                    Listed::Each(indices) => all.extend_from_slice(indices),
                }
                all.resize(all.len().next_multiple_of(Self::WARP), Self::NONE);
            }
            all
        })
    }

    /// Where those of a class are among them.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn places_of(&self, class: usize) -> Range<usize> {
        self.places[class].clone()
    }

    /// The objects of the class with a number.
    #[cfg(test)]
    pub(super) fn listed(&self, class: usize) -> &Listed {
        &self.classes[class]
    }

    /// The objects of the class with a number, which has so many.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`] if one of them is not among those.
    pub(crate) fn objects_of<C: Class>(&self, class: usize, len: usize) -> Result<&Listed, Error> {
        let listed = &self.classes[class];
        match listed.last() {
            Some(index) if index >= len => {
                Err(Error::NotInWorld { class: C::NAME, id: (index as u32).wrapping_add(1), len })
            }
            _ => Ok(listed),
        }
    }
}

/// Objects of a class, none of them twice, in the order of their ids.
#[derive(Debug)]
pub(crate) enum Listed {
    /// All of a range.
    Range(Range<usize>),
    /// These, which increase.
    Each(Vec<u32>),
}

impl Listed {
    /// Objects at places that increase.
    pub(super) fn new(indices: Vec<u32>) -> Self {
        match (indices.first(), indices.last()) {
            (Some(&first), Some(&last)) if (last - first) as usize + 1 == indices.len() => {
                Self::Range(first as usize..last as usize + 1)
            }
            (None, _) => Self::Range(0..0),
            _ => Self::Each(indices),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::Each(indices) => indices.len(),
        }
    }

    fn last(&self) -> Option<usize> {
        match self {
            Self::Range(range) => range.clone().next_back(),
            Self::Each(indices) => indices.last().map(|&index| index as usize),
        }
    }

    /// Those at some places of the list, together where they follow each other.
    pub(crate) fn runs(&self, places: Range<usize>) -> Runs<'_> {
        match self {
            Self::Range(range) => Runs { range: range.start + places.start..range.start + places.end, rest: &[] },
            Self::Each(indices) => Runs { range: 0..0, rest: &indices[places] },
        }
    }

    /// Where the objects are.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.runs(0..self.len()).flat_map(|run| {
            let (range, each) = match run {
                Run::Range(range) => (Some(range), &[][..]),
                Run::Each(indices) => (None, indices),
            };
            range.into_iter().chain(each.iter().map(|&index| index as usize..index as usize + 1))
        })
    }
}

/// Some objects of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Run<'a> {
    /// All of a range.
    Range(Range<usize>),
    /// These, few of which follow each other.
    Each(&'a [u32]),
}

/// So many objects that follow each other pay for being worked on together.
const LONG: usize = 8;

/// Objects of a list, run by run.
#[derive(Debug)]
pub(crate) struct Runs<'a> {
    range: Range<usize>,
    /// Indices that increase, after those in the range.
    rest: &'a [u32],
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        if !self.range.is_empty() {
            return Some(Run::Range(std::mem::take(&mut self.range)));
        }
        let first = *self.rest.first()? as usize;
        // Indices increase: they follow each other if the last is as far from the first as there are.
        let follows = |rest: &[u32], len: usize| rest.len() >= len && rest[len - 1] - rest[0] == len as u32 - 1;
        if follows(self.rest, LONG) {
            let mut len = LONG;
            while follows(self.rest, 2 * len) {
                len *= 2;
            }
            let mut most = (2 * len).min(self.rest.len());
            while len < most {
                let middle = most - (most - len) / 2;
                if follows(self.rest, middle) {
                    len = middle;
                } else {
                    most = middle - 1;
                }
            }
            self.rest = &self.rest[len..];
            return Some(Run::Range(first..first + len));
        }
        let mut len = 0;
        while len < self.rest.len() && !follows(&self.rest[len..], LONG) {
            len += LONG.min(self.rest.len() - len);
        }
        let (each, rest) = self.rest.split_at(len);
        self.rest = rest;
        Some(Run::Each(each))
    }
}
