//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::path::Path;
use std::process::{Command, Output};
use std::{fs, str};

fn actors(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_actors"));
    let is_for_gpu = args.iter().any(|arg| arg.contains("gpu")) && option_env!("IKRA_DEVICE_CODE").is_some();
    let program = if is_for_gpu { ikra_test_gpu::choose(&mut program) } else { &mut program };
    program.args(args).output().unwrap()
}

/// The same on a machine without a driver.
fn without_driver(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_actors"));
    program.args(args).env("IKRA_DRIVER", "/nowhere/libcuda.so.1").output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The rows of a log: mean speeds of cars, buses, cyclists and pedestrians after each tick.
fn speeds(log: &str) -> Vec<[f64; 4]> {
    assert_eq!(log.lines().next(), Some("tick,cars,buses,cyclists,pedestrians"));
    let row = |line: &str| {
        let values: Vec<f64> = line.split(',').skip(1).map(|value| value.parse().unwrap()).collect();
        values.try_into().unwrap()
    };
    log.lines().skip(1).map(row).collect()
}

/// The log of a run in a small city.
fn log(folder: &Path, name: &str, args: &[&str]) -> String {
    let csv = folder.join(name);
    let fixed = ["--city", "small", "--actors", "3000", "--ticks", "60", "--check", "--csv", text(&csv)];
    let output = actors(&[&fixed[..], args].concat());
    assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
    fs::read_to_string(csv).unwrap()
}

#[test]
fn rain_slows_cars_and_not_pedestrians() {
    let folder = tempfile::tempdir().unwrap();
    let [sunny, rainy, snowy] =
        ["sunny", "rainy", "snowy"].map(|weather| speeds(&log(folder.path(), weather, &["--weather", weather])));
    assert_eq!(sunny.len(), 60);
    let mean = |log: &[[f64; 4]], kind: usize| log.iter().map(|row| row[kind]).sum::<f64>() / log.len() as f64;
    for kind in 0..3 {
        let [sunny, rainy, snowy] = [&sunny, &rainy, &snowy].map(|log| mean(log, kind));
        assert!(sunny > rainy && rainy > snowy && snowy > 1.0, "{kind}: {sunny} {rainy} {snowy}");
    }
    // All on their first street: exactly the share that the weather leaves.
    assert!((rainy[0][0] / sunny[0][0] - 0.7).abs() < 1e-6 && (snowy[0][2] / sunny[0][2] - 0.7).abs() < 1e-6);
    for (a, b) in sunny.iter().zip(&rainy).chain(sunny.iter().zip(&snowy)) {
        assert_eq!(a[3], b[3], "pedestrians go the same way in any weather");
    }
    // A quarter of their largest speed on average, since they stroll.
    assert!((1.2..2.1).contains(&mean(&sunny, 3)), "{}", mean(&sunny, 3));
}

#[test]
fn results_depend_on_the_seed_and_not_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let logs = ["1", "2", "5"].map(|threads| log(folder.path(), threads, &["--threads", threads]));
    assert_eq!(logs[0], logs[1]);
    assert_eq!(logs[0], logs[2]);
    assert_ne!(logs[0], log(folder.path(), "seed", &["--seed", "43"]));
}

#[test]
fn pictures() {
    let folder = tempfile::tempdir().unwrap();
    let [png, gif, html] = ["map.png", "run.gif", "run.html"].map(|name| folder.path().join(name));
    let output = actors(&[
        "--city",
        "small",
        "--actors",
        "500",
        "--ticks",
        "9",
        "--png",
        text(&png),
        "--gif",
        text(&gif),
        "--html",
        text(&html),
        "--weather",
        "snowy",
    ]);
    assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
    let report = str::from_utf8(&output.stdout).unwrap();
    for word in ["600 junctions", "ticks/s", "moves/s", "km/h: cars"] {
        assert!(report.contains(word), "{report}");
    }
    let picture = example_program::Picture::read(std::io::BufReader::new(fs::File::open(&png).unwrap())).unwrap();
    // Blue: pedestrians.
    assert!(picture.pixels().iter().filter(|pixel| pixel[2] > 200 && pixel[0] < 150).count() > 100);
    assert!(fs::read(&gif).unwrap().starts_with(b"GIF89a"));
    // The page itself is tested in a browser, with the library.
    assert!(fs::read_to_string(&html).unwrap().starts_with("<!doctype html>"));
}

#[test]
fn networks_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("ring.txt");
    // A ring, and a dead end out of it.
    fs::write(&list, "1 2 50\n2 3 70\n3 1 20\n3 4 30\n").unwrap();
    let output = actors(&["--network", text(&list), "--actors", "100", "--ticks", "50", "--check"]);
    assert!(output.status.success(), "{}", str::from_utf8(&output.stderr).unwrap());
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = here.ancestors().map(|folder| folder.join("shared/data/osm")).find(|folder| folder.is_dir());
    let Some(data) = data else {
        println!("SKIPPED: there is no folder shared/data/osm beside the repository");
        return;
    };
    for file in ["monaco.osm.gz", "aguascalientes.osm.pbf", "west-oakland.osm.bz2", "atlanta-osmnx.graphml.gz"] {
        let output = actors(&["--osm", text(&data.join(file)), "--actors", "2000", "--ticks", "20", "--check"]);
        assert!(output.status.success(), "{file}: {}", str::from_utf8(&output.stderr).unwrap());
    }
}

#[test]
fn bad_input_is_one_line_and_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let list = file("ring.txt", "1 2 50\n2 1 70\n");
    let png = folder.path().join("map.png").to_str().unwrap().to_owned();
    for (args, expected) in [
        (vec!["--network", "no/such/file"], "no/such/file: cannot be read: "),
        (vec!["--network", &file("word.txt", "1 2 3\none 2 3\n")], "word.txt:2: \"one\" is not a node"),
        (vec!["--osm", &file("cut.osm", "<osm>\n<node")], "cut.osm:2: not XML: "),
        (vec!["--osm", &file("empty.osm", "<osm>\n</osm>")], "empty.osm: no streets"),
        (vec!["--network", &list, "--png", &png], "ring.txt: the network's junctions have no positions"),
        (vec!["--threads", "65535"], "--threads 65535: at most 1024"),
    ] {
        let output = actors(&args);
        let message = str::from_utf8(&output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(expected) && message.lines().count() == 1, "{message}");
    }
    assert!(!Path::new(&png).exists());
    for args in [
        &["--weather", "foggy"][..],
        &["--actors", "0"],
        &["--actors", "many"],
        &["--city", "atlantis"],
        &["--place", "moon"],
        &["--gpu", "--place", "host"],
        &["--city", "small", "--network", "x"],
    ] {
        assert_eq!(actors(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn files_are_opened_before_the_work() {
    for option in ["--png", "--gif", "--html", "--csv"] {
        let output = actors(&["--actors", "10000000", "--ticks", "1000000", option, "no/such/folder/file"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let message = str::from_utf8(&output.stderr).unwrap();
        assert!(message.starts_with("actors: cannot write no/such/folder/file: "), "{message}");
    }
}

#[test]
fn without_a_gpu_it_says_so() {
    let output = without_driver(&["--gpu", "--city", "blocks", "--actors", "10", "--ticks", "1"]);
    assert_eq!(output.status.code(), Some(3));
    let error = str::from_utf8(&output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains("no GPU") || error.contains("without device code"), "{error}");
}

#[test]
fn host_and_gpu_agree_to_the_last_digit() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(log(folder.path(), "host", &[]), log(folder.path(), "gpu", &["--gpu"]));
}
