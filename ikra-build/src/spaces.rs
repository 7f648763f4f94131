//! Addresses in device code that are known to be in global memory.
//!
//! Where a column starts is read from the class's table, as a number of which LLVM knows nothing: so what it loads and stores there
//! may be in any memory for it, and the device looks at each address. Here these instructions are made ones for global memory: where
//! the address is the start of a column and numbers added to it.

use std::collections::HashMap;

use crate::loops::functions;
use crate::ptx::{self, unguarded};

/// What a register of 64 bits holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    /// Nothing that was looked at yet.
    Nothing,
    /// An address in a column.
    Column,
    /// A number that is no address.
    Number,
    /// An address elsewhere, or it is not known what.
    Other,
}

use Held::{Column, Nothing, Number, Other};

impl Held {
    /// What is held where either is.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Nothing, held) | (held, Nothing) => held,
            (one, another) if one == another => one,
            _ => Other,
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Other, _) | (_, Other) | (Column, Column) => Other,
            (Nothing, _) | (_, Nothing) => Nothing,
            (Number, Number) => Number,
            (Column, Number) | (Number, Column) => Column,
        }
    }

    fn minus(self, other: Self) -> Self {
        match (self, other) {
            (Other, _) | (_, Other) | (Number, Column) => Other,
            (Nothing, _) | (_, Nothing) => Nothing,
            (Column, Column) | (Number, Number) => Number,
            (Column, Number) => Column,
        }
    }
}

/// Operations whose results are no addresses, whatever they are of.
const NUMBERS: &[&str] =
    &["mul.", "shl.", "shr.", "cvt.", "and.", "or.", "xor.", "not.", "neg.", "abs.", "min.", "max.", "rem.", "div."];

/// The code with instructions for global memory wherever they are known to access it.
pub(crate) fn named(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut changed: HashMap<usize, String> = HashMap::new();
    for body in functions(&lines) {
        let held = held(&lines[body.clone()]);
        changed.extend(body.filter_map(|n| Some((n, global(lines[n], &held)?))));
    }
    ptx::rewritten(lines.iter().enumerate(), &changed)
}

/// What each register of a function holds, wherever in the function.
fn held<'c>(lines: &[&'c str]) -> HashMap<&'c str, Held> {
    let mut statements: Vec<(&str, &str, Vec<&str>, bool)> = Vec::new();
    for line in lines {
        let reads_table = line.contains("ld.const.u64") && line.contains("ikra_class_");
        for statement in line.split(';') {
            let Some((operation, to, from)) = ptx::statement(statement) else { continue };
            let from: Vec<&str> = from.split(',').map(str::trim).collect();
            for to in to.filter(|to| to.starts_with("%rd")) {
                statements.push((to, operation, from.clone(), reads_table));
            }
        }
    }
    let mut held: HashMap<&str, Held> = HashMap::new();
    loop {
        let mut is_done = true;
        for (to, operation, from, reads_table) in &statements {
            let of = |n: usize| match from.get(n) {
                Some(number) if number.parse::<i64>().is_ok() => Number,
                Some(register) if register.starts_with("%rd") => held.get(register).copied().unwrap_or(Nothing),
                _ => Other,
            };
            let new = match *operation {
                "add.s64" | "add.u64" => of(0).plus(of(1)),
                "sub.s64" | "sub.u64" => of(0).minus(of(1)),
                "mov.b64" | "mov.u64" => of(0),
                "selp.b64" => of(0).or(of(1)),
                "ld.const.u64" if *reads_table => Column,
                "mad.wide.u32" | "mad.wide.s32" | "mad.lo.s64" => Number.plus(of(2)),
                _ if NUMBERS.iter().any(|number| operation.starts_with(number)) => Number,
                _ => Other,
            };
            let before = held.get(to).copied().unwrap_or(Nothing);
            let now = before.or(new);
            if now != before {
                held.insert(to, now);
                is_done = false;
            }
        }
        if is_done {
            return held;
        }
    }
}

/// The line as an instruction for global memory, if it is one without a name of memory at an address in a column.
fn global(line: &str, held: &HashMap<&str, Held>) -> Option<String> {
    let instruction = unguarded(line.trim_start());
    let (operation, operands) = instruction.split_once(char::is_whitespace)?;
    let (kind, rest) = operation.split_once('.')?;
    let is_plain = rest.split('.').all(|part| {
        ["v2", "v4"].contains(&part)
            || part.strip_prefix(['b', 'u', 's', 'f']).is_some_and(|bits| bits.parse::<u8>().is_ok())
    });
    if !["ld", "st"].contains(&kind) || !is_plain {
        return None;
    }
    let address = operands.split_once('[')?.1.split([']', '+']).next()?.trim();
    if held.get(address) != Some(&Column) {
        return None;
    }
    let start = line.len() - instruction.len();
    Some(format!("{}{kind}.global.{}", &line[..start], &instruction[kind.len() + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns in %rd1 and %rd2; %rd5 goes through one in a loop; %rd10 is local memory, %rd20 their distance.
    const CODE: &str = "\
.visible .entry kernel(
)
{
	{ .reg .b64 a; mov.b64 a, ikra_class_Cell_1; add.u64 a, a, %rd3; ld.const.u64 %rd1, [a]; }
	{ .reg .b64 a; mov.b64 a, ikra_class_Cell_1; add.u64 a, a, %rd4; ld.const.u64 %rd2, [a]; }
	mul.wide.u32 	%rd6, %r1, 4;
	add.s64 	%rd7, %rd1, %rd6;
	ld.b32 	%r2, [%rd7+-4];
	mov.b64 	%rd5, %rd2;
$L__BB0_1:
	@%p1 ld.v2.b32 	{%r3, %r4}, [%rd5];
	st.b8 	[%rd5+1], %r3;
	add.s64 	%rd5, %rd5, 8;
	@%p2 bra 	$L__BB0_1;
	mov.b64 	%rd10, __local_depot0;
	add.s64 	%rd11, %rd10, %rd6;
	ld.b32 	%r5, [%rd11];
	selp.b64 	%rd12, %rd11, %rd7, %p1;
	st.b32 	[%rd12], %r5;
	sub.s64 	%rd20, %rd2, %rd1;
	add.s64 	%rd21, %rd11, %rd20;
	ld.b32 	%r6, [%rd21];
	add.s64 	%rd22, %rd7, %rd20;
	ld.b32 	%r7, [%rd22];
	add.s64 	%rd23, %rd10, %rd1;
	ld.b32 	%r8, [%rd23];
	ld.param.b64 	%rd24, [kernel_param_0];
	ld.b64 	%rd25, [%rd24];
	add.s64 	%rd26, %rd25, %rd1;
	ld.b32 	%r9, [%rd26];
	ld.relaxed.gpu.b32 	%r9, [%rd1];
	ret;
}
";

    #[test]
    fn what_is_added_to_a_columns_start_is_in_global_memory() {
        let named = named(CODE);
        let changed: Vec<&str> =
            named.lines().zip(CODE.lines()).filter(|(new, old)| new != old).map(|(new, _)| new.trim()).collect();
        assert_eq!(
            changed,
            [
                "ld.global.b32 	%r2, [%rd7+-4];",
                "@%p1 ld.global.v2.b32 	{%r3, %r4}, [%rd5];",
                "st.global.b8 	[%rd5+1], %r3;",
                "ld.global.b32 	%r7, [%rd22];",
            ]
        );
    }

    #[test]
    fn registers_of_other_functions_do_not_count() {
        let code = CODE.replace("\n$L__BB0_1:", "\n}\n.func other(\n)\n{\n$L__BB0_1:");
        assert_eq!(named(&code).matches(".global.").count(), 1);
    }
}
