//! A kernel of our own, started with `cudarc` between two kernels of Ikra, on the column in place.
//!
//! `cargo run -p interop --bin with-cudarc`

use std::error::Error;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, LaunchConfig, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;
use ikra::prelude::*;
use interop::model::{Ball, Sim, ball};
use interop::{SCALE, check, sim};

fn main() -> Result<(), Box<dyn Error>> {
    // Ikra opens the driver first: if `IKRA_DRIVER` names the emulator, `cudarc` finds that too.
    let driver = ikra::gpu::driver::library();
    // SAFETY: the driver's library may be loaded at any time. Without it, `cudarc` panics.
    if driver.is_err() || !unsafe { sys::is_culib_present() } {
        println!("there is no NVIDIA driver: nothing to show");
        return Ok(());
    }
    let context = CudaContext::new(0)?;
    println!("in the device's own context: {}", run(&context)?);
    let other = CudaContext::new_non_primary(0, 0)?;
    println!("in a context of cudarc's: {}", run(&other)?);
    Ok(())
}

fn run(context: &Arc<CudaContext>) -> Result<String, Box<dyn Error>> {
    let stream = context.new_stream()?;
    let scale = context.load_module(Ptx::from_src(SCALE))?.load_function("scale")?;

    let mut sim = sim();
    sim.cuda().open_in(context)?;
    sim.cuda_execute(Ball::fall, 1.0)?;
    scale_speed(&mut sim, &stream, &scale, 0.5)?;
    sim.cuda_execute(Ball::fall, 1.0)?;
    // Here the host waits for the first time, and a column is copied for the first time.
    Ok(check(&sim)?)
}

/// Multiplies all speeds by a factor.
fn scale_speed(
    sim: &mut Sim,
    stream: &Arc<CudaStream>,
    scale: &CudaFunction,
    factor: f32,
) -> Result<(), Box<dyn Error>> {
    sim.cuda().lend(stream, |columns| {
        let mut speed = columns.column_mut(ball::speed);
        let len = speed.len() as u32;
        let mut launch = stream.launch_builder(scale);
        launch.arg(&mut speed).arg(&len).arg(&factor);
        // SAFETY: the kernel takes a pointer to `f32` values, their number and a factor, and changes this many values.
        unsafe { launch.launch(LaunchConfig::for_num_elems(len)) }
    })??;
    Ok(())
}
