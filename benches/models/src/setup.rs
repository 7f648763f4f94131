//! The models' initial states.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ikra::On;
use ikra::prelude::*;
use ikra::rng::Random;
use ikra_baselines::sizes;
use ikra_baselines::table::grouped;

use crate::baselines::{Baselines, Graph, Structure, Tree};
use crate::come_and_go::{living, sea as animals, start};
use crate::model::{boids, epidemic, life, packed, structure, tree, wator};
use crate::{Cuda, Hash, Model, Options, STEPS, Variant};

pub(crate) type Done = Result<(), ikra::Error>;

/// Where a step number stands for what is drawn at the start.
pub(crate) const START: u32 = u32::MAX;
/// What stands for no object.
const NONE: u32 = u32::MAX;

pub(crate) const SAME: Cuda = Cuda { version: 0, reads: false };
pub(crate) const BEST: Cuda = Cuda { version: 1, reads: false };

/// The way to the four neighbours of a cell: north, west, east, south.
pub(crate) const FOUR: [(i64, i64); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
/// The way to the eight neighbours of a cell.
pub(crate) const EIGHT: [(i64, i64); 8] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// The neighbours of each cell of a torus, a column per direction.
pub(crate) fn torus<const N: usize>(width: u32, height: u32, directions: [(i64, i64); N]) -> Vec<u32> {
    let (w, h) = (i64::from(width), i64::from(height));
    let beside = move |x: i64, y: i64| (x.rem_euclid(w) * h + y.rem_euclid(h)) as u32;
    let neighbour = move |(dx, dy)| (0..w).flat_map(move |x| (0..h).map(move |y| beside(x + dx, y + dy)));
    directions.into_iter().flat_map(neighbour).collect()
}

/// The links that an object has in `columns`, one per direction.
pub(crate) fn row<C, const N: usize>(links: &[Link<C>], columns: &[u32], i: usize) -> [Link<C>; N] {
    std::array::from_fn(|k| links[columns[k * links.len() + i] as usize])
}

pub(crate) fn wator(options: &Options) -> Done {
    for size in sizes([1024, 4096], 48) {
        if !options.wants("wator", size > 1024) {
            continue;
        }
        let around = torus(size, size, FOUR);
        let n = (size * size) as usize;
        let (kinds, energies): (Vec<wator::Kind>, Vec<u32>) = (0..n as u32).map(start).unzip();

        let mut world = wator::Sea::new();
        let clock = world.clocks.push(wator::Clock { step: 0 })?;
        let links: Vec<Link<wator::Cell>> = world.cells.reserve(n)?.collect();
        for i in 0..n {
            let cell = wator::Cell {
                kind: kinds[i],
                energy: energies[i],
                around: row(&links, &around, i),
                target: None,
                carried: 0,
                fish_claim: 0,
                shark_claim: 0,
            };
            world.cells.init(links[i], cell)?;
        }
        let bytes = |kinds: &[wator::Kind]| kinds.iter().map(|&kind| kind as u8).collect::<Vec<u8>>();
        let (start_kinds, start_energies) = (bytes(&kinds), energies.clone());
        options.measure(Model {
            world,
            size: format!("{size}²"),
            batches: 11,
            reset: Box::new(move |sea| {
                sea.clocks.column_mut(wator::clock::step)[0] = 0;
                sea.cells.column_mut(wator::cell::kind).copy_from_slice(&kinds);
                sea.cells.column_mut(wator::cell::energy).copy_from_slice(&energies);
                // Whoever moved last in the run before is forgotten.
                sea.execute(wator::Cell::forget, ());
            }),
            state: Box::new(move |sea| {
                animals(&bytes(sea.cells.column(wator::cell::kind)), sea.cells.column(wator::cell::energy))
            }),
            variants: vec![Variant {
                name: "predators and prey",
                batch: Box::new(move |sea| {
                    for k in 0..STEPS {
                        sea.execute(wator::Cell::choose_fish, (clock, k))?;
                        sea.execute(wator::Cell::move_fish, ())?;
                        sea.execute(wator::Cell::choose_shark, (clock, k))?;
                        sea.execute(wator::Cell::move_shark, ())?;
                    }
                    sea.execute(wator::Clock::advance, STEPS)
                }),
                records: true,
                same: SAME,
                best: BEST,
            }],
            cuda: Box::new(move |baselines, which, batches| {
                let (mut kinds, mut energies) = (start_kinds.clone(), start_energies.clone());
                let time = baselines.wator(which.version, batches, &around, &mut kinds, &mut energies);
                (time, animals(&kinds, &energies))
            }),
        })?;
    }
    Ok(())
}

pub(crate) fn epidemic(options: &Options) -> Done {
    for n in sizes([500_000_u32, 4_000_000], 2000) {
        if !options.wants("epidemic", n > 500_000) {
            continue;
        }
        let graph = Graph::random(n, epidemic::SEED);
        let healths: Vec<epidemic::Health> = (0..n)
            .map(|id| match Random::new(epidemic::SEED, id, START - 1).below(100) {
                0 => epidemic::Health::Infected,
                _ => epidemic::Health::Susceptible,
            })
            .collect();
        let mut world = epidemic::Town::new();
        let clock = world.clocks.push(epidemic::Clock { step: 0 })?;
        let rows = healths.iter().map(|&health| epidemic::Person { health, contacts: InnerArray::new() });
        let people: Vec<Link<epidemic::Person>> = world.people.extend(rows)?.collect();
        let contacts: Vec<Link<epidemic::Person>> = graph.links.iter().map(|&i| people[i as usize]).collect();
        world.people.set_arrays(epidemic::person::contacts, &graph.offsets, &contacts)?;
        drop((people, contacts));

        let bytes = |healths: &[epidemic::Health]| healths.iter().map(|&health| health as u8).collect::<Vec<u8>>();
        let state = |healths: &[u8], count: u64| {
            Hash::of(healths.iter().map(|&health| health.into())).and([count as u32, (count >> 32) as u32]).0
        };
        let start = bytes(&healths);
        // The sum of all numbers that were read.
        let counts = Arc::new(AtomicU64::new(0));
        let read = {
            let counts = counts.clone();
            move |town: &mut On<'_, epidemic::Town>| -> Done {
                let infected = town.execute_and_reduce(epidemic::Person::infected, (), Sum)?;
                counts.fetch_add(infected.into(), Relaxed);
                Ok(())
            }
        };
        let read_too = read.clone();
        let reset_counts = counts.clone();
        let [same, best] = [SAME, BEST].map(|which| Cuda { reads: true, ..which });
        options.measure(Model {
            world,
            size: grouped(n),
            batches: 11,
            reset: Box::new(move |town| {
                town.clocks.column_mut(epidemic::clock::step)[0] = 0;
                town.people.column_mut(epidemic::person::health).copy_from_slice(&healths);
                reset_counts.store(0, Relaxed);
            }),
            state: Box::new(move |town| {
                state(&bytes(town.people.column(epidemic::person::health)), counts.load(Relaxed))
            }),
            variants: vec![
                Variant {
                    name: "epidemic",
                    batch: Box::new(move |town| {
                        (0..STEPS).try_for_each(|k| town.execute(epidemic::Person::live, (clock, k)))?;
                        town.execute(epidemic::Clock::advance, STEPS)
                    }),
                    records: true,
                    same: SAME,
                    best: BEST,
                },
                Variant {
                    name: "… infected counted first",
                    batch: Box::new(move |town| {
                        (0..STEPS).try_for_each(|k| town.execute(epidemic::Person::live_counting, (clock, k)))?;
                        town.execute(epidemic::Clock::advance, STEPS)
                    }),
                    records: true,
                    same: SAME,
                    best: BEST,
                },
                Variant {
                    name: "epidemic, infected read per step",
                    batch: Box::new(move |town| {
                        for k in 0..STEPS {
                            town.execute(epidemic::Person::live, (clock, k))?;
                            read(town)?;
                        }
                        town.execute(epidemic::Clock::advance, STEPS)
                    }),
                    records: false,
                    same,
                    best,
                },
                Variant {
                    name: "… infected counted first",
                    batch: Box::new(move |town| {
                        for k in 0..STEPS {
                            town.execute(epidemic::Person::live_counting, (clock, k))?;
                            read_too(town)?;
                        }
                        town.execute(epidemic::Clock::advance, STEPS)
                    }),
                    records: false,
                    same,
                    best,
                },
            ],
            cuda: Box::new(move |baselines, which, batches| {
                let (mut healths, mut count) = (start.clone(), 0);
                let reads = which.reads.then_some(&mut count);
                let time = baselines.epidemic(which.version, batches, &graph, &mut healths, reads);
                (time, state(&healths, count))
            }),
        })?;
    }
    Ok(())
}

/// Points in a square.
fn points(n: usize, seed: u64) -> Vec<[f32; 2]> {
    (0..n as u32)
        .map(|id| {
            let mut random = Random::new(seed, id, START);
            [random.uniform_f32(), random.uniform_f32()]
        })
        .collect()
}

impl Tree {
    /// The tree of some points: the middle one along an axis first, then those before it, then those after it.
    fn of(mut points: Vec<[f32; 2]>) -> Self {
        let n = points.len();
        let mut tree = Self { pos: vec![], axis: vec![], left: vec![NONE; n], right: vec![NONE; n], root: 0 };
        tree.grow(&mut points, 0);
        tree
    }

    fn grow(&mut self, points: &mut [[f32; 2]], axis: usize) -> u32 {
        let middle = points.len() / 2;
        points.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
        let node = self.pos.len();
        self.pos.push(points[middle]);
        self.axis.push(axis as u8);
        let (before, after) = points.split_at_mut(middle);
        if !before.is_empty() {
            self.left[node] = self.grow(before, 1 - axis);
        }
        if after.len() > 1 {
            self.right[node] = self.grow(&mut after[1..], 1 - axis);
        }
        node as u32
    }
}

pub(crate) fn tree(options: &Options) -> Done {
    for n in sizes([200_000, 2_000_000], 1000) {
        if !options.wants("tree", n > 200_000) && !options.wants("recursion", n > 200_000) {
            continue;
        }
        let tree = Tree::of(points(n, 1));
        let asked = points(n, 2);
        let mut world = tree::Points::new();
        let links: Vec<Link<tree::Node>> = world.nodes.reserve(n)?.collect();
        let link = |i: u32| links.get(i as usize).copied();
        for i in 0..n {
            let (left, right) = (link(tree.left[i]), link(tree.right[i]));
            world.nodes.init(links[i], tree::Node { pos: tree.pos[i], axis: tree.axis[i], left, right })?;
        }
        let forks: Vec<Link<tree::Fork>> = world.forks.reserve(n)?.collect();
        let fork = |i: u32| forks.get(i as usize).copied();
        for i in 0..n {
            let branch = tree::Branch { pos: tree.pos[i], left: fork(tree.left[i]), right: fork(tree.right[i]) };
            world.forks.init(forks[i], tree::Fork { branch })?;
        }
        let (root, first) = (links[tree.root as usize], forks[tree.root as usize]);
        world.queries.extend(asked.iter().map(|&pos| tree::Query { pos, root, nearest: None, distance: 0.0 }))?;

        let state = |nearest: &mut dyn Iterator<Item = u32>, distance: &[f32]| {
            Hash::of(nearest).and(distance.iter().map(|distance| distance.to_bits())).0
        };
        let walk = |search: fn(&mut On<'_, tree::Points>) -> Done| -> crate::Batch<tree::Points> {
            Box::new(move |points| (0..STEPS).try_for_each(|_| search(points)))
        };
        let mut variants = Vec::new();
        if options.wants("tree", n > 200_000) {
            variants.push(Variant {
                name: "nearest in a tree, stack of refs",
                batch: walk(|points| points.execute(tree::Query::search_refs, ())),
                records: true,
                same: SAME,
                best: BEST,
            });
            variants.push(Variant {
                name: "nearest in a tree, stack of links",
                batch: walk(|points| points.execute(tree::Query::search_links, ())),
                records: true,
                same: SAME,
                best: BEST,
            });
        }
        if options.wants("tree", n > 200_000) {
            variants.push(Variant {
                name: "… the nearer child at once, a node in 16 bytes",
                batch: Box::new(move |points| {
                    (0..STEPS).try_for_each(|_| points.execute(tree::Query::search_forks, first))
                }),
                records: true,
                same: SAME,
                best: BEST,
            });
        }
        if options.wants("recursion", n > 200_000) {
            variants.push(Variant {
                name: "nearest in a tree, recursion",
                batch: walk(|points| points.execute(tree::Query::search_recursively, ())),
                records: true,
                same: Cuda { version: 2, reads: false },
                best: BEST,
            });
        }
        options.measure(Model {
            world,
            size: grouped(n),
            batches: 5,
            reset: Box::new(|points| {
                points.queries.column_mut(tree::query::nearest).fill(None);
                points.queries.column_mut(tree::query::distance).fill(0.0);
            }),
            state: Box::new(move |points| {
                let nearest = points.queries.column(tree::query::nearest);
                state(
                    &mut nearest.iter().map(|nearest| nearest.map_or(NONE, |link| link.index() as u32)),
                    points.queries.column(tree::query::distance),
                )
            }),
            variants,
            cuda: Box::new(move |baselines, which, batches| {
                let (time, nearest, distance) = baselines.tree(which.version, batches, &tree, &asked);
                (time, state(&mut nearest.into_iter(), &distance))
            }),
        })?;
    }
    Ok(())
}

impl Structure {
    /// A net of masses, somewhat off their places, the top row pinned; springs to the right, down, and along both diagonals.
    fn net(size: u32) -> Self {
        let n = size * size;
        let off = |id, step| 0.2 * (Random::new(3, id, step).uniform_f32() - 0.5);
        let pos: Vec<[f32; 2]> = (0..n)
            .map(|id| [(id % size) as f32 + off(id, START), (size - id / size) as f32 + off(id, START - 1)])
            .collect();
        let pairs: Vec<(u32, u32)> = (0..n)
            .flat_map(|id| {
                let (x, y) = (id % size, id / size);
                let down = y + 1 < size;
                [
                    (x + 1 < size).then_some((id, id + 1)),
                    down.then_some((id, id + size)),
                    (down && x + 1 < size).then_some((id, id + size + 1)),
                    (down && x > 0).then(|| (id, id + size - 1)),
                ]
            })
            .flatten()
            .collect();
        let ends = pairs.iter().zip(0..).flat_map(|(&(a, b), spring)| [(a, spring), (b, spring)]);
        let graph = Graph::of(n, ends);
        let (a, b): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        let springs = a.len();
        let diagonal = |i: usize| b[i] != a[i] + 1 && b[i] != a[i] + size;
        Self {
            vel: vec![[0.0; 2]; n as usize],
            mass: (0..n).map(|id| 1.0 + (id % 4) as f32 / 4.0).collect(),
            pinned: (0..n).map(|id| u8::from(id < size)).collect(),
            graph: Rc::new(graph),
            length: (0..springs).map(|i| if diagonal(i) { std::f32::consts::SQRT_2 } else { 1.0 }).collect(),
            stiffness: (0..springs).map(|i| 20.0 + (i % 8) as f32).collect(),
            broken: vec![0; springs],
            pos,
            a,
            b,
        }
    }
}

pub(crate) fn structure(options: &Options) -> Done {
    for size in sizes([100_u32, 1000], 24) {
        if !options.wants("structure", size > 100) {
            continue;
        }
        let net = Structure::net(size);
        let (n, springs) = (net.pos.len(), net.a.len());
        let mut world = structure::Structure::new();
        let nodes: Vec<Link<structure::Node>> = world
            .nodes
            .extend((0..n).map(|i| structure::Node {
                pos: net.pos[i],
                vel: [0.0; 2],
                mass: net.mass[i],
                pinned: net.pinned[i] != 0,
                springs: InnerArray::new(),
            }))?
            .collect();
        let links: Vec<Link<structure::Spring>> = world
            .springs
            .extend((0..springs).map(|i| structure::Spring {
                a: nodes[net.a[i] as usize],
                b: nodes[net.b[i] as usize],
                length: net.length[i],
                stiffness: net.stiffness[i],
                force: [0.0; 2],
                broken: false,
            }))?
            .collect();
        let ends: Vec<Link<structure::Spring>> = net.graph.links.iter().map(|&i| links[i as usize]).collect();
        world.nodes.set_arrays(structure::node::springs, &net.graph.offsets, &ends)?;

        let mut side_by_side = packed::structure::Structure::new();
        let its_nodes: Vec<Link<packed::structure::Node>> = side_by_side
            .nodes
            .extend((0..n).map(|i| {
                let springs = &net.graph.links[net.graph.offsets[i] as usize..net.graph.offsets[i + 1] as usize];
                packed::structure::Node {
                    pos: net.pos[i],
                    vel: [0.0; 2],
                    mass: if net.pinned[i] != 0 { 0.0 } else { net.mass[i] },
                    starts: springs
                        .iter()
                        .zip(0..)
                        .map(|(&s, place)| u32::from(net.a[s as usize] == i as u32) << place)
                        .sum(),
                    springs: InnerArray::new(),
                }
            }))?
            .collect();
        let its_links: Vec<Link<packed::structure::Spring>> = side_by_side
            .springs
            .extend((0..springs).map(|i| packed::structure::Spring {
                ends: [net.a[i], net.b[i]].map(|end| its_nodes[end as usize]),
                rest: [net.length[i], net.stiffness[i]],
                force: [0.0; 2],
                broken: false,
            }))?
            .collect();
        let its_ends: Vec<_> = net.graph.links.iter().map(|&i| its_links[i as usize]).collect();
        side_by_side.nodes.set_arrays(packed::structure::node::springs, &net.graph.offsets, &its_ends)?;

        let state = |pos: &[[f32; 2]], vel: &[[f32; 2]], broken: &mut dyn Iterator<Item = u32>| {
            let bits = |vectors: &[[f32; 2]]| vectors.iter().flatten().map(|x| x.to_bits()).collect::<Vec<u32>>();
            Hash::of(bits(pos)).and(bits(vel)).and(broken).0
        };
        let start = net.pos.clone();
        let its_start = start.clone();
        let cuda = move |baselines: &Baselines, which: Cuda, batches| {
            let mut net = net.clone();
            let time = baselines.structure(which.version, batches, &mut net);
            (time, state(&net.pos, &net.vel, &mut net.broken.iter().map(|&broken| broken.into())))
        };
        options.measure(Model {
            world,
            size: format!("{size}²"),
            batches: 11,
            reset: Box::new(move |world| {
                world.nodes.column_mut(structure::node::pos).copy_from_slice(&start);
                world.nodes.column_mut(structure::node::vel).fill([0.0; 2]);
                world.springs.column_mut(structure::spring::broken).fill(false);
            }),
            state: Box::new(move |world| {
                let broken = world.springs.column(structure::spring::broken);
                let (pos, vel) = (world.nodes.column(structure::node::pos), world.nodes.column(structure::node::vel));
                state(pos, vel, &mut broken.iter().map(|&broken| broken.into()))
            }),
            variants: vec![Variant {
                name: "masses and springs",
                batch: Box::new(|world| {
                    for _ in 0..STEPS {
                        world.execute(structure::Spring::pull, ())?;
                        world.execute(structure::Node::advance, ())?;
                    }
                    Ok(())
                }),
                records: true,
                same: SAME,
                best: BEST,
            }],
            cuda: Box::new(cuda.clone()),
        })?;
        options.measure(Model {
            world: side_by_side,
            size: format!("{size}²"),
            batches: 11,
            reset: Box::new(move |world| {
                world.nodes.column_mut(packed::structure::node::pos).copy_from_slice(&its_start);
                world.nodes.column_mut(packed::structure::node::vel).fill([0.0; 2]);
                world.springs.column_mut(packed::structure::spring::broken).fill(false);
            }),
            state: Box::new(move |world| {
                let nodes = &world.nodes;
                let (pos, vel) = (packed::structure::node::pos, packed::structure::node::vel);
                let broken = world.springs.column(packed::structure::spring::broken);
                state(nodes.column(pos), nodes.column(vel), &mut broken.iter().map(|&broken| broken.into()))
            }),
            variants: vec![Variant {
                name: "… what is read together side by side",
                batch: Box::new(|world| {
                    for _ in 0..STEPS {
                        world.execute(packed::structure::Spring::pull, ())?;
                        world.execute(packed::structure::Node::advance, ())?;
                    }
                    Ok(())
                }),
                records: true,
                same: SAME,
                best: BEST,
            }],
            cuda: Box::new(cuda),
        })?;
    }
    Ok(())
}

pub(crate) fn boids(options: &Options) -> Done {
    for size in sizes([64_u32, 512], 16) {
        if !options.wants("boids", size > 64) {
            continue;
        }
        let directions: [(i64, i64); 9] = std::array::from_fn(|k| (k as i64 / 3 - 1, k as i64 % 3 - 1));
        let around = Rc::new(torus(size, size, directions));
        let cells = (size * size) as usize;
        // Five in each cell, in the cells' order.
        let n = 5 * cells;
        let (pos, vel): (Vec<[f32; 2]>, Vec<[f32; 2]>) = (0..n as u32)
            .map(|id| {
                let mut random = Random::new(9, id, START);
                let mut uniform = || random.uniform_f32();
                let home = id / 5;
                let pos = [(home / size) as f32 + uniform(), (home % size) as f32 + uniform()];
                (pos, [uniform() - 0.5, uniform() - 0.5])
            })
            .unzip();
        let home = move |pos: [f32; 2]| pos[0] as usize * size as usize + pos[1] as usize;

        let mut world = boids::Sky::new();
        let links: Vec<Link<boids::Cell>> = world.cells.reserve(cells)?.collect();
        for i in 0..cells {
            let around = row(&links, &around, i);
            world.cells.init(links[i], boids::Cell { entered: 0, count: 0, boids: [None; boids::ROOM], around })?;
        }
        world.boids.extend((0..n).map(|i| boids::Boid {
            pos: pos[i],
            vel: vel[i],
            turned: [0.0; 2],
            cell: links[home(pos[i])],
        }))?;

        let state = |pos: &[[f32; 2]], vel: &[[f32; 2]]| {
            let bits = |vectors: &[[f32; 2]]| vectors.iter().flatten().map(|x| x.to_bits()).collect::<Vec<u32>>();
            Hash::of(bits(pos)).and(bits(vel)).0
        };
        let mut with_copies = packed::boids::Sky::new();
        let flights: Vec<packed::boids::Flight> =
            pos.iter().zip(&vel).map(|(&pos, &vel)| packed::boids::Flight { pos, vel }).collect();
        let nobody = packed::boids::Flight { pos: [0.0; 2], vel: [0.0; 2] };
        let its_links: Vec<Link<packed::boids::Cell>> = with_copies.cells.reserve(cells)?.collect();
        for i in 0..cells {
            let around = row(&its_links, &around, i);
            let (boids, flights) = ([None; boids::ROOM], [nobody; boids::ROOM]);
            with_copies
                .cells
                .init(its_links[i], packed::boids::Cell { entered: 0, count: 0, boids, flights, around })?;
        }
        with_copies.boids.extend(flights.iter().map(|&flight| packed::boids::Boid { flight }))?;
        let (start_pos, start_vel) = (pos.clone(), vel.clone());
        let cuda = move |baselines: &Baselines, which: Cuda, batches| {
            let (mut pos, mut vel) = (start_pos.clone(), start_vel.clone());
            let time = baselines.boids(which.version, batches, size, &around, &mut pos, &mut vel);
            (time, state(&pos, &vel))
        };
        options.measure(Model {
            world,
            size: format!("{size}² cells"),
            batches: 11,
            reset: Box::new(move |sky| {
                sky.boids.column_mut(boids::boid::pos).copy_from_slice(&pos);
                sky.boids.column_mut(boids::boid::vel).copy_from_slice(&vel);
                let homes = sky.boids.column_mut(boids::boid::cell);
                homes.iter_mut().zip(&pos).for_each(|(cell, &pos)| *cell = links[home(pos)]);
            }),
            state: Box::new(move |sky| {
                let crowd = sky.cells.column(boids::cell::count).iter().max();
                assert!(crowd.is_none_or(|&crowd| crowd as usize <= boids::ROOM), "{crowd:?} boids in a cell");
                state(sky.boids.column(boids::boid::pos), sky.boids.column(boids::boid::vel))
            }),
            variants: vec![Variant {
                name: "boids",
                batch: Box::new(move |sky| {
                    for _ in 0..STEPS {
                        sky.execute(boids::Boid::enter, ())?;
                        sky.execute(boids::Cell::sort, ())?;
                        sky.execute(boids::Boid::flock, size as f32)?;
                        sky.execute(boids::Boid::fly, size)?;
                    }
                    Ok(())
                }),
                records: true,
                same: SAME,
                best: BEST,
            }],
            cuda: Box::new(cuda.clone()),
        })?;
        options.measure(Model {
            world: with_copies,
            size: format!("{size}² cells"),
            batches: 11,
            reset: Box::new(move |sky| sky.boids.column_mut(packed::boids::boid::flight).copy_from_slice(&flights)),
            state: Box::new(move |sky| {
                let flights = sky.boids.column(packed::boids::boid::flight);
                let [pos, vel] =
                    [|flight: &packed::boids::Flight| flight.pos, |flight: &packed::boids::Flight| flight.vel];
                state(&flights.iter().map(pos).collect::<Vec<_>>(), &flights.iter().map(vel).collect::<Vec<_>>())
            }),
            variants: vec![Variant {
                name: "… cells keep copies of their boids",
                batch: Box::new(move |sky| {
                    for _ in 0..STEPS {
                        sky.execute(packed::boids::Boid::enter, size)?;
                        sky.execute(packed::boids::Cell::take_over, ())?;
                        sky.execute(packed::boids::Boid::fly, size)?;
                    }
                    Ok(())
                }),
                records: true,
                same: SAME,
                best: BEST,
            }],
            cuda: Box::new(cuda),
        })?;
    }
    Ok(())
}

pub(crate) fn life(options: &Options) -> Done {
    for (width, height) in sizes([(1714, 1647), (2048, 2048)], (64, 64)) {
        if !options.wants("life", width > 2000) {
            continue;
        }
        let around = torus(width, height, EIGHT);
        let n = (width * height) as usize;
        let alive = living(n);
        let mut world = life::Torus::new();
        let links: Vec<Link<life::Cell>> = world.cells.reserve(n)?.collect();
        for i in 0..n {
            world.cells.init(links[i], life::Cell { alive: alive[i], around: row(&links, &around, i) })?;
        }
        let state = |alive: &mut dyn Iterator<Item = u32>| Hash::of(alive).0;
        let start: Vec<u8> = alive.iter().map(|&alive| alive.into()).collect();
        options.measure(Model {
            world,
            size: format!("{width} × {height}"),
            batches: 29,
            reset: Box::new(move |torus| torus.cells.column_mut(life::cell::alive).copy_from_slice(&alive)),
            state: Box::new(move |torus| {
                state(&mut torus.cells.column(life::cell::alive).iter().map(|&alive| alive.into()))
            }),
            variants: vec![Variant {
                name: "game of life",
                batch: Box::new(|torus| (0..STEPS).try_for_each(|_| torus.execute(life::Cell::live, ()))),
                records: true,
                same: SAME,
                best: BEST,
            }],
            cuda: Box::new(move |baselines, which, batches| {
                let mut alive = start.clone();
                let time = baselines.life(which.version, batches, &around, &mut alive);
                (time, state(&mut alive.iter().map(|&alive| alive.into())))
            }),
        })?;
    }
    Ok(())
}
