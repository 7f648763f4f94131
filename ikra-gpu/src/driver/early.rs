//! Kernels that are started early: while the previous kernel in the stream ends.
//!
//! Between two kernels of a stream a device idles for about a microsecond: it waits until the first is done and its
//! stores are visible everywhere, and then prepares the second. From compute capability 9.0 on, the device may prepare
//! the second kernel meanwhile (*programmatic dependent launch*). That kernel must then execute a wait instruction
//! before it accesses memory.
//!
//! Device code is built for older devices too, which do not have that instruction. So Ikra inserts it into the text
//! before the driver compiles it, as the first instruction of each kernel. Only functions that are known to have it are
//! started early (see [`Stream::launch`](super::Stream::launch)).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The PTX version and the device that the instruction requires.
const VERSION: (u32, u32) = (7, 8);
const TARGET: u32 = 90;
/// Makes a thread wait until all earlier kernels are done and their stores are visible. If no such kernel is running,
/// the thread continues at once.
const WAIT: &str = "griddepcontrol.wait;";

/// Device code with kernels that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The text.
    pub ptx: String,
    /// The kernels that wait before their first other instruction.
    pub kernels: Vec<String>,
}

/// The same device code for devices of compute capability 9.0 or newer. Its kernels first wait for the earlier kernels
/// in the stream. `None` if the text cannot be changed in this way.
///
/// ```
/// let code = ".version 6.3\n.target sm_75\n.visible .entry nothing()\n{\n\tret;\n}\n";
/// let waiting = ikra_gpu::driver::waiting(code).unwrap();
/// let text = ".version 7.8\n.target sm_90\n.visible .entry nothing()\n{\n\tgriddepcontrol.wait;\n\tret;\n}\n";
/// assert_eq!((waiting.ptx.as_str(), waiting.kernels), (text, vec![String::from("nothing")]));
/// ```
#[must_use]
pub fn waiting(ptx: &str) -> Option<Waiting> {
    // A comment over several lines may hide anything; compilers emit no such comments.
    if ptx.contains("/*") {
        return None;
    }
    let mut made = Waiting { ptx: String::with_capacity(ptx.len() + ptx.len() / 64), kernels: Vec::new() };
    let (mut version, mut target) = (None, None);
    // The kernel whose head is being read.
    let mut head: Option<&str> = None;
    for line in ptx.lines() {
        // Nearly all lines are instructions of a body. Without optimization, a search in each would take a second.
        if head.is_none() && !line.trim_ascii_start().starts_with('.') {
            made.ptx.push_str(line);
            made.ptx.push('\n');
            continue;
        }
        let statement = line.split("//").next().unwrap_or_default();
        let words = statement.trim_start();
        if let Some(said) = words.strip_prefix(".version").filter(|_| version.is_none()) {
            let (major, minor) = said.trim().split_once('.')?;
            let said = (major.parse().ok()?, minor.parse().ok()?);
            let (major, minor) = *version.insert(VERSION.max(said));
            made.ptx.push_str(&format!(".version {major}.{minor}\n"));
            continue;
        }
        if let Some(said) = words.strip_prefix(".target").filter(|_| target.is_none()) {
            let (name, options) = said.split_at(said.find(',').unwrap_or(said.len()));
            let name = name.trim().strip_prefix("sm_")?;
            // `90a` is code for one architecture only.
            let is_older = name.parse::<u32>().is_ok_and(|number| number < TARGET);
            let name = *target.insert(if is_older { "90" } else { name });
            made.ptx.push_str(&format!(".target sm_{name}{}\n", options.trim_end()));
            continue;
        }
        if head.is_none() {
            let after_linkage = [".visible ", ".weak "].iter().find_map(|linkage| words.strip_prefix(linkage));
            let rest = after_linkage.unwrap_or(words).trim_start().strip_prefix(".entry ");
            head = rest.map(|rest| rest.trim_start().split(['(', ' ', '\t', '{', ';']).next().unwrap_or_default());
        }
        // The body starts at the first brace, unless the kernel is only declared.
        match (head, statement.find(['{', ';'])) {
            (Some(kernel), Some(place)) => {
                head = None;
                if statement[place..].starts_with('{') {
                    let (before, after) = line.split_at(place + 1);
                    made.ptx
                        .push_str(&format!("{before}\n\t{WAIT}{}{after}", if after.is_empty() { "" } else { "\n" }));
                    made.kernels.push(kernel.to_owned());
                } else {
                    made.ptx.push_str(line);
                }
            }
            _ => made.ptx.push_str(line),
        }
        made.ptx.push('\n');
    }
    (version.is_some() && target.is_some() && !made.kernels.is_empty()).then_some(made)
}

/// The result of [`waiting`] for a text, cached for all worlds: a text has megabytes, and each world that is opened
/// needs it.
pub(super) fn waiting_once(ptx: &'static str) -> Option<&'static Waiting> {
    /// By the address and the length of the text.
    static MADE: Mutex<Option<HashMap<(usize, usize), Option<&'static Waiting>>>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let made = made.get_or_insert_default();
    *made
        .entry((ptx.as_ptr().addr(), ptx.len()))
        .or_insert_with(|| waiting(ptx).map(|made| &*Box::leak(Box::new(made))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "\
// {
.version 6.3 // {
.target sm_75, debug
.address_size 64
.visible .func (.param .b32 func_retval0) found(
	.param .b32 found_param_0
)
{
	.entry_like .b8 x;
	ret;
}
.file 1 \"/a/.entry b(\"
.visible .entry first(
	.param .align 8 .b8 first_param_0[16], // {
	.param .u64 second
)
.maxntid 256, 1, 1
{
	.reg .b32 	%r<3>;
	{ // a block
	mov.u32 	%r1, %tid.x;
	}
	ret;
}
.entry only_declared(.param .u64 a);
	.weak .entry third(.param .u64 a) { ret; }
.visible .version_like
";

    #[test]
    fn each_kernel_waits_first_and_nothing_else_changes() {
        let Waiting { ptx, kernels } = waiting(CODE).unwrap();
        assert_eq!(kernels, ["first", "third"]);
        assert_eq!(ptx.matches(WAIT).count(), 2, "{ptx}");
        assert!(ptx.contains(".maxntid 256, 1, 1\n{\n\tgriddepcontrol.wait;\n\t.reg .b32 \t%r<3>;"), "{ptx}");
        assert!(ptx.contains("third(.param .u64 a) {\n\tgriddepcontrol.wait;\n ret; }\n"), "{ptx}");
        let without = ptx.replace("\n\tgriddepcontrol.wait;\n ret", " ret").replace("\n\tgriddepcontrol.wait;", "");
        let without = without.replace(".version 7.8\n", ".version 6.3 // {\n").replace("sm_90", "sm_75");
        assert_eq!(without, CODE);
    }

    #[test]
    fn each_text_is_changed_once() {
        let made = waiting_once(CODE).unwrap();
        assert_eq!(*made, waiting(CODE).unwrap());
        assert!(std::ptr::eq(made, waiting_once(CODE).unwrap()));
        assert_eq!((waiting_once(""), waiting_once(&CODE[..0])), (None, None));
    }

    #[test]
    fn what_is_newer_stays() {
        let code = |version: &str, target: &str| format!(".version {version}\n.target {target}\n.entry a()\n{{\n}}\n");
        for (version, target, made) in [
            ("8.6", "sm_100", Some(("8.6", "sm_100"))),
            ("7.8", "sm_90a", Some(("7.8", "sm_90a"))),
            ("8.0", "sm_80", Some(("8.0", "sm_90"))),
            ("7.0", "sm_100f", Some(("7.8", "sm_100f"))),
            ("10.0", "sm_75, texmode_independent", Some(("10.0", "sm_90, texmode_independent"))),
            ("seven", "sm_75", None),
            ("7.8", "compute_90", None),
        ] {
            let wanted =
                made.map(|(version, target)| code(version, target).replace("{\n", "{\n\tgriddepcontrol.wait;\n"));
            assert_eq!(waiting(&code(version, target)).map(|waiting| waiting.ptx), wanted, "{version} {target}");
        }
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for code in
            ["", "nonsense", ".version 7.8\n.target sm_90\n", ".entry a()\n{\n}\n", ".version 7.8\n.entry a()\n{\n}\n"]
        {
            assert_eq!(waiting(code), None, "{code}");
        }
        let commented = ".version 7.8\n.target sm_90\n/* {\n*/ .entry a()\n{\n}\n";
        assert_eq!(waiting(commented), None);
    }
}
