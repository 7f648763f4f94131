//! Prints a kernel that repeats kernels of a file.
//!
//! ```console
//! $ cargo run -p ikra-ptx --example repeat -- FILE KERNEL…
//! ```

use std::process::ExitCode;

use ikra_ptx::{Module, repeat::repeated};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((file, kernels)) = arguments.split_first() else {
        eprintln!("usage: repeat FILE KERNEL…");
        return ExitCode::FAILURE;
    };
    let kernels: Vec<&str> = kernels.iter().map(String::as_str).collect();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"));
    let module = text.and_then(|text| Module::parse(&text).map_err(|error| format!("{file}: {error}")));
    let made = module.and_then(|module| {
        repeated(&module, &kernels, 1, "repeated", &|name| name.contains("panic") || name == "ikra_failing")
            .map_err(|refused| refused.reason)
    });
    match made {
        Ok(made) => {
            print!("{}", made.module);
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}
