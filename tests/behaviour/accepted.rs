//! Programs that must build and run, the counterpart of `tests/compile_fail`. Each is a module with a `main`.
#![allow(missing_docs, dead_code, unreachable_pub, missing_debug_implementations, reason = "programs, not libraries")]

macro_rules! programs {
    ($($name:ident)*) => { $(
        mod $name;

        #[test]
        fn $name() -> impl std::process::Termination {
            $name::main()
        }
    )* };
}

/// The base programs of `tests/compile_fail`, whose cases change a few lines: the bases themselves contain no mistake.
#[path = "../compile_fail/bases"]
mod bases {
    mod body;
    #[rustfmt::skip]
    mod cells;
    mod follow;
    mod grow;
    mod model;
    mod next;
    mod town;
}

programs! { arrays atomic declared dispatch guard_refs order other_field same_names snapshot ways_out }
