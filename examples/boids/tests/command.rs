//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Output};
use std::{fs, str};

use example_program::Picture;

fn boids(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_boids"));
    let is_for_gpu = args.iter().any(|arg| arg.contains("gpu")) && option_env!("IKRA_DEVICE_CODE").is_some();
    let program = if is_for_gpu { ikra_test_gpu::choose(&mut program) } else { &mut program };
    program.args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn flocks_are_those_of_the_plain_program() {
    let folder = tempfile::tempdir().unwrap();
    for dims in ["2", "3"] {
        // Also in a box of one cell, and of less than three along each axis.
        for boids_ in ["2", "40", "1500"] {
            let png = folder.path().join("out.png");
            let gif = folder.path().join("out.gif");
            let args = ["--dims", dims, "--boids", boids_, "--steps", "15", "--threads", "2", "--check"];
            let output = boids(&[&args[..], &["--png", text(&png), "--gif", text(&gif)]].concat());
            assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
            let report = str::from_utf8(&output.stdout).unwrap();
            for word in ["steps/s", "order 0.", "bit by bit"] {
                assert!(report.contains(word), "{report}");
            }
            let picture = Picture::read(BufReader::new(fs::File::open(&png).unwrap())).unwrap();
            assert!(picture.pixels().iter().any(|pixel| *pixel != [0; 3]));
            assert!(fs::read(&gif).unwrap().starts_with(b"GIF89a"));
        }
    }
}

#[test]
fn boids_that_look_at_each_other_fly_in_one_direction() {
    let order = |steps: &str| {
        let output = boids(&["--boids", "300", "--steps", steps, "--neighbours", "60", "--dt", "0.05"]);
        let report = String::from_utf8(output.stdout).unwrap();
        let order = report.split("order ").nth(1).unwrap().split(':').next().unwrap();
        order.parse::<f64>().unwrap()
    };
    assert!(order("1") < 0.2 && order("150") > 0.6);
}

#[test]
fn a_gpu_gives_the_same_flock() {
    if option_env!("IKRA_DEVICE_CODE").is_none() {
        println!("SKIPPED: there is no compiler for the device");
        return;
    }
    for dims in ["2", "3"] {
        let output = boids(&["--dims", dims, "--boids", "200", "--steps", "5", "--place", "gpu", "--check"]);
        assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
    }
}

#[test]
fn bad_input_is_one_line_and_code_2() {
    for args in [
        ["--place", "moon"],
        ["--boids", "0"],
        ["--dt", "0"],
        ["--dt", "NaN"],
        ["--neighbours", "-1"],
        ["--dims", "4"],
        ["--threads", "65535"],
    ] {
        assert_eq!(boids(&args).status.code(), Some(2), "{args:?}");
    }
    let output = boids(&["--steps", "1000000", "--png", "no/such/folder/file"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = str::from_utf8(&output.stderr).unwrap();
    assert!(
        message.starts_with("boids: cannot write no/such/folder/file: ") && message.lines().count() == 1,
        "{message}"
    );
}
