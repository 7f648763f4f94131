//! The common parts of the example programs.
//!
//! - [`Machine`]: the options for the number of threads and the GPU;
//! - [`Ranks`]: the processes of a program at `--place cluster`;
//! - [`Saving`]: the options for checkpoints, and the checkpoints;
//! - [`Output`]: files are opened before the work begins: a missing folder is reported at once, not after an hour;
//! - [`Progress`]: the progress of the work, on a terminal;
//! - [`end`]: an error as one line, and the exit code;
//! - [`read_text`] and [`Picture`]: text files, and PNG.
#![forbid(unsafe_code)]

mod end;
mod input;
mod machine;
mod output;
mod picture;
mod progress;
mod ranks;
mod saves;

pub use end::{end, error_code};
pub use input::read_text;
pub use machine::{Machine, ThreadsError};
pub use output::{Output, Rows, Unwritable, say};
pub use picture::Picture;
pub use progress::Progress;
pub use ranks::{NoRanks, Ranks};
pub use saves::{Saved, Saves, Saving, Unsaved};
