//! The same as `equal`, for ranks that `mpirun` starts: each compares itself with a process of its own.
//!
//! ```sh
//! cargo xtask cluster
//! ```

#[path = "../../tests/device/cluster/src/model.rs"]
mod model;
#[path = "../../tests/device/cluster/src/steps.rs"]
mod steps;

use std::process::exit;
use std::time::{Duration, Instant};

use ikra::{Place, prelude::*};
use ikra_cluster::Cluster;

use model::{Cell, House};
use steps::{STEPS, assert_same, run};

fn main() {
    let Some(cluster) = Cluster::mpi() else { panic!("MPI does not start") };
    match std::env::args().nth(1).as_deref() {
        Some("die") => die(&cluster),
        _ => compare(&cluster),
    }
}

/// Each step is the same as in one process.
fn compare(cluster: &Cluster) {
    let new = || House::new_of(7000, 900, 50).unwrap();
    let expected = run(new(), Place::Host, &STEPS, |_| ());
    let mut house = new();
    cluster.share(&mut house).unwrap();
    let found = run(house, Place::Cluster, &STEPS, |house| cluster.balance(house).unwrap());
    assert_same(&found, &expected, &STEPS, &format!("rank {} of {}", cluster.rank(), cluster.ranks()));
    // Larger than a message, of which MPI counts the bytes by 31 bits, would take too long here: half a part.
    let bytes = if cluster.is_first() { vec![7_u8; 1 << 24] } else { Vec::new() };
    assert_eq!(cluster.from_first(&bytes).unwrap(), vec![7_u8; 1 << 24]);
    if cluster.is_first() {
        println!("{} ranks: {:?}", cluster.ranks(), cluster.traffic());
    }
}

/// A rank returns early: the others end with an error that names it.
fn die(cluster: &Cluster) {
    let mut house = House::new_of(7000, 900, 50).unwrap();
    cluster.share(&mut house).unwrap();
    let start = Instant::now();
    for step in 0.. {
        if step == 20 && cluster.rank() == 1 {
            return;
        }
        if let Err(error) = house.on(Place::Cluster).execute(Cell::spread, ()) {
            assert!(error.to_string().contains("rank 1 has ended"), "{error}");
            assert!(start.elapsed() < Duration::from_secs(5));
            println!("rank {}: {error}", cluster.rank());
            // As a program does whose `main` returns an error.
            return;
        }
        if step > 1000 {
            exit(3);
        }
    }
}
