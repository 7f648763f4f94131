//! PageRank over a random graph with weighted edges.

use ikra::prelude::*;

use super::{Model, mix, random};

/// An edge from another vertex.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Edge {
    /// Where it starts.
    pub from: Link<Vertex>,
    /// The part of its rank that goes this way.
    pub weight: f32,
}

/// A vertex.
#[soa_class]
pub struct Vertex {
    /// Its rank.
    pub rank: f64,
    /// Edges to it.
    #[inline_array(0)]
    pub edges: InnerArray<Edge>,
}

#[soa_methods]
impl Vertex {
    /// Gets its rank from others, and says how much it changes.
    #[kernel(reduce(Max), snapshot(rank))]
    pub fn update(&mut self, base: f64) -> f64 {
        let mut sum = 0.0;
        for edge in &self.edges {
            let from: Ref<Vertex> = self.resolve(edge.from);
            sum += f64::from(edge.weight) * from.rank();
        }
        let before = self.rank;
        self.rank = base + 0.85 * sum;
        (self.rank - before).abs()
    }
}

/// The world.
#[soa_world]
pub struct Web {
    /// All vertices.
    pub vertices: Objects<Vertex>,
}

/// The same in plain Rust.
pub struct Twin {
    ranks: Vec<f64>,
    next: Vec<f64>,
    offsets: Vec<u32>,
    edges: Vec<(u32, f32)>,
    /// The largest change.
    change: f64,
}

/// The model.
pub struct PageRank;

impl Model for PageRank {
    const NAME: &str = "pagerank";
    type World = Web;
    type Twin = Twin;

    fn make(scale: usize) -> (Web, Twin) {
        let count = 10_000 * scale;
        let rank = 1.0 / count as f64;
        let (mut offsets, mut edges) = (vec![0], Vec::new());
        for n in 0..count {
            for k in 0..random(n) as usize % 9 + 1 {
                edges.push((random(n * 16 + k) % count as u32, 0.2));
            }
            offsets.push(edges.len() as u32);
        }
        let mut web = Web::new();
        let links: Vec<_> = web
            .vertices
            .extend((0..count).map(|_| Vertex { rank, edges: InnerArray::new() }))
            .expect("memory")
            .collect();
        let rows: Vec<_> = edges.iter().map(|&(from, weight)| Edge { from: links[from as usize], weight }).collect();
        web.vertices.set_arrays(vertex::edges, &offsets, &rows).expect("memory");
        (web, Twin { ranks: vec![rank; count], next: vec![0.0; count], offsets, edges, change: 0.0 })
    }

    fn step(web: &mut Web, _: u32) {
        let base = 0.15 / web.vertices.len() as f64;
        web.execute_and_reduce(Vertex::update, base, Max);
    }

    fn twin_step(twin: &mut Twin, _: u32) {
        let base = 0.15 / twin.ranks.len() as f64;
        let mut change = 0.0_f64;
        for n in 0..twin.ranks.len() {
            let mut sum = 0.0;
            for &(from, weight) in &twin.edges[twin.offsets[n] as usize..twin.offsets[n + 1] as usize] {
                sum += f64::from(weight) * twin.ranks[from as usize];
            }
            twin.next[n] = base + 0.85 * sum;
            change = change.max((twin.next[n] - twin.ranks[n]).abs());
        }
        twin.change = change;
        std::mem::swap(&mut twin.ranks, &mut twin.next);
    }

    fn digest(web: &Web) -> u64 {
        mix(web.vertices.column(vertex::rank).iter().map(|rank| rank.to_bits()))
    }

    fn twin_digest(twin: &Twin) -> u64 {
        mix(twin.ranks.iter().map(|rank| rank.to_bits()))
    }
}
