//! Slots of inner arrays that have a column each: where the position is a constant, by their own column's start.
//!
//! LLVM knows where the first slot is and how far the columns are apart, and makes of a loop over slots that it has unrolled a
//! chain of sums, each of which waits for the one before. The starts of all columns are in the class's table, side by side.
//!
//! How many slots there are is not known here: an address may be one past the last, from which a program goes back. Memory is only
//! accessed at slots that exist. So a sum is replaced only if nothing is done with it but accesses of memory, and further sums of which
//! this holds.

use std::collections::{HashMap, HashSet};

use ikra_ptx::{Base, Body, Instruction, Modifier, Module, Opcode, Operand, Position, Register, Type};

use super::edits::Edits;
use super::tables::{self, WORD, Word};
use super::values::{self, Values};

/// What a register of 64 bits holds, if it is assigned once.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held<'b> {
    /// A word of a class's table: where a column starts.
    Start(Word<'b>),
    /// So many times the distance of the columns whose starts are at this word and the next.
    Distance(Word<'b>, u64),
    /// The start of the column at the second place, and what is in a register; made of that at the first.
    Slot(&'b str, u64, u64, Register),
}

use Held::{Distance, Slot, Start};

/// Makes such addresses of words of the tables.
pub(super) fn direct(module: &mut Module) -> usize {
    module.functions_mut().filter_map(|function| function.body.as_mut()).map(direct_in).sum()
}

fn direct_in(body: &mut Body) -> usize {
    let found = found(body);
    let mut edits = Edits::default();
    for (at, to, table, place, offset) in &found {
        let slot = body.new_register("slot", Type::B64);
        let add = values::add(*to, Operand::Register(slot), Operand::Register(*offset));
        edits.replace(*at, vec![tables::load((table.as_str(), *place), slot), add]);
    }
    edits.make(body);
    found.len()
}

/// Sums that are made of words: where, of which register, of which word, and what is added to it.
fn found(body: &Body) -> Vec<(Position, Register, String, u64, Register)> {
    let values = Values::new(body);
    let mut held: HashMap<Register, Held<'_>> = HashMap::new();
    let mut sums: Vec<(Position, Register, Word<'_>, Register)> = Vec::new();
    for block in values.cfg.reverse_postorder() {
        for (index, one) in body.blocks[block].instructions.iter().enumerate() {
            let at = Position { block, index };
            let Some(to) = one.destination().filter(|&to| values.definition(to) == Some(at)) else { continue };
            let Some(now) = made(one, at, &values, &held) else { continue };
            if let Slot(table, _, place, offset) = now
                && one.sources().iter().any(|of| is_distance(of, &held))
            {
                sums.push((at, to, (table, place), offset));
            }
            held.insert(to, now);
        }
    }
    // Those that are nothing but addresses: one that is not may be what others are made of.
    let mut replaced: HashSet<Register> = sums.iter().map(|&(_, to, ..)| to).collect();
    loop {
        let count = replaced.len();
        for &(_, to, ..) in &sums {
            if !is_address(to, &values, &replaced, 4) {
                replaced.remove(&to);
            }
        }
        if replaced.len() == count {
            break;
        }
    }
    sums.retain(|(_, to, ..)| replaced.contains(to));
    sums.into_iter().map(|(at, to, (table, place), offset)| (at, to, table.to_owned(), place, offset)).collect()
}

/// What an instruction makes, given what registers hold.
fn made<'b>(
    one: &'b Instruction,
    at: Position,
    values: &Values<'b>,
    held: &HashMap<Register, Held<'b>>,
) -> Option<Held<'b>> {
    if let Some(read) = tables::read(one, values) {
        return read.word().map(Start);
    }
    // What is made before on each way here.
    let of =
        |operand: &Operand| held.get(&operand.register()?).copied().filter(|_| is_made_before(operand, at, values));
    if let Some((_, a, b)) = values::sum(one) {
        return match (of(a), of(b)) {
            // A distance is that of one array, whose first two slots are at these words.
            (Some(Slot(table, first, place, offset)), Some(Distance((same, word), times)))
            | (Some(Distance((same, word), times)), Some(Slot(table, first, place, offset)))
                if table == same && [word, word + WORD].contains(&first) =>
            {
                Some(Slot(table, first, place.checked_add(times.checked_mul(WORD)?)?, offset))
            }
            (Some(Start((table, word))), None) if is_made_before(b, at, values) => {
                Some(Slot(table, word, word, b.register()?))
            }
            (None, Some(Start((table, word)))) if is_made_before(a, at, values) => {
                Some(Slot(table, word, word, a.register()?))
            }
            _ => None,
        };
    }
    let [_, a, b] = &one.operands[..] else { return None };
    if one.is(Opcode::Sub, &[Modifier::Type(Type::S64)]) {
        return match (of(a)?, of(b)?) {
            (Start((table, next)), Start((same, word))) if table == same && next == word + WORD => {
                Some(Distance((table, word), 1))
            }
            _ => None,
        };
    }
    if one.is(Opcode::Shl, &[Modifier::Type(Type::B64)]) {
        let by = b.integer().filter(|by| (0..8).contains(by))?;
        return match of(a)? {
            Distance(word, times) => Some(Distance(word, times << by)),
            _ => None,
        };
    }
    None
}

fn is_made_before(operand: &Operand, at: Position, values: &Values<'_>) -> bool {
    operand.register().is_some_and(|register| values.is_made_before(register, at))
}

fn is_distance(operand: &Operand, held: &HashMap<Register, Held<'_>>) -> bool {
    operand.register().is_some_and(|register| matches!(held.get(&register), Some(Distance(..))))
}

/// Whether a register is read by nothing but accesses of memory at it, and sums that are replaced, or with constants,
/// of which the same holds.
fn is_address(register: Register, values: &Values<'_>, replaced: &HashSet<Register>, depth: u32) -> bool {
    values.uses.reads(register).iter().all(|&at| {
        let one = values.body.at(at);
        if let Some((to, a, b)) = values::sum(one) {
            let is_constant = |operand: &Operand| operand.integer().is_some();
            let is_further = depth > 0 && (is_constant(a) || is_constant(b)) && values.definition(to) == Some(at);
            return replaced.contains(&to) || is_further && is_address(to, values, replaced, depth - 1);
        }
        // The same in another notation.
        if one.is(Opcode::Cvta, &[Modifier::To, Modifier::Global, Modifier::Type(Type::U64)]) {
            let to = one.destination().filter(|&to| depth > 0 && values.definition(to) == Some(at));
            return to.is_some_and(|to| is_address(to, values, replaced, depth - 1));
        }
        // What is stored there is another.
        let is_base = matches!(one.memory(), Some((Base::Register(base), _)) if *base == register);
        let is_stored = one.operands.iter().any(|operand| match operand {
            Operand::Register(other) => *other == register,
            Operand::Vector(all) => all.iter().any(|other| other.register() == Some(register)),
            _ => false,
        });
        is_base && !is_stored
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    /// Slots in the columns at words 16, 24, 32 and 40; an object's place in each is %rd9; %rd20 is assigned twice.
    const CODE: &str = "\
.visible .entry kernel(
)
{
	ld.param.b64 	%rd9, [kernel_param_0];
	mov.b64 	%rd1, 16;
	{ .reg .b64 table, at; mov.b64 table, ikra_class_Cell_1; add.u64 at, table, %rd1; ld.const.u64 %rd2, [at]; }
	mov.b64 	%rd3, 24;
	{ .reg .b64 table, at; mov.b64 table, ikra_class_Cell_1; add.u64 at, table, %rd3; ld.const.u64 %rd4, [at]; }
	sub.s64 	%rd5, %rd4, %rd2;
	add.s64 	%rd6, %rd2, %rd9;
	ld.global.b32 	%r1, [%rd6];
	add.s64 	%rd7, %rd6, %rd5;
	ld.global.b32 	%r2, [%rd7];
	add.s64 	%rd8, %rd7, %rd5;
	shl.b64 	%rd10, %rd5, 1;
	add.s64 	%rd11, %rd10, %rd6;
	add.s64 	%rd12, %rd11, 4;
	st.global.b32 	[%rd12], %r2;
	{ .reg .b64 a; .reg .pred p; cvta.to.global.u64 a, %rd8; setp.lt.u32 p, %r1, %r2; @p ld.global.b32 %r3, [a]; }
	add.s64 	%rd20, %rd6, %rd5;
	add.s64 	%rd20, %rd20, %rd5;
	mul.lo.s64 	%rd21, %rd22, %rd5;
	add.s64 	%rd23, %rd6, %rd21;
	ret;
}
";

    const WORDS: [&str; 6] = [
        "ld.const.u64 slot, [ikra_class_Cell_1+24];",
        "add.s64 %rd7, slot, %rd9;",
        "ld.const.u64 slot_1, [ikra_class_Cell_1+32];",
        "add.s64 %rd8, slot_1, %rd9;",
        "ld.const.u64 slot_2, [ikra_class_Cell_1+32];",
        "add.s64 %rd11, slot_2, %rd9;",
    ];

    #[test]
    fn slots_at_constant_positions_are_found_by_their_columns() {
        assert_eq!(testing::changed(direct, CODE), WORDS);
        assert_eq!(testing::done(direct, CODE).1, 3);
    }

    #[test]
    fn other_tables_and_other_words_are_no_distance() {
        assert_eq!(testing::done(direct, &CODE.replacen("ikra_class_Cell_1", "ikra_class_Car_1", 1)).1, 0);
        assert_eq!(testing::done(direct, &CODE.replace("%rd3, 24", "%rd3, 32")).1, 0);
    }

    #[test]
    fn what_is_added_is_the_same_at_both_places() {
        // It is assigned anew, in between or for all that is known.
        let again = CODE.replace("\tadd.s64 \t%rd7,", "\tadd.s64 \t%rd9, %rd9, 4;\n\tadd.s64 \t%rd7,");
        assert_eq!(testing::done(direct, &again).1, 0);
        let other = CODE
            .replace("\tld.param.b64 \t%rd9,", "\t@%p1 bra \t$L__BB0_1;\n\tld.param.b64 \t%rd9,")
            .replace("\tadd.s64 \t%rd7,", "$L__BB0_1:\n\tadd.s64 \t%rd7,");
        assert_eq!(testing::done(direct, &other).1, 0, "one way does not pass the sum");
    }

    /// An array of two slots at words 16 and 24, and another field's column at 32, which are gone through from behind.
    const PAST: &str = "\
.visible .entry kernel(
)
{
	ld.param.b64 	%rd8, [kernel_param_0];
	ld.const.u64 	%rd2, [ikra_class_Cell_1+16];
	ld.const.u64 	%rd4, [ikra_class_Cell_1+24];
	sub.s64 	%rd5, %rd4, %rd2;
	shl.b64 	%rd6, %rd5, 1;
	add.s64 	%rd7, %rd2, %rd8;
	add.s64 	%rd9, %rd7, %rd6;
	sub.s64 	%rd10, %rd9, %rd5;
	ld.global.b32 	%r1, [%rd10];
	ret;
}
";

    #[test]
    fn an_address_past_the_last_slot_is_no_slot() {
        assert_eq!(testing::done(direct, PAST).1, 0);
        // What is made of it and no slot either.
        let further = PAST.replace(
            "\tsub.s64 \t%rd10, %rd9, %rd5;",
            "\tadd.s64 \t%rd11, %rd9, %rd5;\n\tsub.s64 \t%rd10, %rd11, %rd6;",
        );
        assert_eq!(testing::done(direct, &further).1, 0);
        for other in ["st.global.b64 \t[%rd2], %rd9;", "add.s64 \t%rd12, %rd9, %rd20;", "setp.eq.b64 \t%p1, %rd9, 0;"] {
            let code = PAST.replace("sub.s64 \t%rd10, %rd9, %rd5;\n\tld.global.b32 \t%r1, [%rd10];", other);
            assert_eq!(testing::done(direct, &code).1, 0, "{other}");
        }
        let accessed = PAST
            .replace("sub.s64 \t%rd10, %rd9, %rd5;\n\tld.global.b32 \t%r1, [%rd10];", "ld.global.b32 \t%r1, [%rd9];");
        assert_eq!(testing::done(direct, &accessed).1, 1);
    }
}
