//! Copies the tables that a benchmark printed into docs/performance.md and its notes, and into the CSV files of their
//! plots.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::run::Outcome;

/// The documents with tables. If two documents have the same table, the first one is updated.
const DOCUMENTS: [&str; 6] = [
    "docs/performance.md",
    "docs/notes/tables.md",
    "docs/notes/dispatch.md",
    "docs/notes/traffic-arrays.md",
    "docs/notes/commands.md",
    "docs/notes/workloads.md",
];

/// The lines of a table; the second line sets the alignment of its columns.
type Table<'a> = Vec<&'a str>;

/// Replaces each table of the documents that has the same columns as a table of the output. Further columns of a
/// document come from elsewhere, and stay. Plots name the file, without its extension, as their source: `NVIDIA H200,
/// 2026-11-22.txt`.
pub fn take_over(file: &str) -> Outcome {
    let machine = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let output = read(file)?;
    let mut documents = DOCUMENTS.iter().map(|&path| Ok((path, read(path)?))).collect::<Result<Vec<_>, String>>()?;
    let tables = tables(&output);
    if tables.is_empty() {
        return Err(format!("{file}: there is no table"));
    }
    for table in &tables {
        let mut texts = documents.iter_mut().map(|(_, text)| text);
        let found = texts.find_map(|text| replaced(text, table).map(|new| *text = new));
        if found.is_none() {
            println!("no document has exactly one table with the columns {}", table[0]);
        }
        for (path, text) in plots(table, &machine)? {
            fs::write(&path, text).map_err(|error| format!("{path}: {error}"))?;
        }
    }
    documents.iter().try_for_each(|(path, text)| fs::write(path, text).map_err(|error| format!("{path}: {error}")))
}

fn tables(output: &str) -> Vec<Table<'_>> {
    let lines: Vec<&str> = output.lines().map(str::trim).collect();
    let tables =
        lines.chunk_by(|a, b| a.starts_with('|') == b.starts_with('|')).filter(|lines| lines[0].starts_with('|'));
    tables.filter(|lines| lines.len() > 2 && lines[1].starts_with("| -")).map(<[_]>::to_vec).collect()
}

/// The document, with the new table in place of the one that begins alike, if it exists. Trailing columns that only the
/// old table has keep their cells in rows with the same first cell.
fn replaced(document: &str, table: &Table<'_>) -> Option<String> {
    let is_header =
        |line: &str| line == table[0] || line.strip_prefix(table[0]).is_some_and(|rest| rest.starts_with(' '));
    let mut at = 0;
    let mut places = Vec::new();
    for line in document.split_inclusive('\n') {
        if is_header(line.trim_end()) {
            places.push(at);
        }
        at += line.len();
    }
    let [begin] = places[..] else { return None };
    let old: Vec<&str> = document[begin..].split_inclusive('\n').take_while(|line| line.starts_with('|')).collect();
    let end = begin + old.iter().map(|line| line.len()).sum::<usize>();
    let columns = table[0].matches('|').count();
    let rest = |line: &str| line.trim_end().splitn(columns + 1, '|').nth(columns).unwrap_or_default().to_owned();
    let first = |line: &str| line.split('|').nth(1).map(|cell| cell.trim().to_owned());
    let mut text = document[..begin].to_owned();
    for (n, line) in table.iter().enumerate() {
        // The header and the alignment have the same line numbers; the other rows are found by their first cells.
        let of_old =
            if n < 2 { old.get(n) } else { old[2.min(old.len())..].iter().find(|old| first(old) == first(line)) };
        let more = of_old.map_or_else(String::new, |old| rest(old));
        let _ = writeln!(text, "{line}{more}");
    }
    Some(text + &document[end..])
}

/// The path and the text of each file for `bench plots` that uses a table as its source.
fn plots(table: &Table<'_>, machine: &str) -> Result<Vec<(String, String)>, String> {
    let of = |program: &str| format!("{machine}; {program} target/cuda/libbaselines.so");
    let traffic = format!("{machine}; ikra-traffic-benches");
    match table[0] {
        header if header.starts_with("| array (host) |") => arrays(table, "-host", &traffic),
        header if header.starts_with("| array (GPU) |") => arrays(table, "", &traffic),
        header if header.starts_with("| cells | cars | µs per step |") => growth(table, &traffic),
        header if header.starts_with("| layout | Ikra, index |") => inner_arrays(table, &of("ikra-gpu-benches")),
        header if header.starts_with("| layout | Ikra, GPU |") => searches(table, &of("ikra-gpu-benches")),
        header if header.starts_with("| objects | Ikra, all objects |") => {
            calls(table, "objects", &of("ikra-dispatch-benches"))
        }
        header if header.starts_with("| classes | Ikra, all objects |") => {
            calls(table, "classes", &of("ikra-dispatch-benches"))
        }
        header if header.starts_with("| layout | objects | Ikra, by class |") => {
            let title = "Moving objects of three classes, by class or as they come (RUBY §5)";
            micro(table, "kernel", title, "layout and objects", &["Ikra by class", "by class", "as they come"], machine)
        }
        header if header.starts_with("| links | classes | Ikra, in order |") => {
            let series = ["Ikra in order", "Ikra shuffled", "algorithm 1"];
            micro(table, "reorder", "Reordering jobs by class (RUBY §5)", "links and classes", &series, machine)
        }
        header if header.starts_with("| nodes | degree | walk |") => {
            let title = "Tracing a graph, beside a walk that counts it (RUBY §5)";
            micro(table, "trace", title, "nodes and degree", &["walk", "trace", "write-back"], machine)
        }
        header if header.starts_with("| objects | type_pointer |") => {
            strategies(table, "objects", &of("ikra-dispatch-benches"))
        }
        header if header.starts_with("| classes | type_pointer |") => {
            strategies(table, "classes", &of("ikra-dispatch-benches"))
        }
        _ => Ok(Vec::new()),
    }
}

/// The start of a plot's file.
fn head(title: &str, unit: &str, x: &str, source: &str) -> String {
    format!("# title: {title}\n# unit: {unit}\n# x: {x}\n# source: {source}\ngroup,variant,series,value\n")
}

/// The number at the start of a cell, if any.
fn number(cell: &str) -> Option<f64> {
    cell.split(' ').next()?.replace(',', "").parse().ok()
}

/// A layout and the number of inlined elements, `SoA (partial) 8`, in the form that plots use.
fn layout(cell: &str) -> (&str, &str) {
    cell.rsplit_once(' ').filter(|(_, slots)| slots.parse::<u32>().is_ok()).unwrap_or((cell, ""))
}

/// Times of inner arrays by layout (INNER Fig. 10a).
fn inner_arrays(table: &Table<'_>, source: &str) -> Result<Vec<(String, String)>, String> {
    let title = "Adding to all elements of 262,144 arrays of 32 to 64 (INNER Fig. 10a)";
    let mut text = head(title, "µs", "layout, elements inlined", source);
    for line in &table[2..] {
        let [name, ikra, cuda, _, each, split, ..] =
            cells::<8>(line).ok_or_else(|| format!("{source}: a table of layouts has eight columns"))?;
        let (group, variant) = layout(name);
        for (series, cell) in [("Ikra", ikra), ("CUDA", cuda), ("Ikra for_each", each), ("CUDA split by hand", split)] {
            if let Some(time) = number(cell) {
                let _ = writeln!(text, "{group},{variant},{series},{time}");
            }
        }
    }
    Ok(vec![("docs/inner-array.csv".to_owned(), text)])
}

/// Times of searches by layout (INNER Fig. 10b). CUDA's times are for SoA, and are shown next to it.
fn searches(table: &Table<'_>, source: &str) -> Result<Vec<(String, String)>, String> {
    let title = "Breadth-first search on a road network of 1.09 million junctions (INNER Fig. 10b)";
    let mut text = head(title, "ms", "layout, links inlined", source);
    for line in &table[2..] {
        let [name, ikra, cuda, _, pointers] =
            cells::<5>(line).ok_or_else(|| format!("{source}: a table of searches has five columns"))?;
        let (group, variant) = layout(name);
        let series: &[_] = match group {
            "SoA (partial)" => &[("Ikra", ikra), ("CUDA", cuda), ("CUDA 8-byte pointers", pointers)],
            _ => &[("Ikra", ikra)],
        };
        for (series, cell) in series {
            if let Some(time) = number(cell) {
                let _ = writeln!(text, "{group},{variant},{series},{time}");
            }
        }
    }
    Ok(vec![("docs/bfs.csv".to_owned(), text)])
}

/// Figures 12a and 12b of TYPEPTR: the title, and the number of objects in a row.
fn figure(x: &str, row: &str) -> Result<(&'static str, &'static str, f64), String> {
    const M: f64 = (1 << 20) as f64;
    match x {
        "objects" => {
            let objects = number(row).ok_or_else(|| format!("no number of objects: {row}"))? * M;
            Ok(("Calling a method of objects of 4 classes in turn (TYPEPTR Fig. 12a)", "objects", objects))
        }
        _ => Ok(("Calling a method of 16 M objects (TYPEPTR Fig. 12b)", "classes in a warp", 16.0 * M)),
    }
}

/// Calls of methods, in picoseconds per object.
fn calls(table: &Table<'_>, x: &str, source: &str) -> Result<Vec<(String, String)>, String> {
    let (title, axis, _) = figure(x, "1 M")?;
    let mut text = head(title, "ps per object", axis, &format!("{source} {x}"));
    for line in &table[2..] {
        let [row, all, list, _, branch, _, _, coal, type_pointer, placed, _] =
            cells::<11>(line).ok_or_else(|| format!("{source}: a table of calls has eleven columns"))?;
        let (.., objects) = figure(x, row)?;
        for (series, cell) in [
            ("Ikra list", list),
            ("Ikra all objects", all),
            ("CUDA BRANCH", branch),
            ("CUDA TypePointer", type_pointer),
            ("CUDA COAL", coal),
            ("CUDA virtual functions", placed),
        ] {
            let time = number(cell).ok_or_else(|| format!("{source}: no time in {line}"))?;
            let _ = writeln!(text, "{row},,{series},{:.3}", time * 1e6 / objects);
        }
    }
    Ok(vec![(format!("docs/dispatch-{x}.csv"), text)])
}

/// Calls through a link field by each strategy, in picoseconds per object. CUDA's times follow from the ratio.
fn strategies(table: &Table<'_>, x: &str, source: &str) -> Result<Vec<(String, String)>, String> {
    let (title, axis, _) = figure(x, "1 M")?;
    let title = format!("{title}: calls through a link field, by strategy");
    let mut text = head(&title, "ps per object", &format!("{axis}, strategy"), &format!("{source} {x}"));
    for line in &table[2..] {
        let [row, times @ ..] =
            cells::<5>(line).ok_or_else(|| format!("{source}: a table of strategies has five columns"))?;
        let (.., objects) = figure(x, row)?;
        for (strategy, cell) in ["type_pointer", "range_table", "class_tag", "vtable"].into_iter().zip(times) {
            let ratio = cell.split(['(', ')']).nth(1).and_then(|ratio| ratio.parse::<f64>().ok());
            let (Some(time), Some(ratio)) = (number(cell), ratio) else {
                return Err(format!("{source}: no time and ratio in {line}"));
            };
            let per_object = time * 1e6 / objects;
            let x = if row == "1" { "class" } else { x };
            let group = format!("{row} {x},{strategy}");
            let _ = write!(text, "{group},Ikra,{per_object:.3}\n{group},CUDA,{:.3}\n", per_object * ratio);
        }
    }
    Ok(vec![(format!("docs/dispatch-{x}-strategies.csv"), text)])
}

/// A microbenchmark of Ikra-Ruby: two columns are names, and a column of times follows for each series.
fn micro(
    table: &Table<'_>,
    name: &str,
    title: &str,
    x: &str,
    series: &[&str],
    machine: &str,
) -> Result<Vec<(String, String)>, String> {
    let mut text = head(title, "ns per object", x, &format!("{machine}; cargo bench -p ikra-benches --bench ruby"));
    for line in &table[2..] {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [group, variant, times @ ..] = &cells[..] else { return Err(format!("too few columns: {line}")) };
        let [group, variant] = [group, variant].map(|cell| cell.replace([',', '`'], ""));
        for (series, cell) in series.iter().zip(times) {
            if let Some(time) = number(cell) {
                let _ = writeln!(text, "{group},{variant},{series},{time}");
            }
        }
    }
    Ok(vec![(format!("docs/ruby-{name}.csv"), text)])
}

/// The time of a car's step as cities grow.
fn growth(table: &Table<'_>, source: &str) -> Result<Vec<(String, String)>, String> {
    let mut text = format!(
        "# title: Traffic: a step of a car as the city grows\n# unit: ns per car\n# x: cars\n# scale: logarithmic\n\
         # source: {source}\ngroup,variant,series,value\n"
    );
    for line in &table[2..] {
        let row = cells::<7>(line).ok_or_else(|| format!("{source}: a table of growth has seven columns"))?;
        let [_, cars, _, ikra, same, packed, _] = row.map(|cell| cell.replace(',', ""));
        // Nanoseconds per car and step, from milliseconds per 1,000 steps, with the ratio after them.
        let per_car = |cell: &str| Some(number(cell)? * 1e3 / number(&cars)?);
        let times =
            [("Ikra", ikra.parse().ok()), ("CUDA, same data", per_car(&same)), ("CUDA, packed", per_car(&packed))];
        for (series, time) in times {
            let time = time.ok_or_else(|| format!("{source}: no time in {line}"))?;
            let _ = writeln!(text, "{cars},,{},{time:.4}", series.replace(',', ""));
        }
    }
    Ok(vec![("docs/traffic-growth.csv".to_owned(), text)])
}

/// The times and the memory of a table of arrays (INNER Fig. 11). The layout with all elements inlined is a bar of each
/// group.
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
    let mut figures: Vec<&str> = rows.iter().map(|row| letter(row[0])).filter(|letter| !letter.is_empty()).collect();
    figures.dedup();
    for layout in ["AoS", "SoA"] {
        for &[_, _, _, _, _, inlined, arena] in rows.iter().filter(|row| letter(row[0]).is_empty() && row[2] == layout)
        {
            let _ = write!(memory, "{layout} all,,inlined,{inlined}\n{layout} all,,in the arena,{arena}\n");
        }
    }
    for wanted in figures {
        for layout in ["AoS", "SoA"] {
            // Arrays of variable length by the number of inlined elements, with "all" last, followed by arrays of fixed
            // length.
            let bars = [(wanted, true), ("", false), (wanted, false)].into_iter().flat_map(|wanted| {
                rows.iter()
                    .filter(move |row| row[2] == layout && (letter(row[0]), row[1].parse::<u32>().is_ok()) == wanted)
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
    // A bar needs a height.
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
fn letter(array: &str) -> &str {
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
    fn columns_that_come_from_elsewhere_stay() {
        let document = "| a | b | c |\n| --- | ---: | ---: |\n| x | 1 | 5 |\n| y | 2 | 6 |\n\nAfter\n";
        let output = "| a | b |\n| --- | ---: |\n| y | 4 |\n| z | 3 |\n";
        let expected = "| a | b | c |\n| --- | ---: | ---: |\n| y | 4 | 6 |\n| z | 3 |\n\nAfter\n";
        assert_eq!(replaced(document, &tables(output)[0]), Some(expected.to_owned()));
    }

    #[test]
    fn calls_and_layouts_are_plots() {
        let rows = |output: &str| {
            let [(path, text)] = &plots(&tables(output)[0], "x").unwrap()[..] else { panic!() };
            let rows: Vec<_> = text.lines().skip_while(|line| !line.starts_with("group,")).skip(1).collect();
            format!("{path} {}", rows.join(" "))
        };
        let header = "| objects | Ikra, all objects | Ikra, list | Ikra, list of all | BRANCH | switch | SharedOA | COAL | TypePointer \
                      | virtual, placed | virtual, by `new` |";
        let output = format!(
            "{header}\n| ---: | ---: |\n| 2 M | 4.19 | 8.39 | 5 | 6.29 | 7 | 8 | 10.49 | 12.58 | 2,097 | – |\n"
        );
        assert_eq!(
            rows(&output),
            "docs/dispatch-objects.csv 2 M,,Ikra list,4.001 2 M,,Ikra all objects,1.998 2 M,,CUDA BRANCH,2.999 \
             2 M,,CUDA TypePointer,5.999 2 M,,CUDA COAL,5.002 2 M,,CUDA virtual functions,999.928"
        );
        let header = "| classes | type_pointer | range_table | class_tag | vtable |";
        let output =
            format!("{header}\n| ---: | ---: |\n| 1 | 16.78 (2.00) | 16.78 (1.00) | 16.78 (1.00) | 16.78 (0.50) |\n");
        let text = rows(&output);
        assert!(text.contains("1 class,type_pointer,Ikra,1.000 1 class,type_pointer,CUDA,2.000"), "{text}");
        let header = "| layout | Ikra, index | CUDA, index | ratio | Ikra, `for_each` | CUDA, split by hand | ratio | best of each |";
        let output = format!(
            "{header}\n| --- | ---: |\n| SoA (full) | 40 | 46 | 1.15 | 39 | – | 1.18 | 1.18 |\n| AoS (partial) 8 | 1 | 2 | 2 | 3 | 4 | 5 | 6 |\n"
        );
        assert_eq!(
            rows(&output),
            "docs/inner-array.csv SoA (full),,Ikra,40 SoA (full),,CUDA,46 SoA (full),,Ikra for_each,39 \
             AoS (partial),8,Ikra,1 AoS (partial),8,CUDA,2 AoS (partial),8,Ikra for_each,3 AoS (partial),8,CUDA split by hand,4"
        );
        let header = "| layout | Ikra, GPU | CUDA, SoA | ratio | CUDA, 8-byte pointers |";
        let output = format!(
            "{header}\n| --- | ---: |\n| AoS (full) | 17.8 | 15.6 | 0.87 | 16 |\n| SoA (partial) 0 | 14.7 | 16.0 | 1.09 | 16.1 |\n"
        );
        assert_eq!(
            rows(&output),
            "docs/bfs.csv AoS (full),,Ikra,17.8 SoA (partial),0,Ikra,14.7 SoA (partial),0,CUDA,16 \
             SoA (partial),0,CUDA 8-byte pointers,16.1"
        );
    }

    #[test]
    fn microbenchmarks_are_plots() {
        let header = "| layout | objects | Ikra, by class | by class | as they come | gain |";
        let output = format!(
            "{header}\n| --- | ---: |\n| rows | 10,000 | 0.50 | 1.25 | 2.00 | 4.00 |\n| `Rc<dyn Actor>` | 1,000 | – | 3 | 4 | 1 |\n"
        );
        let [(path, text)] = &plots(&tables(&output)[0], "x").unwrap()[..] else { panic!() };
        assert_eq!(path, "docs/ruby-kernel.csv");
        let rows = "group,variant,series,value\nrows,10000,Ikra by class,0.5\nrows,10000,by class,1.25\n\
                    rows,10000,as they come,2\nRc<dyn Actor>,1000,by class,3\nRc<dyn Actor>,1000,as they come,4\n";
        assert!(text.ends_with(rows), "{text}");
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
