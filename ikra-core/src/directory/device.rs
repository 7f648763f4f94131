//! The device's counterparts of tables of any class. On the device, the class itself provides the addresses of its
//! objects.

use core::marker::PhantomData;

use crate::facts::Facts;

/// The address of the table of a link's class: nothing to store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableRef<'w>(pub(crate) PhantomData<&'w ()>);

/// The addresses of the tables of the classes that a field links to: nothing to store.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'w>(pub(crate) PhantomData<&'w ()>);

impl TableRef<'_> {
    /// The table's number, and when its ids last changed: the host compares them.
    #[inline(always)]
    pub(crate) fn changed(self) -> (u64, u64) {
        (0, 0)
    }
}

impl<'w> Targets<'w> {
    /// The targets without the first ones.
    #[inline(always)]
    #[must_use]
    pub fn after(self, _first: usize) -> Self {
        self
    }

    /// As on the host, which adds known facts: nothing to store.
    #[inline(always)]
    pub(crate) fn knowing(self, _: Facts) -> Self {
        self
    }

    /// The known facts about each of the objects.
    #[inline(always)]
    pub(crate) fn facts(self) -> Facts {
        Facts
    }

    /// The address of the table of one of the classes.
    #[inline(always)]
    pub fn table(self, _class: impl FnOnce() -> usize) -> TableRef<'w> {
        TableRef(PhantomData)
    }
}
