//! Classes by ranges of numbers: the virtual range table of COAL (TYPEPTR §5).
//!
//! Links of several classes can share one space of numbers. Each class has regions of that space, and the region of a
//! link's number determines its class. A search in a balanced tree finds the region: it reads memory, but never that of
//! the object.
//!
//! The regions follow SharedOA (§4): a class starts with a small one. When its objects fill that, the class gets
//! another, twice as long. SharedOA adds regions as objects are made. Here the classes add regions in turn, as if all
//! grew at the same pace. So numbers and table depend only on the number of classes: [`Numbering`].

/// A range of numbers that belong to one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Region {
    /// The first number.
    pub start: u32,
    /// The length of the range; 0 in the entries that fill a table.
    pub len: u32,
    /// The class, counted from 0.
    pub class: u32,
    /// The index in its class of the object with the first number.
    pub first: u32,
}

impl Region {
    /// An empty region.
    pub const EMPTY: Self = Self { start: u32::MAX, len: 0, class: 0, first: 0 };

    /// The class and the index of the object with this number, if the number is in the region.
    #[inline(always)]
    #[must_use]
    pub const fn find(self, number: u32) -> Option<(u32, u32)> {
        let offset = number.wrapping_sub(self.start);
        if offset < self.len { Some((self.class, self.first.wrapping_add(offset))) } else { None }
    }
}

/// Regions with a search tree over their numbers.
///
/// The tree is implicit, as in the paper's algorithm 1: the children of node `n` are `2n` and `2n + 1`. All leaves are
/// at the same depth, so that the threads of a warp search in step.
///
/// ```
/// use ikra_strategies::range_table::{RangeTable, Region};
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
    /// Entry `n` is the first number of the right child of node `n`. Entry 0 is unused.
    splits: &'a [u32],
    /// The leaves, in the order of their numbers. The slice is as long as `splits`.
    regions: &'a [Region],
}

impl<'a> RangeTable<'a> {
    /// Makes a table of these nodes and leaves. Returns `None` unless their numbers are equal and a power of two.
    ///
    /// With unsorted nodes, a search finds no region or a wrong one.
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

    /// The class and the index of the object with this number; `None` if the number is in no region.
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

/// The length of a class's first region, as in the paper.
const FIRST_REGION: u64 = 4096;

/// The numbers of the objects of `n` classes, from 1 on.
///
/// First each class gets a region of 4,096 numbers, in turn, then one of 8,192, and so on. The last regions take up the
/// remaining numbers of 32 bits.
///
/// ```
/// use ikra_strategies::range_table::Numbering;
///
/// const TWO: Numbering = Numbering::of(2);
/// assert_eq!(TWO.number(0, 0), 1);
/// assert_eq!(TWO.number(1, 0), 4097);
/// assert_eq!(TWO.number(0, 4096), 8193);
/// static REGIONS: [ikra_strategies::range_table::Region; TWO.leaves()] = TWO.regions();
/// static SPLITS: [u32; TWO.leaves()] = ikra_strategies::range_table::splits(&REGIONS);
/// let table = ikra_strategies::range_table::RangeTable::new(&SPLITS, &REGIONS).unwrap();
/// assert_eq!(table.find(4097), Some((1, 0)));
/// assert_eq!(table.find(8193), Some((0, 4096)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Numbering {
    classes: u64,
    /// The number of regions of full length per class.
    full: u32,
    /// The length of each class's last region.
    last: u64,
}

impl Numbering {
    /// The numbering for a number of classes.
    ///
    /// # Panics
    ///
    /// If there are no classes, or too many for each to have a region.
    #[must_use]
    pub const fn of(classes: usize) -> Self {
        let classes = classes as u64;
        assert!(classes > 0 && classes * FIRST_REGION < u32::MAX as u64, "each class has a region");
        let mut full = 1;
        while classes * Self::first(full + 1) < u32::MAX as u64 {
            full += 1;
        }
        Self { classes, full, last: (u32::MAX as u64 - 1) / classes - Self::first(full) }
    }

    /// The index of the first object in a class's n-th region.
    const fn first(n: u32) -> u64 {
        FIRST_REGION * ((1 << n) - 1)
    }

    /// The length of a class's n-th region.
    const fn len(self, n: u32) -> u64 {
        if n < self.full { FIRST_REGION << n } else { self.last }
    }

    /// The first number of a class's n-th region.
    const fn start(self, class: u64, n: u32) -> u64 {
        1 + self.classes * Self::first(n) + class * self.len(n)
    }

    /// The number of objects of a class that have numbers.
    #[must_use]
    pub const fn room(self) -> u32 {
        (Self::first(self.full) + self.last) as u32
    }

    /// The number of an object. Its index is less than [`room`](Self::room).
    #[inline]
    #[must_use]
    pub const fn number(self, class: u32, index: u32) -> u32 {
        let n = (index as u64 / FIRST_REGION + 1).ilog2();
        (self.start(class as u64, n) + (index as u64 - Self::first(n))) as u32
    }

    /// The number of leaves in the table of all regions.
    #[must_use]
    pub const fn leaves(self) -> usize {
        // The regions of a single class are adjacent, so they are merged.
        if self.classes == 1 { 1 } else { (self.classes as usize * (self.full as usize + 1)).next_power_of_two() }
    }

    /// The table's leaves.
    ///
    /// # Panics
    ///
    /// If `N` differs from [`leaves`](Self::leaves).
    #[must_use]
    pub const fn regions<const N: usize>(self) -> [Region; N] {
        assert!(N == self.leaves(), "as many as there are");
        let mut regions = [Region::EMPTY; N];
        if self.classes == 1 {
            regions[0] = Region { start: 1, len: self.room(), class: 0, first: 0 };
            return regions;
        }
        let (mut n, mut at) = (0, 0);
        while n <= self.full {
            let mut class = 0;
            while class < self.classes {
                let (start, len) = (self.start(class, n) as u32, self.len(n) as u32);
                regions[at] = Region { start, len, class: class as u32, first: Self::first(n) as u32 };
                at += 1;
                class += 1;
            }
            n += 1;
        }
        regions
    }
}

/// The nodes above leaves, which must be in the order of their numbers.
///
/// # Panics
///
/// If the number of leaves is not a power of two.
#[must_use]
pub const fn splits<const N: usize>(regions: &[Region; N]) -> [u32; N] {
    assert!(N.is_power_of_two(), "a power of two");
    let mut splits = [u32::MAX; N];
    // Level by level. Node n of the k nodes on a level splits the leaves from n/k to (n + 1)/k in the middle.
    let mut nodes = 1;
    while nodes < N {
        let leaves = N / nodes;
        let mut n = 0;
        while n < nodes {
            splits[nodes + n] = regions[n * leaves + leaves / 2].start;
            n += 1;
        }
        nodes *= 2;
    }
    splits
}
