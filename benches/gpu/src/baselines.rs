//! The hand-written CUDA kernels of `benches/cuda`, loaded from the library that its `build.sh` makes.
#![allow(unsafe_code, reason = "calls of a C library")]

use libloading::Library;

/// The library.
pub(crate) struct Baselines(Library);

impl Baselines {
    /// Opens it.
    pub(crate) fn open(path: &str) -> Result<Self, libloading::Error> {
        // SAFETY: the library has no initialisers of its own.
        unsafe { Library::new(path) }.map(Self)
    }

    /// Calls a baseline without arguments. The result is in nanoseconds.
    pub(crate) fn call(&self, name: &str) -> f64 {
        // SAFETY: the baseline of this name takes nothing and returns a double.
        unsafe { self.0.get::<unsafe extern "C" fn() -> f64>(name.as_bytes()).map_or(f64::NAN, |f| f()) }
    }

    /// Calls a baseline with a 32-bit number. The result is in nanoseconds.
    pub(crate) fn call_k(&self, name: &str, k: u32) -> f64 {
        // SAFETY: the baseline of this name takes a 32-bit number and returns a double.
        unsafe { self.0.get::<unsafe extern "C" fn(u32) -> f64>(name.as_bytes()).map_or(f64::NAN, |f| f(k)) }
    }

    /// Calls a baseline for `n` objects. The result is in nanoseconds.
    pub(crate) fn call_n(&self, name: &str, n: u64) -> f64 {
        // SAFETY: the baseline of this name takes a 64-bit number and returns a double.
        unsafe { self.0.get::<unsafe extern "C" fn(u64) -> f64>(name.as_bytes()).map_or(f64::NAN, |f| f(n)) }
    }

    /// Calls a baseline for `n` objects and `steps` steps. The result is in nanoseconds.
    pub(crate) fn call_steps(&self, name: &str, n: u64, steps: u32) -> f64 {
        // SAFETY: the baseline of this name takes a 64-bit and a 32-bit number and returns a double.
        unsafe {
            self.0.get::<unsafe extern "C" fn(u64, u32) -> f64>(name.as_bytes()).map_or(f64::NAN, |f| f(n, steps))
        }
    }
}
