//! Objects that update atomic fields of others: edges that spread the smaller label, and samples of a histogram.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ikra::prelude::*;
use rayon::prelude::*;

/// A vertex of a graph.
#[soa_class]
pub struct Vertex {
    /// The smallest number of a vertex that is known to be connected with it.
    #[atomic]
    pub label: u32,
}

/// An edge of the graph.
#[soa_class]
pub struct Edge {
    /// One end.
    pub a: Link<Vertex>,
    /// The other.
    pub b: Link<Vertex>,
}

#[soa_methods]
impl Edge {
    /// Gives both ends the smaller label. Labels only become smaller, and the last pass changes none, whatever the order.
    #[kernel(reduce(Any), unordered(label))]
    pub fn spread(&self) -> bool {
        let (a, b) = (self.a.label().load(), self.b.label().load());
        if a < b {
            self.b.label().min(a);
        } else if b < a {
            self.a.label().min(b);
        }
        a != b
    }
}

/// A bar of a histogram.
#[soa_class]
pub struct Bar {
    /// How many samples are in it.
    #[atomic]
    pub count: u32,
    /// The sum of their weights.
    #[atomic]
    pub weight: u64,
}

/// A sample.
#[soa_class]
pub struct Sample {
    /// The bar that it belongs to.
    pub bar: Link<Bar>,
    /// Its weight.
    pub weight: u32,
}

#[soa_methods]
impl Sample {
    /// Adds the sample to its bar.
    #[kernel]
    pub fn count(&self) {
        self.bar.count().add(1);
        self.bar.weight().add(self.weight.into());
    }
}

/// The graph and the histogram.
#[soa_world]
pub struct Study {
    /// Vertices.
    pub vertices: Objects<Vertex>,
    /// Edges.
    pub edges: Objects<Edge>,
    /// Bars.
    pub bars: Objects<Bar>,
    /// Samples.
    pub samples: Objects<Sample>,
}

/// A number without pattern: SplitMix64.
fn random(n: usize) -> u32 {
    let mut bits = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits >> 32) as u32
}

/// The ends of edges: twice as many as vertices.
pub fn edges(n: usize) -> (Vec<u32>, Vec<u32>) {
    let vertex = |n: usize, count: usize| random(n) % count as u32;
    (0..n).map(|edge| (vertex(2 * edge, n.div_ceil(2)), vertex(2 * edge + 1, n.div_ceil(2)))).unzip()
}

/// The bars and weights of samples: a sixteenth as many bars as samples.
pub fn samples(n: usize) -> (Vec<u32>, Vec<u32>) {
    (0..n).map(|sample| (random(sample) % n.div_ceil(16) as u32, random(sample + n) % 100)).unzip()
}

/// The same as a world.
///
/// # Panics
///
/// If there is no memory.
pub fn world(n: usize) -> Study {
    let mut world = Study::new();
    let memory = "there is memory";
    let vertices = world.vertices.extend((0..n.div_ceil(2) as u32).map(|label| Vertex { label })).expect(memory);
    let vertices: Vec<_> = vertices.collect();
    let (a, b) = edges(n);
    let ends = a.into_iter().zip(b).map(|(a, b)| Edge { a: vertices[a as usize], b: vertices[b as usize] });
    world.edges.extend(ends).expect(memory);
    let bars = world.bars.extend((0..n.div_ceil(16)).map(|_| Bar { count: 0, weight: 0 })).expect(memory);
    let bars: Vec<_> = bars.collect();
    let (of, weights) = samples(n);
    let rows = of.into_iter().zip(weights).map(|(bar, weight)| Sample { bar: bars[bar as usize], weight });
    world.samples.extend(rows).expect(memory);
    world
}

/// Finds connected components: passes over all edges until nothing changes.
pub fn components(world: &mut Study) {
    for (label, number) in world.vertices.column_mut(vertex::label).iter_mut().zip(0..) {
        *label = number;
    }
    while world.execute_and_reduce(Edge::spread, (), Any) {}
}

/// The same by hand, on one thread.
pub fn hand_components(labels: &mut [u32], a: &[u32], b: &[u32]) {
    for (label, number) in labels.iter_mut().zip(0..) {
        *label = number;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (&a, &b) in a.iter().zip(b) {
            let (of_a, of_b) = (labels[a as usize], labels[b as usize]);
            if of_a < of_b {
                labels[b as usize] = of_a;
            } else if of_b < of_a {
                labels[a as usize] = of_b;
            }
            changed |= of_a != of_b;
        }
    }
}

/// The same by hand, on the threads of rayon's pool.
pub fn hand_components_on_threads(labels: &[AtomicU32], a: &[u32], b: &[u32]) {
    for (label, number) in labels.iter().zip(0..) {
        label.store(number, Relaxed);
    }
    let pass = |a: &[u32], b: &[u32]| {
        let mut changed = false;
        for (&a, &b) in a.iter().zip(b) {
            let (a, b) = (&labels[a as usize], &labels[b as usize]);
            let (of_a, of_b) = (a.load(Relaxed), b.load(Relaxed));
            if of_a < of_b {
                b.fetch_min(of_a, Relaxed);
            } else if of_b < of_a {
                a.fetch_min(of_b, Relaxed);
            }
            changed |= of_a != of_b;
        }
        changed
    };
    while a.par_chunks(8192).zip(b.par_chunks(8192)).map(|(a, b)| pass(a, b)).reduce(|| false, |a, b| a | b) {}
}

/// Adds samples to their bars, by hand, on one thread.
pub fn hand_count(counts: &mut [u32], sums: &mut [u64], bars: &[u32], weights: &[u32]) {
    for (&bar, &weight) in bars.iter().zip(weights) {
        counts[bar as usize] += 1;
        sums[bar as usize] += u64::from(weight);
    }
}
