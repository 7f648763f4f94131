//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Output};
use std::{fs, str};

use example_program::Picture;

fn wolfsheep(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wolfsheep")).args(args).output().unwrap()
}

/// The same on a machine without a driver.
fn without_driver(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_wolfsheep"));
    program.args(args).env("IKRA_DRIVER", "/nowhere/libcuda.so.1").output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_run_is_checked_and_writes_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let [csv, svg, png, gif, html] = ["csv", "svg", "png", "gif", "html"].map(|name| folder.path().join(name));
    let mut args = vec!["--model", "small", "--steps", "30", "--threads", "2", "--check"];
    for (option, path) in [("--csv", &csv), ("--svg", &svg), ("--png", &png), ("--gif", &gif), ("--html", &html)] {
        args.extend([option, text(path)]);
    }
    let output = wolfsheep(&args);
    assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
    let report = str::from_utf8(&output.stdout).unwrap();
    for word in ["25 x 25 cells, 30 steps", "at the end", "a sequential program has the same populations"] {
        assert!(report.contains(word), "{report}");
    }
    let log = fs::read_to_string(&csv).unwrap();
    assert_eq!(log.lines().count(), 32);
    assert!(log.starts_with("step,sheep,wolves,grass\n0,60,40,"), "{log}");
    assert!(fs::read_to_string(&svg).unwrap().contains("cells of grass"));
    let picture = Picture::read(BufReader::new(fs::File::open(&png).unwrap())).unwrap();
    assert_eq!((picture.width(), picture.height()), (600, 760));
    assert!(picture.pixels().iter().filter(|&&pixel| pixel == [0xff; 3]).count() > 24 * 24);
    assert!(fs::read(&gif).unwrap().starts_with(b"GIF89a"));
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains("\"size\":[25, 25]") && !page.contains("@DATA@"), "{}", &page[..2000]);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let logs = ["1", "2", "5"].map(|threads| {
        let csv = folder.path().join(threads);
        let args = ["--size", "120x90", "--sheep", "6000", "--wolves", "5000", "--steps", "8"];
        assert!(wolfsheep(&[&args[..], &["--threads", threads, "--csv", text(&csv)]].concat()).status.success());
        fs::read_to_string(csv).unwrap()
    });
    assert_eq!(logs[0], logs[1]);
    assert_eq!(logs[0], logs[2]);
}

#[test]
fn wrong_options_are_code_2() {
    for args in [
        ["--place", "moon"],
        ["--size", "0x10"],
        ["--size", "10"],
        ["--regrowth", "0"],
        ["--sheep-reproduce", "1.5"],
        ["--wolves-reproduce", "NaN"],
        ["--model", "medium"],
        ["--steps", "-1"],
    ] {
        assert_eq!(wolfsheep(&args).status.code(), Some(2), "{args:?}");
    }
    for (args, expected) in [
        (["--size", "100000x100000"], "wolfsheep: --size 100000x100000: at most 268435456 cells\n"),
        (["--threads", "65535"], "wolfsheep: --threads 65535: at most 1024\n"),
    ] {
        let output = wolfsheep(&args);
        assert_eq!((output.status.code(), str::from_utf8(&output.stderr).unwrap()), (Some(2), expected));
    }
}

#[test]
fn files_are_opened_before_the_work() {
    for option in ["--csv", "--svg", "--png", "--gif", "--html"] {
        // A run that would take hours.
        let output = wolfsheep(&["--model", "huge", "--steps", "1000000", option, "no/such/folder/file"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let message = str::from_utf8(&output.stderr).unwrap();
        assert!(message.starts_with("wolfsheep: cannot write no/such/folder/file: "), "{message}");
        assert_eq!((message.lines().count(), output.stdout.len()), (1, 0), "{output:?}");
    }
}

#[test]
fn without_a_gpu_it_says_so() {
    for place in [&["--gpu"][..], &["--place", "gpu:1"]] {
        let output = without_driver(&[place, &["--model", "small", "--steps", "1"]].concat());
        assert_eq!(output.status.code(), Some(3));
        let error = str::from_utf8(&output.stderr).unwrap();
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
