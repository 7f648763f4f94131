//! The hand-written CUDA of `benches/cuda/models`.
#![allow(unsafe_code, reason = "calls of a C library")]

use std::error::Error;
use std::ptr;

use ikra::rng::Random;

/// The library.
pub(crate) struct Baselines(ikra_baselines::Baselines);

/// What a function of the library takes and leaves of the graph that an epidemic spreads on.
pub(crate) struct Graph {
    pub(crate) offsets: Vec<u32>,
    pub(crate) links: Vec<u32>,
}

impl Graph {
    /// For each of `n`, four others at random, linked both ways: eight links each on average.
    pub(crate) fn random(n: u32, seed: u64) -> Self {
        let pairs: Vec<(u32, u32)> = (0..n)
            .flat_map(|a| {
                let mut random = Random::new(seed, a, u32::MAX);
                (0..4).map(move |_| (a, random.below(n)))
            })
            .collect();
        Self::of(n, pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]))
    }

    /// From pairs in the order in which each object has them.
    pub(crate) fn of(n: u32, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0; n as usize + 1];
        for (from, _) in pairs.clone() {
            offsets[from as usize + 1] += 1;
        }
        for i in 0..n as usize {
            offsets[i + 1] += offsets[i];
        }
        let (mut ends, mut links) = (offsets.clone(), vec![0; offsets[n as usize] as usize]);
        for (from, to) in pairs {
            let end = &mut ends[from as usize];
            links[*end as usize] = to;
            *end += 1;
        }
        Self { offsets, links }
    }
}

/// A time in nanoseconds.
type Time = f64;

impl Baselines {
    /// Opens it.
    pub(crate) fn open(path: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Self(ikra_baselines::Baselines::open(path)?))
    }

    /// Calls one of its functions.
    fn call<F>(&self, name: &str, call: impl FnOnce(&F) -> Time) -> Time {
        // SAFETY: the functions below name the library's by the types of benches/cuda/models.
        unsafe { self.0.call(name, call) }
    }

    /// Predators and prey. `around` has a column per direction.
    pub(crate) fn wator(&self, best: u32, batches: u32, around: &[u32], kind: &mut [u8], energy: &mut [u32]) -> Time {
        type Function = unsafe extern "C" fn(u32, u32, u32, *const u32, *mut u8, *mut u32) -> Time;
        let n = kind.len();
        assert!(around.len() == 4 * n && energy.len() == n);
        self.call("model_wator", |f: &Function| {
            // SAFETY: each pointer is to as many numbers as the function takes for `n` cells.
            unsafe { f(best, batches, n as u32, around.as_ptr(), kind.as_mut_ptr(), energy.as_mut_ptr()) }
        })
    }

    /// An epidemic. With `counts`, the infected are counted after each step, and their number read and added to it.
    pub(crate) fn epidemic(
        &self,
        best: u32,
        batches: u32,
        graph: &Graph,
        health: &mut [u8],
        counts: Option<&mut u64>,
    ) -> Time {
        type Function = unsafe extern "C" fn(u32, u32, u32, *const u32, *const u32, *mut u8, *mut u64) -> Time;
        let n = health.len();
        assert!(graph.offsets.len() == n + 1);
        self.call("model_epidemic", |f: &Function| {
            let (offsets, links) = (graph.offsets.as_ptr(), graph.links.as_ptr());
            let counts = counts.map_or(ptr::null_mut(), ptr::from_mut);
            // SAFETY: as above; there are as many links as the last offset says.
            unsafe { f(best, batches, n as u32, offsets, links, health.as_mut_ptr(), counts) }
        })
    }

    /// Nearest points: the number of each query's nearest node, and its distance, squared.
    pub(crate) fn tree(
        &self,
        best: u32,
        batches: u32,
        tree: &Tree,
        queries: &[[f32; 2]],
    ) -> (Time, Vec<u32>, Vec<f32>) {
        type Function = unsafe extern "C" fn(
            u32,
            u32,
            u32,
            *const [f32; 2],
            *const u8,
            *const u32,
            *const u32,
            u32,
            u32,
            *const [f32; 2],
            *mut u32,
            *mut f32,
        ) -> Time;
        let (mut nearest, mut distance) = (vec![0; queries.len()], vec![0.0; queries.len()]);
        let n = tree.pos.len();
        assert!(tree.axis.len() == n && tree.left.len() == n && tree.right.len() == n);
        let time = self.call("model_tree", |f: &Function| {
            // SAFETY: as above, for the nodes and the queries.
            unsafe {
                f(
                    best,
                    batches,
                    n as u32,
                    tree.pos.as_ptr(),
                    tree.axis.as_ptr(),
                    tree.left.as_ptr(),
                    tree.right.as_ptr(),
                    tree.root,
                    queries.len() as u32,
                    queries.as_ptr(),
                    nearest.as_mut_ptr(),
                    distance.as_mut_ptr(),
                )
            }
        });
        (time, nearest, distance)
    }

    /// Masses and springs.
    pub(crate) fn structure(&self, best: u32, batches: u32, structure: &mut Structure) -> Time {
        type Function = unsafe extern "C" fn(
            u32,
            u32,
            u32,
            *mut [f32; 2],
            *mut [f32; 2],
            *const f32,
            *const u8,
            *const u32,
            *const u32,
            u32,
            *const u32,
            *const u32,
            *const f32,
            *const f32,
            *mut u8,
        ) -> Time;
        let Structure { pos, vel, mass, pinned, graph, a, b, length, stiffness, broken } = structure;
        let (n, springs) = (pos.len(), a.len());
        assert!(vel.len() == n && mass.len() == n && pinned.len() == n && graph.offsets.len() == n + 1);
        assert!([b.len(), length.len(), stiffness.len(), broken.len()] == [springs; 4]);
        self.call("model_structure", |f: &Function| {
            // SAFETY: as above, for the nodes and the springs.
            unsafe {
                f(
                    best,
                    batches,
                    n as u32,
                    pos.as_mut_ptr(),
                    vel.as_mut_ptr(),
                    mass.as_ptr(),
                    pinned.as_ptr(),
                    graph.offsets.as_ptr(),
                    graph.links.as_ptr(),
                    springs as u32,
                    a.as_ptr(),
                    b.as_ptr(),
                    length.as_ptr(),
                    stiffness.as_ptr(),
                    broken.as_mut_ptr(),
                )
            }
        })
    }

    /// Boids. `around` has a column per direction.
    pub(crate) fn boids(
        &self,
        best: u32,
        batches: u32,
        size: u32,
        around: &[u32],
        pos: &mut [[f32; 2]],
        vel: &mut [[f32; 2]],
    ) -> Time {
        type Function = unsafe extern "C" fn(u32, u32, u32, *const u32, u32, *mut [f32; 2], *mut [f32; 2]) -> Time;
        let n = pos.len();
        assert!(around.len() == 9 * (size * size) as usize && vel.len() == n);
        self.call("model_boids", |f: &Function| {
            // SAFETY: as above, for the cells and the boids.
            unsafe { f(best, batches, size, around.as_ptr(), n as u32, pos.as_mut_ptr(), vel.as_mut_ptr()) }
        })
    }

    /// Boids in space, in a periodic grid of `size` cells along each axis of a cube.
    pub(crate) fn flock(
        &self,
        best: u32,
        batches: u32,
        (size, side): (u32, f32),
        pos: &mut [[f32; 3]],
        vel: &mut [[f32; 3]],
    ) -> Time {
        type Function = unsafe extern "C" fn(u32, u32, u32, f32, f32, u32, *mut [f32; 3], *mut [f32; 3]) -> Time;
        let n = pos.len();
        assert!(vel.len() == n);
        let per_unit = (f64::from(size) / f64::from(side)) as f32;
        self.call("model_flock", |f: &Function| {
            // SAFETY: as above, for the boids.
            unsafe { f(best, batches, size, per_unit, side, n as u32, pos.as_mut_ptr(), vel.as_mut_ptr()) }
        })
    }

    /// The game of life. `around` has a column per direction.
    pub(crate) fn life(&self, best: u32, batches: u32, around: &[u32], alive: &mut [u8]) -> Time {
        type Function = unsafe extern "C" fn(u32, u32, u32, *const u32, *mut u8) -> Time;
        let n = alive.len();
        assert!(around.len() == 8 * n);
        self.call("model_life", |f: &Function| {
            // SAFETY: as above.
            unsafe { f(best, batches, n as u32, around.as_ptr(), alive.as_mut_ptr()) }
        })
    }
}

/// A k-d tree; 2³² − 1 stands for no child.
pub(crate) struct Tree {
    pub(crate) pos: Vec<[f32; 2]>,
    pub(crate) axis: Vec<u8>,
    pub(crate) left: Vec<u32>,
    pub(crate) right: Vec<u32>,
    pub(crate) root: u32,
}

/// Masses and springs.
#[derive(Clone)]
pub(crate) struct Structure {
    pub(crate) pos: Vec<[f32; 2]>,
    pub(crate) vel: Vec<[f32; 2]>,
    pub(crate) mass: Vec<f32>,
    pub(crate) pinned: Vec<u8>,
    pub(crate) graph: std::rc::Rc<Graph>,
    pub(crate) a: Vec<u32>,
    pub(crate) b: Vec<u32>,
    pub(crate) length: Vec<f32>,
    pub(crate) stiffness: Vec<f32>,
    pub(crate) broken: Vec<u8>,
}
