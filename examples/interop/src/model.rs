//! Balls that fall.

use ikra::prelude::*;

/// A ball above the ground.
#[soa_class]
pub struct Ball {
    /// Its height.
    pub height: f32,
    /// Its upward speed.
    pub speed: f32,
}

#[soa_methods]
impl Ball {
    /// Lets it fall for some time.
    #[kernel]
    pub fn fall(&mut self, dt: f32) {
        self.speed -= 10.0 * dt;
        self.height += self.speed * dt;
    }

    /// How high it is.
    #[kernel(reduce(Max))]
    pub fn top(&self) -> f32 {
        self.height
    }
}

/// All balls.
#[soa_world]
pub struct Sim {
    /// The balls.
    pub balls: Objects<Ball>,
}
