//! `hecs`: components and queries, on rayon where there are several threads.

use hecs::{Entity, World};
use rayon::prelude::*;

use crate::{DT, System, Threads, friend, position, velocity};

struct Position([f64; 2]);
struct Velocity([f64; 2]);
struct Friend(Entity);
struct Seen(f64);

/// Objects per task on several threads.
const BATCH: u32 = 16_384;

pub struct Hecs {
    world: World,
    bodies: Vec<Entity>,
    followers: Vec<Entity>,
}

impl Hecs {
    pub fn new(n: usize) -> Self {
        let mut world = World::new();
        let bodies = (0..n).map(|n| (Position(position(n)), Velocity(velocity(n))));
        let bodies = world.spawn_batch(bodies).collect();
        Self { world, bodies, followers: Vec::new() }
    }
}

fn advance((position, velocity): (&mut Position, &Velocity)) {
    position.0[0] += velocity.0[0] * DT;
    position.0[1] += velocity.0[1] * DT;
}

impl System for Hecs {
    fn name(&self) -> &'static str {
        "hecs"
    }

    fn add_followers(&mut self) {
        let bodies = &self.bodies;
        let followers: Vec<_> =
            (0..bodies.len()).map(|n| (Friend(bodies[friend(n, bodies.len())]), Seen(0.0))).collect();
        self.followers = self.world.spawn_batch(followers).collect();
    }

    fn advance(&mut self, threads: Threads) {
        match threads {
            Threads::One => self.world.query_mut::<(&mut Position, &Velocity)>().into_iter().for_each(advance),
            Threads::Two => threads.pool().install(|| {
                let mut query = self.world.query::<(&mut Position, &Velocity)>();
                query.iter_batched(BATCH).par_bridge().for_each(|batch| batch.for_each(advance));
            }),
        }
    }

    fn follow(&mut self, threads: Threads) {
        let positions = self.world.view::<&Position>();
        let mut followers = self.world.query::<(&Friend, &mut Seen)>();
        let look = |(friend, seen): (&Friend, &mut Seen)| {
            seen.0 = positions.get(friend.0).expect("bodies stay").0[0];
        };
        match threads {
            Threads::One => followers.iter().for_each(look),
            Threads::Two => threads.pool().install(|| {
                followers.iter_batched(BATCH).par_bridge().for_each(|batch| batch.for_each(look));
            }),
        }
    }

    fn count_right_of(&mut self, x: f64) -> usize {
        self.world.query_mut::<&Position>().into_iter().filter(|position| position.0[0] > x).count()
    }

    fn positions(&mut self) -> Vec<[f64; 2]> {
        self.bodies.iter().map(|&body| self.world.get::<&Position>(body).expect("bodies stay").0).collect()
    }

    fn seen(&mut self) -> Vec<f64> {
        self.followers.iter().map(|&one| self.world.get::<&Seen>(one).expect("followers stay").0).collect()
    }
}
