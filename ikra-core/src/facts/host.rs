//! On the host.

/// The known facts about an object, so that a loop over objects checks once, and not for each. In sequential code,
/// while its table is shared: the object exists, the host's copies of all its fields are current, and no device has a
/// copy. In a kernel: one thread runs it [alone](crate::alone).
///
/// Not an `enum`: an `Option` of a ref would encode its `None` here, and check for it at each object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(u8);

impl Facts {
    const EXISTS: u8 = 1;
    const LAST: u8 = 2;
    const NO_DEVICE: u8 = 4;
    const WORLD: u8 = 8;
    const ALONE: u8 = 16;

    /// No known facts.
    pub const NONE: Self = Self(0);

    /// The known facts in a kernel's calls: whether one thread makes all of them.
    ///
    /// # Safety
    ///
    /// If `is_alone`, no other thread makes calls of the kernel as long as the facts are used, and the world is borrowed
    /// exclusively for the kernel, so that no other kernel runs in it meanwhile.
    #[inline(always)]
    pub unsafe fn of_calls(is_alone: bool) -> Self {
        Self(if is_alone { Self::ALONE } else { 0 })
    }

    /// The known facts about the objects of a table: whether a device may have a copy, and whether the host is current
    /// in all fields.
    #[inline]
    pub(crate) fn of_objects(has_device: bool, is_last: bool) -> Self {
        Self(Self::EXISTS | if is_last { Self::LAST } else { 0 } | if has_device { 0 } else { Self::NO_DEVICE })
    }

    /// These facts, and whether the host is current for all classes of the world.
    #[inline]
    pub(crate) fn in_world(self, is_last: bool) -> Self {
        Self(if is_last { self.0 | Self::WORLD } else { self.0 })
    }

    /// The facts that follow for an object of this world to which a link leads.
    #[inline(always)]
    pub(crate) fn of_linked_object(self) -> Self {
        // Branch-free: a branch here would split the loop over the objects in two.
        const { assert!(Self::LAST == Self::WORLD >> 2) };
        let world = self.0 & Self::WORLD;
        Self(world | world >> 2 | self.0 & Self::ALONE)
    }

    /// These facts for an object that exists. The compiler then knows so, for facts from any source.
    #[inline(always)]
    pub(crate) fn of_existing(self) -> Self {
        Self(self.0 | Self::EXISTS)
    }

    /// Whether the object is known to exist.
    #[inline(always)]
    pub(crate) fn exists(self) -> bool {
        self.0 & Self::EXISTS != 0
    }

    /// Whether the host is known to be current.
    #[inline(always)]
    pub fn is_last(self) -> bool {
        self.0 & Self::LAST != 0
    }

    /// Whether no device is known to have a copy, so that a change need not be marked.
    #[inline(always)]
    pub(crate) fn has_no_device(self) -> bool {
        self.0 & Self::NO_DEVICE != 0
    }

    /// Whether one thread is known to run the kernel.
    #[inline(always)]
    pub(crate) fn is_alone(self) -> bool {
        self.0 & Self::ALONE != 0
    }
}
