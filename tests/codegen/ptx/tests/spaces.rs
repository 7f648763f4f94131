//! The pass `spaces`: memory is accessed in its own address space.

use ikra_ptx_tests::code;

#[test]
fn atomics_are_in_global_or_shared_memory() {
    let Some(code) = code() else { return };
    for kernel in &code.kernels {
        let atomic = |at: &&str| at.starts_with("atom.") || at.starts_with("red.");
        for instruction in kernel.instructions().filter(atomic) {
            // The library's sort counts in shared memory. Models have no memory of their own there.
            let is_shared = kernel.name.starts_with("ikra_sort_") && instruction.contains(".shared.");
            assert!(is_shared || instruction.contains(".global."), "{}: {instruction}", kernel.name);
        }
    }
    let visit = code.kernel("ikra_kernel_Growing_visit_");
    for operation in ["add.u32", "add.u64", "min.s32", "max.u64", "or.b32"] {
        assert!(visit.count(&format!("atom.relaxed.gpu.global.{operation}")) > 0, "{operation}");
    }
    // The minimum and maximum of floating-point numbers, and a claim.
    assert_eq!(visit.count("atom.relaxed.gpu.global.cas"), 3);
}
