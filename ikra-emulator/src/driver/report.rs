//! The message about a failed kernel, and the status that the program gets.

use super::status::{
    ASSERT, ILLEGAL_ADDRESS, ILLEGAL_INSTRUCTION, INVALID_VALUE, LAUNCH_FAILED, LAUNCH_TIMEOUT, MISALIGNED_ADDRESS,
    Status,
};
use crate::machine::{Device, Fault, FaultKind, KernelInfo, Launch};

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

/// The printed text: an assertion in the driver's format, anything else with all details.
pub(crate) fn text_of(fault: &Fault) -> String {
    if let FaultKind::Assert { message, file, line, function } = &fault.kind {
        let place = fault.thread.map_or(([0; 3], [0; 3]), |thread| (thread.block, thread.thread));
        let [block, thread] = [place.0, place.1].map(|[x, y, z]| format!("[{x},{y},{z}]"));
        return format!("{file}:{line}: {function}: block: {block}, thread: {thread} Assertion `{message}` failed.");
    }
    format!("ikra-emulator: {fault}")
}

/// Prints why a kernel failed, and returns the status. For a kernel of Ikra with one thread per object, `object` is the
/// index of the thread's object.
pub(crate) fn kernel_failed(fault: &Fault, object: impl FnOnce(u64) -> Option<u64>) -> Status {
    let mut fault = fault.clone();
    if let (None, Some(thread)) = (&fault.object, fault.thread) {
        fault.object = object(thread.index).map(|object| format!("#{}", object + 1));
    }
    eprintln!("{}", text_of(&fault));
    status_of(&fault.kind)
}

/// The object of a thread, if the kernel is one of Ikra's with one thread per object: such an entry takes the first
/// position, the end, and a list of indices or none.
pub(crate) fn object_of(machine: &Device, kernel: &KernelInfo, launch: &Launch, thread: u64) -> Option<u64> {
    let is_reduction = kernel.name.rsplit('_').next().is_some_and(|last| last.starts_with("reduce"));
    let sizes: Vec<usize> = kernel.parameters.iter().take(3).map(|parameter| parameter.bytes).collect();
    if !kernel.name.starts_with("ikra_kernel_") || is_reduction || sizes != [4, 4, 8] {
        return None;
    }
    let word = |at: usize| Some(u32::from_le_bytes(launch.arguments.get(at..at + 4)?.try_into().ok()?));
    let (first, end) = (word(0)?, word(4)?);
    let list = u64::from_le_bytes(launch.arguments.get(8..16)?.try_into().ok()?);
    let position = u64::from(first).checked_add(thread).filter(|position| *position < u64::from(end))?;
    if list == 0 {
        return Some(position);
    }
    let mut index = [0; 4];
    machine.read(list + 4 * position, &mut index).ok()?;
    Some(u64::from(u32::from_le_bytes(index)))
}

/// Prints why a copy or fill failed, which a GPU reports like a kernel's access.
pub(crate) fn copy_failed(fault: &Fault) -> Status {
    eprintln!("ikra-emulator: a copy, fill or free on a stream: {fault}");
    ILLEGAL_ADDRESS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Options, Program};

    /// The object of a thread, in a kernel of this name.
    fn object(machine: &Device, name: &str, [first, end]: [u32; 2], list: u64, thread: u64) -> Option<u64> {
        let text = format!(
            ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry {name}(\n.param .u32 a,\n.param .u32 b,\n.param .u64 c\n)\n{{\nret;\n}}\n"
        );
        let program = Program::load(&text).unwrap();
        let kernel = program.info(program.kernel(name).unwrap());
        let mut arguments = [first.to_le_bytes(), end.to_le_bytes()].concat();
        arguments.extend(list.to_le_bytes());
        let launch = Launch { grid: [1; 3], block: [32, 1, 1], arguments, ..Launch::default() };
        object_of(machine, kernel, &launch, thread)
    }

    #[test]
    fn a_thread_is_for_an_object() {
        let machine = Device::new(Options::default());
        let ball = "ikra_kernel_Ball_fly_40_11_1a2b";
        assert_eq!(object(&machine, ball, [5, 20], 0, 3), Some(8));
        assert_eq!(object(&machine, ball, [5, 8], 0, 3), None, "there is no position for it");
        let list = machine.allocate(12, "a list").unwrap();
        machine.write(list, &[7_u32, 9, 100].map(u32::to_le_bytes).concat()).unwrap();
        assert_eq!(object(&machine, ball, [0, 3], list, 2), Some(100));
        assert_eq!(object(&machine, ball, [0, 9], list, 5), None, "a list that is shorter");
        assert_eq!(object(&machine, "ikra_kernel_Ball_weigh_50_11_1a2b_reduce0", [0, 9], 0, 5), None);
        assert_eq!(object(&machine, "another", [0, 9], 0, 5), None);
    }
}
