//! The tests' interface to a world, for any layout of its class.

use std::ops::Range;

use ikra::Error;
use ikra_report::WorldLayout;

use crate::values::Plain;

/// A world of things. Ids identify objects.
pub trait Subject: Default {
    /// `capacity = N`.
    const CAPACITY: Option<usize>;
    /// The number of objects per block, for `layout = "tiles"`.
    const TILE: Option<usize>;
    /// The alignment of each column.
    const ALIGNS: [usize; 17] = [1, 1, 2, 4, 8, 4, 8, 16, 4, 8, 4, 1, 8, 1, 256, 4, 4];

    fn len(&self) -> usize;
    fn capacity(&self) -> usize;
    fn push(&mut self, row: Plain) -> Result<u32, Error>;
    fn extend(&mut self, rows: &[Plain]) -> Result<Vec<u32>, Error>;
    fn reserve(&mut self, n: usize) -> Result<Vec<u32>, Error>;
    fn init(&mut self, id: u32, row: Plain) -> Result<(), Error>;
    fn construct(&mut self, n: usize, seed: u64) -> Result<Vec<u32>, Error>;
    fn write(&mut self, id: u32, row: Plain) -> Result<(), Error>;

    /// Reads by `read`.
    fn read(&self, id: u32) -> Result<Plain, Error>;
    /// Reads by `iter`.
    fn rows(&self) -> Vec<Plain>;
    /// Reads by `get`.
    fn get(&self, id: u32) -> Plain;
    /// Reads by `copy_column` of every field.
    fn columns(&self) -> Vec<Plain>;
    /// Compares some fields with these rows by `column`, if the layout allows. Returns whether it does.
    fn slices_are(&self, rows: &[Plain]) -> bool;

    /// Writes all fields by `get_mut`.
    fn set(&mut self, id: u32, row: Plain);
    /// Adds to `short` and replaces `count` by `column_mut`, if the layout allows. Returns whether it does.
    fn bump_column(&mut self, by: u16) -> bool;

    fn step(&mut self, by: u32);
    fn step_one(&mut self, id: u32, by: u32);
    fn step_range(&mut self, range: Range<usize>, by: u32);
    fn step_each(&mut self, ids: &[u32], by: u32) -> Result<(), Error>;
    fn peek(&mut self);
    fn jump(&mut self);
    fn jump_range(&mut self, range: Range<usize>);
    fn jump_each(&mut self, ids: &[u32]) -> Result<(), Error>;
    fn knock(&mut self);
    fn meet(&mut self, key: u64);
    fn weigh(&mut self) -> [u64; 2];
    fn drain(&mut self) -> [u64; 2];
    /// A floating-point sum.
    fn double_sum(&mut self) -> f64;

    fn to_bits(&self, id: u32) -> Result<u64, Error>;
    fn decode(&self, bits: u64) -> Result<u32, Error>;
    /// The address of the first field's slice, if there is one.
    fn first_address(&self) -> Option<u64>;
    fn layout(&self) -> WorldLayout;
}
