//! Links inside structs: how `#[derive(Value)]` derives a struct's links from those of its fields.

use crate::directory::Targets;
use crate::info::ClassId;
use crate::phase::Phase;
use crate::value::Value;

/// Classes that the fields of one struct may link to, if several of them have links.
const MAX_CLASSES: usize = 256;

/// The classes that the fields of a struct link to, in the order of the fields.
#[derive(Debug)]
pub struct Joined {
    classes: [ClassId; MAX_CLASSES],
    len: usize,
}

impl Joined {
    /// The classes of each field.
    ///
    /// # Panics
    ///
    /// When compiled, if the classes do not fit.
    pub const fn of(fields: &[&[ClassId]]) -> Self {
        let mut joined = Self { classes: [ClassId::NONE; MAX_CLASSES], len: 0 };
        let mut field = 0;
        while field < fields.len() {
            let mut class = 0;
            while class < fields[field].len() {
                assert!(joined.len < MAX_CLASSES, "the fields of a struct in a column link to at most 256 classes");
                joined.classes[joined.len] = fields[field][class];
                joined.len += 1;
                class += 1;
            }
            field += 1;
        }
        joined
    }

    /// The classes of all fields.
    pub const fn classes(&'static self) -> &'static [ClassId] {
        self.classes.split_at(self.len).0
    }
}

/// Tells a GPU's compiler that the links in a shown value are to existing objects, so that following one needs no
/// check.
///
/// # Safety
///
/// In kernels, [`bad_link`](Value::bad_link) finds no bad link in the value.
#[inline(always)]
pub unsafe fn assume_good<P: Phase, T: Value>(value: &T, targets: Targets<'_>) {
    if const { cfg!(target_arch = "nvptx64") && !P::SEQUENTIAL && !T::LINKS_TO.is_empty() } {
        // SAFETY: the phase is a kernel, in which `bad_link` finds no bad link in the value.
        unsafe { value.assume_good(targets) }
    }
}
