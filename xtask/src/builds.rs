//! The time of a build after a change, for docs/performance.md.

use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

use crate::run::{Outcome, cargo, step};

/// Where the programs are written and built.
const FOLDER: &str = "target/builds";

const CLASSES: usize = 10;
const FIELDS: usize = 10;

/// The files of a model of the examples, and where a constant of it is.
const MODEL: &str = "examples/boids/src";
const FILES: [&str; 3] = ["model.rs", "plain.rs", "steps.rs"];
const CONSTANT: &str = "distance2 == 0.0";
/// A program of the model.
const MAIN: &str = "mod model; mod plain; mod steps;
use ikra::World;
use model::{Boid, Rules, Sky};

fn main() -> Result<(), ikra::Error> {
    let rules = Rules {
        radius: 1.0, apart: 0.4, separation: 0.3, alignment: 3.0, cohesion: 2.0, slowest: 1.0, fastest: 3.0, dt: 0.02, size: 12.0,
    };
    let mut sky = Sky::new();
    sky.boids.extend((0..1000).map(|n| Boid { pos: [n as f32 * 0.01; 3], vel: [1.0, 0.5, 0.0], acc: [0.0; 3] }))?;
    let cells = steps::Cells::new(2, &rules);
    let mut twin: Vec<Boid> = sky.boids.iter().collect();
    for _ in 0..10 {
        steps::step(&mut sky.on(ikra::Place::Host), cells, rules)?;
        plain::step(&mut twin, cells, &rules);
    }
    println!(\"{:?}\", sky.boids.column(model::boid::pos)[7]);
    Ok(())
}
";

/// Prints how long cargo takes to build programs again after a change of a constant: programs with few and many kernels, and
/// a model of the examples with a main function.
pub fn builds() -> Outcome {
    println!("\n| program | profile | seconds |\n| --- | --- | ---: |");
    for kernels in [10, 100] {
        time(&format!("{kernels} kernels"), &format!("kernels-{kernels}"), |folder, change| {
            write(&format!("{folder}/src/main.rs"), &program(kernels, change))
        })?;
    }
    let read = |file: &str| fs::read_to_string(format!("{MODEL}/{file}")).map_err(|error| format!("{file}: {error}"));
    let lines = read(FILES[0])?.lines().count();
    time(&format!("{MODEL}, a model of {lines} lines"), "boids", |folder, change| {
        for file in FILES {
            let changed = format!("{CONSTANT} - {change}.0 * 0.0");
            write(&format!("{folder}/src/{file}"), &read(file)?.replacen(CONSTANT, &changed, 1))?;
        }
        write(&format!("{folder}/src/main.rs"), MAIN)
    })
}

/// Prints the median of seven times after changes that `change` makes in a package.
fn time(name: &str, package: &str, change: impl Fn(&str, u32) -> Outcome) -> Outcome {
    let folder = format!("{FOLDER}/{package}");
    write(&format!("{folder}/Cargo.toml"), &manifest(package)?)?;
    for (profile, option) in [("debug", ""), ("release", " --release")] {
        let mut times = Vec::new();
        for number in 0..8 {
            change(&folder, number)?;
            let mut build = cargo(&format!("build --quiet{option} --manifest-path {folder}/Cargo.toml"));
            let begin = Instant::now();
            step(build.env("CARGO_TARGET_DIR", format!("{FOLDER}/target")))?;
            times.push(begin.elapsed());
        }
        // The first build compiles Ikra too.
        times.remove(0);
        times.sort();
        println!("| {name} | {profile} | {:.2} |", times[times.len() / 2].as_secs_f64());
    }
    Ok(())
}

fn manifest(package: &str) -> Result<String, String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    Ok(format!(
        "[package]\nname = \"{package}\"\nedition = \"2024\"\n[dependencies]\nikra = {{ path = {here:?} }}\n[workspace]\n"
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
