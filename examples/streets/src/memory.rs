//! Checks for free memory before large allocations: when an allocation fails, a program ends without a message.

use std::collections::TryReserveError;
use std::fs;
use std::hint::black_box;

/// Memory for small objects besides the request, in bytes.
const SMALL: u64 = 8 << 20;

/// An operation needs more memory than is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory {
    /// The memory that it needs, in bytes.
    pub bytes: u64,
}

impl std::fmt::Display for NoMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let megabytes = self.bytes.div_ceil(1_000_000);
        write!(f, "about {megabytes} MB of memory are needed, and there is less")
    }
}

impl std::error::Error for NoMemory {}

/// Checks that this many bytes are free in the system, and within this program's limits.
///
/// ```
/// use streets::room_for;
///
/// assert_eq!(room_for(1000), Ok(()));
/// let error = room_for(1 << 62).unwrap_err();
/// assert_eq!(error.to_string(), "about 4611686018428 MB of memory are needed, and there is less");
/// ```
///
/// # Errors
///
/// [`NoMemory`]. If the system does not report its memory, only for a size beyond any machine's.
pub fn room_for(bytes: u64) -> Result<(), NoMemory> {
    let is_less = |there: u64| there < bytes;
    if system_memory().is_some_and(is_less) || container_memory().is_some_and(is_less) {
        return Err(NoMemory { bytes });
    }
    addresses_for(bytes.saturating_add(SMALL)).map_err(|_| NoMemory { bytes })
}

/// Checks that this many bytes of addresses are free, which `ulimit -v` limits.
pub(crate) fn addresses_for(bytes: u64) -> Result<(), TryReserveError> {
    // The allocation is never written, so it uses no memory.
    let mut room: Vec<u8> = Vec::new();
    let reserved = room.try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX));
    // Otherwise the compiler may remove both the allocation and its failure.
    black_box(&mut room);
    reserved
}

/// The memory that programs can still use, if the system reports it.
fn system_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_ascii_whitespace().next()?.parse::<u64>().ok()
    };
    Some(1024 * (kilobytes("MemAvailable:")? + kilobytes("SwapFree:")?))
}

/// The memory that all programs in a container can use together.
fn container_memory() -> Option<u64> {
    fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}
