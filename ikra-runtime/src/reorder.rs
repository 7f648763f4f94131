//! Links of several classes, put in order by class: job reordering (RUBY §4.1).

use std::mem;
use std::ops::Range;

use rayon::prelude::*;

#[cfg(test)]
mod tests;

/// Links that a thread takes at least.
const CHUNK: usize = 1 << 15;

/// A slice of links of several classes, class by class: algorithm 1 of RUBY.
///
/// The slice itself stays as it is. Of each class its links have consecutive *places*, in the order in which they are in the slice; a class starts at a
/// multiple of [`WARP`](Self::WARP), so that no warp of a GPU works for two classes. Both are found by counting, in linear
/// time, and do not depend on the number of threads.
///
/// ```
/// use ikra_runtime::reorder::Reordered;
///
/// // Class and index of an object.
/// let links = [(1, 7), (0, 5), (1, 3), (0, 4)];
/// let reordered = Reordered::new(&links, 2, |link| link);
/// assert_eq!(reordered.objects_of(0), [5, 4]);
/// assert_eq!(reordered.objects_of(1), [7, 3]);
/// assert_eq!(reordered.positions_of(1), [0, 2]);              // where in the slice they are
/// assert_eq!(reordered.places_of(1), 32..34);
/// assert_eq!(reordered.objects().len(), 64);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reordered {
    /// The object at each place, or `NONE`.
    objects: Vec<u32>,
    /// The position in the slice of the link at each place, or `NONE`.
    positions: Vec<u32>,
    /// The places of each class.
    places: Vec<Range<usize>>,
}

/// Where a thread puts links of one class: the objects and the positions.
type Room<'a> = std::iter::Zip<std::slice::IterMut<'a, u32>, std::slice::IterMut<'a, u32>>;

impl Reordered {
    /// Threads of a GPU's warp.
    pub const WARP: usize = 32;
    /// What is at a place without a link, in the last warp of a class.
    pub const NONE: u32 = u32::MAX;

    /// Puts links in order by class. `parts` tells a link's class, below `classes`, and its object's index in that class.
    ///
    /// # Panics
    ///
    /// If there are 2³² − 1 links or more, or a class is not below `classes`.
    pub fn new<L: Copy + Sync>(links: &[L], classes: usize, parts: impl Fn(L) -> (usize, u32) + Sync) -> Self {
        assert!(links.len() < Self::NONE as usize, "{} links are too many to be put in order", links.len());
        // Chunks that are long enough for their counts to be few.
        let chunk = links.len().div_ceil(rayon::current_num_threads()).max(CHUNK).max(8 * classes);
        let count = |links: &[L]| {
            let mut counts = vec![0_usize; classes];
            for &link in links {
                counts[parts(link).0] += 1;
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
        let mut reordered = Self { objects: vec![Self::NONE; end], positions: vec![Self::NONE; end], places };

        links.par_chunks(chunk).zip(reordered.rooms(&counts)).enumerate().for_each(|(n, (links, mut rooms))| {
            for (position, &link) in (n * chunk..).zip(links) {
                let (class, index) = parts(link);
                let (object, place) = rooms[class].next().expect("as many links as were counted");
                *object = index;
                *place = position as u32;
            }
        });
        reordered
    }

    /// The rooms of each chunk, one per class.
    fn rooms(&mut self, counts: &[Vec<usize>]) -> Vec<Vec<Room<'_>>> {
        let mut rooms: Vec<_> = counts.iter().map(|counts| Vec::with_capacity(counts.len())).collect();
        let (mut objects, mut positions) = (&mut self.objects[..], &mut self.positions[..]);
        let mut at = 0;
        for (class, places) in self.places.iter().enumerate() {
            // The places before are the padding of the class before.
            take(&mut objects, places.start - at);
            take(&mut positions, places.start - at);
            for (rooms, counts) in rooms.iter_mut().zip(counts) {
                let len = counts[class];
                rooms.push(take(&mut objects, len).iter_mut().zip(take(&mut positions, len)));
            }
            at = places.end;
        }
        rooms
    }

    /// The object's index in its class at each place, [`NONE`](Self::NONE) where no link is. As many as a
    /// multiple of [`WARP`](Self::WARP).
    #[must_use]
    pub fn objects(&self) -> &[u32] {
        &self.objects
    }

    /// The link's position in the slice at each place, [`NONE`](Self::NONE) where no link is. The result of the call at place `n`
    /// is that of link `positions()[n]`.
    #[must_use]
    pub fn positions(&self) -> &[u32] {
        &self.positions
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

    /// The objects of a class, in the order of the slice.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn objects_of(&self, class: usize) -> &[u32] {
        &self.objects[self.places_of(class)]
    }

    /// The positions in the slice of a class's links, in order.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn positions_of(&self, class: usize) -> &[u32] {
        &self.positions[self.places_of(class)]
    }
}

/// The first `len` elements, which are then no longer in the slice.
fn take<'a>(slice: &mut &'a mut [u32], len: usize) -> &'a mut [u32] {
    let (taken, rest) = mem::take(slice).split_at_mut(len);
    *slice = rest;
    taken
}
