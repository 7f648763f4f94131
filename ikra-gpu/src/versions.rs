//! The versions of kernels for the values of some objects: what they rely on, and how they are made.

use std::collections::BTreeMap;
use std::sync::Arc;

use ikra_ptx::specialize::{Argument, Budget, Known, Memory, Report, specialize};

use crate::code::Kind;
use crate::compiling::{Compiling, Program};
use crate::driver::{Context, Function, Module};
use crate::tables::Loaded;

/// A part of the mangled names of the variables by which panics are reported. A module may have its own of these.
pub(crate) const OF_PANICS: &str = "8ikra_gpu6device5panic";

/// The special versions of a world's kernels.
#[derive(Debug, Default)]
pub(crate) struct Specials {
    /// By the address of the constant that names the entry point.
    pub(crate) versions: BTreeMap<(usize, Kind), Version>,
    /// Versions that no launch takes any more. Kernels may still run, and their modules stay loaded until these are done.
    pub(crate) retired: Vec<Version>,
    /// The programs of modules, once they have been needed.
    pub(crate) programs: BTreeMap<usize, Arc<Program>>,
}

/// The special version of a kernel.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) kernel: &'static str,
    pub(crate) facts: Facts,
    pub(crate) state: State,
}

#[derive(Debug)]
pub(crate) enum State {
    /// The kernel is compiled after so many launches with the same facts.
    Waiting(u32),
    Compiling(Compiling<(Function, Report)>),
    Ready(Arc<Loaded>, Report),
    /// The general kernel runs, for this reason.
    General(String),
}

/// What a special version relies on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The members of the world with known values, the number of their values' last change, and of their objects.
    pub(crate) members: Vec<(usize, u64, u32)>,
    /// The known table entries that the entry point takes, by their position in its last parameter.
    pub(crate) words: Vec<(usize, u64)>,
    /// The arguments that are links to these members' objects, by their position from the last one.
    pub(crate) links: Vec<(usize, u32)>,
}

/// What happened to a kernel that reads objects of a class for which kernels are specialised: see
/// [`Cuda::specialized`](crate::Cuda::specialized).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Specialized {
    /// `Class::method`.
    pub kernel: &'static str,
    /// The instructions of the general kernel and of the special one.
    pub instructions: [usize; 2],
    /// Loads whose results became constants, counted in the special kernel.
    pub loads: usize,
    /// Branches that were decided, counted in the special kernel.
    pub branches: usize,
    /// Iterations of loops with code of their own.
    pub iterations: usize,
    /// The reason why launches take the general kernel; `None` if they take the special one.
    pub general: Option<String>,
}

impl std::fmt::Display for Specialized {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kernel, instructions: [before, after], loads, branches, iterations, general } = self;
        if let Some(reason) = general {
            return write!(f, "{kernel}: the general kernel runs: {reason}");
        }
        write!(
            f,
            "{kernel}: {after} instructions in place of {before}, {loads} loads and {branches} branches known, {iterations} iterations unrolled"
        )
    }
}

/// The outcome of a thread that compiled the special version of an entry point.
pub(crate) fn finished(thread: Compiling<(Function, Report)>, general: &Loaded) -> State {
    match thread.result() {
        Err(reason) => State::General(reason),
        // It runs in blocks of the same sizes.
        Ok((function, _))
            if function.footprint.local_bytes > general.function.footprint.local_bytes
                || (function.footprint.large_blocks == 0 && general.function.footprint.large_blocks > 0) =>
        {
            State::General(String::from("a special one would need more registers than there are"))
        }
        Ok((function, report)) => State::Ready(Arc::new(Loaded { function, ..general.clone() }), report),
    }
}

/// A variable among these whose contents kernels of other modules may see. Panics are reported by variables of each module.
pub(crate) fn own_state<'v>(variables: &'v [String], text: &str) -> Option<&'v String> {
    // Texts of messages have no name of the program's; what has none is state only if an instruction changes it.
    let is_changed = |name: &str| text.lines().any(|line| line.contains(&format!("[{name}")) && !line.contains("ld."));
    let is_text = |name: &str| (name.starts_with("alloc_") || name.starts_with("anon_")) && !is_changed(name);
    variables.iter().find(|name| !name.contains(OF_PANICS) && !is_text(name))
}

/// Makes the special version of an entry point, and has the driver compile it.
pub(crate) fn made(
    context: &Context,
    text: &str,
    program: &Program,
    symbol: &str,
    facts: &Facts,
    memory: &[(u64, Vec<u8>)],
) -> Result<(Function, Report), String> {
    let program = program.parsed(text)?;
    let parameters = program.function(symbol).map_or(0, |kernel| kernel.parameters.len());
    let last = parameters.checked_sub(1).ok_or("it has no parameters")?;
    let words: Vec<(usize, [u8; 8])> = facts.words.iter().map(|(at, word)| (8 * at, word.to_ne_bytes())).collect();
    let links: Vec<(usize, [u8; 4])> = facts.links.iter().map(|(back, link)| (*back, link.to_ne_bytes())).collect();
    let words = words.iter().map(|(offset, bytes)| Argument { parameter: last, offset: *offset, bytes });
    let links = links.iter().filter_map(|(from_last, bytes)| {
        Some(Argument { parameter: last.checked_sub(1 + from_last)?, offset: 0, bytes })
    });
    let known = Known {
        parameters: words.chain(links).collect(),
        memory: memory.iter().map(|(address, bytes)| Memory { address: *address, bytes }).collect(),
        ..Known::default()
    };
    let name = format!("{symbol}_special");
    let (special, report) =
        specialize(program, symbol, &name, &known, &Budget::default()).map_err(|refused| refused.to_string())?;
    let text = special.to_string();
    if let Some(variable) = own_state(&report.variables, &text) {
        return Err(format!(
            "it uses a variable of the program, `{variable}`, of which a special one would have its own"
        ));
    }
    if report.loads + report.branches == 0 {
        return Err(String::from("the values decide nothing in it"));
    }
    let module = Module::load_special(context, &text).map_err(|error| error.to_string())?;
    let function = module.function(&name).map_err(|error| error.to_string())?;
    Ok((function.ok_or("the driver does not find it")?, report))
}
