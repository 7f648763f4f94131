//! Any number of ranks gives the same bits as one process without a cluster.

#[path = "../../../tests/device/cluster/src/model.rs"]
mod model;
#[path = "../../../tests/device/cluster/src/steps.rs"]
mod steps;

use ikra::{Place, prelude::*};
use ikra_cluster::Cluster;
use proptest::prelude::*;

use model::{Cell, House, cell};
use steps::{STEPS, Step, assert_same, run};

fn compare(sizes: (usize, usize, usize), ranks: usize, threads: usize, steps: &[Step]) {
    let new = || House::new_of(sizes.0, sizes.1, sizes.2).unwrap();
    let expected = run(new(), Place::Host, steps, |_| ());
    let results = Cluster::threads(ranks, |cluster| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut house = new();
            cluster.share(&mut house).unwrap();
            let mut n = 0;
            // Objects get other owners meanwhile.
            run(house, Place::Cluster, steps, |house| {
                n += 1;
                if n % 3 == 0 {
                    cluster.balance(house).unwrap();
                }
            })
        })
    });
    for (rank, found) in results.iter().enumerate() {
        assert_same(found, &expected, steps, &format!("rank {rank} of {ranks}"));
    }
}

#[test]
fn each_kernel_has_the_same_effects() {
    for one in STEPS {
        for ranks in [2, 3] {
            compare((3000, 700, 40), ranks, 1, &[Step::Spread, one, one, Step::Drift]);
        }
    }
}

#[test]
fn many_kernels_in_a_row_do() {
    compare((5000, 1500, 300), 4, 2, &STEPS);
    let mut reversed = STEPS;
    reversed.reverse();
    compare((9000, 20, 0), 3, 1, &reversed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("IKRA_LONG").is_some() { 300 } else { 8 }))]

    #[test]
    fn random_programs_do(
        steps in prop::collection::vec(prop::sample::select(STEPS.to_vec()), 1..14),
        ranks in 1..5_usize,
        cells in 600..6000_usize,
        rooms in 1..900_usize,
        animals in 0..400_usize,
    ) {
        compare((cells, rooms, animals), ranks, 1, &steps);
    }
}

/// A rank that does something else ends the others with an error, which says what each does.
#[test]
fn ranks_that_differ_are_found() {
    let errors = Cluster::threads(2, |cluster| {
        let mut house = House::new_of(3000, 10, 1).unwrap();
        cluster.share(&mut house).unwrap();
        house.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        if cluster.is_first() {
            house.on(Place::Cluster).execute(Cell::drift, 1.0).map_err(|error| error.to_string())
        } else {
            house
                .on(Place::Cluster)
                .execute_and_reduce(Cell::work, (), Sum)
                .map(drop)
                .map_err(|error| error.to_string())
        }
    });
    let found: Vec<_> = errors.into_iter().filter_map(Result::err).collect();
    assert!(!found.is_empty());
    for error in found {
        assert!(error.contains("ghosts of Cell::drift") && error.contains("results of Cell::work"), "{error}");
    }
}

#[test]
fn a_rank_that_ends_ends_the_others() {
    let errors = Cluster::threads(3, |cluster| {
        let mut house = House::new_of(3000, 10, 1).unwrap();
        cluster.share(&mut house).unwrap();
        for n in 0..5 {
            if cluster.rank() == 2 && n == 2 {
                return String::new();
            }
            if let Err(error) = house.on(Place::Cluster).execute(Cell::spread, ()) {
                return error.to_string();
            }
        }
        String::from("no error")
    });
    assert!(errors[0].contains("rank 2 has ended"), "{errors:?}");
    assert!(errors[1].contains("rank 2 has ended"), "{errors:?}");
}

#[test]
fn a_panic_ends_the_others() {
    let errors = Cluster::threads(2, |cluster| {
        let mut house = House::new_of(3000, 10, 1).unwrap();
        let own = cluster.rank() == 1;
        cluster.share(&mut house).unwrap();
        let work = || {
            for n in 0..3 {
                assert!(!own || n < 1, "a mistake");
                house.on(Place::Cluster).execute(Cell::spread, ())?;
            }
            Ok::<_, ikra::Error>(())
        };
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
            Ok(result) => result.map_err(|error| error.to_string()),
            Err(_) => Err(String::from("panicked")),
        }
    });
    assert_eq!(errors[1], Err(String::from("panicked")));
    assert!(errors[0].as_ref().is_err_and(|error| error.contains("rank 1")), "{errors:?}");
}

/// A loop that changes one column moves that column, for the neighbours of other ranks only.
#[test]
fn only_what_changes_moves() {
    let traffic = Cluster::threads(2, |cluster| {
        let mut house = House::new_of(4096, 10, 1).unwrap();
        cluster.share(&mut house).unwrap();
        let place = Place::Cluster;
        house.on(place).execute(Cell::spread, ()).unwrap();
        house.on(place).execute(Cell::spread, ()).unwrap();
        let before = cluster.traffic();
        for _ in 0..10 {
            house.on(place).execute(Cell::spread, ()).unwrap();
        }
        let after = cluster.traffic();
        (after.bytes - before.bytes, after.messages - before.messages, after.gathers - before.gathers)
    });
    // The kernel names the links `left` and `right`, so that a rank has two ghosts, of four bytes each.
    // The last cell has no cell to its right.
    assert_eq!(traffic, [(10 * 4, 10, 0), (10 * 8, 10, 0)]);
}

/// Objects that are exchanged for others keep no values that other ranks have newer ones of.
#[test]
fn exchanged_objects_are_never_old() {
    let errors = Cluster::threads(2, |cluster| {
        let mut house = House::new_of(3000, 10, 1).unwrap();
        let mut other = House::new_of(5000, 10, 1).unwrap();
        let before = other.cells.column(cell::heat).to_vec();
        cluster.share(&mut house).unwrap();
        house.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        std::mem::swap(&mut house, &mut other);
        // The cluster's executor went along with the world; now objects alone are exchanged.
        std::mem::swap(&mut house.cells, &mut other.cells);
        assert_eq!(other.cells.column(cell::heat), before);
        other.on(Place::Cluster).execute(Cell::drift_alone, ()).unwrap();
        let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| house.cells.column(cell::heat)[2999]));
        read.map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
    });
    for error in errors {
        assert!(error.is_err_and(|error| error.contains("put into another world")));
    }
}

/// After `gather`, ranks read what they like.
#[test]
fn one_rank_reads_what_was_gathered() {
    let sums = Cluster::threads(3, |cluster| {
        let mut house = House::new_of(3000, 10, 1).unwrap();
        cluster.share(&mut house).unwrap();
        house.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        cluster.gather(&mut house).unwrap();
        if cluster.is_first() { house.cells.column(cell::heat).iter().sum::<f32>() } else { 0.0 }
    });
    let mut alone = House::new_of(3000, 10, 1).unwrap();
    alone.execute(Cell::spread, ());
    assert_eq!(sums[0], alone.cells.column(cell::heat).iter().sum::<f32>());
}

/// Neither do objects that come back.
#[test]
fn objects_that_come_back_are_never_old() {
    let errors = Cluster::threads(2, |cluster| {
        let mut house = House::new_of(3000, 10, 1).unwrap();
        let mut other = House::new_of(3000, 10, 1).unwrap();
        cluster.share(&mut house).unwrap();
        house.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        std::mem::swap(&mut house.cells, &mut other.cells);
        house.on(Place::Cluster).execute(Cell::drift_alone, ()).unwrap();
        cluster.gather(&mut house).unwrap();
        std::mem::swap(&mut house.cells, &mut other.cells);
        house.on(Place::Cluster).execute(Cell::drift_alone, ()).map_err(|error| error.to_string())
    });
    for error in errors {
        assert!(error.is_err_and(|error| error.contains("taken out of the world and put back")));
    }
}

#[test]
fn a_cluster_shares_one_world() {
    Cluster::threads(2, |cluster| {
        let mut house = House::new_of(600, 10, 1).unwrap();
        let mut other = House::new_of(600, 10, 1).unwrap();
        assert!(cluster.gather(&mut house).is_err_and(|error| error.to_string().contains("is not shared")));
        cluster.share(&mut house).unwrap();
        let again = cluster.share(&mut other);
        assert!(again.is_err_and(|error| error.to_string().contains("shares another world")));
        assert!(cluster.balance(&mut other).is_err());
    });
}

/// Ranks that read other objects of a column.
#[test]
fn ranks_that_read_other_objects_are_found() {
    let errors = Cluster::threads(2, |cluster| {
        let mut house = House::new_of(60_000, 10, 1).unwrap();
        cluster.share(&mut house).unwrap();
        house.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        let link = Link::<Cell>::from_index(5 + cluster.rank()).unwrap();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| house.get(link).heat())).is_err()
    });
    assert_eq!(errors, [true, true]);
}

/// New objects at the ids of removed ones have ghosts of their own.
#[test]
fn filled_holes_have_ghosts_of_their_own() {
    use Step::{Breed, Compact, Drift, Follow, Read, Starve};
    for animals in [40, 300, 700] {
        compare(
            (3000, 20, animals),
            3,
            1,
            &[Drift, Follow, Starve, Breed, Drift, Follow, Starve, Breed, Compact, Drift, Follow, Read],
        );
    }
}

/// A grain, of which there are millions.
#[soa_class]
pub struct Grain {
    size: f32,
}

#[soa_methods]
impl Grain {
    /// Its area.
    #[kernel(reduce(Sum))]
    pub fn area(&self) -> f32 {
        self.size * self.size
    }
}

/// Grains.
#[soa_world]
pub struct Heap {
    grains: Objects<Grain>,
}

/// Of so many objects, chunks take turns: ranks own whole spans of them.
#[test]
fn chunks_that_take_turns_are_combined_in_order() {
    let sum = |heap: &mut Heap, place| heap.on(place).execute_and_reduce(Grain::area, (), Sum).unwrap().to_bits();
    let new = || {
        let mut heap = Heap::new();
        heap.grains.extend((0..8_400_003_u32).map(|n| Grain { size: (n % 1009) as f32 * 0.1 })).unwrap();
        heap
    };
    let expected = sum(&mut new(), Place::Host);
    let results = Cluster::threads(3, |cluster| {
        let mut heap = new();
        cluster.share(&mut heap).unwrap();
        sum(&mut heap, Place::Cluster)
    });
    assert_eq!(results, [expected; 3]);
}
