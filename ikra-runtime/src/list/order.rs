//! The objects in a list, class by class.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::OnceLock;

use crate::class::Class;
use crate::error::Error;
use crate::objects::{AnyObjects, generation};

/// A list without the type of its links: the objects of each class, in the order of their ids.
#[derive(Debug)]
pub struct ListOrder {
    /// The positions of each class's objects in the list.
    places: Vec<Range<usize>>,
    /// The range from the first to the last index of each class.
    bounds: Vec<Range<usize>>,
    /// The objects of each class, once the host has needed them.
    classes: OnceLock<Vec<Listed>>,
    /// All objects, once they were needed.
    objects: OnceLock<Vec<u32>>,
    memory: Option<Box<dyn ListMemory>>,
    /// The generation of ids in which the list was made.
    generation: u64,
    /// The number of the table that had all of its objects then, if that is known.
    table: Option<u64>,
}

/// The device memory of a list that was made on a device.
///
/// # Safety
///
/// [`fetch`](Self::fetch) returns the list's objects, at the positions with which the list was made.
pub unsafe trait ListMemory: Debug + Send + Sync {
    /// Copies the objects of all classes; each class starts at a multiple of 32.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    fn fetch(&self) -> Result<Vec<u32>, Error>;
    /// The number of numbers that [`fetch`](Self::fetch) copies.
    fn numbers(&self) -> usize;
    /// Whether the objects can be fetched: the device has not failed.
    fn is_there(&self) -> bool;
    /// The memory as `Any`, for downcasts.
    fn as_any(&self) -> &dyn Any;
}

impl ListOrder {
    /// The number of threads in a GPU's warp.
    const WARP: usize = 32;
    /// The entry at a position without an object, in the last warp of a class.
    const NONE: u32 = u32::MAX;

    /// The list of these objects.
    pub(super) fn new(classes: Vec<Listed>) -> Self {
        Self::made(classes, generation())
    }

    /// The list of these objects, as they were in a generation of ids.
    pub(crate) fn made(classes: Vec<Listed>, generation: u64) -> Self {
        let places = Self::places(classes.iter().map(Listed::len));
        let bounds = classes.iter().map(Listed::bounds).collect();
        Self {
            places,
            bounds,
            classes: OnceLock::from(classes),
            objects: OnceLock::new(),
            memory: None,
            generation,
            table: None,
        }
    }

    /// A list that was made on a device. For each class it takes the number of objects, and the range from the first to
    /// the last index. Without memory, each range is full.
    ///
    /// # Safety
    ///
    /// 1. The numbers and the ranges are right; without memory, each range has only objects of the list.
    /// 2. The memory has the objects of each class in the order of their ids, without duplicates.
    #[must_use]
    pub unsafe fn on_device(classes: &[(usize, Range<usize>)], memory: Option<Box<dyn ListMemory>>) -> Self {
        let places = Self::places(classes.iter().map(|(len, _)| *len));
        let bounds: Vec<_> = classes.iter().map(|(_, bounds)| bounds.clone()).collect();
        let known = memory.is_none().then(|| bounds.iter().cloned().map(Listed::Range).collect::<Vec<_>>());
        let classes = known.map_or_else(OnceLock::new, OnceLock::from);
        Self { places, bounds, classes, objects: OnceLock::new(), memory, generation: generation(), table: None }
    }

    /// The positions of each class's objects, given their numbers. Each class starts at a multiple of 32.
    fn places(lens: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
        let mut start = 0;
        let places = lens.map(|len| {
            let places = start..start + len;
            start = places.end.next_multiple_of(Self::WARP);
            places
        });
        places.collect()
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// The same list, all of whose objects existed in the table of this number when it was made.
    pub(crate) fn existing_in(self, table: u64) -> Self {
        Self { table: Some(table), ..self }
    }

    /// Whether all objects of the list are known to exist, given those of its class.
    pub(crate) fn is_known_in(&self, objects: &(impl AnyObjects + ?Sized)) -> bool {
        // SAFETY: the table is alive as long as the objects, which are borrowed.
        let table = unsafe { objects.header().as_ref() }.number;
        self.table == Some(table) && objects.removed_at() <= self.generation
    }

    pub(super) fn len(&self) -> usize {
        self.places.iter().map(Range::len).sum()
    }

    /// Whether the list can be used: the device that holds it has not failed.
    pub(super) fn is_there(&self) -> bool {
        self.memory.as_ref().is_none_or(|memory| memory.is_there())
    }

    /// The device memory, if the list was made on a device.
    #[must_use]
    pub fn memory(&self) -> Option<&dyn ListMemory> {
        self.memory.as_deref()
    }

    /// The objects of all classes; each class starts at a multiple of 32. On a GPU no warp then has two classes.
    ///
    /// # Errors
    ///
    /// Errors of the device that holds the list.
    pub fn objects(&self) -> Result<&[u32], Error> {
        if let (Some(memory), None) = (&self.memory, self.objects.get()) {
            // Another thread may have set the objects already.
            let _ = self.objects.set(memory.fetch()?);
        }
        Ok(self.objects.get_or_init(|| {
            let mut all =
                Vec::with_capacity(self.places.last().map_or(0, |last| last.end.next_multiple_of(Self::WARP)));
            for class in self.classes.get().into_iter().flatten() {
                match class {
                    Listed::Range(range) => all.extend(range.clone().map(|index| index as u32)),
                    Listed::Each(indices) => all.extend_from_slice(indices),
                    Listed::Ranges(pieces) => all.extend(pieces.iter().flat_map(|piece| piece.start..piece.end)),
                }
                all.resize(all.len().next_multiple_of(Self::WARP), Self::NONE);
            }
            all
        }))
    }

    /// The positions of a class's objects in the list.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn places_of(&self, class: usize) -> Range<usize> {
        self.places[class].clone()
    }

    /// The objects of a class as a range, if they are consecutive.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn range_of(&self, class: usize) -> Option<Range<usize>> {
        let bounds = &self.bounds[class];
        (bounds.len() == self.places[class].len()).then(|| bounds.clone())
    }

    /// The range of a class's indices in which its objects are.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn bounds_of(&self, class: usize) -> Range<usize> {
        self.bounds[class].clone()
    }

    /// The objects of the class with this number.
    pub(crate) fn listed(&self, class: usize) -> Result<&Listed, Error> {
        if let Some(classes) = self.classes.get() {
            return Ok(&classes[class]);
        }
        let all = self.objects()?;
        let listed = |places: &Range<usize>| Listed::new(all[places.clone()].to_vec());
        Ok(&self.classes.get_or_init(|| self.places.iter().map(listed).collect())[class])
    }

    /// The list of the objects of one class in these ranges of indices, in ascending order.
    pub(crate) fn of_ranges(ranges: impl Iterator<Item = Range<usize>>) -> Self {
        Self::new(vec![Listed::of_ranges(ranges)])
    }

    /// The part of a list of one class at some positions, if they exist.
    ///
    /// # Errors
    ///
    /// Errors of the device that holds the list.
    pub(crate) fn part(&self, places: Range<usize>) -> Result<Option<Self>, Error> {
        let listed = self.listed(0)?;
        if places.start > places.end || places.end > listed.len() {
            return Ok(None);
        }
        Ok(Some(Self::of_ranges(listed.ranges(places))))
    }

    /// Checks that all objects of a class are below `len`; `class` is its number, and `name` its name.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`] if one of them is not.
    pub(crate) fn check(&self, class: usize, len: usize, name: &'static str) -> Result<(), Error> {
        if self.bounds[class].end > len {
            // A device may know a wider range than that of its objects.
            let end = self.objects()?[self.places[class].clone()].last().map_or(0, |&last| last as usize + 1);
            if end > len {
                return Err(Error::NotInWorld { class: name, id: end as u32, len });
            }
        }
        Ok(())
    }

    /// The objects of the class with this number, which has `len` objects in the world.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`] if an object of the list does not exist; errors of the device that holds the list.
    pub(crate) fn objects_of<C: Class>(&self, class: usize, len: usize) -> Result<&Listed, Error> {
        self.check(class, len, C::NAME)?;
        self.listed(class)
    }
}

/// Objects of a class, without duplicates, in the order of their ids (I17).
#[derive(Debug)]
pub(crate) enum Listed {
    /// All objects of a range.
    Range(Range<usize>),
    /// These objects, in ascending order.
    Each(Vec<u32>),
    /// The objects of these ranges, in ascending order.
    Ranges(Vec<Piece>),
}

/// Consecutive objects in a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    start: u32,
    end: u32,
    /// The position of the object after the last one in the list.
    after: u32,
}

impl Piece {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Listed {
    /// The objects at ascending indices.
    pub(crate) fn new(indices: Vec<u32>) -> Self {
        match (indices.first(), indices.last()) {
            (Some(&first), Some(&last)) if (last - first) as usize + 1 == indices.len() => {
                Self::Range(first as usize..last as usize + 1)
            }
            (None, _) => Self::Range(0..0),
            _ => Self::Each(indices),
        }
    }

    /// The objects of ranges, in ascending order.
    fn of_ranges(ranges: impl Iterator<Item = Range<usize>>) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut after = 0;
        for range in ranges {
            after += range.len() as u32;
            match pieces.last_mut() {
                Some(last) if last.end == range.start as u32 => (last.end, last.after) = (range.end as u32, after),
                _ => pieces.push(Piece { start: range.start as u32, end: range.end as u32, after }),
            }
        }
        match pieces[..] {
            [] => Self::Range(0..0),
            [piece] => Self::Range(piece.range()),
            _ => Self::Ranges(pieces),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::Each(indices) => indices.len(),
            Self::Ranges(pieces) => pieces.last().map_or(0, |last| last.after as usize),
        }
    }

    /// The objects' indices, in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.ranges(0..self.len()).flatten()
    }

    /// The first object for which `is` does not hold.
    pub(crate) fn first_without(&self, is: &dyn Fn(usize) -> bool) -> Option<usize> {
        self.iter().find(|&index| !is(index))
    }

    /// Whether the object at this index is in the list.
    pub(crate) fn contains(&self, index: usize) -> bool {
        match self {
            Self::Range(range) => range.contains(&index),
            Self::Each(indices) => indices.binary_search_by_key(&index, |&other| other as usize).is_ok(),
            Self::Ranges(pieces) => {
                let at = pieces.partition_point(|piece| piece.end as usize <= index);
                pieces.get(at).is_some_and(|piece| piece.start as usize <= index)
            }
        }
    }

    /// The range from the first to the last index.
    fn bounds(&self) -> Range<usize> {
        match self {
            Self::Range(range) => range.clone(),
            Self::Each(indices) => {
                let ends = indices.first().zip(indices.last());
                ends.map_or(0..0, |(&first, &last)| first as usize..last as usize + 1)
            }
            Self::Ranges(pieces) => {
                let ends = pieces.first().zip(pieces.last());
                ends.map_or(0..0, |(first, last)| first.start as usize..last.end as usize)
            }
        }
    }

    /// The objects at some positions of the list; consecutive objects are grouped.
    pub(crate) fn runs(&self, places: Range<usize>) -> Runs<'_> {
        match self {
            Self::Range(range) => Runs { range: range.start + places.start..range.start + places.end, ..Runs::NONE },
            Self::Each(indices) => Runs { rest: &indices[places], ..Runs::NONE },
            Self::Ranges(pieces) => {
                let first = pieces.partition_point(|piece| piece.after as usize <= places.start);
                Runs { pieces: &pieces[first..], places, ..Runs::NONE }
            }
        }
    }

    /// The objects at some positions of the list, as ranges of indices.
    pub(crate) fn ranges(&self, places: Range<usize>) -> Ranges<'_> {
        Ranges { each: &[], runs: self.runs(places) }
    }
}

/// Objects of a list, as ranges of indices.
pub(crate) struct Ranges<'a> {
    /// The rest of a run.
    each: &'a [u32],
    runs: Runs<'a>,
}

impl Iterator for Ranges<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            if let Some((&index, others)) = self.each.split_first() {
                self.each = others;
                return Some(index as usize..index as usize + 1);
            }
            match self.runs.next()? {
                Run::Range(range) => return Some(range),
                Run::Each(indices) => self.each = indices,
            }
        }
    }
}

/// Some objects of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Run<'a> {
    /// All objects of a range.
    Range(Range<usize>),
    /// These objects, few of which are consecutive.
    Each(&'a [u32]),
}

/// From this number of consecutive objects on, grouping them pays.
const LONG: usize = 8;

/// Objects of a list, run by run.
#[derive(Debug)]
pub(crate) struct Runs<'a> {
    range: Range<usize>,
    /// Ascending indices, after those in the range.
    rest: &'a [u32],
    /// Pieces of a list, the first with the first of these positions.
    pieces: &'a [Piece],
    places: Range<usize>,
}

impl Runs<'_> {
    const NONE: Self = Self { range: 0..0, rest: &[], pieces: &[], places: 0..0 };

    /// The next piece, as far as its positions are among those left.
    #[inline]
    fn piece(&mut self) -> Option<Range<usize>> {
        let (&piece, others) = self.pieces.split_first().filter(|_| !self.places.is_empty())?;
        let (after, end) = (piece.after as usize, piece.end as usize);
        let start = end - (after - self.places.start);
        let last = self.places.end.min(after);
        self.pieces = others;
        self.places.start = last;
        Some(start..end - (after - last))
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        if !self.range.is_empty() {
            return Some(Run::Range(std::mem::take(&mut self.range)));
        }
        if let Some(range) = self.piece() {
            return Some(Run::Range(range));
        }
        let first = *self.rest.first()? as usize;
        // Indices ascend: they are consecutive if the last minus the first is one less than their number.
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
