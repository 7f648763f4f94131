//! What takes the place of tables of any class on the device, where the class says where its objects are.

use core::marker::PhantomData;

use crate::facts::Facts;

/// Where the objects of a link's class are: nothing to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableRef<'w>(pub(crate) PhantomData<&'w ()>);

/// Where the objects of the classes that a field links to are: nothing to know.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'w>(pub(crate) PhantomData<&'w ()>);

impl<'w> Targets<'w> {
    /// Those without the first ones.
    #[inline(always)]
    #[must_use]
    pub fn after(self, _first: usize) -> Self {
        self
    }

    /// The same: nothing is to be known.
    #[inline(always)]
    pub(crate) fn knowing(self, _: Facts) -> Self {
        self
    }

    /// What is known of each of the objects.
    #[inline(always)]
    pub(crate) fn facts(self) -> Facts {
        Facts
    }

    /// Where the objects of one of the classes are.
    #[inline(always)]
    pub fn table(self, _class: impl FnOnce() -> usize) -> TableRef<'w> {
        TableRef(PhantomData)
    }
}
