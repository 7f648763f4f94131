//! Cars, pedestrians and buses in a town: links, refs, guards and kernels of a trait.

use ikra::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum Weather {
    Sunny,
    Rainy,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Car {
    pub km: u32,
    pub max: u32,
    pub follows: ActorLink,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Pedestrian {
    pub steps: u32,
    pub seen: u32,
    pub meets: Option<ActorLink>,
    #[inline_array(1)]
    pub friends: InnerArray<ActorLink>,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Bus {
    pub stops: u32,
    #[atomic]
    pub chased: Option<ActorLink>,
}

/// The moving objects.
#[soa_dispatch(Car, Pedestrian, Bus)]
pub trait Actor {
    const WHEELS: u32 = 0;

    /// One step.
    #[kernel]
    fn tick(&mut self, weather: Weather);

    #[kernel(reduce(Sum, Max))]
    fn way(&self, factor: u32) -> u32 {
        self.progress() * factor
    }

    fn progress(&self) -> u32;

    fn pace(&self, weather: Weather) -> u32 {
        if weather == Weather::Sunny { 2 } else { 1 }
    }

    fn wheels(&self) -> u32 {
        Self::WHEELS
    }

    fn target(&self) -> Option<Ref<Actor>> {
        None
    }
}

#[soa_methods]
impl Actor for Car {
    const WHEELS: u32 = 4;

    fn tick(&mut self, weather: Weather) {
        self.km += self.pace(weather).min(self.max) + self.follows.wheels();
    }
    fn progress(&self) -> u32 {
        self.km
    }
    fn pace(&self, weather: Weather) -> u32 {
        if weather == Weather::Sunny { 10 } else { 5 }
    }
    fn target(&self) -> Option<Ref<Actor>> {
        Some(self.follows)
    }
}

#[soa_methods]
impl Actor for Pedestrian {
    fn tick(&mut self, weather: Weather) {
        self.steps += self.pace(weather);
        self.seen += self.friends.iter().map(|friend| friend.wheels()).sum::<u32>();
    }
    fn progress(&self) -> u32 {
        self.steps
    }
    fn target(&self) -> Option<Ref<Actor>> {
        self.meets
    }
}

#[soa_methods]
impl Actor for Bus {
    const WHEELS: u32 = 6;

    fn tick(&mut self, _weather: Weather) {
        self.stops += 1;
    }
    fn progress(&self) -> u32 {
        self.stops * 100
    }
}

#[soa_methods]
impl Pedestrian {
    /// Reads the objects that it meets.
    #[kernel]
    pub fn look(&mut self, other: Ref<Actor>) {
        self.seen = match self.meets {
            None => other.progress(),
            Some(actor) => match actor.class() {
                ActorIs::Car(car) => car.max(),
                ActorIs::Pedestrian(other) => other.steps(),
                ActorIs::Bus(bus) => 1000 + bus.stops(),
            },
        };
    }
    #[kernel]
    pub fn chase(&mut self, bus: Link<Bus>) {
        self.resolve(bus).chased().claim(self.link().into());
    }
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
    pub pedestrians: Objects<Pedestrian>,
    pub buses: Objects<Bus>,
}

fn town() -> (Town, [ActorLink; 5]) {
    let mut town = Town::new();
    let bus = town.buses.push(Bus { stops: 1, chased: None }).unwrap();
    let car = town.cars.push(Car { km: 0, max: 7, follows: bus.into() }).unwrap();
    let other = town.cars.push(Car { km: 5, max: 50, follows: car.into() }).unwrap();
    let first = Pedestrian { steps: 3, seen: 0, meets: Some(other.into()), friends: InnerArray::new() };
    let first = town.pedestrians.push(first).unwrap();
    let friends = [bus.into(), car.into(), first.into()].into_iter().collect();
    let second = town.pedestrians.push(Pedestrian { steps: 0, seen: 0, meets: None, friends }).unwrap();
    (town, [bus.into(), car.into(), other.into(), first.into(), second.into()])
}

#[test]
fn links_know_their_class() {
    let (town, [bus, car, other, first, _]) = town();
    assert_eq!((size_of::<ActorLink>(), size_of::<Option<ActorLink>>()), (4, 4));
    assert_eq!(format!("{bus:?} {other:?}"), "Bus#1 Car#2");
    assert!(matches!(car.class(), ActorIs::Car(link) if town.get(link).max() == 7));
    let link = Link::<Pedestrian>::try_from(first).unwrap();
    assert_eq!(ActorLink::from(link), first);
    assert_eq!(
        Link::<Car>::try_from(first).unwrap_err().to_string(),
        "the link is to an object of class Pedestrian, not Car"
    );
    assert!(car < other && other < first && first < bus);
}

#[test]
fn refs_call_the_method_of_their_class() {
    let (town, all) = town();
    let wheels = all.map(|actor| town.get(actor).wheels());
    assert_eq!(wheels, [6, 4, 4, 0, 0]);
    assert_eq!(all.map(|actor| town.get(actor).pace(Weather::Rainy)), [1, 5, 5, 1, 1]);
    let [bus, car, other, first, _] = all;
    let target = |actor: ActorLink| town.get(actor).target().map(|target| target.link());
    assert_eq!((target(bus), target(car), target(other), target(first)), (None, Some(bus), Some(car), Some(other)));
    assert_eq!(town.get(other).target().unwrap().target().unwrap().progress(), 100);
}

#[test]
fn a_kernel_of_a_trait_runs_for_all_objects() {
    let (mut town, all) = town();
    town.execute(Actor::tick, Weather::Sunny);
    let progress = all.map(|actor| town.get(actor).progress());
    assert_eq!(progress, [200, 7 + 6, 5 + 10 + 4, 5, 2]);
    assert_eq!(town.pedestrians.column(pedestrian::seen), [0, 10]);
    assert_eq!(town.execute_and_reduce(Actor::way, 2, Sum), 2 * progress.iter().sum::<u32>());
    assert_eq!(town.execute_and_reduce(Actor::way, 3, Max), 600);
    // Each class's kernel is also a kernel of its own.
    town.execute(Bus::tick, Weather::Rainy);
    assert_eq!(town.get(all[0]).progress(), 300);
}

#[test]
fn a_kernel_of_a_trait_runs_for_a_mixed_list() {
    let (mut town, [bus, car, other, first, second]) = town();
    let list = [second, car, bus];
    town.over(&list).execute(Actor::tick, Weather::Rainy);
    let progress = [bus, car, other, first, second].map(|actor| town.get(actor).progress());
    assert_eq!(progress, [200, 5 + 6, 5, 3, 1]);
    assert_eq!(town.over(&[other, first]).execute_and_reduce(Actor::way, 1, Sum), 8);
    assert_eq!(town.over(&[]).execute_and_reduce(Actor::way, 1, Sum), 0);
    // A duplicate link of any class changes nothing.
    let before = town.clone();
    let twice =
        town.on(ikra::Place::Host).over(&[bus, car, first, bus]).execute(Actor::tick, Weather::Rainy).unwrap_err();
    assert!(matches!(twice, ikra::Error::Duplicate { class: "Bus", id: 1 }), "{twice}");
    assert_eq!(town.cars.iter().collect::<Vec<_>>(), before.cars.iter().collect::<Vec<_>>());
    assert_eq!(town.buses.column(bus::stops), before.buses.column(bus::stops));
}

/// Results are ordered by class, whatever the order of the list; `on(place)` gives the same results as the short form.
#[test]
fn results_of_a_trait_are_collected() {
    let (mut town, [bus, car, other, first, second]) = town();
    let all = town.execute_and_collect(Actor::way, 1);
    let each: Vec<_> = [bus, car, other, first, second]
        .map(|actor| (town.over(&[actor]).execute_and_collect(Actor::way, 1), actor))
        .into();
    assert!(each.iter().all(|(way, _)| way.len() == 1));
    let mut sorted = each.clone();
    sorted.sort_by_key(|&(_, actor)| actor);
    assert_eq!(all, sorted.iter().map(|(way, _)| way[0]).collect::<Vec<_>>());
    let list = [second, car, bus];
    let expected: Vec<_> = sorted.iter().filter(|(_, actor)| list.contains(actor)).map(|(way, _)| way[0]).collect();
    assert_eq!(town.over(&list).execute_and_collect(Actor::way, 1), expected);
    let mut host = town.on(ikra::Place::Host);
    assert_eq!(host.over(&list).execute_and_collect(Actor::way, 1).unwrap(), expected);
    assert_eq!(host.execute_and_collect(Actor::way, 1).unwrap(), all);
    assert_eq!(host.over(..).execute_and_reduce(Actor::way, 1, Sum).unwrap(), all.iter().sum());
    assert_eq!(host.over(&list).execute_and_reduce(Actor::way, 1, Sum).unwrap(), expected.iter().sum());
}

#[test]
fn kernels_look_at_objects_of_any_class() {
    let (mut town, [bus, car, _, first, second]) = town();
    town.execute(Pedestrian::look, bus);
    assert_eq!(town.pedestrians.column(pedestrian::seen), [50, 100]);
    for (meets, seen) in [(bus, 1001), (car, 7), (second, 0)] {
        let walker = Link::<Pedestrian>::try_from(first).unwrap();
        town.set(walker, pedestrian::meets, Some(meets));
        town.execute(Pedestrian::look, car);
        assert_eq!(town.get(walker).seen(), seen);
    }
    town.execute(Pedestrian::chase, Link::try_from(bus).unwrap());
    let bus = Link::<Bus>::try_from(bus).unwrap();
    assert_eq!(town.get(bus).chased().load(), Some(first));
    town.get(bus).chased().store(Some(car));
    assert_eq!(town.get(bus).chased().load(), Some(car));
}

#[test]
fn guards_by_class() {
    let (mut town, [_, car, ..]) = town();
    match town.get_mut(car) {
        ActorIs::Car(mut guard) => guard.follows = guard.resolve(car),
        _ => unreachable!(),
    }
    assert_eq!(town.get(car).target().unwrap().link(), car);
}
