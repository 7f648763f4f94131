//! pyarrow, pandas and polars read what is written, and write what is read.
//!
//! They are looked for in the Python that `IKRA_PYTHON` names, or in `python3`. With `IKRA_REQUIRE_PYTHON=1` the tests
//! fail where they are missing.

use std::path::Path;
use std::process::Command;

use ikra::prelude::*;
use ikra::tables::{Checkpoints, Export, Import, Source, TableWorld};
use ikra_tables_tests::{Car, Folder, Street, Things, Town, street};

/// Runs a program in Python, in this folder. Returns what it prints; `None` without the libraries.
fn python(folder: &Path, program: &str) -> Option<String> {
    let python = std::env::var("IKRA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let run = |program: &str| Command::new(&python).args(["-c", program]).current_dir(folder).output();
    if !run("import pandas, polars, pyarrow").is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("IKRA_REQUIRE_PYTHON").is_none(), "{python} has no pandas, polars and pyarrow");
        println!("SKIPPED: {python} has no pandas, polars and pyarrow: pip install pandas polars pyarrow");
        return None;
    }
    let output = run(program).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn python_reads_what_is_written() {
    let folder = Folder::new();
    Things::of(100).write_parquet(folder.path("things")).unwrap();
    Things::of(100).write_csv(folder.path("things")).unwrap();
    let mut checkpoints = Checkpoints::open(folder.path("things")).unwrap();
    checkpoints.write(&Things::of(100), 7).unwrap();
    checkpoints.wait().unwrap();
    let program = r#"
import glob, pandas, polars, pyarrow.parquet
[saved] = glob.glob("things/step-7-*/Thing.1-of-1.arrow")
for table in (
    pandas.read_feather(saved).to_dict("records"),
    polars.read_ipc(saved).to_dicts(),
    pandas.read_parquet("things/Thing.parquet").to_dict("records"),
    polars.read_parquet("things/Thing.parquet").to_dicts(),
    pyarrow.parquet.read_table("things/Thing.parquet").to_pylist(),
):
    assert len(table) == 100
    for n, row in enumerate(table):
        assert row["tiny"] == n and row["number"] == -n and row["large"] == 2**64 - 1 - n
        assert row["double"] == n / 7 and row["flag"] == (n % 3 == 0)
        assert list(row["pos"]) == [n, polars.Series([-0.1], dtype=polars.Float32)[0]]
        assert [list(pair) for pair in row["matrix"]] == [[n, 1], [2, 3], [4, 5]]
        assert row["colour_red"] == n and list(row["flat_rest"]) == [n, -n]
        assert row["state"] == ("off" if n % 2 == 0 else "on")
        assert row["next"] == (n + 1) % 100
        other = row["other"]
        assert (other is None or other != other) if n % 4 == 0 else other == n * 7 % 100
for table in (pandas.read_csv("things/Thing.csv"), polars.read_csv("things/Thing.csv")):
    assert list(table["pos_0"]) == [float(n) for n in range(100)]
    assert list(table["number"]) == [-n for n in range(100)]
print("read")
"#;
    if let Some(printed) = python(folder.path("").as_path(), program) {
        assert_eq!(printed.trim(), "read");
    }
}

#[test]
fn what_python_writes_is_read() {
    let folder = Folder::new();
    let program = r#"
import pandas, polars
streets = {"name": ["Elm", "Oak", "Fir"], "number": [5, 6, 7], "length": [1.5, 2.0, 3.0], "next": ["Oak", None, "Elm"]}
cars = {"age": [1, 2, 3, 4], "street": ["Fir", "Fir", "Oak", "Elm"]}
pandas.DataFrame(streets).to_parquet("streets-pandas.parquet")
frame = pandas.DataFrame(cars)
frame["street"] = frame["street"].astype("category")
frame.to_parquet("cars-pandas.parquet", compression="gzip")
polars.DataFrame(streets).write_parquet("streets-polars.parquet")
polars.DataFrame(cars).write_parquet("cars-polars.parquet", compression="brotli")
pandas.DataFrame(streets).to_csv("streets-pandas.csv", index=False)
pandas.DataFrame(cars).to_csv("cars-pandas.csv")
polars.DataFrame(streets).write_csv("streets-polars.csv")
polars.DataFrame(cars).write_csv("cars-polars.csv")
rows = pandas.DataFrame({"number": [5, 6, 7], "length": [1, 2, 3], "next": [1, None, 0]})
rows.to_parquet("rows.parquet")
rows.to_csv("rows.csv", index=False)
rows.assign(next=[None] * len(rows)).to_parquet("none.parquet")
print("written")
"#;
    if python(folder.path("").as_path(), program).is_none() {
        return;
    }
    for writer in ["pandas", "polars"] {
        let path = |name: &str, extension: &str| folder.path(&format!("{name}-{writer}.{extension}"));
        let parquet: Town = Import::new()
            .table(Source::<Street>::parquet(path("streets", "parquet")).key("name"))
            .table(Source::<Car>::parquet(path("cars", "parquet")))
            .read()
            .unwrap();
        let csv: Town = Import::new()
            .table(Source::<Street>::csv(path("streets", "csv")).key("name"))
            .table(Source::<Car>::csv(path("cars", "csv")))
            .read()
            .unwrap();
        for town in [parquet, csv] {
            assert_eq!(town.streets.column(street::number), [5, 6, 7]);
            let links: Vec<_> = town.streets.column(street::next).iter().map(|next| next.map(Link::index)).collect();
            assert_eq!(links, [Some(1), None, Some(0)]);
            assert_eq!(town.all::<Car>().map(|car| car.street().number()).collect::<Vec<_>>(), [7, 7, 6, 5]);
        }
    }
    for source in [Source::<Street>::parquet(folder.path("rows.parquet")), Source::csv(folder.path("rows.csv"))] {
        let town: Town = Import::new().table(source).read().unwrap();
        let links: Vec<_> = town.streets.column(street::next).iter().map(|next| next.map(Link::index)).collect();
        assert_eq!(links, [Some(1), None, Some(0)]);
        assert_eq!(town.streets.column(street::length), [1.0, 2.0, 3.0]);
    }
    let none: Town = Import::new().table(Source::<Street>::parquet(folder.path("none.parquet"))).read().unwrap();
    assert_eq!(none.streets.column(street::next), [None; 3]);
}

#[test]
fn large_files_from_python_are_read_in_parallel() {
    let folder = Folder::new();
    let program = r#"
import polars
n = polars.Series(range(300000))
frame = polars.DataFrame({"number": n, "length": n.cast(polars.Float64) / 2, "next": (n + 1) % 300000})
frame.write_parquet("streets.parquet", row_group_size=10000)
print("written")
"#;
    if python(folder.path("").as_path(), program).is_none() {
        return;
    }
    let town: Town = Import::new().table(Source::<Street>::parquet(folder.path("streets.parquet"))).read().unwrap();
    assert!(town.streets.column(street::number).iter().copied().eq(0..300_000));
    assert!(
        town.streets
            .column(street::next)
            .iter()
            .map(|next| next.unwrap().index())
            .eq((0..300_000).map(|n| (n + 1) % 300_000))
    );
    Export::of(&town).parquet_of::<Street>(folder.path("again.parquet")).unwrap();
    let equal = "import polars; a, b = (polars.read_parquet(f) for f in ('streets.parquet', 'again.parquet')); assert (a['number'] == b['number']).all() and (a['next'] == b['next']).all(); print('equal')";
    assert_eq!(python(folder.path("").as_path(), equal).as_deref().map(str::trim), Some("equal"));
}
