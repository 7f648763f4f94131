//! Attribute macros that change a method: the method has the effects of its expanded text.

use ikra::prelude::*;

/// User modules with the names of built-in attributes.
mod cold {
    pub(super) use ikra_attribute_tests::first as body;
}
mod inline {
    pub(super) use ikra_attribute_tests::first as body;
}
mod doc {
    pub(super) use ikra_attribute_tests::first as body;
}

#[soa_class]
pub struct Cell {
    pub x: u32,
    pub y: u32,
    pub next: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    #[cold::body("self.x += 1;")]
    #[kernel]
    pub fn by_cold(&mut self) {
        self.y = 1;
    }
    #[inline::body("self.x += 1;")]
    #[kernel]
    pub fn by_inline(&mut self) {
        self.y = 1;
    }
    #[cfg_attr(all(), doc::body("self.x += 1;"))]
    #[kernel]
    pub fn by_condition(&mut self) {
        self.y = 1;
    }
    /// In a helper that the kernel's analysis does not see.
    #[kernel]
    pub fn by_helper(&mut self) {
        self.helper();
    }
    #[doc::body("self.x += 1;")]
    fn helper(&mut self) {
        self.y = 1;
    }
    /// On another object: all fields are loaded.
    #[kernel]
    pub fn by_other(&mut self) {
        if let Some(next) = self.next {
            next.shown();
        }
    }
    #[doc::body("assert_eq!(self.x, 5);")]
    fn shown(&self) -> u32 {
        self.y
    }
    /// Attributes that are not macros leave methods unchanged.
    #[kernel]
    pub fn plain(&mut self) {
        #[derive(Clone, Copy, Debug, Default)]
        #[repr(C)]
        struct Sum {
            x: u32,
        }
        #[inline(always)]
        #[allow(clippy::items_after_statements, reason = "attributes are tested")]
        const fn more(x: u32) -> u32 {
            x + 1
        }
        #[rustfmt::skip]
        const TABLE: [u32; 2] = [1,
                                 2];
        #[rustfmt::skip]
        let sum = Sum { x: more(self.x) + TABLE[1] };
        self.y = format!("{sum:?}").len() as u32 + sum.x;
    }
    #[rustfmt::skip]
    #[clippy::msrv = "1.89"]
    #[kernel]
    pub fn of_tools(&mut self) {
        self.y =  self.x;
    }
}

#[soa_methods]
#[rustfmt::skip]
#[allow(clippy::identity_op, reason = "an attribute is wanted")]
impl Cell {
    #[kernel]
    pub fn below(&mut self) { self.x += 1 * 1; }
}

/// Above, a macro changes the block before it is read.
#[ikra_attribute_tests::first("self.x += 1;")]
#[soa_methods]
impl Cell {
    #[kernel]
    pub fn above(&mut self) {
        self.y = 1;
    }
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn run<K: ikra::rt::Call<(), Output = ()> + ikra::rt::Kernel<Class = Cell>>(kernel: K) -> (u32, u32) {
    let mut grid = Grid::new();
    let last = grid.cells.push(Cell { x: 5, y: 0, next: None }).unwrap();
    grid.cells.push(Cell { x: 5, y: 0, next: Some(last) }).unwrap();
    grid.execute(kernel, ());
    let cell = grid.cells.read(last).unwrap();
    (cell.x, cell.y)
}

/// The write was lost, because the attribute's path ended in the name of a built-in one.
#[test]
fn macros_in_modules_that_are_named_like_attributes() {
    assert_eq!(run(Cell::by_cold), (6, 1));
    assert_eq!(run(Cell::by_inline), (6, 1));
    assert_eq!(run(Cell::by_condition), (6, 1));
    assert_eq!(run(Cell::by_helper), (6, 1));
    assert_eq!(run(Cell::by_other), (5, 0));
}

#[test]
fn attributes_that_change_nothing() {
    assert_eq!(run(Cell::plain), (5, "Sum { x: 8 }".len() as u32 + 8));
    assert_eq!(run(Cell::of_tools), (5, 5));
    assert_eq!(run(Cell::below), (6, 0));
}

#[test]
fn macros_above() {
    assert_eq!(run(Cell::above), (6, 1));
}
