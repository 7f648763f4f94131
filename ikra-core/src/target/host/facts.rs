//! What sequential code knows of an object before it looks.

use core::sync::atomic::Ordering::Relaxed;

use crate::directory::Directory;
use crate::field_set::FieldSet;
use crate::info::ClassInfo;
use crate::table::Table;

/// What is known of an object while its table is shared, so that a loop over all objects asks once, and not for each: that it exists,
/// that the host has the last values of all its fields, and that no device has any.
///
/// Not an `enum`: an `Option` of a ref would have its `None` here, and ask for it at each object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(u8);

impl Facts {
    const EXISTS: u8 = 1;
    const LAST: u8 = 2;
    const ALONE: u8 = 4;
    const WORLD: u8 = 8;

    /// Nothing is known.
    pub(crate) const NONE: Self = Self(0);

    /// What is known of the objects of a table. It stays so while the table is shared: no device is opened meanwhile, and no kernel
    /// runs.
    #[inline]
    pub fn of<C: ClassInfo>(table: &Table<C>) -> Self {
        if table.newer.is_none() {
            Self(Self::EXISTS | Self::LAST | Self::ALONE)
        } else if table.header.to_fetch(FieldSet::ALL).is_empty() {
            Self(Self::EXISTS | Self::LAST)
        } else {
            Self(Self::EXISTS)
        }
    }

    /// The same of a table that is linked to those of its world: whether the host has all last values of all classes, too.
    ///
    /// # Safety
    ///
    /// The table is linked to those of its world, which is borrowed.
    #[inline]
    pub(crate) unsafe fn of_linked<C: ClassInfo>(table: &Table<C>) -> Self {
        let Self(facts) = Self::of(table);
        // SAFETY: by the caller it points to the world's directory, which is alive.
        let directory = unsafe { table.header.directory.load(Relaxed).as_ref() };
        let is_last = |directory: &Directory| {
            directory.entries.iter().all(|(_, entry)| {
                // SAFETY: and that to the world's tables.
                let header = unsafe { entry.load(Relaxed).as_ref() };
                header.is_none_or(|header| header.to_fetch(FieldSet::ALL).is_empty())
            })
        };
        Self(if directory.is_some_and(is_last) { facts | Self::WORLD } else { facts })
    }

    /// What is then known of an object of the same world that a link leads to.
    #[inline(always)]
    pub(crate) fn of_linked_object(self) -> Self {
        // Without a branch, of which there would be two loops over the objects.
        const { assert!(Self::LAST == Self::WORLD >> 2) };
        let world = self.0 & Self::WORLD;
        Self(world | world >> 2)
    }

    /// The same, of an object that exists: the compiler knows it then, wherever these facts are from.
    #[inline(always)]
    pub(crate) fn of_existing(self) -> Self {
        Self(self.0 | Self::EXISTS)
    }

    /// Whether the object is known to exist.
    #[inline(always)]
    pub(crate) fn exists(self) -> bool {
        self.0 & Self::EXISTS != 0
    }

    /// Whether the host is known to have the last values.
    #[inline(always)]
    pub fn is_last(self) -> bool {
        self.0 & Self::LAST != 0
    }

    /// Whether no device is known to have values, so that nobody is to be told of a change.
    #[inline(always)]
    pub(crate) fn is_alone(self) -> bool {
        self.0 & Self::ALONE != 0
    }
}
