//! The hand-written CUDA kernels of `benches/cuda`, loaded from the library that its `build.sh` makes.
#![allow(unsafe_code, reason = "calls of a C library")]

use libloading::Library;

use crate::raytrace::Columns;

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

    /// Calls a baseline that searches a graph in compressed rows, with `k` slots a vertex, and returns its
    /// distances too. The result is in nanoseconds.
    pub(crate) fn call_bfs(&self, name: &str, offsets: &[u32], targets: &[u32], k: u32) -> (f64, Vec<u32>) {
        type Function = unsafe extern "C" fn(u64, *const u32, *const u32, u32, *mut u32, u32) -> f64;
        let n = offsets.len() - 1;
        let mut levels = vec![0; n];
        // SAFETY: the baseline of this name takes these arguments and returns a double; the pointers are to as many
        // numbers as it is told.
        let time = unsafe {
            self.0
                .get::<Function>(name.as_bytes())
                .map_or(f64::NAN, |f| f(n as u64, offsets.as_ptr(), targets.as_ptr(), 0, levels.as_mut_ptr(), k))
        };
        (time, levels)
    }

    /// Calls a baseline for `n` objects of `classes` classes. The result is in nanoseconds.
    pub(crate) fn call_classes(&self, name: &str, n: u64, classes: u32) -> f64 {
        self.call_steps(name, n, classes)
    }

    /// Calls a baseline for `n` objects of `classes` classes with light or heavy methods. The result is in nanoseconds.
    pub(crate) fn call_dispatch(&self, name: &str, n: u64, classes: u32, heavy: bool) -> f64 {
        type Function = unsafe extern "C" fn(u64, u32, u32) -> f64;
        // SAFETY: the baseline of this name takes a 64-bit and two 32-bit numbers and returns a double.
        unsafe { self.0.get::<Function>(name.as_bytes()).map_or(f64::NAN, |f| f(n, classes, u32::from(heavy))) }
    }

    /// Calls a baseline that traces rays. The result is in nanoseconds; the light of the pixels is where the columns say.
    pub(crate) fn call_raytrace(&self, name: &str, columns: &Columns) -> f64 {
        // SAFETY: the baseline of this name takes the address of such columns and returns a double; it reads as many
        // elements of each as it is told, and writes the light of as many pixels.
        unsafe {
            self.0.get::<unsafe extern "C" fn(*const Columns) -> f64>(name.as_bytes()).map_or(f64::NAN, |f| f(columns))
        }
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
