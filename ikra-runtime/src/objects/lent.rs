//! Traits of `Vec` that would lend whole objects, for their message.

use std::ops::{Index, IndexMut};

use ikra_core::mistakes::LentWhole;

use super::Objects;
use crate::class::Class;

impl<C: Class + LentWhole, I> Index<I> for Objects<C> {
    type Output = C;
    fn index(&self, _: I) -> &C {
        unreachable!()
    }
}
impl<C: Class + LentWhole, I> IndexMut<I> for Objects<C> {
    fn index_mut(&mut self, _: I) -> &mut C {
        unreachable!()
    }
}

/// For `for body in &mut sim.bodies`.
#[doc(hidden)]
impl<C: Class + LentWhole> Iterator for Objects<C> {
    type Item = C;
    fn next(&mut self) -> Option<C> {
        unreachable!()
    }
}
