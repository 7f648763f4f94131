//! Prints the results of the last `cargo bench` as Markdown tables, with ratios to the hand-written
//! reference of each group.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde_json::Value;

/// Median nanoseconds by size by name, for one group.
type Group = BTreeMap<u64, Vec<(String, f64)>>;

fn main() -> io::Result<()> {
    let root = env::args_os().nth(1).map_or_else(|| PathBuf::from("target/criterion"), PathBuf::from);
    let mut groups: BTreeMap<String, (Group, BTreeMap<u64, u64>)> = BTreeMap::new();
    collect(&root, &mut groups)?;
    for (name, (group, elements)) in &groups {
        println!("\n**{name}**\n");
        let mut names: Vec<&String> = group.values().flatten().map(|(name, _)| name).collect();
        names.sort_by_key(|name| (!name.starts_with("hand"), !name.starts_with("Ikra"), (*name).clone()));
        names.dedup();
        let reference = names.iter().find(|name| ["hand SoA", "hand, staggered"].contains(&name.as_str())).copied();
        print!("| size |");
        names.iter().for_each(|name| print!(" {name} |"));
        println!("\n|{}", " ---: |".repeat(names.len() + 1));
        for (size, results) in group {
            print!("| {size} |");
            let time = |wanted: &String| results.iter().find(|(name, _)| name == wanted).map(|(_, time)| *time);
            let per = elements.get(size).copied().unwrap_or(1).max(1) as f64;
            for name in &names {
                match (time(name), reference.and_then(&time)) {
                    (Some(time), Some(reference)) if !name.starts_with("hand") => {
                        print!(" {:.3} ({:.2}×) |", time / per, reference / time);
                    }
                    (Some(time), _) => print!(" {:.3} |", time / per),
                    (None, _) => print!(" |"),
                }
            }
            println!();
        }
    }
    Ok(())
}

/// Finds `GROUP/NAME/SIZE/new/` below a folder.
fn collect(folder: &Path, groups: &mut BTreeMap<String, (Group, BTreeMap<u64, u64>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.is_dir() {
            continue;
        }
        let (benchmark, estimates) = (path.join("new/benchmark.json"), path.join("new/estimates.json"));
        if !benchmark.exists() {
            collect(&path, groups)?;
            continue;
        }
        let benchmark: Value = serde_json::from_str(&fs::read_to_string(benchmark)?)?;
        let estimates: Value = serde_json::from_str(&fs::read_to_string(estimates)?)?;
        let text = |key: &str| benchmark[key].as_str().unwrap_or_default().to_owned();
        let size = text("value_str").parse().unwrap_or(1);
        let (group, elements) = groups.entry(text("group_id")).or_default();
        let median = estimates["median"]["point_estimate"].as_f64().unwrap_or(f64::NAN);
        group.entry(size).or_default().push((text("function_id"), median));
        if let Some(count) = benchmark["throughput"]["Elements"].as_u64() {
            elements.insert(size, count);
        }
    }
    Ok(())
}
