//! Calling a method of objects of four classes, whose class is known at run time only: `value += c² + 1` for class c, as
//! in `benches/cuda/dispatch.cu`.

/// The number of classes. Object i is of class i mod `CLASSES`.
pub const CLASSES: usize = 4;

/// The positions of n objects, in an order without pattern if `shuffled`.
pub fn order(n: usize, shuffled: bool) -> Vec<usize> {
    let mut order: Vec<_> = (0..n).collect();
    if shuffled {
        // Fisher and Yates, with the generator of Knuth's MMIX.
        let mut state = 1_u64;
        for last in (1..n).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(last, ((state >> 33) % (last as u64 + 1)) as usize);
        }
    }
    order
}

/// Ikra's classes.
#[allow(missing_docs, reason = "the same text many times")]
pub mod soa {
    use ikra::prelude::*;

    #[soa_dispatch(First, Second, Third, Fourth)]
    pub trait Thing {
        #[kernel]
        fn tick(&mut self);
    }

    macro_rules! class {
        ($class:ident, $add:literal) => {
            #[soa_class]
            #[derive(Clone, Debug)]
            pub struct $class {
                pub value: u32,
            }
            #[soa_methods]
            impl Thing for $class {
                fn tick(&mut self) {
                    self.value = self.value.wrapping_add($add);
                }
            }
        };
    }
    class!(First, 1);
    class!(Second, 2);
    class!(Third, 5);
    class!(Fourth, 10);

    #[soa_world]
    pub struct Things {
        pub first: Objects<First>,
        pub second: Objects<Second>,
        pub third: Objects<Third>,
        pub fourth: Objects<Fourth>,
    }

    /// The world, and the links of all objects in order.
    pub fn world(n: usize) -> (Things, Vec<ThingLink>) {
        let mut things = Things::new();
        let links = (0..n).map(|i| {
            let value = i as u32;
            match i % super::CLASSES {
                0 => things.first.push(First { value }).map(ThingLink::from),
                1 => things.second.push(Second { value }).map(ThingLink::from),
                2 => things.third.push(Third { value }).map(ThingLink::from),
                _ => things.fourth.push(Fourth { value }).map(ThingLink::from),
            }
        });
        let links = links.collect::<Result<_, _>>().expect("there is memory");
        (things, links)
    }
}

/// Ordinary Rust.
#[allow(missing_docs, reason = "the same text many times")]
pub mod plain {
    use enum_dispatch::enum_dispatch;

    #[enum_dispatch]
    pub trait Thing {
        fn tick(&mut self);
        fn value(&self) -> u32;
    }

    macro_rules! class {
        ($class:ident, $add:literal) => {
            #[derive(Clone, Debug)]
            pub struct $class(pub u32);
            impl Thing for $class {
                fn tick(&mut self) {
                    self.0 = self.0.wrapping_add($add);
                }
                fn value(&self) -> u32 {
                    self.0
                }
            }
        };
    }
    class!(First, 1);
    class!(Second, 2);
    class!(Third, 5);
    class!(Fourth, 10);

    /// By the crate `enum_dispatch`.
    #[enum_dispatch(Thing)]
    #[derive(Clone, Debug)]
    pub enum Dispatched {
        First,
        Second,
        Third,
        Fourth,
    }

    /// By hand.
    #[derive(Clone, Debug)]
    pub enum Matched {
        First(First),
        Second(Second),
        Third(Third),
        Fourth(Fourth),
    }

    impl Matched {
        #[inline]
        pub fn tick(&mut self) {
            match self {
                Self::First(thing) => thing.tick(),
                Self::Second(thing) => thing.tick(),
                Self::Third(thing) => thing.tick(),
                Self::Fourth(thing) => thing.tick(),
            }
        }
    }

    pub fn boxed(i: usize) -> Box<dyn Thing + Send> {
        let value = i as u32;
        match i % super::CLASSES {
            0 => Box::new(First(value)),
            1 => Box::new(Second(value)),
            2 => Box::new(Third(value)),
            _ => Box::new(Fourth(value)),
        }
    }

    pub fn dispatched(i: usize) -> Dispatched {
        let value = i as u32;
        match i % super::CLASSES {
            0 => First(value).into(),
            1 => Second(value).into(),
            2 => Third(value).into(),
            _ => Fourth(value).into(),
        }
    }

    pub fn matched(i: usize) -> Matched {
        let value = i as u32;
        match i % super::CLASSES {
            0 => Matched::First(First(value)),
            1 => Matched::Second(Second(value)),
            2 => Matched::Third(Third(value)),
            _ => Matched::Fourth(Fourth(value)),
        }
    }
}
