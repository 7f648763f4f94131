//! The words of classes' tables in constant memory: kernels ask for them all at once, where they begin.
//!
//! Each kernel finds the caches of constants empty. The assembler reads a word where it is used, and most often so that a thread
//! waits for it, up to a thousand cycles one after the other. Here the first and the last word of each table that a kernel uses are
//! loaded at its entry, which brings the others with them. Their addresses depend on the thread, in name: such loads are waited for
//! where their result is used, all together. That is the number of the thread, to which they add nothing.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use crate::counts::is_declaration;
use crate::loops::functions;

/// What is read together: bytes of a table that most likely are in one line of the cache.
const LINE: u64 = 64;
/// Where a kernel asks for its number: before and after the register.
const THREAD: (&str, &str) = ("mov.u32 \t", ", %tid.x;");
/// How a word of a table is read, as `ikra_core` writes it: before the table, between that and the word, after the word.
const WORD: (&str, &str, &str) = ("{ .reg .b64 a; mov.b64 a, ", "; add.u64 a, a, ", "; ld.const.u64 ");
/// The same for the first word.
const FIRST: (&str, &str) = ("{ .reg .b64 a; ld.const.u64 a, [", "]; ");

/// The code with loads of these words where kernels begin.
pub(crate) fn asked_for_at_once(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut before: HashMap<usize, String> = HashMap::new();
    let mut after: HashMap<usize, String> = HashMap::new();
    for body in functions(&lines) {
        let is_entry = lines[..body.start]
            .iter()
            .rev()
            .find(|line| line.starts_with('.'))
            .is_some_and(|line| line.contains(".entry "));
        let words = words(&lines[body.clone()]);
        let thread = body.clone().find_map(|n| {
            let register = lines[n].trim().strip_prefix(THREAD.0)?.strip_suffix(THREAD.1)?;
            Some((n, register))
        });
        let start = body.clone().find(|&n| !is_declaration(lines[n]));
        let (true, true, Some((asks, thread)), Some(start)) = (is_entry, words.len() > 1, thread, start) else {
            continue;
        };
        let mut loads = format!(
            "\t.reg .b32 \t%ikra_word<{}>;\n\t{{ .reg .b64 a, none; mov.u32 %ikra_word0, %lanemask_lt; shr.u32 %ikra_word0, %ikra_word0, 31; \
             cvt.u64.u32 none, %ikra_word0;\n",
            words.len() + 1
        );
        for (n, (table, word)) in (1..).zip(&words) {
            // The upper half, in which no address has the highest bits.
            let _ = writeln!(
                loads,
                "\tmov.b64 a, {table}; add.u64 a, a, none; ld.const.b32 %ikra_word{n}, [a+{}]; or.b32 %ikra_word0, %ikra_word0, %ikra_word{n};",
                word + 4
            );
        }
        loads += "\tshr.u32 %ikra_word0, %ikra_word0, 28; }\n";
        before.insert(start, loads);
        after.insert(asks, format!("\tadd.u32 \t{thread}, {thread}, %ikra_word0;\n"));
    }
    let mut asked = String::with_capacity(code.len());
    for (n, line) in lines.iter().enumerate() {
        asked.push_str(before.get(&n).map_or("", String::as_str));
        asked.push_str(line);
        asked.push('\n');
        asked.push_str(after.get(&n).map_or("", String::as_str));
    }
    asked
}

/// The first and the last word that a function uses of each table, in bytes from its start; one, if they are near each other.
fn words<'c>(body: &[&'c str]) -> BTreeSet<(&'c str, u64)> {
    let mut constants: HashMap<&str, u64> = HashMap::new();
    let mut used: HashMap<&'c str, (u64, u64)> = HashMap::new();
    for line in body.iter().map(|line| line.trim()) {
        if let Some((register, number)) = line.strip_prefix("mov.b64 \t").and_then(|line| line.split_once(", "))
            && let Ok(number) = number.trim_end_matches(';').parse()
        {
            constants.insert(register, number);
        }
        let word = line.strip_prefix(WORD.0).and_then(|line| line.split_once(WORD.1)).and_then(|(table, line)| {
            let (register, _) = line.split_once(WORD.2)?;
            Some((table, *constants.get(register)?))
        });
        let first =
            || line.strip_prefix(FIRST.0).and_then(|line| line.split_once(FIRST.1)).map(|(table, _)| (table, 0));
        if let Some((table, word)) = word.or_else(first) {
            let (low, high) = used.entry(table).or_insert((word, word));
            (*low, *high) = ((*low).min(word), (*high).max(word));
        }
    }
    used.into_iter()
        .flat_map(|(table, (low, high))| [(table, low), (table, if high - low < LINE { low } else { high })])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: &str, word: &str) -> String {
        format!("\t{}{table}{}{word}{}%rd9, [a]; }}\n", WORD.0, WORD.1, WORD.2)
    }

    fn kernel(kind: &str, body: &str) -> String {
        format!(
            "{kind} k(\n\t.param .u32 k_param_0\n)\n{{\n\t.reg .b32 \t%r<3>;\n\tmov.u32 \t%r1, %tid.x;\n{body}\tret;\n}}\n"
        )
    }

    #[test]
    fn the_first_and_the_last_word_of_each_table_are_asked_for() {
        let body = format!(
            "\tmov.b64 \t%rd1, 8;\n\tmov.b64 \t%rd2, 40;\n\tmov.b64 \t%rd3, 72;\n{}{}{}{}",
            read("tree", "%rd3"),
            read("tree", "%rd1"),
            read("tree", "%rd2"),
            format_args!("\t{}body{}ld.global.nc.b32 %r2, [a]; }}\n", FIRST.0, FIRST.1),
        );
        let code = asked_for_at_once(&kernel(".visible .entry", &body));
        for wanted in ["a, body; add.u64 a, a, none; ld.const.b32 %ikra_word1, [a+4]", "[a+12]", "[a+76]"] {
            assert!(code.contains(wanted), "{wanted}: {code}");
        }
        assert_eq!(code.matches("%ikra_word4").count(), 0, "{code}");
        assert!(code.contains("\tmov.u32 \t%r1, %tid.x;\n\tadd.u32 \t%r1, %r1, %ikra_word0;\n"), "{code}");
    }

    #[test]
    fn other_functions_and_a_single_word_stay() {
        let one = format!("\tmov.b64 \t%rd1, 8;\n{}", read("tree", "%rd1"));
        let two = format!("\tmov.b64 \t%rd2, 88;\n{one}{}", read("tree", "%rd2"));
        for code in [kernel(".visible .entry", &one), kernel(".func", &two)] {
            assert_eq!(asked_for_at_once(&code), code);
        }
        assert!(asked_for_at_once(&kernel(".visible .entry", &two)).contains("%ikra_word2"));
    }
}
