//! Functions of the C library that the compiler calls, and that the device does not have.

/// Compares `n` bytes as numbers, starting with the first byte.
///
/// # Safety
///
/// Both pointers have `n` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    for k in 0..n {
        // Volatile, or the compiler would turn the loop into a call of this very function.
        // SAFETY: within the bytes.
        let (x, y) = unsafe { (a.add(k).read_volatile(), b.add(k).read_volatile()) };
        if x != y {
            return i32::from(x) - i32::from(y);
        }
    }
    0
}

/// Whether `n` bytes differ.
///
/// # Safety
///
/// Both pointers have `n` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    // SAFETY: both pointers have `n` bytes.
    unsafe { memcmp(a, b, n) }
}
