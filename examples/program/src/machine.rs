//! The machine that a program runs on.

use clap::Args;
use ikra::Place;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::ranks::{NoRanks, Ranks};

/// More threads than this are a mistake, and may be more than the system starts.
const MOST_THREADS: u16 = 1024;

/// The options `--threads`, `--place` and `--gpu`.
///
/// ```
/// use clap::Parser;
/// use example_program::Machine;
///
/// #[derive(Parser)]
/// struct Options {
///     #[command(flatten)]
///     machine: Machine,
/// }
///
/// let options = Options::parse_from(["program", "--threads", "3", "--gpu"]);
/// assert_eq!(options.machine.place(), ikra::Place::Gpu(0));
/// assert_eq!(options.machine.threads().unwrap().current_num_threads(), 3);
/// ```
#[derive(Args, Clone, Debug, Default)]
pub struct Machine {
    /// Number of threads; by default, one per core.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    /// Where to run: `host`, `gpu`, `gpu:1` for the second GPU, or `cluster` for the processes that `mpirun` started. Without
    /// that GPU the program says so and ends with code 3.
    #[arg(long, default_value_t)]
    place: Place,

    /// The same as `--place gpu`.
    #[arg(long, conflicts_with = "place")]
    gpu: bool,

    /// With `--place cluster`: each process runs its kernels on a GPU of its own.
    #[arg(long, conflicts_with = "gpu")]
    gpus: bool,
}

impl Machine {
    /// Where to run.
    #[must_use]
    pub fn place(&self) -> Place {
        if self.gpu { Place::Gpu(0) } else { self.place }
    }

    /// The ranks at `--place cluster`; at other places there is one. To be called before files are opened.
    ///
    /// # Errors
    ///
    /// [`ThreadsError::NoRanks`] if the program was built without MPI.
    pub fn ranks(&self) -> Result<Ranks, ThreadsError> {
        Ok(Ranks::at(self.place(), self.gpus)?)
    }

    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// [`ThreadsError`].
    pub fn threads(&self) -> Result<ThreadPool, ThreadsError> {
        let threads = self.threads.unwrap_or(0);
        if threads > MOST_THREADS {
            return Err(ThreadsError::TooMany { threads });
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads.into()).build();
        pool.map_err(|error| ThreadsError::NotStarted { threads, reason: error.to_string() })
    }
}

/// The requested number of threads is impossible.
#[derive(Debug, thiserror::Error)]
pub enum ThreadsError {
    /// There are no ranks.
    #[error(transparent)]
    NoRanks(#[from] NoRanks),
    /// More threads than any machine has.
    #[error("--threads {threads}: at most {MOST_THREADS}")]
    TooMany {
        /// The requested number.
        threads: u16,
    },
    /// The system cannot start them.
    #[error("cannot start {}: {reason}", number(*threads))]
    NotStarted {
        /// The requested number; 0 for one per core.
        threads: u16,
        /// The system's error.
        reason: String,
    },
}

fn number(threads: u16) -> String {
    if threads == 0 { "a thread per core; ask for fewer by --threads".to_owned() } else { format!("{threads} threads") }
}

impl ThreadsError {
    /// The exit code: 2 for a wrong option.
    #[must_use]
    pub fn code(&self) -> u8 {
        match self {
            Self::TooMany { .. } | Self::NoRanks(_) => 2,
            Self::NotStarted { .. } => 1,
        }
    }
}
