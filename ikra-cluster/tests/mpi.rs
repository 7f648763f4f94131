//! The same as `equal`, for ranks that `mpirun` starts: each compares itself with a process of its own.
//!
//! ```sh
//! cargo xtask cluster
//! ```

#![allow(missing_docs, reason = "a test, not a library")]

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

#[soa_class]
pub struct Post {
    pub heat: f32,
    pub out: f32,
    pub next: Link<Post>,
}

#[soa_methods]
impl Post {
    #[kernel]
    pub fn warm(&mut self) {
        self.heat += 1.0;
    }
    #[kernel]
    pub fn pull(&mut self) {
        self.out = self.next.heat();
    }
}

#[soa_world]
pub struct Fence {
    pub posts: Objects<Post>,
}

fn main() {
    let Some(cluster) = Cluster::mpi() else { panic!("MPI does not start") };
    match std::env::args().nth(1).as_deref() {
        Some("die") if cluster.ranks() == 2 => die_among_long_messages(&cluster),
        Some("die") => die(&cluster),
        Some("die-long") => die_among_long_messages(&cluster),
        Some("types") => share_other_types(&cluster),
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

/// Two worlds with the same text. An enum of one would get numbers that only the other has.
fn share_other_types(cluster: &Cluster) {
    macro_rules! model {
        ($name:ident, $($variant:ident = $number:literal)*) => {
            mod $name {
                use ikra::prelude::*;

                #[derive(Clone, Copy, Debug, Value)]
                #[repr(u8)]
                pub enum Kind { $($variant = $number),* }
                #[soa_class]
                pub struct Body { pub kind: Kind }
                #[soa_world]
                pub struct Sim { pub bodies: Objects<Body> }
            }
        };
    }
    model!(few, A = 0 B = 1);
    model!(many, A = 0 B = 1 C = 77);
    let shared = match cluster.is_first() {
        true => cluster.share(&mut few::Sim::new()),
        false => cluster.share(&mut many::Sim::new()),
    };
    let error = shared.unwrap_err().to_string();
    assert!(error.contains("sharing a world"), "{error}");
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

/// The same, where MPI keeps no message for its receiver, and rank 0 only sends at first.
fn die_among_long_messages(cluster: &Cluster) {
    let (mut fence, len) = (Fence::new(), 200_000);
    let links: Vec<_> = fence.posts.reserve(len).unwrap().collect();
    for (n, &link) in links.iter().enumerate() {
        // The second half reads the first one, which reads itself.
        let next = links[if n < len / 2 { n } else { n - len / 2 }];
        fence.posts.init(link, Post { heat: n as f32, out: 0.0, next }).unwrap();
    }
    cluster.share(&mut fence).unwrap();
    let start = Instant::now();
    let mut run = || {
        for step in 0..6 {
            if step == 3 && cluster.rank() == 1 {
                return Ok(());
            }
            fence.on(Place::Cluster).execute(Post::warm, ())?;
            fence.on(Place::Cluster).execute(Post::pull, ())?;
        }
        cluster.gather(&mut fence)
    };
    let ended = run();
    assert!(start.elapsed() < Duration::from_secs(5));
    match ended {
        Ok(()) => assert_eq!(cluster.rank(), 1),
        Err(error) => {
            assert!(error.to_string().contains("rank 1 has ended"), "{error}");
            println!("rank {}: {error}", cluster.rank());
        }
    }
}
