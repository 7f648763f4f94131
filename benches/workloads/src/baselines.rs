//! The hand-written CUDA of `benches/cuda/workloads`.
#![allow(unsafe_code, reason = "calls of a C library")]

use std::error::Error;
use std::time::Duration;

use ikra::Place;
use ikra_baselines::Baselines;
use ikra_workload_benches::inputs::{Graph, Sheet, Streets};
use ikra_workload_benches::{
    Input, Outcome, picture_checksum, start_traffic, torn_checksum, traffic_checksum, words_checksum,
};
use raytrace::Order;
use raytrace::model::Vector;
use raytrace::render::Renderer;
use raytrace::scene::{Picture, Scene};

use crate::{rays, traffic_baselines};

/// How objects are allocated and called: `By` of `strategy.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// By `new` on the device, with virtual functions.
    New,
    /// SharedOA, with virtual functions.
    Shared,
    /// SharedOA, and COAL.
    Coal,
    /// SharedOA, and TypePointer.
    TypePointer,
    /// A structure of arrays.
    Columns,
}

impl By {
    pub(crate) const ALL: [Self; 5] = [Self::New, Self::Shared, Self::Coal, Self::TypePointer, Self::Columns];

    /// As tables have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::New => "CUDA new",
            Self::Shared => "SharedOA",
            Self::Coal => "COAL",
            Self::TypePointer => "TypePointer",
            Self::Columns => "CUDA SoA",
        }
    }
}

/// An outcome of nanoseconds, if the library has the function.
fn outcome(running: f64, making: f64, checksum: impl FnOnce() -> u64) -> Option<Outcome> {
    let time = |nanoseconds: f64| Duration::from_nanos(nanoseconds as u64);
    running.is_finite().then(|| Outcome { making: time(making), running: time(running), checksum: checksum() })
}

/// The library, for all workloads.
pub(crate) struct All {
    own: Baselines,
    traffic: traffic_baselines::Baselines,
}

impl All {
    pub(crate) fn open(path: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Self { own: Baselines::open(path)?, traffic: traffic_baselines::Baselines::open(path)? })
    }

    /// Sets the room for device-side `new`, before any kernel allocates.
    pub(crate) fn reserve(&self) {
        self.own.call_0("workload_heap");
    }
}

/// Runs a workload once, if there is a program.
pub(crate) fn run(all: &All, by: By, input: &Input) -> Option<Outcome> {
    let baselines = &all.own;
    match input {
        Input::Graph(graph, iterations, program, is_ven) => {
            let program = ["bfs", "cc", "pr"].iter().position(|name| name == program)?;
            run_graph(baselines, by, graph, *iterations, program as u32, *is_ven)
        }
        Input::Field(living, size, rule) => run_field(baselines, by, living, *size, u32::from(*rule != "gol")),
        Input::Sheet(sheet, rounds) => run_sheet(baselines, by, sheet, *rounds),
        Input::Traffic(streets) => run_traffic(all, by, *streets),
        Input::Rays(scene, picture, frames) => run_rays(baselines, by, scene, picture, *frames),
    }
}

fn run_graph(
    baselines: &Baselines,
    by: By,
    graph: &Graph,
    iterations: u32,
    program: u32,
    is_ven: bool,
) -> Option<Outcome> {
    type Function = unsafe extern "C" fn(u32, u32, u32, u32, u32, *const u32, *const u32, *mut u32, *mut f64) -> f64;
    let (mut result, mut making) = (vec![0; graph.vertices()], 0.0);
    let call = |f: &Function| {
        let n = graph.vertices() as u32;
        let (offsets, sources) = (graph.offsets.as_ptr(), graph.sources.as_ptr());
        // SAFETY: the function of `graph.cu` reads n + 1 offsets, which ascend to the number of sources, all less than n; it
        // writes n results and a number.
        unsafe {
            let result = result.as_mut_ptr();
            f(by as u32, program, u32::from(is_ven), iterations, n, offsets, sources, result, &raw mut making)
        }
    };
    // SAFETY: the function of this name has that type.
    let time = unsafe { baselines.call("workload_graph", call) };
    outcome(time, making, || words_checksum(result))
}

fn run_field(baselines: &Baselines, by: By, living: &[bool], size: [u32; 3], rule: u32) -> Option<Outcome> {
    type Function = unsafe extern "C" fn(u32, u32, u32, u32, u32, *const u8, *mut u8, *mut f64) -> f64;
    let living: Vec<u8> = living.iter().map(|&lives| lives.into()).collect();
    let (mut result, mut making) = (vec![0; living.len()], 0.0);
    let call = |f: &Function| {
        let [width, height, steps] = size;
        // SAFETY: the function of `field.cu` reads and writes a byte for each of width × height cells, and writes a number.
        unsafe { f(by as u32, rule, width, height, steps, living.as_ptr(), result.as_mut_ptr(), &raw mut making) }
    };
    // SAFETY: the function of this name has that type.
    let time = unsafe { baselines.call("workload_field", call) };
    outcome(time, making, || words_checksum(result.into_iter().map(u32::from)))
}

fn run_sheet(baselines: &Baselines, by: By, sheet: &Sheet, rounds: [u32; 2]) -> Option<Outcome> {
    type Floats = *const f32;
    type Function = unsafe extern "C" fn(
        u32,
        u32,
        u32,
        u32,
        u32,
        u32,
        f32,
        f32,
        Floats,
        Floats,
        *const u32,
        Floats,
        Floats,
        Floats,
        *mut [f32; 2],
        *mut u8,
        *mut u32,
        *mut f64,
    ) -> f64;
    let nodes = sheet.pos.len();
    let (mut pos, mut is_gone, mut springs, mut making) = (vec![[0.0; 2]; nodes], vec![0; nodes], 0, 0.0);
    let call = |f: &Function| {
        let [x, y] = Sheet::PULL;
        // SAFETY: the function of `sheet.cu` reads as many nodes as columns × rows, and as many springs as it is told, whose
        // ends are nodes; it writes a position and a byte per node, and two numbers.
        unsafe {
            f(
                by as u32,
                sheet.columns,
                sheet.rows,
                sheet.ends.len() as u32,
                rounds[0],
                rounds[1],
                x,
                y,
                sheet.pos.as_ptr().cast(),
                sheet.mass.as_ptr(),
                sheet.ends.as_ptr().cast(),
                sheet.length.as_ptr(),
                sheet.stiffness.as_ptr(),
                sheet.strength.as_ptr(),
                pos.as_mut_ptr(),
                is_gone.as_mut_ptr(),
                &raw mut springs,
                &raw mut making,
            )
        }
    };
    // SAFETY: the function of this name has that type.
    let time = unsafe { baselines.call("workload_sheet", call) };
    let nodes = || pos.into_iter().zip(is_gone).map(|(pos, is_gone)| (is_gone == 0).then_some(pos));
    outcome(time, making, || torn_checksum(nodes(), springs as usize))
}

/// Columns are the packed ones.
fn run_traffic(all: &All, by: By, streets: Streets) -> Option<Outcome> {
    use traffic_baselines::{RawResult, RawWorld, Start, Version, with_world};
    type Function = unsafe extern "C" fn(u32, u32, *const RawWorld, *mut RawResult, *mut f64) -> f64;
    let start = Start::of(&mut start_traffic(streets));
    let mut making = 0.0;
    let measured = if by != By::Columns {
        with_world(&start, |world, result| {
            // SAFETY: both are of the types of `traffic.cuh`, and as large as they say, by `with_world`; the function also writes a
            // number.
            let call = |f: &Function| unsafe { f(by as u32, streets.steps, world, result, &raw mut making) };
            // SAFETY: the function of this name has that type.
            unsafe { all.own.call("workload_traffic", call) }
        })
    } else if streets.steps == 1000 {
        all.traffic.run(Version::Best, 1, &start)
    } else {
        // That sample has a fixed number of steps.
        return None;
    };
    let state = measured.state;
    outcome(measured.time, making, || traffic_checksum(&state.cells, &state.velocities, &state.green))
}

fn run_rays(baselines: &Baselines, by: By, scene: &Scene, picture: &Picture, frames: u32) -> Option<Outcome> {
    let name = match by {
        By::New => "raytrace_new",
        By::Shared => "raytrace_placed",
        By::Coal => "raytrace_coal",
        By::TypePointer => "raytrace_type_pointer",
        By::Columns => "raytrace_switch",
    };
    let mut renderer = Renderer::new(scene, picture, Order::List, Place::Host).ok()?;
    let mut light = vec![Vector::ZERO; (picture.width * picture.height) as usize];
    let time = rays::with_columns(&mut renderer, frames, &mut light, |columns| rays::call(baselines, name, columns));
    outcome(time * f64::from(frames), 0.0, || picture_checksum(&light))
}
