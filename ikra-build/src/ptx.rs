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

/// `ret;` of `@%p1 ret;`.
pub(crate) fn unguarded(instruction: &str) -> &str {
    match instruction.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim()),
        None => instruction,
    }
}

/// `4096` of `.align 8 .b8 name[4096];`
fn array_bytes(declaration: &str) -> Option<u64> {
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
    for kernel in kernels(ptx) {
        let bytes = kernel.local_bytes();
        if bytes > 0 {
            problems.push(Problem::LocalMemory { kernel: kernel.name, bytes });
        }
    }
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
    fn problems_are_found() {
        let local = Problem::LocalMemory { kernel: String::from("first"), bytes: 48 };
        assert_eq!(problems(TEXT), [Problem::Unresolved(String::from("memcmp")), local]);
    }
}
