//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Output};
use std::{fs, str};

use example_program::Picture;

fn raytrace(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raytrace")).args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The picture that the program draws.
fn drawn(args: &[&str]) -> Picture {
    let folder = tempfile::tempdir().unwrap();
    let png = folder.path().join("out.png");
    let output = raytrace(&[args, &["--png", text(&png)]].concat());
    assert!(output.status.success(), "{output:?}");
    Picture::read(BufReader::new(fs::File::open(&png).unwrap())).unwrap()
}

/// Runs the program on a file with this text, which must fail, and returns the message.
fn message(contents: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.obj");
    fs::write(&path, contents).unwrap();
    fs::write(folder.path().join("good.mtl"), "newmtl red\nKd 1 0 0\n").unwrap();
    fs::write(folder.path().join("bad.mtl"), "newmtl red\n\nKd 1 0\n").unwrap();
    let output = raytrace(&["--scene", text(&path), "--size", "8x8"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let message = str::from_utf8(&output.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    message.trim_end().replace(text(folder.path()), "DIR")
}

#[test]
fn the_default_scene_is_drawn_and_checked() {
    let output = raytrace(&["--size", "48x32", "--samples", "4", "--check"]);
    assert!(output.status.success(), "{output:?}");
    let report = str::from_utf8(&output.stdout).unwrap();
    for words in
        ["1 planes, 48 triangles", "48 × 32 pixels, 4 samples each", "no pixel is brighter", "pixels are the same"]
    {
        assert!(report.contains(words), "{report}");
    }
    let picture = drawn(&["--size", "48x32", "--samples", "4"]);
    assert_eq!((picture.width(), picture.height()), (48, 32));
    // There is something to see: many colours.
    let mut colours: Vec<_> = picture.pixels().iter().map(|pixel| pixel.map(|part| part / 32)).collect();
    colours.sort_unstable();
    colours.dedup();
    assert!(colours.len() > 60, "{} colours", colours.len());
}

#[test]
fn threads_and_the_order_of_search_do_not_show() {
    let scene = ["--scene", "many", "--size", "20x20", "--samples", "3", "--seed", "7"];
    let one = drawn(&[&scene[..], &["--threads", "1"]].concat());
    for other in [&["--threads", "2"][..], &["--threads", "5"], &["--threads", "2", "--list"]] {
        assert!(drawn(&[&scene[..], other].concat()) == one, "{other:?}");
    }
    let other_seed = drawn(&["--scene", "many", "--size", "20x20", "--samples", "3", "--seed", "8"]);
    assert!(other_seed != one);
}

#[test]
fn a_file_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.obj");
    fs::write(folder.path().join("m.mtl"), "newmtl lamp\nKe 100 0 0\n").unwrap();
    let lamp = "mtllib m.mtl\n#: sky 0 0 0 0 0 0\n#: sun 0 1 0 0 0 0 0\n#: camera 0 0 9 0 0 0 30\nusemtl lamp\n";
    // The upper half of the picture.
    fs::write(&path, format!("{lamp}v -9 0 0\nv 9 0 0\nv 9 9 0\nv -9 9 0\nf 1 2 3 4\n")).unwrap();
    let picture = drawn(&["--scene", text(&path), "--size", "16x16", "--samples", "2", "--check"]);
    for (n, pixel) in picture.pixels().iter().enumerate() {
        assert_eq!(*pixel, if n < 128 { [255, 0, 0] } else { [0; 3] }, "{n}");
    }
}

#[test]
fn mistakes_are_one_line_and_code_2() {
    assert_eq!(message(b"v 0 0\n"), "raytrace: DIR/s.obj:1: 2 values instead of 3: a line is v X Y Z");
    assert_eq!(message(b"mtllib bad.mtl\n"), "raytrace: DIR/bad.mtl:3: 2 values instead of 3: a line is Kd R G B");
    assert!(message(b"mtllib no.mtl\n").starts_with("raytrace: DIR/no.mtl: cannot be read: "));
    assert_eq!(
        message(b"mtllib good.mtl\nusemtl blue\n"),
        "raytrace: DIR/s.obj:2: there is no material \"blue\"; mtllib names their file"
    );
    assert!(message(b"").starts_with("raytrace: DIR/s.obj: no shapes; a line is "));
    assert_eq!(message(b"\0"), "raytrace: DIR/s.obj: cannot be read: not a text");
    assert!(message(b"v \xff 0 0").starts_with("raytrace: DIR/s.obj: cannot be read: "));

    let missing = raytrace(&["--scene", "no/such/file"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(str::from_utf8(&missing.stderr).unwrap().starts_with("raytrace: no/such/file: cannot be read: "));
    for wrong in [
        &["--size", "512"][..],
        &["--size", "0x5"],
        &["--size", "5x99999"],
        &["--samples", "0"],
        &["--bounces", "-1"],
        &["--seed", "x"],
        &["--scene", ""],
        &["--place", "moon"],
        &["--place", "host", "--gpu"],
        &["--threads", "65535"],
    ] {
        assert_eq!(raytrace(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn files_are_opened_before_the_work() {
    let output = raytrace(&["--size", "9999x9999", "--png", "no/such/folder/out"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = str::from_utf8(&output.stderr).unwrap();
    assert!(message.starts_with("raytrace: cannot write no/such/folder/out: "), "{message}");
    assert_eq!((message.lines().count(), output.stdout.len()), (1, 0), "{output:?}");
}

#[test]
fn without_a_gpu_it_says_so() {
    for place in [&["--gpu"][..], &["--place", "gpu:1"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_raytrace"))
            .args([&["--size", "8x8"], place].concat())
            .env("CUDA_VISIBLE_DEVICES", "")
            .env_remove("IKRA_DRIVER")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert_eq!(str::from_utf8(&output.stderr).unwrap().lines().count(), 1);
    }
}

#[test]
fn a_gpu_computes_what_the_host_does() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_raytrace"));
    let output = ikra_test_gpu::choose(&mut program)
        .args(["--size", "24x24", "--samples", "1", "--check"])
        .arg("--gpu")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
}
