//! Grids of cells over positions, to find neighbours.

use crate::directory::Targets;
use crate::groups::Keys;
use crate::hilbert;
use crate::math;
use crate::origin::meaning;
use crate::phase::Phase;
use crate::value::{LaneArray, Value};

/// A grid over a box in `D` dimensions. Its cells are at least as long as a radius, so all objects within the radius
/// are in an object's own cell and those next to it.
///
/// A grid is a value: it can be a kernel's argument. [`World::group_by`](../ikra/trait.World.html#method.group_by)
/// groups objects by their cells, and [`Grouped::around`](crate::groups::Grouped::around) finds neighbours.
///
/// | | open, the default | [`periodic`](Self::periodic) |
/// | --- | --- | --- |
/// | a position outside of the box | counts to the nearest cell at the border | is wrapped into the box |
/// | the cells at the border | have neighbours on one side | have the cells at the other border as neighbours |
/// | [`offset`](Self::offset) | the difference | the shortest vector, also across the border |
///
/// A position that is not a number has no cell; so has an infinite one if the grid is periodic.
///
/// ```
/// use ikra::Grid;
///
/// let open = Grid::new([0.0, 0.0], [10.0, 6.0], 2.1);
/// assert_eq!((open.size(), open.cells()), ([4, 2], 8));
/// assert_eq!(open.cell([9.0, 1.0]), Some(3));
/// assert_eq!(open.cell([-5.0, 1.0]), open.cell([0.0, 1.0]));
/// assert_eq!(open.cell([f32::NAN, 1.0]), None);
/// let ring = Grid::new([0.0], [10.0], 2.0).periodic();
/// assert_eq!(ring.cell([-1.0]), ring.cell([9.0]));
/// assert_eq!(ring.offset([9.0], [1.0]), [2.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Grid<const D: usize> {
    min: [f32; D],
    /// The lengths of the box.
    len: [f32; D],
    /// The number of cells per unit of length.
    per_unit: [f32; D],
    size: [u32; D],
    /// 1 or 0.
    is_periodic: u32,
}

impl<const D: usize> Grid<D> {
    /// The most cells that a grid has: with a smaller radius, cells are longer than the radius. Along one axis it has fewer
    /// than 2²¹, since `f32` cannot place an object in more of them.
    pub const MAX_CELLS: u32 = 1 << 24;

    /// An open grid over the box from `min` to `max`. Cells are longer than `radius`: a length of 10 has 9 for radius 1.
    ///
    /// # Panics
    ///
    /// If the box does not end after it begins on each axis, if it is not finite, if its cells are so short that their number
    /// per unit of length is not finite, or if the radius is not greater than 0.
    #[must_use]
    #[track_caller]
    pub fn new(min: [f32; D], max: [f32; D], radius: f32) -> Self {
        const { assert!(D > 0, "a grid has at least one dimension") };
        assert!(radius > 0.0, "a grid's radius is greater than 0");
        let mut grid = Self { min, len: [0.0; D], per_unit: [0.0; D], size: [1; D], is_periodic: 0 };
        for d in 0..D {
            assert!(min[d] < max[d], "a grid's box ends after it begins, on each axis");
            grid.len[d] = max[d] - min[d];
            assert!(grid.len[d] < f32::INFINITY, "a grid's box is finite");
        }
        let mut least = f64::from(radius);
        while !grid.divide(least) {
            least *= 1.25;
        }
        // Otherwise no position would have a cell.
        let is_long = grid.per_unit.iter().all(|&per_unit| per_unit < f32::INFINITY);
        assert!(is_long, "a grid's cells are too short for `f32`: use a smaller unit of length");
        grid
    }

    /// Makes the cells at least this long. Returns whether there are few enough.
    fn divide(&mut self, least: f64) -> bool {
        let mut cells = 1.0;
        for d in 0..D {
            let len = f64::from(self.len[d]);
            // Coordinates are rounded. A cell exceeds the least length by more than the errors of both ends of a distance.
            self.size[d] = ((len / (least + len / 2_097_152.0)) as u32).max(1);
            self.per_unit[d] = (f64::from(self.size[d]) / len) as f32;
            cells *= f64::from(self.size[d]);
        }
        cells <= f64::from(Self::MAX_CELLS)
    }

    /// The same grid of a box whose opposite borders are one.
    #[must_use]
    pub const fn periodic(mut self) -> Self {
        self.is_periodic = 1;
        self
    }

    /// Whether opposite borders are one.
    #[must_use]
    pub const fn is_periodic(&self) -> bool {
        self.is_periodic != 0
    }

    /// The number of cells along each axis.
    #[must_use]
    pub const fn size(&self) -> [u32; D] {
        self.size
    }

    /// The number of cells.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.size.iter().product()
    }

    /// The cell of a position, counted along the first axis first. `None` if the position is not a number. In a periodic grid
    /// also if it is infinite, or so far away that the number of cells on the way is.
    #[must_use]
    #[inline]
    pub fn cell(&self, pos: [f32; D]) -> Option<u32> {
        let at = self.place(pos)?;
        let (mut cell, mut stride) = (0, 1);
        for d in 0..D {
            cell += at[d] * stride;
            stride *= self.size[d];
        }
        Some(cell)
    }

    /// The number of a position's cell along a Hilbert curve: objects that are sorted by it are near each other in memory if
    /// they are in space. That helps caches, and ranks of a [cluster](../ikra_cluster/index.html) exchange less. `None` as for
    /// [`cell`](Self::cell).
    ///
    /// ```
    /// use ikra::{Grid, prelude::*};
    ///
    /// #[soa_class]
    /// pub struct Bird { pub pos: [f32; 2] }
    /// #[soa_methods]
    /// impl Bird {
    ///     #[kernel]
    ///     pub fn along(&self, grid: Grid<2>) -> u64 { grid.hilbert(self.pos).unwrap_or(0) }
    /// }
    /// #[soa_world]
    /// pub struct Sky { pub birds: Objects<Bird> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut sky = Sky::new();
    /// sky.birds.extend([[0.5, 0.5], [3.5, 0.5], [0.5, 1.5], [1.5, 0.5]].map(|pos| Bird { pos }))?;
    /// sky.sort_by_key(Bird::along, Grid::new([0.0; 2], [4.0; 2], 0.9))?;
    /// assert_eq!(sky.birds.column(bird::pos), [[0.5, 0.5], [1.5, 0.5], [0.5, 1.5], [3.5, 0.5]]);
    /// # Ok(()) }
    /// ```
    #[must_use]
    #[inline]
    pub fn hilbert(&self, pos: [f32; D]) -> Option<u64> {
        let (mut at, mut most) = (self.place(pos)?, 1);
        for d in 0..D {
            most = most.max(self.size[d]);
        }
        // The bits along each axis that fit into the number; cells are joined if they have more.
        let (bits, room) = (u32::BITS - (most - 1).leading_zeros(), u64::BITS / D as u32);
        let joined = bits.saturating_sub(room);
        for d in 0..D {
            at[d] >>= joined;
        }
        Some(hilbert::along(at, bits - joined))
    }

    /// The position of a cell, along each axis.
    #[inline]
    pub(crate) fn place(&self, pos: [f32; D]) -> Option<[u32; D]> {
        let mut place = [0; D];
        for d in 0..D {
            let mut x = (pos[d] - self.min[d]) * self.per_unit[d];
            if self.is_periodic() {
                let size = self.size[d] as f32;
                x -= math::floor(x / size) * size;
            }
            if x.is_nan() {
                return None;
            }
            place[d] = (x as u32).min(self.size[d] - 1);
        }
        Some(place)
    }

    /// The first of the cells around one, along an axis, and their number. They follow each other; after the last cell
    /// of the axis comes its first.
    #[inline]
    pub(crate) fn beside(&self, d: usize, at: u32) -> (u32, u32) {
        let size = self.size[d];
        if self.is_periodic() {
            return match size {
                ..3 => (0, size),
                _ if at == 0 => (size - 1, 3),
                _ => (at - 1, 3),
            };
        }
        let first = at.saturating_sub(1);
        (first, (at + 2).min(size) - first)
    }

    /// The vector from a position to another: the shortest one in a periodic grid.
    #[must_use]
    #[inline]
    pub fn offset(&self, from: [f32; D], to: [f32; D]) -> [f32; D] {
        let mut offset = [0.0; D];
        for d in 0..D {
            let difference = to[d] - from[d];
            let turns = if self.is_periodic() { math::floor(difference / self.len[d] + 0.5) } else { 0.0 };
            offset[d] = difference - turns * self.len[d];
        }
        offset
    }

    /// The position within the box that a position stands for in a periodic grid; the position itself in an open one.
    ///
    /// It is at least the lowest corner and below the opposite one, also where rounding would lead out of the box.
    #[must_use]
    #[inline]
    pub fn wrapped(&self, pos: [f32; D]) -> [f32; D] {
        let mut wrapped = pos;
        if self.is_periodic() {
            for d in 0..D {
                let turned = pos[d] - math::floor((pos[d] - self.min[d]) / self.len[d]) * self.len[d];
                let is_outside = turned < self.min[d] || turned >= self.min[d] + self.len[d];
                wrapped[d] = if is_outside { self.min[d] } else { turned };
            }
        }
        wrapped
    }
}

impl<const D: usize> Keys<[f32; D]> for Grid<D> {
    #[inline]
    fn groups(&self) -> u32 {
        self.cells()
    }
    #[inline]
    fn key(&self, pos: [f32; D]) -> Option<u32> {
        self.cell(pos)
    }
}

// SAFETY: 1. `repr(C)`, of numbers of 4 bytes; 2. it holds no pointer; 3. to 5. it holds no links.
unsafe impl<const D: usize> Value for Grid<D> {
    type View<'w, P: Phase> = Self;
    type Lanes = LaneArray<Self>;
    const PLACEHOLDER: Self = Self { min: [0.0; D], len: [1.0; D], per_unit: [1.0; D], size: [1; D], is_periodic: 0 };
    const MEANING: u64 = meaning("Grid", &[D as u64, size_of::<Self>() as u64]);

    #[inline]
    unsafe fn view<'w, P: Phase>(self, _: Targets<'w>) -> Self {
        self
    }
    #[inline]
    fn unview<P: Phase>(view: Self) -> Self {
        view
    }
    #[inline]
    fn same(&self, other: &Self) -> bool {
        let bits = |all: &[f32; D]| all.map(f32::to_bits);
        let of = |grid: &Self| (bits(&grid.min), bits(&grid.len), bits(&grid.per_unit), grid.size, grid.is_periodic);
        of(self) == of(other)
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;

    #[test]
    fn cells_are_at_least_as_long_as_the_radius() {
        let sizes = [(10.0, 1.0, 9), (10.0, 3.0, 3), (10.0, 11.0, 1), (1.0e9, 0.001, 1 << 21)];
        for (len, radius, most) in sizes {
            let grid = Grid::new([0.0], [len], radius);
            assert!(grid.cells() <= most && grid.cells() * 2 > most, "{grid:?}");
        }
        let many = Grid::new([0.0; 3], [1.0, 1.0e6, 3.0], 0.001);
        assert!((Grid::<3>::MAX_CELLS / 8..=Grid::<3>::MAX_CELLS).contains(&many.cells()), "{many:?}");
    }

    /// Near 0, positions have finer steps than their distances from a `min` far away.
    #[test]
    fn neighbours_far_from_the_border_are_next_to_each_other() {
        for radius in [0.001_f32, 0.01, 0.1, 1.0, 30.0] {
            for (from, to) in [(-1_258_291.2_f32, 314_572.8_f32), (-3.0e6, 1.0), (0.0, 1.6e6), (-1.0e9, 5.0)] {
                let grid = Grid::new([from], [to], radius);
                for n in 0..20_000_u32 {
                    let a = to - to.abs() * (n as f32 / 20_000.0);
                    let b = a + radius * 0.99;
                    if b - a <= radius {
                        let cells = [a, b].map(|x| grid.cell([x]).unwrap());
                        assert!(cells[0].abs_diff(cells[1]) <= 1, "{grid:?}: {a} {b} {cells:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn positions_at_the_borders_have_cells() {
        for grid in [Grid::new([-1.5], [1.5], 0.1), Grid::new([-1.5], [1.5], 0.1).periodic()] {
            let last = grid.cells() - 1;
            assert_eq!(grid.cell([-1.5]), Some(0));
            // Near the border of a periodic grid, a position may be rounded to the other side.
            let inside = grid.cell([1.5_f32.next_down()]);
            assert!(inside == Some(last) || grid.is_periodic() && inside == Some(0), "{inside:?}");
            assert_eq!(grid.cell([1.5]), Some(if grid.is_periodic() { 0 } else { last }));
            let before = grid.cell([(-1.5_f32).next_down()]);
            assert!(before == Some(0) || grid.is_periodic() && before == Some(last), "{before:?}");
            assert_eq!(grid.cell([f32::NAN]), None);
            assert_eq!(grid.cell([f32::INFINITY]), (!grid.is_periodic()).then_some(last));
        }
    }

    #[test]
    fn neighbouring_cells_are_named_once() {
        for size in 1..6_u32 {
            let open = Grid::new([0.0], [size as f32 + 0.1], 1.0);
            assert_eq!(open.cells(), size);
            for at in 0..size {
                let cells = |grid: &Grid<1>| {
                    let (first, count) = grid.beside(0, at);
                    (first..first + count).map(|cell| cell % size).collect::<Vec<_>>()
                };
                let near: Vec<_> = (0..size).filter(|cell| cell.abs_diff(at) <= 1).collect();
                assert_eq!(cells(&open), near);
                let mut periodic = cells(&open.periodic());
                periodic.sort_unstable();
                let is_near = |cell: &u32| [0, 1, size - 1].contains(&cell.abs_diff(at));
                assert_eq!(periodic, (0..size).filter(is_near).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn offsets_and_positions_are_wrapped() {
        let grid = Grid::new([-5.0, 0.0], [5.0, 4.0], 1.0).periodic();
        assert_eq!(grid.offset([4.0, 1.0], [-4.0, 3.5]), [2.0, -1.5]);
        assert_eq!(grid.wrapped([6.0, -1.0]), [-4.0, 3.0]);
        // Both would be rounded to the opposite border, or beyond it.
        let unit = Grid::new([0.0], [10.0], 1.0).periodic();
        assert_eq!(unit.wrapped([-1e-9]), [0.0]);
        let below = Grid::new([-3.0], [7.0], 1.0).periodic();
        for pos in [7.0_f32.next_down(), -3.0_f32.next_down(), 7.0, -3.0, 1e9, -1e9] {
            let [wrapped] = below.wrapped([pos]);
            assert!((-3.0..7.0).contains(&wrapped), "{pos} {wrapped}");
            assert_eq!(below.wrapped([wrapped]), [wrapped], "{pos}");
        }
        assert!(below.wrapped([f32::NAN])[0].is_nan());
    }
}
