//! Programs, devices and launches: the interface of the engine.

pub use crate::{
    counts::Counts,
    device::{Device, Launch, LoadedProgram, Usage},
    fault::{Fault, FaultKind, ThreadId},
    options::{Checks, Options},
    program::{
        Initial, Kernel, KernelInfo, LoadError, ParameterInfo, Program, Relocation, VariableInfo, VariableSpace,
    },
};
