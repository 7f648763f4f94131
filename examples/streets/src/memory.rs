//! Whether there is memory, asked before it is taken: when an allocation fails, a program ends without a word to its user.

use std::collections::TryReserveError;
use std::fs;
use std::hint::black_box;

/// What small things may take besides what is asked for, in bytes.
const SMALL: u64 = 8 << 20;

/// There is not as much memory as something takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory {
    /// What it takes, in bytes.
    pub bytes: u64,
}

impl std::fmt::Display for NoMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let megabytes = self.bytes.div_ceil(1_000_000);
        write!(f, "about {megabytes} MB of memory are needed, and there is less")
    }
}

impl std::error::Error for NoMemory {}

/// Whether there is memory for so many bytes: the system's, and what it allows this program.
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
/// [`NoMemory`]. Where the system does not say how much there is, only if it is more than could ever be.
pub fn room_for(bytes: u64) -> Result<(), NoMemory> {
    let is_less = |there: u64| there < bytes;
    if system_memory().is_some_and(is_less) || container_memory().is_some_and(is_less) {
        return Err(NoMemory { bytes });
    }
    addresses_for(bytes.saturating_add(SMALL)).map_err(|_| NoMemory { bytes })
}

/// Whether there are addresses for so many bytes: what is limited by `ulimit -v`.
pub(crate) fn addresses_for(bytes: u64) -> Result<(), TryReserveError> {
    // Nothing is written to it, so it takes no memory.
    let mut room: Vec<u8> = Vec::new();
    let reserved = room.try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX));
    // Otherwise the compiler may leave out both the allocation and its failure.
    black_box(&mut room);
    reserved
}

/// What programs can still take, where the system says it.
fn system_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_ascii_whitespace().next()?.parse::<u64>().ok()
    };
    Some(1024 * (kilobytes("MemAvailable:")? + kilobytes("SwapFree:")?))
}

/// What a container's programs can take together.
fn container_memory() -> Option<u64> {
    fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}
