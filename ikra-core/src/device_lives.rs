//! The changes of a class's objects by a running kernel, in a device's memory.

/// The changes of a class's objects by the running kernel, in the device's global memory. A world has one array of
/// these, in the order of its members.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceLives {
    /// The address of the bits of the objects that the kernel removes, or 0.
    pub marks: u64,
    /// The address of the rows of new objects, as many as calls may make, for each maker; or 0.
    pub rows: u64,
    /// The address of the number of objects that each maker made: one byte each.
    pub counts: u64,
    /// The address of the rows' numbers, in the order of makers and calls; current when the kernel has ended.
    pub numbers: u64,
    /// The address of the number of objects that earlier makers made, for each maker, then current too; or 0, if no new
    /// object can have links to new ones.
    pub ranks: u64,
    /// The address of the indices for new objects that removed ones have left, in ascending order.
    pub free: u64,
    /// The address of the bits of the class's objects, or 0: those of new objects are set.
    pub live: u64,
    /// The address of a number that becomes 1 if a new object has a link to no object.
    pub bad_links: u64,
    /// The number of free indices.
    pub free_len: u32,
    /// The end of the class's indices before the kernel.
    pub slots: u32,
    /// The number of makers.
    pub makers: u32,
    /// The number of new objects, when the kernel has ended.
    pub born: u32,
    /// The most objects that a call makes.
    pub per_maker: u32,
    /// The index by which links name the first row until the kernel ends. Those of later rows descend.
    pub first: u32,
}

/// What an entry point does with the links of a class's objects to objects of another class, which changed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkChange {
    /// The place of the class that changed among the [linked ones](crate::info::linked_classes).
    pub class: u64,
    /// The fields with links to it, one bit each.
    pub fields: u64,
    /// The address of one bit per object, set if it exists; 0 if all do.
    pub live: u64,
    /// The address of one bit per changed object, set if it was removed; or of their new ids.
    pub changed: u64,
    /// The address of one bit per object, which is set if the object goes with those that were removed. No link changes
    /// then. 0 if links change.
    pub marks: u64,
    /// The address of a number, to which that of the objects is added whose bits are set.
    pub gone: u64,
    /// The number of objects.
    pub len: u32,
    /// The number of changed objects.
    pub slots: u32,
    /// Whether they moved, so that there are ids: 1 or 0.
    pub have_moved: u64,
}

impl LinkChange {
    /// Its bytes, as an argument of a launch.
    #[cfg(not(target_arch = "nvptx64"))]
    #[must_use]
    pub const fn words(self) -> [u64; 8] {
        let Self { class, fields, live, changed, marks, gone, len, slots, have_moved } = self;
        [class, fields, live, changed, marks, gone, len as u64 | (slots as u64) << 32, have_moved]
    }
}

/// Element `n` of an array in global memory.
///
/// # Safety
///
/// The address is that of an array of `T` with more than `n` elements, which nothing writes meanwhile.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
pub unsafe fn at<T: Copy>(address: u64, n: u32) -> T {
    // SAFETY: by the caller.
    unsafe { core::ptr::with_exposed_provenance::<T>(address as usize).add(n as usize).read() }
}

/// Sets a bit. Other threads may set others of its word. Returns whether it was set before.
///
/// # Safety
///
/// The address is that of bits in global memory, more than `n`.
#[cfg(target_arch = "nvptx64")]
#[inline]
pub unsafe fn set_bit(address: u64, n: u32) -> bool {
    let (at, bit) = (address + u64::from(n / 32) * 4, 1_u32 << (n % 32));
    let before: u32;
    // SAFETY: by the caller.
    unsafe {
        core::arch::asm!(
            "{{ .reg .b64 a; cvta.to.global.u64 a, {1}; atom.relaxed.gpu.global.or.b32 {0}, [a], {2}; }}",
            out(reg32) before,
            in(reg64) at,
            in(reg32) bit,
            options(nostack, preserves_flags)
        );
    }
    before & bit != 0
}

/// Adds one to a number.
///
/// # Safety
///
/// The address is that of a `u32` in global memory.
#[cfg(target_arch = "nvptx64")]
#[inline]
pub unsafe fn count(address: u64) {
    // SAFETY: by the caller.
    unsafe {
        core::arch::asm!(
            "{{ .reg .b64 a; .reg .b32 before; cvta.to.global.u64 a, {0}; atom.relaxed.gpu.global.add.u32 before, [a], 1; }}",
            in(reg64) address,
            options(nostack, preserves_flags)
        );
    }
}

#[cfg(target_arch = "nvptx64")]
impl DeviceLives {
    /// The number of objects that earlier makers made.
    ///
    /// # Safety
    ///
    /// The kernel has ended, its ranks are current, and the maker is one of its objects.
    #[inline(always)]
    pub unsafe fn rank(&self, maker: u32) -> u32 {
        // SAFETY: by the caller.
        unsafe { at(self.ranks, maker) }
    }

    /// The index of the new object of this rank among all.
    ///
    /// # Safety
    ///
    /// The free indices are current.
    #[inline(always)]
    pub unsafe fn index(&self, rank: u32) -> u32 {
        match rank.checked_sub(self.free_len) {
            Some(beyond) => self.slots + beyond,
            // SAFETY: by the caller; there are this many.
            None => unsafe { at(self.free, rank) },
        }
    }
}
