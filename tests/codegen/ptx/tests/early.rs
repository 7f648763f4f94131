//! Kernels that are launched early wait first, and give the same results.

use std::path::Path;

use ikra::gpu::driver::waiting;
use ikra_build::ptx;
use ikra_build::ptxas::{self, Usage};
use ikra_ptx_tests::{code, usages};
use ikra_test_gpu::device_code::{architectures, is_long};

#[test]
fn the_device_code_can_wait() {
    let Some(code) = code() else { return };
    let made = waiting(&code.text).unwrap();
    let (before, after) = (&code.kernels, ptx::kernels(&made.ptx));
    assert_eq!(made.kernels, before.iter().map(|kernel| kernel.name.clone()).collect::<Vec<_>>());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(after.instructions().next(), Some("griddepcontrol.wait"), "{}", after.name);
        assert_eq!(after.body.replacen("\tgriddepcontrol.wait;\n", "", 1), before.body, "{}", after.name);
    }
    // The assembler takes ten seconds.
    let Some(assembler) = ptxas::find().filter(|_| is_long()) else { return };
    let text = Path::new(env!("CARGO_TARGET_TMPDIR")).join("waiting.ptx");
    std::fs::write(&text, &made.ptx).unwrap();
    let same = |plain: &[Usage], waiting: &[Usage]| {
        assert_eq!(plain.len(), waiting.len());
        for (plain, waiting) in plain.iter().zip(waiting) {
            let of = |usage: &Usage| (usage.spill_bytes, usage.stack_bytes);
            assert_eq!(of(plain), of(waiting), "{waiting:?}");
        }
    };
    let assemble = |text: &Path, architecture: &str| ptxas::assemble(&assembler, text, architecture).unwrap();
    same(usages(code).unwrap(), &assemble(&text, "sm_90"));
    // Older architectures cannot wait.
    for &architecture in architectures().iter().filter(|&&architecture| architecture == "sm_100") {
        same(&assemble(code.path, architecture), &assemble(&text, architecture));
    }
}
