//! Graphs as compressed rows.

/// A directed graph: the neighbours of vertex `v` are `targets[offsets[v]..offsets[v + 1]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The start of each vertex's neighbours among the targets, followed by the end of the last.
    pub offsets: Vec<u32>,
    /// The target vertices of all edges.
    pub targets: Vec<u32>,
    /// The file's number of each vertex, ascending, if it differs from the vertex's own.
    pub names: Option<Vec<u64>>,
    /// The position of each vertex in the plane, for graphs that have positions.
    pub positions: Option<Vec<[f32; 2]>>,
}

impl Graph {
    /// A graph with these edges. Each vertex keeps the order of its edges, including duplicates and loops.
    ///
    /// # Panics
    ///
    /// If an edge names a vertex that does not exist, or if there are 2³² edges or more.
    pub fn new(vertices: usize, edges: &[(u32, u32)]) -> Self {
        assert!(u32::try_from(edges.len()).is_ok(), "a graph has less than 2³² edges");
        let mut offsets = vec![0_u32; vertices + 1];
        for &(from, _) in edges {
            offsets[from as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            assert!((to as usize) < vertices, "an edge leads to vertex {to} of {vertices}");
            let place = &mut next[from as usize];
            targets[*place as usize] = to;
            *place += 1;
        }
        Self { offsets, targets, names: None, positions: None }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.targets.len()
    }

    /// The target vertices of a vertex's edges.
    pub fn neighbours(&self, vertex: usize) -> &[u32] {
        &self.targets[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }

    /// The number of neighbours of each vertex.
    pub fn degrees(&self) -> impl Iterator<Item = usize> {
        self.offsets.windows(2).map(|pair| (pair[1] - pair[0]) as usize)
    }

    /// The vertex with this number in the file.
    pub fn vertex_named(&self, name: u64) -> Option<u32> {
        let place = match &self.names {
            Some(names) => names.binary_search(&name).ok(),
            None => usize::try_from(name).ok().filter(|&name| name < self.vertices()),
        };
        place.map(|place| place as u32)
    }

    /// The number of a vertex in the file.
    pub fn name(&self, vertex: usize) -> u64 {
        self.names.as_ref().map_or(vertex as u64, |names| names[vertex])
    }

    /// The vertices at both ends of each edge, in the order of the targets.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.vertices()).flat_map(|v| self.neighbours(v).iter().map(move |&to| (v as u32, to)))
    }

    /// A length for each edge: the distance of its vertices in thousandths, or a made-up one from 1 to 255 for graphs
    /// without positions. It is the same in both directions.
    #[must_use]
    pub fn lengths(&self) -> Vec<u32> {
        let length = |(a, b): (u32, u32)| match &self.positions {
            Some(positions) => {
                let [from, to] = [positions[a as usize], positions[b as usize]];
                let (x, y) = (f64::from(to[0] - from[0]), f64::from(to[1] - from[1]));
                ((x * x + y * y).sqrt() * 1000.0).ceil() as u32
            }
            None => {
                let (low, high) = (u64::from(a.min(b)), u64::from(a.max(b)));
                1 + ((low << 32 | high).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32 % 255
            }
        };
        self.pairs().map(length).collect()
    }

    /// The graph in which each edge counts in both directions.
    #[must_use]
    pub fn both_ways(&self) -> Self {
        let edges: Vec<(u32, u32)> = self.pairs().flat_map(|(a, b)| [(a, b), (b, a)]).collect();
        Self::new(self.vertices(), &edges)
    }

    /// The graph with every edge reversed.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let edges: Vec<(u32, u32)> = self.pairs().map(|(from, to)| (to, from)).collect();
        Self::new(self.vertices(), &edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_kept_with_loops_and_duplicates() {
        let graph = Graph::new(4, &[(2, 1), (0, 3), (2, 2), (0, 1), (0, 1)]);
        assert_eq!((graph.vertices(), graph.edges()), (4, 5));
        assert_eq!(graph.neighbours(0), [3, 1, 1]);
        assert_eq!(graph.neighbours(1), [] as [u32; 0]);
        assert_eq!(graph.neighbours(2), [1, 2]);
        assert_eq!(graph.degrees().collect::<Vec<_>>(), [3, 0, 2, 0]);
        let back = graph.reversed();
        assert_eq!(back.neighbours(1), [0, 0, 2]);
        assert_eq!(back.reversed().neighbours(2), [1, 2]);
        let both = graph.both_ways();
        assert_eq!((both.edges(), both.neighbours(3)), (10, &[0][..]));
    }

    #[test]
    fn lengths_are_the_same_both_ways() {
        let mut graph = Graph::new(3, &[(0, 1), (1, 0), (2, 1), (1, 1)]);
        let lengths = graph.lengths();
        assert!(lengths[0] == lengths[1] && lengths.iter().all(|length| (1..256).contains(length)), "{lengths:?}");
        graph.positions = Some(vec![[0.0, 0.0], [3.0, 4.0], [3.0, 4.5]]);
        assert_eq!(graph.lengths(), [5000, 5000, 0, 500]);
    }

    #[test]
    fn names_are_found() {
        let graph = Graph { names: Some(vec![7, 9, 1 << 40]), ..Graph::new(3, &[]) };
        assert_eq!((graph.vertex_named(9), graph.vertex_named(8), graph.name(2)), (Some(1), None, 1 << 40));
        let graph = Graph::new(3, &[]);
        assert_eq!((graph.vertex_named(2), graph.vertex_named(3), graph.name(2)), (Some(2), None, 2));
    }
}
