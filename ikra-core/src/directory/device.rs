//! What takes the place of tables of any class on the device, where the class says where its objects are.

use core::marker::PhantomData;

/// Not needed: the class of a link says where its objects are.
#[doc(hidden)]
#[derive(Debug)]
pub struct TargetSlot;

impl TargetSlot {
    /// The one.
    pub const NONE: Self = Self;
}

/// Where the objects of a link's class are: nothing to know.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableRef<'w>(pub(crate) PhantomData<&'w ()>);
