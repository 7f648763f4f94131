//! A made-up road network with the statistics of Pennsylvania's (Leskovec et al. 2009): 1,088,092 junctions and
//! 3,083,796 directed edges, 2.83 per junction, and a diameter of some 800 edges.
//!
//! Junctions lie on a jittered grid. A random spanning tree of the grid keeps them connected, and random further edges
//! of the grid complete the number. Every 64th row and column is a motorway, with exits at every third junction only:
//! without motorways the diameter would be three times as large.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::rows::Graph;

/// Junctions of Pennsylvania's network.
pub const VERTICES: u32 = 1_088_092;
/// Its edges, each in both directions.
const EDGES: u64 = 1_541_898;
/// Rows and columns from one motorway to the next.
const MOTORWAY: usize = 64;
/// Junctions from one exit to the next.
const EXIT: usize = 3;
/// Side of the squares in which junctions have consecutive numbers.
const SQUARE: usize = 32;

/// A network with this many junctions and a proportional number of edges.
pub fn generate(vertices: u32, seed: u64) -> Graph {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let n = vertices as usize;
    let width = ((n as f64).sqrt().ceil() as usize).max(1);
    let numbers = numbers(n, width, &mut random);
    let mut tree = Forest::new(n);
    let mut chosen: Vec<(u32, u32)> = Vec::new();
    for (a, b) in motorways(n, width) {
        tree.join(a, b);
        chosen.push((a, b));
    }
    let mut roads: Vec<(u32, u32)> = grid(n, width).collect();
    shuffle(&mut roads, &mut random);
    let (in_tree, mut others): (Vec<_>, Vec<_>) = roads.into_iter().partition(|&(a, b)| tree.join(a, b));
    let wanted = (u64::from(vertices) * EDGES / u64::from(VERTICES)) as usize;
    chosen.extend(in_tree);
    others.truncate(wanted.saturating_sub(chosen.len()));
    chosen.extend(others);
    shuffle(&mut chosen, &mut random);
    let edges: Vec<(u32, u32)> = chosen
        .iter()
        .flat_map(|&(a, b)| {
            let (a, b) = (numbers[a as usize], numbers[b as usize]);
            [(a, b), (b, a)]
        })
        .collect();
    let mut positions = vec![[0.0; 2]; n];
    for (place, &number) in numbers.iter().enumerate() {
        let mut jittered = |at: usize| at as f32 + random.random_range(-0.35..0.35);
        positions[number as usize] = [jittered(place % width), jittered(place / width)];
    }
    Graph { positions: Some(positions), ..Graph::new(n, &edges) }
}

/// The number of the junction at each grid position. Neighbours have nearby numbers, as in real files, but in random
/// order.
fn numbers(n: usize, width: usize, random: &mut ChaCha8Rng) -> Vec<u32> {
    let squares = width.div_ceil(SQUARE);
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); squares * (n.div_ceil(width)).div_ceil(SQUARE)];
    for place in 0..n {
        let (x, y) = (place % width, place / width);
        places[y / SQUARE * squares + x / SQUARE].push(place as u32);
    }
    let mut numbers = vec![0; n];
    let mut next = 0;
    for mut square in places {
        shuffle(&mut square, random);
        for place in square {
            numbers[place as usize] = next;
            next += 1;
        }
    }
    numbers
}

/// Edges between neighbours on the grid.
fn grid(n: usize, width: usize) -> impl Iterator<Item = (u32, u32)> {
    (0..n).flat_map(move |at| {
        let right = (at % width + 1 < width && at + 1 < n).then(|| (at as u32, at as u32 + 1));
        let down = (at + width < n).then(|| (at as u32, (at + width) as u32));
        right.into_iter().chain(down)
    })
}

/// Edges from exit to exit.
fn motorways(n: usize, width: usize) -> impl Iterator<Item = (u32, u32)> {
    (0..n).flat_map(move |at| {
        let (x, y) = (at % width, at / width);
        let along = y % MOTORWAY == MOTORWAY / 2 && x % EXIT == 0 && x + EXIT < width && at + EXIT < n;
        let across = x % MOTORWAY == MOTORWAY / 2 && y % EXIT == 0 && at + EXIT * width < n;
        let along = along.then(|| (at as u32, (at + EXIT) as u32));
        let across = across.then(|| (at as u32, (at + EXIT * width) as u32));
        along.into_iter().chain(across)
    })
}

/// Fisher and Yates's shuffle.
fn shuffle<T>(items: &mut [T], random: &mut ChaCha8Rng) {
    for n in (1..items.len()).rev() {
        items.swap(n, random.random_range(0..=n));
    }
}

/// Sets of connected junctions.
struct Forest(Vec<u32>);

impl Forest {
    fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    fn root(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = above;
        }
        at
    }

    /// Joins two sets; returns false if they were one already.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        // The root with the smaller number stays: with path halving the trees are shallow enough.
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bfs::UNREACHED;
    use crate::sequential::search;

    #[test]
    fn has_the_statistics_of_pennsylvania() {
        let graph = generate(VERTICES, 1);
        assert_eq!((graph.vertices(), graph.edges()), (1_088_092, 3_083_796));
        let levels = search(&graph, 0);
        let deepest = levels.iter().copied().max().unwrap();
        assert!((600..1000).contains(&deepest), "{deepest} levels from a corner");
        assert!(!levels.contains(&UNREACHED), "all junctions are connected");
        let mut degrees = [0; 16];
        graph.degrees().for_each(|degree| degrees[degree] += 1);
        assert!(degrees[3] > degrees[2] && degrees[2] > degrees[1], "{degrees:?}");
        assert_eq!(degrees[9..].iter().sum::<u32>(), 0, "{degrees:?}");
    }

    #[test]
    fn small_networks_and_seeds() {
        for n in [1, 2, 3, 10, 1000, 12_345] {
            let graph = generate(n, 5);
            assert_eq!(graph.vertices(), n as usize);
            assert!(!search(&graph, 0).contains(&UNREACHED));
            assert_eq!(graph, generate(n, 5));
        }
        assert_ne!(generate(1000, 5), generate(1000, 6));
    }
}
