//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::path::Path;
use std::process::{Command, Output};
use std::{fs, str};

fn ruby(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ruby"));
    let is_for_gpu = args.iter().any(|arg| arg.contains("gpu")) && option_env!("IKRA_DEVICE_CODE").is_some();
    let program = if is_for_gpu { ikra_test_gpu::choose(&mut program) } else { &mut program };
    program.args(args).output().unwrap()
}

/// The same on a machine without a driver.
fn without_driver(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ruby"));
    program.args(args).env("IKRA_DRIVER", "/nowhere/libcuda.so.1").output().unwrap()
}

/// The report of a run, and its file of the final state.
fn run(folder: &Path, name: &str, args: &[&str]) -> (String, String) {
    let csv = folder.join(name);
    let output = ruby(&[&["--csv", csv.to_str().unwrap(), "--check"], args].concat());
    assert!(output.status.success(), "{args:?}: {}", str::from_utf8(&output.stderr).unwrap());
    (String::from_utf8(output.stdout).unwrap(), fs::read_to_string(csv).unwrap())
}

/// The rows of actors of a class.
fn of_class<'c>(csv: &'c str, class: &str) -> Vec<&'c str> {
    csv.lines().filter(|line| line.split(',').nth(1) == Some(class)).collect()
}

#[test]
fn objects_are_those_of_the_plain_program() {
    let folder = tempfile::tempdir().unwrap();
    // Also a single street, after which there is none or itself only, and no ticks at all.
    for (actors, streets, ticks) in [("1", "1", "300"), ("40", "2", "100"), ("3000", "500", "120"), ("7", "9", "0")] {
        let args = ["--actors", actors, "--streets", streets, "--ticks", ticks, "--threads", "2"];
        let (report, csv) = run(folder.path(), "state.csv", &args);
        for word in [&format!("{actors} actors on "), "ticks/s", "moves/s", "written back", "bit by bit"] {
            assert!(report.contains(word), "{report}");
        }
        assert_eq!(csv.lines().next(), Some("actor,class,street,progress,waits"));
        assert_eq!(csv.lines().count(), 1 + actors.parse::<usize>().unwrap());
    }
}

#[test]
fn all_classes_move() {
    let folder = tempfile::tempdir().unwrap();
    let state = |ticks| run(folder.path(), ticks, &["--actors", "900", "--streets", "50", "--ticks", ticks]);
    let ((before, start), (after, end)) = (state("0"), state("60"));
    assert!(before.contains(" 0 objects written back") && after.contains(" 900 objects written back"), "{after}");
    for (class, least) in [("car", 350), ("bus", 50), ("pedestrian", 250)] {
        let (start, end) = (of_class(&start, class), of_class(&end, class));
        assert!(start.len() == end.len() && start.len() > least, "{class}: {} and {}", start.len(), end.len());
        let moved = start.iter().zip(&end).filter(|(start, end)| start != end).count();
        assert!(moved * 10 > start.len() * 9, "{moved} of {} of class {class}", start.len());
    }
    // Some wait at stops: buses only.
    let waits = |class| of_class(&end, class).iter().filter(|line| !line.ends_with(",0")).count();
    assert!(waits("bus") > 5 && waits("car") + waits("pedestrian") == 0);
}

#[test]
fn rain_slows_vehicles_and_not_pedestrians() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = ["--actors", "2000", "--streets", "100", "--ticks", "30", "--weather"];
    let [sunny, rainy] =
        ["sunny", "rainy"].map(|weather| run(folder.path(), weather, &[&fixed[..], &[weather]].concat()).1);
    assert_eq!(of_class(&sunny, "pedestrian"), of_class(&rainy, "pedestrian"));
    assert_ne!(of_class(&sunny, "car"), of_class(&rainy, "car"));
    assert_ne!(of_class(&sunny, "bus"), of_class(&rainy, "bus"));
}

#[test]
fn results_depend_on_the_seed_and_not_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = ["--actors", "3000", "--streets", "200", "--ticks", "110"];
    let state = |name, args: [&str; 2]| run(folder.path(), name, &[&fixed[..], &args].concat()).1;
    let states = ["1", "2", "5"].map(|threads| state(threads, ["--threads", threads]));
    assert_eq!(states[0], states[1]);
    assert_eq!(states[0], states[2]);
    assert_ne!(states[0], state("seed", ["--seed", "43"]));
}

#[test]
fn a_gpu_changes_the_same_objects() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let fixed = ["--actors", "500", "--streets", "60", "--ticks", "70"];
    let state = |place| run(folder.path(), place, &[&fixed[..], &["--place", place]].concat()).1;
    assert_eq!(state("host"), state("gpu"));
}

#[test]
fn bad_input_is_one_line_and_code_2() {
    let output = ruby(&["--threads", "65535"]);
    let message = str::from_utf8(&output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message, "ruby: --threads 65535: at most 1024\n");
    for args in [
        &["--actors", "0"][..],
        &["--actors", "many"],
        &["--streets", "0"],
        &["--ticks", "-1"],
        &["--seed", "x"],
        &["--weather", "foggy"],
        &["--place", "moon"],
        &["--gpu", "--place", "host"],
        &["--speed"],
    ] {
        assert_eq!(ruby(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn files_are_opened_before_the_work() {
    let output = ruby(&["--actors", "10000000", "--ticks", "1000000", "--csv", "no/such/folder/file"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = str::from_utf8(&output.stderr).unwrap();
    assert!(
        message.starts_with("ruby: cannot write no/such/folder/file: ") && message.lines().count() == 1,
        "{message}"
    );
}

#[test]
fn without_a_gpu_it_says_so() {
    let output = without_driver(&["--gpu", "--actors", "10", "--ticks", "1"]);
    assert_eq!(output.status.code(), Some(3));
    let error = str::from_utf8(&output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains("no GPU") || error.contains("without device code"), "{error}");
}
