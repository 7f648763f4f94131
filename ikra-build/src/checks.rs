//! Checks that fail by a panic, in what is done under a condition.
//!
//! The assembler does a few instructions under a condition without a branch, but not if a check that may panic stands before them:
//! `if near { stack.push(node) }` becomes a branch around a branch, at which the threads of a warp wait for each other. So the check
//! is made before the condition, and panics if both hold.

use std::collections::{HashMap, HashSet};

use crate::counts::is_declaration;
use crate::loops::{functions, label, target};
use crate::ptx::{assignments, plain, rewritten};

/// What the assembler does under a condition without a branch, at most.
const MOST: usize = 10;
/// What a check computes, at most, before it compares: all threads do it.
const MOST_BEFORE: usize = 3;
/// Whether both hold.
const FAILS: &str = "%ikra_fails";

/// The code with such checks before their conditions.
pub(crate) fn first(code: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut changed: HashMap<usize, String> = HashMap::new();
    for range in functions(&lines) {
        let body = &lines[range.clone()];
        let panics = panics(body);
        if panics.is_empty() {
            continue;
        }
        let assigned = assignments(body);
        let mut made = HashMap::new();
        for n in 0..body.len() {
            if !made.contains_key(&n)
                && let Some(check) = check(body, n, &panics, &assigned)
            {
                let skips = body[n];
                made.insert(n, format!("{}\n{skips}", check.first));
                made.extend((n + 1..check.end).map(|n| (n, String::new())));
            }
        }
        let start = (0..body.len()).find(|&n| !is_declaration(body[n])).filter(|_| !made.is_empty());
        if let Some(start) = start {
            let line = made.remove(&start).unwrap_or_else(|| body[start].to_owned());
            made.insert(start, format!("\t.reg .pred \t{FAILS};\n{line}"));
            changed.extend(made.into_iter().map(|(n, text)| (range.start + n, text)));
        }
    }
    rewritten(lines.iter().enumerate(), &changed)
}

/// A jump under a condition.
struct Jump<'c> {
    predicate: &'c str,
    /// Whether the predicate has to be false.
    is_negated: bool,
    to: &'c str,
}

fn jump(line: &str) -> Option<Jump<'_>> {
    let (guard, rest) = line.trim().strip_prefix('@')?.split_once(char::is_whitespace)?;
    let (predicate, is_negated) = guard.strip_prefix('!').map_or((guard, false), |predicate| (predicate, true));
    Some(Jump { predicate, is_negated, to: target(rest.trim())? })
}

/// The labels from which on a thread ends without doing anything else, but to say why.
fn panics<'c>(body: &[&'c str]) -> HashSet<&'c str> {
    let is_panic = |n: usize| {
        let lines = body[n + 1..].iter().map(|line| line.trim());
        let is_end = |line: &&str| line.starts_with("trap;");
        let mut block =
            lines.take_while(|line| label(line).is_none() && !line.contains("bra") && !line.contains("ret;"));
        block.any(|line| is_end(&line))
    };
    (0..body.len()).filter_map(|n| Some((n, label(body[n])?))).filter(|&(n, _)| is_panic(n)).map(|(_, at)| at).collect()
}

/// A check that is made too late.
struct Check {
    /// What makes it before the condition.
    first: String,
    /// The line behind it.
    end: usize,
}

/// The check that the `n`th line skips together with a few instructions.
fn check(body: &[&str], n: usize, panics: &HashSet<&str>, assigned: &HashMap<&str, usize>) -> Option<Check> {
    let skips = jump(body[n]).filter(|skips| !panics.contains(skips.to))?;
    // What it compares. Registers that are assigned once are not read where this is skipped.
    let mut first = String::new();
    let mut at = n + 1;
    while let Some((name, operands)) = plain(body.get(at)?) {
        let is_cheap = ["setp.", "add.s", "sub.s", "and.b", "mul.wide.u32"].iter().any(|cheap| name.starts_with(cheap));
        let to = operands[0];
        let is_own = match to.strip_prefix("%p") {
            Some(_) => body.iter().filter(|line| plain(line).is_some_and(|(_, others)| others[0] == to)).count() == 1,
            None => assigned.get(to) == Some(&1),
        };
        if !is_cheap || !is_own || to.contains('|') || at - n > MOST_BEFORE {
            return None;
        }
        first.push_str(body[at]);
        first.push('\n');
        at += 1;
    }
    let passes = jump(body[at])?;
    let (fails, mut end) = match target(body.get(at + 1)?.trim()) {
        _ if panics.contains(passes.to) => (passes, at + 1),
        Some(to) if panics.contains(to) && label(body.get(at + 2)?) == Some(passes.to) => {
            (Jump { is_negated: !passes.is_negated, to, ..passes }, at + 2)
        }
        _ => return None,
    };
    let check_end = end;
    end += usize::from(label(body.get(end)?).is_some());
    // What is done under the condition.
    let last = (end..body.len().min(end + MOST + 1)).find(|&n| !is_simple(body[n]))?;
    if label(body[last]).or_else(|| target(body[last].trim())) != Some(skips.to) {
        return None;
    }
    let (skip, fail, to) = (skips.predicate, fails.predicate, fails.to);
    first += &match (skips.is_negated, fails.is_negated) {
        (true, false) => format!("\tand.pred \t{FAILS}, {skip}, {fail};\n\t@{FAILS} bra \t{to};"),
        (true, true) => {
            format!("\tnot.pred \t{FAILS}, {fail};\n\tand.pred \t{FAILS}, {FAILS}, {skip};\n\t@{FAILS} bra \t{to};")
        }
        (false, false) => {
            format!("\tnot.pred \t{FAILS}, {skip};\n\tand.pred \t{FAILS}, {FAILS}, {fail};\n\t@{FAILS} bra \t{to};")
        }
        (false, true) => format!("\tor.pred \t{FAILS}, {skip}, {fail};\n\t@!{FAILS} bra \t{to};"),
    };
    Some(Check { first, end: check_end })
}

/// Whether a line is something that the assembler does under a condition.
fn is_simple(line: &str) -> bool {
    let text = line.trim();
    let leads_on = ["@", "$", "}", "bra", "call", "bar", "ret", "exit", "trap"];
    is_declaration(line)
        || (text.ends_with([';', '}'])
            && !leads_on.iter().any(|kind| text.starts_with(kind))
            && !text.contains(['@', '$']))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUSH: &str = "\
.visible .entry kernel(
)
{
	.reg .b32 	%r<9>;
	ld.global.b32 	%r1, [%rd1];
$L__BB0_1:
	setp.eq.b32 	%p1, %r1, 0;
	@%p1 bra 	$L__BB0_4;
	setp.lt.u32 	%p2, %r2, 64;
	@%p2 bra 	$L__BB0_3;
	bra.uni 	$L__BB0_2;
$L__BB0_3:
	mul.wide.u32 	%rd3, %r2, 8;
	add.s64 	%rd4, %rd2, %rd3;
	add.s32 	%r2, %r2, 1;
	st.local.b32 	[%rd4], %r1;
$L__BB0_4:
	@%p3 bra 	$L__BB0_1;
	ret;
$L__BB0_2:
	{
	.param .b32 	ikra_panic_object;
	call.uni ikra_panic_0, (ikra_panic_object);
	}
	trap; exit;
}
";

    #[test]
    fn a_check_comes_before_the_condition() {
        let condition = "\t@%p1 bra \t$L__BB0_4;\n";
        let check = "\tsetp.lt.u32 \t%p2, %r2, 64;\n\t@%p2 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_2;\n";
        let both = |joined: &str| {
            let first = format!("\tsetp.lt.u32 \t%p2, %r2, 64;\n{joined} bra \t$L__BB0_2;\n");
            let wanted = PUSH.replace(&format!("{condition}{check}"), &format!("{first}{condition}\n\n\n"));
            wanted.replace("\tld.global.b32 \t%r1", "\t.reg .pred \t%ikra_fails;\n\tld.global.b32 \t%r1")
        };
        let or = both("\tor.pred \t%ikra_fails, %p1, %p2;\n\t@!%ikra_fails");
        assert_eq!(first(PUSH), or);
        assert_eq!(first(&or), or);
        // A jump to the panic itself, and what is skipped if the condition does not hold.
        let jump =
            PUSH.replace("\t@%p2 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_2;\n$L__BB0_3:\n", "\t@!%p2 bra \t$L__BB0_2;\n");
        assert_eq!(first(&jump), or.replace("\n\n\n\n", "\n\n\n").replace("$L__BB0_3:\n", ""));
        let and = both("\tnot.pred \t%ikra_fails, %p2;\n\tand.pred \t%ikra_fails, %ikra_fails, %p1;\n\t@%ikra_fails");
        let negated = |code: &str| code.replace("@%p1", "@!%p1");
        assert_eq!(first(&negated(PUSH)), negated(&and));
        let fails = jump.replace("@!%p2", "@%p2");
        let not = "\tnot.pred \t%ikra_fails, %p1;\n\tand.pred \t%ikra_fails, %ikra_fails, %p2;\n\t@%ikra_fails bra \t$L__BB0_2;\n\t@%p1 bra";
        assert!(first(&fails).contains(not), "{}", first(&fails));
        let and = "\tand.pred \t%ikra_fails, %p1, %p2;\n\t@%ikra_fails bra \t$L__BB0_2;\n\t@!%p1 bra";
        assert!(first(&negated(&fails)).contains(and), "{}", first(&negated(&fails)));
        let pair = PUSH.replace("st.local.b32 \t[%rd4], %r1", "st.local.v2.b32 \t[%rd4], {%r1, %r5}");
        assert!(first(&pair).contains("%ikra_fails"));
        // The end of what is done may be a jump.
        let away = PUSH.replace("%r1;\n$L__BB0_4:", "%r1;\n\tbra.uni \t$L__BB0_4;\n$L__BB0_5:\n\tret;\n$L__BB0_4:");
        assert!(first(&away).contains("%ikra_fails"));
    }

    #[test]
    fn other_branches_stay() {
        for (from, to) in [
            // No panic, or one behind other work.
            ("\ttrap; exit;", "\tret;"),
            ("\ttrap; exit;", "\tbra.uni \t$L__BB0_4;\n$L__BB0_6:\n\ttrap; exit;"),
            ("$L__BB0_3:\n", "\tret;\n$L__BB0_3:\n"),
            // What is compared is not to be had before.
            ("\tsetp.lt.u32 \t%p2, %r2, 64;", "\tld.global.b32 \t%r3, [%rd5];\n\tsetp.lt.u32 \t%p2, %r2, %r3;"),
            ("\tsetp.lt.u32 \t%p2, %r2, 64;", "\tadd.s32 \t%r2, %r2, 1;\n\tsetp.lt.u32 \t%p2, %r2, 64;"),
            ("\tsetp.lt.u32 \t%p2, %r2, 64;", "$L__BB0_7:\n\tsetp.lt.u32 \t%p2, %r2, 64;"),
            ("\t@%p3 bra", "\tsetp.ne.b32 \t%p2, %r1, 7;\n\t@%p3 bra"),
            // What is done is more than a few instructions.
            ("\tst.local.b32 \t[%rd4], %r1;", "\tcall.uni other, ();"),
            ("\tst.local.b32 \t[%rd4], %r1;", "\t@%p4 bra \t$L__BB0_4;\n\tst.local.b32 \t[%rd4], %r1;"),
            ("\tadd.s32 \t%r2, %r2, 1;", &"\tadd.s32 \t%r2, %r2, 1;\n".repeat(MOST)),
            ("%r1;\n$L__BB0_4:", "%r1;\n$L__BB0_8:\n\tadd.s32 \t%r5, %r5, 1;\n$L__BB0_4:"),
        ] {
            let code = PUSH.replace(from, to);
            assert_ne!(code, PUSH, "{from}");
            assert_eq!(first(&code), code, "{to}");
        }
    }
}
