//! On the host.

/// What is known of an object, so that a loop over objects asks once, and not for each. In sequential code, while its table is shared:
/// that it exists, that the host has the last values of all its fields, and that no device has any. In a kernel: that one thread runs it
/// [alone](crate::alone).
///
/// Not an `enum`: an `Option` of a ref would have its `None` here, and ask for it at each object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(u8);

impl Facts {
    const EXISTS: u8 = 1;
    const LAST: u8 = 2;
    const NO_DEVICE: u8 = 4;
    const WORLD: u8 = 8;
    const ALONE: u8 = 16;

    /// Nothing is known.
    pub const NONE: Self = Self(0);

    /// What is known in a kernel's calls: whether one thread makes all of them.
    ///
    /// # Safety
    ///
    /// If `is_alone`, the thread that calls this makes all calls of the kernel, the world is borrowed exclusively for them, and no other
    /// kernel runs in it meanwhile.
    #[inline(always)]
    pub unsafe fn of_calls(is_alone: bool) -> Self {
        Self(if is_alone { Self::ALONE } else { 0 })
    }

    /// What is known of the objects of a table: whether a device may have values, and whether the host has all last ones.
    #[inline]
    pub(crate) fn of_objects(has_device: bool, is_last: bool) -> Self {
        Self(Self::EXISTS | if is_last { Self::LAST } else { 0 } | if has_device { 0 } else { Self::NO_DEVICE })
    }

    /// The same, and whether the host has all last values of all classes of the world.
    #[inline]
    pub(crate) fn in_world(self, is_last: bool) -> Self {
        Self(if is_last { self.0 | Self::WORLD } else { self.0 })
    }

    /// What is then known of an object of the same world that a link leads to.
    #[inline(always)]
    pub(crate) fn of_linked_object(self) -> Self {
        // Without a branch, of which there would be two loops over the objects.
        const { assert!(Self::LAST == Self::WORLD >> 2) };
        let world = self.0 & Self::WORLD;
        Self(world | world >> 2 | self.0 & Self::ALONE)
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
    pub(crate) fn has_no_device(self) -> bool {
        self.0 & Self::NO_DEVICE != 0
    }

    /// Whether one thread is known to run the kernel.
    #[inline(always)]
    pub(crate) fn is_alone(self) -> bool {
        self.0 & Self::ALONE != 0
    }
}
