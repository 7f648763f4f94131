//! A model, and a CUDA kernel that knows nothing of the model, for the programs in `bin`.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod model;

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{BALLS, SCALE, check, sim};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use crate::model::{Ball, Sim};

    /// The number of balls: more than a block's threads, and not a multiple of them.
    pub const BALLS: usize = 100_001;

    /// `values[i] *= factor`, as a CUDA compiler would translate `__global__ void scale(float *values, unsigned len,
    /// float factor)`.
    pub const SCALE: &str = include_str!("scale.ptx");

    /// The initial world.
    ///
    /// # Panics
    ///
    /// If memory runs out.
    #[must_use]
    pub fn sim() -> Sim {
        let mut sim = Sim::new();
        let balls = (0..BALLS).map(|n| Ball { height: n as f32, speed: n as f32 * 0.5 });
        sim.balls.extend(balls).expect("memory for the balls");
        sim
    }

    /// The programs' output, after two seconds of falling: half-way, `scale` has halved all speeds.
    ///
    /// # Errors
    ///
    /// A description of the wrong result.
    pub fn check(sim: &Sim) -> Result<String, String> {
        use crate::model::ball;
        let (height, speed) = (sim.balls.column(ball::height), sim.balls.column(ball::speed));
        for (n, (&height, &speed)) in height.iter().zip(speed).enumerate() {
            let start = n as f32 * 0.5;
            let middle = start - 10.0;
            let end = middle * 0.5 - 10.0;
            let wanted = n as f32 + middle + end;
            if (height, speed) != (wanted, end) {
                return Err(format!("ball {n}: {height} m, {speed} m/s; {wanted} m, {end} m/s expected"));
            }
        }
        Ok(format!("{} balls, the last at {} m: as expected", height.len(), height[height.len() - 1]))
    }
}
