//! What the workloads start with. All is made by hashing, so that it is the same everywhere.

/// The finaliser of MurmurHash3: spreads consecutive numbers over 32 bits.
pub const fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// A city and its traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streets {
    /// The size of the city in thousandths of Denver.
    pub thousandths: u32,
    /// Cars.
    pub cars: u32,
    /// Steps.
    pub steps: u32,
}

/// Pictures of a thousand spheres and planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rays {
    /// Width and height.
    pub size: [u32; 2],
    /// Paths per pixel.
    pub frames: u32,
}

impl Rays {
    /// The seed of the scene, and of the paths.
    pub const SEED: u64 = 42;
}

/// How large the workloads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Vertices of the graph.
    pub vertices: u32,
    /// Its edges, each of which is two arcs.
    pub edges: u32,
    /// Iterations over the graph.
    pub iterations: u32,
    /// Width and height of the game of life, and its steps.
    pub life: [u32; 3],
    /// The same of the game with cells that die slowly.
    pub generations: [u32; 3],
    /// Columns and rows of the sheet.
    pub sheet: [u32; 2],
    /// How often its pullers move, and its steps after each.
    pub rounds: [u32; 2],
    /// Traffic.
    pub streets: Streets,
    /// Rays.
    pub rays: Rays,
}

impl Sizes {
    /// Those of TYPEPTR's table 2: as many vertices and arcs, cells, nodes and springs.
    pub const PAPER: Self = Self {
        vertices: 299_067,
        edges: 977_676,
        iterations: 20,
        life: [1714, 1647, 3000],
        generations: [1024, 1024, 1000],
        sheet: [1500, 100],
        rounds: [10, 40],
        streets: Streets { thousandths: 156, cars: 229_376, steps: 1000 },
        rays: Rays { size: [512, 512], frames: 100 },
    };
    /// For the emulator, and for tests.
    pub const SMALL: Self = Self {
        vertices: 1000,
        edges: 3268,
        iterations: 6,
        life: [46, 33, 20],
        generations: [32, 40, 20],
        sheet: [24, 10],
        rounds: [4, 20],
        streets: Streets { thousandths: 1, cars: 300, steps: 64 },
        rays: Rays { size: [16, 12], frames: 1 },
    };
}

/// A graph in which each edge leads both ways, stored as the arcs that end at each vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Where the arcs of each vertex begin among the sources; the last number is the end.
    pub offsets: Vec<u32>,
    /// Where the arcs come from.
    pub sources: Vec<u32>,
}

impl Graph {
    /// From so many arcs on, a vertex is a hub.
    pub const HUB: u32 = 32;

    /// A graph in which the number of arcs of a vertex follows a power law: one end of an edge is a vertex in turn; the
    /// other is, by chance, any older vertex or an end of an older edge.
    pub fn new(vertices: u32, edges: u32) -> Self {
        let mut ends: Vec<[u32; 2]> = Vec::with_capacity(edges as usize);
        for edge in 0..edges {
            // Evenly spread, so that each vertex but the first has an edge.
            let new = 1 + (u64::from(edge) * u64::from(vertices - 1) / u64::from(edges)) as u32;
            let chance = hash(2 * edge);
            let older = if chance.is_multiple_of(4) || edge == 0 {
                hash(2 * edge + 1) % new
            } else {
                let end = ends[(hash(2 * edge + 1) % edge) as usize][(chance >> 2 & 1) as usize];
                end.min(new - 1)
            };
            ends.push([new, older]);
        }
        let mut offsets = vec![0; vertices as usize + 1];
        for vertex in ends.iter().flatten() {
            offsets[*vertex as usize + 1] += 1;
        }
        for v in 0..vertices as usize {
            offsets[v + 1] += offsets[v];
        }
        let (mut next, mut sources) = (offsets.clone(), vec![0; 2 * edges as usize]);
        for &[a, b] in &ends {
            for (from, to) in [(a, b), (b, a)] {
                let place = &mut next[to as usize];
                sources[*place as usize] = from;
                *place += 1;
            }
        }
        Self { offsets, sources }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The vertices at the other ends of a vertex's arcs.
    pub fn incoming(&self, vertex: usize) -> &[u32] {
        &self.sources[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }

    /// Whether a vertex is a hub.
    pub fn is_hub(&self, vertex: usize) -> bool {
        self.offsets[vertex + 1] - self.offsets[vertex] >= Self::HUB
    }
}

/// Which cells of a game live at first: a quarter, at random.
pub fn living(cells: u32) -> Vec<bool> {
    (0..cells).map(|cell| hash(cell ^ 0x5eed_0000).is_multiple_of(4)).collect()
}

/// A sheet of nodes in rows. The first row is anchored, and the last one pulls.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Nodes per row.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
    /// Where nodes are.
    pub pos: Vec<[f32; 2]>,
    /// How heavy they are.
    pub mass: Vec<f32>,
    /// Both ends of each spring.
    pub ends: Vec<[u32; 2]>,
    /// How long springs are at rest.
    pub length: Vec<f32>,
    /// Force per length of each spring.
    pub stiffness: Vec<f32>,
    /// The force at which it breaks.
    pub strength: Vec<f32>,
}

impl Sheet {
    /// By how much the last row moves each time.
    pub const PULL: [f32; 2] = [0.0, 0.25];

    /// Springs lead to the right, up, and from every other node to the upper right.
    pub fn new(columns: u32, rows: u32) -> Self {
        let unit = |x: u32| (hash(x) >> 8) as f32 / (1 << 24) as f32;
        let (mut pos, mut mass, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for node in 0..columns * rows {
            let (x, y) = (node % columns, node / columns);
            pos.push([x as f32 + 0.25 * unit(3 * node), y as f32 + 0.25 * unit(3 * node + 1)]);
            mass.push(1.0 + unit(3 * node + 2));
            let (is_right, is_up) = (x + 1 < columns, y + 1 < rows);
            for (is_there, to) in [
                (is_right, node + 1),
                (is_up, node + columns),
                (is_right && is_up && (x + y).is_multiple_of(2), node + columns + 1),
            ] {
                if is_there {
                    ends.push([node, to]);
                }
            }
        }
        let (mut length, mut stiffness, mut strength) = (Vec::new(), Vec::new(), Vec::new());
        for (n, &[a, b]) in ends.iter().enumerate() {
            let (a, b): ([f32; 2], [f32; 2]) = (pos[a as usize], pos[b as usize]);
            let d = [b[0] - a[0], b[1] - a[1]];
            length.push((d[0] * d[0] + d[1] * d[1]).sqrt());
            let n = n as u32;
            stiffness.push(40.0 + 20.0 * unit(2 * n + 0x1000_0000));
            // Many are weak.
            let strong = unit(2 * n + 0x1000_0001);
            strength.push(0.05 + 20.0 * strong * strong);
        }
        Self { columns, rows, pos, mass, ends, length, stiffness, strength }
    }

    /// Whether a node is held, in the first or in the last row.
    pub fn is_held(&self, node: u32) -> bool {
        self.is_anchored(node) || self.is_pulled(node)
    }

    /// Whether a node is in the first row.
    pub fn is_anchored(&self, node: u32) -> bool {
        node < self.columns
    }

    /// Whether a node is in the last row.
    pub fn is_pulled(&self, node: u32) -> bool {
        node >= self.columns * (self.rows - 1)
    }
}
