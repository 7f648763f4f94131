//! Entries of classes' tables as parameters of the kernels that read them.
//!
//! The addresses of columns are the same for a whole launch. If they are in constant memory, each kernel waits for them
//! when it starts, and the host writes them again whenever columns are exchanged. A parameter comes with the launch.
//! Some table entries stay in constant memory: those that a kernel does not read itself at a known position, because
//! called functions read them, and those that exceed the room for parameters.
//!
//! A comment tells the host the entries: `//ikra:takes all ikra_class_Car_1 1 5 ikra_class_Cell_2 0` are two entries of
//! one table and one of another, in this order. `all` says that the kernel reads no others, and `some` that it may.

use std::collections::{BTreeSet, HashSet};

use ikra_marks::{ABSENT, ENTRY, TABLE, TAKES};
use ikra_ptx::{
    Base, Body, Function, Instruction, Item, Modifier, Module, Opcode, Operand, Parameter, Position, Register, Type,
};

use super::edits;
use super::tables::{self, WORD};
use super::values::Values;
use crate::calls::Calls;

/// A table entry: the symbol of a class's table, and the position in bytes.
type Word = (String, u64);

/// Bytes of parameters that every device supports.
const PARAMETERS: u64 = 4096;

/// Turns the table entries that kernels read into parameters, and removes tables without readers. Returns how many
/// reads became reads of a parameter.
pub(super) fn passed(module: &mut Module) -> usize {
    let mut fired = 0;
    // The table entries of each kernel.
    let mut entries: Vec<(String, Vec<Word>)> = Vec::new();
    for function in module.functions_mut() {
        let is_entry = function.is_kernel
            && function.body.as_ref().is_some_and(|body| {
                body.annotations.iter().any(|annotation| ikra_marks::words(annotation, ENTRY).is_some())
            });
        if is_entry {
            let words = passed_to(function, &mut fired);
            entries.push((function.name.clone(), words));
        }
    }
    // Functions that read tables elsewhere, and the tables.
    let (mut readers, mut read) = (HashSet::new(), HashSet::new());
    for function in module.functions() {
        for table in function.body.iter().flat_map(|body| body.instructions()).flat_map(|(_, one)| tables_of(one)) {
            readers.insert(function.name.clone());
            read.insert(table.to_owned());
        }
    }
    let says: Vec<String> = {
        let calls = Calls::of(module);
        // The target of a call through a pointer is not known.
        let may_read = |callee: Option<&str>| callee.map_or(!readers.is_empty(), |name| readers.contains(name));
        let is_all = |symbol: &String| !readers.contains(symbol) && !calls.reached(symbol).into_iter().any(may_read);
        let which = |symbol| if is_all(symbol) { "all" } else { "some" };
        entries.iter().map(|(symbol, words)| format!("{TAKES} {}{}", which(symbol), listed(words))).collect()
    };
    let mut says = entries.iter().map(|(symbol, _)| symbol).zip(says);
    let mut next = says.next();
    for function in module
        .items
        .iter_mut()
        .filter_map(|item| if let Item::Function(function) = item { Some(function) } else { None })
    {
        if let (Some((symbol, said)), Some(body)) = (&next, &mut function.body)
            && **symbol == function.name
        {
            body.annotations.insert(0, said.clone());
            next = says.next();
        }
    }
    module.items.retain(|item| match item {
        Item::Variable(variable) if variable.name.starts_with(TABLE) => {
            read.contains(variable.name.strip_suffix(ABSENT).unwrap_or(&variable.name))
        }
        _ => true,
    });
    fired
}

/// Turns the table entries that one kernel reads into parameters, and returns them.
fn passed_to(function: &mut Function, fired: &mut usize) -> Vec<Word> {
    let room = room(&function.parameters);
    let Some(body) = &mut function.body else { return Vec::new() };
    let reads = reads(body);
    let all: BTreeSet<Word> = reads.iter().map(|(_, _, word)| word.clone()).collect();
    let words: Vec<Word> = all.into_iter().take(room).collect();
    if words.is_empty() {
        return words;
    }
    let name = format!("{}_words", function.name);
    let mut unread = Vec::new();
    for (at, to, word) in reads {
        if let Ok(place) = words.binary_search(&word) {
            let from = Operand::Memory(Base::Symbol(name.clone()), (place as u64 * WORD).cast_signed());
            let operands = vec![Operand::Register(to), from];
            unread.extend(edits::read_by([body.at(at)]));
            *body.at_mut(at) = Instruction::new(Opcode::Ld, &[Modifier::Param, Modifier::Type(Type::U64)], operands);
            *fired += 1;
        }
    }
    edits::remove_unread(body, unread);
    function.parameters.push(Parameter {
        is_register: false,
        align: Some(8),
        ty: Type::B8,
        pointer: None,
        name,
        len: Some(words.len() as u64 * WORD),
    });
    words
}

/// Reads of table entries at known positions.
fn reads(body: &Body) -> Vec<(Position, Register, Word)> {
    let values = Values::new(body);
    let read = |(at, one)| {
        let read = tables::read(one, &values)?;
        let (table, place) = read.word()?;
        Some((at, read.to, (table.to_owned(), place)))
    };
    body.instructions().filter(|(_, one)| one.guard.is_none()).filter_map(read).collect()
}

/// ` table position position table position` of entries, grouped by table.
fn listed(words: &[Word]) -> String {
    let same = words.chunk_by(|one, next| one.0 == next.0);
    let places = |words: &[Word]| words.iter().map(|(_, place)| format!(" {}", place / WORD)).collect::<String>();
    same.map(|words| format!(" {}{}", words[0].0, places(words))).collect()
}

/// How many table entries a kernel with these parameters can take.
fn room(parameters: &[Parameter]) -> usize {
    let end = parameters
        .iter()
        .fold(0, |end: u64, parameter| end.next_multiple_of(u64::from(parameter.alignment())) + parameter.bytes());
    (PARAMETERS.saturating_sub(end.next_multiple_of(WORD)) / WORD) as usize
}

/// The symbols of tables that an instruction names.
fn tables_of(one: &Instruction) -> impl Iterator<Item = &str> {
    one.operands.iter().filter_map(|operand| match operand {
        Operand::Symbol(name, _) | Operand::Memory(Base::Symbol(name), _) => {
            name.starts_with(TABLE).then_some(name.as_str())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    /// Two classes, of which one is read by a called function, and a third without readers.
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
	{ .reg .b64 table, at; mov.b64 table, ikra_class_Cell_2; add.u64 at, table, %rd1; ld.const.u64 %rd2, [at]; }
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
	{ .reg .b64 table, at; mov.b64 table, ikra_class_Car_1; add.u64 at, table, %rd1; ld.const.u64 %rd2, [at]; }
	{ .reg .b64 table, at; mov.b64 table, ikra_class_Cell_2; add.u64 at, table, %rd3; ld.const.u64 %rd4, [at]; }
	{ .reg .b64 slot; ld.const.u64 slot, [ikra_class_Cell_2+8]; add.s64 %rd7, slot, %rd9; }
	mov.b64 	%rd3, 32;
	{ .reg .b64 table, at; mov.b64 table, ikra_class_Car_1; add.u64 at, table, %rd1; ld.const.u64 %rd6, [at]; }
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

    /// The program with the parameters of its kernels.
    fn done(code: &str) -> String {
        let mut module = testing::parsed(code);
        passed(&mut module);
        testing::shown(&module)
    }

    #[test]
    fn entries_take_the_words_that_they_read() {
        let read = |table: &str, place: &str, to: &str| {
            format!(
                "{{ .reg .b64 table, at; mov.b64 table, {table}; add.u64 at, table, {place}; ld.const.u64 {to}, [at]; }}"
            )
        };
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
            // The instructions that computed the positions are removed.
            .replace("\tmov.b64 \t%rd1, 16;\n", "")
            .replace("\tmov.b64 \t%rd3, 32;\n", "")
            .replace(&read("ikra_class_Car_1", "%rd1", "%rd2"), "ld.param.u64 %rd2, [drive_words+8];")
            .replace(&read("ikra_class_Cell_2", "%rd3", "%rd4"), "ld.param.u64 %rd4, [drive_words+24];")
            .replace("ld.const.u64 slot, [ikra_class_Cell_2+8];", "ld.param.u64 slot, [drive_words+16];")
            .replace(&read("ikra_class_Car_1", "%rd1", "%rd6"), "ld.param.u64 %rd6, [drive_words+8];");
        assert_eq!(testing::done(passed, CODE), (testing::normal(&wanted), 5));
        assert_eq!(done(&wanted.replace("\t//ikra:takes", "\t//taken")).matches("_words[").count(), 1, "once");
    }

    #[test]
    fn places_that_are_not_known_stay_in_constant_memory() {
        let twice = CODE.replace("mov.b64 \t%rd3, 32;", "mov.b64 \t%rd3, 32;\n\tmov.b64 \t%rd3, 40;");
        let passed = done(&twice);
        assert!(passed.contains("//ikra:takes some ikra_class_Car_1 0 2 ikra_class_Cell_2 1\n"), "{passed}");
        assert!(passed.contains("mov.b64 table_1, ikra_class_Cell_2;\nadd.u64 at_1, table_1, %rd3;"), "{passed}");
    }

    #[test]
    fn calls_by_a_pointer_may_lead_to_any_function() {
        let by_pointer = |callee: &str| done(&CODE.replace("call.uni (retval0), deep,", callee));
        assert!(by_pointer("call (retval0), %rd8,").contains("//ikra:takes some\n"));
        assert!(by_pointer("call.uni (retval0), other,").contains("//ikra:takes all\n"));
    }

    #[test]
    fn there_are_no_more_parameters_than_devices_have_room_for() {
        let large = CODE.replace(".u32 drive_param_0", ".align 16 .b8 drive_param_0[4064]");
        let passed = done(&large);
        assert!(
            passed.contains("drive_words[24]")
                && passed.contains("//ikra:takes some ikra_class_Car_1 0 2 ikra_class_Cell_2 1\n"),
            "{passed}"
        );
        let room_beside = |parameters: &str| {
            let module = testing::parsed(&format!(".entry kernel({parameters})\n{{\n\tret;\n}}\n"));
            room(&module.functions().next().unwrap().parameters)
        };
        assert_eq!(room_beside(".param .u32 a, .param .align 16 .b8 b[24], .param .u8 c"), (4096 - 48) / 8);
        assert_eq!(room_beside(".param .align 4 .b8 b[4096]"), 0);
        assert_eq!(room_beside(".param .u64 .ptr .align 1 a"), 511);
    }
}
