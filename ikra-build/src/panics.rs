//! Where kernels panic: there the device code says which kernel it is and which object it works on.
//!
//! Kernels note both in two registers, as `ikra_gpu::device` writes it. A panic is a call that does not return. Before it, a
//! call of `ikra_failing` hands them over. So they cost nothing where no panic can happen, and a register where one can.

use std::ops::Range;

use crate::counts::is_declaration;
use crate::loops::functions;

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
    let mut before: Vec<(usize, &str)> = Vec::new();
    let mut dropped = vec![false; lines.len()];
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
        before.push((start, REGISTERS));
        before.extend(panics.into_iter().map(|n| (n, CALL)));
    }
    // A function is declared before it is called.
    if before.iter().any(|(_, text)| *text == CALL)
        && let Some(header) = lines.iter().position(|line| line.starts_with(".address_size"))
    {
        before.push((header + 1, PROTOTYPE));
    }
    before.sort_by_key(|(n, _)| *n);
    let mut before = before.into_iter().peekable();
    let mut reported = String::with_capacity(code.len() + 4096);
    for (n, line) in lines.iter().enumerate() {
        while let Some((_, text)) = before.next_if(|(at, _)| *at == n) {
            reported.push_str(text);
        }
        if !dropped[n] {
            reported.push_str(line);
            reported.push('\n');
        }
    }
    reported
}

/// The lines where calls begin that do not return: after them the compiler ends the thread.
fn panics(lines: &[&str], body: Range<usize>) -> Vec<usize> {
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
            panics.extend(start.take().filter(|_| is_end));
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
	call.uni panic, (param0);
	} // callseq 1
	// begin inline asm
	exit;
	// end inline asm
	trap; exit;
$L__BB0_2:
	ret;
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
        assert_eq!(code.matches("call.uni ikra_failing").count(), 1, "{code}");
        assert!(code.contains(&format!("\t@%p1 bra \t$L__BB0_2;\n{CALL}\t{{ // callseq 1, 0\n")), "{code}");
        assert!(code.contains(&format!(".address_size 64\n{PROTOTYPE}")), "{code}");
        assert!(code.contains(&format!("// %bb.0:\n{REGISTERS}\tld.param")), "{code}");
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
