//! The time of a build after a change, for docs/performance.md.

use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

use crate::run::{Outcome, cargo, step};

/// Where the programs are written and built.
const FOLDER: &str = "target/builds";

const CLASSES: usize = 10;
const FIELDS: usize = 10;

/// Writes programs with few and many kernels, and prints how long cargo takes to build them again after a change of a
/// constant: the median of three times.
pub fn builds() -> Outcome {
    let mut table = String::from("\n| kernels | profile | seconds |\n| ---: | --- | ---: |\n");
    for kernels in [10, 100] {
        let folder = format!("{FOLDER}/kernels-{kernels}");
        write(&format!("{folder}/Cargo.toml"), &manifest(kernels)?)?;
        for (profile, option) in [("debug", ""), ("release", " --release")] {
            let mut times = Vec::new();
            for change in 0..4 {
                write(&format!("{folder}/src/main.rs"), &program(kernels, change))?;
                let mut build = cargo(&format!("build --quiet{option} --manifest-path {folder}/Cargo.toml"));
                let begin = Instant::now();
                step(build.env("CARGO_TARGET_DIR", format!("{FOLDER}/target")))?;
                times.push(begin.elapsed());
            }
            // The first build compiles Ikra too.
            times.remove(0);
            times.sort();
            let _ = writeln!(table, "| {kernels} | {profile} | {:.1} |", times[1].as_secs_f64());
        }
    }
    println!("{table}");
    Ok(())
}

fn manifest(kernels: usize) -> Result<String, String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    Ok(format!(
        "[package]\nname = \"kernels-{kernels}\"\nedition = \"2024\"\n[dependencies]\nikra = {{ path = {here:?} }}\n[workspace]\n"
    ))
}

/// A program whose kernels are of one line, and run once each.
fn program(kernels: usize, change: u32) -> String {
    let (mut classes, mut world, mut runs) = (String::new(), String::new(), String::new());
    for class in 0..CLASSES {
        let fields: String = (1..FIELDS).map(|field| format!("pub f{field}: f32, ")).collect();
        let next = (class + 1) % CLASSES;
        let _ = writeln!(classes, "#[soa_class] pub struct C{class} {{ {fields}pub next: Option<Link<C{next}>> }}");
        let _ = writeln!(classes, "#[soa_methods] impl C{class} {{");
        for kernel in 0..kernels / CLASSES {
            let (to, from) = (1 + kernel % (FIELDS - 1), 1 + (kernel + 1) % (FIELDS - 1));
            let _ = writeln!(
                classes,
                "    #[kernel] pub fn k{kernel}(&mut self, by: f32) {{ self.f{to} += self.f{from} * by; }}"
            );
            let _ = writeln!(runs, "    sim.execute(C{class}::k{kernel}, by);");
        }
        classes.push_str("}\n");
        let _ = write!(world, "pub c{class}: Objects<C{class}>, ");
    }
    format!(
        "use ikra::prelude::*;\n{classes}#[soa_world] pub struct Sim {{ {world}}}\nfn main() {{\n    let mut sim = Sim::new();\n    let by = std::env::args().count() as f32 * {change}.5;\n{runs}}}\n"
    )
}

fn write(path: &str, text: &str) -> Outcome {
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    fs::create_dir_all(folder).and_then(|()| fs::write(path, text)).map_err(|error| format!("{path}: {error}"))
}
