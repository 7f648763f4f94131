//! A class of which no world has objects.
//!
//! If a program had a single `Holds` impl, type inference would pick its world for every kernel, and a kernel of another
//! class would be a mere mismatch of types. With a second `Holds` the compiler says which class is not in the world.

use crate::soa_class;

/// No world has objects of it, no kernel is for it.
#[soa_class]
#[derive(Debug)]
pub struct Absent {
    nothing: u8,
}
