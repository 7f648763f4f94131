//! A kernel of our own, started with `cust` between two kernels of Ikra, on the column in place.
//!
//! `cargo run -p interop --no-default-features --features cust --bin with-cust`, with a CUDA toolkit. Without a
//! toolkit, put `CUDA_LIBRARY_PATH=DIR` before the command, where `DIR/lib64/libcuda.so` is a link to the driver's
//! library.

use std::error::Error;

use cust::launch;
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use ikra::prelude::*;
use interop::model::{Ball, Sim, ball};
use interop::{SCALE, check, sim};

fn main() -> Result<(), Box<dyn Error>> {
    let context = cust::quick_init()?;
    let stream = Stream::new(StreamFlags::DEFAULT, None)?;
    let module = Module::from_ptx(SCALE, &[])?;

    let mut sim = sim();
    sim.cuda().open_in(&context)?;
    sim.cuda_execute(Ball::fall, 1.0)?;
    scale_speed(&mut sim, &stream, &module, 0.5)?;
    sim.cuda_execute(Ball::fall, 1.0)?;
    // Here the host waits for the first time, and a column is copied for the first time.
    println!("in cust's context: {}", check(&sim)?);
    Ok(())
}

/// Multiplies all speeds by a factor.
fn scale_speed(sim: &mut Sim, stream: &Stream, module: &Module, factor: f32) -> Result<(), Box<dyn Error>> {
    let scale = module.get_function("scale")?;
    sim.cuda().lend(stream, |columns| {
        let mut speed = columns.column_mut(ball::speed);
        let len = speed.len() as u32;
        // SAFETY: the kernel takes a pointer to `f32` values, their number and a factor, and changes this many values.
        unsafe { launch!(scale<<<len.div_ceil(256), 256, 0, stream>>>(speed.as_device_ptr(), len, factor)) }
    })??;
    Ok(())
}
