//! Counts how often passes over device code fire, with each available compiler.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use ikra_build::ptx::Fired;

use crate::run::{Outcome, cargo};

/// The packages that have device code, each with its counts: a line per package.
const EXPECTED: &str = "tests/codegen/passes.txt";
const HEAD: &str = "# How often each pass over device code fires, by package: `cargo xtask passes bless` writes it. docs/compilers.md says more.\n";

/// Runs the task by itself: prints the compilers that do not work, and fails if none does.
pub fn all(is_blessed: bool) -> Outcome {
    let mut skipped = Vec::new();
    let has_run = passes(is_blessed, &mut skipped)?;
    skipped.iter().for_each(|what| println!("NOT RUN: {what}"));
    if has_run { Ok(()) } else { Err(String::from("no compiler makes device code; docs/compilers.md says which can")) }
}

/// Builds the device code of all packages with each working compiler, and compares how often passes fired, or writes
/// the expected counts. Adds the compilers that do not work to `skipped`. Returns whether there is one that works.
pub fn passes(is_blessed: bool, skipped: &mut Vec<String>) -> Result<bool, String> {
    let (mut is_first, mut differences) = (true, Vec::new());
    for candidate in ikra_build::toolchains() {
        let toolchain = match candidate.outcome {
            Ok(toolchain) => toolchain,
            Err(reason) => {
                skipped.push(format!("device code by {}, which {reason}", candidate.rustc.display()));
                continue;
            }
        };
        println!("\n== device code by {toolchain}");
        // Builds take the first one by themselves. If it is named, they build the device code again.
        let found = fired((!is_first).then_some(&toolchain.rustc))?;
        if is_first && is_blessed {
            let lines: String = found.iter().map(|(package, fired)| format!("{package} {fired}\n")).collect();
            fs::write(EXPECTED, format!("{HEAD}{lines}")).map_err(|error| format!("{EXPECTED}: {error}"))?;
        }
        for difference in compared(&expected()?, &found) {
            differences.push(format!("rustc {}: {difference}", toolchain.release()));
        }
        is_first = false;
    }
    if is_first {
        skipped.push(String::from("device code, for want of a compiler"));
    }
    if differences.is_empty() {
        return Ok(!is_first);
    }
    Err(format!(
        "passes do not fire as often as {EXPECTED} says:\n{}\ndocs/compilers.md says what that means; `cargo xtask passes bless` writes the file",
        differences.join("\n")
    ))
}

/// The file's contents, by package.
fn expected() -> Result<BTreeMap<String, Fired>, String> {
    let text = fs::read_to_string(EXPECTED).map_err(|error| format!("{EXPECTED}: {error}"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let read = |line: &str| {
        let (package, fired) = line.split_once(' ')?;
        Some((package.to_owned(), Fired::parse(fired)?))
    };
    lines.map(|line| read(line).ok_or(format!("{EXPECTED}: `{line}` is not understood"))).collect()
}

/// The differences, as sentences.
fn compared(expected: &BTreeMap<String, Fired>, found: &BTreeMap<String, Fired>) -> Vec<String> {
    let mut differences = Vec::new();
    for (package, before) in expected {
        match found.get(package) {
            Some(now) => differences.extend(now.less_than(before).into_iter().map(|one| format!("{package}: {one}"))),
            None => differences.push(format!("{package}: there is no device code")),
        }
    }
    let new = found.keys().filter(|package| !expected.contains_key(*package));
    differences.extend(new.map(|package| format!("{package}: it is not in the file")));
    differences
}

/// How often passes fired in the device code of each package, by this compiler or by the one that builds take.
fn fired(rustc: Option<&PathBuf>) -> Result<BTreeMap<String, Fired>, String> {
    let mut all = BTreeMap::new();
    let mut missing = packages()?;
    if rustc.is_none() {
        // The tests' build, which is often there already.
        add(&mut all, &mut cargo("test --workspace --no-run --message-format=json"))?;
        missing.retain(|package| !all.contains_key(package));
    }
    // Another command has other features, and makes the device code of its own.
    let mut check = cargo("check --message-format=json");
    check.args(missing.iter().flat_map(|package| ["-p", package]));
    if let Some(rustc) = rustc {
        check.env("IKRA_RUSTC", rustc);
    }
    if !missing.is_empty() {
        add(&mut all, &mut check)?;
    }
    Ok(all)
}

/// Adds the counts in the device code that a command of cargo makes.
fn add(all: &mut BTreeMap<String, Fired>, command: &mut Command) -> Outcome {
    // Other seeds would generate other programs; with all tests, some packages have more classes.
    for variable in ["IKRA_RANDOM_SEEDS", "IKRA_LIVES_SEEDS", "IKRA_COMMANDS_SEEDS", "IKRA_LONG"] {
        command.env_remove(variable);
    }
    for (package, path) in made(command)? {
        let code = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let fired = Fired::read(&code).ok_or(format!("{path} does not say how often passes fired"))?;
        all.insert(package, fired);
    }
    Ok(())
}

/// The members of the workspace that build device code: those packages depend on `ikra-build` in their build scripts.
fn packages() -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let workspace = fs::read_to_string("Cargo.toml").map_err(|error| format!("Cargo.toml: {error}"))?;
    let members = workspace.lines().find_map(|line| line.strip_prefix("members = [")?.strip_suffix(']'));
    for member in members.unwrap_or_default().split(", ").map(|member| member.trim_matches('"')) {
        let manifest =
            fs::read_to_string(format!("{member}/Cargo.toml")).map_err(|error| format!("{member}: {error}"))?;
        let build = manifest.split_once("[build-dependencies]").map_or("", |(_, rest)| rest);
        let build = build.split("\n[").next().unwrap_or_default();
        if build.lines().any(|line| line.starts_with("ikra-build")) {
            let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
            found.push(name.ok_or(format!("{member}/Cargo.toml has no name"))?.to_owned());
        }
    }
    Ok(found)
}

/// The device code from cargo's build scripts, by package, with each file's path.
fn made(command: &mut Command) -> Result<Vec<(String, String)>, String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("failed with {}: {command:?}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(code_of).collect())
}

/// The package and the path in a message of cargo about a build script.
fn code_of(message: &str) -> Option<(String, String)> {
    if !message.contains("\"reason\":\"build-script-executed\"") {
        return None;
    }
    let text = |key: &str| message.split_once(key)?.1.split_once('"').map(|(text, _)| text.to_owned());
    let path = text("[\"IKRA_DEVICE_CODE\",\"")?;
    // `path+file:///…/tests/device#ikra-device-tests@0.1.0`, or `…/examples/nbody#0.1.0` where the folder has the package's name.
    let id = text("\"package_id\":\"")?;
    let (folder, version) = id.rsplit_once('#')?;
    let package = version.split_once('@').map_or_else(|| folder.rsplit('/').next(), |(name, _)| Some(name))?;
    Some((package.to_owned(), path.replace("\\\\", "\\")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_code_is_found_in_cargos_messages() {
        let message = |id: &str| {
            format!(
                r#"{{"reason":"build-script-executed","package_id":"path+file:///w/{id}","env":[["A","b"],["IKRA_DEVICE_CODE","/t/out/ikra_device.ptx"]],"out_dir":"/t/out"}}"#
            )
        };
        let path = || String::from("/t/out/ikra_device.ptx");
        assert_eq!(
            code_of(&message("tests/device#ikra-device-tests@0.1.0")),
            Some((String::from("ikra-device-tests"), path()))
        );
        assert_eq!(code_of(&message("examples/nbody#0.1.0")), Some((String::from("nbody"), path())));
        assert_eq!(code_of(&message("x#0.1.0").replace("build-script-executed", "compiler-artifact")), None);
        assert_eq!(code_of(&message("x#0.1.0").replace("IKRA_DEVICE_CODE", "OTHER")), None);
    }

    #[test]
    fn what_is_missing_is_said() {
        let fired = |text| Fired::parse(text).unwrap();
        let one = BTreeMap::from([(String::from("a"), fired("rustc=1.96.0 loops=1"))]);
        let other = BTreeMap::from([(String::from("b"), fired("rustc=1.96.0 loops=1"))]);
        assert!(compared(&one, &one).is_empty());
        assert_eq!(compared(&one, &other), ["a: there is no device code", "b: it is not in the file"]);
    }
}
