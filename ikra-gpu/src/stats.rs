//! Statistics of a world on a device.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Counters that are kept while the world lives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) launches: u64,
    pub(crate) resident_loops: u64,
    pub(crate) graph_loops: u64,
    pub(crate) bytes_up: u64,
    pub(crate) bytes_down: u64,
    pub(crate) bytes_across: u64,
    pub(crate) kernels: BTreeMap<&'static str, (u64, Duration)>,
}

/// A world's statistics on the device so far; see [`Cuda::stats`](crate::Cuda::stats).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceStats {
    /// Kernels started, including reductions.
    pub launches: u64,
    /// Loops that ran as one kernel: see [`Cuda::loops`](crate::Cuda::loops).
    pub resident_loops: u64,
    /// Loops that ran as a graph. The host has started the kernels of other loops.
    pub graph_loops: u64,
    /// Bytes of columns copied to the device.
    pub bytes_up: u64,
    /// Bytes of columns and results copied to the host.
    pub bytes_down: u64,
    /// Bytes of columns copied from other devices: for ranks of one process.
    pub bytes_across: u64,
    /// Bytes of device memory that the world's columns occupy.
    pub device_memory: u64,
    /// Time on the device by kernel, if [`time_kernels`](crate::Cuda::time_kernels) is on.
    pub kernels: Vec<KernelTime>,
}

/// The time of a kernel on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelTime {
    /// `Class::method`.
    pub kernel: &'static str,
    /// The number of timed launches.
    pub launches: u64,
    /// The total time of these launches.
    pub time: Duration,
}

impl DeviceStats {
    pub(crate) fn of(counters: Counters, device_memory: u64) -> Self {
        let kernels = counters
            .kernels
            .into_iter()
            .map(|(kernel, (launches, time))| KernelTime { kernel, launches, time })
            .collect();
        Self {
            launches: counters.launches,
            resident_loops: counters.resident_loops,
            graph_loops: counters.graph_loops,
            bytes_up: counters.bytes_up,
            bytes_down: counters.bytes_down,
            bytes_across: counters.bytes_across,
            device_memory,
            kernels,
        }
    }
}

impl fmt::Display for DeviceStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} launches, {} bytes up, {} bytes down, {} bytes of device memory",
            self.launches, self.bytes_up, self.bytes_down, self.device_memory
        )?;
        if self.bytes_across > 0 {
            write!(f, ", {} bytes across", self.bytes_across)?;
        }
        if self.resident_loops + self.graph_loops > 0 {
            write!(f, ", {} loops as one kernel, {} as a graph", self.resident_loops, self.graph_loops)?;
        }
        for KernelTime { kernel, launches, time } in &self.kernels {
            write!(f, "\n{kernel}: {launches} launches, {time:?}")?;
        }
        Ok(())
    }
}
