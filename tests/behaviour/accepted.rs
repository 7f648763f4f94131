//! Programs that must build, and run, beside those of `tests/compile_fail` that must not. Each is a module with a `main`.
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

programs! { arrays atomic declared dispatch guard_refs order other_field same_names snapshot ways_out }
