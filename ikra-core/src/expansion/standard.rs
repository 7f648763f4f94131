//! The meanings of macro names that `#[soa_methods]` assumes to be the standard library's.
//!
//! A method that calls one of them imports them by a glob. If the name means another macro, imported or defined by
//! `macro_rules!`, the two are ambiguous, which is an error at the user's call.

/// The macros, and no other items of their names.
pub mod macros {
    pub use super::all::*;

    // Hide the modules `std::vec` and `std::panic`.
    #[allow(hidden_glob_reexports, reason = "the point of it")]
    mod panic {}
    #[allow(hidden_glob_reexports, reason = "the point of it")]
    mod vec {}
}

mod all {
    pub use core::mem::offset_of;
    pub use core::pin::pin;
    pub use core::ptr::{addr_of, addr_of_mut};
    pub use core::{
        assert, assert_eq, assert_ne, cfg, column, compile_error, concat, debug_assert, debug_assert_eq,
        debug_assert_ne, env, file, format_args, include_bytes, include_str, line, matches, module_path, option_env,
        stringify, todo, unimplemented, unreachable, write, writeln,
    };

    pub use crate::target::standard_macros::*;
}

/// The crates, for paths.
pub mod crates {
    pub use ::core;

    pub use crate::target::standard_crates::*;
}
