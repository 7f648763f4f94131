//! Decoded programs: steps that a warp executes one after the other.

use std::{collections::HashMap, sync::Arc};

use crate::{
    compute::{Compute, Condition},
    counts::Kind,
    poison::Flow,
    registers::{Row, Source},
};

/// The space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Constant,
    Parameter,
}

/// The ordering of an access, and whether it may meet another access without a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Semantics {
    /// Relaxed or stronger, or volatile: no race with others of this kind.
    pub(crate) atomic: bool,
    /// Acquire, release: counts as a fence.
    pub(crate) fence: bool,
}

/// An address: a register or a symbol, and a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) base: Source,
    pub(crate) offset: i64,
}

/// A load or store.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) address: Address,
    /// Bytes of an element.
    pub(crate) width: usize,
    pub(crate) semantics: Semantics,
    /// Loads: the registers of the elements, or none. Stores: their sources.
    pub(crate) elements: Vec<Element>,
}

/// An element of a load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// The register that a load writes.
    pub(crate) to: Option<u32>,
    /// The value that a store writes.
    pub(crate) from: Source,
    /// Loads of signed values: bits of the value, and of the register.
    pub(crate) extend: Option<(u32, u32)>,
}

/// The function of the old value `a` and operands in an atomic operation.
pub(crate) type Update = Box<dyn Fn(u64, u64, u64) -> u64 + Send + Sync>;

/// An atomic operation.
pub(crate) struct Atomic {
    pub(crate) space: Space,
    pub(crate) address: Address,
    pub(crate) width: usize,
    pub(crate) semantics: Semantics,
    /// The register of the old value.
    pub(crate) to: Option<u32>,
    pub(crate) operands: [Source; 2],
    pub(crate) update: Update,
}

/// The result of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    Count { to: u32 },
    All { to: u32 },
    Any { to: u32 },
}

/// A barrier of a block.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    pub(crate) number: Source,
    pub(crate) count: Option<Source>,
    pub(crate) aligned: bool,
    pub(crate) waits: bool,
    pub(crate) reduction: Option<(Reduction, Condition)>,
}

/// The choice of a lane by a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// An exchange between the lanes of a warp that a mask names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// `bar.warp.sync`
    Synchronise,
    /// `shfl.sync`
    Shuffle { how: Shuffle, to: Option<u32>, inside: Option<u32>, value: Source, lane: Source, clamp: Source },
    /// `vote.sync.all`, `any`, `uni`: a predicate.
    Vote { how: Vote, to: u32, condition: Condition },
    /// `vote.sync.ballot`
    Ballot { to: u32, condition: Condition },
    /// `match.sync.any`, `all`
    Match { all: bool, to: Option<u32>, agrees: Option<u32>, value: Source },
    /// `redux.sync`
    Reduce { how: Redux, to: u32, value: Source },
    /// `elect.sync`
    Elect { to: Option<u32>, elected: Option<u32> },
}

/// The question of a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
}

/// The operation of a reduction of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redux {
    Add,
    Min { signed: bool },
    Max { signed: bool },
    And,
    Or,
    Xor,
}

/// Functions that the device provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    AssertFail,
    Print,
    Allocate,
    Free,
    SetCondition,
}

/// The target of a call.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Function(u32),
    Address(Source),
    Builtin(Builtin),
}

/// A call: rows that are copied to the callee's frame, and back.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) target: Target,
    /// Rows of the arguments, in the order of the callee's rows from [`FIRST_PARAMETER`] on.
    pub(crate) arguments: Vec<Source>,
    /// Rows of the results, in the order of the callee's rows after its parameters; none for unused results.
    pub(crate) results: Vec<Option<u32>>,
    pub(crate) signature: Signature,
    /// Rows of the caller's frame.
    pub(crate) rows: u32,
}

/// Sizes of parameters and results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) parameters: Vec<usize>,
    pub(crate) results: Vec<usize>,
}

impl Signature {
    /// Rows of all parameters.
    pub(crate) fn parameter_rows(&self) -> usize {
        self.parameters.iter().map(|bytes| bytes.div_ceil(8)).sum()
    }
}

/// A register that the device sets, and that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Instructions of the warp.
    Cycles { high: bool, wide: bool },
    /// Nanoseconds.
    Time { high: bool, wide: bool },
}

/// The effect of a step.
pub(crate) enum Action {
    /// Only reads and writes registers.
    Compute(Compute),
    /// Reads or writes a parameter: the same, but counts as an access of this many bytes.
    Parameter {
        compute: Compute,
        width: usize,
        stores: bool,
    },
    Load(Access),
    Store(Access),
    Atomic(Box<Atomic>),
    Fence {
        device: bool,
    },
    Branch(u32),
    /// The block that follows in the text is elsewhere: not an instruction.
    Goto(u32),
    Table {
        index: Source,
        targets: Box<[u32]>,
    },
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Barrier(Box<Barrier>),
    Exchange {
        with: Source,
        exchange: Box<Exchange>,
    },
    Clock {
        to: u32,
        clock: Clock,
    },
    ActiveMask {
        to: u32,
    },
    /// Lets other warps run: `nanosleep`.
    Yield,
    /// Hints.
    Nothing,
}

/// One step.
pub(crate) struct Step {
    pub(crate) guard: Condition,
    pub(crate) kind: Kind,
    pub(crate) action: Action,
    /// For a step that only reads and writes registers: the registers.
    pub(crate) flow: Flow,
}

/// The origin of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The function's number.
    pub(crate) function: u32,
    pub(crate) block: u32,
    pub(crate) index: u32,
    pub(crate) line: u32,
}

/// The row of a frame that holds the start of the lane's local memory in this call.
pub(crate) const FRAME_POINTER: u32 = 0;
/// The row whose predicate is the carry.
pub(crate) const CARRY: u32 = 0;
/// The row of a frame that holds its first parameter.
pub(crate) const FIRST_PARAMETER: u32 = 1;

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) start: u32,
    /// Rows of a frame.
    pub(crate) rows: u32,
    pub(crate) signature: Signature,
    /// Bytes of its local memory.
    pub(crate) local_bytes: u32,
    /// The alignment of its local memory.
    pub(crate) local_align: u32,
}

/// A program's steps, functions and constants.
pub(crate) struct Code {
    pub(crate) steps: Vec<Step>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) functions: Vec<Function>,
    pub(crate) constants: Arc<[Row]>,
    /// Constants that are addresses of module variables: the constant, the variable, and the added offset.
    pub(crate) relocations: Vec<(u32, String, i64)>,
    /// Names of functions by number, for addresses.
    pub(crate) numbers: HashMap<String, u32>,
}

/// Bytes between the addresses of functions.
pub(crate) const FUNCTION_STRIDE: u64 = 16;
