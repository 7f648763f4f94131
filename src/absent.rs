//! A class of which no world has objects.
//!
//! A world with one class would be the world of every kernel as far as type inference goes, and a kernel of
//! another class would be a mere mismatch of types. With a second `Holds` the compiler says which class is
//! not in the world.

use crate::soa_class;

/// No world has objects of it, no kernel is for it.
#[soa_class]
#[derive(Debug)]
pub struct Absent {
    nothing: u8,
}
