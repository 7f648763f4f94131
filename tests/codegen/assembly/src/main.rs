//! Runs the kernels. Prints the instruction set of heavy ones, and the result bits of each layout on one line.

use std::hash::{DefaultHasher, Hasher as _};

use ikra::Isa;
use ikra::prelude::*;
use ikra_assembly_tests::{counters, soa, tiles};

/// Plain loops over all objects, outside of kernels.
macro_rules! loops {
    ($($module:ident)*) => { $(
        pub(crate) mod $module {
            use ikra::World as _;
            use ikra_assembly_tests::$module::{Twenty, World};

            #[inline(never)]
            pub(crate) fn loop_over_refs(world: &World) -> usize {
                let mut found = 0;
                for object in world.all::<Twenty>() {
                    found += usize::from(object.a0() * object.a9() > 2.0);
                }
                found
            }

            #[inline(never)]
            pub(crate) fn loop_over_rows(world: &World) -> usize {
                let mut found = 0;
                for object in &world.twenty {
                    found += usize::from(object.a0 * object.a9 > 2.0);
                }
                found
            }
        }
    )* };
}

/// The loops.
mod loops {
    loops!(soa tiles);
}

macro_rules! print_results {
    ($($module:ident)*) => { $({
        use $module::{Body, Twenty, TwentyFour, World};
        let mut world = World::new();
        let count = 3000;
        world.twenty.extend((0..count).map(Twenty::nth)).expect("there is memory");
        world.twenty_four.extend((0..count).map(TwentyFour::nth)).expect("there is memory");
        let body = |n: usize| {
            let x = n as f32;
            Body { pos: [(x * 0.7).sin(), (x * 0.3).cos(), x / 1000.0], force: [0.1; 3], mass: 1.0 + (x * 0.9).sin() }
        };
        world.bodies.extend((0..count).map(body)).expect("there is memory");

        world.execute(Twenty::add_ten, ());
        world.execute(TwentyFour::add_six, ());
        world.execute_pairs(Body::attract, ());
        world.execute(Body::slow_down, 0.9);
        world.execute(Body::churn, 0.8);
        let mut bits = DefaultHasher::new();
        bits.write_u32(world.execute_and_reduce(Body::strength, (), Sum).to_bits());
        let strengths = world.execute_and_collect(Body::strength, ());
        let forces = world.bodies.iter().flat_map(|body| body.force);
        let sums = world.twenty.iter().map(|object| object.a0 + object.a9);
        let others = world.twenty_four.iter().map(|object| object.a0 + object.a5);
        forces.chain(strengths).chain(sums).chain(others).for_each(|x| bits.write_u32(x.to_bits()));
        let found = loops::$module::loop_over_refs(&world);
        assert_eq!(found, loops::$module::loop_over_rows(&world));
        assert_eq!(found, world.twenty.iter().filter(|object| object.a0 * object.a9 > 2.0).count());
        println!("{}: {:016x}", stringify!($module), bits.finish());
    })* };
}

fn main() {
    println!("{:?}", Isa::detect());
    print_results!(soa tiles);
    // The first count runs on one thread, the second on several, if available.
    for count in [1000, 100_000] {
        use counters::{Counter, Spare, User, World};
        let mut world = World::new();
        let counters: Vec<_> = world.counters.reserve(10).expect("there is memory").collect();
        for (n, &link) in counters.iter().enumerate() {
            let next = counters[(n + 1) % 10];
            world.counters.init(link, Counter { count: 0, least: 0, ways: [0; 2], next }).expect("it is reserved");
        }
        let spare = world.spares.push(Spare { count: 0 }).expect("there is memory");
        let users = (0..count).map(|n| {
            let of = counters[n % 10];
            User { of, more: [of; 2], any: if n % 2 == 0 { of.into() } else { spare.into() } }
        });
        world.users.extend(users).expect("there is memory");
        world.execute(User::add_one, ());
        world.execute(User::add_by_all_ways, counters[3]);
        let calls = world.execute_and_reduce(User::lower, 5, Sum);
        let least = world.counters.iter().map(|counter| counter.least).sum::<i64>();
        let counts = world.counters.iter().map(|counter| counter.count).sum::<u32>();
        let ways = world.counters.iter().map(|counter| counter.ways[0]).sum::<u32>();
        assert_eq!(
            (calls as usize, ways as usize, world.get(spare).count().load() as usize),
            (count, count, count / 2)
        );
        assert_eq!(counts as usize, 7 * count + count / 2);
        print!("counters: {least} ");
    }
    println!();
}
