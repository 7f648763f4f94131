//! Ordinary structs, impl blocks and traits as Structure-of-Arrays object classes.

pub use ikra_macros::{Value, kernel, soa_class, soa_methods, soa_world};
pub use ikra_runtime::class::{Addressing, Class};
pub use ikra_runtime::error::Error;
pub use ikra_runtime::handle::All as AllObjects;
pub use ikra_runtime::link::Link;
pub use ikra_runtime::objects::{Column, Links, Objects, Rows};
pub use ikra_runtime::phase::{Phase, Sequential};
pub use ikra_runtime::picture::WorldLayout;
pub use ikra_runtime::reduce::{All, Any, Max, Min, Reducer, Sum};
pub use ikra_runtime::storage::{Atomic, AtomicValue};
pub use ikra_runtime::value::Value;
pub use ikra_runtime::world::{Holds, Mut, Object, World};

/// What `use ikra::prelude::*` brings.
pub mod prelude {
    pub use crate::{
        All, Any, Atomic, Link, Max, Min, Object, Objects, Reducer, Sum, Value, World, kernel, soa_class, soa_methods,
        soa_world,
    };
}

/// For the macros' code.
#[doc(hidden)]
pub mod rt {
    pub use ikra_macros::__expand_methods;
    pub use ikra_runtime::access::ModeOf;
    pub use ikra_runtime::arity::FieldTuple;
    pub use ikra_runtime::class::{Addressing, ClassId, Field, FieldInfo, Opaque, Shown, column_count};
    pub use ikra_runtime::handle::{Handle, Place, Touched};
    pub use ikra_runtime::kernel::{Constructor, Kernel, Method, PairKernel, ReducedBy};
    pub use ikra_runtime::layout::{Aos, Soa, Tiles};
    pub use ikra_runtime::phase::{AllRaceFree, FieldAccess, FieldSet, RaceFree, Reached};
    pub use ikra_runtime::storage::{AtomicColumn, Flat, Flatten, Plain};
    pub use ikra_runtime::table::{AnyTable, Base, TargetSlot};
    pub use ikra_runtime::value::{LaneArray, NoTarget};
    pub use ikra_runtime::world::{WorldState, assert_closed};
}
