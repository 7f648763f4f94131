//! Grids, against all pairs.

use ikra::rng::Random;
use ikra::{Error, Grid, prelude::*};

use super::{on_threads, panic_of};

macro_rules! model {
    ($module:ident, $dims:literal) => {
        mod $module {
            use super::*;

            #[soa_class]
            pub struct Boid {
                pub pos: [f32; $dims],
                pub near: u32,
                pub sum: u64,
                pub visited: u32,
            }

            #[soa_methods]
            impl Boid {
                #[kernel]
                pub fn place(&self) -> [f32; $dims] {
                    self.pos
                }
                #[kernel]
                pub fn look(&mut self, near: Groups<Boid, Grid<$dims>>, radius: f32) {
                    (self.near, self.sum, self.visited) = (0, 0, 0);
                    for other in near.around(self.pos) {
                        self.visited += 1;
                        let d = near.grid().offset(self.pos, other.pos());
                        if d.iter().map(|d| d * d).sum::<f32>() <= radius * radius {
                            self.near += 1;
                            self.sum += other.link().index() as u64;
                        }
                    }
                }
                /// By a closure in place of a loop.
                #[kernel]
                pub fn look_again(&self, near: Groups<Boid, Grid<$dims>>) -> u32 {
                    near.around(self.pos)
                        .fold(0, |sum: u32, other| sum.wrapping_mul(31).wrapping_add(other.link().id()))
                }
                #[kernel]
                pub fn look_in_order(&self, near: Groups<Boid, Grid<$dims>>) -> u32 {
                    let mut sum = 0_u32;
                    for other in near.around(self.pos) {
                        sum = sum.wrapping_mul(31).wrapping_add(other.link().id());
                    }
                    sum
                }
                #[kernel]
                pub fn find(&self, near: Groups<Boid, Grid<$dims>>, at: [f32; $dims]) -> u32 {
                    near.around(at).count() as u32
                }
            }

            #[soa_world]
            pub struct Flock {
                pub boids: Objects<Boid>,
            }

            /// Positions in a box, and some outside of it.
            pub fn flock(len: u32, min: f32, max: f32, seed: u64) -> Flock {
                let mut flock = Flock::new();
                let boid = |n| {
                    let mut random = Random::new(seed, n, 0);
                    let pos = [0; $dims].map(|_| {
                        let x = min + (max - min) * (random.uniform_f32() * 1.2 - 0.1);
                        // Many at the borders of cells.
                        if n % 3 == 0 { x.round() } else { x }
                    });
                    Boid { pos, near: 0, sum: 0, visited: 0 }
                };
                flock.boids.extend((0..len).map(boid)).unwrap();
                flock
            }

            pub fn check(flock: &mut Flock, grid: Grid<$dims>, radius: f32) {
                let near = flock.group_by(Boid::place, grid, ()).unwrap();
                assert_eq!(near.len(), flock.boids.len());
                flock.execute(Boid::look, (&near, radius));
                let all = flock.boids.column(boid::pos);
                for (n, pos) in all.iter().enumerate() {
                    let is_near = |other: &[f32; $dims]| {
                        let d = grid.offset(*pos, *other);
                        d.iter().map(|d| d * d).sum::<f32>() <= radius * radius
                    };
                    let found: Vec<_> = (0..all.len()).filter(|&other| is_near(&all[other])).collect();
                    let (near, sum) = (flock.boids.column(boid::near)[n], flock.boids.column(boid::sum)[n]);
                    assert_eq!((near as usize, sum as usize), (found.len(), found.iter().sum()), "{grid:?} {pos:?}");
                    assert!(flock.boids.column(boid::visited)[n] as usize <= all.len(), "each comes once");
                }
                let again = flock.execute_and_collect(Boid::look_again, &near);
                assert_eq!(again, flock.execute_and_collect(Boid::look_in_order, &near));
            }
        }
    };
}
model!(one, 1);
model!(two, 2);
model!(three, 3);

#[test]
fn neighbours_are_those_of_all_pairs() {
    on_threads(|| {
        // Boxes of one cell and more along each axis, at negative positions too.
        for (min, max, radius) in
            [(0.0, 10.0, 1.0), (-7.0, -1.0, 2.0), (-3.0, 3.0, 2.5), (-1.0, 1.5, 1.0), (5.0, 6.0, 0.4)]
        {
            macro_rules! each {
                ($($module:ident $dims:literal $len:literal)*) => { $(
                    let mut flock = $module::flock($len, min, max, 7);
                    let grid = Grid::new([min; $dims], [max; $dims], radius);
                    $module::check(&mut flock, grid, radius);
                    // In a small periodic box, an offset is at most half of it.
                    $module::check(&mut flock, grid.periodic(), radius);
                )* };
            }
            each! { one 1 60 two 2 120 three 3 150 }
        }
    });
}

#[test]
fn boxes_may_have_other_lengths_along_each_axis() {
    let mut flock = two::flock(300, 0.0, 12.0, 9);
    for grid in [Grid::new([0.0, 0.0], [12.0, 1.5], 1.0), Grid::new([2.0, -3.0], [5.0, 12.0], 1.0)] {
        two::check(&mut flock, grid, 1.0);
        two::check(&mut flock, grid.periodic(), 1.0);
    }
}

#[test]
fn cells_are_visited_by_rows() {
    let mut flock = two::Flock::new();
    let at = |n: u32| [n % 4, n / 4].map(|x| x as f32 + 0.5);
    flock.boids.extend((0..16).rev().map(|n| two::Boid { pos: at(n), near: 0, sum: 0, visited: 0 })).unwrap();
    let grid = Grid::new([0.0, 0.0], [4.0, 4.0], 0.99).periodic();
    assert_eq!(grid.size(), [4, 4]);
    let near = flock.group_by(two::Boid::place, grid, ()).unwrap();
    let boid = flock.get(flock.boids.links().next().unwrap());
    let seen = near.seen_by(&boid);
    let cells = |pos| seen.around(pos).map(|other| grid.cell(other.pos()).unwrap()).collect::<Vec<_>>();
    assert_eq!(cells(at(5)), [0, 1, 2, 4, 5, 6, 8, 9, 10]);
    assert_eq!(cells(at(0)), [15, 12, 13, 3, 0, 1, 7, 4, 5]);
    assert_eq!(cells(at(7)), [2, 3, 0, 6, 7, 4, 10, 11, 8]);
    let open = Grid::new([0.0, 0.0], [4.0, 4.0], 0.99);
    let near = flock.group_by(two::Boid::place, open, ()).unwrap();
    let boid = flock.get(flock.boids.links().next().unwrap());
    let cells: Vec<_> = near.seen_by(&boid).around(at(0)).map(|other| open.cell(other.pos()).unwrap()).collect();
    assert_eq!(cells, [0, 1, 4, 5]);
}

#[test]
fn positions_that_are_not_numbers_name_the_object() {
    let mut flock = two::flock(30_000, 0.0, 10.0, 1);
    let grid = Grid::new([0.0, 0.0], [10.0, 10.0], 1.0);
    let all: Vec<_> = flock.boids.links().collect();
    flock.set(all[20_000], two::boid::pos, [1.0, f32::INFINITY]);
    assert!(flock.group_by(two::Boid::place, grid, ()).is_ok(), "an open grid has cells for all numbers");
    let error = flock.group_by(two::Boid::place, grid.periodic(), ()).unwrap_err();
    assert!(matches!(error, Error::NoKey { class: "Boid", id: 20_001 }), "{error}");
    flock.set(all[7], two::boid::pos, [f32::NAN, 1.0]);
    let error = flock.group_by(two::Boid::place, grid, ()).unwrap_err();
    assert!(error.to_string().starts_with("object Boid#8 has no key to group it by; a position"), "{error}");
    // A kernel that asks for such a place finds nothing.
    flock.set(all[7], two::boid::pos, [0.0; 2]);
    let near = flock.group_by(two::Boid::place, grid, ()).unwrap();
    assert_eq!(flock.over(..1).execute_and_collect(two::Boid::find, (&near, [f32::NAN, 0.0])), [0]);
    assert_ne!(flock.over(..1).execute_and_collect(two::Boid::find, (&near, [f32::INFINITY, 0.0])), [0]);
}

#[test]
fn boxes_without_a_size_are_refused() {
    for (min, max, radius, message) in [
        ([0.0, 1.0], [1.0, 1.0], 1.0, "a grid's box ends after it begins, on each axis"),
        ([0.0, 1.0], [1.0, f32::NAN], 1.0, "a grid's box ends after it begins, on each axis"),
        ([0.0, 1.0], [1.0, f32::INFINITY], 1.0, "a grid's box is finite"),
        ([-3e38, 0.0], [3e38, 1.0], 1.0, "a grid's box is finite"),
        ([0.0, 0.0], [1.0, 1e-40], 1.0, "a grid's cells are too short for `f32`: use a smaller unit of length"),
        ([0.0, 0.0], [1.0, 1.0], 0.0, "a grid's radius is greater than 0"),
        ([0.0, 0.0], [1.0, 1.0], f32::NAN, "a grid's radius is greater than 0"),
    ] {
        assert_eq!(panic_of(|| Grid::new(min, max, radius)), message);
    }
    assert_eq!(Grid::new([0.0], [1.0], f32::INFINITY).cells(), 1);
}

/// A program's own keys for a grid may count fewer groups than the grid has cells.
mod other_keys {
    use super::*;

    #[derive(Clone, Copy, Value)]
    #[repr(C)]
    pub struct Point(pub f32);
    impl ikra::Keys<Point> for Grid<1> {
        fn groups(&self) -> u32 {
            1
        }
        fn key(&self, _: Point) -> Option<u32> {
            Some(0)
        }
    }

    #[soa_class]
    pub struct Star {
        pub x: f32,
    }

    #[soa_methods]
    impl Star {
        #[kernel]
        pub fn point(&self) -> Point {
            Point(self.x)
        }
        #[kernel]
        pub fn look(&self, near: Groups<Star, Grid<1>>) -> u32 {
            near.around([self.x]).count() as u32
        }
    }

    #[soa_world]
    pub struct Sky {
        pub stars: Objects<Star>,
    }
}

#[test]
fn keys_of_a_grid_that_are_not_its_cells() {
    let mut sky = other_keys::Sky::new();
    sky.stars.push(other_keys::Star { x: 9.5 }).unwrap();
    let few = sky.group_by(other_keys::Star::point, Grid::new([0.0], [10.0], 1.0), ()).unwrap();
    let message = panic_of(|| sky.execute_and_collect(other_keys::Star::look, &few));
    assert_eq!(message, "there are 1 groups of class Star, counted from 0, so there is no group 8");
}
