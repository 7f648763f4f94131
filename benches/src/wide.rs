//! The hand-written counterparts of wide classes, whose Ikra versions are those that the assembly tests
//! look at.

pub use ikra_assembly_tests::{fixed, soa, tiles};

/// Hand-written: `N` columns to change and `N` to read, each an allocation of its own, shifted by a cache
/// line more than the one before if `staggered`.
#[derive(Debug)]
pub struct Hand<const N: usize> {
    columns: Vec<Vec<f32>>,
    starts: Vec<usize>,
    len: usize,
}

const LINE: usize = 16;
const PAGE: usize = 1024;

impl<const N: usize> Hand<N> {
    /// Columns of `n` elements.
    pub fn new(n: usize, staggered: bool) -> Self {
        let columns: Vec<Vec<f32>> = (0..2 * N).map(|_| vec![1.0; n + 2 * PAGE]).collect();
        let starts = columns
            .iter()
            .enumerate()
            .map(|(k, column)| {
                let address = column.as_ptr() as usize / 4;
                let aligned = address.next_multiple_of(PAGE) - address;
                aligned + if staggered { k * LINE } else { 0 }
            })
            .collect();
        Self { columns, starts, len: n }
    }

    /// The columns to change and those to read.
    ///
    /// # Panics
    ///
    /// Never: there are `N` of each.
    pub fn split(&mut self) -> ([&mut [f32]; N], [&[f32]; N]) {
        let (starts, len) = (&self.starts, self.len);
        let (a, b) = self.columns.split_at_mut(N);
        let a: Vec<&mut [f32]> = a.iter_mut().zip(starts).map(|(c, &s)| &mut c[s..s + len]).collect();
        let b: Vec<&[f32]> = b.iter().zip(&starts[N..]).map(|(c, &s)| &c[s..s + len]).collect();
        (a.try_into().expect("N columns"), b.try_into().expect("N columns"))
    }
}

/// A hand-written loop over separately passed slices.
macro_rules! hand_add {
    ($name:ident, $count:literal, $($a:ident $b:ident)*) => {
        /// Adds columns to columns.
        #[inline(never)]
        pub fn $name(a: [&mut [f32]; $count], b: [&[f32]; $count]) {
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "that is the point")]
            fn add(n: usize, $($a: &mut [f32],)* $($b: &[f32]),*) {
                $(let ($a, $b) = (&mut $a[..n], &$b[..n]);)*
                for i in 0..n {
                    $($a[i] += $b[i];)*
                }
            }
            let n = a[0].len();
            let [$($a),*] = a;
            let [$($b),*] = b;
            add(n, $($a,)* $($b),*);
        }
    };
}

hand_add!(hand_add_10, 10, a0 b0 a1 b1 a2 b2 a3 b3 a4 b4 a5 b5 a6 b6 a7 b7 a8 b8 a9 b9);
hand_add!(hand_add_6, 6, a0 b0 a1 b1 a2 b2 a3 b3 a4 b4 a5 b5);
