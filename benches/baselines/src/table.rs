//! Tables as docs/performance.md has them, for `cargo xtask bench docs`.

use std::fmt::Display;

/// Begins a table. The first columns, as many as `texts`, are aligned to the left, all others to the right.
pub fn table(columns: &[&str], texts: usize) {
    println!("\n| {} |", columns.join(" | "));
    let numbers = columns.len() - texts;
    println!("|{}{}", " --- |".repeat(texts), " ---: |".repeat(numbers));
}

/// One row of a table that has begun: a cell for each column.
pub fn row(cells: &[&dyn Display]) {
    let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
    println!("| {} |", cells.join(" | "));
}

/// One row of a table of objects and the times of Ikra and CUDA, given in nanoseconds.
pub fn beside(name: &str, n: usize, ikra: f64, cuda: f64, note: &[&dyn Display]) {
    let (objects, ours, theirs, ratio) = (grouped(n), microseconds(ikra), microseconds(cuda), ratio(cuda, ikra));
    let mut cells: Vec<&dyn Display> = vec![&name, &objects, &ours, &theirs, &ratio];
    cells.extend(note);
    row(&cells);
}

/// Nanoseconds as microseconds, of three digits at least. What was not measured is a dash.
pub fn microseconds(nanoseconds: f64) -> String {
    let time = nanoseconds / 1e3;
    match time {
        _ if time.is_nan() => "–".to_owned(),
        ..100.0 => format!("{time:.2}"),
        ..1000.0 => format!("{time:.1}"),
        _ => grouped(time.round()),
    }
}

/// By how much Ikra is faster.
pub fn ratio(cuda: f64, ikra: f64) -> String {
    let ratio = cuda / ikra;
    if ratio.is_nan() { String::new() } else { format!("{ratio:.2}") }
}

/// A time of CUDA in nanoseconds as microseconds, with the ratio behind it.
pub fn with_ratio(cuda: f64, ikra: f64) -> String {
    if cuda.is_nan() { "–".to_owned() } else { format!("{} ({})", microseconds(cuda), ratio(cuda, ikra)) }
}

/// A whole number in groups of three digits.
pub fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}
