//! The model (INNER §4). Compiled for the host and for the GPU.
//!
//! A step is four kernels: [`SharedSignalGroup::look`] looks for cars that come to junctions, [`Controller::control`] sets the
//! lights, [`Car::plan`] takes the paper's steps 1 to 4, which only read the cells, and [`Car::drive`] takes step 5. Nothing is
//! done for each cell: what a step leaves in groups carries the step's number, and what it leaves in cells is cleared by the car
//! that drives on.
//!
//! What a step reads of a cell is small, since there are many: four bytes of [`Sign`], a bit of [`Stretch`], four bytes of claim.

use ikra::prelude::*;
use ikra::rng::Random;

/// Bits that tell the way at a fork, of which a controller sees 16 when it looks back.
const WAY_BITS: u32 = 4;
/// Ways that it sees at a fork.
const MOST_WAYS: usize = 1 << WAY_BITS;

/// What is the same for all cars.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Rules {
    /// The seed of all random numbers.
    pub seed: u64,
    /// How likely a car dawdles, per step.
    pub randomisation: f32,
    /// The number of cells.
    pub cells: u32,
}

/// The steps done so far, so that a recording of some steps can be replayed.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Clock {
    /// Their number.
    pub step: u32,
}

#[soa_methods]
impl Clock {
    /// Some steps were done.
    #[kernel]
    pub fn advance(&mut self, steps: u32) {
        self.step += steps;
    }
}

/// What a driver sees at a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(C)]
pub struct Sign {
    /// The speed limit in cells per step; 1 or more.
    pub max_velocity: u8,
    /// Whether there is a light: cars stay while it is red.
    pub has_light: bool,
    /// How many cells follow by their numbers, each the only way on, with the same limit, and without lights before the last.
    pub ahead: u8,
    /// How many cells before it lead on to it by their numbers, from nowhere else: the way back does not fork there.
    pub behind: u8,
}

/// Cells with numbers one after another, as many as a word has bits: which of them are taken.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Stretch {
    /// A bit for each, that of the first cell is the lowest.
    #[atomic]
    pub taken: u32,
}

impl Stretch {
    /// The cells of one.
    pub const CELLS: u32 = u32::BITS;
}

/// A place for one car.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    /// Speed limit and light.
    pub sign: Sign,
    /// How much traffic it draws, where there is a choice.
    pub weight: u16,
    /// Whose light it is.
    pub light: Option<Link<SharedSignalGroup>>,
    /// Where cars go next: none at a sink, several at junctions and before turn lanes.
    #[inline_array(1)]
    pub outgoing: InnerArray<Link<Cell>>,
    /// Where they come from.
    #[inline_array(1)]
    pub incoming: InnerArray<Link<Cell>>,
    /// Of the cars that want to come, or of the one that came, the one with the smallest id: see `claim` of cars. 0 if there is
    /// none.
    #[atomic]
    pub claim: u32,
}

#[soa_methods]
impl Cell {
    /// A cell of the same street, by its number: it is found without reading one cell after the other, which on a GPU takes
    /// most of the time.
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

    /// Which cells are taken: those of the stretch in which the cell with this number is.
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

    /// Whether there is a car.
    pub fn is_taken(&self) -> bool {
        self.stretch(self.index()).taken().load() & self.bit() != 0
    }

    /// A car comes. It was free.
    pub fn take(&self) {
        self.stretch(self.index()).taken().add(self.bit());
    }

    /// The car goes. Then nobody wants to come, since it was taken.
    pub fn leave(&self) {
        self.stretch(self.index()).taken().sub(self.bit());
        self.claim.store(0);
    }

    /// Which of the cells up to that with this number are taken: that one's bit is the highest of 32. Where there are fewer
    /// cells, the others mean nothing.
    fn taken_up_to(&self, last: u32) -> u32 {
        let stretch = self.stretch(last).taken().load();
        let before = self.stretch(last.saturating_sub(Stretch::CELLS)).taken().load();
        let bit = last % Stretch::CELLS;
        stretch << (Stretch::CELLS - 1 - bit) | before >> 1 >> bit
    }

    /// How many of the next `count` cells, by their numbers, come before the first that is taken; 1 to 32 of them.
    pub fn free_ahead(&self, count: u32) -> u32 {
        let first = self.index() + 1;
        let stretch = self.stretch(first).taken().load();
        // The next one, or the same, whose bits come too late to count.
        let next = self.stretch(first + count - 1).taken().load();
        let bit = first % Stretch::CELLS;
        (stretch >> bit | next << 1 << (Stretch::CELLS - 1 - bit)).trailing_zeros().min(count)
    }

    /// Whether cars may leave it in a step.
    pub fn is_open(&self, step: u32) -> bool {
        self.light.is_none_or(|group| group.green_at().load() == step)
    }

    /// The next cell: a random one, where there are several, by their weights (INNER §4.1, step 2). None at a sink.
    pub fn onward(&self, random: &mut Random) -> Option<Ref<Cell>> {
        let mut ways = self.outgoing.iter();
        let mut next = ways.next()?;
        if ways.len() > 0 {
            let mut weights = u32::from(next.weight());
            for cell in ways {
                let weight = u32::from(cell.weight());
                weights += weight;
                // Certain after those that draw none.
                if weights == weight || random.below(weights) < weight {
                    next = cell;
                }
            }
        }
        Some(next)
    }

    /// Whether there is a car among the `range` cells that end with this one, 1 or more, along all ways back.
    ///
    /// A way is told by what it takes at each of its forks, `WAY_BITS` bits for each, and the next way is found by
    /// counting: on a GPU that is faster than a stack in memory.
    pub fn has_car_behind(&self, range: u32) -> bool {
        let mut way = 0_u64;
        loop {
            let (mut index, mut left, mut forks) = (self.index(), range, 0);
            // The same as far as the last fork that has another way, and that.
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

/// The lights of a street at a junction: the same for all of its turn lanes.
#[soa_class]
#[derive(Clone, Debug)]
pub struct SharedSignalGroup {
    /// The last step in which it was green.
    #[atomic]
    pub green_at: u32,
    /// Whether a car is so near that it could cross the junction in this step.
    pub has_traffic: bool,
    /// The last cells before the junction.
    #[inline_array(2)]
    pub cells: InnerArray<Link<Cell>>,
}

#[soa_methods]
impl SharedSignalGroup {
    /// Looks for cars that could cross the junction: back from each cell, along incoming cells, as far as the speed limit
    /// allows one to come from. A kernel of its own, so that a GPU looks into all streets at the same time.
    #[kernel]
    pub fn look(&mut self) {
        self.has_traffic = self.cells.iter().any(|last| last.has_car_behind(u32::from(last.sign().max_velocity)));
    }
}

/// What lets the cars of one street at a time cross a junction.
#[soa_dispatch(TrafficLight, SmartTrafficLight, YieldController)]
pub trait Controller {
    /// Chooses the group that is green in a step, `k` steps after the clock's.
    #[kernel]
    fn control(&mut self, clock: Ref<Clock>, k: u32);

    /// Makes a group green in a step. All others are red, since they were green in earlier steps.
    fn open(&self, group: u32, step: u32) {
        self.groups.get(group as usize).green_at().max(step);
    }
}

/// Makes one group after another green.
#[soa_class]
#[derive(Clone, Debug)]
pub struct TrafficLight {
    /// Steps for which each group is green.
    pub phase_length: u32,
    /// The green group.
    pub phase: u32,
    /// Steps for which it has been green.
    pub timer: u32,
    /// One for each street that leads to the junction.
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

/// The same, but if cars come from one street only, that is green at once, and stays so while it is the only one.
#[soa_class]
#[derive(Clone, Debug)]
pub struct SmartTrafficLight {
    /// Steps for which each group is green.
    pub phase_length: u32,
    /// The green group.
    pub phase: u32,
    /// Steps for which it has been green.
    pub timer: u32,
    /// One for each street that leads to the junction.
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

/// Lets cars of lesser streets cross only while none comes from those before them: give-way signs, and the ends of slip
/// roads.
#[soa_class]
#[derive(Clone, Debug)]
pub struct YieldController {
    /// One for each street that leads to the junction, those with priority first.
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
    /// Where it is.
    pub cell: Link<Cell>,
    /// Cells that it moved in the last step.
    pub velocity: u32,
    /// Cells that it moves at most.
    pub max_velocity: u32,
    /// Where it comes to in a step, if no other car comes first. Its cell if it stays.
    pub target: Link<Cell>,
    /// The cells that it moves through in a step, as many as it has velocity; there is room for its largest.
    #[inline_array(8)]
    pub path: InnerArray<Link<Cell>>,
}

#[soa_methods]
impl Car {
    /// What it writes on a cell that it wants to move to: more than what cars with larger ids write.
    pub fn claim(&self) -> u32 {
        !self.link().id()
    }

    /// Steps 1 to 4 of INNER §4.1: accelerates, finds its path, brakes for others, limits and lights, dawdles. Cars that
    /// left the map at a sink wait until the cell where they come back, another one in each step, is free.
    #[kernel]
    pub fn plan(&mut self, clock: Ref<Clock>, k: u32, rules: Rules) {
        let step = clock.step() + k;
        let mut random = Random::new(rules.seed, self.link().id(), step);
        let dawdles = random.chance(rules.randomisation);
        let mut cell = self.cell;
        let mut sign = cell.sign();
        // Where it comes to, and where it would come to if it were slower by one.
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
                    // Whoever goes on moves faster than it did so far, in each of the cells.
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

    /// Step 5: moves, unless another car that wants to the same cell comes first.
    ///
    /// Claims are looked at and cleared in any order: a car looks at that of a cell that was free, and clears that of the cell in
    /// which it was.
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

    /// Its velocity, to be added up.
    #[kernel(reduce(Sum))]
    pub fn speed(&self) -> u64 {
        u64::from(self.velocity)
    }

    /// The square of its velocity, to be added up.
    #[kernel(reduce(Sum))]
    pub fn speed_squared(&self) -> u64 {
        u64::from(self.velocity) * u64::from(self.velocity)
    }

    /// One if it did not move.
    #[kernel(reduce(Sum))]
    pub fn stopped(&self) -> u64 {
        u64::from(self.velocity == 0)
    }
}

/// The world.
#[soa_world]
#[derive(Debug)]
pub struct Simulation {
    /// One.
    pub clocks: Objects<Clock>,
    /// The streets.
    pub cells: Objects<Cell>,
    /// Which cells are taken.
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
