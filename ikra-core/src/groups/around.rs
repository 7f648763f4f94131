//! The objects around a position, in the cells of a grid.

use core::fmt;

use super::{Group, Grouped};
use crate::class::Class;
use crate::grid::Grid;
use crate::panics::no_such_group;
use crate::phase::Phase;

impl<'g, 'w, P: Phase, C: Class, const D: usize> Grouped<'g, 'w, P, C, Grid<D>> {
    /// The grid.
    #[inline]
    #[must_use]
    pub fn grid(self) -> Grid<D> {
        self.groups.keys
    }

    /// The objects that may be within the grid's radius of a position: all objects of the position's cell and of the
    /// cells next to it (3 to the power of `D` cells). Some of them are farther away than the radius: compare the
    /// distance where it matters. An object that is in the cell itself is among them.
    ///
    /// Each object comes once, in a fixed order: by rows of cells, and within a cell by ids. A position that has no
    /// cell has no neighbours.
    ///
    /// # Panics
    ///
    /// If the objects were grouped by [`Keys`](super::Keys) that count fewer groups than the grid has cells.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn around(self, pos: [f32; D]) -> Around<'g, 'w, P, C, D> {
        let grid = &self.groups.keys;
        let (mut first, mut count) = ([0; D], [0; D]);
        // A program may count the groups of a grid in its own way, by `Keys` of a type of its own.
        if grid.cells() > self.groups() {
            no_such_group(C::NAME, grid.cells() - 1, self.groups());
        }
        let place = grid.place(pos);
        if let Some(place) = place {
            for d in 0..D {
                (first[d], count[d]) = grid.beside(d, place[d]);
            }
        }
        let wraps = first[0] + count[0] > grid.size()[0];
        // SAFETY: there are at least 0 groups.
        let row = unsafe { self.between(0, 0) };
        let mut around = Around { groups: self, row, first, count, at: [0; D], wraps, is_rest: false };
        if place.is_some() {
            around.begin_row();
        }
        around
    }
}

/// The objects around a position, as refs. See [`Grouped::around`].
pub struct Around<'g, 'w, P, C, const D: usize> {
    groups: Grouped<'g, 'w, P, C, Grid<D>>,
    /// The objects of consecutive cells of the current row that are left.
    row: Group<'g, 'w, P, C>,
    /// The first cell of the neighbourhood along each axis, and their number.
    first: [u32; D],
    count: [u32; D],
    /// The row: how many cells after the first it is, along each axis but the first.
    at: [u32; D],
    /// Whether rows end in the first cells of the grid.
    wraps: bool,
    /// Whether these cells of the current row have begun.
    is_rest: bool,
}

impl<P: Phase, C: Class, const D: usize> Around<'_, '_, P, C, D> {
    /// Sets the objects to those of the first cells of the row, or of the rest.
    #[inline(always)]
    fn begin_row(&mut self) {
        let size = self.groups.groups.keys.size();
        let (mut row, mut stride) = (0, size[0]);
        for d in 1..D {
            let cell = self.first[d] + self.at[d];
            row += if cell < size[d] { cell } else { cell - size[d] } * stride;
            stride *= size[d];
        }
        let (first, end) = (self.first[0], self.first[0] + self.count[0]);
        let (first, end) = match (self.wraps, self.is_rest) {
            (false, _) => (first, end),
            (true, false) => (first, size[0]),
            (true, true) => (0, end - size[0]),
        };
        // SAFETY: cells of a row of the grid, which has at most as many cells as there are groups: `around` has checked.
        self.row = unsafe { self.groups.between(row + first, row + end) };
    }

    /// Goes on to the next cells that follow each other. Returns whether there are some.
    #[inline(always)]
    fn advance(&mut self) -> bool {
        if self.wraps && !self.is_rest {
            self.is_rest = true;
            self.begin_row();
            return true;
        }
        self.is_rest = false;
        for d in 1..D {
            self.at[d] += 1;
            if self.at[d] < self.count[d] {
                self.begin_row();
                return true;
            }
            self.at[d] = 0;
        }
        false
    }
}

impl<P, C, const D: usize> Clone for Around<'_, '_, P, C, D> {
    fn clone(&self) -> Self {
        Self { row: self.row.clone(), ..*self }
    }
}

impl<P, C: Class, const D: usize> fmt::Debug for Around<'_, '_, P, C, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Around").field("class", &C::NAME).field("first", &self.first).finish_non_exhaustive()
    }
}

impl<'w, P: Phase, C: Class, const D: usize> Iterator for Around<'_, 'w, P, C, D> {
    type Item = C::Ref<'w, P>;

    #[inline(always)]
    fn next(&mut self) -> Option<C::Ref<'w, P>> {
        loop {
            if let Some(object) = self.row.next() {
                return Some(object);
            }
            if !self.advance() {
                return None;
            }
        }
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, C::Ref<'w, P>) -> B>(mut self, init: B, mut f: F) -> B {
        let mut folded = init;
        loop {
            for object in self.row.by_ref() {
                folded = f(folded, object);
            }
            if !self.advance() {
                return folded;
            }
        }
    }
}
