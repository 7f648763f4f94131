//! Options of a device.

/// Which checks are made. All are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Accesses lie within live allocations, and are aligned. When off, a load from elsewhere gives 0 and a store does nothing.
    pub bounds: bool,
    /// No result depends on uninitialised bytes.
    pub uninitialised: bool,
    /// No two threads access the same memory, one of them writing, without atomics or an order between them.
    pub races: bool,
    /// Threads of a warp come to an aligned barrier together.
    pub barriers: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Self { bounds: true, uninitialised: true, races: true, barriers: true }
    }
}

impl Checks {
    /// No checks.
    pub const NONE: Self = Self { bounds: false, uninitialised: false, races: false, barriers: false };
}

/// Options of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seed of the order of blocks, warps and lanes.
    pub seed: u64,
    /// Host threads among which blocks are spread. With one, the same seed gives the same order.
    pub threads: usize,
    /// Which checks are made.
    pub checks: Checks,
    /// Multiprocessors of the device: they limit the blocks in progress at once, and determine `%smid`.
    pub multiprocessors: u32,
    /// The device's number: devices with different numbers have different addresses.
    pub number: u8,
    /// Bytes of memory.
    pub memory_bytes: usize,
    /// Bytes of shared memory that a block can have.
    pub shared_bytes_per_block: u32,
    /// Bytes that a kernel can allocate by `malloc`, in total.
    pub heap_bytes: usize,
    /// Instructions that the warps of one launch may execute together, before it counts as one that never ends.
    pub instruction_limit: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            threads: 1,
            checks: Checks::default(),
            multiprocessors: 4,
            number: 0,
            memory_bytes: 16 << 30,
            shared_bytes_per_block: 96 << 10,
            heap_bytes: 8 << 20,
            instruction_limit: 1_000_000_000,
        }
    }
}
