//! Running other programs.

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

/// A task's success, or the reason for its failure.
pub type Outcome = Result<(), String>;

/// Runs `cargo` with arguments that are separated by spaces.
pub fn cargo(arguments: &str) -> Command {
    program("cargo", arguments)
}

/// A program with arguments that are separated by spaces.
pub fn program(name: &str, arguments: &str) -> Command {
    let mut command = Command::new(name);
    command.args(arguments.split_whitespace());
    command
}

/// Prints a command and runs it.
pub fn step(command: &mut Command) -> Outcome {
    run(command, Command::status)
}

/// As `run`, for tests; collects their messages about skipped tests. The output of passing tests is not shown. Tests
/// that check for panics print thousands of messages, which would hide the message of a failed test.
pub fn tests(command: &mut Command, skipped: &mut Vec<String>) -> Outcome {
    run(command.args(["--", "--show-output"]).stdout(Stdio::piped()), |command| {
        let mut child = command.spawn()?;
        let mut of_passed = false;
        for line in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
            let line = line?;
            if let Some(reason) = line.strip_prefix("SKIPPED: ") {
                skipped.push(reason.to_owned());
            }
            of_passed = match &*line {
                "successes:" => true,
                "failures:" => false,
                line => of_passed && !line.starts_with("test result: "),
            };
            if !of_passed {
                println!("{line}");
            }
        }
        child.wait()
    })
}

fn run(command: &mut Command, work: impl FnOnce(&mut Command) -> std::io::Result<ExitStatus>) -> Outcome {
    let shown = shown(command);
    println!("\n== {shown}");
    let start = Instant::now();
    let status = work(command).map_err(|error| format!("cannot run {shown}: {error}"))?;
    println!("== {} s", start.elapsed().as_secs());
    if status.success() { Ok(()) } else { Err(format!("failed with {status}: {shown}")) }
}

fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={:?}", name.display(), value));
        }
    }
    words.push(command.get_program().display().to_string());
    words.extend(command.get_args().map(|argument| argument.display().to_string()));
    words.join(" ")
}
