//! The passes keep all barriers.

use ikra_ptx_tests::code;

#[test]
fn barriers_stay_where_they_are() {
    let Some(code) = code() else { return };
    // Few in a reduction, two per tile of others. Ikra's own kernels for ordering links have more, because they scan
    // within a block.
    for kernel in code.kernels.iter().filter(|kernel| kernel.name.starts_with("ikra_kernel_")) {
        let name = &kernel.name;
        // Those of loops over inner arrays are for the threads that began the loop.
        let is_own = |one: &&str| one.starts_with("bar.warp.sync");
        let (of_loops, of_warps): (Vec<&str>, Vec<&str>) =
            kernel.instructions().filter(is_own).partition(|one| one.contains('%'));
        let of_warps = of_warps.len();
        let began = |threads: &str| {
            let mut masks = kernel.instructions().filter(|one| one.starts_with("activemask.b32"));
            masks.any(|one| one.split_whitespace().last() == Some(threads))
        };
        for barrier in &of_loops {
            assert!(barrier.split_whitespace().last().is_some_and(began), "{name}: {barrier}");
        }
        if name.contains("_Station_spread_") {
            assert_eq!(of_loops.len(), 1, "{name}: after `for_each`");
        }
        let barriers = kernel.count("barrier.sync") + kernel.count("bar.sync");
        if name.contains("_reduce") {
            // Two for the results of a block's threads if the kernel is heavy, three to find the last block, and one behind
            // the parts of others; a warp has one before and one behind these. Large results go through shared memory:
            // two barriers of a warp for each of five steps, twice. Their accumulators are those of a warp.
            // A kernel is heavy, too, if the one that chooses is: `is_deep`, the second of its block.
            let after_heavy = name.contains("_Mote_height_") && name.contains("_after1_");
            let is_heavy = after_heavy || ["_heavy_", "_strain_", "_push_"].iter().any(|part| name.contains(part));
            let own = if is_heavy { 2 } else { 0 };
            let expected = if name.contains("_wide_") { (3, 2 + 2 * 5 * 2) } else { (4, 2) };
            assert_eq!((barriers - own, of_warps), expected, "{name}");
        } else {
            assert_eq!(of_warps, 0, "{name}");
            // Kernels for pairs. A `Taker`, and a `Speck` that counts, read nothing of others in tiles.
            let has_tiles = ["_meet_", "_near_", "_Speck_"].iter().any(|part| name.contains(part))
                && !["_Taker_", "_Speck_count_"].iter().any(|part| name.contains(part));
            // Where several threads share an object: one behind a tile's rows, one per round, and one before the object is
            // stored.
            let has_parts = kernel.instructions().any(|instruction| instruction.ends_with("%ntid.y"));
            let of_parts = if has_parts { 2 + usize::from(has_tiles) } else { 0 };
            assert_eq!(barriers, of_parts + if has_tiles { 2 } else { 0 }, "{name}");
        }
    }
}
