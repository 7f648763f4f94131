//! Classes by ranges of numbers: COAL's virtual range table (TYPEPTR §5).
//!
//! Where links of several classes share one space of numbers, each class has regions of it, and a link's class is that of the
//! region that its number is in. It is found by a search in a balanced tree: memory is read, but never that of the
//! object.

/// A range of numbers that belong to one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Region {
    /// The first number.
    pub start: u32,
    /// How many numbers. 0 in the entries that fill a table.
    pub len: u32,
    /// The class, counted from 0.
    pub class: u32,
    /// The index in its class of the object with the first number.
    pub first: u32,
}

impl Region {
    /// No number is in it.
    pub const EMPTY: Self = Self { start: u32::MAX, len: 0, class: 0, first: 0 };

    /// The class and the index of the object with a number, if it is in the region.
    #[inline(always)]
    #[must_use]
    pub const fn find(self, number: u32) -> Option<(u32, u32)> {
        let offset = number.wrapping_sub(self.start);
        if offset < self.len { Some((self.class, self.first.wrapping_add(offset))) } else { None }
    }
}

/// Regions, to be searched by number.
///
/// The tree is implicit, as in the paper's algorithm 1: the nodes below node `n` are `2n` and `2n + 1`. All leaves are at the same depth, so that the
/// threads of a warp search in step.
///
/// ```
/// use ikra_core::range_table::{RangeTable, Region};
///
/// let regions = [
///     Region { start: 1, len: 10, class: 0, first: 0 },
///     Region { start: 11, len: 5, class: 1, first: 0 },
///     Region { start: 16, len: 20, class: 0, first: 10 },
///     Region::EMPTY,
/// ];
/// // Node 1 divides the leaves in halves, nodes 2 and 3 each half.
/// let splits = [0, 16, 11, u32::MAX];
/// let table = RangeTable::new(&splits, &regions).unwrap();
/// assert_eq!(table.find(12), Some((1, 1)));
/// assert_eq!(table.find(16), Some((0, 10)));
/// assert_eq!(table.find(36), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RangeTable<'a> {
    /// At `n` where the right one of the nodes below node `n` starts. Nothing at 0.
    splits: &'a [u32],
    /// The leaves, in the order of their numbers. As many as `splits`.
    regions: &'a [Region],
}

impl<'a> RangeTable<'a> {
    /// The table of these nodes and leaves; `None` unless there are as many of both, and a power of two.
    ///
    /// A search in nodes that are not in order finds no region or a wrong one.
    #[inline]
    #[must_use]
    pub const fn new(splits: &'a [u32], regions: &'a [Region]) -> Option<Self> {
        if splits.len() == regions.len() && regions.len().is_power_of_two() {
            Some(Self { splits, regions })
        } else {
            None
        }
    }

    /// The nodes; see [`RangeTable::new`].
    #[must_use]
    pub const fn splits(self) -> &'a [u32] {
        self.splits
    }

    /// The leaves; see [`RangeTable::new`].
    #[must_use]
    pub const fn regions(self) -> &'a [Region] {
        self.regions
    }

    /// The class and the index of the object with a number; `None` if the number is in no region.
    #[inline(always)]
    #[must_use]
    pub fn find(self, number: u32) -> Option<(u32, u32)> {
        let mut node = 1;
        while let Some(&split) = self.splits.get(node) {
            node = 2 * node + usize::from(number >= split);
        }
        self.regions.get(node - self.splits.len())?.find(number)
    }
}
