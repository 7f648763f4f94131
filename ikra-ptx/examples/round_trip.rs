//! Parses PTX files, verifies them, prints them, and checks that the printed text is the same program:
//! `cargo run -p ikra-ptx --example round_trip -- FILE… [--print]`.

use std::process::ExitCode;

use ikra_ptx::Module;

fn main() -> ExitCode {
    let mut is_right = true;
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    for file in files {
        let done = std::fs::read_to_string(&file).map_err(|error| error.to_string()).and_then(|text| {
            let module = Module::parse_with(
                &text,
                &[("%ikra_kernel", ikra_ptx::Type::B64), ("%ikra_object", ikra_ptx::Type::B32)],
            )
            .map_err(|error| error.to_string())?;
            module.verify().map_err(|error| error.to_string())?;
            let printed = module.to_string();
            let again = Module::parse(&printed).map_err(|error| format!("as it was printed, {error}"))?;
            if again.to_string() != printed {
                std::fs::write("/tmp/1.ptx", &printed).unwrap();
                std::fs::write("/tmp/2.ptx", again.to_string()).unwrap();
                return Err(String::from("another program is printed the second time"));
            }
            Ok(printed)
        });
        match done {
            Ok(printed) if options.iter().any(|option| option == "--print") => print!("{printed}"),
            Ok(printed) => eprintln!("{file}: {} lines", printed.lines().count()),
            Err(error) => {
                eprintln!("{file}: {error}");
                is_right = false;
            }
        }
    }
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
