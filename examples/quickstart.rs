//! Balls under gravity: a class, a kernel for each step, a reduction.
//!
//! ```sh
//! cargo run --example quickstart
//! ```

use ikra::prelude::*;

#[soa_class]
struct Ball {
    height: f32,
    speed: f32,
    bounces: u32,
}

#[soa_methods]
impl Ball {
    /// The ball with this number, in the order of creation.
    #[kernel]
    fn drop_from(id: u32, spacing: f32) -> Self {
        Self { height: 1.0 + id as f32 * spacing, speed: 0.0, bounces: 0 }
    }

    #[kernel]
    fn fall(&mut self, dt: f32) {
        self.speed -= 9.81 * dt;
        self.height += self.speed * dt;
        if self.height < 0.0 {
            self.height = -self.height;
            self.speed *= -0.8;
            self.bounces += 1;
        }
    }

    #[kernel(reduce(Sum))]
    fn bounces_so_far(&self) -> u32 {
        self.bounces
    }
}

#[soa_world]
struct Gym {
    balls: Objects<Ball>,
}

fn main() -> Result<(), ikra::Error> {
    let mut gym = Gym::new();
    let highest = gym.construct(100_000, Ball::drop_from, 0.0001)?.next_back();
    for _ in 0..500 {
        gym.execute(Ball::fall, 0.01); // for all balls, on all cores
    }
    println!("{} bounces in 5 seconds", gym.execute_and_reduce(Ball::bounces_so_far, (), Sum));
    if let Some(ball) = highest {
        let ball = gym.get(ball); // one object, in sequential code
        println!("the ball from the highest place bounced {} times and is {:.2} m high", ball.bounces(), ball.height());
    }
    let highest = gym.balls.column(ball::height).iter().copied().fold(0.0, f32::max); // a column is a slice
    println!("no ball is higher than {highest:.2} m");
    Ok(())
}
