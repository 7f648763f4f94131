//! `bench-plot` as a command.
#![allow(missing_docs, reason = "a test, not a library")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn plot(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench-plot")).args(arguments).output().unwrap()
}

/// What is printed about bad input: one line, and exit code 2.
fn complaint(arguments: &[&str]) -> String {
    let output = plot(arguments);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    text.trim_end().to_owned()
}

#[test]
fn files_are_drawn_or_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (good, bad, svg) = (file("good.csv"), file("bad.csv"), file("drawing.svg"));
    fs::write(&good, "group,variant,series,value\nAoS,,Ikra,7\n").unwrap();
    fs::write(&bad, "# title: t\ngroup,variant,series,value\nAoS,,Ikra,soon\n").unwrap();
    let _ = fs::remove_file(&svg);

    assert_eq!(complaint(&[&bad, &svg]), format!("{bad}:3: the value `soon` is not a number from 1e-6 to 1e12"));
    assert!(!Path::new(&svg).exists());
    assert!(complaint(&[&file("absent.csv"), &svg]).contains("absent.csv: "));
    assert!(complaint(&[&good]).starts_with("usage: "));
    assert!(complaint(&["--fast", &good, &svg]).starts_with("unknown option --fast; usage: "));

    let linear = plot(&[&good, &svg]);
    assert!(linear.status.success() && linear.stderr.is_empty());
    let drawn = fs::read_to_string(&svg).unwrap();
    assert!(plot(&["--log", &good, &svg]).status.success());
    assert_ne!(fs::read_to_string(&svg).unwrap(), drawn);
}
