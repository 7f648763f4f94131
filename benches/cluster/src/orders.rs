//! What ranks exchange, by the order of the objects.

use std::time::Instant;

use graph::Graph;
use ikra::prelude::*;
use ikra::{Grid, Place};
use ikra_baselines::median;
use ikra_baselines::table::{row, table};
use ikra_cluster::Cluster;

use crate::model::roads::{Junction, Roads, junction};

/// The network of a graph whose vertices have positions.
fn roads(graph: &Graph) -> Result<Roads, ikra::Error> {
    let mut roads = Roads::new();
    let positions = graph.positions.as_deref().unwrap_or_default();
    roads.junctions.extend(positions.iter().enumerate().map(|(n, &pos)| Junction {
        heat: (n % 100) as f32,
        pos,
        roads: InnerArray::default(),
    }))?;
    let links: Vec<_> = graph.targets.iter().filter_map(|&to| Link::from_index(to as usize)).collect();
    roads.junctions.set_arrays(junction::roads, &graph.offsets, &links)?;
    Ok(roads)
}

/// An order, and how it is made.
type Order = (&'static str, fn(&Cluster, &mut Roads) -> Result<(), ikra::Error>);

const ORDERS: [Order; 4] = [
    ("of the file", |_, _| Ok(())),
    ("random", |_, roads| roads.shuffle::<Junction>(1).map(drop)),
    ("Hilbert curve", |_, roads| {
        let most = roads.junctions.column(junction::pos).iter().flatten().fold(1.0_f32, |most, &x| most.max(x));
        let grid = Grid::new([-1.0; 2], [most + 1.0; 2], 1.0);
        roads.on(Place::Host).sort_by_key(Junction::along, grid).map(drop)
    }),
    ("METIS", |cluster, roads| cluster.partition::<Junction, _>(roads).map(drop)),
];

/// Prints a table for networks with this many junctions.
pub fn show(junctions: usize) -> Result<(), ikra::Error> {
    let graph = graph::roads::generate(junctions as u32, 1);
    println!("{junctions} junctions, {} links", graph.edges());
    table(&["order", "ms to make it", "KB per step between 2 ranks", "4 ranks", "8 ranks"], 1);
    for (name, order) in ORDERS {
        let (mut times, mut sent) = (Vec::new(), Vec::new());
        for ranks in [2, 4, 8] {
            let measured = Cluster::threads(ranks, |cluster| {
                let mut roads = roads(&graph)?;
                let start = Instant::now();
                order(&cluster, &mut roads)?;
                let made = start.elapsed().as_secs_f64() * 1e3;
                cluster.share(&mut roads)?;
                roads.on(Place::Cluster).repeat(2, |step| step.execute(Junction::spread, ()))?;
                let before = cluster.traffic().bytes;
                roads.on(Place::Cluster).repeat(10, |step| step.execute(Junction::spread, ()))?;
                Ok((made, (cluster.traffic().bytes - before) as f64 / 1e4))
            });
            let measured: Vec<_> = measured.into_iter().collect::<Result<_, ikra::Error>>()?;
            times.push(measured[0].0);
            sent.push(measured.iter().map(|one| one.1).sum::<f64>());
        }
        let cells = [median(times), sent[0], sent[1], sent[2]].map(|number| format!("{number:.1}"));
        row(&[&name, &cells[0], &cells[1], &cells[2], &cells[3]]);
    }
    Ok(())
}
