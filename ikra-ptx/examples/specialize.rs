//! Specialises each kernel of PTX files: without facts, and with random parameters. Prints a line per file.
//!
//! ```console
//! $ cargo run -p ikra-ptx --example specialize -- [--ptxas PATH] FILE…
//! ```
#![allow(missing_docs, reason = "an example, not a library")]

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use ikra_ptx::{
    Module,
    specialize::{Argument, Budget, Known, specialize},
};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn main() {
    let mut all: Vec<String> = std::env::args().skip(1).collect();
    let ptxas = (all.first().map(String::as_str) == Some("--ptxas")).then(|| all.drain(..2).nth(1)).flatten();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for path in all {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let module = Module::parse(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let (mut count, mut refused, mut before, mut after) = (0, 0, 0, 0);
        let (mut time, mut longest) = (Duration::ZERO, Duration::ZERO);
        for (n, kernel) in module.kernels().enumerate() {
            for is_known in [false, true] {
                let bytes: Vec<Vec<u8>> = kernel
                    .parameters
                    .iter()
                    .map(|parameter| {
                        // Small numbers: counts of loops, sometimes.
                        (0..parameter.bytes())
                            .map(|at| if at % 4 == 0 { (random.next() % 24) as u8 } else { 0 })
                            .collect()
                    })
                    .collect();
                let known = bytes.iter().enumerate().filter(|_| is_known);
                let known = Known {
                    parameters: known.map(|(n, bytes)| Argument { parameter: n, offset: 0, bytes }).collect(),
                    ..Known::default()
                };
                let start = Instant::now();
                let made = specialize(&module, &kernel.name, "specialized", &known, &Budget::default());
                time += start.elapsed();
                longest = longest.max(start.elapsed());
                let (new, report) = match made {
                    Ok(made) => made,
                    Err(reason) => {
                        println!("{path}: {}: {reason}", kernel.name);
                        refused += 1;
                        continue;
                    }
                };
                count += 1;
                (before, after) = (before + report.before, after + report.after);
                let printed = new.to_string();
                let again = Module::parse(&printed).unwrap_or_else(|error| panic!("{}: {error}", kernel.name));
                again.verify().unwrap_or_else(|error| panic!("{}: {error}", kernel.name));
                if !is_known && report.after > report.before + report.before / 4 + 8 {
                    println!("{}: without facts {report}", kernel.name);
                }
                if let Some(ptxas) = &ptxas
                    && n % 7 == 0
                {
                    assemble(ptxas, &printed, &kernel.name);
                }
            }
        }
        println!(
            "{}: {count} kernels, {refused} refused, {before} instructions before, {after} after, {time:?}, at most {longest:?}",
            Path::new(&path).display()
        );
    }
}

fn assemble(ptxas: &str, text: &str, name: &str) {
    let path = std::env::temp_dir().join(format!("ikra-specialized-{}.ptx", std::process::id()));
    std::fs::write(&path, text).expect("the directory of temporary files is writable");
    let output = Command::new(ptxas).arg("-arch=sm_90").arg("-o").arg("/dev/null").arg(&path).output();
    let output = output.expect("ptxas starts");
    assert!(output.status.success(), "{name}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
}
