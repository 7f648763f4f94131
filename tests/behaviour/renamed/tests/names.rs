//! Macros find `ikra` under its name in Cargo.toml, and at an explicit path.

use ikra_renamed::{Cell, Cells};
use soa::prelude::*;

#[test]
fn in_a_library() {
    let mut world = Cells::new();
    let made: Vec<_> = world.construct(3, Cell::made, 1.0).unwrap().collect();
    let (first, last) = (made[0], made[2]);
    let mut row = world.cells.read(first).unwrap();
    row.next = Some(last);
    world.cells.write(first, row).unwrap();
    world.execute(Cell::follow, ());
    assert_eq!(world.get(first).level().litres, 3.0);
    assert_eq!(world.get(last).asked().load(), 3);
    assert_eq!(world.execute_and_reduce(Cell::litres, (), Sum), 8.0);
}

/// A macro of another crate, whose users do not depend on `ikra`.
mod told {
    use ikra_renamed::engine::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Value)]
    #[value(crate = ikra_renamed::engine)]
    #[repr(u8)]
    pub enum Kind {
        Even,
        Odd,
    }

    #[soa_class(layout = "tiles", crate = ikra_renamed::engine)]
    pub struct Number {
        pub value: u32,
        pub kind: Kind,
        pub next: Link<Self>,
    }

    #[soa_methods]
    impl Number {
        #[kernel]
        pub fn grow(&mut self, by: u32) {
            self.value += by;
            self.kind = if self.value & 1 == 0 { Kind::Even } else { Kind::Odd };
        }
    }

    mod elsewhere {
        use super::{Number, NumberMut, NumberRef};
        use ikra_renamed::engine as place;
        use ikra_renamed::engine::prelude::*;

        #[soa_methods(crate = place)]
        impl Number {
            #[kernel(reduce(Any))]
            pub fn is_odd(&self) -> bool {
                self.value % 2 == 1
            }
        }
    }

    #[soa_world(crate = ikra_renamed::engine)]
    pub struct Numbers {
        pub numbers: Objects<Number>,
    }

    #[test]
    fn runs() {
        let mut world = Numbers::new();
        let next = Link::from_id(1).unwrap();
        let first = world.numbers.push(Number { value: 1, kind: Kind::Odd, next }).unwrap();
        assert!(world.execute_and_reduce(Number::is_odd, (), Any));
        world.execute(Number::grow, 3);
        assert_eq!((world.get(first).value(), world.get(first).kind()), (4, Kind::Even));
        assert!(!world.execute_and_reduce(Number::is_odd, (), Any));
    }
}

/// Classes defined by a macro that finds `ikra` through its own crate.
mod by_macro {
    ikra_renamed::counter!(Counter, Counters);

    #[test]
    fn runs() {
        use ikra_renamed::engine::World;
        let mut world = Counters::new();
        let first = world.counters.push(Counter { counted: 1 }).unwrap();
        world.execute(Counter::count, 2);
        assert_eq!(world.get(first).counted(), 3);
    }
}
