//! Files that `ikra-plots` draws.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::options::Options;

/// A plot: its file, its title, and what its values are.
pub(crate) struct Plot {
    file: &'static str,
    title: &'static str,
    y: &'static str,
    unit: &'static str,
    is_logarithmic: bool,
}

/// On the host.
pub(crate) const HOST: Plot = Plot {
    file: "workloads-host.csv",
    title: "Workloads of TYPEPTR on the host: speed relative to plain Rust in one thread",
    y: "speed",
    unit: "plain Rust = 1",
    is_logarithmic: false,
};
/// On a GPU, as TYPEPTR's figure 6.
pub(crate) const SPEED: Plot = Plot {
    file: "workloads.csv",
    title: "Workloads of TYPEPTR: speed relative to SharedOA (Fig. 6)",
    y: "speed",
    unit: "SharedOA = 1",
    is_logarithmic: true,
};
/// Making the objects.
pub(crate) const MAKING: Plot = Plot {
    file: "workloads-making.csv",
    title: "Workloads of TYPEPTR: making the objects",
    y: "time",
    unit: "ms",
    is_logarithmic: true,
};

/// Writes a file if it is asked for: a bar for each workload, series and value.
pub(crate) fn write(options: &Options, plot: &Plot, bars: &[(&str, &str, f64)]) -> Result<(), Box<dyn Error>> {
    let Some(folder) = &options.csv else { return Ok(()) };
    let Plot { file, title, y, unit, is_logarithmic } = plot;
    let mut text = format!("# title: {title}\n# y: {y}\n# unit: {unit}\n# x: workload\n");
    if *is_logarithmic {
        text += "# scale: logarithmic\n";
    }
    text += "# source: ikra-workload-benches\ngroup,variant,series,value\n";
    for (workload, series, value) in bars.iter().filter(|(.., value)| value.is_finite()) {
        writeln!(text, "{workload},,{series},{value:.4}")?;
    }
    fs::write(Path::new(folder).join(file), text)?;
    Ok(())
}
