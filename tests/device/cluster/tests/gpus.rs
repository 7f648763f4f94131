//! Ranks on GPUs: the same bits as one process on its host.
#![allow(missing_docs, reason = "a test, not a library")]

use std::process::Command;

use ikra::{Place, prelude::*};
use ikra_cluster::Cluster;
use ikra_cluster_tests::model::{Cell, House, cell};
use ikra_cluster_tests::steps::{STEPS, Step, assert_same, run, step};
use proptest::prelude::*;

/// The places of ranks.
#[derive(Clone, Copy, Debug)]
enum Where {
    /// Each rank has a GPU, of which there are two; the third rank shares that of the first.
    OnGpus,
    /// The first two ranks have one each, and the hosts of the others run the kernels.
    OnSome,
}

impl Where {
    fn of(self, rank: usize) -> Place {
        match self {
            Self::OnGpus => Place::Gpu(rank % 2),
            Self::OnSome if rank < 2 => Place::Gpu(rank),
            Self::OnSome => Place::Host,
        }
    }
}

fn has_gpu() -> bool {
    ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE"))
}

fn compare(sizes: (usize, usize, usize), ranks: usize, places: Where, steps: &[Step]) {
    let new = || House::new_of(sizes.0, sizes.1, sizes.2).unwrap();
    let expected = run(new(), Place::Host, steps, |_| ());
    let results = Cluster::threads(ranks, |cluster| {
        let mut house = new();
        cluster.share_at(&mut house, places.of(cluster.rank())).unwrap();
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

/// All tests, on two emulated GPUs. On a machine with two real ones, `--ignored --skip a_failure` runs all but one there, and
/// `--ignored a_failure` runs that one.
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
        "copies_are_in_order",
        "inner_objects_come_first",
        "results_are_computed_on_devices",
        "ghosts_of_hosts_leave_devices_alone",
        "ghosts_are_copied_again_after_the_column",
        "ranks_own_all_objects_or_none",
    ];
    // A failure ends the work of all tests of its process.
    for tests in [&tests[..], &["a_failure_on_a_device_ends_all_ranks"]] {
        let mut run = Command::new(std::env::current_exe().expect("the path of this program"));
        run.args(["--exact", "--ignored", "--nocapture"]).args(tests);
        let run = ikra_test_gpu::emulate(&mut run, &[("DEVICES", "2")]).output().expect("this program");
        let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        let all = format!("{} passed", tests.len());
        assert!(run.status.success() && said.contains(&all), "{}: {said}", run.status);
    }
}

#[test]
#[ignore = "takes two GPUs"]
fn each_kernel_has_the_same_effects() {
    if !has_gpu() {
        return;
    }
    for one in STEPS {
        compare((1500, 300, 20), 2, Where::OnGpus, &[Step::Spread, one, one, Step::Drift]);
    }
}

#[test]
#[ignore = "takes two GPUs"]
fn many_kernels_in_a_row_do() {
    if !has_gpu() {
        return;
    }
    for places in [Where::OnGpus, Where::OnSome] {
        compare((2500, 600, 30), 3, places, &STEPS);
    }
}

/// No rank changes a column while another one copies it, and none reads ghosts before they have arrived.
#[test]
#[ignore = "takes two GPUs"]
fn copies_are_in_order() {
    if has_gpu() {
        compare((2500, 100, 20), 3, Where::OnGpus, &[Step::Hidden, Step::Alone].repeat(20));
        compare((2500, 100, 20), 2, Where::OnGpus, &[Step::Group, Step::Alone].repeat(20));
    }
}

/// For each rank, the kernels that its GPU starts in each step, and the bytes that it copies to the host.
fn used(ranks: usize, steps: &[Step]) -> Vec<Vec<(u64, u64)>> {
    Cluster::threads(ranks, |cluster| {
        let mut house = House::new_of(16_000, 10, 1).unwrap();
        cluster.share_at(&mut house, Where::OnGpus.of(cluster.rank())).unwrap();
        let of_step = |&one: &Step| {
            let before = house.cuda().stats();
            step(&mut house, Place::Cluster, one).unwrap();
            let after = house.cuda().stats();
            (after.launches - before.launches, after.bytes_down - before.bytes_down)
        };
        steps.iter().map(of_step).collect()
    })
}

/// Objects without neighbours of other ranks come first, while the values of these are copied.
#[test]
#[ignore = "takes two GPUs"]
fn inner_objects_come_first() {
    if !has_gpu() {
        return;
    }
    let used = used(3, &[Step::Spread, Step::Spread, Step::Alone, Step::Hidden]);
    let launches: Vec<Vec<_>> = used.iter().map(|rank| rank.iter().map(|step| step.0).collect()).collect();
    // The links of the last kernel lead everywhere. The last cell has no neighbour to its right.
    assert_eq!(launches, [[3, 3, 1, 1], [3, 3, 1, 1], [2, 2, 1, 1]]);
    for ranks in [2, 3] {
        compare((16_000, 10, 1), ranks, Where::OnGpus, &[Step::Spread, Step::Spread, Step::Alone].repeat(5));
        compare((16_000, 10, 1), ranks, Where::OnGpus, &[Step::Spread, Step::Hidden, Step::Jump].repeat(3));
    }
}

/// Hosts that get ghosts have older values of other objects, which do not replace those of a device.
#[test]
#[ignore = "takes two GPUs"]
fn ghosts_of_hosts_leave_devices_alone() {
    if has_gpu() {
        for far in [Step::Mean, Step::Group] {
            compare((2500, 100, 40), 2, Where::OnGpus, &[Step::Spread, Step::Spread, far, Step::Eat, far]);
        }
        // Other ghosts of the same column.
        for (one, other) in [(Step::Spread, Step::Eat), (Step::Hidden, Step::Eat), (Step::LookAround, Step::Eat)] {
            compare((2500, 100, 40), 2, Where::OnGpus, &[Step::Spread, one, Step::Alone, one, other, one]);
        }
    }
}

/// Devices compute results of their objects, and combine those of all. No column comes to a host.
#[test]
#[ignore = "takes two GPUs"]
fn results_are_computed_on_devices() {
    if !has_gpu() {
        return;
    }
    let results = |rank: Vec<_>| rank.into_iter().skip(1).step_by(2).collect::<Vec<_>>();
    let used = used(2, &[Step::Alone, Step::Warmth, Step::Alone, Step::Work, Step::Alone, Step::Label]);
    let used: Vec<_> = used.into_iter().map(results).collect();
    // Chunks have 256 objects: 31 of them belong to the first rank. Their results have 4, 8 and 8 bytes; two reductions.
    assert_eq!(used[0], [(4, 2 * 31 * 4), (2, 31 * 8), (1, 31 * 256 * 8)]);
    assert_eq!(used[1], [(4, 2 * 32 * 4), (2, 32 * 8), (1, (16_000 - 31 * 256) * 8)]);
}

/// A kernel that fails on one device ends the other ranks, whose devices wait for copies of it.
#[test]
#[ignore = "takes two GPUs"]
fn a_failure_on_a_device_ends_all_ranks() {
    if !has_gpu() {
        return;
    }
    let errors = Cluster::threads(2, |cluster| {
        let mut house = House::new_of(16_000, 10, 1).unwrap();
        cluster.share_at(&mut house, Place::Gpu(cluster.rank())).unwrap();
        step(&mut house, Place::Cluster, Step::Spread).unwrap();
        house.on(Place::Cluster).execute(Cell::fail_from, 15_000).unwrap();
        // Each of these steps copies what the one before has changed.
        let mut steps = [Step::Hidden, Step::Alone].repeat(20).into_iter();
        let error = steps.find_map(|one| step(&mut house, Place::Cluster, one).err());
        let error = error.or_else(|| house.on(Place::Cluster).synchronize().err());
        error.map(|error| error.to_string()).unwrap_or_default()
    });
    // The second rank owns the objects for which it fails. But a device that waits for copies of it may fail first.
    assert!(errors.iter().any(|error| error.contains("Cell::fail_from")), "{errors:?}");
    assert!(errors.iter().all(|error| !error.is_empty()), "{errors:?}");
}

/// A device that has lost a column gets it from its host, with older ghosts than it had.
#[test]
#[ignore = "takes two GPUs"]
fn ghosts_are_copied_again_after_the_column() {
    if has_gpu() {
        let some = [Step::CountOwn, Step::Visited, Step::Warmth, Step::Visit, Step::Alone, Step::Visited];
        for left in 0..some.len() {
            let steps: Vec<_> = (0..some.len()).filter(|&n| n != left).map(|n| some[n]).collect();
            compare((2500, 100, 20), 2, Where::OnGpus, &steps);
        }
        compare((2500, 100, 20), 2, Where::OnGpus, &some);
    }
}

/// One rank computes all chunks of a reduction. A device without objects has the columns that others have.
#[test]
#[ignore = "takes two GPUs"]
fn ranks_own_all_objects_or_none() {
    if has_gpu() {
        for cells in [600, 1500] {
            compare((cells, 100, 20), 1, Where::OnGpus, &[Step::Spread, Step::Warmth, Step::Work, Step::Label]);
        }
        for first in [Step::Label, Step::Warmth, Step::Alone, Step::Select, Step::Visit] {
            for then in [Step::Mean, Step::Hidden, Step::Spread, Step::Group] {
                compare((200, 10, 5), 2, Where::OnGpus, &[first, Step::Label, then, Step::Label, Step::Visit, then]);
            }
        }
    }
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
        places in prop::sample::select(vec![Where::OnGpus, Where::OnGpus, Where::OnSome]),
        cells in 600..2500_usize,
    ) {
        if has_gpu() {
            compare((cells, 100, 20), ranks, places, &steps);
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
        let through_hosts = (after.bytes_up - before.bytes_up, after.bytes_down - before.bytes_down);
        assert_eq!(through_hosts, (0, 0));
        let copied = after.bytes_across - before.bytes_across;
        assert_eq!(house.cells.column(cell::heat).len(), 4096);
        copied
    });
    // The first rank's two ghosts are near enough to be copied with the cells between them, 2048 in all. The last cell has no
    // neighbour to its right, so that the second rank has one ghost.
    assert_eq!(bytes, [10 * 8192, 10 * 4]);
}
