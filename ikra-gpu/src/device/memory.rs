//! Functions of the C library that the compiler calls: the device has none.

/// Compares `n` bytes as numbers, the first ones first.
///
/// # Safety
///
/// There are `n` bytes at both places.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    for k in 0..n {
        // Volatile, or the loop would be taken for a call of this very function.
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
/// There are `n` bytes at both places.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    // SAFETY: there are `n` bytes at both places.
    unsafe { memcmp(a, b, n) }
}
