//! Words of classes' tables as parameters of the entries that read them.
//!
//! Where columns are is the same for a whole launch. In constant memory, each kernel waits for it when it begins, and the host
//! writes it anew whenever columns are exchanged; a parameter comes with the launch. Words that an entry does not read itself, at a
//! place that is known, stay in constant memory: those of functions that it calls, and those that there is no room for.
//!
//! For the host, an entry says what it takes: `//ikra:takes all ikra_class_Car_1 1 5 ikra_class_Cell_2 0` are two words of one
//! table and one of another, in this order. `all` says that it reads no others, and `some` that it may.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::loops::functions;
use crate::ptx::{self, first_name};

/// A word: the symbol of a class's table, and the place in bytes.
type Word<'c> = (&'c str, u64);

const WORD: u64 = 8;
/// Bytes of parameters that every device has room for.
const PARAMETERS: u64 = 4096;
/// How the symbols of tables begin.
const TABLE: &str = "ikra_class_";
const READ: &str = "ld.const.u64 ";

/// The code whose entries take what they read of tables, without tables that nobody reads any more.
pub(crate) fn passed(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut changed: HashMap<usize, String> = HashMap::new();
    // Of each entry the line with the brace before its body, its symbol, and what it takes.
    let mut entries: Vec<(usize, &str, Vec<Word<'_>>)> = Vec::new();
    // Functions that read tables elsewhere, and the tables.
    let (mut readers, mut read) = (BTreeSet::new(), BTreeSet::new());
    for body in functions(&lines) {
        let Some((head, symbol)) = head(&lines, body.start) else { continue };
        let is_kernels = |line: &str| line.trim_start().starts_with("//ikra:entry ");
        let is_entry = lines[head].contains(".entry ") && lines[body.clone()].iter().any(|line| is_kernels(line));
        let numbers = numbers(&lines[body.clone()]);
        let mut reads: Vec<(usize, Word<'_>)> = Vec::new();
        if is_entry {
            let word = |n: usize| Some((n, word(lines[n], &numbers)?));
            reads = body.clone().filter_map(word).collect();
        }
        let all: BTreeSet<Word<'_>> = reads.iter().map(|&(_, word)| word).collect();
        let words: Vec<Word<'_>> = all.into_iter().take(room(&lines[head..body.start])).collect();
        for (line, word) in reads {
            if let Ok(place) = words.binary_search(&word) {
                changed.insert(line, from_parameter(lines[line], symbol, place as u64 * WORD));
            }
        }
        if !words.is_empty() {
            let (line, text) = with_parameter(&lines, head..body.start, symbol, words.len());
            changed.insert(line, text);
        }
        let left: Vec<&str> =
            body.clone().filter(|n| !changed.contains_key(n)).flat_map(|n| tables(lines[n])).collect();
        if !left.is_empty() {
            readers.insert(symbol);
        }
        read.extend(left);
        if is_entry {
            entries.push((body.start - 1, symbol, words));
        }
    }
    let calls = ptx::calls(code);
    for (brace, symbol, words) in entries {
        // Where a call by a pointer leads is not known.
        let may_read = |name: &&str| readers.contains(name) || name.starts_with('%') && !readers.is_empty();
        let is_all = !readers.contains(symbol) && !ptx::reached(&calls, symbol).iter().any(may_read);
        let which = if is_all { "all" } else { "some" };
        let said = format!("{}\n\t//ikra:takes {which}{}", lines[brace], listed(&words));
        changed.insert(brace, said);
    }
    let is_unread = |line: &str| {
        let declared = line.starts_with('.').then(|| tables(line).next()).flatten();
        declared.is_some_and(|table| !read.contains(table.strip_suffix("_absent").unwrap_or(table)))
    };
    ptx::rewritten(lines.iter().enumerate().filter(|(_, line)| !is_unread(line)), &changed)
}

/// ` table place place table place` of words, by tables.
fn listed(words: &[Word<'_>]) -> String {
    let same = words.chunk_by(|one, next| one.0 == next.0);
    let places = |words: &[Word<'_>]| words.iter().map(|(_, place)| format!(" {}", place / WORD)).collect::<String>();
    same.map(|words| format!(" {}{}", words[0].0, places(words))).collect()
}

/// The line with which a function begins whose body starts at a line, and its name.
fn head<'c>(lines: &[&'c str], body: usize) -> Option<(usize, &'c str)> {
    let named = |n: usize| {
        let (_, rest) = lines[n].split_once(".entry ").or_else(|| lines[n].split_once(".func "))?;
        Some((n, first_name(rest)))
    };
    (0..body).rev().take_while(|&n| !lines[n].starts_with('}')).find_map(named)
}

/// The numbers in registers that are assigned once.
fn numbers<'c>(lines: &[&'c str]) -> HashMap<&'c str, u64> {
    let mut numbers: HashMap<&str, Option<u64>> = HashMap::new();
    for statement in lines.iter().flat_map(|line| line.split(';')) {
        let Some((name, to, from)) = ptx::statement(statement) else { continue };
        let number = from.trim().parse().ok().filter(|_| ["mov.b64", "mov.u64"].contains(&name));
        for to in to.filter(|to| to.starts_with("%rd")) {
            numbers.entry(to).and_modify(|known| *known = None).or_insert(number);
        }
    }
    numbers.into_iter().filter_map(|(register, number)| Some((register, number?))).collect()
}

/// Table, place and the register that is loaded, of a line that reads a table at a place in a register, as `ikra_core` writes it.
pub(crate) fn indexed(line: &str) -> Option<(&str, &str, &str)> {
    let rest = line.trim().strip_prefix("{ .reg .b64 a; mov.b64 a, ")?;
    let (table, rest) = rest.split_once("; add.u64 a, a, ")?;
    let (place, rest) = rest.split_once("; ld.const.u64 ")?;
    let (to, _) = rest.split_once(", [a]; }")?;
    table.starts_with(TABLE).then_some((table, place, to))
}

/// Where a line that reads a table at a number says so: `ld.const.u64 to, [table+8]`, at a byte of the line, and its parts.
fn direct(line: &str) -> Option<(usize, &str, Word<'_>)> {
    let start = line.find(READ)?;
    let (to, rest) = line[start + READ.len()..].split_once(", [")?;
    let (from, _) = rest.split_once(']')?;
    let (table, place) =
        from.split_once('+').map_or(Some((from, 0)), |(table, place)| Some((table, place.parse().ok()?)))?;
    table.starts_with(TABLE).then_some((start, to, (table, place)))
}

/// The word that a line reads, if its place is known.
fn word<'c>(line: &'c str, numbers: &HashMap<&str, u64>) -> Option<Word<'c>> {
    if let Some((table, place, _)) = indexed(line) {
        return numbers.get(place).map(|&place| (table, place));
    }
    direct(line).map(|(.., word)| word)
}

/// Such a line that reads the word at a place in the entry's words.
fn from_parameter(line: &str, entry: &str, place: u64) -> String {
    let load = |to: &str| format!("ld.param.u64 {to}, [{entry}_words+{place}]");
    match (indexed(line), direct(line)) {
        (Some((.., to)), _) => format!("\t{};", load(to)),
        (None, Some((start, to, _))) => {
            let end = line[start..].find(']').map_or(line.len(), |at| start + at + 1);
            format!("{}{}{}", &line[..start], load(to), &line[end..])
        }
        (None, None) => line.to_owned(),
    }
}

/// How many words an entry with this head can take.
fn room(head: &[&str]) -> usize {
    let end = head.iter().filter_map(|line| line.trim().strip_prefix(".param ")).fold(0, |end: u64, parameter| {
        let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
        let mut parts = parameter.split([' ', ',']);
        let bits = parts.clone().find_map(|part| number(part.strip_prefix(".")?.get(1..)));
        let align = number(parts.find(|part| *part == ".align").and_then(|_| parts.next()));
        let (width, len) = (bits.unwrap_or(64) / 8, ptx::array_bytes(parameter).unwrap_or(1));
        end.next_multiple_of(align.unwrap_or(1).max(width)) + width * len
    });
    (PARAMETERS.saturating_sub(end.next_multiple_of(WORD)) / WORD) as usize
}

/// The line of an entry's head in which its parameters end, with one of so many words after them.
fn with_parameter(lines: &[&str], head: Range<usize>, entry: &str, words: usize) -> (usize, String) {
    let declared = format!("\t.param .align 8 .b8 {entry}_words[{}]", words as u64 * WORD);
    let last = head.clone().rev().find(|&n| lines[n].trim_start().starts_with(".param "));
    match last {
        Some(last) => (last, format!("{},\n{declared}", lines[last])),
        None => (head.start, lines[head.start].replacen('(', &format!("(\n{declared}\n"), 1)),
    }
}

/// The symbols of tables in a line.
fn tables(line: &str) -> impl Iterator<Item = &str> {
    let is_comment = line.trim_start().starts_with("//");
    let names = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    names.filter(move |name| !is_comment && name.starts_with(TABLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes, of which one is read by a function that is called, and a third that nobody reads.
    const CODE: &str = "\
.global .align 4 .b32 ikra_class_Car_1_absent[1];
.visible .const .align 8 .u64 ikra_class_Car_1[5] = {generic(ikra_class_Car_1_absent)};
//ikra:class 1 ikra_class_Car_1 2 3 here
.global .align 4 .b32 ikra_class_Cell_2_absent[1];
.visible .const .align 8 .u64 ikra_class_Cell_2[9] = {generic(ikra_class_Cell_2_absent)};
.func  (.param .b64 func_retval0) deep(
	.param .b64 deep_param_0
)
{
	mov.b64 	%rd1, 8;
	{ .reg .b64 a; mov.b64 a, ikra_class_Cell_2; add.u64 a, a, %rd1; ld.const.u64 %rd2, [a]; }
	ret;
}
.visible .entry drive(
	.param .u32 drive_param_0,
	.param .u64 .ptr .align 1 drive_param_1
)
{
	.reg .b64 	%rd<9>;
	{ .reg .b64 a; ld.const.u64 a, [ikra_class_Car_1]; ld.global.nc.b32 %ikra_count0, [a]; }
	//ikra:entry 5 call 6 0 1
	mov.b64 	%rd1, 16;
	{ .reg .b64 a; mov.b64 a, ikra_class_Car_1; add.u64 a, a, %rd1; ld.const.u64 %rd2, [a]; }
	{ .reg .b64 a; mov.b64 a, ikra_class_Cell_2; add.u64 a, a, %rd3; ld.const.u64 %rd4, [a]; }
	{ .reg .b64 slot; ld.const.u64 slot, [ikra_class_Cell_2+8]; add.s64 %rd7, slot, %rd9; }
	mov.b64 	%rd3, 32;
	{ .reg .b64 a; mov.b64 a, ikra_class_Car_1; add.u64 a, a, %rd1; ld.const.u64 %rd6, [a]; }
	ret;
}
.visible .entry call_deep()
{
	//ikra:entry 6 call 6 0 1
	call.uni (retval0), deep, (param0);
	ret;
}
.visible .entry ikra_copy(
	.param .u64 ikra_copy_param_0
)
{
	ret;
}
";

    #[test]
    fn entries_take_the_words_that_they_read() {
        let wanted = CODE
            .replace(".global .align 4 .b32 ikra_class_Car_1_absent[1];\n", "")
            .replace(".visible .const .align 8 .u64 ikra_class_Car_1[5] = {generic(ikra_class_Car_1_absent)};\n", "")
            .replace(" drive_param_1\n", " drive_param_1,\n\t.param .align 8 .b8 drive_words[32]\n")
            .replace(
                "{\n\t.reg .b64 \t%rd<9>;",
                "{\n\t//ikra:takes all ikra_class_Car_1 0 2 ikra_class_Cell_2 1 4\n\t.reg .b64 \t%rd<9>;",
            )
            .replace("{\n\t//ikra:entry 6", "{\n\t//ikra:takes some\n\t//ikra:entry 6")
            .replace("ld.const.u64 a, [ikra_class_Car_1];", "ld.param.u64 a, [drive_words+0];")
            .replace(
                "{ .reg .b64 a; mov.b64 a, ikra_class_Car_1; add.u64 a, a, %rd1; ld.const.u64 %rd2, [a]; }",
                "ld.param.u64 %rd2, [drive_words+8];",
            )
            .replace(
                "{ .reg .b64 a; mov.b64 a, ikra_class_Cell_2; add.u64 a, a, %rd3; ld.const.u64 %rd4, [a]; }",
                "ld.param.u64 %rd4, [drive_words+24];",
            )
            .replace("ld.const.u64 slot, [ikra_class_Cell_2+8];", "ld.param.u64 slot, [drive_words+16];")
            .replace(
                "{ .reg .b64 a; mov.b64 a, ikra_class_Car_1; add.u64 a, a, %rd1; ld.const.u64 %rd6, [a]; }",
                "ld.param.u64 %rd6, [drive_words+8];",
            );
        assert_eq!(passed(CODE), wanted);
        assert_eq!(passed(&wanted.replace("\t//ikra:takes", "\t//taken")).matches("_words[").count(), 1, "once");
    }

    #[test]
    fn places_that_are_not_known_stay_in_constant_memory() {
        let twice = CODE.replace("mov.b64 \t%rd3, 32;", "mov.b64 \t%rd3, 32;\n\tmov.b64 \t%rd3, 40;");
        let passed = passed(&twice);
        assert!(passed.contains("//ikra:takes some ikra_class_Car_1 0 2 ikra_class_Cell_2 1\n"), "{passed}");
        assert!(passed.contains("mov.b64 a, ikra_class_Cell_2; add.u64 a, a, %rd3;"), "{passed}");
    }

    #[test]
    fn calls_by_a_pointer_may_lead_to_any_function() {
        let by_pointer = |callee: &str| passed(&CODE.replace("call.uni (retval0), deep,", callee));
        assert!(by_pointer("call (retval0), %rd8,").contains("//ikra:takes some\n"));
        assert!(by_pointer("call.uni (retval0), other,").contains("//ikra:takes all\n"));
    }

    #[test]
    fn there_are_no_more_parameters_than_devices_have_room_for() {
        let large = CODE.replace(".u32 drive_param_0", ".align 16 .b8 drive_param_0[4064]");
        let passed = passed(&large);
        assert!(
            passed.contains("drive_words[24]")
                && passed.contains("//ikra:takes some ikra_class_Car_1 0 2 ikra_class_Cell_2 1\n"),
            "{passed}"
        );
        assert_eq!(room(&["\t.param .u32 a,", "\t.param .align 16 .b8 b[24],", "\t.param .u8 c"]), (4096 - 48) / 8);
        assert_eq!(room(&["\t.param .align 4 .b8 b[4096]"]), 0);
        assert_eq!(room(&["\t.param .u64 .ptr .align 1 a"]), 511);
    }
}
