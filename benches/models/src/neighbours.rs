//! The initial states of models whose objects find their neighbours by a grid.

use ikra::Grid;
use ikra::rng::Random;
use ikra_baselines::sizes;
use ikra_baselines::table::grouped;

use crate::model::flock;
use crate::setup::{BEST, Done, SAME, START};
use crate::{Hash, Model, Options, STEPS, Variant};

/// The seed of the positions.
const SEED: u64 = 11;

/// Boids in space, about thirty within the radius of each.
pub(crate) fn flock(options: &Options) -> Done {
    for n in sizes([100_000_u32, 1_000_000], 2000) {
        if !options.wants("flock", n > 100_000) {
            continue;
        }
        // A million boids are in a cube with a side of 2.594.
        let side = (2.594_f64.powi(3) * f64::from(n) / 1e6).cbrt() as f32;
        let grid = Grid::new([0.0; 3], [side; 3], flock::RADIUS).periodic();
        let (pos, vel): (Vec<[f32; 3]>, Vec<[f32; 3]>) = (0..n)
            .map(|id| {
                let mut random = Random::new(SEED, id, START);
                let mut three = || [0; 3].map(|_: u32| random.uniform_f32());
                (three().map(|x| x * side), three().map(|x| x - 0.5))
            })
            .unzip();
        let state = |pos: &[[f32; 3]], vel: &[[f32; 3]]| {
            let bits = |vectors: &[[f32; 3]]| vectors.iter().flatten().map(|x| x.to_bits()).collect::<Vec<u32>>();
            Hash::of(bits(pos)).and(bits(vel)).0
        };
        let mut world = flock::Sky::new();
        let row = |i: usize| flock::Boid { pos: pos[i], vel: vel[i], turned: [0.0; 3], number: i as u32 };
        world.boids.extend((0..n as usize).map(row))?;
        let (start_pos, start_vel) = (pos.clone(), vel.clone());
        let variant = |name, sorts: bool, cuda| Variant {
            name,
            batch: Box::new(move |sky: &mut ikra::On<'_, flock::Sky>| {
                for _ in 0..STEPS {
                    if sorts {
                        sky.sort_by_key(flock::Boid::cell, grid)?;
                    }
                    let near = sky.group_by(flock::Boid::place, grid, ())?;
                    sky.execute(flock::Boid::look, &near)?;
                    sky.execute(flock::Boid::fly, side)?;
                }
                Ok(())
            }),
            records: false,
            same: cuda,
            best: cuda,
        };
        options.measure(Model {
            world,
            size: grouped(f64::from(n)),
            batches: 9,
            reset: Box::new(move |sky| {
                for (i, number) in sky.boids.column_mut(flock::boid::number).iter_mut().enumerate() {
                    *number = i as u32;
                }
                sky.boids.column_mut(flock::boid::pos).copy_from_slice(&pos);
                sky.boids.column_mut(flock::boid::vel).copy_from_slice(&vel);
            }),
            state: Box::new(move |sky| {
                let numbers = sky.boids.column(flock::boid::number);
                let (mut pos, mut vel) = (vec![[0.0; 3]; numbers.len()], vec![[0.0; 3]; numbers.len()]);
                let values = sky.boids.column(flock::boid::pos).iter().zip(sky.boids.column(flock::boid::vel));
                for (&number, (&its_pos, &its_vel)) in numbers.iter().zip(values) {
                    (pos[number as usize], vel[number as usize]) = (its_pos, its_vel);
                }
                state(&pos, &vel)
            }),
            // In CUDA the first version looks boids up by the sorted list, as groups do; the second one sorts the boids.
            variants: vec![variant("flock in space", false, SAME), variant("… sorted by cells", true, BEST)],
            cuda: Box::new(move |baselines, which, batches| {
                let (mut pos, mut vel) = (start_pos.clone(), start_vel.clone());
                let time = baselines.flock(which.version, batches, (grid.size()[0], side), &mut pos, &mut vel);
                (time, state(&pos, &vel))
            }),
        })?;
    }
    Ok(())
}
