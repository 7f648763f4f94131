//! Any number of ranks gives the same bits as one process without a cluster.

mod model;

use ikra::{Place, prelude::*};
use ikra_cluster::Cluster;
use proptest::prelude::*;

use model::{Animal, Cell, Fly, House, Moth, Room, cell};

/// An operation on the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Spread,
    Drift,
    LookAround,
    Hidden,
    Jump,
    Visit,
    Visited,
    Mean,
    Attract,
    Compare,
    Warmth,
    Work,
    Label,
    Select,
    Group,
    Breed,
    Starve,
    Bite,
    Heat,
    Counted,
    Eat,
    Energy,
    Range,
    Sort,
    Compact,
    Write,
    Read,
    ReadOne,
    Push,
    Store,
    OnHost,
    Repeat,
}

const STEPS: [Step; 32] = {
    use Step::*;
    [
        Spread, Drift, LookAround, Hidden, Jump, Visit, Visited, Mean, Attract, Compare, Warmth, Work, Label, Select,
        Group, Breed, Starve, Bite, Heat, Counted, Eat, Energy, Range, Sort, Compact, Write, Read, ReadOne, Push,
        Store, OnHost, Repeat,
    ]
};

/// Does a step, and returns what the program sees of it, as bits.
fn step(house: &mut House, place: Place, step: Step) -> Result<Vec<u64>, ikra::Error> {
    let some = |house: &House, n: usize| Link::<Cell>::from_index(n % house.cells.len()).unwrap();
    let mut seen = Vec::new();
    match step {
        Step::Spread => house.on(place).execute(Cell::spread, ())?,
        Step::Drift => house.on(place).execute(Cell::drift, 0.5)?,
        Step::LookAround => house.on(place).execute(Cell::look_around, ())?,
        Step::Hidden => house.on(place).execute(Cell::hidden, ())?,
        Step::Jump => house.on(place).execute(Cell::jump, ())?,
        Step::Visit => house.on(place).execute(Cell::visit, ())?,
        Step::Visited => house.on(place).execute(Cell::visited, ())?,
        Step::Mean => house.on(place).execute(Cell::mean, ())?,
        Step::Attract => house.on(place).execute_pairs(Cell::attract, ())?,
        Step::Compare => {
            let with = some(house, 1001);
            house.on(place).execute(Cell::compare, with)?;
        }
        Step::Warmth => {
            seen.push(house.on(place).execute_and_reduce(Cell::warmth, (), Sum)?.to_bits().into());
            seen.push(house.on(place).execute_and_reduce(Cell::warmth, (), Max)?.to_bits().into());
        }
        Step::Work => seen.push(house.on(place).execute_and_reduce(Cell::work, (), Sum)?.to_bits()),
        Step::Label => {
            let labels = house.on(place).execute_and_collect(Cell::label, ())?;
            seen.extend(labels.iter().flat_map(|label| [u64::from(label.0), label.1.to_bits().into()]));
        }
        Step::Select => {
            let warm = house.on(place).select(Cell::is_warm, ()).selection()?;
            house.on(place).over(&warm).execute(Cell::drift, 0.25)?;
            seen.push(warm.len() as u64);
            seen.push(house.on(place).select(Cell::is_warm, ()).map(Cell::work, ()).reduce(Sum)?.to_bits());
        }
        Step::Group => {
            let groups = house.on(place).group_by(Cell::key, 7, ())?;
            house.on(place).execute(Cell::crowd, &groups)?;
        }
        Step::Breed => house.on(place).execute(Cell::breed, ())?,
        Step::Starve => house.on(place).execute(Fly::starve, 0.5)?,
        Step::Bite => house.on(place).execute(Moth::bite, ())?,
        Step::Heat => house.on(place).execute(Room::heat, ())?,
        Step::Counted => house.on(place).execute(Room::counted, ())?,
        Step::Eat => house.on(place).execute(Animal::eat, 1.5)?,
        Step::Energy => seen.push(house.on(place).execute_and_reduce(Animal::fuel, (), Sum)?.to_bits().into()),
        Step::Range => {
            let len = house.cells.len();
            house.on(place).over(len / 3..len - 5).execute(Cell::spread, ())?;
            let sum = house.on(place).over(5..len / 2).execute_and_reduce(Cell::warmth, (), Sum)?;
            seen.push(sum.to_bits().into());
        }
        Step::Sort => drop(house.on(place).sort_by_key(Cell::key, ())?),
        Step::Compact => drop(house.compact::<Fly>()?),
        Step::Write => {
            let at = some(house, 77);
            house.set(at, cell::heat, 2.5);
            house.get_mut(some(house, 4000)).flow = 0.125;
        }
        Step::Read => seen.extend(house.cells.column(cell::heat).iter().map(|heat| u64::from(heat.to_bits()))),
        Step::ReadOne => {
            let at = some(house, house.cells.len() / 2);
            let object = house.get(at);
            seen.extend([object.heat().to_bits(), object.seen(), object.left().flow().to_bits()].map(u64::from));
        }
        Step::Push => {
            let at = some(house, 5);
            house.flies.push(Fly { at: Some(at), energy: 3.0, steps: 1 })?;
        }
        Step::Store => {
            let at = some(house, 9);
            house.on(place).reduce_into(Cell::warmth, (), Max, at, cell::flow)?;
        }
        Step::OnHost => house.on(Place::Host).execute(Cell::drift, 0.75)?,
        Step::Repeat => house.on(place).repeat(3, |step| {
            step.execute(Cell::spread, ())?;
            step.execute(Cell::drift, 0.125)
        })?,
    }
    Ok(seen)
}

/// Everything that the world has, as text.
fn contents(house: &House) -> String {
    fn rows<C: ikra::Class + std::fmt::Debug>(objects: &Objects<C>) -> String {
        let rows: Vec<_> = objects.links().map(|link| (link.id(), objects.read(link).unwrap())).collect();
        format!("{rows:?}")
    }
    [rows(&house.cells), rows(&house.rooms), rows(&house.moths), rows(&house.flies)].join("\n")
}

/// The results of some steps, and the world afterwards.
fn run(mut house: House, place: Place, steps: &[Step]) -> (Vec<Vec<u64>>, String) {
    let seen = steps.iter().map(|&one| step(&mut house, place, one).unwrap()).collect();
    (seen, contents(&house))
}

fn compare(sizes: (usize, usize, usize), ranks: usize, threads: usize, steps: &[Step]) {
    let new = || House::new_of(sizes.0, sizes.1, sizes.2).unwrap();
    let (expected, world) = run(new(), Place::Host, steps);
    let results = Cluster::threads(ranks, |cluster| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut house = new();
            cluster.share(&mut house).unwrap();
            run(house, Place::Cluster, steps)
        })
    });
    for (rank, (seen, after)) in results.iter().enumerate() {
        for (n, (one, other)) in seen.iter().zip(&expected).enumerate() {
            assert_eq!(one, other, "rank {rank} of {ranks}: {:?}, after {:?}", steps[n], &steps[..n]);
        }
        for (line, (one, other)) in after.lines().zip(world.lines()).enumerate() {
            let at = one.bytes().zip(other.bytes()).position(|(one, other)| one != other);
            assert!(
                one == other,
                "rank {rank} of {ranks}, after {steps:?}: class {line}: {:?}",
                at.map(|at| (
                    &one[at.saturating_sub(60)..(at + 60).min(one.len())],
                    &other[at.saturating_sub(60)..(at + 60).min(other.len())]
                ))
            );
        }
    }
}

#[test]
fn each_kernel_has_the_same_effects() {
    for one in STEPS {
        for ranks in [1, 2, 3] {
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
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("IKRA_LONG").is_some() { 300 } else { 12 }))]

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
