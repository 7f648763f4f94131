//! Draws times, or other quantities, as grouped bars, one bar per series, from a CSV file to an SVG file:
//!
//! ```sh
//! cargo run --release -p ikra-plots -- docs/inner-array.csv docs/inner-array.svg
//! ```
//!
//! with `--log` on a logarithmic scale. The columns are explained in [`data`].

mod data;
mod draw;
mod place;
mod scale;

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use data::Figure;

const USAGE: &str = "usage: bench-plot [--log] FILE.csv FILE.svg";

fn main() -> ExitCode {
    match run(env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let (options, files): (Vec<String>, Vec<String>) = arguments.partition(|argument| argument.starts_with('-'));
    let [input, output] = files.as_slice() else { return Err(USAGE.to_owned()) };
    if let Some(unknown) = options.iter().find(|option| *option != "--log") {
        return Err(format!("unknown option {unknown}; {USAGE}"));
    }
    let text = fs::read_to_string(input).map_err(|error| format!("{input}: {error}"))?;
    let figure: Figure = text.parse().map_err(|error: data::ParseError| format!("{input}:{error}"))?;
    let svg = draw::svg(&figure, !options.is_empty()).map_err(|error| format!("{output}: {error}"))?;
    fs::write(Path::new(output), svg).map_err(|error| format!("{output}: {error}"))
}
