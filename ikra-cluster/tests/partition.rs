//! Orders of objects in which few links lead from one rank to another.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::{Place, prelude::*};
use ikra_cluster::Cluster;

#[soa_class]
pub struct Cell {
    pub number: u32,
    pub heat: f32,
    pub right: Option<Link<Cell>>,
    pub below: Option<Link<Cell>>,
}

#[soa_class]
pub struct Walker {
    pub at: Link<Cell>,
}

#[soa_methods]
impl Cell {
    #[kernel(snapshot(heat))]
    pub fn spread(&mut self) {
        let right = self.right.map_or(0.0, |right| right.heat());
        self.heat += 0.25 * (right + self.below.map_or(0.0, |below| below.heat()));
    }
}

#[soa_methods]
impl Walker {
    #[kernel]
    pub fn place(&self) -> u32 {
        self.at.link().id()
    }
}

#[soa_world]
pub struct Plate {
    pub cells: Objects<Cell>,
    pub walkers: Objects<Walker>,
}

const SIDE: usize = 96;

/// A square of cells in a random order, and some walkers.
fn plate() -> Plate {
    let mut plate = Plate::new();
    let cells: Vec<_> = plate.cells.reserve(SIDE * SIDE).unwrap().collect();
    for n in 0..SIDE * SIDE {
        let right = (n % SIDE + 1 < SIDE).then(|| cells[n + 1]);
        let below = cells.get(n + SIDE).copied();
        plate.cells.init(cells[n], Cell { number: n as u32, heat: (n % 97) as f32, right, below }).unwrap();
    }
    plate.walkers.extend((0..100).map(|n| Walker { at: cells[n * 89] })).unwrap();
    plate.shuffle::<Cell>(5).unwrap();
    plate
}

/// Bytes that all ranks send for three steps, and the heat of each cell by its number.
fn run(ranks: usize, is_divided: bool) -> (u64, Vec<f32>, Vec<u32>) {
    let mut results = Cluster::threads(ranks, |cluster| {
        let mut plate = plate();
        cluster.share(&mut plate).unwrap();
        plate.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        if is_divided {
            cluster.partition::<Cell, _>(&mut plate).unwrap();
            plate.on(Place::Cluster).sort_by_key(Walker::place, ()).unwrap();
        }
        plate.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        let before = cluster.traffic().bytes;
        for _ in 0..3 {
            plate.on(Place::Cluster).execute(Cell::spread, ()).unwrap();
        }
        let sent = cluster.traffic().bytes - before;
        let mut heat = vec![0.0; SIDE * SIDE];
        let numbers = plate.cells.column(cell::number).to_vec();
        numbers.iter().zip(plate.cells.column(cell::heat)).for_each(|(&n, &value)| heat[n as usize] = value);
        let links: Vec<_> = plate.walkers.column(walker::at).to_vec();
        assert!(!is_divided || links.is_sorted_by_key(|link| link.id()));
        let mut at: Vec<_> = links.into_iter().map(|link| plate.get(link).number()).collect();
        at.sort_unstable();
        (sent, heat, at, numbers)
    });
    let first = results.swap_remove(0);
    assert!(results.iter().all(|other| (&other.1, &other.2, &other.3) == (&first.1, &first.2, &first.3)));
    (first.0 + results.iter().map(|other| other.0).sum::<u64>(), first.1, first.2)
}

#[test]
fn ranks_send_less_and_results_are_the_same() {
    let (_, heat, at) = run(1, false);
    for ranks in [2, 3, 4] {
        let (before, after) = (run(ranks, false), run(ranks, true));
        assert!(heat == before.1 && heat == after.1, "{ranks} ranks");
        assert!(at == before.2 && at == after.2, "{ranks} ranks");
        // A border between two ranks has some hundred cells of four bytes.
        assert!(after.0 < 3 * 4 * 200 * ranks as u64 && before.0 > 20 * after.0, "{} {}", before.0, after.0);
    }
}

#[test]
fn the_order_does_not_depend_on_the_ranks() {
    let order = |ranks| {
        let all = Cluster::threads(ranks, |cluster| {
            let mut plate = plate();
            let moved = cluster.partition::<Cell, _>(&mut plate).unwrap();
            assert_eq!(moved.removed(), 0);
            plate.cells.column(cell::number).to_vec()
        });
        assert!(all.windows(2).all(|two| two[0] == two[1]));
        all[0].clone()
    };
    assert!(order(1) == order(3));
}

#[test]
fn classes_without_links_or_objects_keep_their_order() {
    Cluster::threads(2, |cluster| {
        let mut plate = Plate::new();
        cluster.partition::<Cell, _>(&mut plate).unwrap();
        plate.cells.extend((0..1000).map(|number| Cell { number, heat: 0.0, right: None, below: None })).unwrap();
        let removed: Vec<_> = plate.cells.links().skip(3).step_by(10).collect();
        removed.into_iter().for_each(|link| plate.remove(link).unwrap());
        let moved = cluster.partition::<Cell, _>(&mut plate).unwrap();
        assert_eq!((plate.cells.len(), moved.removed()), (900, 0));
        cluster.partition::<Walker, _>(&mut plate).unwrap();
    });
}

#[test]
fn ranks_that_divide_other_classes_get_an_error() {
    let errors = Cluster::threads(2, |cluster| {
        let mut plate = plate();
        plate.walkers = Objects::new();
        let cells: Vec<_> = plate.cells.links().collect();
        plate.walkers.extend(cells.into_iter().map(|at| Walker { at })).unwrap();
        cluster.share(&mut plate).unwrap();
        match cluster.is_first() {
            true => cluster.partition::<Cell, _>(&mut plate).map(drop),
            false => cluster.partition::<Walker, _>(&mut plate).map(drop),
        }
    });
    for error in errors {
        assert!(error.unwrap_err().to_string().contains("partition of class"));
    }
}

#[test]
fn ranks_with_other_objects_get_an_error() {
    let results = Cluster::threads(2, |cluster| {
        let mut plate = Plate::new();
        let count = 500 + 10 * cluster.rank() as u32;
        let cell = |number| Cell { number, heat: 0.0, right: None, below: None };
        plate.cells.extend((0..count).map(cell)).unwrap();
        let result = cluster.partition::<Cell, _>(&mut plate).map(drop);
        (result, cluster.wait())
    });
    let says =
        |error: &ikra::Error| error.to_string().contains("class Cell, member 0 of the world, with other numbers");
    assert!(results.iter().all(|(result, _)| result.as_ref().is_err_and(says)), "{results:?}");
    assert!(results[0].1.is_err(), "{results:?}");
}
