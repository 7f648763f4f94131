//! `bevy_ecs`: components and queries.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemState;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};

use crate::{DT, System, Threads, friend, position, velocity};

#[derive(Component)]
struct Position([f64; 2]);

#[derive(Component)]
struct Velocity([f64; 2]);

#[derive(Component)]
struct Friend(Entity);

#[derive(Component)]
struct Seen(f64);

/// How a query of bodies is iterated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Iteration {
    /// `iter_mut`: one object at a time, as in most programs.
    Objects,
    /// `contiguous_iter_mut`: slices of components.
    Slices,
}

type Bodies = QueryState<(&'static mut Position, &'static Velocity)>;
type Followers = SystemState<(
    Query<'static, 'static, (&'static Friend, &'static mut Seen)>,
    Query<'static, 'static, &'static Position>,
)>;

pub struct Bevy {
    world: World,
    bodies: Vec<Entity>,
    followers: Vec<Entity>,
    advance: Bodies,
    follow: Followers,
    iteration: Iteration,
}

impl Bevy {
    pub fn new(n: usize, iteration: Iteration) -> Self {
        // As many threads as `Threads::Two`: a pool of one runs everything in the calling thread.
        ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(2).build());
        let mut world = World::new();
        let bodies = (0..n).map(|n| (Position(position(n)), Velocity(velocity(n))));
        let bodies = world.spawn_batch(bodies).collect();
        let (advance, follow) = (world.query(), SystemState::new(&mut world));
        Self { world, bodies, followers: Vec::new(), advance, follow, iteration }
    }
}

fn advance(position: &mut Position, velocity: &Velocity) {
    position.0[0] += velocity.0[0] * DT;
    position.0[1] += velocity.0[1] * DT;
}

impl System for Bevy {
    fn name(&self) -> &'static str {
        match self.iteration {
            Iteration::Objects => "bevy_ecs",
            Iteration::Slices => "bevy_ecs, slices",
        }
    }

    fn add_followers(&mut self) {
        let bodies = &self.bodies;
        let followers = (0..bodies.len()).map(|n| (Friend(bodies[friend(n, bodies.len())]), Seen(0.0)));
        self.followers = self.world.spawn_batch(followers.collect::<Vec<_>>()).collect();
    }

    fn advance(&mut self, threads: Threads) {
        let Self { world, advance: query, .. } = self;
        match (self.iteration, threads) {
            (Iteration::Objects, Threads::One) => {
                query.iter_mut(world).for_each(|(mut position, velocity)| advance(&mut position, velocity));
            }
            (Iteration::Objects, Threads::Two) => {
                query.par_iter_mut(world).for_each(|(mut position, velocity)| advance(&mut position, velocity));
            }
            (Iteration::Slices, Threads::One) => {
                for (mut positions, velocities) in query.contiguous_iter_mut(world).expect("tables are dense") {
                    positions.iter_mut().zip(velocities).for_each(|(position, velocity)| advance(position, velocity));
                }
            }
            (Iteration::Slices, Threads::Two) => {
                let query = query.contiguous_par_iter_mut(world).expect("tables are dense");
                query.for_each(|(mut positions, velocities)| {
                    positions.iter_mut().zip(velocities).for_each(|(position, velocity)| advance(position, velocity));
                });
            }
        }
    }

    fn follow(&mut self, threads: Threads) {
        let (mut followers, bodies) = self.follow.get_mut(&mut self.world).expect("no other system runs");
        let look = |(friend, mut seen): (&Friend, Mut<'_, Seen>)| {
            seen.0 = bodies.get(friend.0).expect("bodies stay").0[0];
        };
        match threads {
            Threads::One => followers.iter_mut().for_each(look),
            Threads::Two => followers.par_iter_mut().for_each(look),
        }
    }

    fn count_right_of(&mut self, x: f64) -> usize {
        let mut query = self.world.query::<&Position>();
        query.iter(&self.world).filter(|position| position.0[0] > x).count()
    }

    fn positions(&mut self) -> Vec<[f64; 2]> {
        self.bodies.iter().map(|&body| self.world.get::<Position>(body).expect("bodies stay").0).collect()
    }

    fn seen(&mut self) -> Vec<f64> {
        self.followers.iter().map(|&one| self.world.get::<Seen>(one).expect("followers stay").0).collect()
    }
}
