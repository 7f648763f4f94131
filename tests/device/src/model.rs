//! The classes. `layouts.rs` has further ones, for `IKRA_LONG=1`.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra::rng::Random;
use ikra::{math, thread, warp};

#[path = "actors.rs"]
pub mod actors;
#[path = "arguments.rs"]
pub mod arguments;
#[macro_use]
#[path = "arrays.rs"]
pub mod arrays;
#[path = "differs.rs"]
pub mod differs;
#[path = "floats.rs"]
pub mod floats;
#[path = "lattice.rs"]
pub mod lattice;
#[path = "lives.rs"]
pub mod lives;
#[path = "loops.rs"]
pub mod loops;
#[path = "many.rs"]
pub mod many;
#[path = "neighbours.rs"]
pub mod neighbours;
#[path = "order.rs"]
pub mod order;
#[path = "owners.rs"]
pub mod owners;
#[path = "pairs.rs"]
pub mod pairs;
#[path = "recursion.rs"]
pub mod recursion;
#[path = "repeats.rs"]
pub mod repeats;
#[path = "roads.rs"]
pub mod roads;
#[path = "stores.rs"]
pub mod stores;
#[path = "strategies.rs"]
pub mod strategies;
#[path = "sums.rs"]
pub mod sums;
#[path = "twins.rs"]
pub mod twins;
#[path = "waves.rs"]
pub mod waves;
#[path = "worklists.rs"]
pub mod worklists;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Pair {
    pub small: u8,
    pub large: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(u16)]
pub enum Kind {
    A = 7,
    B = 300,
}

/// A user-defined reducer, which does not commute under rounding.
#[derive(Clone, Copy, Debug)]
pub struct Mix;
impl Reducer<f64> for Mix {
    fn identity(&self) -> f64 {
        1.0
    }
    fn combine(&self, a: f64, b: f64) -> f64 {
        a * 0.75 + b * 0.5
    }
}

/// The target of other objects' links.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Place {
    pub height: f32,
    #[atomic]
    pub visits: u32,
    #[atomic]
    pub balance: i64,
    #[atomic]
    pub lowest: i32,
    #[atomic]
    pub highest: u64,
    #[atomic]
    pub weight: f32,
    #[atomic]
    pub mass: f64,
    #[atomic]
    pub open: bool,
}

#[soa_methods]
impl Place {
    #[kernel]
    pub fn raise(&mut self, by: f32) {
        self.height += by;
    }
    pub fn height_plus(&self, more: f32) -> f32 {
        self.height + more
    }
}

/// A class under some options, in a world with places.
macro_rules! class {
    ($class:ident, $world:ident, $options:tt) => {
        #[soa_class $options]
        #[derive(Clone, Debug)]
        pub struct $class {
            pub byte: u8,
            pub flag: bool,
            pub short: i16,
            pub single: f32,
            pub double: f64,
            pub vector: [f32; 3],
            pub long: u128,
            pub next: Option<Link<$class>>,
            pub place: Link<Place>,
            pub pair: Pair,
            #[soa(flatten)]
            pub flat: Pair,
            pub kind: Kind,
            #[atomic]
            pub hits: u32,
            #[atomic]
            pub holder: Option<Link<$class>>,
        }

        #[soa_methods]
        impl $class {
            /// Numbers of every width, branches, and an early return.
            #[kernel]
            pub fn change(&mut self, by: u8, factor: f64) {
                self.byte = self.byte.wrapping_add(by);
                self.short = self.short.wrapping_mul(3).wrapping_sub(i16::from(by));
                self.single = self.single * 1.5 + self.vector[0] / 3.0;
                self.double = (self.double * self.double + factor).sqrt();
                for d in 0..3 {
                    self.vector[d] += self.flat.large as f32 * d as f32;
                }
                self.flat.large -= 0.1 * factor;
                self.pair.small ^= by;
                if self.flag {
                    self.long = self.long.wrapping_mul(3).rotate_left(7);
                    return;
                }
                self.kind = if self.byte > 100 { Kind::A } else { Kind::B };
                self.flag = self.byte.is_multiple_of(3);
            }

            /// Arguments of every kind.
            #[kernel]
            #[allow(clippy::too_many_arguments, reason = "one of each kind")]
            pub fn take(
                &mut self, flag: bool, n: i8, wide: u128, values: [f32; 3], pair: Pair, kind: Kind,
                other: Ref<Place>, maybe: Option<Link<$class>>,
            ) {
                self.flag = flag;
                self.short = self.short.wrapping_add(i16::from(n));
                self.long ^= wide;
                self.vector = values;
                self.pair = pair;
                self.kind = kind;
                self.place = other;
                self.single += other.height_plus(1.0);
                if let Some(link) = maybe {
                    self.next = Some(self.resolve(link));
                }
            }

            /// Reads other objects' previous values.
            #[kernel(snapshot(double, pair))]
            pub fn look(&mut self) {
                if let Some(next) = self.next {
                    self.double += next.double();
                    self.pair.small = self.pair.small.wrapping_add(next.pair().small);
                }
            }

            /// `?` ends a call; links are followed for two steps.
            #[kernel]
            pub fn follow(&mut self) -> Option<()> {
                let next = self.next?;
                self.single += next.place().height();
                let after = next.next()?;
                self.byte = self.byte.wrapping_add(after.flat_byte());
                Some(())
            }

            fn flat_byte(&self) -> u8 {
                self.flat.small
            }

            /// Operations whose result does not depend on the order.
            #[kernel]
            pub fn visit(&mut self) {
                self.place.visits().add(1);
                self.place.balance().sub(i64::from(self.short));
                self.place.lowest().min(i32::from(self.short));
                self.place.highest().max(u64::from(self.byte) << 33);
                self.place.weight().max(self.single);
                self.place.mass().min(self.double);
                self.place.open().or(self.flag);
                if let Some(next) = self.next {
                    next.holder().claim(self.link());
                    next.hits().or(1 << (self.byte & 31));
                }
            }

            /// A loop over all objects of two classes.
            #[kernel]
            pub fn survey(&mut self) {
                let mut sum = 0.0;
                for place in self.all::<Place>() {
                    sum += place.height();
                }
                for other in self.all::<$class>() {
                    sum += f32::from(other.byte());
                }
                self.single = sum;
            }

            #[kernel(pairs)]
            pub fn meet(&mut self, other: Ref<$class>, scale: f32) {
                self.single += other.vector()[0] * scale;
                self.short = self.short.wrapping_mul(31).wrapping_add(i16::from(other.byte()));
            }

            #[kernel(pairs)]
            pub fn near(&mut self, other: Ref<Place>) {
                self.double += f64::from(other.height()) / 3.0;
            }

            #[kernel(reduce(Sum, Max, Mix))]
            pub fn weight(&self) -> f64 {
                self.double + f64::from(self.vector[2]) + f64::from(self.hits.load())
            }

            #[kernel(reduce(Sum, Min))]
            pub fn vector_of(&self, scale: f32) -> [f32; 3] {
                self.vector.map(|x| x * scale)
            }

            /// Results that are too large for shared memory.
            #[kernel(reduce(Sum))]
            pub fn wide(&self) -> [f64; 12] {
                core::array::from_fn(|k| self.double / (k + 1) as f64)
            }

            /// The same reductions in a heavy kernel.
            #[kernel(heavy, reduce(Sum, Max, Mix))]
            pub fn heavy_weight(&self) -> f64 {
                self.weight()
            }
            #[kernel(heavy, reduce(Sum))]
            pub fn heavy_wide(&self) -> [f64; 12] {
                self.wide()
            }

            #[kernel(reduce(Any, All))]
            pub fn is_flagged(&self) -> bool {
                self.flag
            }

            /// A tuple whose members host and device may order differently.
            #[kernel(reduce(Sum, Max))]
            pub fn mixed(&self) -> (u32, f64, f32) {
                (u32::from(self.byte), self.double, self.single)
            }

            /// Changes the object and returns a value.
            #[kernel(reduce(Sum))]
            pub fn drain(&mut self) -> u64 {
                let taken = u64::from(self.byte / 2);
                self.byte -= taken as u8;
                taken
            }

            #[kernel]
            pub fn spawn(id: u32, seed: u32, place: Link<Place>) -> Self {
                let bits = id.wrapping_mul(0x9e37_79b9) ^ seed;
                Self {
                    byte: bits as u8,
                    flag: bits & 0x100 != 0,
                    short: (bits >> 9) as i16,
                    single: (bits % 1000) as f32 * 0.1,
                    double: f64::from(bits % 977) * 0.3,
                    vector: [1.0, (bits % 13) as f32, -0.5],
                    long: u128::from(bits) << 70 | 5,
                    next: if bits & 3 == 0 { None } else { Link::from_id(bits % (id + 1) + 1) },
                    place,
                    pair: Pair { small: (bits >> 3) as u8, large: f64::from(bits) },
                    flat: Pair { small: (bits >> 5) as u8, large: f64::from(bits % 31) },
                    kind: if bits & 1 == 0 { Kind::A } else { Kind::B },
                    hits: bits % 5,
                    holder: None,
                }
            }
        }

        #[soa_world]
        pub struct $world {
            pub places: Objects<Place>,
            pub things: Objects<$class>,
        }
    };
}

class!(Growing, GrowingWorld, ());
class!(Fixed, FixedWorld, (capacity = 20_000));
class!(Rows, RowsWorld, (layout = "aos"));
class!(Tiled, TiledWorld, (layout = "tiles"));

/// The size of an optional ref in a kernel, in bytes.
const fn ref_bytes<C: ikra::Class, K: ikra::rt::Kernel>(_kernel: K) -> usize {
    size_of::<Option<C::Ref<'static, K>>>()
}
/// The size of a ref to an object of one of several classes, in bytes.
const fn actor_bytes<K: ikra::rt::Kernel>(_kernel: K) -> usize {
    size_of::<Option<actors::ActorRef<'static, K>>>()
}

/// On the device a ref is a link; in kernels for pairs it also holds a position in a tile row.
const _: () = {
    let (plain, of_pair) = if cfg!(target_arch = "nvptx64") { (4, 16) } else { (16, 16) };
    assert!(ref_bytes::<Place, _>(Growing::survey) == plain);
    assert!(ref_bytes::<Growing, _>(Growing::follow) == plain);
    assert!(ref_bytes::<Growing, _>(Growing::meet) == of_pair);
    assert!(actor_bytes(Body::advance) == plain);
};

/// For the coherence tests: few columns, each used by one kernel.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Body {
    pub pos: f64,
    pub vel: f64,
    pub age: u32,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn advance(&mut self, dt: f64) {
        self.pos += self.vel * dt;
    }
    #[kernel]
    pub fn grow_old(&mut self) {
        self.age += 1;
    }
    #[kernel]
    pub fn fail_at(&mut self, age: u32) {
        assert!(self.age != age, "too old");
        self.age += 1;
    }
    #[kernel]
    pub fn trust(&mut self, other: Option<Link<Body>>) {
        if let Some(other) = other {
            self.vel = self.resolve(other).age() as f64;
        }
    }
    #[kernel]
    pub fn trust_id(&mut self, id: u32) {
        if let Some(other) = Link::<Body>::from_id(id) {
            self.vel = f64::from(self.resolve(other).age());
        }
    }
    #[kernel(unordered(single, double, less))]
    pub fn weigh(&mut self, scale: Option<Link<Scale>>) {
        if let Some(scale) = scale {
            let scale = self.resolve(scale);
            scale.single().add(0.5);
            scale.double().add(f64::from(self.age));
            scale.less().sub(1.0);
        }
    }
    #[kernel(reduce(Sum))]
    pub fn age_of(&self) -> u32 {
        self.age
    }
    /// Counts the calls in three ways: by all threads, by one thread per warp for the others, and by thread index.
    #[kernel]
    pub fn count(&mut self, tally: Option<Link<Tally>>) {
        let Some(tally) = tally else { return };
        let tally = self.resolve(tally);
        tally.calls().add(1);
        let here = warp::activemask();
        if warp::lane_id() == here.trailing_zeros() {
            tally.by_warp().add(here.count_ones());
        }
        let threads = thread::grid_dim_x() * thread::block_dim_x();
        let (own, block) = (thread::index_1d(), thread::block_idx_x());
        if own < threads && block < thread::grid_dim_x() && warp::lane_id() == thread::thread_idx_x() % warp::size() {
            tally.by_thread().add(1);
        }
        tally.last_thread().max(own);
    }
}

/// The target of many additions. The sums are exact, so their order does not matter.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Scale {
    #[atomic]
    pub single: f32,
    #[atomic]
    pub double: f64,
    #[atomic]
    pub less: f64,
}

/// Counters for the calls of a kernel.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Tally {
    #[atomic]
    pub calls: u32,
    #[atomic]
    pub by_warp: u32,
    #[atomic]
    pub by_thread: u32,
    #[atomic]
    pub last_thread: u32,
}

/// Results of `math` and `rng`.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Sample {
    pub x: f32,
    pub y: f32,
    pub f: [f32; 24],
    pub g: [f64; 24],
    pub fast: [f32; 6],
    pub random: [f32; 4],
    pub bits: u64,
}

#[soa_methods]
impl Sample {
    #[kernel]
    pub fn spawn(id: u32, scale: f32) -> Self {
        let mut random = Random::new(3, id, 0);
        let (x, y) = (scale * random.normal_f32(), 1.0 + random.uniform_f32());
        Self { x, y, f: [0.0; 24], g: [0.0; 24], fast: [0.0; 6], random: [0.0; 4], bits: 0 }
    }

    #[kernel]
    pub fn evaluate(&mut self) {
        self.f = functions(self.x, self.y);
    }

    #[kernel]
    pub fn evaluate_double(&mut self) {
        self.g = functions(f64::from(self.x), f64::from(self.y));
    }

    #[kernel]
    pub fn evaluate_fast(&mut self) {
        self.fast = [
            math::sin_approx(self.y),
            math::cos_approx(self.y),
            math::exp_approx(self.y),
            math::ln_approx(self.y),
            math::rsqrt_approx(self.y),
            math::rcp_approx(self.y),
        ];
    }

    #[kernel]
    pub fn draw(&mut self, seed: u64, step: u32) {
        let mut random = Random::new(seed, self.link().id(), step);
        self.random =
            [random.uniform_f32(), random.normal_f32(), random.uniform_f64() as f32, random.normal_f64() as f32];
        self.bits = random.next_u64() ^ u64::from(random.below(77)) << 8 ^ u64::from(random.chance(0.5));
    }
}

/// Every function.
fn functions<T: GpuFloat>(x: T, y: T) -> [T; 24] {
    [
        math::sqrt(y),
        math::rsqrt(y),
        math::floor(x),
        math::ceil(x),
        math::trunc(x),
        math::round(x),
        math::mul_add(x, y, x),
        math::sin(x),
        math::cos(x),
        math::tan(x),
        math::asin(math::sin(x)),
        math::acos(math::cos(x)),
        math::atan(x),
        math::atan2(x, y),
        math::exp(x),
        math::exp2(x),
        math::exp_m1(x),
        math::ln(y),
        math::ln_1p(y),
        math::log2(y),
        math::log10(y),
        math::powf(y, x),
        math::tanh(x),
        math::hypot(math::cbrt(x), math::sinh(y)),
    ]
}

#[soa_world]
pub struct Samples {
    pub samples: Objects<Sample>,
}

#[soa_world]
pub struct Crowd {
    pub bodies: Objects<Body>,
    pub tallies: Objects<Tally>,
    pub scales: Objects<Scale>,
}
