//! IKRA §4's benchmark, `pos += vel * dt` on four `f64` fields, and its AoS-32 variant with 16 further
//! fields that the computation does not use.

/// Largest number of bodies, the capacity of the classes with `capacity`.
pub const MOST: u32 = 10_000_000;

/// The same class under one layout, for Ikra.
macro_rules! ikra_model {
    ($module:ident, $options:tt, [$($more:ident)*]) => {
        #[allow(missing_docs, reason = "the same text many times")]
        pub mod $module {
            use ikra::prelude::*;

            #[soa_class $options]
            #[derive(Clone, Debug)]
            pub struct Body {
                pub px: f64,
                pub py: f64,
                pub vx: f64,
                pub vy: f64,
                $(pub $more: f64,)*
            }

            #[soa_methods]
            impl Body {
                pub fn nth(n: usize) -> Self {
                    let x = n as f64;
                    Self { px: x, py: -x, vx: 0.5 * x, vy: 0.25 * x, $($more: 1.0,)* }
                }

                #[kernel]
                pub fn advance(&mut self, dt: f64) {
                    self.px += self.vx * dt;
                    self.py += self.vy * dt;
                }

                #[kernel(light)]
                pub fn advance_many(&mut self, dt: f64, steps: u32) {
                    for _ in 0..steps {
                        self.advance(dt);
                    }
                }
            }

            #[soa_world]
            pub struct Sim {
                pub bodies: Objects<Body>,
            }

            pub fn world(n: usize) -> Sim {
                let mut sim = Sim::new();
                sim.bodies.extend((0..n).map(Body::nth)).expect("there is memory");
                sim
            }
        }
    };
}

/// Hand-written baselines and other crates, with some further fields.
macro_rules! baselines {
    ($module:ident, [$($more:ident)*]) => {
        #[allow(missing_docs, unused_qualifications, reason = "the same text twice; code of other crates' macros")]
        pub mod $module {
            use soa_derive::StructOfArray;
            use soa_rs::{Soa, Soars};

            /// An ordinary struct in a `Vec`.
            #[derive(Clone, Copy, Debug)]
            pub struct Row {
                pub px: f64,
                pub py: f64,
                pub vx: f64,
                pub vy: f64,
                $(pub $more: f64,)*
            }

            impl Row {
                pub fn nth(n: usize) -> Self {
                    let x = n as f64;
                    Self { px: x, py: -x, vx: 0.5 * x, vy: 0.25 * x, $($more: 1.0,)* }
                }
            }

            #[inline(never)]
            pub fn aos_advance(rows: &mut [Row], dt: f64) {
                for row in rows {
                    row.px += row.vx * dt;
                    row.py += row.vy * dt;
                }
            }

            #[derive(Clone, Debug, StructOfArray)]
            pub struct Derived {
                pub px: f64,
                pub py: f64,
                pub vx: f64,
                pub vy: f64,
                $(pub $more: f64,)*
            }

            pub fn derived(n: usize) -> DerivedVec {
                let mut all = DerivedVec::with_capacity(n);
                for Row { px, py, vx, vy, $($more,)* } in (0..n).map(Row::nth) {
                    all.push(Derived { px, py, vx, vy, $($more,)* });
                }
                all
            }

            #[inline(never)]
            pub fn derived_advance(all: &mut DerivedVec, dt: f64) {
                for row in all.iter_mut() {
                    *row.px += *row.vx * dt;
                    *row.py += *row.vy * dt;
                }
            }

            #[derive(Clone, Debug, Soars)]
            pub struct Rs {
                pub px: f64,
                pub py: f64,
                pub vx: f64,
                pub vy: f64,
                $(pub $more: f64,)*
            }

            pub fn rs(n: usize) -> Soa<Rs> {
                let mut all = Soa::<Rs>::with_capacity(n);
                for Row { px, py, vx, vy, $($more,)* } in (0..n).map(Row::nth) {
                    all.push(Rs { px, py, vx, vy, $($more,)* });
                }
                all
            }

            #[inline(never)]
            pub fn rs_advance(all: &mut Soa<Rs>, dt: f64) {
                for row in all.iter_mut() {
                    *row.px += *row.vx * dt;
                    *row.py += *row.vy * dt;
                }
            }
        }
    };
}

ikra_model!(soa, (layout = "soa"), []);
ikra_model!(tiles, (layout = "tiles"), []);
ikra_model!(aos, (layout = "aos"), []);
ikra_model!(fixed, (capacity = super::MOST), []);
ikra_model!(soa_wide, (layout = "soa"), [e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 e10 e11 e12 e13 e14 e15]);
ikra_model!(tiles_wide, (layout = "tiles"), [e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 e10 e11 e12 e13 e14 e15]);
ikra_model!(aos_wide, (layout = "aos"), [e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 e10 e11 e12 e13 e14 e15]);
baselines!(plain, []);
baselines!(plain_wide, [e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 e10 e11 e12 e13 e14 e15]);

/// Hand-written SoA: a `Vec` a field.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "numbers")]
pub struct Hand {
    pub px: Vec<f64>,
    pub py: Vec<f64>,
    pub vx: Vec<f64>,
    pub vy: Vec<f64>,
}

impl Hand {
    /// `n` bodies.
    pub fn new(n: usize) -> Self {
        let rows = || (0..n).map(plain::Row::nth);
        Self {
            px: rows().map(|row| row.px).collect(),
            py: rows().map(|row| row.py).collect(),
            vx: rows().map(|row| row.vx).collect(),
            vy: rows().map(|row| row.vy).collect(),
        }
    }
}

/// Hand-written SoA over slices: the reference.
#[inline(never)]
pub fn hand_advance(px: &mut [f64], py: &mut [f64], vx: &[f64], vy: &[f64], dt: f64) {
    let n = px.len();
    let (py, vx, vy) = (&mut py[..n], &vx[..n], &vy[..n]);
    for i in 0..n {
        px[i] += vx[i] * dt;
        py[i] += vy[i] * dt;
    }
}

/// Many steps of each body at once, its fields in registers.
#[inline(never)]
pub fn hand_advance_many(px: &mut [f64], py: &mut [f64], vx: &[f64], vy: &[f64], dt: f64, steps: u32) {
    let n = px.len();
    let (py, vx, vy) = (&mut py[..n], &vx[..n], &vy[..n]);
    for i in 0..n {
        let (mut x, mut y, dx, dy) = (px[i], py[i], vx[i], vy[i]);
        for _ in 0..steps {
            x += dx * dt;
            y += dy * dt;
        }
        px[i] = x;
        py[i] = y;
    }
}
