//! What is printed when a kernel fails, and the status that the program gets.

use super::status::{
    ASSERT, ILLEGAL_ADDRESS, ILLEGAL_INSTRUCTION, INVALID_VALUE, LAUNCH_FAILED, LAUNCH_TIMEOUT, MISALIGNED_ADDRESS,
    Status,
};
use crate::machine::{Fault, FaultKind};

/// The status of a kernel that failed.
pub(crate) fn status_of(kind: &FaultKind) -> Status {
    match kind {
        FaultKind::OutOfBounds | FaultKind::UseAfterFree | FaultKind::ReadOnly | FaultKind::StackOverflow => {
            ILLEGAL_ADDRESS
        }
        FaultKind::Misaligned => MISALIGNED_ADDRESS,
        FaultKind::Assert { .. } => ASSERT,
        FaultKind::IllegalInstruction => ILLEGAL_INSTRUCTION,
        FaultKind::Timeout => LAUNCH_TIMEOUT,
        FaultKind::InvalidLaunch | FaultKind::InvalidValue => INVALID_VALUE,
        _ => LAUNCH_FAILED,
    }
}

/// What is printed of it: an assertion as a driver prints it, anything else with all that is known.
pub(crate) fn text_of(fault: &Fault) -> String {
    if let FaultKind::Assert { message, file, line, function } = &fault.kind {
        let place = fault.thread.map_or(([0; 3], [0; 3]), |thread| (thread.block, thread.thread));
        let [block, thread] = [place.0, place.1].map(|[x, y, z]| format!("[{x},{y},{z}]"));
        return format!("{file}:{line}: {function}: block: {block}, thread: {thread} Assertion `{message}` failed.");
    }
    format!("ikra-emulator: {fault}")
}

/// Prints why a kernel failed, and returns the status.
pub(crate) fn kernel_failed(fault: &Fault) -> Status {
    eprintln!("{}", text_of(fault));
    status_of(&fault.kind)
}

/// Prints why a copy or fill failed, which a GPU reports as it reports a kernel's access.
pub(crate) fn copy_failed(fault: &Fault) -> Status {
    eprintln!("ikra-emulator: a copy, fill or free on a stream: {fault}");
    ILLEGAL_ADDRESS
}
