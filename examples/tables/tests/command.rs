//! The program as a user runs it.
#![allow(missing_docs, reason = "a test, not a library")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn tables(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tables")).args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The standard output of a run that succeeds.
#[track_caller]
fn report(args: &[&str]) -> String {
    let output = tables(args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The message of a run that fails with this code.
#[track_caller]
fn message(args: &[&str], code: i32) -> String {
    let output = tables(args);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn countries_by_their_borders() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("ranks.csv");
    let report = report(&["--check", "--top", "1", "--output", text(&output)]);
    assert!(report.contains("13 vertices and 50 edges"), "{report}");
    assert!(report.contains("the same ranks as by a sequential program\n76: 0.18"), "{report}");
    let written = fs::read_to_string(&output).unwrap();
    assert_eq!(written.lines().next(), Some("id,rank,out"));
    let ranks = written.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse::<f64>().unwrap());
    assert_eq!(ranks.clone().count(), 13);
    assert!((ranks.sum::<f64>() - 1.0).abs() < 1e-6);
}

#[test]
fn parquet_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let edges = folder.path().join("edges.csv");
    let lines: String = (0..5000_u64).map(|n| format!("{},{}\n", n * n % 701 * 10, n * 7 % 997 * 10)).collect();
    fs::write(&edges, format!("a,b\n{lines}")).unwrap();
    let (csv, parquet) = (folder.path().join("v.csv"), folder.path().join("v.parquet"));
    let args = ["--input", text(&edges), "--from", "a", "--to", "b", "--check", "--iterations", "20"];
    let first = report(&[&args[..], &["--output", text(&parquet)]].concat());
    // The vertices of the first run are a table for the second.
    let second =
        report(&[&args[..], &["--vertices", text(&parquet), "--output", text(&csv), "--threads", "2"]].concat());
    let ranks = |report: &str| report.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(ranks(&first), ranks(&second));
    let list = folder.path().join("edges.txt");
    fs::write(&list, format!("# FROM TO\n{}", lines.replace(',', "\t"))).unwrap();
    let third = report(&["--input", text(&list), "--check", "--iterations", "20", "--vertices", text(&csv)]);
    assert_eq!(ranks(&first), ranks(&third));
}

#[test]
fn real_graphs() {
    let graphs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/graphs");
    if !graphs.is_dir() {
        println!("SKIPPED: {} is not there", graphs.display());
        return;
    }
    for (file, words) in [
        ("andorra-roads.txt.gz", "31860 edges"),
        ("facebook-combined.txt.gz", "4039 vertices and 88234 edges"),
        ("wiki-vote.txt.gz", "7115 vertices and 103689 edges"),
    ] {
        let report = report(&["--input", text(&graphs.join(file)), "--check"]);
        assert!(report.contains(words) && report.contains("the same ranks"), "{report}");
    }
}

#[test]
fn mistakes_are_one_line_and_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, contents: &str| {
        let path = folder.path().join(name);
        fs::write(&path, contents).unwrap();
        path
    };
    let read = |path: &Path| message(&["--input", text(path)], 2);
    assert!(read(&folder.path().join("none.csv")).contains("none.csv: No such file"));
    assert!(read(&file("a.csv", "x,y\n1,2\n")).contains("no column `from`"));
    assert!(read(&file("b.csv", "from,to\n1,x\n-1,2\n")).contains("row 0, column `to`: `x` is no u64"));
    assert!(read(&file("c.parquet", "from,to\n")).contains("cannot be read"));
    assert!(read(&file("d.txt", "1 2\n\n3\n")).contains("d.txt:3: a line is an edge, FROM TO"));
    assert!(read(&file("e.gz", "\x1f\u{8b}")).contains("e.gz"));
    let vertices = file("v.csv", "id\n1\n2\n2\n");
    let edges = file("edges.csv", "from,to\n1,2\n7,1\n");
    let both = message(&["--input", text(&edges), "--vertices", text(&vertices)], 2);
    assert!(both.contains("row 2, column `id`: key `2` is that of row 1 too"), "{both}");
    assert!(
        both.contains("row 1, column `from`: no Vertex has the key `7`") || both.contains("no Vertex has the key 7"),
        "{both}"
    );
    let list = file("edges.txt", "1 2\n7 1\n");
    let vertices = file("w.csv", "id\n1\n2\n");
    assert!(
        message(&["--input", text(&list), "--vertices", text(&vertices)], 2).contains("edge 7 1: an end is no vertex")
    );
    assert!(message(&["--output", "ranks.txt"], 2).contains("ends with .parquet or .csv"));
    assert_eq!(tables(&["--iterations", "0"]).status.code(), Some(2));
    assert_eq!(tables(&["--vertices", "v.csv"]).status.code(), Some(2));
    let missing = folder.path().join("no/such/folder/ranks.csv");
    assert!(message(&["--output", text(&missing)], 1).contains("check that the path is right"));
}

#[test]
fn graphs_without_edges() {
    let folder = tempfile::tempdir().unwrap();
    let edges = folder.path().join("edges.csv");
    fs::write(&edges, "from,to\n").unwrap();
    assert!(report(&["--input", text(&edges), "--check"]).contains("0 vertices and 0 edges"));
}
