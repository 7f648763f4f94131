//! Wide classes: ten columns added to ten others, and 24 fields of which a kernel touches 12. These are
//! more columns than LLVM checks for overlap at run time, so that they are vectorised only if it is known
//! that they do not.

/// The same classes under one layout, for Ikra.
macro_rules! ikra_model {
    ($module:ident, $options:tt) => {
        #[allow(missing_docs, reason = "the same text many times")]
        pub mod $module {
            use ikra::prelude::*;

            #[soa_class $options]
            #[derive(Clone, Debug)]
            #[rustfmt::skip]
            pub struct Twenty {
                pub a0: f32, pub a1: f32, pub a2: f32, pub a3: f32, pub a4: f32,
                pub a5: f32, pub a6: f32, pub a7: f32, pub a8: f32, pub a9: f32,
                pub b0: f32, pub b1: f32, pub b2: f32, pub b3: f32, pub b4: f32,
                pub b5: f32, pub b6: f32, pub b7: f32, pub b8: f32, pub b9: f32,
            }

            #[soa_methods]
            impl Twenty {
                #[rustfmt::skip]
                pub fn nth(n: usize) -> Self {
                    let x = n as f32;
                    Self {
                        a0: x, a1: x, a2: x, a3: x, a4: x, a5: x, a6: x, a7: x, a8: x, a9: x,
                        b0: 1.0, b1: 1.0, b2: 1.0, b3: 1.0, b4: 1.0, b5: 1.0, b6: 1.0, b7: 1.0, b8: 1.0, b9: 1.0,
                    }
                }

                #[kernel]
                pub fn add(&mut self) {
                    self.a0 += self.b0;
                    self.a1 += self.b1;
                    self.a2 += self.b2;
                    self.a3 += self.b3;
                    self.a4 += self.b4;
                    self.a5 += self.b5;
                    self.a6 += self.b6;
                    self.a7 += self.b7;
                    self.a8 += self.b8;
                    self.a9 += self.b9;
                }
            }

            #[soa_class $options]
            #[derive(Clone, Debug)]
            #[rustfmt::skip]
            pub struct TwentyFour {
                pub a0: f32, pub a1: f32, pub a2: f32, pub a3: f32, pub a4: f32, pub a5: f32,
                pub b0: f32, pub b1: f32, pub b2: f32, pub b3: f32, pub b4: f32, pub b5: f32,
                pub c0: f32, pub c1: f32, pub c2: f32, pub c3: f32, pub c4: f32, pub c5: f32,
                pub d0: f32, pub d1: f32, pub d2: f32, pub d3: f32, pub d4: f32, pub d5: f32,
            }

            #[soa_methods]
            impl TwentyFour {
                #[rustfmt::skip]
                pub fn nth(n: usize) -> Self {
                    let x = n as f32;
                    Self {
                        a0: x, a1: x, a2: x, a3: x, a4: x, a5: x, b0: 1.0, b1: 1.0, b2: 1.0, b3: 1.0, b4: 1.0, b5: 1.0,
                        c0: x, c1: x, c2: x, c3: x, c4: x, c5: x, d0: 1.0, d1: 1.0, d2: 1.0, d3: 1.0, d4: 1.0, d5: 1.0,
                    }
                }

                #[kernel]
                pub fn add(&mut self) {
                    self.a0 += self.b0;
                    self.a1 += self.b1;
                    self.a2 += self.b2;
                    self.a3 += self.b3;
                    self.a4 += self.b4;
                    self.a5 += self.b5;
                }
            }

            #[soa_world]
            pub struct Wide {
                pub twenty: Objects<Twenty>,
                pub twenty_four: Objects<TwentyFour>,
            }

            /// A world of `n` objects of the first class.
            pub fn twenty(n: usize) -> Wide {
                let mut world = Wide::new();
                world.twenty.extend((0..n).map(Twenty::nth)).expect("there is memory");
                world
            }

            /// A world of `n` objects of the second class.
            pub fn twenty_four(n: usize) -> Wide {
                let mut world = Wide::new();
                world.twenty_four.extend((0..n).map(TwentyFour::nth)).expect("there is memory");
                world
            }
        }
    };
}

ikra_model!(soa, (layout = "soa"));
ikra_model!(tiles, (layout = "tiles"));
ikra_model!(fixed, (capacity = 1_048_576));

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
