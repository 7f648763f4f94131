//! Functions that no kernel calls: their bodies go.
//!
//! A panic whose message has values in it takes the addresses of functions that would write these, though on a device nobody does.
//! The assembler takes each function whose address is taken for one that may be called, and gives the kernel the registers that the
//! largest of them needs: 50 in place of 32, for one `expect`, one index that is checked, or one `push` to an `ArrayVec`, so that a
//! third of the threads find no place.
//!
//! As long as nothing that a kernel calls makes a call by an address, only what is called by its name can run.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::loops::functions;

/// The code, in which functions that cannot be called end the thread.
pub(crate) fn emptied(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let Some(uncalled) = uncalled(&lines) else { return code.to_owned() };
    let mut emptied = String::with_capacity(code.len());
    let mut bodies = uncalled.into_iter().peekable();
    for (n, line) in lines.iter().enumerate() {
        while bodies.next_if(|body| body.end <= n).is_some() {}
        match bodies.peek() {
            Some(body) if body.start == n => emptied.push_str("\texit;\n"),
            Some(body) if body.contains(&n) => {}
            _ => {
                emptied.push_str(line);
                emptied.push('\n');
            }
        }
    }
    emptied
}

/// The lines of the bodies that cannot be called, in order; none where that is not known.
fn uncalled(lines: &[&str]) -> Option<Vec<Range<usize>>> {
    let mut bodies = Vec::new();
    let mut numbers = HashMap::new();
    let mut waiting = Vec::new();
    for (number, body) in functions(lines).filter(|body| !body.is_empty()).enumerate() {
        let (name, is_hidden) = head(lines, body.start)?;
        numbers.insert(name, number);
        if !is_hidden {
            waiting.push(number);
        }
        bodies.push(body);
    }
    let mut called: HashSet<usize> = waiting.iter().copied().collect();
    while let Some(number) = waiting.pop() {
        for line in &lines[bodies[number].clone()] {
            for callee in callees(line) {
                if callee.is_empty() || callee.starts_with('%') {
                    return None;
                }
                // What has no body is the driver's.
                waiting.extend(numbers.get(callee).filter(|&&callee| called.insert(callee)));
            }
        }
    }
    Some(bodies.into_iter().enumerate().filter(|(number, _)| !called.contains(number)).map(|(_, body)| body).collect())
}

/// The name of the function whose body starts at a line, and whether only what is in the code can call it.
fn head<'c>(lines: &[&'c str], body: usize) -> Option<(&'c str, bool)> {
    let line = lines[..body].iter().rev().find(|line| line.starts_with('.') && keyword(line).is_some())?;
    let mut rest = keyword(line)?.trim_start();
    if rest.starts_with('(') {
        // What it returns.
        rest = rest.split_once(')')?.1.trim_start();
    }
    let end = rest.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(rest.len());
    Some((&rest[..end], line.starts_with(".func")))
}

/// What follows the word that says what begins here, if a function does.
fn keyword(line: &str) -> Option<&str> {
    [".entry ", ".func "].iter().find_map(|kind| Some(line.split_once(kind)?.1))
}

/// What is called in a line: names of functions, registers, or nothing where the call is not understood.
fn callees(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    code.match_indices("call").filter_map(move |(at, word)| {
        if code[..at].ends_with(is_part) {
            return None;
        }
        let rest = &code[at + word.len()..];
        let rest = rest.strip_prefix(".uni").unwrap_or(rest);
        if rest.starts_with(is_part) {
            return None;
        }
        let mut rest = rest.trim_start();
        if rest.starts_with('(') {
            rest = rest
                .split_once(')')
                .map_or("", |(_, rest)| rest)
                .trim_start()
                .strip_prefix(',')
                .unwrap_or("")
                .trim_start();
        }
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        Some(&rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "\
.version 6.3
.address_size 64
.func panic
(
	.param .b64 panic_param_0
)
;
.visible .func failing
(
)
;
.global .align 8 .b64 vtable[2] = {8, write};

.func  (.param .b32 func_retval0) write(
	.param .b64 write_param_0
)
{
	//ikra: call %rd1
	prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);
	call (retval0), %rd6, (param0), prototype_0;
	ret;
}
.visible .entry body(
)
{
	//ikra:entry 14127684536260370666 call 1448452832549125265 0 1
	{ // callseq 0, 0
	call.uni (retval0), other, (param0);
	} // callseq 0
	{ .reg .pred p; @p call.uni helper, (); }
	mov.b64 %rd1, write;
	ret;
}
.func  (.param .b32 func_retval0) other(
)
{
	call.uni panic, (param0);
	trap;
}
.func helper()
{
	call.uni __assertfail, (param0);
	trap;
}
.func panic(
	.param .b64 panic_param_0
)
{
	call.uni failing, (param0);
	trap;
}
.func unused(
)
{
	call.uni write, (param0);
	ret;
}
.visible .func failing(
)
{
	ret;
}
";

    #[test]
    fn what_is_only_looked_at_is_emptied() {
        let code = emptied(CODE);
        for name in ["write(\n\t.param .b64 write_param_0\n)", "unused(\n)"] {
            assert!(code.contains(&format!("{name}\n{{\n\texit;\n}}\n")), "{name}: {code}");
        }
        assert_eq!(code.matches("exit;").count(), 2, "{code}");
        assert_eq!(code.lines().count(), CODE.lines().count() - 3 - 1, "{code}");
        assert_eq!(emptied(&code), code);
    }

    #[test]
    fn where_a_kernel_calls_by_an_address_all_stays() {
        let code = CODE.replace("call.uni __assertfail, (param0);", "call.uni (retval0), %rd7, (param0), prototype_1;");
        assert_eq!(emptied(&code), code);
        let code = CODE.replace("call.uni __assertfail, (param0);", "call.uni\n\t(retval0), write, (param0);");
        assert_eq!(emptied(&code), code, "a call that is not understood");
    }
}
