//! Kernels that one thread runs alone, in which nothing needs to be atomic.
//!
//! An instruction that is atomic takes some 5 ns where a load and a store take less than one, also while no other thread is there
//! to notice. So tables say whether one thread runs a kernel in their world, and each [`Atomic`](crate::storage::Atomic) of a
//! kernel that updates atomic fields of other objects knows it. That is a value, and no type: a kernel's code is the same with any
//! number of threads, and cannot ask how many there are.

use crate::phase::Phase;

/// Whether it pays to know how many threads run a kernel: if these may change the same field, which must be atomic then.
pub const fn pays<P: Phase>() -> bool {
    P::EFFECTS.shares_atomics(!P::BESIDE.is_empty())
}

#[cfg_attr(target_arch = "nvptx64", path = "alone/device_access.rs")]
#[cfg_attr(not(target_arch = "nvptx64"), path = "alone/host_access.rs")]
mod access;

pub(crate) use access::Access;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::run_alone;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use core::sync::atomic::Ordering::Relaxed;

    use super::pays;
    use crate::directory::Directory;
    use crate::info::ClassInfo;
    use crate::phase::Phase;
    use crate::table::Table;

    /// Does the work of kernel `K`, all calls of which are made in it, by the thread that calls this.
    ///
    /// # Safety
    ///
    /// 1. The table is linked to those of its world.
    /// 2. The world is borrowed exclusively, so that meanwhile the calls alone access it, and run no other kernel in it.
    #[inline(always)]
    pub unsafe fn run_alone<K: Phase, C: ClassInfo, T>(table: &Table<C>, work: impl FnOnce() -> T) -> T {
        /// Ends it, also by a panic.
        struct Alone<'w>(&'w Directory);
        impl Drop for Alone<'_> {
            fn drop(&mut self) {
                say(self.0, false);
            }
        }
        if const { !pays::<K>() } {
            return work();
        }
        // SAFETY: by 1 it points to the world's directory, which is alive.
        let directory = unsafe { table.header.directory.load(Relaxed).as_ref() };
        let _alone = directory.map(|directory| {
            say(directory, true);
            Alone(directory)
        });
        work()
    }

    /// Says it to the tables of a world, which are alive.
    fn say(directory: &Directory, is_alone: bool) {
        for (_, table) in &directory.entries {
            // SAFETY: a directory that tables are linked to lists the tables of a world that is borrowed.
            if let Some(header) = unsafe { table.load(Relaxed).as_ref() } {
                header.set_alone(is_alone);
            }
        }
    }
}
