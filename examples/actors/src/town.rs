//! The initial world: a network's streets, and actors at random positions on streets that they may use.

use ikra::prelude::*;
use ikra::rng::Random;
use streets::{Class, Network};

use crate::model::{Bus, Car, Cyclist, Motion, Pedestrian, Street, Town, open};

/// Cars, buses, and cyclists per hundred actors; the others are pedestrians.
const SHARES: [u32; 3] = [55, 2, 8];

/// The smallest and the largest speed of each kind, in kilometres per hour.
const SPEEDS: [(f32, f32); 4] = [(60.0, 160.0), (50.0, 70.0), (12.0, 28.0), (4.0, 9.0)];

/// The actors that may use a street.
fn users(class: Class) -> u8 {
    let mut users = 0;
    if class.has_cars() {
        users |= open::DRIVE;
    }
    if !matches!(class, Class::Motorway | Class::Trunk | Class::Steps) {
        users |= open::CYCLE;
    }
    if class.has_pedestrians() {
        users |= open::WALK;
    }
    users
}

/// Makes the world. Streets keep the numbers that they have in the network.
///
/// # Errors
///
/// The errors of Ikra: no room for the objects.
pub(crate) fn build(network: &Network, actors: u32, seed: u32) -> Result<Town, ikra::Error> {
    let mut town = Town::new();
    let links: Vec<Link<Street>> = town.streets.reserve(network.streets())?.collect();
    for street in network.iter() {
        let (start, end) = (network.leaving(street.to).start as usize, network.leaving(street.to).end as usize);
        let made = Street {
            length: street.length,
            limit: street.speed,
            open: users(street.class),
            weight: street.class.weight(),
            back: network.opposite(street.id).map(|back| links[back as usize]),
            onward: links[start..end].iter().copied().collect(),
            actors: 0,
        };
        town.streets.init(links[street.id as usize], made)?;
    }
    let homes = [open::DRIVE, open::DRIVE, open::CYCLE, open::WALK].map(|users| Homes::new(network, users));
    let (mut cars, mut buses, mut cyclists, mut pedestrians) = (vec![], vec![], vec![], vec![]);
    for number in 0..actors {
        let mut random = Random::new(u64::from(seed), number, u32::MAX);
        let dice = random.below(100);
        let wanted = (0..SHARES.len()).find(|&kind| dice < SHARES[..=kind].iter().sum()).unwrap_or(SHARES.len());
        // Without footways, all actors drive, and without roads, all walk.
        let kinds = [wanted, 3, 0, 2].into_iter();
        let Some(kind) = kinds.into_iter().find(|&kind| homes[kind].length > 0.0) else { break };
        let (id, progress) = homes[kind].choose(&mut random);
        let home = links[id as usize];
        let (low, high) = SPEEDS[kind];
        let max_velocity = (low + (high - low) * random.uniform_f32()) / 3.6;
        let (street, motion) = (home, Motion { progress, moved: 0.0, max_velocity });
        match kind {
            0 => cars.push(Car { street, home, motion }),
            1 => buses.push(Bus { street, home, motion, waits: 0 }),
            2 => cyclists.push(Cyclist { street, home, motion }),
            _ => pedestrians.push(Pedestrian { street, home, motion }),
        }
    }
    town.cars.extend(cars)?;
    town.buses.extend(buses)?;
    town.cyclists.extend(cyclists)?;
    town.pedestrians.extend(pedestrians)?;
    Ok(town)
}

/// The streets on which an actor may begin.
struct Homes {
    streets: Vec<u32>,
    /// The length of each street and of all streets before it.
    ends: Vec<f64>,
    /// The total length.
    length: f64,
}

impl Homes {
    fn new(network: &Network, users_wanted: u8) -> Self {
        let (mut streets, mut ends, mut length) = (vec![], vec![], 0.0);
        for street in network.iter().filter(|street| users(street.class) & users_wanted != 0) {
            length += f64::from(street.length);
            streets.push(street.id);
            ends.push(length);
        }
        Self { streets, ends, length }
    }

    /// A random position: a street, and the metres from its beginning.
    fn choose(&self, random: &mut Random) -> (u32, f32) {
        let at = random.uniform_f64() * self.length;
        let n = self.ends.partition_point(|&end| end <= at).min(self.streets.len() - 1);
        let start = if n == 0 { 0.0 } else { self.ends[n - 1] };
        // Rounding might put it past the end.
        let whole = (self.ends[n] - start) as f32;
        (self.streets[n], ((at - start) as f32).min(whole).max(0.0))
    }
}
