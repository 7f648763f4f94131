//! Steps of programs, and what can be seen of them.

use ikra::{Place, prelude::*};

use crate::model::{Animal, Cell, Fly, House, Moth, Room, cell};

impl House {
    /// A house of made-up contents.
    ///
    /// # Errors
    ///
    /// Errors of making objects.
    pub fn new_of(cells: usize, rooms: usize, animals: usize) -> Result<Self, ikra::Error> {
        let mut house = Self::new();
        let mut state = 12345_u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let cell: Vec<_> = house.cells.reserve(cells)?.collect();
        let room: Vec<_> = house.rooms.reserve(rooms)?.collect();
        for n in 0..cells {
            let around = [cell[(n + 1) % cells], cell[(n + cells - 40) % cells], cell[below(cells)]];
            house.cells.init(
                cell[n],
                Cell {
                    heat: below(300) as f32 / 100.0,
                    flow: below(100) as f32 / 100.0,
                    seen: below(10) as u32,
                    left: cell[(n + cells - 1) % cells],
                    right: (n + 1 < cells).then(|| cell[n + 1]),
                    far: (below(3) == 0).then(|| cell[below(cells)]),
                    room: room[n * rooms / cells],
                    around,
                    visits: 0,
                },
            )?;
        }
        for n in 0..rooms {
            let door = (below(4) > 0).then(|| room[below(rooms)]);
            let first = (below(4) > 0).then(|| cell[below(cells)]);
            house.rooms.init(room[n], Room { warmth: below(10) as f64, first, door, cells: 0, tag: n as u8 })?;
        }
        house.flies.extend((0..animals).map(|n| Fly {
            at: (n % 4 > 0).then(|| cell[n * 31 % cells]),
            energy: n as f32 / 10.0,
            steps: n as u16,
        }))?;
        for n in 0..animals {
            let bites = (0..n as u32 % 3).collect();
            house.moths.push(Moth { at: cell[n * 17 % cells], energy: 1.0, bites })?;
        }
        Ok(house)
    }
}

/// A step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Spread,
    Drift,
    LookAround,
    Hidden,
    Jump,
    Visit,
    Visited,
    Mean,
    Attract,
    Compare,
    Warmth,
    Work,
    Label,
    Select,
    Group,
    Breed,
    Starve,
    Bite,
    Heat,
    Counted,
    Eat,
    Energy,
    Range,
    Sort,
    Compact,
    Write,
    Read,
    ReadOne,
    Push,
    Store,
    OnHost,
    Repeat,
    Turn,
    CountOwn,
    Follow,
    Rumour,
    Alone,
}

pub const STEPS: [Step; 37] = {
    use Step::*;
    [
        Spread, Drift, LookAround, Hidden, Jump, Visit, Visited, Mean, Attract, Compare, Warmth, Work, Label, Select,
        Group, Breed, Starve, Bite, Heat, Counted, Eat, Energy, Range, Sort, Compact, Write, Read, ReadOne, Push,
        Store, OnHost, Repeat, Turn, CountOwn, Follow, Rumour, Alone,
    ]
};

/// Does a step, and returns what the program sees of it, as bits.
///
/// # Errors
///
/// Errors of the place.
pub fn step(house: &mut House, place: Place, step: Step) -> Result<Vec<u64>, ikra::Error> {
    let some = |house: &House, n: usize| Link::<Cell>::from_index(n % house.cells.len()).unwrap();
    let mut seen = Vec::new();
    match step {
        Step::Spread => house.on(place).execute(Cell::spread, ())?,
        Step::Drift => house.on(place).execute(Cell::drift, 0.5)?,
        Step::LookAround => house.on(place).execute(Cell::look_around, ())?,
        Step::Hidden => house.on(place).execute(Cell::hidden, ())?,
        Step::Jump => house.on(place).execute(Cell::jump, ())?,
        Step::Turn => house.on(place).execute(Cell::turn, ())?,
        Step::CountOwn => house.on(place).execute(Cell::count_own, ())?,
        Step::Rumour => {
            let start = [some(house, 3), some(house, 1002)].into_iter().collect();
            let (days, left) = house.on(place).repeat_over(&start, 5, |day, work| {
                day.over(work).execute(Cell::hear, ())?;
                day.execute(Cell::drift_alone, ())?;
                day.over(work).execute(Cell::tell, work)
            })?;
            seen.push(days);
            seen.extend(left.links().map(|link| u64::from(link.id())));
        }
        Step::Alone => house.on(place).execute(Cell::drift_alone, ())?,
        Step::Follow => house.on(place).execute(Fly::follow, ())?,
        Step::Visit => house.on(place).execute(Cell::visit, ())?,
        Step::Visited => house.on(place).execute(Cell::visited, ())?,
        Step::Mean => house.on(place).execute(Cell::mean, ())?,
        Step::Attract => house.on(place).execute_pairs(Cell::attract, ())?,
        Step::Compare => {
            let with = some(house, 1001);
            house.on(place).execute(Cell::compare, with)?;
        }
        Step::Warmth => {
            seen.push(house.on(place).execute_and_reduce(Cell::warmth, (), Sum)?.to_bits().into());
            seen.push(house.on(place).execute_and_reduce(Cell::warmth, (), Max)?.to_bits().into());
        }
        Step::Work => seen.push(house.on(place).execute_and_reduce(Cell::work, (), Sum)?.to_bits()),
        Step::Label => {
            let labels = house.on(place).execute_and_collect(Cell::label, ())?;
            seen.extend(labels.iter().flat_map(|label| [u64::from(label.0), label.1.to_bits().into()]));
        }
        Step::Select => {
            let warm = house.on(place).select(Cell::is_warm, ()).selection()?;
            house.on(place).over(&warm).execute(Cell::drift, 0.25)?;
            seen.push(warm.len() as u64);
            seen.push(house.on(place).select(Cell::is_warm, ()).map(Cell::work, ()).reduce(Sum)?.to_bits());
        }
        Step::Group => {
            let groups = house.on(place).group_by(Cell::key, 7, ())?;
            house.on(place).execute(Cell::crowd, &groups)?;
        }
        Step::Breed => house.on(place).execute(Cell::breed, ())?,
        Step::Starve => house.on(place).execute(Fly::starve, 0.5)?,
        Step::Bite => house.on(place).execute(Moth::bite, ())?,
        Step::Heat => house.on(place).execute(Room::heat, ())?,
        Step::Counted => house.on(place).execute(Room::counted, ())?,
        Step::Eat => house.on(place).execute(Animal::eat, 1.5)?,
        Step::Energy => seen.push(house.on(place).execute_and_reduce(Animal::fuel, (), Sum)?.to_bits().into()),
        Step::Range => {
            let len = house.cells.len();
            house.on(place).over(len / 3..len - 5).execute(Cell::spread, ())?;
            let sum = house.on(place).over(5..len / 2).execute_and_reduce(Cell::warmth, (), Sum)?;
            seen.push(sum.to_bits().into());
        }
        Step::Sort => drop(house.on(place).sort_by_key(Cell::key, ())?),
        Step::Compact => drop(house.compact::<Fly>()?),
        Step::Write => {
            let at = some(house, 77);
            house.set(at, cell::heat, 2.5);
            house.get_mut(some(house, 4000)).flow = 0.125;
        }
        Step::Read => seen.extend(house.cells.column(cell::heat).iter().map(|heat| u64::from(heat.to_bits()))),
        Step::ReadOne => {
            let at = some(house, house.cells.len() / 2);
            let object = house.get(at);
            seen.extend([object.heat().to_bits(), object.seen(), object.left().flow().to_bits()].map(u64::from));
        }
        Step::Push => {
            let at = some(house, 5);
            house.flies.push(Fly { at: Some(at), energy: 3.0, steps: 1 })?;
        }
        Step::Store => {
            let at = some(house, 9);
            house.on(place).reduce_into(Cell::warmth, (), Max, at, cell::flow)?;
        }
        Step::OnHost => house.on(Place::Host).execute(Cell::drift, 0.75)?,
        Step::Repeat => house.on(place).repeat(3, |step| {
            step.execute(Cell::spread, ())?;
            step.execute(Cell::drift, 0.125)
        })?,
    }
    Ok(seen)
}

/// Everything that the world has, as text.
pub fn contents(house: &House) -> String {
    fn rows<C: ikra::Class + std::fmt::Debug>(objects: &Objects<C>) -> String {
        let rows: Vec<_> = objects.links().map(|link| (link.id(), objects.read(link).unwrap())).collect();
        format!("{rows:?}")
    }
    [rows(&house.cells), rows(&house.rooms), rows(&house.moths), rows(&house.flies)].join("\n")
}

/// The results of some steps, and the world afterwards. After each step, `between` may do something else.
pub fn run(
    mut house: House,
    place: Place,
    steps: &[Step],
    mut between: impl FnMut(&mut House),
) -> (Vec<Vec<u64>>, String) {
    let one = |&one| {
        let seen = step(&mut house, place, one).unwrap();
        between(&mut house);
        seen
    };
    let seen = steps.iter().map(one).collect();
    (seen, contents(&house))
}

/// Fails unless a rank has seen the same as the only process of another run.
pub fn assert_same(found: &(Vec<Vec<u64>>, String), expected: &(Vec<Vec<u64>>, String), steps: &[Step], rank: &str) {
    for (n, (one, other)) in found.0.iter().zip(&expected.0).enumerate() {
        assert_eq!(one, other, "{rank}: {:?}, after {:?}", steps[n], &steps[..n]);
    }
    for (class, (one, other)) in found.1.lines().zip(expected.1.lines()).enumerate() {
        let at = one.bytes().zip(other.bytes()).position(|(one, other)| one != other);
        let near = |text: &str| at.map(|at| text[at.saturating_sub(60)..(at + 60).min(text.len())].to_owned());
        assert!(one == other, "{rank}, after {steps:?}: class {class}: {:?}", (near(one), near(other)));
    }
}
