//! Slots of inner arrays that have a column each: where the position is a constant, by their own column's start.
//!
//! LLVM knows where the first slot is and how far the columns are apart, and makes of a loop over slots that it has unrolled a
//! chain of sums, each of which waits for the one before. The starts of all columns are in the class's table, side by side.

use std::collections::HashMap;

use crate::loops::functions;
use crate::{ptx, words};

/// What a register of 64 bits holds, if it is assigned once.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held<'c> {
    Number(u64),
    /// A word of a class's table: the table and the word's place in bytes.
    Word(&'c str, u64),
    /// So many times the distance of the columns whose starts are at this word and the next.
    Distance(&'c str, u64, u64),
    /// The start of the column at the second word, and what is in a register; made of that at the first.
    Slot(&'c str, u64, u64, &'c str),
}

use Held::{Distance, Number, Slot, Word};

const WORD: u64 = 8;

/// The code with such addresses made of words of the tables.
pub(crate) fn direct(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut changed: HashMap<usize, String> = HashMap::new();
    for body in functions(&lines) {
        let assigned = ptx::assignments(&lines[body.clone()]);
        // A register that is assigned once is assigned before it is used, and where one is assigned anew, so is what was made of it.
        let mut held: HashMap<&str, Held<'_>> = HashMap::new();
        for n in body {
            let Some((to, now)) = held_by(lines[n], &held).filter(|(to, _)| assigned.get(to) == Some(&1)) else {
                continue;
            };
            if let (Slot(table, _, word, offset), true) = (now, is_sum_with_distance(lines[n], &held)) {
                let text = "{ .reg .b64 slot; ld.const.u64 slot, ";
                changed.insert(n, format!("\t{text}[{table}+{word}]; add.s64 {to}, slot, {offset}; }}"));
            }
            held.insert(to, now);
        }
    }
    ptx::rewritten(lines.iter().enumerate(), &changed)
}

/// What a line assigns, given what was assigned before.
fn held_by<'c>(line: &'c str, held: &HashMap<&'c str, Held<'c>>) -> Option<(&'c str, Held<'c>)> {
    if let Some((table, place, to)) = words::indexed(line) {
        let Some(&Number(place)) = held.get(place) else { return None };
        return Some((to, Word(table, place)));
    }
    let (operation, operands) = ptx::plain(line)?;
    let (&to, from) = operands.split_first()?;
    let (&one, more) = from.split_first()?;
    let other = more.first().copied().unwrap_or_default();
    let of = |register| held.get(register).copied();
    let now = match operation {
        "mov.b64" | "mov.u64" => Number(one.parse().ok()?),
        "sub.s64" => match (of(one)?, of(other)?) {
            (Word(table, next), Word(same, word)) if table == same && next == word + WORD => Distance(table, word, 1),
            _ => return None,
        },
        "shl.b64" => match of(one)? {
            Distance(table, word, times) => {
                Distance(table, word, times << other.parse::<u32>().ok().filter(|&by| by < 8)?)
            }
            _ => return None,
        },
        "add.s64" => match (of(one), of(other)) {
            // A distance is that of one array, whose first two slots are at these words.
            (Some(Slot(table, first, at, offset)), Some(Distance(same, word, times)))
            | (Some(Distance(same, word, times)), Some(Slot(table, first, at, offset)))
                if table == same && [word, word + WORD].contains(&first) =>
            {
                Slot(table, first, at.checked_add(times.checked_mul(WORD)?)?, offset)
            }
            (Some(Word(table, word)), None) if other.starts_with("%rd") => Slot(table, word, word, other),
            (None, Some(Word(table, word))) if one.starts_with("%rd") => Slot(table, word, word, one),
            _ => return None,
        },
        _ => return None,
    };
    Some((to, now))
}

fn is_sum_with_distance(line: &str, held: &HashMap<&str, Held<'_>>) -> bool {
    let is_distance = |register: &str| matches!(held.get(register), Some(Distance(..)));
    ptx::plain(line).is_some_and(|(_, operands)| operands[1..].iter().any(|register| is_distance(register)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slots in the columns at words 16, 24, 32 and 40; another object's at %rd9; %rd20 is assigned twice.
    const CODE: &str = "\
.visible .entry kernel(
)
{
	mov.b64 	%rd1, 16;
	{ .reg .b64 a; mov.b64 a, ikra_class_Cell_1; add.u64 a, a, %rd1; ld.const.u64 %rd2, [a]; }
	mov.b64 	%rd3, 24;
	{ .reg .b64 a; mov.b64 a, ikra_class_Cell_1; add.u64 a, a, %rd3; ld.const.u64 %rd4, [a]; }
	sub.s64 	%rd5, %rd4, %rd2;
	add.s64 	%rd6, %rd2, %rd9;
	ld.global.b32 	%r1, [%rd6];
	add.s64 	%rd7, %rd6, %rd5;
	ld.global.b32 	%r2, [%rd7];
	add.s64 	%rd8, %rd7, %rd5;
	shl.b64 	%rd10, %rd5, 1;
	add.s64 	%rd11, %rd10, %rd6;
	add.s64 	%rd12, %rd11, 4;
	add.s64 	%rd20, %rd6, %rd5;
	add.s64 	%rd20, %rd20, %rd5;
	mul.lo.s64 	%rd21, %rd22, %rd5;
	add.s64 	%rd23, %rd6, %rd21;
	ret;
}
";

    #[test]
    fn slots_at_constant_positions_are_found_by_their_columns() {
        let direct = direct(CODE);
        let changed: Vec<&str> =
            direct.lines().zip(CODE.lines()).filter(|(new, old)| new != old).map(|(new, _)| new.trim()).collect();
        assert_eq!(
            changed,
            [
                "{ .reg .b64 slot; ld.const.u64 slot, [ikra_class_Cell_1+24]; add.s64 %rd7, slot, %rd9; }",
                "{ .reg .b64 slot; ld.const.u64 slot, [ikra_class_Cell_1+32]; add.s64 %rd8, slot, %rd9; }",
                "{ .reg .b64 slot; ld.const.u64 slot, [ikra_class_Cell_1+32]; add.s64 %rd11, slot, %rd9; }",
            ]
        );
    }

    #[test]
    fn other_tables_and_other_words_are_no_distance() {
        assert_eq!(direct(&CODE.replacen("ikra_class_Cell_1", "ikra_class_Car_1", 1)).matches("slot").count(), 0);
        assert_eq!(direct(&CODE.replace("%rd3, 24", "%rd3, 32")).matches("slot").count(), 0);
    }
}
