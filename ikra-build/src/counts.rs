//! The numbers of objects, which kernels read from global memory: once, where they begin.
//!
//! The compiler does not know that they may be read earlier than where the program asks for them, as in a loop that follows
//! links. There a thread would wait for them again and again, with the object that a link is to next in line.

use std::collections::HashMap;

use crate::loops::functions;
use crate::ptx::rewritten;

/// What reads the number of objects of a class, as `ikra_core` writes it: before and after the class's table.
const READ: (&str, &str) = ("{ .reg .b64 a; ld.const.u64 a, [", "]; ld.global.nc.b32 ");
const END: &str = ", [a]; }";

/// The code with one reading per function and class.
pub(crate) fn read_once(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut changed: HashMap<usize, String> = HashMap::new();
    for body in functions(&lines) {
        let mut tables: Vec<&str> = Vec::new();
        for n in body.clone() {
            let Some((table, register)) = reading(lines[n]) else { continue };
            let place = tables.iter().position(|&known| known == table).unwrap_or_else(|| {
                tables.push(table);
                tables.len() - 1
            });
            changed.insert(n, format!("\tmov.b32 \t{register}, %ikra_count{place};"));
        }
        // Declarations come first, and no label can stand before them: nothing jumps here.
        let start = body.clone().find(|&n| !is_declaration(lines[n])).filter(|_| !tables.is_empty());
        let Some(start) = start else { continue };
        let mut text = format!("\t.reg .b32 \t%ikra_count<{}>;\n", tables.len());
        for (place, table) in tables.iter().enumerate() {
            text += &format!("\t{}{table}{}%ikra_count{place}{END}\n", READ.0, READ.1);
        }
        let first = changed.remove(&start).unwrap_or_else(|| lines[start].to_owned());
        changed.insert(start, text + &first);
    }
    if changed.is_empty() {
        return code.to_owned();
    }
    rewritten(lines.iter().enumerate(), &changed)
}

/// The class's table and the register, of a line that reads a number of objects.
fn reading(line: &str) -> Option<(&str, &str)> {
    line.trim().strip_prefix(READ.0)?.strip_suffix(END)?.split_once(READ.1)
}

/// Whether a line of a function declares something, or says nothing.
pub(crate) fn is_declaration(line: &str) -> bool {
    line.trim_start().starts_with(['.', '/']) || line.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_reads_each_number_once() {
        let read = |table: &str, register: &str| format!("\t{}{table}{}{register}{END}\n", READ.0, READ.1);
        let code = format!(
            ".visible .entry follow(\n)\n{{\n\t.reg .pred \t%p<2>;\n\n\tadd.s32 \t%r1, %r1, 1;\n$L__BB0_1:\n{}{}{}\tret;\n}}
.func other(\n)\n{{\n{}\tret;\n}}\n.func none(\n)\n{{\n\tret;\n}}\n",
            read("body", "%r2"),
            read("tree", "%r3"),
            read("body", "%r4"),
            read("tree", "%r9"),
        );
        let wanted = format!(
            ".visible .entry follow(\n)\n{{\n\t.reg .pred \t%p<2>;\n\n\t.reg .b32 \t%ikra_count<2>;\n{}{}\tadd.s32 \t%r1, %r1, 1;
$L__BB0_1:\n\tmov.b32 \t%r2, %ikra_count0;\n\tmov.b32 \t%r3, %ikra_count1;\n\tmov.b32 \t%r4, %ikra_count0;\n\tret;\n}}
.func other(\n)\n{{\n\t.reg .b32 \t%ikra_count<1>;\n{}\tmov.b32 \t%r9, %ikra_count0;\n\tret;\n}}
.func none(\n)\n{{\n\tret;\n}}\n",
            read("body", "%ikra_count0"),
            read("tree", "%ikra_count1"),
            read("tree", "%ikra_count0"),
        );
        assert_eq!(read_once(&code), wanted);
    }
}
