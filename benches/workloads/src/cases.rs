//! Each workload with its input: run by Ikra at a place, and by hand.

mod field;
mod graph;
mod ordinary;
mod rays;
mod sheet;
mod traffic;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ikra::Place;
use ikra::prelude::*;
use raytrace::scene::{Picture, Scene};

pub use rays::checksum as picture_checksum;
pub use sheet::checksum as torn_checksum;
pub use traffic::{checksum as traffic_checksum, start as start_traffic};

use crate::inputs::{Graph, Sheet, Sizes, Streets, living};

/// How long a run took, and what came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Making all objects, at the place where they are.
    pub making: Duration,
    /// All steps.
    pub running: Duration,
    /// Of the result.
    pub checksum: u64,
}

/// A run with Ikra.
type Ikra = Box<dyn Fn(Place) -> Result<Outcome, ikra::Error> + Send + Sync>;

/// What hand-written programs start with.
#[derive(Clone, Debug)]
pub enum Input {
    /// A graph, the number of iterations, which program, and whether vertices are virtual too.
    Graph(Arc<Graph>, u32, &'static str, bool),
    /// Which cells live, width, height and steps, and which rule.
    Field(Arc<Vec<bool>>, [u32; 3], &'static str),
    /// A sheet and the rounds.
    Sheet(Arc<Sheet>, [u32; 2]),
    /// A city.
    Traffic(Streets),
    /// A scene, its picture, and the number of frames.
    Rays(Arc<Scene>, Picture, u32),
}

/// A workload.
pub struct Case {
    /// Its name in TYPEPTR.
    pub name: &'static str,
    /// How many objects it has at first.
    pub objects: usize,
    /// Its input.
    pub input: Input,
    /// The texts of the model and of the same program with ordinary objects, if there is one.
    pub texts: Option<[&'static str; 2]>,
    ikra: Ikra,
}

impl Case {
    /// Runs it with Ikra.
    ///
    /// # Errors
    ///
    /// Those of the place.
    pub fn ikra(&self, place: Place) -> Result<Outcome, ikra::Error> {
        (self.ikra)(place)
    }

    /// Runs it with ordinary objects, in one thread. Returns the checksum, if there is such a program.
    #[must_use]
    pub fn ordinary(&self) -> Option<u64> {
        ordinary::run(&self.input)
    }

    /// Runs it by hand with columns, in one thread, if there is such a program.
    #[must_use]
    pub fn plain(&self) -> Option<Outcome> {
        let start = Instant::now();
        let checksum = match &self.input {
            Input::Graph(graph, iterations, program, _) => graph::plain(graph, *iterations, program),
            Input::Field(living, size, rule) => field::plain(living, *size, rule),
            Input::Sheet(sheet, rounds) => sheet::plain(sheet, *rounds),
            Input::Traffic(_) | Input::Rays(..) => return None,
        };
        Some(Outcome { making: Duration::ZERO, running: start.elapsed(), checksum })
    }
}

/// The workloads, in the order of TYPEPTR's table 2.
pub fn cases(sizes: &Sizes) -> Vec<Case> {
    let graph = Arc::new(Graph::new(sizes.vertices, sizes.edges));
    let field = |[width, height, _]: [u32; 3]| Arc::new(living(width * height));
    let mut all = vec![
        traffic::case(sizes.streets),
        field::gol(field(sizes.life), sizes.life),
        sheet::case(Arc::new(Sheet::new(sizes.sheet[0], sizes.sheet[1])), sizes.rounds),
        field::r#gen(field(sizes.generations), sizes.generations),
    ];
    all.extend(graph::cases(&graph, sizes.iterations));
    all.push(rays::case(sizes.rays));
    all
}

/// Makes a world, and runs it. `warm_up` copies all to the place, and changes nothing that the run does not set anew.
fn run<W: World>(
    place: Place,
    make: impl FnOnce() -> Result<W, ikra::Error>,
    warm_up: impl Fn(&mut W) -> Result<(), ikra::Error>,
    steps: impl Fn(&mut W) -> Result<(), ikra::Error>,
) -> Result<(W, [Duration; 2]), ikra::Error> {
    let start = Instant::now();
    let mut world = make()?;
    warm_up(&mut world)?;
    world.on(place).synchronize()?;
    let making = start.elapsed();
    let start = Instant::now();
    steps(&mut world)?;
    world.on(place).synchronize()?;
    let running = start.elapsed();
    Ok((world, [making, running]))
}
