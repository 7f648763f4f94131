//! Rows of numbers, one after another.

/// Lists of numbers, by the number of the list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rows {
    /// The start of each row, followed by the end of the last.
    pub(crate) offsets: Vec<u32>,
    /// The values of all rows.
    pub(crate) values: Vec<u32>,
}

impl Rows {
    /// No rows.
    pub(crate) fn new() -> Self {
        Self { offsets: vec![0], values: Vec::new() }
    }

    /// No rows, with capacity for this many rows and values.
    pub(crate) fn with_capacity(rows: usize, values: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Self { offsets, values: Vec::with_capacity(values) }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// A row.
    pub(crate) fn row(&self, n: usize) -> &[u32] {
        &self.values[self.offsets[n] as usize..self.offsets[n + 1] as usize]
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.values.extend(row);
        self.offsets.push(self.values.len() as u32);
    }

    /// For each of `n` numbers, the rows that contain it, in ascending order.
    pub(crate) fn reversed(&self, n: usize) -> Self {
        let mut offsets = vec![0_u32; n + 1];
        for &value in &self.values {
            offsets[value as usize + 1] += 1;
        }
        for k in 0..n {
            offsets[k + 1] += offsets[k];
        }
        let (mut next, mut values) = (offsets.clone(), vec![0; self.values.len()]);
        for row in 0..self.len() {
            for &value in self.row(row) {
                let place = &mut next[value as usize];
                values[*place as usize] = row as u32;
                *place += 1;
            }
        }
        Self { offsets, values }
    }
}
