//! The textbooks' algorithms: the references for the parallel ones.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::model::bfs::UNREACHED;
use crate::model::pagerank::DAMPING;
use crate::model::sssp;
use crate::rows::Graph;

/// The distance of each vertex from the source in edges: a search with a queue.
pub fn search(graph: &Graph, source: u32) -> Vec<u32> {
    let mut levels = vec![UNREACHED; graph.vertices()];
    levels[source as usize] = 0;
    let mut queue = VecDeque::from([source]);
    while let Some(vertex) = queue.pop_front() {
        let next = levels[vertex as usize] + 1;
        for &neighbour in graph.neighbours(vertex as usize) {
            let level = &mut levels[neighbour as usize];
            if *level == UNREACHED {
                *level = next;
                queue.push_back(neighbour);
            }
        }
    }
    levels
}

/// The smallest vertex of each vertex's component, directions ignored: a union of sets.
pub fn components(graph: &Graph) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..graph.vertices() as u32).collect();
    fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
        while parents[vertex as usize] != vertex {
            parents[vertex as usize] = parents[parents[vertex as usize] as usize];
            vertex = parents[vertex as usize];
        }
        vertex
    }
    for (a, b) in graph.pairs() {
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        parents[a.max(b) as usize] = a.min(b);
    }
    (0..graph.vertices() as u32).map(|vertex| root(&mut parents, vertex)).collect()
}

/// The ranks of all vertices after some iterations.
pub fn ranks(graph: &Graph, iterations: u32) -> Vec<f64> {
    let n = graph.vertices() as f64;
    let mut ranks = vec![1.0 / n; graph.vertices()];
    for _ in 0..iterations {
        let (mut next, mut kept) = (vec![0.0; graph.vertices()], 0.0);
        for (v, &rank) in ranks.iter().enumerate() {
            let to = graph.neighbours(v);
            if to.is_empty() {
                kept += rank;
            }
            to.iter().for_each(|&to| next[to as usize] += rank / to_f64(graph.neighbours(v).len()));
        }
        let base = (1.0 - DAMPING) / n + DAMPING * kept / n;
        ranks = next.into_iter().map(|sum| base + DAMPING * sum).collect();
    }
    ranks
}

fn to_f64(n: usize) -> f64 {
    n as f64
}

/// The length of the shortest path to each vertex: Dijkstra's algorithm.
pub fn shortest(graph: &Graph, lengths: &[u32], source: u32) -> Vec<u64> {
    let mut distances = vec![sssp::UNREACHED; graph.vertices()];
    distances[source as usize] = 0;
    let mut queue = BinaryHeap::from([(Reverse(0_u64), source)]);
    while let Some((Reverse(distance), vertex)) = queue.pop() {
        if distance > distances[vertex as usize] {
            continue;
        }
        let first = graph.offsets[vertex as usize] as usize;
        for (&to, &length) in graph.neighbours(vertex as usize).iter().zip(&lengths[first..]) {
            let distance = distance + u64::from(length);
            if distance < distances[to as usize] {
                distances[to as usize] = distance;
                queue.push((Reverse(distance), to));
            }
        }
    }
    distances
}
