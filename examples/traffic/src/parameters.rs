//! The parameters of a run.

use std::ops::RangeInclusive;

/// How traffic lights work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lights {
    /// A street gets green at once if cars come from this street only, as at all lights of INNER §5.3.
    #[default]
    Smart,
    /// Each street gets green in turn.
    RoundRobin,
}

/// The parameters of a run. The same parameters give the same run, bit for bit, with any number of threads and on a
/// GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The number of cars.
    pub cars: u32,
    /// The seed of all random choices.
    pub seed: u64,
    /// The probability that a car dawdles in a step.
    pub randomisation: f32,
    /// Metres per cell.
    pub cell_length: f32,
    /// Seconds per step.
    pub seconds: f32,
    /// The range of the cars' largest speeds, in metres per second: each car has its own.
    pub speeds: RangeInclusive<f32>,
    /// How traffic lights work.
    pub lights: Lights,
    /// Steps for which a light is green.
    pub phase_length: u32,
}

impl Default for Parameters {
    /// 5,000 cars that drive up to 90 to 180 km/h where they may, cells of 5 m, steps of a second, smart lights.
    fn default() -> Self {
        Self {
            cars: 5000,
            seed: 42,
            randomisation: 0.2,
            cell_length: 5.0,
            seconds: 1.0,
            speeds: 25.0..=50.0,
            lights: Lights::Smart,
            phase_length: 15,
        }
    }
}

impl Parameters {
    /// The largest possible velocity, in cells per step.
    pub const MOST_VELOCITY: u32 = 32;

    /// Converts metres per second to cells per step: 1 or more.
    ///
    /// ```
    /// use traffic::Parameters;
    ///
    /// assert_eq!(Parameters::default().cells_per_step(50.0 / 3.6), 3);
    /// ```
    #[must_use]
    pub fn cells_per_step(&self, speed: f32) -> u32 {
        // NaN becomes 0 here.
        let cells = (speed * self.seconds / self.cell_length).round() as u32;
        cells.clamp(1, Self::MOST_VELOCITY)
    }

    /// Cells per step as kilometres per hour.
    ///
    /// ```
    /// use traffic::Parameters;
    ///
    /// assert_eq!(Parameters::default().kilometres_per_hour(3.0), 54.0);
    /// ```
    #[must_use]
    pub fn kilometres_per_hour(&self, velocity: f64) -> f64 {
        velocity * f64::from(self.cell_length) / f64::from(self.seconds) * 3.6
    }
}
