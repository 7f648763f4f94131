//! Running other programs.

use std::process::Command;

/// A task's success, or why it failed.
pub type Outcome = Result<(), String>;

/// `cargo` with arguments that spaces separate.
pub fn cargo(arguments: &str) -> Command {
    program("cargo", arguments)
}

/// A program with arguments that spaces separate.
pub fn program(name: &str, arguments: &str) -> Command {
    let mut command = Command::new(name);
    command.args(arguments.split_whitespace());
    command
}

/// Prints a command and runs it.
pub fn step(command: &mut Command) -> Outcome {
    let shown = shown(command);
    println!("\n== {shown}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("failed with {status}: {shown}")),
        Err(error) => Err(format!("cannot run {shown}: {error}")),
    }
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
