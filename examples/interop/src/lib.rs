//! A model, and a CUDA kernel that knows nothing of it, for the programs beside this.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod model;

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{BALLS, SCALE, check, sim};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use crate::model::{Ball, Sim};

    /// Their number: more than a block's threads, and no multiple of them.
    pub const BALLS: usize = 100_001;

    /// `values[i] *= factor`, as a CUDA compiler would make it of
    /// `__global__ void scale(float *values, unsigned len, float factor)`.
    pub const SCALE: &str = include_str!("scale.ptx");

    /// The world at the start.
    ///
    /// # Panics
    ///
    /// If there is no memory for it.
    #[must_use]
    pub fn sim() -> Sim {
        let mut sim = Sim::new();
        let balls = (0..BALLS).map(|n| Ball { height: n as f32, speed: n as f32 * 0.5 });
        sim.balls.extend(balls).expect("memory for the balls");
        sim
    }

    /// What the programs print, after two seconds of falling: in the middle, `scale` has halved all speeds.
    ///
    /// # Errors
    ///
    /// What is wrong with the result.
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
