//! Counts of the operations of benchmark kernels, taken by the emulator: they show the effect of a device code change
//! without a GPU.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::run::{Outcome, cargo, step};

/// The programs of benches/ whose kernels are counted.
const PROGRAMS: [&str; 4] = ["gpu", "dispatch", "models", "traffic"];
/// The folder for counts.
const FOLDER: &str = "target/emulated";
/// The table of the last run.
const TABLE: &str = "target/emulated/kernels.tsv";
/// The page with a table.
const PAGE: &str = "docs/notes/kernels.md";
/// The line above the table of that page.
const MARK: &str = "<!-- `cargo xtask bench emulated docs` writes what follows. -->\n";

/// The columns for each kernel, per thread where the name says so.
const COLUMNS: [(&str, &[&str]); 10] = [
    ("instructions", &["instructions"]),
    ("loads", &["load-global", "load-constant"]),
    ("stores", &["store-global"]),
    ("local loads", &["load-local"]),
    ("local stores", &["store-local"]),
    ("shared", &["load-shared", "store-shared"]),
    ("atomics", &["atomics"]),
    ("load sectors", &["load-sectors"]),
    ("store sectors", &["store-sectors"]),
    ("divergent", &["divergent-branches"]),
];

/// The counts of a kernel.
type Counts = BTreeMap<String, u64>;

/// Runs all programs on the emulator and prints a table. Compares it with one of an earlier run: a file, or that of the
/// page in docs/notes.
pub fn emulated(earlier: Option<&str>) -> Outcome {
    // Read before the new table replaces it.
    let page = read_file(PAGE)?;
    let earlier = earlier.map_or_else(|| Ok(tabbed(&page)), read_file)?;
    let table = counted()?;
    print!("{table}{}", differences(&earlier, &table));
    println!("the table is in {TABLE}: keep it, and give it to the next run to compare");
    Ok(())
}

/// As [`emulated`], and writes the table into the page in docs/notes.
pub fn docs() -> Outcome {
    let page = read_file(PAGE)?;
    let table = counted()?;
    let (text, _) = page.split_once(MARK).ok_or_else(|| format!("{PAGE} has no line {MARK}"))?;
    fs::write(PAGE, format!("{text}{MARK}{}", marked(&table))).map_err(|error| format!("{PAGE}: {error}"))
}

fn read_file(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

/// Runs all programs, and returns the table with tabs between its columns.
fn counted() -> Result<String, String> {
    step(&mut cargo("build --release -p ikra-emulator"))?;
    let target = env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    let name = format!("{}ikra_emulator{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()));
    let library = absolute(&Path::new(&target).join("release").join(name))?;
    let _ = fs::remove_dir_all(FOLDER);
    fs::create_dir_all(FOLDER).map_err(|error| format!("{FOLDER}: {error}"))?;
    let mut all = BTreeMap::new();
    for program in PROGRAMS {
        let counts = absolute(&Path::new(FOLDER).join(program).with_extension("counts"))?;
        let mut run = cargo(&format!("run --release --manifest-path benches/{program}/Cargo.toml -- count"));
        run.env("IKRA_DRIVER", &library).env("IKRA_EMULATOR_COUNTS", &counts);
        // All layouts of the arrays in traffic take long to compile.
        run.env("IKRA_BENCH_LAYOUTS", "few");
        // Some benchmark kernels read uninitialised memory on purpose, so the emulator does not check for that here.
        step(run.env("IKRA_EMULATOR_CHECKS", "off").env("IKRA_EMULATOR_SEED", "0"))?;
        let text = fs::read_to_string(&counts).map_err(|error| format!("{}: {error}", counts.display()))?;
        for (kernel, counts) in text.lines().filter_map(read) {
            add(all.entry(format!("{program} {kernel}")).or_default(), &counts);
        }
    }
    registers(&mut all);
    let table = table(&all);
    fs::write(TABLE, &table).map_err(|error| format!("{TABLE}: {error}"))?;
    Ok(table)
}

/// A table as Markdown.
fn marked(table: &str) -> String {
    let mut lines = table.lines().map(|line| format!("| {} |\n", line.replace('\t', " | ")));
    let header = lines.next().unwrap_or_default();
    let columns = header.matches('|').count() - 1;
    format!("\n{header}| --- |{}\n{}", " ---: |".repeat(columns - 1), lines.collect::<String>())
}

/// The table of a page, as [`counted`] returns it.
fn tabbed(page: &str) -> String {
    let table = page.split_once(MARK).map_or("", |(_, table)| table);
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.filter(|row| !row.starts_with("---")).map(|row| format!("{}\n", row.replace(" | ", "\t"))).collect()
}

/// A line of the emulator's output: the kernel's name, without the part that changes with its fingerprint, and the
/// counts.
fn read(line: &str) -> Option<(String, Counts)> {
    let mut parts = line.split('\t');
    let name = short(parts.next()?);
    let counts = parts.filter_map(|part| {
        let (what, number) = part.split_once('=')?;
        Some((what.to_owned(), number.parse().ok()?))
    });
    Some((name, counts.collect()))
}

/// `Body_advance_45_11` from `ikra_kernel_Body_advance_45_11_01234567`: the fingerprint changes with Ikra.
fn short(symbol: &str) -> String {
    let name = symbol.strip_prefix("ikra_kernel_").unwrap_or(symbol);
    let is_fingerprint = |part: &&str| part.len() == 8 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.split('_').filter(|part| !is_fingerprint(part)).collect::<Vec<_>>().join("_")
}

/// Adds counts. For values that cannot be added, keeps the larger one.
fn add(to: &mut Counts, from: &Counts) {
    for (what, &number) in from {
        let sum = to.entry(what.clone()).or_default();
        let is_largest = what == "registers" || what.ends_with("-bytes");
        *sum = if is_largest { number.max(*sum) } else { *sum + number };
    }
}

/// Replaces the registers that kernels declare by the number that `ptxas` assigns, if `ptxas` is installed.
fn registers(all: &mut BTreeMap<String, Counts>) {
    let Some(ptxas) = env::var_os("IKRA_PTXAS") else {
        println!("registers are those that the text declares; with IKRA_PTXAS they are those that `ptxas` assigns");
        return;
    };
    for file in fs::read_dir(FOLDER).into_iter().flatten().flatten() {
        let path = file.path();
        if path.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        let mut assemble = Command::new(&ptxas);
        assemble.args(["-v", "--gpu-name", "sm_90", "--output-file"]).arg(path.with_extension("cubin")).arg(&path);
        let Ok(output) = assemble.output() else { continue };
        let program = path.file_name().and_then(|name| name.to_str()?.split('.').next()).unwrap_or_default().to_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let mut kernel = None;
        for line in said.lines() {
            if let Some((_, rest)) = line.split_once("Compiling entry function '") {
                kernel = rest.split('\'').next().map(|name| format!("{program} {}", short(name)));
            }
            let used: Option<u64> = line.split_once("Used ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
            if let (Some(used), Some(counts)) = (used, kernel.as_ref().and_then(|kernel| all.get_mut(kernel))) {
                let assigned = counts.entry("assigned-registers".to_owned()).or_default();
                *assigned = used.max(*assigned);
            }
        }
    }
}

/// One row per kernel: threads, the average counts of a thread, and registers.
fn table(all: &BTreeMap<String, Counts>) -> String {
    let titles: Vec<&str> = COLUMNS.iter().map(|(title, _)| *title).collect();
    let mut text = format!("kernel\tthreads\t{}\tregisters\n", titles.join("\t"));
    for (kernel, counts) in all {
        let of = |what: &str| counts.get(what).copied().unwrap_or(0);
        let threads = of("threads").max(1);
        // Widths are parts of the names: `load-global-4`.
        let is_of = |name: &str, what: &str| {
            name == what
                || name.strip_prefix(what).is_some_and(|rest| rest.trim_start_matches('-').parse::<u32>().is_ok())
        };
        let sum = |names: &[&str]| -> u64 {
            counts
                .iter()
                .filter(|(name, _)| names.iter().any(|what| is_of(name, what)))
                .map(|(_, &number)| number)
                .sum()
        };
        let cells = COLUMNS.map(|(_, names)| format!("{:.2}", sum(names) as f64 / threads as f64));
        let registers = if of("assigned-registers") > 0 { of("assigned-registers") } else { of("registers") };
        text.push_str(&format!("{kernel}\t{threads}\t{}\t{registers}\n", cells.join("\t")));
    }
    text
}

/// The rows that differ, with their former values.
fn differences(earlier: &str, now: &str) -> String {
    let rows = |text: &str| -> BTreeMap<String, Vec<String>> {
        let rows = text.lines().filter_map(|line| line.split_once('\t'));
        rows.map(|(kernel, rest)| (kernel.to_owned(), rest.split('\t').map(str::to_owned).collect())).collect()
    };
    let (before, after) = (rows(earlier), rows(now));
    let titles = after.get("kernel").cloned().unwrap_or_default();
    let mut text = String::new();
    for (kernel, now) in &after {
        let Some(was) = before.get(kernel) else {
            text.push_str(&format!("{kernel}: new\n"));
            continue;
        };
        let changed = titles.iter().zip(was.iter().zip(now)).filter(|(_, (was, now))| was != now);
        let changed: Vec<String> = changed.map(|(title, (was, now))| format!("{title} {was} -> {now}")).collect();
        if !changed.is_empty() {
            text.push_str(&format!("{kernel}: {}\n", changed.join(", ")));
        }
    }
    before
        .keys()
        .filter(|kernel| !after.contains_key(*kernel))
        .for_each(|kernel| text.push_str(&format!("{kernel}: gone\n")));
    if text.is_empty() { "no kernel differs\n".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "ikra_kernel_Body_advance_45_11_01234567_reduce0\tthreads=64\tinstructions=640\tload-global-4=64\tload-global-8=64\tload-sectors=8\tregisters=7";

    fn counted(line: &str) -> BTreeMap<String, Counts> {
        let mut all = BTreeMap::new();
        let (kernel, counts) = read(line).unwrap();
        add(all.entry(kernel).or_default(), &counts);
        all
    }

    #[test]
    fn counts_are_per_thread_and_names_without_fingerprints() {
        let table = table(&counted(LINE));
        let row = table.lines().nth(1).unwrap();
        assert!(row.starts_with("Body_advance_45_11_reduce0\t64\t10.00\t2.00\t0.00\t"), "{row}");
        assert!(row.ends_with("\t0.12\t0.00\t0.00\t7"), "{row}");
    }

    #[test]
    fn a_page_keeps_the_table() {
        let table = table(&counted(LINE));
        let page = format!("text\n{MARK}{}", marked(&table));
        assert!(page.contains("\n| --- | ---: |"), "{page}");
        assert_eq!(tabbed(&page), table);
    }

    #[test]
    fn what_differs_is_listed() {
        let (one, other) = (table(&counted(LINE)), table(&counted(&LINE.replace("=640", "=1280"))));
        assert_eq!(differences(&one, &other), "Body_advance_45_11_reduce0: instructions 10.00 -> 20.00\n");
        assert_eq!(differences(&one, &one), "no kernel differs\n");
        assert_eq!(differences("kernel\tthreads\n", &one).lines().next(), Some("Body_advance_45_11_reduce0: new"));
    }
}
