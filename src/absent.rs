//! A class that no world contains.
//!
//! If a program had a single `Holds` impl, type inference would pick its world for every kernel. A kernel of another
//! class would then be reported as a mismatch of types. With a second `Holds` impl the compiler reports which class is
//! not in the world.

use crate::soa_class;

/// No world has objects of this class, and it has no kernels.
#[soa_class]
#[derive(Debug)]
pub struct Absent {
    nothing: u8,
}
