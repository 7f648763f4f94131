//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

#[path = "../../streets/tests/browser/mod.rs"]
mod browser;
#[path = "../../streets/tests/extracts/mod.rs"]
mod extracts;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{fs, str};

fn traffic(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_traffic"));
    let is_for_gpu = args.iter().any(|arg| arg.contains("gpu")) && option_env!("IKRA_DEVICE_CODE").is_some();
    let program = if is_for_gpu { ikra_test_gpu::choose(&mut program) } else { &mut program };
    program.args(args).output().unwrap()
}

/// The same on a machine without a driver.
fn without_driver(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_traffic"));
    program.args(args).env("IKRA_DRIVER", "/nowhere/libcuda.so.1").output().unwrap()
}

/// What the program says where all goes well.
fn report(args: &[&str]) -> String {
    let output = traffic(args);
    assert!(output.status.success(), "{args:?}: {}", str::from_utf8(&output.stderr).unwrap());
    String::from_utf8(output.stdout).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The rows of a table of numbers with this header.
fn rows<const N: usize>(table: &str, header: &str) -> Vec<[f64; N]> {
    assert_eq!(table.lines().next(), Some(header));
    let row = |line: &str| {
        let values: Vec<f64> = line.split(',').map(|value| value.parse().unwrap()).collect();
        values.try_into().unwrap()
    };
    table.lines().skip(1).map(row).collect()
}

/// The log of a run in a made-up city.
fn log(folder: &Path, name: &str, args: &[&str]) -> String {
    let csv = folder.join(name);
    let fixed = ["--city", "blocks", "--cars", "500", "--steps", "60", "--check", "--csv", text(&csv)];
    report(&[&fixed[..], args].concat());
    fs::read_to_string(csv).unwrap()
}

#[test]
fn what_all_cars_do() {
    let folder = tempfile::tempdir().unwrap();
    let header = "step,mean_kmh,deviation_kmh,stopped,flow_per_hour,density_per_km";
    let rows = rows::<6>(&log(folder.path(), "log.csv", &[]), header);
    assert_eq!(rows.len(), 60);
    for (n, [step, mean, deviation, stopped, flow, density]) in (1..).zip(rows.iter().copied()) {
        assert_eq!((step, density), (f64::from(n), rows[0][5]));
        assert!((0.0..200.0).contains(&mean) && deviation >= 0.0 && (0.0..=1.0).contains(&stopped));
        // Cars per hour are cars per kilometre times kilometres per hour.
        assert!((flow - density * mean).abs() < 1e-6 * flow.max(1.0), "{flow} {density} {mean}");
    }
    // From rest all accelerate.
    assert!(rows[0][1] < 20.0 && rows[10][1] > 25.0, "{rows:?}");
}

#[test]
fn results_depend_on_the_seed_and_not_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let logs = ["1", "2", "5"].map(|threads| log(folder.path(), threads, &["--threads", threads]));
    assert_eq!(logs[0], logs[1]);
    assert_eq!(logs[0], logs[2]);
    for other in [["--seed", "43"], ["--randomisation", "0"], ["--cell-length", "7.5"]] {
        assert!(logs[0] != log(folder.path(), "other", &other), "{other:?}");
    }
    // In one piece, or step by step.
    let ends = [&["--steps", "60"][..], &["--steps", "60", "--check"]].map(|more| {
        let report = report(&[&["--city", "blocks", "--cars", "500"][..], more].concat());
        report.lines().find(|line| line.contains("km/h")).unwrap().to_owned()
    });
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn what_is_exported_is_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("blocks.traffic");
    let log = log(folder.path(), "log.csv", &["--export", text(&file)]);
    let mut traffic = traffic::Traffic::import(fs::File::open(&file).unwrap()).unwrap();
    assert_eq!((traffic.steps(), traffic.cars().len()), (0, 500));
    traffic.step(ikra::Place::Host, 60).unwrap();
    let statistics = traffic.statistics(ikra::Place::Host).unwrap();
    let mean = traffic.parameters().kilometres_per_hour(statistics.mean_velocity);
    assert!(log.lines().last().unwrap().starts_with(&format!("60,{mean},")), "{mean}");
}

#[test]
fn smart_lights_are_faster() {
    let speeds = ["smart", "round-robin"].map(|lights| {
        let report = report(&["--city", "small", "--cars", "500", "--steps", "200", "--lights", lights]);
        let line = report.lines().find(|line| line.contains("km/h")).unwrap();
        line.split(' ').next().unwrap().parse::<f64>().unwrap()
    });
    assert!(speeds[0] > speeds[1] && speeds[1] > 10.0, "{speeds:?}");
}

#[test]
fn pictures() {
    let folder = tempfile::tempdir().unwrap();
    let [png, gif] = ["map.png", "run.gif"].map(|name| folder.path().join(name));
    let args = ["--city", "small", "--cars", "2000", "--steps", "9", "--png", text(&png), "--gif", text(&gif)];
    let report = report(&args);
    for word in ["600 junctions", "cells", "2000 cars", "steps/s", "car updates/s", "km/h"] {
        assert!(report.contains(word), "{report}");
    }
    let picture = example_program::Picture::read(std::io::BufReader::new(fs::File::open(&png).unwrap())).unwrap();
    let count = |is: fn(&[u8; 3]) -> bool| picture.pixels().iter().filter(|pixel| is(pixel)).count();
    // Cars that drive are yellow, those that stand red, lights green.
    let counts = [
        count(|&[red, green, _]| red > 240 && (130..220).contains(&green)),
        count(|&[red, green, blue]| red > 240 && (50..70).contains(&green) && (40..60).contains(&blue)),
        count(|&[red, green, blue]| red < 60 && green > 200 && (120..160).contains(&blue)),
    ];
    assert!(counts[0] > 2000 && counts[1] > 100 && counts[2] > 100, "{counts:?}");
    assert!(fs::read(&gif).unwrap().starts_with(b"GIF89a"));
}

/// Goes from the first to the last picture, and nearer.
const VISITOR: &str = r#"
const pixels = () => { const s = document.getElementById("map"); return s.getContext("2d").getImageData(0, 0, s.width, s.height).data; };
const differ = (a, b) => { let n = 0; for (let k = 0; k < a.length; k += 4) n += a[k] !== b[k] || a[k + 1] !== b[k + 1]; return n; };
(async () => {
  const page = document.documentElement, map = document.getElementById("map"), time = document.getElementById("time");
  await until(() => page.dataset.ready === "yes" && Number(page.dataset.frame) > 0);
  const at = value => { time.value = value; time.dispatchEvent(new Event("input")); };
  at(0); const first = pixels(), dots = page.dataset.drawn;
  at(time.max); const last = pixels(), clock = document.getElementById("clock").textContent;
  map.dispatchEvent(new WheelEvent("wheel", { deltaY: -900, clientX: 400, clientY: 300, cancelable: true })); await drawn();
  say({ frames: page.dataset.frames, title: document.title, dots, clock, moved: differ(first, last), zoomed: differ(last, pixels()) });
})();
"#;

#[test]
fn a_browser_plays_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("run.html");
    let report = report(&["--city", "blocks", "--cars", "200", "--steps", "40", "--html", text(&html)]);
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.starts_with("<!doctype html>") && !page.contains("src=") && !page.contains("http"));
    let Some(browser) = browser::find() else { return };
    let said = browser::visit(&browser, &page, VISITOR);
    assert_eq!(said.get("error"), None);
    // The start, and 40 steps of a second.
    assert_eq!((&*said["frames"], &*said["clock"]), ("41", "40 s"));
    assert_eq!(said["title"], "Traffic in a made-up city");
    assert!(report.contains("200 cars") && said["dots"].parse::<u32>().unwrap() >= 200, "{said:?}");
    assert!(said["moved"].parse::<u32>().unwrap() > 500 && said["zoomed"].parse::<u32>().unwrap() > 2000, "{said:?}");
}

#[test]
fn the_fundamental_diagram() {
    let folder = tempfile::tempdir().unwrap();
    let [svg, csv] = ["ring.svg", "ring.csv"].map(|name| folder.path().join(name));
    let ring = |more: &[&str]| {
        let fixed = ["ring", "--cells", "300", "--densities", "20", "--steps", "500", "--csv", text(&csv)];
        report(&[&fixed[..], more].concat());
        rows::<4>(&fs::read_to_string(&csv).unwrap(), "density,flow,velocity,stopped")
    };
    // Without dawdling the flow is known: nobody is in the way, or each gap is a car's way.
    for [density, flow, velocity, _] in ring(&["--randomisation", "0"]) {
        let expected = (5.0 * density).min(1.0 - density);
        assert!((flow - expected).abs() < 1e-9 && (flow - density * velocity).abs() < 1e-9, "{density}: {flow}");
    }
    // With it: in free flow each car loses 0.2 cells per step, and jams grow with the density.
    let rows = ring(&["--svg", text(&svg)]);
    let best = rows.iter().map(|row| row[1]).fold(0.0, f64::max);
    let peak = rows.iter().position(|row| row[1] == best).unwrap();
    assert!((0.06..0.2).contains(&rows[peak][0]) && (0.4..0.7).contains(&best), "{rows:?}");
    for row in rows.iter().filter(|row| row[0] < 0.05) {
        assert!((row[2] - 4.8).abs() < 0.05 && row[3] < 0.02, "{row:?}");
    }
    let jams = &rows[rows.iter().position(|row| row[0] > 0.25).unwrap()..];
    assert!(
        jams.len() > 5 && jams.windows(2).all(|pair| pair[1][1] < pair[0][1] && pair[1][3] > pair[0][3]),
        "{jams:?}"
    );
    let drawing = fs::read_to_string(&svg).unwrap();
    for word in ["<svg", "free flow", "jams", "density, cars per cell"] {
        assert!(drawing.contains(word), "{word}");
    }
    assert_eq!(drawing.matches("<circle").count(), rows.len() + 1, "the peak belongs to both branches");
}

#[test]
fn networks_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("ring.txt");
    // A ring, and a dead end out of it, in which cars come back elsewhere.
    fs::write(&list, "1 2 50\n2 3 70\n3 1 20\n3 4 30\n").unwrap();
    assert!(report(&["--osm", text(&list), "--cars", "20", "--steps", "200", "--check"]).contains("34 cells"));
    // As many cars as there is room for.
    report(&["--osm", text(&list), "--cars", "34", "--steps", "20", "--check"]);
    let Some(folder) = extracts::folder() else { return };
    for file in [
        "aguascalientes.osm.pbf",
        "andorra.osm.pbf",
        "atlanta-osmnx.graphml.gz",
        "berlin-siegessaeule.osm.gz",
        "monaco.osm.gz",
        "west-oakland.osm.bz2",
    ] {
        let report = report(&["--osm", text(&folder.join(file)), "--steps", "30", "--check"]);
        assert!(report.contains("all rules hold after each step"), "{file}: {report}");
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
    let footway = "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1.001' lon='1'/>
        <way id='7'><nd ref='1'/><nd ref='2'/><tag k='highway' v='footway'/></way></osm>";
    for (args, expected) in [
        (vec!["--osm", "no/such/file"], "no/such/file: cannot be read: "),
        (vec!["--osm", &file("word.txt", "1 2 3\none 2 3\n")], "word.txt:2: \"one\" is not a node"),
        (vec!["--osm", &file("cut.osm", "<osm>\n<node")], "cut.osm:2: not XML: "),
        (vec!["--osm", &file("empty.osm", "<osm>\n</osm>")], "empty.osm: no streets"),
        (vec!["--osm", &file("footway.osm", footway)], "footway.osm: there is no street that cars may use"),
        (
            vec!["--osm", &file("long.txt", &"1 2 9e6\n".repeat(600))],
            "long.txt: the streets have 1080000000 cells of 5 m",
        ),
        (vec!["--osm", &list, "--cars", "25"], "25 cars do not fit: there are 24 cells"),
        (vec!["--osm", &list, "--png", &png], "ring.txt: the network's junctions have no positions"),
        (vec!["--threads", "65535"], "--threads 65535: at most 1024"),
        (
            vec!["--osm", &list, "--png", &png, "--csv", &png],
            "map.png: something else is to be written there: another option",
        ),
        (vec!["ring", "--svg", &png, "--csv", &png], "map.png: something else is to be written there: another option"),
    ] {
        let output = traffic(&args);
        let message = str::from_utf8(&output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(expected) && message.lines().count() == 1, "{message}");
    }
    assert!(!Path::new(&png).exists());
    for args in [
        &["--cars", "0"][..],
        &["--cars", "many"],
        &["--city", "atlantis"],
        &["--randomisation", "1.5"],
        &["--randomisation", "NaN"],
        &["--cell-length", "0"],
        &["--lights", "blue"],
        &["--place", "moon"],
        &["--gpu", "--place", "host"],
        &["--city", "small", "--osm", "x"],
        &["ring", "--cells", "1"],
        &["ring", "--max-velocity", "0"],
    ] {
        assert_eq!(traffic(args).status.code(), Some(2), "{args:?}");
    }
}

/// Under each limit of memory: a run, or a line that says what to ask less of. The system ends a program by a signal if an
/// allocation fails.
#[test]
fn too_little_memory_is_one_line_and_code_2() {
    let limited = |megabytes: u32, args: &[&str]| {
        let script = format!("ulimit -v {} && exec \"$@\"", megabytes * 1024);
        let program = env!("CARGO_BIN_EXE_traffic");
        Command::new("sh").args(["-c", &script, "sh", program]).args(args).output().unwrap()
    };
    if !limited(8000, &["--help"]).status.success() {
        println!("SKIPPED: memory cannot be limited");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let list = file("long.txt");
    fs::write(&list, (0..50_000).map(|n| format!("{n} {} 50\n", n + 1)).collect::<String>()).unwrap();
    let [png, gif, html] = ["map.png", "run.gif", "run.html"].map(file);
    let all = ["--city", "small", "--steps", "2", "--check", "--png", &png, "--gif", &gif, "--html", &html];
    let network = ["--osm", &list, "--cell-length", "1", "--steps", "1"];
    let city = ["--city", "denver"];
    let mut said = String::new();
    let mut runs = 0;
    for (args, limits) in
        [(&city[..], &[60][..]), (&network, &[22, 26, 30, 50, 70, 100, 150, 4000]), (&all, &[30, 100, 200, 4000])]
    {
        for &megabytes in limits {
            let output = limited(megabytes, &[args, &["--threads", "2"]].concat());
            let message = str::from_utf8(&output.stderr).unwrap();
            let expected = if output.status.success() { (Some(0), 0) } else { (Some(2), 1) };
            assert_eq!(
                (output.status.code(), message.lines().count()),
                expected,
                "{megabytes} MB: {args:?}: {message}"
            );
            said.push_str(message);
            runs += usize::from(output.status.success());
        }
    }
    for words in ["choose a smaller --city", "take fewer cars", "choose a smaller area", "leave out --check, --gif"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(runs >= 2, "{said}");
}

#[test]
fn files_are_opened_before_the_work() {
    for option in ["--png", "--gif", "--html", "--csv", "--export"] {
        let output = traffic(&["--city", "denver", "--steps", "1000000", option, "no/such/folder/file"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let message = str::from_utf8(&output.stderr).unwrap();
        assert!(message.starts_with("traffic: cannot write no/such/folder/file: "), "{message}");
    }
}

#[test]
fn a_reader_that_is_gone_is_one_line_and_code_1() {
    for args in
        [&["--city", "blocks", "--cars", "5", "--steps", "1"][..], &["ring", "--cells", "10", "--densities", "2"]]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_traffic"));
        let mut program = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(program.stdout.take());
        let output = program.wait_with_output().unwrap();
        let message = str::from_utf8(&output.stderr).unwrap();
        assert!(message.starts_with("traffic: cannot write standard output: "), "{message}");
        assert_eq!((output.status.code(), message.lines().count()), (Some(1), 1));
    }
}

#[test]
fn without_a_gpu_it_says_so() {
    for args in [&["--gpu", "--city", "blocks", "--cars", "10", "--steps", "1"][..], &["ring", "--gpu", "--steps", "1"]]
    {
        let output = without_driver(args);
        assert_eq!(output.status.code(), Some(3));
        let error = str::from_utf8(&output.stderr).unwrap();
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains("no GPU") || error.contains("without device code"), "{error}");
    }
}

#[test]
fn host_and_gpu_agree_to_the_last_digit() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(log(folder.path(), "host", &[]), log(folder.path(), "gpu", &["--gpu"]));
}
