//! A loop of several kernels as one kernel, which repeats them a number of times, or as long as a byte in memory is not 0.
//!
//! ```
//! use ikra_ptx::{Module, repeat::{LAUNCH_PARAMETERS, OWN_PARAMETERS, repeated}};
//!
//! let module = Module::parse("
//! .version 6.3
//! .target sm_75
//! .address_size 64
//! .visible .entry halve(
//!     .param .u64 numbers
//! )
//! {
//!     .reg .b32 %r<4>;
//!     .reg .b64 %rd<3>;
//!     ld.param.u64 %rd1, [numbers];
//!     mov.u32 %r1, %ctaid.x;
//!     mul.wide.u32 %rd2, %r1, 4;
//!     add.s64 %rd2, %rd1, %rd2;
//!     ld.global.nc.u32 %r2, [%rd2];
//!     shr.u32 %r3, %r2, 1;
//!     st.global.u32 [%rd2], %r3;
//!     ret;
//! }
//! ")?;
//! let made = repeated(&module, &["halve", "halve"], 1, "quarter", &|_| false).unwrap().module;
//! // The loop's own parameters, and for each launch: the blocks, the threads, and the kernel's parameter.
//! let Some(kernel) = made.function("quarter") else { unreachable!() };
//! assert_eq!(kernel.parameters.len(), OWN_PARAMETERS + 2 * (LAUNCH_PARAMETERS + 1));
//! let text = made.to_string();
//! assert!(!text.contains("ld.global.nc") && text.contains("mov.u32 \t%k1_r1, %block;"), "{text}");
//! # Ok::<(), ikra_ptx::Error>(())
//! ```
//!
//! # The new kernel
//!
//! It is launched with any number of blocks that all run at the same time, of at least as many threads as the largest
//! launch has, and always of whole warps. A *virtual block* is a block of a launch that it replaces. A kernel is *joint* if
//! the threads of its blocks work together: if it uses shared memory or has barriers. For each launch of an iteration, in
//! their order,
//!
//! - a block executes one virtual block after another if the kernel is joint, otherwise as many at the same time as it has
//!   threads for. Further threads do nothing. Block *b* of *n* that can execute *g* at the same time begins with *b*,
//!   *b* + *n*, … *b* + (*g* − 1) *n*, and goes on with those that come *g n* later;
//! - then all blocks wait for each other, unless nothing depends on it (see below).
//!
//! The parameters are numbers of 64 bits, and one of 32:
//!
//! 1. the address of the byte that says whether there is another iteration; 0 if there always is;
//! 2. the address of a number that the host can read, 0 when the kernel starts. Before each further launch, a thread writes
//!    256 times the number of iterations that have ended, plus the number of the launch in its iteration. So at the end it
//!    is 256 times the number of iterations. Of launches between which blocks do not wait, one at most can fail: the number
//!    is that launch's. If a launch fails in another block than the first one, the number may still be the one before;
//! 3. the most iterations;
//! 4. the address of a number that is 0 when the kernel starts, if it has several blocks: how often blocks have arrived
//!    where they wait for each other;
//! 5. with 32 bits: not 0 if the first launch may write the byte. Then the blocks wait until all have read it.
//!
//! For each launch follow, with 32 bits, its number of blocks, its number of threads per block, the [`inverse`] of that, and the
//! kernel's own parameters.
//! Iterations may alternate, for example between two memories: then those of the second one follow in the same way, and so
//! on, before the first one's come again.
//!
//! # A worklist
//!
//! [`repeated_over`] makes a loop that also ends when a list is empty. The list of an iteration is another than the one which
//! its launches fill, so iterations alternate between lists. A list begins with two numbers of 32 bits: how many numbers
//! follow after 16 bytes, and its own number. Some launches have as many threads as that. After the loop's own parameters come, with
//! 64 bits, for each of the iterations that alternate the addresses of two lists: its own, and one that no launch of it uses.
//! Before the launches, a thread empties that one, and gives it the number of iterations that have begun, plus 1. The numbers of blocks of launches for the list are not read.
//!
//! No iteration of a list that is empty begins. Nothing writes the list of an iteration in it, so all blocks read the
//! same number. Before the first iteration all threads read it; before each further one a thread of each block does,
//! and the others read shared memory. The list that is emptied was read in the iteration before, and is filled in the
//! next one: between these, blocks wait for each other at the end of each launch, of which there is at least one.
//!
//! # Launches that share nothing
//!
//! A [`Launch`] may say which memories it reads or writes. Blocks do not wait between launches that have none in common: a
//! block goes on with the next one while others are still at the one before. So a kernel that counts iterations costs
//! no waiting. The first launches of an iteration may be mixed with the last ones of the iteration before in the same way, if
//! neither reads or writes the byte that is tested. In each iteration blocks wait once at least. When the loop ends they wait,
//! too, before the number of iterations is written. With a worklist they wait after each launch.
//!
//! # Why it does the same
//!
//! - *Order.* A launch begins when the one before it is done, and its stores are visible. Here all threads of a block
//!   meet at a barrier; one thread counts the block, and waits until all are counted; then the threads meet again. A
//!   single block counts nothing. It meets once, or twice where one of its threads reads the length of a list. The
//!   thread adds to the count by a release, reads it until all are counted, and once more by an acquire, which reads
//!   the same value or a later one. Both are for the whole device. A store before is ordered before the first barrier,
//!   that before the release, the release before each other block's acquire that reads the count, and that before the
//!   loads after the other block's second barrier. This is PTX's causality order. A later addition observes the earlier
//!   ones, so an acquire that reads it observes all of them.
//! - *Order between launches that share nothing.* No read of one sees a write of another, in any order; so they
//!   may be mixed, each group of them between two meetings. The test reads a byte that none of its group writes.
//! - *Caches.* Loads that may use a cache which only the start of a kernel empties, `ld.global.nc`, become ordinary ones.
//! - *The number of a thread.* `%tid`, `%ntid`, `%ctaid` and `%nctaid` are replaced by those of the launch. Warps stay
//!   warps, since launches have whole warps.
//! - *Ends.* A thread that ends (`ret`, `exit`) goes to the end of the virtual block.
//! - *Barriers.* A barrier of a launch counts the launch's threads, and is another than the one at which all threads meet.
//! - *Shared memory.* If a kernel is joint, all threads meet between two virtual blocks. Variables of kernels lie beside
//!   each other; memory that the launch requests is the same for all, and large enough if it is so for each.
//! - *Other blocks.* A launch may not rely on two of its blocks running at the same time, so that one after another will do.
//!
//! # What the caller promises
//!
//! A thread of a kernel does not end while others of its warp or block still wait for it: at a barrier, a vote or an
//! exchange. Functions that end a thread (`exit`) do so only where the program fails.

mod body;
mod frame;
mod meetings;
mod refuse;

pub use crate::error::Refused;
use crate::{Function, Instruction, Item, Linkage, Modifier, Module, Parameter, needed};
use body::Moved;
use meetings::Meetings;

/// The threads of a warp.
const WARP: u32 = 32;
/// The number of the loop's own parameters.
pub const OWN_PARAMETERS: usize = 5;
/// The number of parameters of each launch before those of its kernel.
pub const LAUNCH_PARAMETERS: usize = 3;
/// The most launches of all iterations that alternate.
pub const MOST_LAUNCHES: usize = 256;
/// The most bytes of all parameters.
pub const MOST_BYTES: u64 = 4096;

/// The number by which a loop divides by the threads of a launch's blocks, whole warps. A division would take longer than many
/// kernels.
///
/// ```
/// use ikra_ptx::repeat::inverse;
///
/// let of_launch = |threads: u32| (u64::from(threads / 32 + 1) * u64::from(inverse(96))) >> 32;
/// assert_eq!([95, 96, 97, 1024].map(of_launch), [0, 1, 1, 10]);
/// ```
///
/// # Panics
///
/// If `threads` is less than a warp.
#[must_use]
pub const fn inverse(threads: u32) -> u32 {
    u32::MAX / (threads / WARP)
}

/// A loop of kernels.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// A module with one kernel.
    pub module: Module,
    /// Whether the kernel of each launch of an iteration is joint: a block executes its virtual blocks one after another.
    pub joint: Vec<bool>,
}

/// A module with one kernel, which repeats these kernels in this order. `alternating` iterations have parameters of their
/// own, one after another; 1 if all have the same. `sees_real_threads` says of which functions that kernels call it does not
/// matter if they see the numbers of the real thread and block.
///
/// # Errors
///
/// If a kernel does not exist, or has something that is not possible in a loop.
pub fn repeated(
    module: &Module,
    kernels: &[&str],
    alternating: usize,
    name: &str,
    sees_real_threads: &dyn Fn(&str) -> bool,
) -> Result<Repeated, Refused> {
    let launches: Vec<_> = kernels.iter().map(|&kernel| Launch { kernel, length: None, reach: None }).collect();
    let iteration = Iteration { launches: &launches, has_list: false, alternating, test: None };
    repeated_over(module, &iteration, name, sees_real_threads)
}

/// A launch of an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// For a launch over the worklist: the position of the parameter that is the number of objects in the list.
    pub length: Option<usize>,
    /// Numbers of the memories that it reads or writes, if it reads and writes no others; `None` if that is not known.
    /// Memories with different numbers do not overlap. Memory that no launch writes need not be among them.
    pub reach: Option<&'a [u32]>,
}

/// The launches of an iteration, and the test before it.
#[derive(Clone, Copy, Debug)]
pub struct Iteration<'a> {
    /// The launches, in their order.
    pub launches: &'a [Launch<'a>],
    /// Whether the loop has a worklist.
    pub has_list: bool,
    /// How many iterations have parameters of their own, one after another; 1 if all have the same.
    pub alternating: usize,
    /// The memory that has the tested byte, as for [`Launch::reach`]; no memory if the loop has no such byte.
    pub test: Option<&'a [u32]>,
}

/// Whether two launches, or a launch and the test, have no memory in common, as far as that is known: see [`Launch::reach`].
///
/// ```
/// use ikra_ptx::repeat::are_apart;
///
/// assert!(are_apart(Some(&[1, 2]), Some(&[3])) && !are_apart(Some(&[1, 2]), Some(&[2, 3])));
/// assert!(!are_apart(None, Some(&[])));
/// ```
#[must_use]
pub fn are_apart(one: Option<&[u32]>, other: Option<&[u32]>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.iter().all(|memory| !other.contains(memory)))
}

/// As [`repeated`], for launches over a worklist, and such that are known to share no memory.
///
/// # Errors
///
/// As for [`repeated`].
pub fn repeated_over(
    module: &Module,
    iteration: &Iteration<'_>,
    name: &str,
    sees_real_threads: &dyn Fn(&str) -> bool,
) -> Result<Repeated, Refused> {
    let made = made(module, iteration, name, sees_real_threads).map_err(|reason| Refused { reason })?;
    made.module.verify().map_err(|error| Refused { reason: format!("the new program is not valid: {error}") })?;
    Ok(made)
}

fn made(
    module: &Module,
    iteration: &Iteration<'_>,
    name: &str,
    sees_real_threads: &dyn Fn(&str) -> bool,
) -> Result<Repeated, String> {
    let count = iteration.launches.len().saturating_mul(iteration.alternating);
    if count == 0 || count > MOST_LAUNCHES {
        return Err(format!("there are {count} launches, and 1 to {MOST_LAUNCHES} are possible"));
    }
    let is_taken = |name: &str| {
        module.items.iter().any(|item| match item {
            Item::Function(function) => function.name == name,
            Item::Variable(variable) => variable.name == name,
            _ => false,
        })
    };
    if let Some(name) = [name, frame::SHARED_LENGTH].into_iter().find(|name| is_taken(name)) {
        return Err(format!("the name `{name}` is taken"));
    }
    let (mut launches, mut joint, mut can_fail) = (Vec::new(), Vec::new(), Vec::new());
    for &Launch { kernel, length, .. } in iteration.launches {
        let Some(function) = module.kernels().find(|function| function.name == kernel) else {
            return Err(format!("there is no kernel `{kernel}`"));
        };
        refuse::kernel(function)?;
        let alone = needed::module(module, function.clone());
        let mut others = alone.functions().filter(|other| other.name != kernel);
        others.try_for_each(|other| refuse::function(other, sees_real_threads(&other.name)))?;
        launches.push((function, length));
        joint.push(is_joint(&alone));
        can_fail.push(meetings::can_fail(&alone));
    }
    let mut new = frame::kernel(name, iteration, &joint, &Meetings::of(iteration, &can_fail))?;
    let places = frame::places(&new);
    // From the last one, so that the earlier places stay where they are.
    for (number, place) in places.into_iter().enumerate().rev() {
        let (kernel, length) = launches[number % launches.len()];
        Moved { number, name, length }.insert(&mut new, kernel, place)?;
    }
    let end = |end: u64, one: &Parameter| end.next_multiple_of(u64::from(one.alignment())) + one.bytes();
    let bytes = new.parameters.iter().fold(0, end);
    if bytes > MOST_BYTES {
        return Err(format!("the parameters take {bytes} bytes, and {} is the most", MOST_BYTES));
    }
    let mut module = needed::module(module, new);
    module.functions_mut().filter_map(|function| function.body.as_mut()).for_each(body::without_launches);
    Ok(Repeated { module, joint })
}

/// Whether the threads of a block work together: they share memory, or wait for each other.
fn is_joint(alone: &Module) -> bool {
    let is_shared = |space: Modifier| matches!(space, Modifier::Shared | Modifier::SharedCta);
    let bodies = || alone.functions().filter_map(|function| function.body.as_ref());
    let mut variables = alone.variables().chain(bodies().flat_map(|body| &body.variables));
    let shares = |one: &Instruction| refuse::is_barrier(one) || one.space().is_some_and(is_shared);
    variables.any(|variable| is_shared(variable.space))
        || bodies().any(|body| body.instructions().any(|(_, one)| shares(one)))
}

/// A kernel's head, without parameters.
fn head(name: &str) -> Function {
    Function {
        linkage: Linkage::Visible,
        is_kernel: true,
        results: Vec::new(),
        name: name.to_owned(),
        parameters: Vec::new(),
        attributes: Vec::new(),
        body: None,
        line: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_are_exact() {
        for warps in 1..=32 {
            let inverse = u64::from(inverse(warps * WARP));
            let divided = |threads: u32| (u64::from(threads / WARP + 1) * inverse) >> 32;
            let wanted = |threads: u32| u64::from(threads / (warps * WARP));
            let small = 0..70_000;
            let near = |times: u32| {
                (times.saturating_mul(warps * WARP) - 40)..=times.saturating_mul(warps * WARP).saturating_add(40)
            };
            let most = u32::MAX / (warps * WARP);
            let large = [most / 3, most / 2, most - 1, most].into_iter().flat_map(near).chain(u32::MAX - 99..=u32::MAX);
            for threads in small.chain(large) {
                assert_eq!(divided(threads), wanted(threads), "{threads} by {warps} warps");
            }
        }
    }
}
