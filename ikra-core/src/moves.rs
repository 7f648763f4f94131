//! Changes of a class's objects: they moved, were removed, or got ids. Links are remapped by them.

use crate::bits::is_set;
use crate::info::ClassId;
use crate::kept::Kept;

/// Links to objects that a running kernel makes have indices below this, unless their class has about as many objects.
/// They fit into links to objects of up to 64 classes.
pub const YOUNG_END: u32 = 1 << 26;

/// Whether a link with this index may name an object that a running kernel makes.
#[must_use]
pub const fn may_be_young(index: u32) -> bool {
    (index >= YOUNG_END / 2 && index < YOUNG_END) || index >= u32::MAX / 2
}

/// The change of the objects of one class.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    class: ClassId,
    how: How<'a>,
}

#[derive(Clone, Copy, Debug)]
enum How<'a> {
    /// By old index: the new id, or 0 for an object that was removed.
    Moved(&'a [u32]),
    /// These objects stay and close up.
    Kept(Kept<'a>),
    /// One bit per index, set for objects that were removed. The others stay.
    Removed(&'a [u64]),
    /// Nothing changes. A function gets the index of each object that a link names.
    #[cfg(not(target_arch = "nvptx64"))]
    Seen(Seen<'a>),
    /// A running kernel makes objects, which have no ids yet.
    Young,
    /// By number: the id of a new object. Links name number `n` by an index, the given one minus `n`.
    Made(u32, &'a [u32]),
    /// The same, on a device.
    #[cfg(target_arch = "nvptx64")]
    MadeHere(&'a crate::device_lives::DeviceLives),
    /// Objects of which a device has bits that are not set were removed before.
    #[cfg(target_arch = "nvptx64")]
    GoneHere(&'a crate::device_lives::DeviceLives),
}

/// A function that sees the links.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy)]
struct Seen<'a>(&'a (dyn Fn(u32) + Sync));

#[cfg(not(target_arch = "nvptx64"))]
impl core::fmt::Debug for Seen<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Seen")
    }
}

impl<'a> Change<'a> {
    /// The objects of `class` moved: `ids` holds each object's new id by its old index, or 0 if it was removed.
    #[must_use]
    pub const fn moved(class: ClassId, ids: &'a [u32]) -> Self {
        Self { class, how: How::Moved(ids) }
    }

    /// Some objects of `class` were removed, and the others closed up.
    #[must_use]
    pub const fn kept(class: ClassId, kept: Kept<'a>) -> Self {
        Self { class, how: How::Kept(kept) }
    }

    /// Some objects of `class` were removed: one bit per index.
    #[must_use]
    pub const fn removed(class: ClassId, removed: &'a [u64]) -> Self {
        Self { class, how: How::Removed(removed) }
    }

    /// New objects of `class` got ids: `ids` holds them by number. The links' indices descend from `first`.
    #[must_use]
    pub const fn made(class: ClassId, first: u32, ids: &'a [u32]) -> Self {
        Self { class, how: How::Made(first, ids) }
    }

    /// New objects of `class` got ids on a device.
    ///
    /// # Safety
    ///
    /// Ranks, free indices and counts of these makers are where the value says.
    #[cfg(target_arch = "nvptx64")]
    #[must_use]
    pub const unsafe fn made_here(class: ClassId, lives: &'a crate::device_lives::DeviceLives) -> Self {
        Self { class, how: How::MadeHere(lives) }
    }

    /// Objects of `class` were removed before, as bits on a device tell.
    ///
    /// # Safety
    ///
    /// There are bits for all objects that were there before, or none at all.
    #[cfg(target_arch = "nvptx64")]
    #[must_use]
    pub const unsafe fn gone_here(class: ClassId, lives: &'a crate::device_lives::DeviceLives) -> Self {
        Self { class, how: How::GoneHere(lives) }
    }

    /// Objects of `class` do not change: a check calls `see` with the index of each object that a link names.
    #[cfg(not(target_arch = "nvptx64"))]
    #[must_use]
    pub const fn seen(class: ClassId, see: &'a (dyn Fn(u32) + Sync)) -> Self {
        Self { class, how: How::Seen(Seen(see)) }
    }

    /// New objects of `class` have no ids yet: links to them have no new index.
    #[must_use]
    pub const fn young(class: ClassId) -> Self {
        Self { class, how: How::Young }
    }

    /// The class.
    #[must_use]
    pub const fn class(self) -> ClassId {
        self.class
    }

    /// The new index of an object, or `None` if it was removed. Removals and moves are inlined into loops over links, and
    /// nothing else on the host: it would take their registers.
    #[inline(always)]
    fn index(&self, index: u32) -> Option<u32> {
        match self.how {
            How::Removed(removed) => (!is_set(removed, index as usize)).then_some(index),
            How::Moved(ids) => match ids.get(index as usize) {
                Some(id) => id.checked_sub(1),
                None => Some(index),
            },
            _ => self.other_index(index),
        }
    }

    /// As above, for the other changes.
    #[cfg_attr(target_arch = "nvptx64", inline)]
    #[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
    fn other_index(&self, index: u32) -> Option<u32> {
        match self.how {
            How::Moved(_) | How::Removed(_) => None,
            How::Kept(kept) => kept.index(index),
            #[cfg(not(target_arch = "nvptx64"))]
            How::Seen(Seen(see)) => {
                see(index);
                Some(index)
            }
            How::Young => (!may_be_young(index)).then_some(index),
            How::Made(first, ids) => match ids.get(first.wrapping_sub(index) as usize) {
                Some(&id) if id > 0 => Some(id - 1),
                _ => Some(index),
            },
            #[cfg(target_arch = "nvptx64")]
            How::GoneHere(lives) => {
                // SAFETY: by the contract of `gone_here`.
                let is_live =
                    || unsafe { crate::device_lives::at::<u32>(lives.live, index / 32) } >> (index % 32) & 1 != 0;
                (lives.live == 0 || index >= lives.slots || is_live()).then_some(index)
            }
            #[cfg(target_arch = "nvptx64")]
            How::MadeHere(lives) => {
                let number = lives.first.wrapping_sub(index);
                let (maker, made) = (number / lives.per_maker.max(1), number % lives.per_maker.max(1));
                let is_made = lives.ranks != 0 && maker < lives.makers && {
                    // SAFETY: by the contract of `made_here`.
                    let count = unsafe { crate::device_lives::at::<u8>(lives.counts, maker) };
                    made < u32::from(count)
                };
                // SAFETY: as above: the maker made this object.
                Some(if is_made { unsafe { lives.index(lives.rank(maker) + made) } } else { index })
            }
        }
    }
}

/// The changes of the objects of some classes.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a> {
    changes: &'a [Change<'a>],
    /// There is one change, and all links that are remapped are to objects of its class.
    is_one: bool,
}

impl<'a> Moves<'a> {
    /// These changes, at most one per class.
    #[must_use]
    pub const fn new(changes: &'a [Change<'a>]) -> Self {
        Self { changes, is_one: false }
    }

    /// The changes that concern links to objects of these classes, the only links that will be remapped.
    ///
    /// Most fields hold links to one class. Then no link looks for the change of its class.
    #[must_use]
    pub fn of_links_to(self, classes: &[ClassId]) -> Option<Self> {
        if cfg!(target_arch = "nvptx64") {
            // A thread remaps the links of one object, and LLVM knows its changes.
            return Some(self);
        }
        match classes {
            [class] => {
                let place = self.changes.iter().position(|change| change.class == *class)?;
                Some(Self { changes: &self.changes[place..=place], is_one: true })
            }
            _ => self.concern(classes).then_some(self),
        }
    }

    /// Whether objects of one of the classes changed.
    #[must_use]
    pub fn concern(self, classes: &[ClassId]) -> bool {
        self.changes.iter().any(|change| classes.contains(&change.class))
    }

    /// The first class to which these changes alone satisfy a condition.
    #[must_use]
    pub fn first_class(self, is_it: impl Fn(Self) -> bool) -> ClassId {
        let change = self.changes.iter().find(|change| is_it(Self::new(core::slice::from_ref(change))));
        change.map_or(ClassId::NONE, |change| change.class)
    }

    /// The new index of an object of `class`, or `None` if it was removed. Objects of other classes, and those that do
    /// not exist, keep their index.
    #[inline(always)]
    #[must_use]
    pub fn index(self, class: ClassId, index: u32) -> Option<u32> {
        match self.changes {
            [change] if self.is_one => change.index(index),
            _ => self.index_among(class, index),
        }
    }

    /// As above, by the change of the class.
    #[cfg_attr(target_arch = "nvptx64", inline)]
    #[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
    fn index_among(self, class: ClassId, index: u32) -> Option<u32> {
        self.changes.iter().find(|change| change.class == class).map_or(Some(index), |change| change.index(index))
    }

    /// Whether objects were removed, and none moved.
    #[must_use]
    pub fn are_removals(self) -> bool {
        self.changes.iter().all(|change| matches!(change.how, How::Removed(_)))
    }

    /// Whether object `index` of `class` is removed and keeps its index until then.
    #[inline]
    #[must_use]
    pub fn is_removed_in_place(self, class: ClassId, index: usize) -> bool {
        let mut changes = self.changes.iter().filter(|change| matches!(change.how, How::Removed(_)));
        changes.any(|change| change.class == class && change.index(index as u32).is_none())
    }

    /// Whether object `index` of `class` was removed.
    #[inline]
    #[must_use]
    pub fn is_removed(self, class: ClassId, index: usize) -> bool {
        self.index(class, index as u32).is_none()
    }
}

/// The task of a pass over links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remap {
    /// It checks whether all links can be remapped, and changes none of them.
    Check,
    /// It checks that no link changes, for fields with `on_remove = "cascade"`.
    Cascade,
    /// It remaps them.
    Commit,
}
