//! Windows of generic addresses: an address's window tells its space.
//!
//! No process on today's processors has an address in a window. So an address of the host is never mistaken for one of
//! the device.

/// Global memory: allocation `n` has the addresses from `GLOBAL + (n << 32) + FIRST` on.
pub(crate) const GLOBAL: u64 = 1 << 60;
/// Local memory of the thread that uses the address.
pub(crate) const LOCAL: u64 = 2 << 60;
/// Shared memory of the thread's block.
pub(crate) const SHARED: u64 = 3 << 60;
/// Parameters of the kernel.
pub(crate) const PARAMETER: u64 = 4 << 60;
/// Functions: no memory.
pub(crate) const FUNCTION: u64 = 5 << 60;

/// The window's part of an address.
pub(crate) const fn window(address: u64) -> u64 {
    address & (0xf << 60)
}

/// The address within its window.
pub(crate) const fn offset(address: u64) -> u64 {
    address & !(0xf << 60)
}

/// The first address of a block's variables in shared memory: 0 is never an address.
pub(crate) const FIRST_SHARED: u64 = 0x400;

/// The first address of a thread's stack in local memory.
pub(crate) const FIRST_LOCAL: u64 = 0x1000;

/// The start of an allocation in its part of 4 GiB: the bytes before it belong to no other allocation.
pub(crate) const FIRST: u64 = 0x10_0000;

/// Bytes of addresses per allocation, as a power of two.
pub(crate) const PART: u32 = 32;
