//! Wide classes for tests of the machine code in `tests/packed.rs`, and for benchmarks. One adds ten columns to ten
//! others; one has 24 fields, and a kernel uses 12 of them. LLVM checks fewer columns than these for overlap at run
//! time. So it vectorises their loops only if it knows that the columns do not overlap. A third class has counters to
//! which many objects add, atomically if several threads do so.

/// The classes under one layout.
macro_rules! model {
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
                pub fn add_ten(&mut self) {
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
                pub fn add_six(&mut self) {
                    self.a0 += self.b0;
                    self.a1 += self.b1;
                    self.a2 += self.b2;
                    self.a3 += self.b3;
                    self.a4 += self.b4;
                    self.a5 += self.b5;
                }
            }

            #[soa_class $options]
            #[derive(Clone, Debug)]
            pub struct Body {
                pub pos: [f32; 3],
                pub force: [f32; 3],
                pub mass: f32,
            }

            #[soa_methods]
            impl Body {
                #[kernel(pairs)]
                pub fn attract(&mut self, other: Ref<Body>) {
                    let (pos, mass) = (other.pos(), other.mass());
                    for k in 0..3 {
                        self.force[k] += (pos[k] - self.pos[k]) * mass;
                    }
                }

                #[kernel(heavy)]
                pub fn slow_down(&mut self, by: f32) {
                    for k in 0..3 {
                        self.force[k] *= by / (1.0 + self.force[k] * self.force[k]).sqrt();
                    }
                }

                /// Large enough that the compiler would not inline it into each loop if it were a function.
                #[kernel(heavy)]
                pub fn churn(&mut self, by: f32) {
                    let x = self.force;
                    let x = [x[0] * by + x[1] * 0.1875, x[1] * x[2] + 0.0625, x[2] * 0.1875 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.625, x[1] * x[2] + 0.21875, x[2] * 0.625 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.25, x[1] * x[2] + 0.375, x[2] * 0.25 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.6875, x[1] * x[2] + 0.1875, x[2] * 0.6875 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.3125, x[1] * x[2] + 0.34375, x[2] * 0.3125 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.75, x[1] * x[2] + 0.15625, x[2] * 0.75 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.375, x[1] * x[2] + 0.3125, x[2] * 0.375 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.8125, x[1] * x[2] + 0.125, x[2] * 0.8125 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.4375, x[1] * x[2] + 0.28125, x[2] * 0.4375 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.875, x[1] * x[2] + 0.09375, x[2] * 0.875 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.5, x[1] * x[2] + 0.25, x[2] * 0.5 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    let x = [x[0] * by + x[1] * 0.9375, x[1] * x[2] + 0.0625, x[2] * 0.9375 + x[0] * x[0]];
                    let x = [x[0] / (1.0 + x[1] * x[1]), x[1] / (1.0 + x[2] * x[2]), x[2] / (1.0 + x[0] * x[0])];
                    self.force = x;
                }

                #[kernel(heavy, reduce(Sum))]
                pub fn strength(&self) -> f32 {
                    (self.force[0] * self.force[0] + self.force[1] * self.force[1] + self.force[2] * self.force[2]).sqrt()
                }
            }

            #[soa_world]
            pub struct World {
                pub twenty: Objects<Twenty>,
                pub twenty_four: Objects<TwentyFour>,
                pub bodies: Objects<Body>,
            }

            /// A world of `n` objects of the first class.
            pub fn twenty(n: usize) -> World {
                let mut world = World::new();
                world.twenty.extend((0..n).map(Twenty::nth)).expect("there is memory");
                world
            }

            /// A world of `n` objects of the second class.
            pub fn twenty_four(n: usize) -> World {
                let mut world = World::new();
                world.twenty_four.extend((0..n).map(TwentyFour::nth)).expect("there is memory");
                world
            }
        }
    };
}

/// Counters to which many objects add.
#[allow(missing_docs, reason = "as above")]
pub mod counters {
    use ikra::prelude::*;

    #[soa_class]
    #[derive(Clone, Debug, PartialEq)]
    pub struct Counter {
        #[atomic]
        pub count: u32,
        #[atomic]
        pub least: i64,
        #[atomic]
        #[inline_array]
        pub ways: [u32; 2],
        pub next: Link<Counter>,
    }

    #[soa_class]
    pub struct Spare {
        #[atomic]
        pub count: u32,
    }

    #[soa_dispatch(Counter, Spare)]
    pub trait Counts {
        fn count_one(&self);
    }
    #[soa_methods]
    impl Counts for Counter {
        fn count_one(&self) {
            self.count.add(1);
        }
    }
    #[soa_methods]
    impl Counts for Spare {
        fn count_one(&self) {
            self.count.add(1);
        }
    }

    #[soa_methods]
    impl Counter {
        pub fn count_here(&self) {
            self.count.add(1);
        }
        pub fn count_next(&self) {
            self.next.count().add(1);
        }
    }

    #[soa_class]
    pub struct User {
        pub of: Link<Counter>,
        #[inline_array]
        pub more: [Link<Counter>; 2],
        pub any: CountsLink,
    }

    #[soa_methods]
    impl User {
        #[kernel]
        pub fn add_one(&self) {
            self.of.count().add(1);
        }

        /// Through each kind of reference to another object.
        #[kernel(updates(add(count)))]
        pub fn add_by_all_ways(&self, to: Link<Counter>) {
            self.of.ways().get(0).add(1);
            self.of.next().count().add(1);
            self.more.get(1).count().add(1);
            self.resolve(to).count().add(1);
            if let Some(first) = self.all::<Counter>().next() {
                first.count().add(1);
            }
            self.of.count_here();
            self.of.count_next();
            self.any.count_one();
        }

        #[kernel(reduce(Sum))]
        pub fn lower(&self, by: i64) -> u32 {
            self.of.least().min(by - i64::from(self.link().id()));
            1
        }
    }

    #[soa_world]
    pub struct World {
        pub counters: Objects<Counter>,
        pub spares: Objects<Spare>,
        pub users: Objects<User>,
    }
}

model!(soa, (layout = "soa"));
model!(tiles, (layout = "tiles"));
model!(fixed, (capacity = 1_048_576));
