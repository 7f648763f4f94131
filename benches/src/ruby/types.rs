//! Objects of up to 32 classes, and the order of a list of them: by Ikra, and by RUBY's algorithm 1.
#![allow(missing_docs, reason = "the same text many times")]

use ikra::prelude::*;

use super::mixed;

/// The number of classes of the trait.
pub const MOST: usize = 32;
/// Threads of a warp: in a reordered list, each class begins at a multiple of it.
const WARP: usize = 32;
/// A place of a reordered list without a job.
const NO_JOB: u32 = u32::MAX;

macro_rules! classes {
    ($($class:ident $objects:ident)*) => {
        $(
            #[soa_class]
            pub struct $class {
                pub value: u32,
            }
            #[soa_methods]
            impl Typed for $class {}
        )*

        #[soa_dispatch($($class),*)]
        pub trait Typed {
            #[kernel]
            fn tick(&mut self) {
                self.value = self.value.wrapping_add(1);
            }
        }

        #[soa_world]
        pub struct Types {
            $(pub $objects: Objects<$class>,)*
        }

        impl Types {
            /// Adds an object of a class.
            fn push(&mut self, class: usize, value: u32) -> Result<TypedLink, ikra::Error> {
                type Push = fn(&mut Types, u32) -> Result<TypedLink, ikra::Error>;
                let all: [Push; MOST] = [$(
                    |types, value| types.$objects.push($class { value }).map(TypedLink::from)
                ),*];
                all[class](self, value)
            }
        }
    };
}
classes! {
    T0 t0 T1 t1 T2 t2 T3 t3 T4 t4 T5 t5 T6 t6 T7 t7 T8 t8 T9 t9 T10 t10 T11 t11 T12 t12 T13 t13 T14 t14 T15 t15
    T16 t16 T17 t17 T18 t18 T19 t19 T20 t20 T21 t21 T22 t22 T23 t23 T24 t24 T25 t25 T26 t26 T27 t27 T28 t28 T29 t29
    T30 t30 T31 t31
}

/// The class of an object, one of the first `types`.
pub fn class(object: u32, types: usize) -> usize {
    (mixed(u64::from(object)) % types as u64) as usize
}

/// The links of `n` objects of the first `types` classes, in the order of their creation, and their world.
///
/// # Panics
///
/// If there is no memory.
pub fn links(n: u32, types: usize) -> (Types, Vec<TypedLink>) {
    let mut world = Types::new();
    let links = (0..n).map(|object| world.push(class(object, types), object));
    let links = links.collect::<Result<_, _>>().expect("there is memory");
    (world, links)
}

/// RUBY's algorithm 1: the numbers of jobs by class. Each class begins at a multiple of the warp.
pub fn reordered(classes: &[u8]) -> Vec<u32> {
    let mut types = vec![Vec::new(); MOST];
    for (job, &class) in (0..).zip(classes) {
        types[usize::from(class)].push(job);
    }
    let mut result = Vec::with_capacity(types.iter().map(|jobs| jobs.len().next_multiple_of(WARP)).sum());
    for jobs in &types {
        result.extend_from_slice(jobs);
        result.resize(result.len().next_multiple_of(WARP), NO_JOB);
    }
    result
}
