//! The passes keep all barriers.

use ikra_ptx_tests::code;

#[test]
fn barriers_stay_where_they_are() {
    let Some(code) = code() else { return };
    // One barrier per step of a reduction within a warp or block, two per tile of others. Ikra's own kernels for
    // ordering links have more, because they scan within a block.
    for kernel in code.kernels.iter().filter(|kernel| kernel.name.starts_with("ikra_kernel_")) {
        let name = &kernel.name;
        let of_warps = kernel.count("bar.warp.sync");
        let barriers = kernel.count("barrier.sync") + kernel.count("bar.sync");
        if name.contains("_reduce") {
            // Two for the results of a block's threads if the kernel is heavy, three to find the last block, and one
            // per step there, of which a warp does the last four by itself. If the loop is unrolled, one for each step.
            let is_heavy = ["_heavy_", "_strain_", "_push_"].iter().any(|part| name.contains(part));
            let own = if is_heavy { 2 } else { 0 };
            assert!(
                [(1, 1), (1, 4), (4, 4)].contains(&(barriers - 3 - own, of_warps - 6)),
                "{name}: {barriers}, {of_warps}"
            );
        } else {
            assert_eq!(of_warps, 0, "{name}");
            // A `Taker` reads nothing from others.
            let has_records = (name.contains("_meet_") || name.contains("_near_")) && !name.contains("_Taker_");
            assert_eq!(barriers, if has_records { 2 } else { 0 }, "{name}");
        }
    }
}
