//! Times calls of methods whose class is known at run time only, beside the hand-written CUDA of `benches/cuda/dispatch.cu` and
//! `benches/cuda/raytrace.cu`, and prints one table.
//!
//! `ikra-dispatch-benches target/cuda/libbaselines.so [GROUP …]`, on a machine with a GPU.

mod calls;
mod model;
mod rays;
mod raytrace;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    ikra_baselines::run(&[
        ("objects", calls::objects),
        ("classes", calls::classes),
        ("reordering", calls::reordering),
        ("creation", calls::creation),
        ("raytrace", raytrace::raytrace),
    ])
}
