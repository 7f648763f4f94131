//! The compiler's messages in the user's words.

/// Whether a build failed because it has no network.
pub(crate) fn wants_network(text: &str) -> bool {
    ["--offline", "offline was specified", "can't checkout", "unable to update registry", "failed to download"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// Aborts of the code generator, and their meanings.
const ABORTS: &[(&str, &str)] = &[
    (
        "Cannot select",
        "the model uses an operation that the device has no instruction for, such as a mathematical function; use that of `ikra::math`",
    ),
    (
        "unsupported library call",
        "the model uses an operation that the device does not have: instead of a mathematical function use that of `ikra::math`, and convert between floating-point numbers and 128-bit integers by way of 64 bits",
    ),
    (
        "unsupported characters",
        "a name in the model holds characters that the device's assembler does not allow; use letters, digits and `_`",
    ),
    ("undefined symbol", "the model calls a function that does not exist on the device"),
];

/// Features of the host that the device lacks, and replacements: patterns in the compiler's messages.
const HOST_ONLY: &[(&[&str], &str)] = &[
    (
        &["`std`", "std::"],
        "the device has no `std`: a model uses what `core` has, such as `core::f32::consts::PI`; what only the host can do belongs outside of the model's file, or under `#[cfg(not(target_arch = \"nvptx64\"))]`",
    ),
    (
        &["in crate `ikra`", "in `ikra`", "no `Error` in"],
        "a model can use only the part of `ikra` that the device has: what makes and runs worlds, and `ikra::Error`, belongs outside of the model's file, or under `#[cfg(not(target_arch = \"nvptx64\"))]`",
    ),
];

/// The compiler's messages, preceded by a sentence if they are not sentences themselves or lack a remedy.
pub(crate) fn explain(text: &str) -> String {
    let mut message = String::from("the model does not compile for the device:\n");
    if let Some((_, sentence)) = ABORTS.iter().find(|(sign, _)| text.contains(sign)) {
        message.push_str(sentence);
        if let Some(function) = text.lines().find_map(|line| line.trim().strip_prefix("In function: ")) {
            message.push_str(&format!(" (in `{function}`)"));
        }
        message.push('\n');
    }
    let errors = errors(text);
    let is_missing = |line: &&str| {
        line.starts_with("error")
            && ["cannot find", "unresolved", "undeclared", "can't find"].iter().any(|sign| line.contains(sign))
    };
    let missing: Vec<&str> = errors.lines().filter(is_missing).collect();
    if let Some(krate) = errors.lines().find_map(std_of_dependency) {
        message.push_str(&format!(
            "`{krate}` is compiled for the device too, which has no `std`: start it with `#![cfg_attr(target_arch = \"nvptx64\", no_std, feature(abi_ptx, asm_experimental_arch))]`, and leave what only the host can do out there, by `#[cfg(not(target_arch = \"nvptx64\"))]`\n"
        ));
    } else {
        for (signs, sentence) in HOST_ONLY {
            if missing.iter().any(|line| signs.iter().any(|sign| line.contains(sign))) {
                message.push_str(sentence);
                message.push('\n');
            }
        }
    }
    if let Some(krate) = text.lines().find_map(missing_crate) {
        message.push_str(&format!(
            "of other crates the model has only those that the build script lists: `ikra_build::Device::new(\"src/model.rs\").dependency(\"{krate}\", …).build()`\n"
        ));
    }
    if let Some((method, ty)) = errors.lines().find_map(missing_method) {
        message.push_str(&format!(
            "`{method}` is not a method of `core`'s `{ty}`: `use ikra::prelude::*;` brings those of `std` that the device has, and `ikra::math` has functions such as `ikra::math::sin(x)`, which give the same bits on host and device\n"
        ));
    }
    if errors.trim().is_empty() {
        message.push_str(&format!("the compiler ended without a message{}\n", signal(text)));
    }
    message.push('\n');
    message.push_str(errors.trim());
    message
}

/// How the compiler ended, if a signal ended it.
fn signal(text: &str) -> String {
    // process didn't exit successfully: `/usr/bin/rustc …` (signal: 9, SIGKILL: kill)
    let of_line = |line: &str| Some(line.split_once("(signal: ")?.1.trim_end_matches(')').to_owned());
    match text.lines().find_map(of_line) {
        Some(signal) if signal.starts_with('9') => format!(" (signal {signal}): perhaps there was not enough memory"),
        Some(signal) => format!(" (signal {signal})"),
        None => String::new(),
    }
}

/// The crate that needs `std`, which the device does not have, if it is not the model itself.
fn std_of_dependency(line: &str) -> Option<&str> {
    // = note: `std` is required by `shapes` because it does not declare `#![no_std]`
    let krate = line.split_once("`std` is required by `")?.1.split('`').next()?;
    (!krate.starts_with("ikra_device_")).then_some(krate)
}

/// The crate that the compiler does not know; cargo's advice is about a manifest that is not the user's.
fn missing_crate(line: &str) -> Option<&str> {
    // = help: if you wanted to use a crate named `shapes`, use `cargo add shapes` to add it to your `Cargo.toml`
    let krate = line.split_once("use a crate named `")?.1.split('`').next()?;
    (krate != "std").then_some(krate)
}

/// `sin` and `f32` of an error about a method that a floating-point type does not have.
fn missing_method(line: &str) -> Option<(&str, &str)> {
    if !line.starts_with("error[E0599]") {
        return None;
    }
    // error[E0599]: no method named `sin` found for type `f32` in the current scope
    let mut quoted = line.split('`').skip(1).step_by(2);
    let (method, ty) = (quoted.next()?, quoted.next()?);
    ["f32", "f64", "{float}"].contains(&ty).then_some((method, ty))
}

/// Without warnings, which the host's compilation gives, and without cargo's closing lines. Those are about a crate
/// that the user has not written, and about the command that it ran.
fn errors(text: &str) -> String {
    let mut kept = String::new();
    let (mut is_warning, mut is_cause) = (false, false);
    for line in text.lines() {
        if line.starts_with("error: could not compile `") {
            is_cause = true;
            continue;
        }
        // `Caused by:` and the indented lines below it.
        is_cause = is_cause && (line.is_empty() || line == "Caused by:" || line.starts_with("  "));
        // There is no such crate to add.
        let is_advice = line.contains("use `cargo add ") || line.contains("missing a crate named `std`");
        // Up to the next empty line.
        is_warning = line.starts_with("warning") || is_warning && !line.is_empty();
        if !is_cause && !is_warning && !is_advice {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aborts_become_sentences() {
        let text = explain(
            "LLVM ERROR: Cannot select: t9: f32 = fsin t7\nIn function: ikra_kernel_Body_spin_3_4
error: could not compile `ikra_device_0123456789abcdef` (lib)

Caused by:
  process didn't exit successfully: `/usr/bin/rustc --crate-name ikra_device_0123456789abcdef` (signal: 6, SIGABRT)
",
        );
        assert!(text.contains("`ikra::math` (in `ikra_kernel_Body_spin_3_4`)"), "{text}");
        assert!(text.contains("fsin"), "the compiler's words stay");
        assert!(!text.contains("ikra_device_"), "{text}");
    }

    #[test]
    fn each_abort_has_its_sentence() {
        for (said, meant) in [
            ("LLVM ERROR: unsupported library call operation", "use that of `ikra::math`, and convert"),
            ("LLVM ERROR: Symbol name with unsupported characters", "use letters, digits and `_`"),
            ("error: undefined symbol: sin", "does not exist on the device"),
        ] {
            let text = explain(said);
            assert!(text.contains(meant) && text.contains(said), "{text}");
        }
    }

    #[test]
    fn a_compiler_that_was_killed_is_named() {
        let text = explain(
            "error: could not compile `ikra_device_0` (lib)\n\nCaused by:\n  process didn't exit successfully: `rustc` (signal: 9, SIGKILL: kill)\n",
        );
        assert!(
            text.contains("ended without a message (signal 9, SIGKILL: kill): perhaps there was not enough"),
            "{text}"
        );
    }

    #[test]
    fn ordinary_errors_stay_as_they_are() {
        let text = explain(
            "warning: unused variable\n --> ikra/lib.rs:1:1\n  |\n\nerror[E0308]: mismatched types\n --> src/model.rs:3:1\n\nerror: could not compile `ikra_device_0` (lib) due to 1 previous error\n",
        );
        assert_eq!(
            text,
            "the model does not compile for the device:\n\nerror[E0308]: mismatched types\n --> src/model.rs:3:1"
        );
    }

    #[test]
    fn what_the_host_has_is_named() {
        for (said, meant) in [
            (
                "error[E0433]: cannot find module or crate `std` in this scope\n --> src/model.rs:1:5\n  = help: if you wanted to use a crate named `std`, use `cargo add std` to add it to your `Cargo.toml`\n",
                "`core::f32::consts::PI`",
            ),
            (
                "error[E0432]: unresolved import `std`\nhelp: you might be missing a crate named `std`\n",
                "`core::f32::consts::PI`",
            ),
            ("error[E0425]: cannot find type `Error` in crate `ikra`\n", "`ikra::Error`, belongs outside"),
            (
                "error[E0433]: cannot find module or crate `shapes` in this scope\n --> src/model.rs:2:5\n  = help: if you wanted to use a crate named `shapes`, use `cargo add shapes` to add it to your `Cargo.toml`\n",
                "`ikra_build::Device::new(\"src/model.rs\").dependency(\"shapes\", …)",
            ),
            (
                "error[E0463]: can't find crate for `std`\n  = note: `std` is required by `shapes` because it does not declare `#![no_std]`\n",
                "`shapes` is compiled for the device too",
            ),
            (
                "error[E0463]: can't find crate for `std`\n  = note: `std` is required by `ikra_device_07` because it does not declare `#![no_std]`\n",
                "a model uses what `core` has",
            ),
            (
                "error[E0599]: no method named `gamma` found for type `f64` in the current scope\n",
                "`gamma` is not a method of `core`'s `f64`",
            ),
            (
                "error[E0599]: no function or associated item named `sin` found for type `f32` in the current scope\n",
                "`ikra::math::sin(x)`",
            ),
        ] {
            let text = explain(said);
            assert!(text.contains(meant), "{text}");
            assert!(!text.contains("cargo add") && !text.contains("missing a crate"), "{text}");
        }
        let other = explain("error[E0599]: no method named `f32` found for struct `Body` in the current scope\n");
        assert!(!other.contains("ikra::math"), "{other}");
    }

    #[test]
    fn a_want_of_network_is_told_from_errors() {
        assert!(wants_network("error: no matching package named `x` found\nyou're using offline mode (--offline)"));
        assert!(!wants_network("error[E0308]: mismatched types"));
    }
}
