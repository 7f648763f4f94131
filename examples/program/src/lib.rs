//! What the example programs have in common.
//!
//! - [`Machine`]: the options that say on how many threads, or on which GPU, a program runs;
//! - [`Output`]: files are opened before the work begins: a folder that is not there shows at once, not after an hour;
//! - [`Progress`]: how far the work is, on a terminal;
//! - [`end`]: what went wrong as one line, and the exit code;
//! - [`read_text`] and [`Picture`]: files of text, and PNG.
#![forbid(unsafe_code)]

mod end;
mod input;
mod machine;
mod output;
mod picture;
mod progress;

pub use end::{end, error_code};
pub use input::read_text;
pub use machine::{Machine, ThreadsError};
pub use output::{Output, Rows, Unwritable, say};
pub use picture::Picture;
pub use progress::Progress;
