//! Ranks on GPUs: the same bits as one process on its host.
#![allow(missing_docs, reason = "a test, not a library")]

use std::process::Command;

use ikra::{Place, prelude::*};
use ikra_cluster::Cluster;
use ikra_cluster_tests::model::{Cell, House, cell};
use ikra_cluster_tests::steps::{STEPS, Step, assert_same, run};
use proptest::prelude::*;

/// The GPUs of a rank: two ranks have one each, of a third the host runs the kernels.
fn place(rank: usize) -> Place {
    if rank < 2 { Place::Gpu(rank) } else { Place::Host }
}

fn has_gpu() -> bool {
    ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE"))
}

fn compare(sizes: (usize, usize, usize), ranks: usize, steps: &[Step]) {
    let new = || House::new_of(sizes.0, sizes.1, sizes.2).unwrap();
    let expected = run(new(), Place::Host, steps, |_| ());
    let results = Cluster::threads(ranks, |cluster| {
        let mut house = new();
        cluster.share_at(&mut house, place(cluster.rank())).unwrap();
        let mut n = 0;
        run(house, Place::Cluster, steps, |house| {
            n += 1;
            if n % 4 == 0 {
                cluster.balance(house).unwrap();
            }
        })
    });
    for (rank, found) in results.iter().enumerate() {
        assert_same(found, &expected, steps, &format!("rank {rank} of {ranks}"));
    }
}

/// All tests, on two emulated GPUs. On a machine with two real ones, `--ignored` runs them there.
#[test]
fn ranks_with_emulated_gpus_are_as_hosts() {
    if !has_gpu() {
        return;
    }
    let tests = [
        "each_kernel_has_the_same_effects",
        "many_kernels_in_a_row_do",
        "random_programs_do",
        "loops_copy_ghosts_alone",
    ];
    let mut run = Command::new(std::env::current_exe().expect("the path of this program"));
    run.args(["--exact", "--ignored", "--nocapture"]).args(tests);
    let run = ikra_test_gpu::emulate(&mut run, &[("DEVICES", "2")]).output().expect("this program");
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && said.contains("4 passed"), "{}: {said}", run.status);
}

#[test]
#[ignore = "takes two GPUs"]
fn each_kernel_has_the_same_effects() {
    if !has_gpu() {
        return;
    }
    for one in STEPS {
        compare((1500, 300, 20), 2, &[Step::Spread, one, one, Step::Drift]);
    }
}

#[test]
#[ignore = "takes two GPUs"]
fn many_kernels_in_a_row_do() {
    if !has_gpu() {
        return;
    }
    compare((2500, 600, 30), 3, &STEPS);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if std::env::var_os("IKRA_LONG").is_some() { 100 } else { 4 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    #[ignore = "takes two GPUs"]
    fn random_programs_do(
        steps in prop::collection::vec(prop::sample::select(STEPS.to_vec()), 1..12),
        ranks in 1..4_usize,
        cells in 600..2500_usize,
    ) {
        if has_gpu() {
            compare((cells, 100, 20), ranks, &steps);
        }
    }
}

/// A loop of kernels on GPUs copies the neighbours of other ranks, and no columns.
#[test]
#[ignore = "takes two GPUs"]
fn loops_copy_ghosts_alone() {
    if !has_gpu() {
        return;
    }
    let bytes = Cluster::threads(2, |cluster| {
        let mut house = House::new_of(4096, 10, 1).unwrap();
        cluster.share_at(&mut house, Place::Gpu(cluster.rank())).unwrap();
        for _ in 0..3 {
            house.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        }
        let before = house.cuda().stats();
        for _ in 0..10 {
            house.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        }
        let after = house.cuda().stats();
        let copied = (after.bytes_up - before.bytes_up, after.bytes_down - before.bytes_down);
        assert_eq!(house.cells.column(cell::heat).len(), 4096);
        copied
    });
    // The first rank's two ghosts are near enough to be copied with the cells between them, 2048 in all. The last cell has no
    // neighbour to its right, so that the second rank has one ghost.
    assert_eq!(bytes, [(10 * 8192, 10 * 4), (10 * 4, 10 * 8192)]);
}
