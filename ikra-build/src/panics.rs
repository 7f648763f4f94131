//! Where kernels panic: there the device code says which kernel it is and which object it works on.
//!
//! Kernels note both in two registers, as `ikra_gpu::device` writes it. A panic is a call that does not return. Before it, a
//! call of `ikra_failing` hands them over. So they cost nothing where no panic can happen, and a register where one can.
//!
//! Both calls are in a function of their own, which makes the addresses of the kernel's name and of the message: in the kernel, the
//! assembler would load them before it is known whether there is a panic, in each turn of a loop.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::counts::is_declaration;
use crate::loops::{functions, registers};

const NOTES: [&str; 2] = ["%ikra_kernel", "%ikra_object"];

const PROTOTYPE: &str = ".visible .func ikra_failing
(
	.param .b64 ikra_failing_param_0,
	.param .b32 ikra_failing_param_1
)
;
";

const REGISTERS: &str = "	.reg .b64 	%ikra_kernel;
	.reg .b32 	%ikra_object;
	mov.b64 	%ikra_kernel, 0;
	mov.b32 	%ikra_object, 0;
";

const CALL: &str = "	{
	.param .b64 	ikra_failing_kernel;
	.param .b32 	ikra_failing_object;
	st.param.b64 	[ikra_failing_kernel], %ikra_kernel;
	st.param.b32 	[ikra_failing_object], %ikra_object;
	call.uni ikra_failing, (ikra_failing_kernel, ikra_failing_object);
	}
";

/// The code with a report before each panic, and without notes where there is none.
pub(crate) fn reported(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let is_note = |line: &str| NOTES.iter().any(|note| line.contains(note));
    // What comes before a line, and lines that go.
    let mut before: Vec<(usize, String)> = Vec::new();
    let mut dropped = vec![false; lines.len()];
    let mut functions_made = 0;
    for body in functions(&lines) {
        let notes: Vec<usize> = body.clone().filter(|&n| is_note(lines[n])).collect();
        if notes.is_empty() {
            continue;
        }
        let panics = panics(&lines, body.clone());
        if panics.is_empty() {
            notes.into_iter().for_each(|n| dropped[n] = true);
            continue;
        }
        // After the declarations, which come first.
        let start = body.clone().find(|&n| !is_declaration(lines[n])).unwrap_or(body.start);
        before.push((start, REGISTERS.to_owned()));
        let constants = constants(&lines[body.clone()]);
        let name = only_name(&lines[body.clone()], &constants);
        let head = (0..body.start).rev().find(|&n| [".entry ", ".func "].iter().any(|kind| lines[n].contains(kind)));
        for call in panics {
            let (Some(head), Some(own)) = (head, function(&lines[call.clone()], name, functions_made)) else {
                before.push((call.start, CALL.to_owned()));
                continue;
            };
            before.push((head, own));
            before.push((call.start, call_of(functions_made)));
            functions_made += 1;
            call.for_each(|n| dropped[n] = true);
        }
    }
    // A function is declared before it is called.
    if before.iter().any(|(_, text)| text.contains("call.uni ikra_failing"))
        && let Some(header) = lines.iter().position(|line| line.starts_with(".address_size"))
    {
        before.push((header + 1, PROTOTYPE.to_owned()));
    }
    before.sort_by_key(|(n, _)| *n);
    let mut before = before.into_iter().peekable();
    let mut reported = String::with_capacity(code.len() + 4096);
    for (n, line) in lines.iter().enumerate() {
        while let Some((_, text)) = before.next_if(|(at, _)| *at == n) {
            reported.push_str(&text);
        }
        if !dropped[n] {
            reported.push_str(line);
            reported.push('\n');
        }
    }
    reported
}

/// The addresses of constants that registers of a function hold, by the symbols.
fn constants<'c>(lines: &[&'c str]) -> HashMap<&'c str, &'c str> {
    let mut constants = HashMap::new();
    for line in lines {
        let Some((operation, operands)) = line.trim().trim_end_matches(';').split_once(char::is_whitespace) else {
            continue;
        };
        let Some((to, from)) = operands.trim().split_once(", ") else { continue };
        match operation {
            "mov.b64" if from.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => constants.insert(to, from),
            "cvta.global.u64" => constants.get(from).copied().and_then(|symbol| constants.insert(to, symbol)),
            _ => None,
        };
    }
    constants
}

/// The name of the kernel that a function notes, if it is one.
fn only_name<'c>(lines: &[&'c str], constants: &HashMap<&str, &'c str>) -> Option<&'c str> {
    let mut notes =
        lines.iter().filter_map(|line| line.trim().strip_prefix("mov.b64 %ikra_kernel, ")?.strip_suffix(';'));
    let name = notes.next()?;
    notes.all(|other| other == name).then(|| constants.get(name).copied())?
}

/// The function with number `n`, which reports and makes the call in these lines, of a kernel with this name: unless the call's
/// arguments are made elsewhere.
fn function(call: &[&str], name: Option<&str>, n: usize) -> Option<String> {
    let name = name?;
    let mut own = BTreeSet::new();
    for line in call {
        let mut registers = registers(line);
        if line.trim_start().starts_with(['m', 'c']) && !line.trim_start().starts_with("call") {
            let to = registers.next().filter(|to| to.starts_with("%r"))?;
            own.insert(to);
        }
        if !registers.all(|register| own.contains(register)) {
            return None;
        }
    }
    let declarations: String = own
        .iter()
        .map(|register| format!("\t.reg .b{} \t{register};\n", if register.starts_with("%rd") { 64 } else { 32 }))
        .collect();
    Some(format!(
        ".func ikra_panic_{n}(\n\t.param .b32 ikra_panic_{n}_object\n)\n{{\n\t.reg .b64 \t%ikra_kernel;\n\t.reg .b32 \t%ikra_object;\n\
         {declarations}\tmov.b64 \t%ikra_kernel, {name};\n\tcvta.global.u64 \t%ikra_kernel, %ikra_kernel;\n\
         \tld.param.b32 \t%ikra_object, [ikra_panic_{n}_object];\n{CALL}{}\n\ttrap;\n}}\n",
        call.join("\n")
    ))
}

/// A call of that function.
fn call_of(n: usize) -> String {
    format!(
        "\t{{\n\t.param .b32 \tikra_panic_object;\n\tst.param.b32 \t[ikra_panic_object], %ikra_object;\n\
         \tcall.uni ikra_panic_{n}, (ikra_panic_object);\n\t}}\n"
    )
}

/// The lines of calls that do not return: after them the compiler ends the thread.
fn panics(lines: &[&str], body: Range<usize>) -> Vec<Range<usize>> {
    let mut panics = Vec::new();
    let mut start = None;
    for n in body.clone() {
        let line = lines[n].trim();
        if line.starts_with("{ // callseq") {
            start = Some(n);
        } else if line.starts_with("} // callseq") {
            let mut after = lines[n + 1..body.end].iter().map(|line| line.trim());
            let next = after.find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("$L__tmp"));
            let is_end = next.is_some_and(|next| ["exit;", "trap;"].iter().any(|end| next.starts_with(end)));
            panics.extend(start.take().filter(|_| is_end).map(|start| start..n + 1));
        }
    }
    panics
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "\
.version 6.3
.address_size 64

.visible .entry fails(
)
{
	.reg .b64 	%rd<3>;

// %bb.0:
	ld.param.b32 	%r1, [fails_param_0];
	mov.b64 	%rd1, name;
	cvta.global.u64 	%rd2, %rd1;
	// begin inline asm
	mov.b64 %ikra_kernel, %rd2;
mov.b32 %ikra_object, %r1;
	// end inline asm
	{ // callseq 0, 0
	call.uni helper, ();
	} // callseq 0
	@%p1 bra 	$L__BB0_2;
	{ // callseq 1, 0
	.param .b64 	param0;
	mov.b64 	%rd3, message;
	cvta.global.u64 	%rd4, %rd3;
	st.param.b64 	[param0], %rd4;
	call.uni panic, (param0);
	} // callseq 1
	// begin inline asm
	exit;
	// end inline asm
	trap; exit;
$L__BB0_2:
	{ // callseq 3, 0
	st.param.b32 	[param0], %r1;
	call.uni panic, (param0);
	} // callseq 3
	trap; exit;
}
.visible .entry works(
)
{
	// begin inline asm
	mov.b64 %ikra_kernel, %rd2;
mov.b32 %ikra_object, %r1;
	// end inline asm
	ret;
}
.func panic(
)
{
	{ // callseq 2, 0
	call.uni __assertfail, ();
	} // callseq 2
	trap; exit;
}
";

    #[test]
    fn panics_are_reported_with_kernel_and_object() {
        let code = reported(CODE);
        assert_eq!(code.matches("call.uni ikra_failing").count(), 2, "{code}");
        assert!(code.contains(&format!(".address_size 64\n{PROTOTYPE}")), "{code}");
        assert!(code.contains(&format!("// %bb.0:\n{REGISTERS}\tld.param")), "{code}");
        // What is passed is made in the kernel.
        assert!(code.contains(&format!("$L__BB0_2:\n{CALL}\t{{ // callseq 3, 0\n")), "{code}");
    }

    #[test]
    fn a_panic_whose_message_is_constant_is_a_function() {
        let code = reported(CODE);
        let (own, kernel) = code.split_once(".visible .entry fails(").unwrap();
        let own = own.split_once(".func ikra_panic_0(").unwrap().1;
        for line in [
            "\tmov.b64 \t%ikra_kernel, name;",
            "\t.reg .b64 \t%rd3;",
            "\tmov.b64 \t%rd3, message;",
            "\tcall.uni panic, (param0);",
        ] {
            assert!(own.lines().any(|own| own == line), "{line} is not in {own}");
        }
        let call = call_of(0);
        assert!(
            kernel.contains(&format!("\t@%p1 bra \t$L__BB0_2;\n{call}\t// begin inline asm\n\texit;\n")),
            "{kernel}"
        );
        assert!(!kernel.contains("message"), "{kernel}");
    }

    #[test]
    fn where_no_panic_is_nothing_is_noted() {
        let code = reported(CODE);
        let (_, works) = code.split_once("works(").unwrap();
        assert!(!works.contains("%ikra"), "{works}");
        let none = "{\n\tret;\n}\n";
        assert_eq!(reported(none), none);
    }
}
