//! A kernel for fixed data: a program that does the same as another one, as long as some of its parameters and some
//! memory have known contents.
//!
//! ```
//! use ikra_ptx::{Module, specialize::{Budget, Known, Memory, Argument, specialize}};
//!
//! let module = Module::parse("
//! .version 6.3
//! .target sm_75
//! .address_size 64
//! .visible .entry sum(
//!     .param .u64 result,
//!     .param .u64 numbers,
//!     .param .u32 count
//! )
//! {
//!     .reg .pred %p<2>;
//!     .reg .b32 %r<6>;
//!     .reg .b64 %rd<6>;
//!     ld.param.u64 %rd1, [result];
//!     ld.param.u64 %rd2, [numbers];
//!     ld.param.u32 %r1, [count];
//!     mov.u32 %r2, %tid.x;
//!     mov.b32 %r3, 0;
//! next:
//!     mul.wide.u32 %rd3, %r3, 4;
//!     add.s64 %rd4, %rd2, %rd3;
//!     ld.global.u32 %r4, [%rd4];
//!     mad.lo.s32 %r2, %r2, %r4, 1;
//!     add.s32 %r3, %r3, 1;
//!     setp.lt.u32 %p1, %r3, %r1;
//!     @%p1 bra next;
//!     st.global.u32 [%rd1], %r2;
//!     ret;
//! }
//! ")?;
//! let numbers: Vec<u8> = [3_u32, 0, 5].iter().flat_map(|number| number.to_le_bytes()).collect();
//! let (address, count) = (0x7000_0000_u64.to_le_bytes(), 3_u32.to_le_bytes());
//! let known = Known {
//!     parameters: vec![
//!         Argument { parameter: 1, offset: 0, bytes: &address },
//!         Argument { parameter: 2, offset: 0, bytes: &count },
//!     ],
//!     memory: vec![Memory { address: 0x7000_0000, bytes: &numbers }],
//!     ..Known::default()
//! };
//! let (new, report) = specialize(&module, "sum", "sum_of_3", &known, &Budget::default()).unwrap();
//! let text = new.to_string();
//! // The loop, its loads and the first two factors are gone: the second one is 0.
//! assert!(!text.contains("ld.global") && !text.contains("bra") && !text.contains("tid"), "{text}");
//! assert_eq!((report.loads, report.iterations), (3, 2));
//! # Ok::<(), ikra_ptx::Error>(())
//! ```
//!
//! # How it works
//!
//! The evaluator executes the kernel with the values that it knows, block by block, and keeps the instructions whose
//! results it does not know. A block gets a *version* for each set of known values with which it is reached, as far as
//! the values matter there. So a loop is unrolled if it is known when it ends, and a load from known memory at a known
//! address becomes a constant. A known value has no register in the new program until an instruction needs it there.
//!
//! Results are computed by the functions of [`alu`](crate::alu), which the emulator executes. An instruction that is
//! not exact on all devices is kept: approximations, results that are NaN, divisions of integers by 0.
//!
//! # Why it ends
//!
//! A loop is unrolled only if known data may flow into it, and while something known decides whether it ends. If the
//! program exceeds the [`Budget`], the loop with the most versions is not unrolled, and the evaluation starts again:
//! registers that carry values from one iteration to the next are not known where that loop starts. Each new start
//! gives up one more block, and there are finitely many. If the evaluator takes too many steps, each block gets one
//! version, whose known values only become fewer. If even that program is too large, the kernel is refused.
//!
//! # Threads that meet
//!
//! Two versions of one block keep threads apart that would have executed the block together. That is slower, and for
//! some instructions wrong: barriers, exchanges between the threads of a warp, and calls of functions with such
//! instructions. Two rules keep the threads together there.
//!
//! 1. A block with such an instruction has one version, with the values that all ways to it agree on. Each path of the
//!    new program is a path of the old one, with versions in place of blocks. Let each way from a branch to the end
//!    pass such a block in the old program. Then each way from any version of the branch passes its only version in the
//!    new program. So the device can reunite threads there whenever it could before.
//! 2. A branch that decides whether such a block is executed has one version, too, for threads might arrive in two
//!    groups otherwise, one from each version. Branches that decide about such branches follow the same rule.
//!
//! By the rules a loop with a barrier is not unrolled. The order of instructions in a block never changes, and none is
//! moved to another block, but constants.
//!
//! Other blocks where threads meet have one version per version of the branch at which they part (see `versions.rs`).
//!
//! # What the caller promises
//!
//! The known memory has the given contents whenever the new kernel runs, and so have the parameters. The new kernel
//! has the parameters of the old one, and whoever launches it passes all of them. It is an error if the kernel writes to
//! known memory at a known address. Writes to unknown addresses are not checked.

mod block;
mod data;
mod emit;
mod exact;
mod facts;
mod fold;
mod live;
mod reach;
mod report;
mod value;
mod versions;

use std::collections::HashSet;

pub use report::Report;

pub use crate::error::Refused;
use crate::{Body, Function, Instruction, Item, Linkage, Modifier, Module, Variable, needed};
use block::Blocks;
use data::Data;
use facts::Facts;
use versions::{Limits, Stopped, Versions, Widened};

/// Known bytes of a parameter of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument<'a> {
    /// The parameter, by its position.
    pub parameter: usize,
    /// The position of the first byte in the parameter.
    pub offset: usize,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// Known bytes of global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory<'a> {
    /// The address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// The known contents of a variable of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents<'a> {
    /// The variable's name.
    pub name: &'a str,
    /// All of its bytes.
    pub bytes: &'a [u8],
}

/// Facts that hold whenever the new kernel runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known<'a> {
    /// Bytes of the kernel's parameters.
    pub parameters: Vec<Argument<'a>>,
    /// Ranges of global memory. They do not overlap.
    pub memory: Vec<Memory<'a>>,
    /// Variables that the host sets, such as tables in constant memory. Variables that nobody can write are known from
    /// the module itself.
    pub variables: Vec<Contents<'a>>,
}

/// Limits of a specialisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Instructions of the new kernel.
    pub instructions: usize,
    /// Versions of one block.
    pub versions: usize,
    /// Instructions that the evaluator visits before it makes one version per block.
    pub steps: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { instructions: 20_000, versions: 5_000, steps: 300_000 }
    }
}

/// A module with a kernel that does the same as one of another module while the facts hold. It has the functions and
/// variables that the new kernel needs, and the kernel has the old one's parameters and this new name.
///
/// # Errors
///
/// If there is no such kernel, the facts contradict it or each other, the kernel writes to known memory, or it does not
/// fit the budget.
pub fn specialize(
    module: &Module,
    kernel: &str,
    name: &str,
    known: &Known<'_>,
    budget: &Budget,
) -> Result<(Module, Report), Refused> {
    let refuse = |reason: String| Refused { reason };
    let function = module.kernels().find(|function| function.name == kernel);
    let Some((function, old)) = function.and_then(|function| Some((function, function.body.as_ref()?))) else {
        return Err(refuse(format!("there is no kernel `{kernel}`")));
    };
    if module.items.iter().any(|item| match item {
        Item::Function(function) => function.name == name && function.name != kernel,
        Item::Variable(variable) => variable.name == name,
        _ => false,
    }) {
        return Err(refuse(format!("the name `{name}` is taken")));
    }
    let data = Data::new(module, function, old, known).map_err(refuse)?;
    let facts = Facts::new(module, old);
    let (body, mut report) = evaluated(&facts, &data, budget).map_err(refuse)?;
    report.before = count(old);
    report.after = count(&body);
    if report.after > budget.instructions {
        return Err(refuse(too_large(budget)));
    }
    let linkage = if function.linkage == Linkage::Private { Linkage::Visible } else { function.linkage };
    let new = Function { linkage, name: name.to_owned(), body: Some(body), ..head(function) };
    let new = needed::module(module, new);
    report.variables = state(&new);
    new.verify().map_err(|error| refuse(format!("the new program is not valid: {error}")))?;
    Ok((new, report))
}

/// The names of a module's variables in global and constant memory that may change. A copy of the module has its own.
#[must_use]
pub fn state(module: &Module) -> Vec<String> {
    let may_change = |variable: &&Variable| {
        matches!(variable.space, Modifier::Global | Modifier::Const) && !data::is_constant(module, variable)
    };
    module.variables().filter(may_change).map(|variable| variable.name.clone()).collect()
}

/// A function without its body.
fn head(function: &Function) -> Function {
    Function {
        linkage: function.linkage,
        is_kernel: function.is_kernel,
        results: function.results.clone(),
        name: String::new(),
        parameters: function.parameters.clone(),
        attributes: function.attributes.clone(),
        body: None,
        line: function.line,
    }
}

fn count(body: &Body) -> usize {
    body.blocks.iter().map(|block| block.instructions.len()).sum()
}

fn too_large(budget: &Budget) -> String {
    format!("the new kernel would have more than {} instructions", budget.instructions)
}

/// Evaluates a kernel, again and again with less knowledge until it fits the budget.
fn evaluated(facts: &Facts<'_>, data: &Data<'_>, budget: &Budget) -> Result<(Body, Report), String> {
    let mut widened = Widened { rolled: reach::untouched(facts, data), ..Widened::default() };
    let mut blocks = Blocks::new(facts, data);
    let mut limits =
        Limits { instructions: budget.instructions, versions: budget.versions.max(1), steps: budget.steps };
    let mut is_limited = false;
    loop {
        let next = {
            let mut versions = Versions::new(facts, &widened, limits);
            match versions.run(&mut blocks) {
                Ok(()) => {
                    let report = report(&versions, facts, &widened, blocks.steps, is_limited);
                    return Ok((emit::body(&versions, facts, data), report));
                }
                Err(stopped) => (stopped, versions.counts),
            }
        };
        match next {
            (Stopped::Never(reason), _) => return Err(reason),
            (Stopped::Roll(head), _) => _ = widened.rolled.insert(head),
            (Stopped::Large, _) if widened.all => return Err(too_large(budget)),
            (Stopped::Large, counts) => {
                is_limited = true;
                widen(facts, &mut widened, &counts, None);
            }
            (Stopped::Many(block), counts) => {
                is_limited = true;
                widen(facts, &mut widened, &counts, Some(block));
            }
            (Stopped::Long, _) => {
                is_limited = true;
                widened.all = true;
            }
        }
        if widened.all {
            // One version per block, which loses values a few times: no more steps than that.
            limits.steps = usize::MAX;
            limits.versions = usize::MAX;
        }
    }
}

/// Gives up knowledge: at the loop with the most versions, or at the one around a block.
fn widen(facts: &Facts<'_>, widened: &mut Widened, counts: &[usize], block: Option<usize>) {
    let is_open = |head: usize| !widened.rolled.contains(&head) && !widened.single.contains(&head);
    let heads: HashSet<usize> = facts.loops.iter().map(|one| one.head).filter(|&head| is_open(head)).collect();
    let head = match block {
        // Small loops come first.
        Some(block) => facts.loops.iter().find(|one| one.has[block] && heads.contains(&one.head)).map(|one| one.head),
        None => heads.into_iter().filter(|&head| counts[head] > 1).max_by_key(|&head| (counts[head], head)),
    };
    if let Some(head) = head {
        widened.rolled.insert(head);
        return;
    }
    let open = |block: &usize| counts[*block] > 1 && !facts.is_single[*block] && !widened.single.contains(block);
    let block = block
        .filter(|block| !widened.single.contains(block))
        .or_else(|| (0..counts.len()).filter(open).max_by_key(|&block| (counts[block], block)));
    match block {
        Some(block) => _ = widened.single.insert(block),
        None => widened.all = true,
    }
}

fn report(versions: &Versions<'_, '_>, facts: &Facts<'_>, widened: &Widened, steps: usize, is_limited: bool) -> Report {
    let mut report = Report { steps, is_limited, rolled: widened.rolled.len(), ..Report::default() };
    report.widened = if widened.all { facts.body.blocks.len() } else { widened.single.len() };
    let mut counts = vec![0_usize; facts.body.blocks.len()];
    for version in versions.reached() {
        let version = &versions.all[version];
        counts[version.block] += 1;
        report.versions += 1;
        if let Some(one) = &version.evaluated {
            report.loads += one.tally.loads;
            report.bytes += one.tally.bytes;
            report.branches += one.tally.branches;
        }
    }
    report.blocks = counts.iter().filter(|&&count| count > 0).count();
    let heads: HashSet<usize> = facts.loops.iter().map(|one| one.head).collect();
    report.iterations = heads.into_iter().map(|head| counts[head].saturating_sub(1)).sum();
    report
}

/// An instruction as a line, for messages.
fn shown(one: &Instruction, body: &Body) -> String {
    one.text(body).replace('\t', "")
}
