//! In `bevy_ecs`: entities with components, spawned and despawned.

use bevy_ecs::prelude::*;
use wolfsheep::{Parameters, Start};

use crate::numbers::{Numbers, beside};

#[derive(Component, Clone, Copy)]
struct Animal {
    at: [u32; 2],
    energy: f64,
    gain: f64,
    reproduces: f32,
}
#[derive(Component, Clone, Copy)]
struct Sheep;
#[derive(Component, Clone, Copy)]
struct Wolf;

type Animals<Kind> = QueryState<(Entity, &'static mut Animal), With<Kind>>;

pub struct Field {
    size: [u32; 2],
    regrowth: u32,
    numbers: Numbers,
    waits: Vec<u32>,
    world: World,
    sheep: Animals<Sheep>,
    wolves: Animals<Wolf>,
    /// The first place in `flocks` of each cell, and the next ones.
    first: Vec<u32>,
    flocks: Vec<(Entity, u32)>,
    dead: Vec<Entity>,
    young: Vec<Animal>,
}

const NONE: u32 = u32::MAX;

impl Field {
    pub fn new(of: &Parameters) -> Self {
        let start = Start::of(of);
        let mut world = World::new();
        let animal =
            |one: &wolfsheep::Animal, gain, reproduces| Animal { at: one.at, energy: one.energy, gain, reproduces };
        for one in &start.sheep {
            world.spawn((animal(one, of.sheep_gain, of.sheep_reproduce), Sheep));
        }
        for one in &start.wolves {
            world.spawn((animal(one, of.wolf_gain, of.wolves_reproduce), Wolf));
        }
        let (sheep, wolves) = (world.query_filtered(), world.query_filtered());
        Self {
            size: of.size,
            regrowth: of.regrowth,
            numbers: Numbers(of.seed),
            first: vec![NONE; start.waits.len()],
            waits: start.waits,
            world,
            sheep,
            wolves,
            flocks: Vec::new(),
            dead: Vec::new(),
            young: Vec::new(),
        }
    }

    #[cfg(test)]
    pub fn counts(&mut self) -> [usize; 2] {
        [self.sheep.iter(&self.world).count(), self.wolves.iter(&self.world).count()]
    }

    pub fn step(&mut self) {
        let Self { size, regrowth, numbers, waits, world, sheep, wolves, first, flocks, dead, young } = self;
        let (size, regrowth) = (*size, *regrowth);
        let cell = |at: [u32; 2]| (at[1] * size[0] + at[0]) as usize;
        for (entity, mut animal) in sheep.iter_mut(world) {
            animal.at = beside(animal.at, size, numbers);
            animal.energy -= 1.0;
            let wait = &mut waits[cell(animal.at)];
            if *wait == 0 {
                animal.energy += animal.gain;
                *wait = regrowth;
            }
            if animal.energy < 1.0 {
                dead.push(entity);
            } else if numbers.chance(animal.reproduces) {
                animal.energy /= 2.0;
                young.push(*animal);
            }
        }
        for entity in dead.drain(..) {
            world.despawn(entity);
        }
        world.spawn_batch(young.drain(..).map(|animal| (animal, Sheep)).collect::<Vec<_>>());
        first.fill(NONE);
        flocks.clear();
        for (entity, animal) in sheep.iter(world) {
            let cell = cell(animal.at);
            flocks.push((entity, first[cell]));
            first[cell] = flocks.len() as u32 - 1;
        }
        let mut eaten = Vec::new();
        for (entity, mut animal) in wolves.iter_mut(world) {
            animal.at = beside(animal.at, size, numbers);
            animal.energy -= 1.0;
            if let Some(prey) = prey(&mut first[cell(animal.at)], flocks, numbers) {
                animal.energy += animal.gain;
                eaten.push(prey);
            }
            if animal.energy < 0.0 {
                dead.push(entity);
            } else if numbers.chance(animal.reproduces) {
                animal.energy /= 2.0;
                young.push(*animal);
            }
        }
        for entity in dead.drain(..).chain(eaten) {
            world.despawn(entity);
        }
        world.spawn_batch(young.drain(..).map(|animal| (animal, Wolf)).collect::<Vec<_>>());
        waits.iter_mut().for_each(|wait| *wait = wait.saturating_sub(1));
    }
}

/// Takes a random sheep off the list of a cell.
fn prey(first: &mut u32, flocks: &mut [(Entity, u32)], numbers: &mut Numbers) -> Option<Entity> {
    let (mut count, mut at) = (0, *first);
    while at != NONE {
        count += 1;
        at = flocks[at as usize].1;
    }
    if count == 0 {
        return None;
    }
    let chosen = numbers.below(count);
    let mut before = *first;
    if chosen == 0 {
        *first = flocks[before as usize].1;
        return Some(flocks[before as usize].0);
    }
    for _ in 1..chosen {
        before = flocks[before as usize].1;
    }
    let found = flocks[before as usize].1;
    flocks[before as usize].1 = flocks[found as usize].1;
    Some(flocks[found as usize].0)
}
