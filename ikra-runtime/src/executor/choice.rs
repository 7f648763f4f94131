//! What a place can do with the results of single objects, without the host.

use std::any::TypeId;
use std::sync::Arc;

use super::Launch;
use crate::class::ClassId;
use crate::list::{ListMemory, ListOrder};
use crate::transfer::{Transfer, WireType};

/// The order into which a place puts the objects of a class, and those that it keeps. `On` alone makes one (I30): a place
/// believes the indices.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum NewOrder<'a> {
    /// All of them, by the integers that a kernel returns.
    #[non_exhaustive]
    Results {
        /// The kernel, for all of them.
        launch: &'a Launch<'a>,
        /// The type of what it returns.
        integer: Integer,
    },
    /// All of them, by random numbers of 64 bits, as [`World::shuffle`](crate::world::World::shuffle) draws them.
    #[non_exhaustive]
    Random {
        /// The class.
        class: ClassId,
        /// The seed.
        seed: u64,
    },
    /// The objects of a list, which exist, in their order.
    #[non_exhaustive]
    Kept {
        /// The class.
        class: ClassId,
        /// The list, of this class alone.
        list: &'a Arc<ListOrder>,
    },
    /// The objects at these indices, which exist, none of them twice.
    #[non_exhaustive]
    Given {
        /// The class.
        class: ClassId,
        /// The indices.
        indices: &'a [u32],
    },
}

/// A type of integers of at most 64 bits.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Integer {
    /// The type.
    pub wire: WireType,
    /// Whether it has negative numbers.
    pub is_signed: bool,
}

impl Integer {
    /// The type, if it is one of these.
    pub(super) fn of<T: Transfer>() -> Option<Self> {
        fn is<T: 'static, U: 'static>() -> bool {
            TypeId::of::<T>() == TypeId::of::<U>()
        }
        let is_signed = is::<T, i8>() || is::<T, i16>() || is::<T, i32>() || is::<T, i64>();
        let is_unsigned = is::<T, u8>() || is::<T, u16>() || is::<T, u32>() || is::<T, u64>();
        (is_signed || is_unsigned).then(|| Self { wire: WireType::of::<T>(), is_signed })
    }
}

/// The order of a class's objects after a place has put them into another one.
#[derive(Debug)]
pub enum Reordered {
    /// No object has moved.
    AsBefore,
    /// Objects have moved, and all links are remapped. The memory has the new id of each index, or 0.
    Moved(Box<dyn ListMemory>),
}
