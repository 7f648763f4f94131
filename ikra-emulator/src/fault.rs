//! Faults of kernels, and their positions.

use std::fmt;

/// The kind of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access outside of all live allocations, or outside of a block's shared or a thread's local memory.
    OutOfBounds,
    /// The address is not a multiple of the access's width.
    Misaligned,
    /// An access to an allocation that was freed.
    UseAfterFree,
    /// A value that depends on uninitialised bytes.
    Uninitialised,
    /// A write to constant memory or parameters.
    ReadOnly,
    /// Two threads access the same memory, one of them writes, and nothing orders them.
    Race {
        /// The other thread: its block and its index in the block.
        other_block: [u32; 3],
        /// The other thread's index in its block.
        other_thread: [u32; 3],
        /// The other thread's access: `read`, `wrote`, `updated`.
        other_access: &'static str,
    },
    /// Threads of one warp came to an aligned barrier apart from each other, or a barrier's threads differ in their counts.
    BarrierDivergence,
    /// All remaining threads wait for each other.
    Deadlock,
    /// `__assertfail`: a panic of a kernel.
    Assert {
        /// The message.
        message: String,
        /// The file of the assertion, as the program names it.
        file: String,
        /// The line of the assertion.
        line: u32,
        /// The function, or for Ikra's kernels the kernel and its object: `Body::advance for Body#17`.
        function: String,
    },
    /// `trap`.
    Trap,
    /// Calls need more than a thread's stack.
    StackOverflow,
    /// A call through an address that is not a function, or of another signature; a jump out of its table.
    IllegalInstruction,
    /// More instructions than [`Options::instruction_limit`](crate::machine::Options::instruction_limit).
    Timeout,
    /// The launch itself is impossible: dimensions, shared memory, or the size of its parameters.
    InvalidLaunch,
    /// An address from the host that is not an allocation's.
    InvalidValue,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds => f.write_str("access out of bounds"),
            Self::Misaligned => f.write_str("misaligned access"),
            Self::UseAfterFree => f.write_str("use after free"),
            Self::Uninitialised => f.write_str("use of uninitialised memory"),
            Self::ReadOnly => f.write_str("write to memory that is read-only"),
            Self::Race { other_block, other_thread, other_access } => {
                write!(f, "race with thread {other_thread:?} of block {other_block:?}, which {other_access} it")
            }
            Self::BarrierDivergence => f.write_str("barrier in divergent code"),
            Self::Deadlock => f.write_str("deadlock"),
            Self::Assert { message, file, line, function } => {
                write!(f, "assertion failed: {message} ({function}) at {file}:{line}")
            }
            Self::Trap => f.write_str("trap"),
            Self::StackOverflow => f.write_str("stack overflow"),
            Self::IllegalInstruction => f.write_str("illegal instruction"),
            Self::Timeout => f.write_str("timeout"),
            Self::InvalidLaunch => f.write_str("invalid launch"),
            Self::InvalidValue => f.write_str("invalid value"),
        }
    }
}

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadId {
    /// The block's index in the grid.
    pub block: [u32; 3],
    /// The thread's index in the block.
    pub thread: [u32; 3],
    /// The thread's number in the launch along x: `ctaid.x * ntid.x + tid.x`.
    pub index: u64,
}

/// A fault: its kind, the kernel and thread, the instruction and address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The kernel, if one was running.
    pub kernel: Option<String>,
    /// The function that the thread was in, if it is not the kernel.
    pub function: Option<String>,
    /// The thread, if one was running.
    pub thread: Option<ThreadId>,
    /// The line of the PTX text, from 1.
    pub ptx_line: Option<u32>,
    /// The instruction's text.
    pub instruction: Option<String>,
    /// The model's file and line, if the PTX has them (`.loc`).
    pub source: Option<(String, u32)>,
    /// The address, generic or of the host.
    pub address: Option<u64>,
    /// The object, if the assertion names one: `Body::advance for Body#17`.
    pub object: Option<String>,
    /// Further details: the allocation, the waiting threads.
    pub detail: String,
}

impl Fault {
    /// A fault whose kind alone is known so far.
    pub(crate) fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            kernel: None,
            function: None,
            thread: None,
            ptx_line: None,
            instruction: None,
            source: None,
            address: None,
            object: None,
            detail: detail.into(),
        }
    }

    /// The same at an address.
    pub(crate) fn at(mut self, address: u64) -> Self {
        self.address = Some(address);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(address) = self.address {
            write!(f, " at {address:#x}")?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        if let Some(kernel) = &self.kernel {
            write!(f, "\n  kernel {kernel}")?;
        }
        if let Some(function) = &self.function {
            write!(f, ", in function {function}")?;
        }
        if let Some(object) = &self.object {
            write!(f, "\n  object {object}")?;
        }
        if let Some(thread) = &self.thread {
            write!(f, "\n  thread {:?} of block {:?} (number {})", thread.thread, thread.block, thread.index)?;
        }
        if let Some(line) = self.ptx_line {
            write!(f, "\n  line {line} of the PTX")?;
            if let Some(text) = &self.instruction {
                write!(f, ": {text}")?;
            }
        }
        if let Some((file, line)) = &self.source {
            write!(f, "\n  at {file}:{line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
