//! Regions of numbers for the objects of several classes: SharedOA's allocator (TYPEPTR §4), for numbers instead of addresses.

use crate::range_table::{RangeTable, Region};

#[cfg(test)]
mod tests;

/// Numbers of a class's first region, unless said otherwise: the paper's.
const FIRST_REGION: u32 = 4096;

/// The numbers of classes are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// The class that was to grow, counted from 0.
    pub class: usize,
}

/// Which numbers belong to which class.
///
/// A class starts with a small region; when its objects fill that, it gets another, twice as long. A region that follows
/// one of the same class is merged with it. Numbers start at 1, and those that are given out stay.
///
/// ```
/// use ikra_runtime::regions::Regions;
///
/// let mut regions = Regions::new(2);
/// regions.grow(0, 5000)?;                                    // 4,096 numbers, and 8,192 after them: one region
/// regions.grow(1, 1)?;
/// assert_eq!(regions.number(0, 4999), Some(5000));
/// assert_eq!(regions.number(1, 0), Some(12_289));
/// assert_eq!(regions.table().find(12_289), Some((1, 0)));
/// # Ok::<_, ikra_runtime::regions::Full>(())
/// ```
#[derive(Clone, Debug)]
pub struct Regions {
    /// Of each class its regions, in the order of their numbers and of their objects' indices.
    classes: Vec<Vec<Region>>,
    first_region: u32,
    /// The first number that belongs to no class.
    next: u32,
    splits: Vec<u32>,
    leaves: Vec<Region>,
}

impl Regions {
    /// No regions for so many classes.
    #[must_use]
    pub fn new(classes: usize) -> Self {
        Self::with_first_region(classes, FIRST_REGION)
    }

    /// No regions for so many classes, of which each will get so many numbers at first (TYPEPTR §8.2 varies that).
    #[must_use]
    pub fn with_first_region(classes: usize, first_region: u32) -> Self {
        Self {
            classes: vec![Vec::new(); classes],
            first_region: first_region.max(1),
            next: 1,
            splits: vec![u32::MAX],
            leaves: vec![Region::EMPTY],
        }
    }

    /// Makes room for `objects` objects of a class, and returns whether the table is another one now.
    ///
    /// # Errors
    ///
    /// If there are not enough numbers left. Nothing is changed.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    pub fn grow(&mut self, class: usize, objects: u32) -> Result<bool, Full> {
        let regions = &mut self.classes[class];
        let mut room = regions.last().map_or(0, |last| last.first + last.len);
        if room >= objects {
            return Ok(false);
        }
        if objects - room > u32::MAX - self.next {
            return Err(Full { class });
        }
        while room < objects {
            // What a class has doubles and one more: regions of 1, 2, 4, … times the first one's length.
            let len = room.saturating_add(self.first_region).min(u32::MAX - self.next);
            match regions.last_mut() {
                Some(last) if last.start + last.len == self.next => last.len += len,
                _ => regions.push(Region { start: self.next, len, class: class as u32, first: room }),
            }
            self.next += len;
            room += len;
        }
        self.build();
        Ok(true)
    }

    /// The number of an object; `None` if it is in no region of its class.
    #[must_use]
    pub fn number(&self, class: usize, index: u32) -> Option<u32> {
        let regions = self.classes.get(class)?;
        let region = regions[..regions.partition_point(|region| region.first <= index)].last()?;
        let offset = index - region.first;
        (offset < region.len).then(|| region.start + offset)
    }

    /// How many regions there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.classes.iter().map(Vec::len).sum()
    }

    /// The table to search.
    ///
    /// # Panics
    ///
    /// Never: its parts are as long as each other.
    #[must_use]
    pub fn table(&self) -> RangeTable<'_> {
        RangeTable::new(&self.splits, &self.leaves).expect("as many nodes as leaves")
    }

    /// Makes the tree.
    fn build(&mut self) {
        let count = self.count().next_power_of_two();
        self.leaves.clear();
        self.leaves.extend(self.classes.iter().flatten());
        self.leaves.sort_unstable_by_key(|region| region.start);
        self.leaves.resize(count, Region::EMPTY);
        self.splits.clear();
        self.splits.push(u32::MAX);
        // Level by level. The n-th node of a level with k nodes divides the leaves from n to n + 1 k-ths.
        let mut nodes = 1;
        while nodes < count {
            let leaves = count / nodes;
            self.splits.extend((0..nodes).map(|n| self.leaves[n * leaves + leaves / 2].start));
            nodes *= 2;
        }
    }
}
