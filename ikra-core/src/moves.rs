//! The new positions of a class's objects after they were sorted or removed: links are remapped by them.

use crate::info::ClassId;

/// The new position of each object of one class.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a> {
    class: ClassId,
    /// By old index: the new id, or 0 for an object that was removed.
    ids: &'a [u32],
}

impl<'a> Moves<'a> {
    /// The moves of the objects of `class`: `ids` holds each object's new id by its old index, or 0 if it was removed.
    pub fn new(class: ClassId, ids: &'a [u32]) -> Self {
        Self { class, ids }
    }

    /// The class whose objects moved.
    pub fn class(self) -> ClassId {
        self.class
    }

    /// The new index of an object of `class`, or `None` if it was removed. Objects of other classes, and those that do not exist,
    /// keep their index.
    #[inline]
    pub fn index(self, class: ClassId, index: u32) -> Option<u32> {
        if class != self.class {
            return Some(index);
        }
        match self.ids.get(index as usize) {
            Some(id) => id.checked_sub(1),
            None => Some(index),
        }
    }

    /// Whether object `index` of `class` was removed.
    pub fn is_removed(self, class: ClassId, index: usize) -> bool {
        class == self.class && self.ids.get(index) == Some(&0)
    }
}

/// The task of a pass over links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remap {
    /// It checks whether all links can be remapped, and changes none of them.
    Check,
    /// It remaps them.
    Commit,
}
