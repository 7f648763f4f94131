//! The machine that a program runs on.

use clap::Args;
use ikra::Place;
use rayon::{ThreadPool, ThreadPoolBuilder};

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

    /// Where to run: `host`, `gpu`, or `gpu:1` for the second GPU. Without that GPU the program says so and ends with
    /// code 3.
    #[arg(long, default_value_t)]
    place: Place,

    /// The same as `--place gpu`.
    #[arg(long, conflicts_with = "place")]
    gpu: bool,
}

impl Machine {
    /// Where to run.
    #[must_use]
    pub fn place(&self) -> Place {
        if self.gpu { Place::Gpu(0) } else { self.place }
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
            Self::TooMany { .. } => 2,
            Self::NotStarted { .. } => 1,
        }
    }
}
