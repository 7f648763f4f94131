//! Loads files of PTX, and reports unsupported instructions: `cargo run -p ikra-emulator --example load -- FILE…`

use ikra_emulator::machine::Program;

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("the file is readable");
        let start = std::time::Instant::now();
        match Program::load(&text) {
            Ok(program) => println!(
                "{path}: {} kernels, {} variables, {:?}",
                program.kernels().len(),
                program.variables().len(),
                start.elapsed()
            ),
            Err(error) => println!("{path}: {error}"),
        }
    }
}
