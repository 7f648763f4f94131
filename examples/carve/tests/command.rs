//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::path::Path;
use std::process::{Command, Output};
use std::{fs, str};

fn program(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carve")).args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What the program writes to standard output and to standard error.
fn said(output: &Output) -> (&str, &str) {
    assert!(output.status.success(), "{output:?}");
    (str::from_utf8(&output.stdout).unwrap(), str::from_utf8(&output.stderr).unwrap())
}

/// The message of a program that fails with this code.
fn message(output: &Output, code: i32) -> &str {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let message = str::from_utf8(&output.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    message.trim_end()
}

#[test]
fn a_made_up_image_is_searched() {
    let output = program(&["--size", "300KiB", "--check"]);
    let (rows, report) = said(&output);
    assert!(report.contains("headers in 307200 bytes; ") && report.contains("MB/s"), "{report}");
    assert!(report.contains("the same headers as by `aho-corasick`"), "{report}");
    assert_eq!(rows.lines().next(), Some("start,name,position"));
    let positions: Vec<u64> =
        rows.lines().skip(1).map(|row| row.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert!(positions.len() >= 4 && positions.is_sorted(), "{rows}");
    // The same rows, whatever the pieces and the threads, and in a file too.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    for args in [["--piece", "1000", "--threads", "1"], ["--piece", "64KiB", "--threads", "2"]] {
        assert_eq!(said(&program(&[&["--size", "300KiB"], &args[..]].concat())).0, rows);
        let output = program(&[&["--size", "300KiB", "--out", text(&path)], &args[..]].concat());
        assert_eq!(said(&output).0, "");
        assert_eq!(fs::read_to_string(&path).unwrap(), rows);
    }
    let other = program(&["--size", "300KiB", "--seed", "2"]);
    assert_ne!(said(&other).0, rows);
}

#[test]
fn files_of_an_image() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    let mut image = vec![0x20; 5000];
    for (at, bytes) in [
        (100, &b"\x89PNG\r\n\x1a\n"[..]),
        (512 + 257, b"ustar"),
        (1022, b"RIFF1234WAVEfmt "),
        (2040, b"SQLite format 3\0"),
        (3000, b"....ftypisom"),
        (4998, b"BM"),
    ] {
        image[at..][..bytes.len()].copy_from_slice(bytes);
    }
    fs::write(&path, &image).unwrap();
    let output = program(&["--input", text(&path), "--piece", "1KiB", "--check"]);
    let rows = ["100,PNG,100", "512,tar (ustar),769", "1022,WAV,1022", "2040,SQLite 3,2040", "3000,MP4,3004"];
    assert_eq!(said(&output).0, format!("start,name,position\n{}\n", rows.join("\n")));
    fs::write(&path, b"").unwrap();
    let output = program(&["--input", text(&path), "--check"]);
    assert_eq!(said(&output).0, "start,name,position\n");
}

#[test]
fn signatures_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (image, table) = (folder.path().join("image"), folder.path().join("table.csv"));
    fs::write(&image, b"xxabcxxaXcxx").unwrap();
    fs::write(&table, "name,offset,hex\n\"one, two\",1,61 ?? 63\n").unwrap();
    let output = program(&["--input", text(&image), "--signatures", text(&table), "--check"]);
    assert_eq!(said(&output).0, "start,name,position\n1,\"one, two\",2\n6,\"one, two\",7\n");
    for (rows, expected) in [
        ("a,0,00\nb,0,0\n", "DIR/table.csv:2:5: \"0\" is not a byte: two hexadecimal digits, or ?? for any"),
        ("a,x,00\n", "DIR/table.csv:1:3: \"x\" is not an offset: a number from 0 to 2⁶⁴ − 1"),
        ("a\n", "DIR/table.csv:1:2: no comma, and no offset behind it: a line is name,offset,hex"),
        ("# nothing\n", "DIR/table.csv: no signatures; a line is name,offset,hex"),
        ("a\0,0,00\n", "DIR/table.csv: cannot be read: not a text"),
    ] {
        fs::write(&table, rows).unwrap();
        let output = program(&["--input", text(&image), "--signatures", text(&table)]);
        let message = message(&output, 2).replace(text(folder.path()), "DIR");
        assert_eq!(message, format!("carve: {expected}"));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn mistakes_are_one_line_and_code_2() {
    for option in ["--input", "--signatures"] {
        let output = program(&[option, "no/such/file"]);
        assert!(message(&output, 2).starts_with("carve: no/such/file: cannot be read: "), "{output:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let output = program(&["--input", text(folder.path())]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(message(&program(&["--threads", "65535"]), 2), "carve: --threads 65535: at most 1024");
    for wrong in [
        &["--size", "1MB"][..],
        &["--size", "-1"],
        &["--piece", "0"],
        &["--piece", "5GiB"],
        &["--place", "moon"],
        &["--input", "a", "--size", "1"],
        &["--input", "a", "--seed", "1"],
    ] {
        assert_eq!(program(wrong).status.code(), Some(2), "{wrong:?}");
    }
    let output = program(&["--size", "1000", "--out", "no/such/folder/out"]);
    assert!(message(&output, 1).starts_with("carve: cannot write no/such/folder/out: "), "{output:?}");
}

#[test]
fn without_a_gpu_it_says_so() {
    for place in [&["--gpu"][..], &["--place", "gpu:1"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_carve"))
            .args([&["--size", "1000"], place].concat())
            .env("CUDA_VISIBLE_DEVICES", "")
            .env_remove("IKRA_DRIVER")
            .output()
            .unwrap();
        message(&output, 3);
    }
}

#[test]
fn a_gpu_finds_what_the_host_does() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let host = program(&["--size", "70000"]);
    // Several pieces: two worlds scan in turn.
    for piece in ["30000", "1MiB"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_carve"));
        let args = ["--size", "70000", "--piece", piece, "--check", "--gpu"];
        let output = ikra_test_gpu::choose(&mut program).args(args).output().unwrap();
        assert_eq!(said(&output).0, said(&host).0);
    }
}
