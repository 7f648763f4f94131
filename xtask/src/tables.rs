//! Takes tables that a benchmark printed over into docs/performance.md, and those of arrays into the CSV files of its plots.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::run::Outcome;

const DOCUMENT: &str = "docs/performance.md";

/// A table: its lines, of which the second one says how columns are aligned.
type Table<'a> = Vec<&'a str>;

/// Replaces each table of the document that has the same columns as one of the output. Plots name the file, without its ending,
/// as their source: `NVIDIA H200, 2026-11-22.txt`.
pub fn take_over(file: &str) -> Outcome {
    let machine = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let source = format!("{machine}; ikra-traffic-benches");
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let (output, mut document) = (read(file)?, read(DOCUMENT)?);
    let tables = tables(&output);
    if tables.is_empty() {
        return Err(format!("{file}: there is no table"));
    }
    for table in &tables {
        match replaced(&document, table) {
            Some(text) => document = text,
            None => println!("{DOCUMENT} has no table, or several, with the columns {}", table[0]),
        }
        for (path, text) in plots(table, &source)? {
            fs::write(&path, text).map_err(|error| format!("{path}: {error}"))?;
        }
    }
    fs::write(DOCUMENT, document).map_err(|error| format!("{DOCUMENT}: {error}"))
}

fn tables(output: &str) -> Vec<Table<'_>> {
    let lines: Vec<&str> = output.lines().map(str::trim).collect();
    let tables =
        lines.chunk_by(|a, b| a.starts_with('|') == b.starts_with('|')).filter(|lines| lines[0].starts_with('|'));
    tables.filter(|lines| lines.len() > 2 && lines[1].starts_with("| -")).map(<[_]>::to_vec).collect()
}

/// The document with another table in the place of the one that begins alike, if there is one.
fn replaced(document: &str, table: &Table<'_>) -> Option<String> {
    let header = format!("{}\n", table[0]);
    let mut places = document.match_indices(&header).map(|(at, _)| at);
    let (Some(begin), None) = (places.next(), places.next()) else { return None };
    let old: usize =
        document[begin..].split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
    Some(format!("{}{}\n{}", &document[..begin], table.join("\n"), &document[begin + old..]))
}

/// The files for `bench plots` that a table of traffic is the source of: path and text.
fn plots(table: &Table<'_>, source: &str) -> Result<Vec<(String, String)>, String> {
    match table[0] {
        header if header.starts_with("| array (host) |") => arrays(table, "-host", source),
        header if header.starts_with("| array (GPU) |") => arrays(table, "", source),
        header if header.starts_with("| cells | cars | µs per step |") => growth(table, source),
        _ => Ok(Vec::new()),
    }
}

/// What a car's step takes as cities grow.
fn growth(table: &Table<'_>, source: &str) -> Result<Vec<(String, String)>, String> {
    let mut text = format!(
        "# title: Traffic: a step of a car as the city grows\n# unit: ns per car\n# x: cars\n# scale: logarithmic\n\
         # source: {source}\ngroup,variant,series,value\n"
    );
    for line in &table[2..] {
        let row = cells::<7>(line).ok_or_else(|| format!("{source}: a table of growth has seven columns"))?;
        let [_, cars, _, ikra, same, packed, _] = row.map(|cell| cell.replace(',', ""));
        // Nanoseconds of a car in a step, from milliseconds of 1,000 steps with the ratio after them.
        let per_car = |cell: &str| Some(first_number(cell)? * 1e3 / first_number(&cars)?);
        let times =
            [("Ikra", ikra.parse().ok()), ("CUDA, same data", per_car(&same)), ("CUDA, packed", per_car(&packed))];
        for (series, time) in times {
            let time = time.ok_or_else(|| format!("{source}: no time in {line}"))?;
            let _ = writeln!(text, "{cars},,{},{time:.4}", series.replace(',', ""));
        }
    }
    Ok(vec![("docs/traffic-growth.csv".to_owned(), text)])
}

fn first_number(cell: &str) -> Option<f64> {
    cell.split(' ').next()?.parse().ok()
}

/// The times and the memory of a table of arrays (INNER Fig. 11): all arrays inlined is a bar of each group.
fn arrays(table: &Table<'_>, machine: &str, source: &str) -> Result<Vec<(String, String)>, String> {
    let rows: Option<Vec<[&str; 7]>> = table[2..].iter().map(|line| cells(line)).collect();
    let rows = rows.ok_or_else(|| format!("{source}: a table of arrays has seven columns"))?;
    let head = |title: &str, more: &str| {
        format!(
            "# title: Traffic: {title} (INNER Fig. 11)\n{more}# x: layout and array, elements inlined\n# source: {source}\n"
        ) + "group,variant,series,value\n"
    };
    let mut times = head("a step by the layout of arrays", "# unit: µs\n");
    let mut memory = head("memory of a class by the layout of its array", "# y: memory\n# unit: MB\n");
    let mut figures: Vec<&str> = rows.iter().map(|row| figure(row[0])).filter(|figure| !figure.is_empty()).collect();
    figures.dedup();
    for layout in ["AoS", "SoA"] {
        for &[_, _, _, _, _, inlined, arena] in rows.iter().filter(|row| figure(row[0]).is_empty() && row[2] == layout)
        {
            let _ = write!(memory, "{layout} all,,inlined,{inlined}\n{layout} all,,in the arena,{arena}\n");
        }
    }
    for wanted in figures {
        for layout in ["AoS", "SoA"] {
            // Arrays of any length by the elements inlined, all last; then those of a fixed length.
            let bars = [(wanted, true), ("", false), (wanted, false)].into_iter().flat_map(|wanted| {
                rows.iter()
                    .filter(move |row| row[2] == layout && (figure(row[0]), row[1].parse::<u32>().is_ok()) == wanted)
            });
            for &[_, variant, _, cars, controllers, inlined, arena] in bars {
                let group = format!("{layout} {wanted},{variant}");
                let _ = write!(times, "{group},cars,{cars}\n{group},controllers,{controllers}\n");
                if variant != "all" {
                    let _ = write!(memory, "{group},inlined,{inlined}\n{group},in the arena,{arena}\n");
                }
            }
        }
    }
    // A bar has a height.
    let memory: String = memory.split_inclusive('\n').filter(|line| !line.ends_with(",0.0\n")).collect();
    let path = |what: &str| format!("docs/traffic-arrays{machine}{what}.csv");
    Ok(vec![(path(""), times), (path("-memory"), memory)])
}

/// The cells of a line.
fn cells<const N: usize>(line: &str) -> Option<[&str; N]> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    cells.try_into().ok()
}

/// The letter of an array's figure, in brackets.
fn figure(array: &str) -> &str {
    array.split_once(' ').map_or("", |(first, _)| if first.starts_with('(') { first } else { "" })
}

#[cfg(test)]
mod tests {
    use super::{plots, replaced, tables};

    const OUTPUT: &str =
        "GPU: 5 cells\n\n| array (GPU) | inlined | layout | cars | controllers | MB inlined | in the arena |
| --- | --- | --- | ---: | ---: | ---: | ---: |
| all arrays | all | AoS | 9.1 | 2.0 | 7.5 | 0.0 |
| all arrays | all | SoA | 8.1 | 1.0 | 6.5 | 0.0 |
| (a) Cell::outgoing | 0 | AoS | 9.5 | 2.5 | 3.0 | 1.5 |
| (a) Cell::outgoing | object | SoA | 8.5 | 1.5 | 4.0 | 0.0 |
| (a) Cell::outgoing | 2 | SoA | 8.4 | 1.4 | 4.1 | 0.1 |
done\n";

    #[test]
    fn a_table_takes_the_place_of_the_one_with_its_columns() {
        let tables = tables(OUTPUT);
        assert_eq!((tables.len(), tables[0].len()), (1, 7));
        let header = tables[0][0];
        let document = format!("Before\n\n{header}\n| --- |\n| old | row |\n\nAfter\n");
        assert_eq!(replaced(&document, &tables[0]), Some(format!("Before\n\n{}\n\nAfter\n", tables[0].join("\n"))));
        assert_eq!(replaced("Before\n", &tables[0]), None);
    }

    #[test]
    fn growth_is_a_plot() {
        let header = "| cells | cars | µs per step | ns per car and step | CUDA, same data, ms per 1,000 | CUDA, packed | Ikra, MB |";
        let output =
            format!("{header}\n| ---: |\n| 3,677 | 1,000 | 14.4 | 14.436 | 12.1 (0.84) | 7.5 (0.52) | 0.3 |\n");
        let [(path, text)] = &plots(&tables(&output.replace("| ---: |", "| ---: | ---: |"))[0], "x").unwrap()[..]
        else {
            panic!()
        };
        assert_eq!(path, "docs/traffic-growth.csv");
        let rows =
            "group,variant,series,value\n1000,,Ikra,14.4360\n1000,,CUDA same data,12.1000\n1000,,CUDA packed,7.5000\n";
        assert!(text.ends_with(rows) && text.contains("# scale: logarithmic\n"), "{text}");
    }

    #[test]
    fn arrays_are_plots_of_time_and_memory() {
        let files = plots(&tables(OUTPUT)[0], "output.txt").unwrap();
        let rows =
            |n: usize| files[n].1.lines().skip_while(|line| !line.starts_with("group,")).skip(1).collect::<Vec<_>>();
        assert_eq!((&*files[0].0, &*files[1].0), ("docs/traffic-arrays.csv", "docs/traffic-arrays-memory.csv"));
        let cars: Vec<_> = rows(0).into_iter().filter(|row| row.contains("cars")).collect();
        let expected = [
            "AoS (a),0,cars,9.5",
            "AoS (a),all,cars,9.1",
            "SoA (a),2,cars,8.4",
            "SoA (a),all,cars,8.1",
            "SoA (a),object,cars,8.5",
        ];
        assert_eq!(cars, expected);
        assert_eq!(rows(1).len(), 10 - 3, "without those that are 0");
        assert!(rows(1).contains(&"SoA all,,inlined,6.5") && rows(1).contains(&"AoS (a),0,in the arena,1.5"));
    }
}
