//! The model (INNER §4). Compiled for the host and for the GPU.
//!
//! A step is four kernels. [`SharedSignalGroup::look`] looks for cars that approach junctions, [`Controller::control`]
//! sets the lights, [`Car::plan`] does the paper's steps 1 to 4, which only read the cells, and [`Car::drive`] does
//! step 5. There is no work per cell. A step stamps its results in groups with the step's number; the car that drives
//! on clears its results in cells.
//!
//! A step reads little data per cell, since there are many cells: four bytes of [`Sign`], a bit of [`Stretch`], four
//! bytes of claim.

use ikra::prelude::*;
use ikra::rng::Random;

/// Bits that identify a way at a fork; a controller sees 16 of these ways when it looks back.
const WAY_BITS: u32 = 4;
/// The number of ways that it sees at a fork.
const MOST_WAYS: usize = 1 << WAY_BITS;

/// The values that all cars share.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Rules {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The probability that a car dawdles in a step.
    pub randomisation: f32,
    /// The number of cells.
    pub cells: u32,
}

/// The number of completed steps, so that a recording of some steps can be replayed.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Clock {
    /// The number of completed steps.
    pub step: u32,
}

#[soa_methods]
impl Clock {
    /// Adds completed steps.
    #[kernel]
    pub fn advance(&mut self, steps: u32) {
        self.step += steps;
    }
}

/// The signs that a driver sees at a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(C)]
pub struct Sign {
    /// The speed limit in cells per step; 1 or more.
    pub max_velocity: u8,
    /// Whether it has a light: cars stay while the light is red.
    pub has_light: bool,
    /// How many of the next cells, by number, are each the only way on. They have the same limit, and only the last may
    /// have a light.
    pub ahead: u8,
    /// How many of the previous cells, by number, are each the only way back: the way does not fork there.
    pub behind: u8,
}

/// The occupancy of consecutive cells, one bit per cell of a word.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Stretch {
    /// One bit per cell; the lowest bit is the first cell's.
    #[atomic]
    pub taken: u32,
}

impl Stretch {
    /// The number of cells in a stretch.
    pub const CELLS: u32 = u32::BITS;
}

/// A cell, with room for one car.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    /// Speed limit and light.
    pub sign: Sign,
    /// Its weight for the traffic's choice of ways.
    pub weight: u16,
    /// The group of its light.
    pub light: Option<Link<SharedSignalGroup>>,
    /// The next cells: none at a sink, several at junctions and before turn lanes.
    #[inline_array(1)]
    pub outgoing: InnerArray<Link<Cell>>,
    /// The previous cells.
    #[inline_array(1)]
    pub incoming: InnerArray<Link<Cell>>,
    /// The smallest id of the cars that want to enter, or of the car that entered: see `claim` of cars. 0 if there is
    /// no such car.
    #[atomic]
    pub claim: u32,
}

#[soa_methods]
impl Cell {
    /// A cell of the same street, by its number. This avoids reading the cells one by one, which takes most of the time
    /// on a GPU.
    pub fn of_street(&self, index: u32) -> Ref<Cell> {
        match self.all::<Cell>().nth(index as usize) {
            Some(cell) => cell,
            None => unreachable!(),
        }
    }

    /// Its number.
    fn index(&self) -> u32 {
        self.link().index() as u32
    }

    /// The occupancy of the stretch that contains the cell with this number.
    fn stretch(&self, index: u32) -> Ref<Stretch> {
        match self.all::<Stretch>().nth((index / Stretch::CELLS) as usize) {
            Some(stretch) => stretch,
            None => unreachable!(),
        }
    }

    /// Its bit in its stretch.
    fn bit(&self) -> u32 {
        1 << (self.index() % Stretch::CELLS)
    }

    /// Whether it holds a car.
    pub fn is_taken(&self) -> bool {
        self.stretch(self.index()).taken().load() & self.bit() != 0
    }

    /// A car enters. The cell was free.
    pub fn take(&self) {
        self.stretch(self.index()).taken().add(self.bit());
    }

    /// The car leaves. Then no car wants to enter, since the cell was taken.
    pub fn leave(&self) {
        self.stretch(self.index()).taken().sub(self.bit());
        self.claim.store(0);
    }

    /// The occupancy of the 32 cells up to this number; the highest bit is that cell's. If there are fewer cells, the
    /// other bits are meaningless.
    fn taken_up_to(&self, last: u32) -> u32 {
        let stretch = self.stretch(last).taken().load();
        let before = self.stretch(last.saturating_sub(Stretch::CELLS)).taken().load();
        let bit = last % Stretch::CELLS;
        stretch << (Stretch::CELLS - 1 - bit) | before >> 1 >> bit
    }

    /// How many of the next `count` cells, by number, are free before the first taken one; `count` is 1 to 32.
    pub fn free_ahead(&self, count: u32) -> u32 {
        let first = self.index() + 1;
        let stretch = self.stretch(first).taken().load();
        // The next stretch, or the same one, whose bits are then too high to count.
        let next = self.stretch(first + count - 1).taken().load();
        let bit = first % Stretch::CELLS;
        (stretch >> bit | next << 1 << (Stretch::CELLS - 1 - bit)).trailing_zeros().min(count)
    }

    /// Whether cars may leave it in a step.
    pub fn is_open(&self, step: u32) -> bool {
        self.light.is_none_or(|group| group.green_at().load() == step)
    }

    /// The next cell, chosen at random by the cells' weights (INNER §4.1, step 2). None at a sink.
    pub fn onward(&self, random: &mut Random) -> Option<Ref<Cell>> {
        let mut ways = self.outgoing.iter();
        let mut next = ways.next()?;
        if ways.len() > 0 {
            let mut weights = u32::from(next.weight());
            for cell in ways {
                let weight = u32::from(cell.weight());
                weights += weight;
                // Certain if all earlier cells have weight 0.
                if weights == weight || random.below(weights) < weight {
                    next = cell;
                }
            }
        }
        Some(next)
    }

    /// Whether a car is among the `range` cells that end with this one, along all ways back; `range` is 1 or more.
    ///
    /// A way is identified by its choice at each of its forks, in `WAY_BITS` bits, and counting yields the next way. On
    /// a GPU that is faster than a stack in memory.
    pub fn has_car_behind(&self, range: u32) -> bool {
        let mut way = 0_u64;
        loop {
            let (mut index, mut left, mut forks) = (self.index(), range, 0);
            // The next way shares all choices up to the last fork with a further choice, and takes that one.
            let mut other = None;
            loop {
                let behind = u32::from(self.of_street(index).sign().behind).min(left - 1);
                if self.taken_up_to(index) >> (Stretch::CELLS - 1 - behind) != 0 {
                    return true;
                }
                left -= behind + 1;
                if left == 0 {
                    break;
                }
                let incoming = self.of_street(index - behind).incoming();
                let Some(mut next) = incoming.iter().next() else { break };
                let ways = incoming.len();
                if ways > 1 && forks < u64::BITS {
                    let taken = (way >> forks) as usize % MOST_WAYS;
                    if taken + 1 < ways && taken + 1 < MOST_WAYS {
                        other = Some(way & ((1 << forks) - 1) | (taken as u64 + 1) << forks);
                    }
                    forks += WAY_BITS;
                    next = incoming.get(taken);
                }
                index = next.link().index() as u32;
            }
            let Some(other) = other else { return false };
            way = other;
        }
    }
}

/// The light of a street at a junction, shared by all of its turn lanes.
#[soa_class]
#[derive(Clone, Debug)]
pub struct SharedSignalGroup {
    /// The last step in which it was green.
    #[atomic]
    pub green_at: u32,
    /// Whether a car is near enough to cross the junction in this step.
    pub has_traffic: bool,
    /// The last cells before the junction.
    #[inline_array(2)]
    pub cells: InnerArray<Link<Cell>>,
}

#[soa_methods]
impl SharedSignalGroup {
    /// Looks for cars that could cross the junction: back from each cell, along incoming cells, as far as the speed
    /// limit allows. It is a separate kernel, so that a GPU looks into all streets at the same time.
    #[kernel]
    pub fn look(&mut self) {
        self.has_traffic = self.cells.iter().any(|last| last.has_car_behind(u32::from(last.sign().max_velocity)));
    }
}

/// A controller, which lets the cars of one street at a time cross a junction.
#[soa_dispatch(TrafficLight, SmartTrafficLight, YieldController)]
pub trait Controller {
    /// Chooses the group that is green in a step, `k` steps after the clock's.
    #[kernel]
    fn control(&mut self, clock: Ref<Clock>, k: u32);

    /// Makes a group green in a step. All others are red, since their last green step was earlier.
    fn open(&self, group: u32, step: u32) {
        self.groups.get(group as usize).green_at().max(step);
    }
}

/// A light that makes one group after another green.
#[soa_class]
#[derive(Clone, Debug)]
pub struct TrafficLight {
    /// The number of steps for which each group is green.
    pub phase_length: u32,
    /// The green group.
    pub phase: u32,
    /// The number of steps for which it has been green.
    pub timer: u32,
    /// One group for each street that leads to the junction.
    #[inline_array(4)]
    pub groups: InnerArray<Link<SharedSignalGroup>>,
}

#[soa_methods]
impl Controller for TrafficLight {
    fn control(&mut self, clock: Ref<Clock>, k: u32) {
        if self.timer >= self.phase_length {
            self.timer = 0;
            self.phase = if self.phase + 1 < self.groups.len() as u32 { self.phase + 1 } else { 0 };
        }
        self.timer += 1;
        self.open(self.phase, clock.step() + k);
    }
}

/// A light that reacts: if cars come from one street only, this street gets green at once, and keeps it meanwhile.
#[soa_class]
#[derive(Clone, Debug)]
pub struct SmartTrafficLight {
    /// The number of steps for which each group is green.
    pub phase_length: u32,
    /// The green group.
    pub phase: u32,
    /// The number of steps for which it has been green.
    pub timer: u32,
    /// One group for each street that leads to the junction.
    #[inline_array(4)]
    pub groups: InnerArray<Link<SharedSignalGroup>>,
}

#[soa_methods]
impl Controller for SmartTrafficLight {
    fn control(&mut self, clock: Ref<Clock>, k: u32) {
        let (mut busy, mut only) = (0, 0);
        for (n, group) in (0..).zip(self.groups.iter()) {
            if group.has_traffic() {
                busy += 1;
                only = n;
            }
        }
        let mut phase = self.phase;
        if busy == 1 {
            phase = only;
        } else if self.timer >= self.phase_length {
            phase = if phase + 1 < self.groups.len() as u32 { phase + 1 } else { 0 };
            self.timer = 0;
        }
        if phase != self.phase {
            self.timer = 0;
        }
        self.phase = phase;
        self.timer += 1;
        self.open(phase, clock.step() + k);
    }
}

/// Lets cars of a minor street cross only if no car comes from the streets before it: give-way signs, and the ends of
/// slip roads.
#[soa_class]
#[derive(Clone, Debug)]
pub struct YieldController {
    /// One group for each street that leads to the junction, in order of priority.
    #[inline_array(4)]
    pub groups: InnerArray<Link<SharedSignalGroup>>,
}

#[soa_methods]
impl Controller for YieldController {
    fn control(&mut self, clock: Ref<Clock>, k: u32) {
        let first = self.groups.iter().position(|group| group.has_traffic()).unwrap_or(0);
        self.open(first as u32, clock.step() + k);
    }
}

/// A car.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Car {
    /// Its cell.
    pub cell: Link<Cell>,
    /// The number of cells that it moved in the last step.
    pub velocity: u32,
    /// The largest number of cells that it moves in a step.
    pub max_velocity: u32,
    /// The cell that it enters in a step if no other car comes first; its own cell if it stays.
    pub target: Link<Cell>,
    /// The cells that it passes in a step, as many as its velocity; there is room for its largest.
    #[inline_array(8)]
    pub path: InnerArray<Link<Cell>>,
}

#[soa_methods]
impl Car {
    /// The number that it writes to a cell that it wants to enter: larger than the number of any car with a larger id.
    pub fn claim(&self) -> u32 {
        !self.link().id()
    }

    /// Steps 1 to 4 of INNER §4.1: accelerates, finds its path, brakes for others, limits and lights, dawdles. A car
    /// that left the map at a sink waits until the cell where it comes back is free; each step tries another cell.
    #[kernel]
    pub fn plan(&mut self, clock: Ref<Clock>, k: u32, rules: Rules) {
        let step = clock.step() + k;
        let mut random = Random::new(rules.seed, self.link().id(), step);
        let dawdles = random.chance(rules.randomisation);
        let mut cell = self.cell;
        let mut sign = cell.sign();
        // The cell that it enters, and the cell before it, in case it dawdles.
        let (mut velocity, mut target, mut before) = (0, cell, cell);
        if sign.ahead == 0 && cell.outgoing().is_empty() {
            if let Some(entry) = Link::<Cell>::from_index(random.below(rules.cells) as usize) {
                let entry: Ref<Cell> = self.resolve(entry);
                if !entry.is_taken() && !entry.sign().has_light {
                    self.path.set(0, entry);
                    target = entry;
                    velocity = 1;
                }
            }
        } else {
            let mut most = if self.velocity < self.max_velocity { self.velocity + 1 } else { self.max_velocity };
            while velocity < most {
                if sign.has_light && !cell.is_open(step) {
                    break;
                }
                if sign.ahead > 0 {
                    // Along the street, as far as it is free.
                    most = most.min(u32::from(sign.max_velocity));
                    if velocity >= most {
                        break;
                    }
                    let wanted = (most - velocity).min(u32::from(sign.ahead));
                    let free = cell.free_ahead(wanted);
                    let first = cell.link().index() + 1;
                    for next in self.all::<Cell>().range(first..first + free as usize) {
                        self.path.set(velocity as usize, next);
                        velocity += 1;
                        (target, before) = (next, target);
                    }
                    if free < wanted || velocity == most {
                        break;
                    }
                    sign = target.sign();
                } else {
                    let Some(next) = cell.onward(&mut random) else { break };
                    let is_taken = next.is_taken();
                    sign = next.sign();
                    let limit = u32::from(sign.max_velocity);
                    // A car that enters this cell has a higher velocity in all cells of its path, and the limit must
                    // allow that.
                    if is_taken || limit <= velocity {
                        break;
                    }
                    most = most.min(limit);
                    self.path.set(velocity as usize, next);
                    velocity += 1;
                    (target, before) = (next, target);
                }
                cell = target;
            }
        }
        if dawdles && velocity > 0 {
            velocity -= 1;
            target = before;
        }
        self.velocity = velocity;
        self.target = target;
        if velocity > 0 {
            target.claim().max(self.claim());
        }
    }

    /// Step 5: moves, unless another car that wants the same cell comes first.
    ///
    /// The order in which claims are read and cleared does not matter. A car reads the claim of a cell that was free,
    /// and clears the claim of the cell that it was in.
    #[kernel(unordered(claim), updates(add(taken)))]
    pub fn drive(&mut self) {
        let (cell, target) = (self.cell, self.target);
        if target.link() != cell.link() {
            if target.claim().load() == self.claim() {
                cell.leave();
                self.cell = target;
                target.take();
            } else {
                self.velocity = 0;
            }
        }
    }

    /// Its velocity, to be summed.
    #[kernel(reduce(Sum))]
    pub fn speed(&self) -> u64 {
        u64::from(self.velocity)
    }

    /// The square of its velocity, to be summed.
    #[kernel(reduce(Sum))]
    pub fn speed_squared(&self) -> u64 {
        u64::from(self.velocity) * u64::from(self.velocity)
    }

    /// 1 if it did not move.
    #[kernel(reduce(Sum))]
    pub fn stopped(&self) -> u64 {
        u64::from(self.velocity == 0)
    }
}

/// The world.
#[soa_world]
#[derive(Debug)]
pub struct Simulation {
    /// The only clock.
    pub clocks: Objects<Clock>,
    /// The streets.
    pub cells: Objects<Cell>,
    /// The occupancy of all cells.
    pub stretches: Objects<Stretch>,
    /// The lights.
    pub groups: Objects<SharedSignalGroup>,
    /// Controllers.
    pub traffic_lights: Objects<TrafficLight>,
    /// Controllers.
    pub smart_traffic_lights: Objects<SmartTrafficLight>,
    /// Controllers.
    pub yield_controllers: Objects<YieldController>,
    /// Cars.
    pub cars: Objects<Car>,
}
