//! Links of several classes, put in order by class: job reordering (RUBY §4.1).

use std::mem;
use std::ops::Range;
use std::slice::IterMut;

use rayon::prelude::*;

#[cfg(test)]
mod tests;

/// Links that a thread takes at least.
const CHUNK: usize = 1 << 15;

/// A slice of links of several classes, class by class: algorithm 1 of RUBY.
///
/// The slice itself stays as it is. What is wanted of each link, its object or its position in the slice, gets a *place*: those of a class follow each
/// other in the order of the slice, and a class starts at a multiple of [`WARP`](Self::WARP), so that no warp of a GPU works
/// for two classes. Places are found by counting, in linear time, and do not depend on the number of threads.
///
/// ```
/// use ikra_runtime::reorder::Reordered;
///
/// // Class and index of an object.
/// let links = [(1, 7), (0, 5), (1, 3), (0, 4)];
/// let objects = Reordered::new(&links, 2, |_, link| link);
/// assert_eq!(objects.of(0), [5, 4]);
/// assert_eq!(objects.of(1), [7, 3]);
/// assert_eq!(objects.places_of(1), 32..34);
/// assert_eq!(objects.all().len(), 64);
/// // Where in the slice they are: the result of what runs for place n belongs there.
/// let positions = Reordered::new(&links, 2, |position, (class, _)| (class, position));
/// assert_eq!(positions.of(1), [0, 2]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reordered {
    /// What is at each place, or `NONE`.
    all: Vec<u32>,
    /// The places of each class.
    places: Vec<Range<usize>>,
}

impl Reordered {
    /// Threads of a GPU's warp.
    pub const WARP: usize = 32;
    /// What is at a place without a link, in the last warp of a class.
    pub const NONE: u32 = u32::MAX;

    /// Puts links in order by class. `parts` tells a link's class, below `classes`, and what is wanted of it, given its position and itself.
    ///
    /// # Panics
    ///
    /// If there are 2³² links or more, or a class is not below `classes`.
    pub fn new<L: Copy + Sync>(links: &[L], classes: usize, parts: impl Fn(u32, L) -> (usize, u32) + Sync) -> Self {
        assert!(u32::try_from(links.len()).is_ok(), "{} links are too many to be put in order", links.len());
        // Chunks that are long enough for their counts to be few.
        let chunk = links.len().div_ceil(rayon::current_num_threads()).max(CHUNK).max(8 * classes);
        let count = |links: &[L]| {
            let mut counts = vec![0_usize; classes];
            for &link in links {
                counts[parts(0, link).0] += 1;
            }
            counts
        };
        let counts: Vec<_> = links.par_chunks(chunk).map(count).collect();

        let mut end = 0;
        let place = |class| {
            let start = end;
            let len = counts.iter().map(|counts| counts[class]).sum::<usize>();
            end += len.next_multiple_of(Self::WARP);
            start..start + len
        };
        let places: Vec<_> = (0..classes).map(place).collect();
        let mut reordered = Self { all: vec![Self::NONE; end], places };

        links.par_chunks(chunk).zip(reordered.rooms(&counts)).enumerate().for_each(|(n, (links, mut rooms))| {
            for (position, &link) in (n * chunk..).zip(links) {
                let (class, wanted) = parts(position as u32, link);
                *rooms[class].next().expect("as many links as were counted") = wanted;
            }
        });
        reordered
    }

    /// Where each chunk puts its links, one room per class.
    fn rooms(&mut self, counts: &[Vec<usize>]) -> Vec<Vec<IterMut<'_, u32>>> {
        let mut rooms: Vec<_> = counts.iter().map(|counts| Vec::with_capacity(counts.len())).collect();
        let mut rest = &mut self.all[..];
        let mut at = 0;
        for (class, places) in self.places.iter().enumerate() {
            // The places before are the padding of the class before.
            take(&mut rest, places.start - at);
            for (rooms, counts) in rooms.iter_mut().zip(counts) {
                rooms.push(take(&mut rest, counts[class]).iter_mut());
            }
            at = places.end;
        }
        rooms
    }

    /// What is at each place, [`NONE`](Self::NONE) where no link is. As many as a multiple of [`WARP`](Self::WARP).
    #[must_use]
    pub fn all(&self) -> &[u32] {
        &self.all
    }

    /// The places of a class's links.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn places_of(&self, class: usize) -> Range<usize> {
        self.places[class].clone()
    }

    /// What is wanted of a class's links, in the order of the slice.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn of(&self, class: usize) -> &[u32] {
        &self.all[self.places_of(class)]
    }
}

/// The first `len` elements, which are then no longer in the slice.
fn take<'a>(slice: &mut &'a mut [u32], len: usize) -> &'a mut [u32] {
    let (taken, rest) = mem::take(slice).split_at_mut(len);
    *slice = rest;
    taken
}
