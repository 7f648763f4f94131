//! Kernels whose machine code `tests/packed.rs` looks at: more columns than LLVM checks for overlap at
//! run time, so that loops over them are vectorised only if they are known not to overlap.

/// The same classes under one layout.
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
            }

            #[soa_world]
            pub struct World {
                pub twenty: Objects<Twenty>,
                pub twenty_four: Objects<TwentyFour>,
                pub bodies: Objects<Body>,
            }

            /// Instantiates the kernels.
            pub fn run(world: &mut World) {
                use ikra::World as _;
                world.execute(Twenty::add_ten, ());
                world.execute(TwentyFour::add_six, ());
                world.execute_pairs(Body::attract, ());
            }
        }
    };
}

model!(soa, (layout = "soa"));
model!(tiles, (layout = "tiles"));
