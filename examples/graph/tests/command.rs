//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{fs, str};

use example_program::Picture;
use flate2::Compression;
use flate2::write::GzEncoder;

fn program(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_graph")).args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs the program on a file with this text, which must fail, and returns the message.
fn message(name: &str, contents: &[u8], args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, contents).unwrap();
    let output = program(&[&["--graph", text(&path)], args].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let message = str::from_utf8(&output.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    message.trim_end().replace(text(folder.path()), "DIR")
}

#[test]
fn a_made_up_network_is_searched_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (png, csv) = (folder.path().join("out.png"), folder.path().join("out.csv"));
    for variant in ["vertex", "edge", "direction", "worklist"] {
        let args = ["--vertices", "20000", "--threads", "2", "--check", "--variant", variant];
        let output = program(&[&args[..], &["--png", text(&png), "--csv", text(&csv)]].concat());
        assert!(output.status.success(), "{output:?}");
        let report = str::from_utf8(&output.stdout).unwrap();
        for words in ["20000 vertices, 56682 edges, 2.83 per vertex", "the same distances as by a sequential search"] {
            assert!(report.contains(words), "{report}");
        }
        let picture = Picture::read(BufReader::new(fs::File::open(&png).unwrap())).unwrap();
        assert!(picture.pixels().iter().filter(|pixel| pixel[2] > 60).count() > 15_000);
        let levels = fs::read_to_string(&csv).unwrap();
        assert_eq!((levels.lines().count(), levels.lines().nth(1)), (20_001, Some("0,0")));
    }
}

#[test]
fn real_graphs() {
    let graphs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/graphs");
    if !graphs.is_dir() {
        println!("SKIPPED: {} is not there", graphs.display());
        return;
    }
    for (file, source, extra, words) in [
        ("andorra-roads.txt.gz", "0", None, "31860 edges"),
        ("facebook-combined.txt.gz", "0", Some("--undirected"), "4039 vertices, 176468 edges"),
        ("wiki-vote.txt.gz", "30", None, "7115 vertices, 103689 edges"),
    ] {
        for variant in ["vertex", "edge", "direction", "worklist"] {
            let graph = graphs.join(file);
            let args = ["--graph", text(&graph), "--source", source, "--check", "--variant", variant];
            let output = program(&[&args[..], extra.as_slice()].concat());
            assert!(output.status.success(), "{file}: {output:?}");
            assert!(str::from_utf8(&output.stdout).unwrap().contains(words), "{output:?}");
        }
    }
}

/// The algorithms, and the words of a check that succeeds.
const CHECKS: [(&str, &str); 4] = [
    ("bfs", "the same distances as by a sequential search"),
    ("components", "the same components as by a sequential union of sets"),
    ("pagerank", "the same ranks as by a sequential program"),
    ("sssp", "the same distances as by Dijkstra's algorithm"),
];

#[test]
fn all_algorithms_answer_on_roads_and_among_friends() {
    let graphs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/graphs");
    let friends = graphs.join("facebook-combined.txt.gz");
    let mut inputs = vec![vec!["--vertices", "5000"]];
    if friends.is_file() {
        inputs.push(vec!["--graph", text(&friends), "--undirected"]);
    }
    let folder = tempfile::tempdir().unwrap();
    let png = folder.path().join("out.png");
    for input in &inputs {
        for (algorithm, words) in CHECKS {
            for variant in ["vertex", "edge"] {
                let args = ["--algorithm", algorithm, "--variant", variant, "--check", "--png", text(&png)];
                let output = program(&[&input[..], &args].concat());
                assert!(output.status.success(), "{output:?}");
                assert!(str::from_utf8(&output.stdout).unwrap().contains(words), "{output:?}");
                let picture = Picture::read(BufReader::new(fs::File::open(&png).unwrap())).unwrap();
                assert!(picture.pixels().iter().any(|pixel| *pixel != picture.pixels()[0]), "{algorithm}");
            }
        }
    }
}

#[test]
fn results_are_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (path, csv) = (folder.path().join("graph"), folder.path().join("out.csv"));
    fs::write(&path, "10 20\n20 50\n70 80\n").unwrap();
    let rows = |algorithm| {
        let args = ["--graph", text(&path), "--source", "10", "--algorithm", algorithm, "--csv", text(&csv)];
        let output = program(&args);
        assert!(output.status.success(), "{output:?}");
        fs::read_to_string(&csv).unwrap()
    };
    assert_eq!(rows("components"), "vertex,component\n10,10\n20,10\n50,10\n70,70\n80,70\n");
    let distances = rows("sssp");
    let cells: Vec<_> = distances.lines().skip(1).map(|line| line.split_once(',').unwrap().1).collect();
    let lengths: Vec<u32> = cells[..3].iter().map(|cell| cell.parse().unwrap()).collect();
    assert!(lengths[0] == 0 && 0 < lengths[1] && lengths[1] < lengths[2] && lengths[2] <= 510, "{distances}");
    assert_eq!(cells[3..], ["", ""]);
    let ranks = rows("pagerank");
    let sum: f64 = ranks.lines().skip(1).map(|line| line.split_once(',').unwrap().1.parse::<f64>().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{ranks}");
}

#[test]
fn compressed_files_and_names_with_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let (path, csv) = (folder.path().join("graph"), folder.path().join("out.csv"));
    let mut file = GzEncoder::new(fs::File::create(&path).unwrap(), Compression::fast());
    file.write_all(b"# FROM TO\n10 20\n20 50\n50 10\n99 10\n").unwrap();
    file.finish().unwrap();
    let output = program(&["--graph", text(&path), "--source", "20", "--csv", text(&csv)]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_to_string(&csv).unwrap(), "vertex,distance\n10,2\n20,0\n50,1\n99,\n");
}

#[test]
fn mistakes_are_one_line_and_code_2() {
    assert_eq!(message("g", b"0 1\n1 2 3\n", &[]), "graph: DIR/g:2: 3 values instead of 2: a line is an edge, FROM TO");
    assert_eq!(
        message("g", b"# a\n0 one\n", &[]),
        "graph: DIR/g:2: \"one\" is not a vertex: vertices are numbers from 0 to 2⁶⁴ − 1"
    );
    assert_eq!(
        message("g.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n", &[]),
        "graph: DIR/g.mtx:3: 3 is out of range: rows and columns go from 1 to 2"
    );
    assert_eq!(message("g", b"", &[]), "graph: DIR/g: no edges; a line is an edge, FROM TO");
    assert_eq!(message("g", b"0 1\n", &["--source", "2"]), "graph: there is no vertex 2: the graph's go from 0 to 1");
    assert_eq!(
        message("g", b"5 9\n", &["--source", "7"]),
        "graph: there is no vertex 7: the graph's go from 5 to 9, perhaps with gaps"
    );
    let mut truncated = GzEncoder::new(Vec::new(), Compression::fast());
    truncated.write_all(b"0 1\n1 2\n").unwrap();
    let truncated = truncated.finish().unwrap();
    assert!(message("g.gz", &truncated[..truncated.len() - 9], &[]).starts_with("graph: DIR/g.gz: cannot be read: "));

    let missing = program(&["--graph", text(&PathBuf::from("no/such/file"))]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(str::from_utf8(&missing.stderr).unwrap().starts_with("graph: no/such/file: cannot be read: "));
    for wrong in [
        &["--vertices", "0"][..],
        &["--variant", "sideways"],
        &["--variant", "direction", "--algorithm", "sssp"],
        &["--variant", "worklist", "--algorithm", "pagerank"],
        &["--algorithm", "colours"],
        &["--iterations", "0"],
        &["--place", "moon"],
        &["--undirected"],
        &["--source", "-1"],
    ] {
        assert_eq!(program(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn input_without_an_end_is_refused() {
    for (args, expected) in [
        (["--graph", "/dev/zero"], "graph: /dev/zero: cannot be read: not a text\n"),
        (["--threads", "65535"], "graph: --threads 65535: at most 1024\n"),
    ] {
        if args[0] == "--graph" && !Path::new(args[1]).exists() {
            continue;
        }
        let output = program(&args);
        assert_eq!((output.status.code(), str::from_utf8(&output.stderr).unwrap()), (Some(2), expected));
    }
}

#[test]
fn headers_that_promise_too_much_cost_nothing() {
    let header = "%%MatrixMarket matrix coordinate pattern general\n";
    for (rows, rest, expected) in [
        ("4294967294 4294967294 1", "1 2\n", "4294967294 vertices are too many for 1 entries"),
        ("4294967294 4294967294 0", "", "4294967294 vertices are too many for 0 entries"),
        ("4294967295 4294967295 1", "1 2\n", "4294967295 vertices and 1 edges are too many"),
        ("3 3 2147483646", "1 2\n", "1 entries instead of the 2147483646 of the header"),
        ("18446744073709551615 18446744073709551615 1", "1 2\n", "18446744073709551615 vertices and 1 edges"),
    ] {
        let found = message("g.mtx", format!("{header}{rows}\n{rest}").as_bytes(), &[]);
        assert!(found.contains(expected), "{found}");
    }
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..300 {
        bomb.write_all(&[b'\n'; 1 << 20]).unwrap();
    }
    let found = message("g.gz", &bomb.finish().unwrap(), &[]);
    assert!(found.contains("more than 100 times"), "{found}");
    // Names of vertices are only names.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge");
    fs::write(&path, "18446744073709551615 18446744073709551614\n").unwrap();
    let output = program(&["--graph", text(&path), "--source", "18446744073709551615", "--check"]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn files_are_opened_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.csv");
    fs::write(&old, "kept").unwrap();
    let new = folder.path().join("new.png");
    for option in ["--png", "--csv"] {
        let output = program(&["--vertices", "99999999", option, "no/such/folder/out"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let message = str::from_utf8(&output.stderr).unwrap();
        assert!(message.starts_with("graph: cannot write no/such/folder/out: "), "{message}");
        assert_eq!((message.lines().count(), output.stdout.len()), (1, 0), "{output:?}");
    }
    let output = program(&["--graph", "no/such/file", "--csv", text(&old), "--png", text(&new)]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(fs::read_to_string(&old).unwrap(), "kept");
    assert!(!new.exists());
}

#[test]
fn without_a_gpu_it_says_so() {
    for place in [&["--gpu"][..], &["--place", "gpu:1"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_graph"))
            .args([&["--vertices", "100"], place].concat())
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
    // The search goes through many levels; the emulator would take long for the others on as many vertices.
    for (algorithm, variant, vertices) in [
        ("bfs", "vertex", "3000"),
        ("bfs", "edge", "300"),
        ("components", "vertex", "300"),
        ("components", "edge", "300"),
        ("pagerank", "vertex", "300"),
        ("pagerank", "edge", "300"),
        ("sssp", "vertex", "300"),
        ("sssp", "edge", "300"),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_graph"));
        let args = ["--algorithm", algorithm, "--variant", variant, "--vertices", vertices, "--iterations", "5"];
        let output = ikra_test_gpu::choose(&mut program).args(args).args(["--check", "--gpu"]).output().unwrap();
        assert!(output.status.success(), "{algorithm} {variant}: {}", str::from_utf8(&output.stderr).unwrap());
    }
}
