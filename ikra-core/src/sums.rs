//! Sums over the other objects: kernels for pairs that only add to fields of their own object.
//!
//! A call adds at most one number to each of these numbers, and does not read them. If they are -0.0 before a call, they are
//! what the call adds, bit for bit: `-0.0 + x` is `x`, and adding -0.0 changes nothing. So several threads of a device can call
//! the kernel for one object and different others. What their calls add is added up in the order of the others.

use crate::kernel::{FieldsOf, Kernel};
use crate::storage::FieldTuple;
use crate::value::Float;

/// The numbers of an object that a kernel for pairs adds to, if it does nothing else. All have one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// How many there are.
    pub count: u32,
    /// The size of each in bytes: 4 or 8.
    pub bytes: u32,
}

impl Sums {
    /// The numbers that the kernel adds to. `None` if it may do anything else to its object or to atomic fields.
    #[inline]
    #[must_use]
    pub fn of<K: Kernel>() -> Option<Self> {
        if const { !K::EFFECTS.only_adds() } {
            return None;
        }
        let [mut singles, mut doubles, mut others] = [0; 3];
        let count = &mut |part: Float<'_>| match part {
            Float::Single(_) => singles += 1,
            Float::Double(_) => doubles += 1,
            Float::Other => others += 1,
        };
        FieldsOf::<K>::show_floats(&mut { FieldsOf::<K>::PLACEHOLDER }, const { K::EFFECTS.sums() }, count);
        match (singles, doubles, others) {
            (1.., 0, 0) => Some(Self { count: singles, bytes: 4 }),
            (0, 1.., 0) => Some(Self { count: doubles, bytes: 8 }),
            _ => None,
        }
    }
}
