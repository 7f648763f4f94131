//! Methods contain ordinary Rust, which stays unchanged.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]
#![forbid(unsafe_code)]

mod atomics;
mod bodies;
mod foreign;
mod graphs;
mod modules;
mod names;
mod pairs;
mod reductions;
mod town;

use ikra::prelude::*;

/// As in doc tests.
#[test]
fn classes_in_a_function() {
    #[soa_class]
    #[derive(Debug)]
    struct Local {
        n: u32,
        twin: Option<Link<Local>>,
    }

    #[soa_methods]
    impl Local {
        #[kernel]
        fn grow(&mut self, by: u32) {
            self.n += by;
            self.shrink();
        }
        #[kernel(reduce(Sum))]
        fn twin_size(&self) -> u32 {
            self.twin.map_or(0, |twin| twin.size())
        }
        fn size(&self) -> u32 {
            self.n
        }
    }

    #[soa_methods]
    impl Local {
        fn shrink(&mut self) {
            self.n -= 1;
        }
    }

    #[soa_world]
    struct Tiny {
        locals: Objects<Local>,
    }

    let mut tiny = Tiny::new();
    let first = tiny.locals.push(Local { n: 1, twin: None }).unwrap();
    tiny.locals.push(Local { n: 2, twin: Some(first) }).unwrap();
    tiny.execute(Local::grow, 10);
    assert_eq!(tiny.execute_and_reduce(Local::twin_size, (), Sum), 10);
}
