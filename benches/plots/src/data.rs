//! Times, or other quantities, from a CSV file:
//!
//! ```csv
//! # title: Adding a field to all elements of an inner array
//! # unit: µs
//! # y: time
//! # x: layout and number of inlined slots
//! # source: cargo bench …
//! group,variant,series,value
//! AoS,,Ikra,4210.5
//! AoS,,hand-written,4198.0
//! SoA (partial),16,Ikra,801
//! ```
//!
//! Groups, variants of a group (which may be empty) and series are drawn in the order in which they first
//! occur. Lines that begin with `#` are comments, of which those above are used; all are optional. Values
//! are times in microseconds unless `y` and `unit` say otherwise; a comma cannot be part of a name.

use std::fmt;
use std::str::FromStr;

/// The first line that is no comment.
const HEADER: &str = "group,variant,series,value";

/// All that is drawn.
#[derive(Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) title: String,
    /// What the values are.
    pub(crate) y: String,
    pub(crate) unit: String,
    pub(crate) x: String,
    pub(crate) source: String,
    pub(crate) series: Vec<String>,
    pub(crate) groups: Vec<Group>,
}

/// Bars under a common name.
#[derive(Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) slots: Vec<Slot>,
}

/// Bars side by side, one a series at most.
#[derive(Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) variant: String,
    /// By series.
    pub(crate) values: Vec<Option<f64>>,
}

/// What is wrong, and in which line.
#[derive(Debug, PartialEq)]
pub(crate) struct ParseError {
    line: usize,
    message: String,
}

impl Figure {
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        self.groups.iter().flat_map(|group| &group.slots).flat_map(|slot| &slot.values).flatten().copied()
    }

    fn comment(&mut self, text: &str) {
        let Some((key, value)) = text.split_once(':') else { return };
        let field = match key.trim() {
            "title" => &mut self.title,
            "y" => &mut self.y,
            "unit" => &mut self.unit,
            "x" => &mut self.x,
            "source" => &mut self.source,
            _ => return,
        };
        value.trim().clone_into(field);
    }

    fn row(&mut self, row: &str) -> Result<(), String> {
        let cells: Vec<&str> = row.split(',').map(str::trim).collect();
        let [group, variant, series, value] = cells[..] else {
            return Err(format!("{} columns instead of 4 ({HEADER})", cells.len()));
        };
        for (name, cell) in [("group", group), ("series", series)] {
            if cell.is_empty() {
                return Err(format!("the {name} is empty"));
            }
        }
        // A picosecond to eleven days, if these are microseconds.
        let number = value.parse().ok().filter(|number| (1e-6..=1e12).contains(number));
        let number: f64 = number.ok_or_else(|| format!("the value `{value}` is not a number from 1e-6 to 1e12"))?;
        let index = place(&mut self.series, |name| name == series, || series.to_owned());
        let groups = &mut self.groups;
        let at = place(groups, |other| other.name == group, || Group { name: group.to_owned(), slots: Vec::new() });
        let slots = &mut groups[at].slots;
        let slot = || Slot { variant: variant.to_owned(), values: Vec::new() };
        let at = place(slots, |other| other.variant == variant, slot);
        let values = &mut slots[at].values;
        values.resize(values.len().max(index + 1), None);
        match values[index].replace(number) {
            None => Ok(()),
            Some(_) => Err(format!("a second value of `{group},{variant},{series}`")),
        }
    }
}

/// The index of the item that is wanted, added at the end if there is none.
fn place<T>(items: &mut Vec<T>, wanted: impl Fn(&T) -> bool, item: impl FnOnce() -> T) -> usize {
    items.iter().position(wanted).unwrap_or_else(|| {
        items.push(item());
        items.len() - 1
    })
}

impl FromStr for Figure {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut figure = Self {
            title: String::new(),
            y: "time".to_owned(),
            unit: "µs".to_owned(),
            x: String::new(),
            source: String::new(),
            series: Vec::new(),
            groups: Vec::new(),
        };
        let mut header = false;
        for (index, line) in text.lines().map(str::trim).enumerate() {
            let error = |message| ParseError { line: index + 1, message };
            if let Some(comment) = line.strip_prefix('#') {
                figure.comment(comment);
            } else if !header && !line.is_empty() {
                if line != HEADER {
                    return Err(error(format!("`{line}` instead of the header `{HEADER}`")));
                }
                header = true;
            } else if !line.is_empty() {
                figure.row(line).map_err(error)?;
            }
        }
        if figure.groups.is_empty() {
            return Err(ParseError { line: text.lines().count().max(1), message: "no values".to_owned() });
        }
        Ok(figure)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<Figure>().unwrap_err().to_string()
    }

    #[test]
    fn everything_is_read() {
        let text = "\
# title: Times: all
# y: memory
# unit: ms
# a remark
# x: sizes
# source: somewhere

group,variant,series,value
SoA, 1 ,Ikra,2.5
SoA,2,hand,3e1
AoS,,Ikra,4\r
SoA,2,Ikra,5
";
        let figure: Figure = text.parse().unwrap();
        assert_eq!((figure.title.as_str(), figure.y.as_str(), figure.unit.as_str()), ("Times: all", "memory", "ms"));
        assert_eq!((figure.x.as_str(), figure.source.as_str()), ("sizes", "somewhere"));
        assert_eq!(figure.series, ["Ikra", "hand"]);
        let slot = |variant: &str, values: &[Option<f64>]| Slot { variant: variant.into(), values: values.into() };
        assert_eq!(figure.groups[0].name, "SoA");
        assert_eq!(figure.groups[0].slots, [slot("1", &[Some(2.5)]), slot("2", &[Some(5.0), Some(30.0)])]);
        assert_eq!(figure.groups[1], Group { name: "AoS".into(), slots: vec![slot("", &[Some(4.0)])] });
        assert_eq!(figure.values().collect::<Vec<_>>(), [2.5, 5.0, 30.0, 4.0]);
    }

    #[test]
    fn comments_may_be_absent() {
        let figure: Figure = "group,variant,series,value\na,b,c,1".parse().unwrap();
        assert_eq!((figure.title.as_str(), figure.unit.as_str(), figure.source.as_str()), ("", "µs", ""));
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(error(""), "1: no values");
        assert_eq!(error("# title: t\ngroup,variant,series,value\n"), "2: no values");
        let header = error("\na,b,c,1");
        assert_eq!(header, "2: `a,b,c,1` instead of the header `group,variant,series,value`");
        let row = |row: &str| error(&format!("group,variant,series,value\na,1,Ikra,1\n{row}\na,3,Ikra,1"));
        assert_eq!(row("a,2,Ikra"), "3: 3 columns instead of 4 (group,variant,series,value)");
        assert_eq!(row("a,2,Ikra,1,000"), "3: 5 columns instead of 4 (group,variant,series,value)");
        assert_eq!(row(",2,Ikra,1"), "3: the group is empty");
        assert_eq!(row("a,2, ,1"), "3: the series is empty");
        assert_eq!(row("a,1,Ikra,2"), "3: a second value of `a,1,Ikra`");
        for value in ["", "fast", "0", "-1", "NaN", "inf", "1e13"] {
            let expected = format!("3: the value `{value}` is not a number from 1e-6 to 1e12");
            assert_eq!(row(&format!("a,2,Ikra,{value}")), expected);
        }
    }
}
