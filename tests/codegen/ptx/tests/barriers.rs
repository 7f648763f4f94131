//! The passes keep all barriers.

use ikra_ptx_tests::code;

#[test]
fn barriers_stay_where_they_are() {
    let Some(code) = code() else { return };
    // One barrier per step of a reduction within a warp or block, two per tile of others. Ikra's own kernels for
    // ordering links have more, because they scan within a block.
    for kernel in code.kernels.iter().filter(|kernel| kernel.name.starts_with("ikra_kernel_")) {
        let name = &kernel.name;
        assert_eq!(kernel.count("bar.warp.sync"), if name.contains("_reduce") { 6 } else { 0 }, "{name}");
        let barriers = kernel.count("barrier.sync") + kernel.count("bar.sync");
        if name.contains("_reduce") {
            // Two for the results of a block's threads if the kernel is heavy, three to find the last block, and one
            // per step there. If the loop is unrolled, one for each of eight steps.
            let is_heavy = ["_heavy_", "_strain_", "_push_"].iter().any(|part| name.contains(part));
            let own = if is_heavy { 2 } else { 0 };
            assert!([1, 5, 8].contains(&(barriers - 3 - own)), "{name}: {barriers}");
        } else {
            // A `Taker` reads nothing from others.
            let has_records = (name.contains("_meet_") || name.contains("_near_")) && !name.contains("_Taker_");
            assert_eq!(barriers, if has_records { 2 } else { 0 }, "{name}");
        }
    }
}
