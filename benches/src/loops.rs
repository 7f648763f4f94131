//! Sequential loops over objects, outside of kernels: plain `for` loops, as users write them.

use std::sync::atomic::AtomicU32;

use ikra::prelude::*;

/// A particle.
#[soa_class]
pub struct Particle {
    /// Where it is.
    pub pos: f32,
    /// Where it goes.
    pub vel: f32,
    /// How often it was hit.
    pub hits: u32,
    /// Another one.
    pub next: Link<Particle>,
    /// How often it was looked at.
    #[atomic]
    pub looks: u32,
    /// Numbers in columns.
    #[inline_array]
    pub marks: [u32; 4],
    /// Numbers in columns and the arena.
    #[inline_array(2)]
    pub path: InnerArray<u32>,
}

/// A grain, which has no arrays.
#[soa_class]
pub struct Grain {
    /// Where it is.
    pub pos: f32,
    /// Its mass.
    pub mass: f32,
    /// Its kind.
    pub kind: u32,
}

/// All of them.
#[soa_world]
pub struct Cloud {
    /// Particles.
    pub particles: Objects<Particle>,
    /// Grains.
    pub grains: Objects<Grain>,
}

/// The same in slices.
pub struct Slices {
    /// As [`Particle::pos`].
    pub pos: Vec<f32>,
    /// As [`Particle::vel`].
    pub vel: Vec<f32>,
    /// As [`Particle::hits`].
    pub hits: Vec<u32>,
    /// As [`Particle::next`].
    pub next: Vec<u32>,
    /// As [`Particle::looks`].
    pub looks: Vec<AtomicU32>,
    /// As [`Particle::marks`].
    pub marks: [Vec<u32>; 4],
    /// Where the elements of `path` start.
    pub starts: Vec<u32>,
    /// As [`Particle::path`], in rows.
    pub paths: Vec<u32>,
    /// As [`Grain::pos`].
    pub grain_pos: Vec<f32>,
    /// As [`Grain::mass`].
    pub grain_mass: Vec<f32>,
    /// As [`Grain::kind`].
    pub grain_kind: Vec<u32>,
}

/// A number without pattern: SplitMix64.
fn random(n: usize) -> u32 {
    let mut bits = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits >> 32) as u32
}

fn path(n: usize) -> impl Iterator<Item = u32> {
    (0..n as u32 % 5).map(move |k| random(n) ^ k)
}

/// Both.
///
/// # Panics
///
/// If there is no memory.
pub fn make(n: usize) -> (Cloud, Slices) {
    let mut slices = Slices {
        pos: (0..n).map(|n| random(n) as f32).collect(),
        vel: (0..n).map(|n| random(3 * n) as f32).collect(),
        hits: (0..n).map(|n| random(7 * n)).collect(),
        next: (0..n).map(|at| random(at) % n as u32).collect(),
        looks: (0..n).map(|_| AtomicU32::new(0)).collect(),
        marks: [1, 2, 3, 4].map(|k| (0..n).map(|n| random(n + k)).collect()),
        starts: vec![0],
        paths: Vec::new(),
        grain_pos: (0..n).map(|n| random(5 * n) as f32).collect(),
        grain_mass: (0..n).map(|n| random(n + 9) as f32).collect(),
        grain_kind: (0..n).map(|n| random(n + 11) % 8).collect(),
    };
    for n in 0..n {
        slices.paths.extend(path(n));
        slices.starts.push(slices.paths.len() as u32);
    }
    let mut cloud = Cloud::new();
    let memory = "there is memory";
    let particles = (0..n).map(|n| Particle {
        pos: slices.pos[n],
        vel: slices.vel[n],
        hits: slices.hits[n],
        next: Link::from_index(slices.next[n] as usize).expect("few"),
        looks: 0,
        marks: [0, 1, 2, 3].map(|k| slices.marks[k][n]),
        path: path(n).collect(),
    });
    cloud.particles.extend(particles).expect(memory);
    let grains =
        (0..n).map(|n| Grain { pos: slices.grain_pos[n], mass: slices.grain_mass[n], kind: slices.grain_kind[n] });
    cloud.grains.extend(grains).expect(memory);
    (cloud, slices)
}

/// What is done, by Ikra and by hand: each returns a number by which they are compared.
pub type Work = (&'static str, fn(&mut Cloud) -> u64, fn(&mut Slices) -> u64);

/// All that is measured.
pub const WORK: &[Work] = &[
    ("sum of one field", by_ikra::sum, by_hand::sum),
    ("sum over three fields", by_ikra::weigh, by_hand::weigh),
    ("count, with `if`", by_ikra::count, by_hand::count),
    ("largest of `f32`", by_ikra::largest, by_hand::largest),
    ("positions into a `Vec`", by_ikra::copy, by_hand::copy),
    ("a table by kind", by_ikra::table, by_hand::table),
    ("follow a random link", by_ikra::follow, by_hand::follow),
    ("all pairs of 64 and all", by_ikra::pairs, by_hand::pairs),
    ("loads of atomics", by_ikra::looked, by_hand::looked),
    ("stores to atomics", by_ikra::look, by_hand::look),
    ("elements of a fixed array", by_ikra::marks, by_hand::marks),
    ("elements of an array", by_ikra::paths, by_hand::paths),
    ("`for row in &objects`", by_ikra::rows, by_hand::weigh_grains),
    ("`for link in objects.links()`, `get`", by_ikra::links, by_hand::weigh_grains),
    ("`for link in objects.links()`, `set`", by_ikra::set, by_hand::set),
    ("`for link in objects.links()`, `get_mut`", by_ikra::get_mut, by_hand::get_mut),
    ("`for mass in objects.column_mut(…)`", by_ikra::column, by_hand::set),
];

/// By Ikra.
mod by_ikra {
    use super::*;

    pub(super) fn sum(cloud: &mut Cloud) -> u64 {
        let mut sum = 0_u32;
        for particle in cloud.all::<Particle>() {
            sum = sum.wrapping_add(particle.hits());
        }
        sum.into()
    }

    pub(super) fn weigh(cloud: &mut Cloud) -> u64 {
        let mut sum = 0_u32;
        for grain in cloud.all::<Grain>() {
            sum = sum.wrapping_add((grain.mass() + grain.pos()).to_bits() ^ grain.kind());
        }
        sum.into()
    }

    pub(super) fn count(cloud: &mut Cloud) -> u64 {
        let mut count = 0;
        for particle in cloud.all::<Particle>() {
            if particle.pos() > 1e9 && particle.vel() < 2e9 {
                count += 1;
            }
        }
        count
    }

    pub(super) fn largest(cloud: &mut Cloud) -> u64 {
        let mut largest = 0.0_f32;
        for grain in cloud.all::<Grain>() {
            if grain.mass() > largest {
                largest = grain.mass();
            }
        }
        largest as u64
    }

    pub(super) fn copy(cloud: &mut Cloud) -> u64 {
        let mut positions = Vec::with_capacity(cloud.grains.len());
        for grain in cloud.all::<Grain>() {
            positions.push(grain.pos() + grain.mass());
        }
        positions[positions.len() / 2] as u64
    }

    pub(super) fn table(cloud: &mut Cloud) -> u64 {
        let mut masses = [0.0; 8];
        for grain in cloud.all::<Grain>() {
            masses[grain.kind() as usize & 7] += f64::from(grain.mass());
        }
        masses[3] as u64
    }

    pub(super) fn follow(cloud: &mut Cloud) -> u64 {
        let mut sum = 0_u32;
        for particle in cloud.all::<Particle>() {
            sum = sum.wrapping_add(particle.next().hits());
        }
        sum.into()
    }

    pub(super) fn pairs(cloud: &mut Cloud) -> u64 {
        let mut near = 0_u64;
        for a in cloud.all::<Grain>().range(..64) {
            for b in cloud.all::<Grain>() {
                if (a.pos() - b.pos()).abs() < 1e6 {
                    near += 1;
                }
            }
        }
        near
    }

    pub(super) fn looked(cloud: &mut Cloud) -> u64 {
        let mut sum = 0_u32;
        for particle in cloud.all::<Particle>() {
            sum = sum.wrapping_add(particle.looks().load());
        }
        sum.into()
    }

    pub(super) fn look(cloud: &mut Cloud) -> u64 {
        for particle in cloud.all::<Particle>() {
            particle.looks().store(particle.hits());
        }
        let particle = cloud.all::<Particle>().get(5).expect("there are some");
        particle.looks().load().into()
    }

    pub(super) fn marks(cloud: &mut Cloud) -> u64 {
        let mut sum = 0_u32;
        for particle in cloud.all::<Particle>() {
            for mark in particle.marks() {
                sum = sum.wrapping_add(mark);
            }
        }
        sum.into()
    }

    pub(super) fn paths(cloud: &mut Cloud) -> u64 {
        let mut sum = 0_u32;
        for particle in cloud.all::<Particle>() {
            for cell in particle.path() {
                sum = sum.wrapping_add(cell);
            }
        }
        sum.into()
    }

    pub(super) fn rows(cloud: &mut Cloud) -> u64 {
        let mut sum = 0_u32;
        for grain in &cloud.grains {
            sum = sum.wrapping_add((grain.mass + grain.pos).to_bits() ^ grain.kind);
        }
        sum.into()
    }

    pub(super) fn links(cloud: &mut Cloud) -> u64 {
        let mut sum = 0_u32;
        for link in cloud.grains.links() {
            let grain = cloud.get(link);
            sum = sum.wrapping_add((grain.mass() + grain.pos()).to_bits() ^ grain.kind());
        }
        sum.into()
    }

    pub(super) fn set(cloud: &mut Cloud) -> u64 {
        for link in cloud.grains.links() {
            cloud.set(link, grain::mass, link.id() as f32);
        }
        cloud.grains.column(grain::mass)[5] as u64
    }

    pub(super) fn get_mut(cloud: &mut Cloud) -> u64 {
        for link in cloud.grains.links() {
            let mut grain = cloud.get_mut(link);
            grain.pos = grain.pos * 0.5 + 1.0;
        }
        cloud.grains.column(grain::pos)[5] as u64
    }

    pub(super) fn column(cloud: &mut Cloud) -> u64 {
        for (mass, id) in cloud.grains.column_mut(grain::mass).iter_mut().zip(1_u32..) {
            *mass = id as f32;
        }
        cloud.grains.column(grain::mass)[5] as u64
    }
}

/// By hand.
mod by_hand {
    use std::sync::atomic::Ordering::Relaxed;

    use super::Slices;

    pub(super) fn sum(slices: &mut Slices) -> u64 {
        let mut sum = 0_u32;
        for hits in &slices.hits {
            sum = sum.wrapping_add(*hits);
        }
        sum.into()
    }

    pub(super) fn weigh(slices: &mut Slices) -> u64 {
        let mut sum = 0_u32;
        for ((mass, pos), kind) in slices.grain_mass.iter().zip(&slices.grain_pos).zip(&slices.grain_kind) {
            sum = sum.wrapping_add((mass + pos).to_bits() ^ kind);
        }
        sum.into()
    }

    pub(super) fn weigh_grains(slices: &mut Slices) -> u64 {
        weigh(slices)
    }

    pub(super) fn count(slices: &mut Slices) -> u64 {
        let mut count = 0;
        for (pos, vel) in slices.pos.iter().zip(&slices.vel) {
            if *pos > 1e9 && *vel < 2e9 {
                count += 1;
            }
        }
        count
    }

    pub(super) fn largest(slices: &mut Slices) -> u64 {
        let mut largest = 0.0_f32;
        for mass in &slices.grain_mass {
            if *mass > largest {
                largest = *mass;
            }
        }
        largest as u64
    }

    pub(super) fn copy(slices: &mut Slices) -> u64 {
        let mut positions = Vec::with_capacity(slices.grain_pos.len());
        for (pos, mass) in slices.grain_pos.iter().zip(&slices.grain_mass) {
            positions.push(pos + mass);
        }
        positions[positions.len() / 2] as u64
    }

    pub(super) fn table(slices: &mut Slices) -> u64 {
        let mut masses = [0.0; 8];
        for (kind, mass) in slices.grain_kind.iter().zip(&slices.grain_mass) {
            masses[*kind as usize & 7] += f64::from(*mass);
        }
        masses[3] as u64
    }

    pub(super) fn follow(slices: &mut Slices) -> u64 {
        let mut sum = 0_u32;
        for next in &slices.next {
            sum = sum.wrapping_add(slices.hits[*next as usize]);
        }
        sum.into()
    }

    pub(super) fn pairs(slices: &mut Slices) -> u64 {
        let mut near = 0_u64;
        for a in &slices.grain_pos[..64] {
            for b in &slices.grain_pos {
                if (a - b).abs() < 1e6 {
                    near += 1;
                }
            }
        }
        near
    }

    pub(super) fn looked(slices: &mut Slices) -> u64 {
        let mut sum = 0_u32;
        for looks in &slices.looks {
            sum = sum.wrapping_add(looks.load(Relaxed));
        }
        sum.into()
    }

    pub(super) fn look(slices: &mut Slices) -> u64 {
        for (looks, hits) in slices.looks.iter().zip(&slices.hits) {
            looks.store(*hits, Relaxed);
        }
        slices.looks[5].load(Relaxed).into()
    }

    pub(super) fn marks(slices: &mut Slices) -> u64 {
        let mut sum = 0_u32;
        let [a, b, c, d] = &slices.marks;
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            for mark in [a, b, c, d] {
                sum = sum.wrapping_add(*mark);
            }
        }
        sum.into()
    }

    pub(super) fn paths(slices: &mut Slices) -> u64 {
        let mut sum = 0_u32;
        for ends in slices.starts.windows(2) {
            for cell in &slices.paths[ends[0] as usize..ends[1] as usize] {
                sum = sum.wrapping_add(*cell);
            }
        }
        sum.into()
    }

    pub(super) fn set(slices: &mut Slices) -> u64 {
        for (mass, id) in slices.grain_mass.iter_mut().zip(1_u32..) {
            *mass = id as f32;
        }
        slices.grain_mass[5] as u64
    }

    pub(super) fn get_mut(slices: &mut Slices) -> u64 {
        for pos in &mut slices.grain_pos {
            *pos = *pos * 0.5 + 1.0;
        }
        slices.grain_pos[5] as u64
    }
}
