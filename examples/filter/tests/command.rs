//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Output};

use example_program::Picture;
use ikra_test_gpu::{choose, has_gpu};

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filter"));
    command.args(args);
    command
}

fn filter(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn read(path: &Path) -> Picture {
    Picture::read(BufReader::new(File::open(path).unwrap())).unwrap()
}

#[test]
fn pictures_are_filtered_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["a.png", "b.png"].map(|name| folder.path().join(name));
    for name in ["blur", "sharpen", "edges", "emboss"] {
        let args = ["--size", "50x30", "--filter", name, "--passes", "2", "--check", "--png", text(&first)];
        let output = filter(&args);
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("50 × 30 pixels, 25 factors"), "{output:?}");
        assert_eq!((read(&first).width(), read(&first).height()), (50, 30));
    }
    // What was written is read.
    let output = filter(&["--input", text(&first), "--passes", "1", "--check", "--png", text(&second)]);
    assert!(output.status.success(), "{output:?}");
    assert!(read(&second) != read(&first));
}

#[test]
fn a_filter_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let [factors, plain, moved] = ["f.txt", "a.png", "b.png"].map(|name| folder.path().join(name));
    fs::write(&factors, "# the pixel to the left\n0 0 0\n1 0 0\n0 0 0\n").unwrap();
    fs::write(folder.path().join("same.txt"), "1\n").unwrap();
    let same = folder.path().join("same.txt");
    for (filter_by, png) in [(&same, &plain), (&factors, &moved)] {
        let args = ["--size", "20x10", "--filter", text(filter_by), "--passes", "1", "--check", "--png", text(png)];
        assert!(filter(&args).status.success());
    }
    let (plain, moved) = (read(&plain), read(&moved));
    for (n, pixel) in moved.pixels().iter().enumerate() {
        assert_eq!(*pixel, plain.pixels()[if n % 20 == 0 { n } else { n - 1 }]);
    }
}

#[test]
fn a_gpu_filters_the_same_specialised() {
    if !has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    for filter in ["blur", "edges"] {
        let args = ["--size", "24x16", "--filter", filter, "--radius", "1", "--passes", "3", "--check", "--gpu"];
        let output = choose(&mut command(&args)).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        for words in ["specialised: ", "Pixel::filter: ", " iterations unrolled", "the same by loops over slices"] {
            assert!(said.contains(words), "{said}");
        }
    }
}

#[test]
fn mistakes_are_one_line_and_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.txt");
    let message = |contents: &str| {
        fs::write(&path, contents).unwrap();
        let output = filter(&["--filter", text(&path), "--size", "8x8"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8_lossy(&output.stderr).trim_end().replace(text(folder.path()), "DIR")
    };
    assert_eq!(
        message("0 1 0\n0 x 0\n0 1 0\n"),
        "filter: DIR/f.txt:2: `x` is not a number: a line is a row of factors, as `0 -1 0`"
    );
    let shape = "filter: DIR/f.txt: a filter has as many rows as columns, an odd number up to 65; here are";
    assert_eq!(message("1 1\n1 1\n"), format!("{shape} 2 rows, and 2 columns in row 1"));
    assert_eq!(message("1 1 1\n1 1\n1 1 1\n"), format!("{shape} 3 rows, and 2 columns in row 2"));
    assert_eq!(message("# nothing\n"), format!("{shape} 0 rows, and 0 columns in row 1"));
    let output = filter(&["--input", text(&path)]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
}
