//! The ranks of a program at `--place cluster`: one of them prints and writes files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ikra::{Place, World};
use ikra_cluster::Cluster;

/// Whether this process is a rank that prints nothing and writes nothing.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// The ranks of a program, if it runs at `--place cluster`. They end when this is dropped.
#[derive(Debug, Default)]
#[must_use = "the ranks end when it is dropped"]
pub struct Ranks {
    cluster: Option<Cluster>,
    /// Whether each rank has a GPU.
    has_gpus: bool,
}

/// The program was built without MPI, or MPI does not start.
#[derive(Debug, thiserror::Error)]
#[error("cannot run at `cluster`: {0}")]
pub struct NoRanks(pub(crate) &'static str);

impl Ranks {
    /// The ranks of a program at this place: the only one, unless `mpirun` has started several.
    pub(crate) fn at(place: Place, has_gpus: bool) -> Result<Self, NoRanks> {
        if place != Place::Cluster {
            return if has_gpus { Err(NoRanks("`--gpus` is for `--place cluster`")) } else { Ok(Self::default()) };
        }
        let cluster = start()?;
        if !cluster.is_first() {
            IS_QUIET.store(true, Relaxed);
            close_output();
        }
        Ok(Self { cluster: Some(cluster), has_gpus })
    }

    /// The ranks, if the program runs at `--place cluster`.
    #[cfg(feature = "checkpoints")]
    pub(crate) fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_ref()
    }

    /// The number of ranks.
    #[must_use]
    pub fn count(&self) -> usize {
        self.cluster.as_ref().map_or(1, Cluster::ranks)
    }

    /// Shares a world with the other ranks, if there are any.
    ///
    /// # Errors
    ///
    /// [`ikra::Error::Cluster`]; errors of opening a GPU.
    pub fn share<W: World>(&self, world: &mut W) -> Result<(), ikra::Error> {
        let Some(cluster) = &self.cluster else { return Ok(()) };
        if !self.has_gpus {
            return cluster.share(world);
        }
        let devices = ikra::gpu::driver::devices()?.len().max(1);
        cluster.share_at(world, Place::Gpu(cluster.rank() % devices))
    }

    /// A line about the messages of this rank, if there are ranks.
    #[must_use]
    pub fn traffic(&self) -> Option<String> {
        let traffic = self.cluster.as_ref()?.traffic();
        Some(format!(
            "this rank has sent {} messages, {:.1} MB; {} kernels ran in parts, {} on all ranks",
            traffic.messages,
            traffic.bytes as f64 / 1e6,
            traffic.shared,
            traffic.repeated
        ))
    }
}

#[cfg(feature = "mpi")]
fn start() -> Result<Cluster, NoRanks> {
    Cluster::mpi().ok_or(NoRanks("MPI has been started before"))
}

#[cfg(not(feature = "mpi"))]
fn start() -> Result<Cluster, NoRanks> {
    Err(NoRanks(
        "the program was built without MPI; build it with `--features mpi`, which needs an MPI library and libclang",
    ))
}

/// Sends what this process prints nowhere.
#[cfg(feature = "mpi")]
fn close_output() {
    if let Ok(nowhere) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
        // If that fails, lines appear several times.
        let _ = rustix::stdio::dup2_stdout(&nowhere);
    }
}

#[cfg(not(feature = "mpi"))]
fn close_output() {}

/// Where this process writes a file: nowhere, if another rank does.
pub(crate) fn written(path: &Path) -> PathBuf {
    if IS_QUIET.load(Relaxed) { PathBuf::from("/dev/null") } else { path.to_owned() }
}
