//! What device code holds, read from its text.
//!
//! For tests of a model: that a kernel loads a column once, that it keeps nothing in local memory.
//!
//! ```
//! let code = "
//! .visible .entry add(
//!     .param .u64 add_param_0
//! )
//! {
//!     ld.param.b64    %rd1, [add_param_0];
//!     ld.global.b32   %r1, [%rd1];
//!     ret;
//! }
//! ";
//! let kernels = ikra_build::ptx::kernels(code);
//! assert_eq!(kernels[0].name, "add");
//! assert_eq!(kernels[0].parameters, [".u64 add_param_0"]);
//! assert_eq!(kernels[0].count("ld.global"), 1);
//! assert_eq!(kernels[0].local_bytes(), 0);
//! ```

use std::collections::{BTreeMap, HashMap};

/// A kernel in device code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its parameters' declarations, without `.param`: `.u64 name`, `.align 8 .b8 name[24]`.
    pub parameters: Vec<String>,
    /// Its instructions and declarations.
    pub body: String,
}

impl Kernel {
    /// The bytes of local memory that a thread needs.
    #[must_use]
    pub fn local_bytes(&self) -> u64 {
        self.body.lines().filter_map(|line| array_bytes(line.trim().strip_prefix(".local ")?)).sum()
    }

    /// The number of barriers, of blocks and of warps.
    ///
    /// It has to be the number in the source: a compiler that copies a barrier into both arms of a branch
    /// makes threads wait for ever.
    #[must_use]
    pub fn barriers(&self) -> usize {
        self.instructions().filter(|at| at.starts_with("bar.") || at.starts_with("barrier.")).count()
    }

    /// The number of instructions that start with `prefix`, such as `ld.global` or `bar`.
    #[must_use]
    pub fn count(&self, prefix: &str) -> usize {
        self.instructions().filter(|instruction| instruction.starts_with(prefix)).count()
    }

    /// The instructions, without labels and guards.
    pub fn instructions(&self) -> impl Iterator<Item = &str> {
        self.body
            .split(['\n', ';'])
            .map(|line| line.trim().trim_start_matches('{').trim())
            .map(unguarded)
            .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
    }
}

/// Name, destinations and the other operands of a statement, of which `{%r1, %r2}` and `%p1|%p2` are two destinations each; a
/// guard and the brace of a block before it are left out.
pub(crate) fn statement(text: &str) -> Option<(&str, impl Iterator<Item = &str>, &str)> {
    let (name, operands) = unguarded(text.trim().trim_start_matches('{').trim()).split_once(char::is_whitespace)?;
    let operands = operands.trim();
    let (to, from) = match operands.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((all, from)) => (all, from.trim_start_matches(',')),
        None => operands.split_once(',').unwrap_or((operands, "")),
    };
    Some((name, to.split(['|', ',']).map(str::trim), from))
}

/// Name and operands of a line that is one instruction, which is always executed.
pub(crate) fn plain(line: &str) -> Option<(&str, Vec<&str>)> {
    let text = line.trim().strip_suffix(';')?;
    if text.starts_with(['@', '{', '.', '/']) || text.contains('{') {
        return None;
    }
    let (name, operands) = text.split_once(char::is_whitespace)?;
    Some((name, operands.split(',').map(str::trim).collect()))
}

/// How often each register of 32 or 64 bits is assigned in the lines of a function.
pub(crate) fn assignments<'t>(lines: &[&'t str]) -> HashMap<&'t str, usize> {
    let mut assigned = HashMap::new();
    for text in lines.iter().flat_map(|line| line.split(';')) {
        let Some((_, to, _)) = statement(text) else { continue };
        for to in to.filter(|to| to.starts_with("%r")) {
            *assigned.entry(to).or_default() += 1;
        }
    }
    assigned
}

/// The text of numbered lines, with others in the place of some.
pub(crate) fn rewritten(
    lines: impl Iterator<Item = (usize, impl AsRef<str>)>,
    changed: &HashMap<usize, String>,
) -> String {
    let mut text = String::new();
    for (n, line) in lines {
        text.push_str(changed.get(&n).map_or(line.as_ref(), String::as_str));
        text.push('\n');
    }
    text
}

/// `ret;` of `@%p1 ret;`.
pub(crate) fn unguarded(instruction: &str) -> &str {
    match instruction.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim()),
        None => instruction,
    }
}

/// `4096` of `.align 8 .b8 name[4096];`
pub(crate) fn array_bytes(declaration: &str) -> Option<u64> {
    declaration.split_once('[')?.1.split_once(']')?.0.parse().ok()
}

/// The kernels of a PTX text, in its order.
#[must_use]
pub fn kernels(ptx: &str) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    let mut lines = ptx.lines();
    while let Some(line) = lines.next() {
        let Some((_, rest)) = line.split_once(".entry ") else { continue };
        let name = rest.split(|c: char| c == '(' || c.is_whitespace()).next().unwrap_or_default().to_owned();
        let mut parameters = Vec::new();
        let mut body = String::new();
        let mut is_body = line.contains('{');
        for line in lines.by_ref() {
            if line.starts_with('}') {
                break;
            }
            if is_body {
                body.push_str(line);
                body.push('\n');
            } else if line.starts_with('{') {
                is_body = true;
            } else if let Some(parameter) = line.trim().strip_prefix(".param ") {
                parameters.push(parameter.trim_end_matches(',').to_owned());
            }
        }
        kernels.push(Kernel { name, parameters, body });
    }
    kernels
}

/// Something in device code that should not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A function that is called and does not exist.
    Unresolved(String),
    /// Variables that are kept in local memory, which is slow.
    LocalMemory {
        /// The kernel.
        kernel: String,
        /// Bytes a thread.
        bytes: u64,
    },
    /// A function that may call itself: how much stack that takes is not known.
    Recursion {
        /// The kernel.
        kernel: String,
        /// The function, as `Class::method` where it is one.
        function: String,
    },
}

/// The functions that each function calls by name, in order.
pub(crate) fn calls(ptx: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut calls: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let (mut declared, mut own) = (None, None);
    for (start, line) in ptx.lines().map(|line| (line.as_ptr().addr() - ptx.as_ptr().addr(), line)) {
        let text = unguarded(line.trim());
        if let Some((_, rest)) = line.split_once(".entry ").or_else(|| line.split_once(".func ")) {
            declared = Some(first_name(rest));
        } else if line.starts_with('{') {
            own = declared.take();
            calls.entry(own.unwrap_or_default()).or_default();
        } else if line.starts_with('}') {
            own = None;
        } else if let (Some(own), true) = (own, text.starts_with("call")) {
            // `call.uni (retval0), name, (…);`, on several lines if there are many arguments.
            let all = ptx[start..].split(';').next().unwrap_or_default();
            let callee = first_name(all.split_once("call").map_or("", |(_, rest)| rest.trim_start_matches(".uni")));
            calls.entry(own).or_default().push(callee);
        }
    }
    calls
}

/// `name` of `(…), name, …` or `name(…`.
pub(crate) fn first_name(text: &str) -> &str {
    let text = text.trim();
    let text = if text.starts_with('(') { text.split_once(')').map_or("", |(_, rest)| rest) } else { text };
    let text = text.trim_start_matches([',', ' ', '\t', '\n']);
    text.split(|c: char| c == '(' || c == ',' || c.is_whitespace()).next().unwrap_or_default()
}

/// The functions that are reached from one, in the order in which they are met.
pub(crate) fn reached<'c>(calls: &BTreeMap<&str, Vec<&'c str>>, from: &str) -> Vec<&'c str> {
    let mut reached: Vec<&str> = Vec::new();
    let mut open: Vec<&str> = calls.get(from).into_iter().flatten().rev().copied().collect();
    while let Some(next) = open.pop() {
        if !reached.contains(&next) {
            reached.push(next);
            open.extend(calls.get(next).into_iter().flatten().rev());
        }
    }
    reached
}

/// Kernels that call functions that may call themselves, with the first of these. Calls by a pointer are not followed.
fn recursions(ptx: &str) -> Vec<(&str, &str)> {
    let calls = calls(ptx);
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    let mut is_recursive = |name| *known.entry(name).or_insert_with(|| reached(&calls, name).contains(&name));
    let kernels = ptx.lines().filter_map(|line| Some(first_name(line.split_once(".entry ")?.1)));
    kernels
        .filter_map(|kernel| Some((kernel, reached(&calls, kernel).into_iter().find(|&name| is_recursive(name))?)))
        .collect()
}

/// `Tree::sum` of a symbol.
fn method(symbol: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(symbol));
    // Of `<a::Type<b::C> as c::Trait>::method`, what is not in inner brackets.
    let (mut plain, mut depth) = (String::new(), 0_usize);
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth <= usize::from(name.starts_with('<')) => plain.push(c),
            _ => {}
        }
    }
    let path = match plain.split_once(" as ") {
        Some((ty, rest)) => format!("{ty}::{}", rest.rsplit("::").next().unwrap_or_default()),
        None => plain,
    };
    let mut parts = path.rsplit("::").filter(|part| !part.is_empty());
    let (function, of) = (parts.next().unwrap_or_default(), parts.next());
    // A class's methods are those of its view and its ref.
    let class = |of: &str| of.strip_suffix("Mut").or(of.strip_suffix("Ref")).unwrap_or(of).to_owned();
    of.map_or(function.to_owned(), |of| format!("{}::{function}", class(of)))
}

/// Functions that the driver supplies.
const SUPPLIED: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

/// What is wrong with device code, although it is well-formed.
#[must_use]
pub fn problems(ptx: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut lines = ptx.lines();
    while let Some(line) = lines.next() {
        if !line.trim_start().starts_with(".extern .func") {
            continue;
        }
        // `.extern .func (.param …) name`, the name perhaps on the next line.
        let mut text = line.trim().to_owned();
        while !text.contains(';') && !text.ends_with('(') {
            match lines.next() {
                Some(line) => text.push_str(&format!(" {}", line.trim())),
                None => break,
            }
        }
        let text = text.trim_start_matches(".extern .func").trim();
        let text = if text.starts_with('(') { text.split_once(')').map_or("", |(_, rest)| rest) } else { text };
        let name = text.trim().split(|c: char| c == '(' || c == ';' || c.is_whitespace()).next().unwrap_or_default();
        if !name.is_empty() && !SUPPLIED.contains(&name) {
            problems.push(Problem::Unresolved(name.to_owned()));
        }
    }
    let recursions = recursions(ptx);
    for kernel in kernels(ptx) {
        let bytes = kernel.local_bytes();
        // What is passed to a function that calls itself is there in any case.
        if bytes > 0 && !recursions.iter().any(|&(recursive, _)| recursive == kernel.name) {
            problems.push(Problem::LocalMemory { kernel: kernel.name, bytes });
        }
    }
    problems.extend(
        recursions
            .into_iter()
            .map(|(kernel, function)| Problem::Recursion { kernel: kernel.to_owned(), function: method(function) }),
    );
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
.version 6.3
.extern .func __assertfail
(
	.param .b64 p
)
;
.extern .func  (.param .b32 func_retval0) memcmp
(
	.param .b64 p
)
;
.visible .entry first(
	.param .u64 p,
	.param .align 8 .b8 q[24]
)
.maxntid 256, 1, 1
{
	.local .align 8 .b8 	__local_depot0[48];
	.reg .pred 	%p<2>;
	{ .reg .b64 a; mov.b64 a, table; ld.const.u64 %rd1, [a]; }
	@%p1 bra 	$L__BB0_1;
	ld.global.b32 	%r1, [%rd1];
	bar.sync 0;
	barrier.sync.aligned 0;
	bar.warp.sync -1;
$L__BB0_1:
	ret;
}
.visible .entry second()
{
	ret;
}
";

    #[test]
    fn kernels_are_found() {
        let kernels = kernels(TEXT);
        assert_eq!(kernels.iter().map(|kernel| kernel.name.as_str()).collect::<Vec<_>>(), ["first", "second"]);
        assert_eq!(kernels[0].parameters, [".u64 p", ".align 8 .b8 q[24]"]);
        assert_eq!((kernels[0].barriers(), kernels[1].barriers()), (3, 0));
        assert_eq!((kernels[0].local_bytes(), kernels[1].local_bytes()), (48, 0));
        assert_eq!(
            (kernels[0].count("ld.global"), kernels[0].count("bar.sync"), kernels[0].count("ld.const")),
            (1, 1, 1)
        );
        assert_eq!((kernels[0].count("bra"), kernels[1].count("ret")), (1, 1));
    }

    #[test]
    fn recursion_is_found() {
        let code = "
.func  (.param .b32 func_retval0) _RNvMNtC5model4treeNtB2_4Tree3sum
(
	.param .b64 p
)
;
.func helper(
)
{
	ret;
}
.visible .entry direct(
)
{
	call.uni helper, ();
	call.uni (retval0), _RNvMNtC5model4treeNtB2_4Tree3sum, (param0);
	ret;
}
.visible .entry neither()
{
	call.uni 
	helper, 
	(
	);
	ret;
}
.func  (.param .b32 func_retval0) _RNvMNtC5model4treeNtB2_4Tree3sum(
	.param .b64 p
)
{
	@%p1 bra 	$L__BB0_1;
	{ // callseq 1, 0
	call.uni 
	(retval0), 
	other, 
	(
	param0
	);
	} // callseq 1
	ret;
}
.func  (.param .b32 func_retval0) other(
	.param .b64 p
)
{
	call.uni (retval0), _RNvMNtC5model4treeNtB2_4Tree3sum, (param0);
	ret;
}
";
        let recursion = Problem::Recursion { kernel: String::from("direct"), function: String::from("Tree::sum") };
        assert_eq!(problems(code), [recursion]);
        assert_eq!(method("_RNvXNtC5model4treeNtB2_4TreeNtB2_5Shape4area"), "Tree::area");
        let view = "_RNvMs2_NtNtNtCs8gk2v3W801t_28ikra_device_9982d4a5356a8d866source5model9recursionINtB5_7TreeMutNtNvB5_s0_1__11Kernel_walkE3sumBb_";
        assert_eq!((method(view).as_str(), method("plain").as_str()), ("Tree::sum", "plain"));
    }

    #[test]
    fn problems_are_found() {
        let local = Problem::LocalMemory { kernel: String::from("first"), bytes: 48 };
        assert_eq!(problems(TEXT), [Problem::Unresolved(String::from("memcmp")), local]);
    }
}
