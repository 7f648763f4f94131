//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Output};
use std::{fs, str};

use example_program::Picture;

fn nbody(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_nbody"));
    let is_for_gpu = args.iter().any(|arg| arg.contains("gpu")) && option_env!("IKRA_DEVICE_CODE").is_some();
    let program = if is_for_gpu { ikra_test_gpu::choose(&mut program) } else { &mut program };
    program.args(args).output().unwrap()
}

/// The same on a machine without a driver.
fn without_driver(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_nbody"));
    program.args(args).env("IKRA_DRIVER", "/nowhere/libcuda.so.1").output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_run_conserves_energy_and_writes_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let (png, csv) = (folder.path().join("out.png"), folder.path().join("energy.csv"));
    let args = ["--bodies", "300", "--steps", "50", "--dt", "0.005", "--threads", "2", "--check"];
    let output = nbody(&[&args[..], &["--png", text(&png), "--csv", text(&csv)]].concat());
    assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
    let report = str::from_utf8(&output.stdout).unwrap();
    for word in ["steps/s", "interactions/s", "energy drift"] {
        assert!(report.contains(word), "{report}");
    }
    let picture = Picture::read(BufReader::new(fs::File::open(&png).unwrap())).unwrap();
    assert!(picture.pixels().iter().filter(|pixel| pixel[2] > 100).count() > 500);
    let log = fs::read_to_string(&csv).unwrap();
    assert_eq!(log.lines().count(), 52);
    assert!(log.lines().last().unwrap().starts_with("50,0.25,-"));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let logs = ["1", "2", "5"].map(|threads| {
        let csv = folder.path().join(threads);
        let args = ["--bodies", "1000", "--steps", "5", "--threads", threads, "--csv", text(&csv)];
        assert!(nbody(&args).status.success());
        fs::read_to_string(csv).unwrap()
    });
    assert_eq!(logs[0], logs[1]);
    assert_eq!(logs[0], logs[2]);
}

#[test]
fn halving_the_step_divides_the_drift_by_four() {
    // Two bodies on an eccentric orbit.
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("two.csv");
    fs::write(&input, "mass,x,y,vx,vy\n0.5,0.5,0,0,0.4\n0.5,-0.5,0,0,-0.4\n").unwrap();
    let drift = |dt: &str, steps: &str| {
        let csv = folder.path().join(dt);
        let args =
            ["--dims", "2", "--input", text(&input), "--dt", dt, "--steps", steps, "--csv", text(&csv), "--check"];
        let output = nbody(&args);
        assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
        let log = fs::read_to_string(csv).unwrap();
        let column = log.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap().abs());
        column.fold(0.0, f64::max)
    };
    let ratio = drift("0.01", "500") / drift("0.005", "1000");
    assert!((3.5..4.5).contains(&ratio), "leap-frog is of second order: {ratio}");
}

#[test]
fn bad_input_is_one_line_and_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let missing = folder.path().join("missing.csv").to_str().unwrap().to_owned();
    let mut cases = vec![
        (missing, "missing.csv: cannot be read"),
        (file("short.csv", "1,2,3\n"), "short.csv:1: 3 values instead of 7"),
        (file("nan.csv", "1,0,0,0,0,0,0\n1,NaN,0,0,0,0,0\n"), "nan.csv:2: x is NaN"),
        (file("empty.csv", ""), "empty.csv: no bodies"),
        (file("negative.csv", "-1,0,0,0,0,0,0\n"), "negative.csv:1: mass is -1"),
        (file("word.csv", "1,0,0,zero,0,0,0\n"), "word.csv:1: z is \"zero\""),
    ];
    if Path::new("/dev/zero").exists() {
        cases.push(("/dev/zero".to_owned(), "/dev/zero: cannot be read: not a text"));
    }
    for (path, expected) in cases {
        let output = nbody(&["--input", &path]);
        let message = str::from_utf8(&output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(expected) && message.trim_end().lines().count() == 1, "{message}");
    }
    let output = nbody(&["--threads", "65535"]);
    let message = str::from_utf8(&output.stderr).unwrap();
    assert_eq!((output.status.code(), message), (Some(2), "nbody: --threads 65535: at most 1024\n"));
    for args in [
        ["--place", "moon"],
        ["--place", "gpu:-1"],
        ["--bodies", "0"],
        ["--bodies", "4294967295"],
        ["--dt", "0"],
        ["--dt", "NaN"],
        ["--softening", "-1"],
        ["--dims", "4"],
    ] {
        assert_eq!(nbody(&args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn files_are_opened_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.csv");
    fs::write(&old, "kept").unwrap();
    let new = folder.path().join("new.png");
    for option in ["--png", "--csv"] {
        // A run that would take hours.
        let output = nbody(&["--bodies", "100000", "--steps", "1000000", option, "no/such/folder/file"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let message = str::from_utf8(&output.stderr).unwrap();
        assert!(message.starts_with("nbody: cannot write no/such/folder/file: "), "{message}");
        assert_eq!((message.lines().count(), output.stdout.len()), (1, 0), "{output:?}");
    }
    // Wrong input changes no file.
    let output = nbody(&["--input", "no/such/file", "--csv", text(&old), "--png", text(&new)]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(fs::read_to_string(&old).unwrap(), "kept");
    assert!(!new.exists());
}

#[test]
fn without_a_gpu_it_says_so() {
    for place in [&["--gpu"][..], &["--place", "gpu"], &["--place", "gpu:1"]] {
        let output = without_driver(&[place, &["--bodies", "10", "--steps", "1"]].concat());
        assert_eq!(output.status.code(), Some(3));
        let error = str::from_utf8(&output.stderr).unwrap();
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains("no GPU") || error.contains("without device code"), "{error}");
    }
    assert_eq!(nbody(&["--gpu", "--place", "host"]).status.code(), Some(2));
    assert!(nbody(&["--place", "host", "--bodies", "10", "--steps", "1"]).status.success());
}

#[test]
fn host_and_gpu_agree_to_the_last_digit() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (bodies, steps) = if ikra_test_gpu::is_emulated() { ("300", "5") } else { ("500", "20") };
    let logs = [&["--threads", "2"][..], &["--place", "gpu"]].map(|place| {
        let csv = folder.path().join(place[0]);
        let output = nbody(&[place, &["--bodies", bodies, "--steps", steps, "--csv", text(&csv)]].concat());
        assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
        fs::read_to_string(csv).unwrap()
    });
    assert_eq!(logs[0], logs[1]);
}

#[test]
fn the_program_needs_no_driver_to_start() {
    use object::read::elf::{Dyn, FileHeader, SectionHeader};
    let data = fs::read(env!("CARGO_BIN_EXE_nbody")).unwrap();
    let Ok(header) = object::elf::FileHeader64::<object::Endianness>::parse(&*data) else {
        println!("SKIPPED: the program is no ELF file");
        return;
    };
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, &*data).unwrap();
    let mut needed = Vec::new();
    for section in sections.iter() {
        let Some((entries, strings)) = section.dynamic(endian, &*data).unwrap() else { continue };
        let strings = sections.strings(endian, &*data, strings).unwrap();
        for entry in entries.iter().filter(|entry| entry.tag(endian) == object::elf::DT_NEEDED) {
            needed.push(String::from_utf8_lossy(entry.string(endian, strings).unwrap()).into_owned());
        }
    }
    assert!(needed.iter().any(|name| name.starts_with("libc.")), "{needed:?}");
    assert!(!needed.iter().any(|name| name.contains("cuda")), "{needed:?}");
}
