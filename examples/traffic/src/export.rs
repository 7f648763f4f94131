//! Traffic as a file of numbers, to be continued later, or read by other programs such as `benches/cuda/traffic.cu`.
//!
//! All numbers have 32 bits, least significant byte first. The file starts with [`HEADER`] numbers:
//!
//! | position | contents |
//! | --- | --- |
//! | 0, 1 | [`MAGIC`], [`VERSION`] |
//! | 2 to 8 | the numbers of cells, ways from cell to cell, signal groups, cells of groups, controllers, streets, cars |
//! | 9 | completed steps |
//! | 10, 11 | the seed, its lower half first |
//! | 12 to 16 | as bits of floating-point numbers: the randomisation, metres per cell, seconds per step, the least and the largest speed of a car |
//! | 17 | steps of a phase |
//! | 18 | 1 if lights are not smart |
//!
//! The tables follow one after another, with as many entries as their items:
//!
//! | items | entries |
//! | --- | --- |
//! | cells | speed limit; 65,536 times the weight is added |
//! | cells, and 1 | the start of each cell's ways, and the end of the last |
//! | ways | the cells that they lead to |
//! | groups, and 1 | the start of each group's cells, and the end of the last |
//! | cells of groups | the cells |
//! | groups | the street |
//! | controllers | kind (0 light, 1 smart light, 2 yield), junction, number of groups, phase, timer; five numbers each. The first controller's groups come first |
//! | streets | number of cells from its beginning to its end, turn lanes, cells of a turn lane; three numbers each |
//! | cars | cell, velocity, largest velocity; three numbers each |
//!
//! Cells are stored street by street, and turn lanes follow the other cells of their street.

use std::io::{self, Read, Write};

use crate::model::{car, clock, smart_traffic_light, traffic_light};
use crate::parameters::{Lights, Parameters};
use crate::roads::{Controls, Kind, Roads, StreetCells};
use crate::rows::Rows;
use crate::traffic::{Start, Traffic, TrafficError, room};

/// The start of a file.
const MAGIC: u32 = u32::from_le_bytes(*b"IKTR");
/// The version of the format above.
const VERSION: u32 = 1;
/// The number of numbers before the first table.
const HEADER: usize = 19;

/// The reason why a file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The system's error.
    #[error("cannot read it: {0}")]
    Io(#[from] io::Error),
    /// The file has another format, or is damaged.
    #[error("it is no traffic that was exported, or was damaged: {0}")]
    Bad(&'static str),
}

impl Traffic {
    /// Writes everything that a run depends on: roads, lights, cars, parameters. [`import`](Self::import) reads it.
    ///
    /// ```
    /// use ikra::Place;
    /// use traffic::{Parameters, Traffic};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut ring = Traffic::ring(100, 5, &Parameters { cars: 20, ..Parameters::default() })?;
    /// ring.step(Place::Host, 10)?;
    /// let mut file = Vec::new();
    /// ring.export(&mut file)?;
    /// let mut copy = Traffic::import(file.as_slice())?;
    /// ring.step(Place::Host, 10)?;
    /// copy.step(Place::Host, 10)?;
    /// assert!(copy.cars().eq(ring.cars()));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of `to`.
    pub fn export(&self, mut to: impl Write) -> io::Result<()> {
        let (roads, parameters) = (&self.roads, &self.parameters);
        let cars = &self.world.cars;
        let counts = [
            roads.cells(),
            roads.outgoing.values.len(),
            roads.groups.len(),
            roads.groups.values.len(),
            roads.controllers.len(),
            roads.streets.len(),
            cars.len(),
        ];
        let mut header = vec![MAGIC, VERSION];
        header.extend(counts.map(|count| count as u32));
        header.extend([self.steps(), parameters.seed as u32, (parameters.seed >> 32) as u32]);
        let (low, high) = (parameters.speeds.start(), parameters.speeds.end());
        let floats = [parameters.randomisation, parameters.cell_length, parameters.seconds, *low, *high];
        header.extend(floats.map(f32::to_bits));
        header.extend([parameters.phase_length, u32::from(parameters.lights == Lights::RoundRobin)]);
        write(&mut to, header)?;
        write(&mut to, roads.limits.iter().zip(&roads.weights).map(|(&l, &w)| u32::from(l) | u32::from(w) << 16))?;
        for Rows { offsets, values } in [&roads.outgoing, &roads.groups] {
            write(&mut to, offsets.iter().copied())?;
            write(&mut to, values.iter().copied())?;
        }
        write(&mut to, roads.group_streets.iter().copied())?;
        let timers = self.timers();
        write(
            &mut to,
            roads.controllers.iter().zip(timers).flat_map(|(controls, [phase, timer])| {
                [controls.kind as u32, controls.junction, controls.count, phase, timer]
            }),
        )?;
        write(&mut to, roads.streets.iter().flat_map(|street| [street.length, street.lanes, street.lane]))?;
        let states = cars.column(car::cell).iter().zip(cars.column(car::velocity)).zip(cars.column(car::max_velocity));
        write(&mut to, states.flat_map(|((cell, &velocity), &most)| [cell.index() as u32, velocity, most]))?;
        to.flush()
    }

    /// Reads a file that [`export`](Self::export) wrote.
    ///
    /// # Errors
    ///
    /// [`TrafficError::Import`]; [`TrafficError::NoMemory`], also if a damaged file claims to be too long; the errors
    /// of [`new`](Self::new).
    pub fn import(from: impl Read) -> Result<Self, TrafficError> {
        let mut file = Words { from };
        let header = file.take(HEADER)?;
        if header[..2] != [MAGIC, VERSION] {
            return Err(ImportError::Bad("it begins with other bytes").into());
        }
        let count = |n: usize| header[2 + n] as usize;
        // The tables, and the objects made from them.
        let words = 2 * count(0) + count(1) + 2 * count(2) + count(3) + 5 * count(4) + 3 * (count(5) + count(6));
        room(count(0), count(6), 8 * words as u64)?;
        let float = |n: usize| f32::from_bits(header[12 + n]);
        let parameters = Parameters {
            cars: header[8],
            seed: u64::from(header[10]) | u64::from(header[11]) << 32,
            randomisation: float(0),
            cell_length: float(1),
            seconds: float(2),
            speeds: float(3)..=float(4),
            lights: if header[18] == 0 { Lights::Smart } else { Lights::RoundRobin },
            phase_length: header[17],
        };
        let signs = file.take(count(0))?;
        let outgoing = file.rows(count(0), count(1), count(0))?;
        let groups = file.rows(count(2), count(3), count(0))?;
        let group_streets = file.take(count(2))?;
        let controllers = file.take(5 * count(4))?;
        let streets = file.take(3 * count(5))?;
        let cars = file.take(3 * count(6))?;
        let limits = signs.iter().map(|&sign| u8::try_from(sign & 0xffff).unwrap_or(0)).collect::<Vec<u8>>();
        check(
            limits.iter().all(|&limit| (1..=Parameters::MOST_VELOCITY).contains(&u32::from(limit))),
            "a speed limit is not possible",
        )?;
        check(group_streets.iter().all(|&street| (street as usize) < count(5)), "a light is at no street")?;
        let (mut first, mut timers) = (0, Vec::with_capacity(count(4)));
        let controllers = controllers.chunks_exact(5).map(|numbers| {
            let kind = match numbers[0] {
                0 => Kind::Light,
                1 => Kind::Smart,
                _ => Kind::Yield,
            };
            let controls = Controls { kind, junction: numbers[1], first, count: numbers[2] };
            first = first.checked_add(controls.count).filter(|&next| next as usize <= count(2) && next > first)?;
            timers.push([numbers[3], numbers[4]]);
            Some(controls).filter(|controls| numbers[0] < 3 && numbers[3] < controls.count)
        });
        let controllers =
            controllers.collect::<Option<Vec<_>>>().ok_or(ImportError::Bad("a controller is not possible"))?;
        check(first as usize == count(2), "a light has no controller")?;
        let mut cells = 0_u64;
        let streets = streets.chunks_exact(3).map(|numbers| {
            let street = StreetCells { first: cells as u32, length: numbers[0], lanes: numbers[1], lane: numbers[2] };
            let is_possible = street.lanes > 0 && (street.lanes == 1) == (street.lane == 0);
            let street = Some(street).filter(|street| is_possible && street.lane <= street.length)?;
            cells += street.cells();
            Some(street).filter(|_| cells <= count(0) as u64)
        });
        let streets = streets.collect::<Option<Vec<_>>>().ok_or(ImportError::Bad("a street is not possible"))?;
        check(cells == count(0) as u64 && cells > 0, "the streets have other cells")?;
        let roads = Roads {
            limits,
            weights: signs.iter().map(|&sign| (sign >> 16) as u16).collect(),
            outgoing,
            groups,
            group_streets,
            controllers,
            streets,
            cell_length: parameters.cell_length,
        };
        let mut is_taken = vec![false; count(0)];
        let starts = cars.chunks_exact(3).map(|numbers| {
            let start = Start { cell: numbers[0], velocity: numbers[1], max_velocity: numbers[2] };
            let place = is_taken.get_mut(start.cell as usize)?;
            let is_possible = !*place && (1..=Parameters::MOST_VELOCITY).contains(&start.max_velocity);
            *place = true;
            Some(start).filter(|start| is_possible && start.velocity <= start.max_velocity)
        });
        let starts = starts.collect::<Option<Vec<_>>>().ok_or(ImportError::Bad("a car is not possible"))?;
        let mut traffic = Self::with_cars(roads, &parameters, &starts)?;
        traffic.world.clocks.column_mut(clock::step)[0] = header[9];
        traffic.set_timers(&timers);
        Ok(traffic)
    }

    /// Phase and timer of each controller; 0 for controllers without them.
    fn timers(&self) -> Vec<[u32; 2]> {
        let (lights, smart) = (&self.world.traffic_lights, &self.world.smart_traffic_lights);
        let mut lights = lights.column(traffic_light::phase).iter().zip(lights.column(traffic_light::timer));
        let smart_phases = smart.column(smart_traffic_light::phase).iter();
        let mut smart = smart_phases.zip(smart.column(smart_traffic_light::timer));
        let timers = self.roads.controllers.iter().map(|controls| match controls.kind {
            Kind::Light => lights.next(),
            Kind::Smart => smart.next(),
            Kind::Yield => None,
        });
        timers.map(|timer| timer.map_or([0, 0], |(&phase, &timer)| [phase, timer])).collect()
    }

    fn set_timers(&mut self, timers: &[[u32; 2]]) {
        let of = |kind| {
            let timers = self.roads.controllers.iter().zip(timers);
            timers.filter(move |(controls, _)| controls.kind == kind).map(|(_, &timer)| timer)
        };
        let (lights, smart): (Vec<_>, Vec<_>) = (of(Kind::Light).collect(), of(Kind::Smart).collect());
        for (n, [phase, timer]) in lights.into_iter().enumerate() {
            self.world.traffic_lights.column_mut(traffic_light::phase)[n] = phase;
            self.world.traffic_lights.column_mut(traffic_light::timer)[n] = timer;
        }
        for (n, [phase, timer]) in smart.into_iter().enumerate() {
            self.world.smart_traffic_lights.column_mut(smart_traffic_light::phase)[n] = phase;
            self.world.smart_traffic_lights.column_mut(smart_traffic_light::timer)[n] = timer;
        }
    }
}

fn check(is_so: bool, otherwise: &'static str) -> Result<(), ImportError> {
    if is_so { Ok(()) } else { Err(ImportError::Bad(otherwise)) }
}

fn write(to: &mut impl Write, words: impl IntoIterator<Item = u32>) -> io::Result<()> {
    const CHUNK: usize = 1 << 16;
    let mut bytes = Vec::with_capacity(CHUNK);
    for word in words {
        bytes.extend(word.to_le_bytes());
        if bytes.len() == CHUNK {
            to.write_all(&bytes)?;
            bytes.clear();
        }
    }
    to.write_all(&bytes)
}

/// Numbers from a file.
struct Words<R> {
    from: R,
}

impl<R: Read> Words<R> {
    /// The next `n` numbers.
    fn take(&mut self, count: usize) -> Result<Vec<u32>, ImportError> {
        // A damaged file may contain any number: no memory is allocated beyond its size.
        let mut bytes = Vec::new();
        let wanted = 4 * count as u64;
        if self.from.by_ref().take(wanted).read_to_end(&mut bytes)? as u64 != wanted {
            return Err(ImportError::Bad("it ends too early"));
        }
        Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    /// Rows of numbers below a limit.
    fn rows(&mut self, count: usize, values: usize, below: usize) -> Result<Rows, ImportError> {
        let (offsets, values) = (self.take(count + 1)?, self.take(values)?);
        check(offsets[0] == 0 && offsets[count] as usize == values.len(), "rows end elsewhere")?;
        check(offsets.windows(2).all(|pair| pair[0] <= pair[1]), "a row ends before it begins")?;
        check(values.iter().all(|&value| (value as usize) < below), "there is no such cell")?;
        Ok(Rows { offsets, values })
    }
}
