//! Where the tables of a world's classes are, whatever the classes.

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;

#[cfg(target_arch = "nvptx64")]
pub use device::{TableRef, Targets};
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::ABSENT;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Directory, Header, HostChanges, TableRef, TargetSlot, Targets};
