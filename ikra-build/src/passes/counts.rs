//! The numbers of objects, which kernels read from global memory: read once, at the start.
//!
//! The compiler does not know that they may be read earlier than the program does, for example in a loop that follows
//! links. There each iteration would stall on the count before it can load the linked object.

use ikra_ptx::{Base, Body, Instruction, Modifier, Module, Opcode, Operand, Position, Register, Type};

use super::edits::{self, Edits};
use super::tables;
use super::values::Values;

/// The load of a number of objects, as `ikra_core` writes it: from the address in the first entry of the class's table.
const LOAD: [Modifier; 3] = [Modifier::Global, Modifier::Nc, Modifier::Type(Type::B32)];

/// Makes one load per function and class.
pub(super) fn read_once(module: &mut Module) -> usize {
    module.functions_mut().filter_map(|function| function.body.as_mut()).map(read_once_in).sum()
}

fn read_once_in(body: &mut Body) -> usize {
    let readings: Vec<(Position, String, Register)> = {
        let values = Values::new(body);
        let reading = |(at, one)| reading(one, &values).map(|(table, to)| (at, table.to_owned(), to));
        body.instructions().filter_map(reading).collect()
    };
    let mut tables: Vec<(String, Register)> = Vec::new();
    let mut edits = Edits::default();
    let mov = |to, from| {
        let operands = vec![Operand::Register(to), Operand::Register(from)];
        Instruction::new(Opcode::Mov, &[Modifier::Type(Type::B32)], operands)
    };
    for (at, table, to) in &readings {
        let known = tables.iter().find(|(known, _)| known == table).map(|&(_, count)| count);
        let count = known.unwrap_or_else(|| {
            let count = body.new_register(&format!("%ikra_count{}", tables.len()), Type::B32);
            tables.push((table.clone(), count));
            count
        });
        edits.replace(*at, vec![mov(*to, count)]);
    }
    let unread = edits::read_by(readings.iter().map(|&(at, ..)| body.at(at)));
    edits.make(body);
    let mut start = Vec::new();
    for (table, count) in tables {
        let header = body.new_register("header", Type::B64);
        start.push(tables::load((&table, 0), header));
        let operands = vec![Operand::Register(count), Operand::Memory(Base::Register(header), 0)];
        start.push(Instruction::new(Opcode::Ld, &LOAD, operands));
    }
    if !readings.is_empty() {
        edits::remove_unread(body, unread);
        edits::begin_with(body, start);
    }
    readings.len()
}

/// The class's table and the register, of an instruction that loads a number of objects.
fn reading<'b>(one: &Instruction, values: &Values<'b>) -> Option<(&'b str, Register)> {
    let (&Base::Register(header), 0) = one.memory().filter(|_| one.is(Opcode::Ld, &LOAD))? else { return None };
    let read = tables::read(values.made_by(header)?, values).filter(|read| read.place == Some(0))?;
    Some((read.table, one.destination().filter(|_| one.guard.is_none())?))
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn each_function_reads_each_number_once() {
        let read = |table: &str, register: &str| {
            format!(
                "\t{{ .reg .b64 header; ld.const.u64 header, [ikra_class_{table}]; ld.global.nc.b32 {register}, [header]; }}\n"
            )
        };
        let code = format!(
            ".visible .entry follow(\n)\n{{\n\t.reg .pred \t%p<2>;\n\n\tadd.s32 \t%r1, %r1, 1;\n$L__BB0_1:\n{}{}{}\t@%p1 bra \t$L__BB0_1;\n\tret;\n}}
.func other(\n)\n{{\n{}\tret;\n}}\n.func none(\n)\n{{\n\tret;\n}}\n",
            read("body", "%r2"),
            read("tree", "%r3"),
            read("body", "%r4"),
            read("tree", "%r9"),
        );
        let once = |n: &str, table: &str, place: usize| {
            format!(
                "ld.const.u64 header{n}, [ikra_class_{table}];\nld.global.nc.b32 %ikra_count{place}, [header{n}];\n"
            )
        };
        let wanted = format!(
            ".visible .entry follow(\n)\n{{\n{}{}add.s32 %r1, %r1, 1;
$L__BB0_1:\nmov.b32 %r2, %ikra_count0;\nmov.b32 %r3, %ikra_count1;\nmov.b32 %r4, %ikra_count0;\n@%p1 bra $L__BB0_1;\nret;\n}}
.func other(\n)\n{{\n{}mov.b32 %r9, %ikra_count0;\nret;\n}}\n.func none(\n)\n{{\nret;\n}}\n",
            once("_3", "body", 0),
            once("_4", "tree", 1),
            once("_1", "tree", 0),
        );
        assert_eq!(testing::done(read_once, &code), (wanted, 4));
    }

    #[test]
    fn other_loads_stay() {
        let code = "\
.visible .entry other(
)
{
	ld.const.u64 	%rd1, [ikra_class_body+8];
	ld.global.nc.b32 	%r1, [%rd1];
	ld.const.u64 	%rd2, [ikra_class_body];
	ld.global.b32 	%r2, [%rd2];
	ld.global.nc.b32 	%r3, [%rd2+4];
	@%p1 ld.global.nc.b32 	%r4, [%rd2];
	ld.const.u64 	%rd3, [other];
	ld.global.nc.b32 	%r5, [%rd3];
	ret;
}
";
        assert_eq!(testing::done(read_once, code).1, 0);
    }
}
