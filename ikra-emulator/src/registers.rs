//! Registers of a warp: rows of 32 lanes.

use std::sync::Arc;

/// One register of all lanes.
pub(crate) type Row = [u64; 32];

/// The position of an operand's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A register, by its row in the frame.
    Row(u32),
    /// A constant of the program.
    Constant(u32),
    /// A register that the device sets.
    Special(u32),
}

/// Registers of a warp: a frame per call, one after the other. Lanes in different frames use different rows, or different columns.
pub(crate) struct Registers {
    rows: Vec<Row>,
    /// Predicates, one bit per lane. A predicate's number is a row in which only this field is used.
    masks: Vec<u32>,
    /// The frame of the lanes that execute.
    pub(crate) base: usize,
    pub(crate) constants: Arc<[Row]>,
    pub(crate) specials: Box<[Row]>,
    pub(crate) arguments: Arc<[u64]>,
    /// Lanes whose value depends on uninitialised bytes, by row.
    poison: Vec<u32>,
    /// Whether there may be such lanes.
    pub(crate) is_poisoned: bool,
    /// The load that caused the last one: its address and step.
    pub(crate) poison_origin: (u64, u32),
}

/// All lanes.
pub(crate) const ALL: u32 = u32::MAX;

/// The lanes of a mask, from the lowest on.
#[inline(always)]
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros();
        mask &= mask - 1;
        Some(lane as usize)
    })
}

impl Registers {
    pub(crate) fn new(constants: Arc<[Row]>, specials: Box<[Row]>, arguments: Arc<[u64]>) -> Self {
        Self {
            rows: Vec::new(),
            masks: Vec::new(),
            base: 0,
            constants,
            specials,
            arguments,
            poison: Vec::new(),
            is_poisoned: false,
            poison_origin: (0, 0),
        }
    }

    /// Makes rows up to this one.
    pub(crate) fn reserve(&mut self, rows: usize) {
        if self.rows.len() < rows {
            self.rows.resize(rows, [0; 32]);
            self.masks.resize(rows, 0);
            self.poison.resize(rows, 0);
        }
    }

    /// The lanes of a row whose value depends on uninitialised bytes.
    #[inline(always)]
    pub(crate) fn poison(&self, row: u32) -> u32 {
        self.poison[self.base + row as usize]
    }

    /// Notes which lanes of a row depend on uninitialised bytes.
    #[inline(always)]
    pub(crate) fn set_poison(&mut self, row: u32, active: u32, poison: u32) {
        let old = &mut self.poison[self.base + row as usize];
        *old = *old & !active | poison & active;
    }

    /// Copies the note from one row of any frame to another.
    pub(crate) fn copy_poison(&mut self, from: usize, to: usize, active: u32) {
        self.poison[to] = self.poison[to] & !active | self.poison[from] & active;
    }

    /// Forgets the note.
    pub(crate) fn clear_poison(&mut self) {
        if self.is_poisoned {
            self.poison.fill(0);
            self.is_poisoned = false;
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, source: Source) -> &Row {
        match source {
            Source::Row(row) => &self.rows[self.base + row as usize],
            Source::Constant(n) => &self.constants[n as usize],
            Source::Special(n) => &self.specials[n as usize],
        }
    }

    #[inline(always)]
    pub(crate) fn row_mut(&mut self, row: u32) -> &mut Row {
        &mut self.rows[self.base + row as usize]
    }

    /// A row of any frame.
    pub(crate) fn absolute(&mut self, row: usize) -> &mut Row {
        &mut self.rows[row]
    }

    #[inline(always)]
    pub(crate) fn mask(&self, predicate: u32) -> u32 {
        self.masks[self.base + predicate as usize]
    }

    #[inline(always)]
    pub(crate) fn set_mask(&mut self, predicate: u32, active: u32, mask: u32) {
        let old = &mut self.masks[self.base + predicate as usize];
        *old = *old & !active | mask & active;
    }

    /// Writes the lanes of a mask.
    #[inline(always)]
    pub(crate) fn put(&mut self, to: u32, active: u32, values: &Row) {
        let row = self.row_mut(to);
        if active == ALL {
            *row = *values;
        } else {
            for lane in lanes(active) {
                row[lane] = values[lane];
            }
        }
    }
}
