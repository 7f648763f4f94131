//! The contents of device code.
//!
//! For tests of a model: that a kernel loads a column once, that it keeps nothing in local memory.
//!
//! ```
//! let code = "
//! .version 6.3
//! .target sm_75
//! .visible .entry add(
//!     .param .u64 add_param_0
//! )
//! {
//!     .reg .b64 %rd<2>;
//!     .reg .b32 %r<2>;
//!     ld.param.b64    %rd1, [add_param_0];
//!     ld.global.b32   %r1, [%rd1];
//!     ret;
//! }
//! ";
//! let kernels = ikra_build::ptx::kernels(code);
//! assert_eq!(kernels[0].name, "add");
//! assert_eq!(kernels[0].parameters, [".u64 add_param_0"]);
//! assert_eq!(kernels[0].count("ld.global"), 1);
//! assert_eq!(kernels[0].instructions().nth(1), Some("ld.global.b32 %r1, [%rd1]"));
//! assert_eq!(kernels[0].local_bytes(), 0);
//! ```

mod fired;

use std::collections::BTreeMap;

use ikra_ptx::{Body, Linkage, Modifier, Module, Opcode};

use crate::calls::Calls;
pub use fired::Fired;

/// A kernel in device code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its parameters' declarations, without `.param`: `.u64 name`, `.align 8 .b8 name[24]`.
    pub parameters: Vec<String>,
    /// Its declarations, labels and instructions.
    pub body: String,
    /// Its instructions, without guards and the signs after them.
    instructions: Vec<String>,
    local_bytes: u64,
    barriers: usize,
}

impl Kernel {
    /// The bytes of local memory that a thread needs.
    #[must_use]
    pub fn local_bytes(&self) -> u64 {
        self.local_bytes
    }

    /// The number of barriers, of blocks and of warps.
    ///
    /// It must equal the number in the source: a compiler that copies a barrier into both arms of a branch makes
    /// threads wait for ever.
    #[must_use]
    pub fn barriers(&self) -> usize {
        self.barriers
    }

    /// The number of instructions that start with `prefix`, such as `ld.global` or `bar`.
    #[must_use]
    pub fn count(&self, prefix: &str) -> usize {
        self.instructions().filter(|instruction| instruction.starts_with(prefix)).count()
    }

    /// The instructions, without guards: `ld.global.b32 %r1, [%rd1]`.
    pub fn instructions(&self) -> impl Iterator<Item = &str> {
        self.instructions.iter().map(String::as_str)
    }
}

/// The kernels of a PTX text, in its order.
///
/// # Panics
///
/// If the text is not PTX. The message says where.
#[must_use]
pub fn kernels(ptx: &str) -> Vec<Kernel> {
    let module = parsed(ptx);
    let kernels = module.kernels().map(|function| {
        let parameter =
            |parameter: &ikra_ptx::Parameter| parameter.to_string().trim_start_matches(".param ").to_owned();
        let body = function.body.as_ref().expect("a kernel has a body");
        Kernel {
            name: function.name.clone(),
            parameters: function.parameters.iter().map(parameter).collect(),
            body: body.to_string(),
            instructions: instructions(body),
            local_bytes: local_bytes(body),
            barriers: body.instructions().filter(|(_, one)| is_barrier(one.opcode)).count(),
        }
    });
    kernels.collect()
}

fn parsed(ptx: &str) -> Module {
    match Module::parse(ptx) {
        Ok(module) => module,
        Err(error) => panic!("this is not device code: {error}"),
    }
}

fn is_barrier(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Bar | Opcode::Barrier)
}

fn instructions(body: &Body) -> Vec<String> {
    let shown = |one: &ikra_ptx::Instruction| {
        let plain = ikra_ptx::Instruction { guard: None, ..one.clone() };
        plain.text(body).trim_end_matches(';').replacen(" \t", " ", 1)
    };
    body.instructions().map(|(_, one)| shown(one)).collect()
}

/// The bytes of a function's variables in local memory.
fn local_bytes(body: &Body) -> u64 {
    let local = body.variables.iter().filter(|variable| variable.space == Modifier::Local);
    local.filter_map(ikra_ptx::Variable::bytes).sum()
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
        /// Bytes per thread.
        bytes: u64,
    },
    /// A function that may call itself: its stack size is not known.
    Recursion {
        /// The kernel.
        kernel: String,
        /// The function, as `Class::method` if it is a method.
        function: String,
    },
}

/// Kernels that call functions that may call themselves, with the first of these. Calls through a pointer are not
/// followed.
fn recursions(module: &Module) -> Vec<(&str, &str)> {
    let calls = Calls::of(module);
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    let mut is_recursive = |name| *known.entry(name).or_insert_with(|| calls.reached(name).contains(&Some(name)));
    let mut first = |kernel: &str| calls.reached(kernel).into_iter().flatten().find(|name| is_recursive(name));
    module.kernels().filter_map(|kernel| Some((kernel.name.as_str(), first(&kernel.name)?))).collect()
}

/// `Tree::sum` of a symbol.
fn method(symbol: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(symbol));
    // The text of `<a::Type<b::C> as c::Trait>::method` outside of inner brackets.
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
    // A class's methods are the methods of its view and its ref.
    let class = |of: &str| of.strip_suffix("Mut").or(of.strip_suffix("Ref")).unwrap_or(of).to_owned();
    of.map_or(function.to_owned(), |of| format!("{}::{function}", class(of)))
}

/// Functions that the driver supplies.
const SUPPLIED: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

/// Mistakes in device code that is well-formed.
///
/// # Panics
///
/// If the text is not PTX. The message says where.
#[must_use]
pub fn problems(ptx: &str) -> Vec<Problem> {
    problems_of(&parsed(ptx))
}

/// The same, of a program.
pub(crate) fn problems_of(module: &Module) -> Vec<Problem> {
    let is_missing = |function: &&ikra_ptx::Function| {
        function.linkage == Linkage::Extern && function.body.is_none() && !SUPPLIED.contains(&function.name.as_str())
    };
    let missing = module.functions().filter(is_missing);
    let mut problems: Vec<Problem> = missing.map(|function| Problem::Unresolved(function.name.clone())).collect();
    let recursions = recursions(module);
    for kernel in module.kernels() {
        let bytes = kernel.body.as_ref().map_or(0, local_bytes);
        // The arguments of a function that calls itself need stack in any case.
        if bytes > 0 && !recursions.iter().any(|&(recursive, _)| recursive == kernel.name) {
            problems.push(Problem::LocalMemory { kernel: kernel.name.clone(), bytes });
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
	.reg .b32 	%r<2>;
	.reg .b64 	%rd<2>;
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
	.reg .pred 	%p<2>;
	@%p1 bra 	$L__BB0_1;
	{ // callseq 1, 0
	call.uni 
	(retval0), 
	other, 
	(
	param0
	);
	} // callseq 1
$L__BB0_1:
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
