//! Random graphs of ordinary objects: traced, compared with a walk, changed, written back.

#![allow(missing_docs, reason = "a test, not a library")]

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use ikra::prelude::*;
use ikra::trace::{Trace, TraceWorld};
use proptest::prelude::*;

#[derive(Trace)]
#[trace(class = City)]
struct PlainCity {
    name: RefCell<String>,
    size: Cell<u32>,
    roads: RefCell<Vec<Rc<RefCell<PlainRoad>>>>,
    mayor: RefCell<Option<Rc<PlainCity>>>,
    twin: RefCell<Weak<PlainCity>>,
    #[trace(skip)]
    number: usize,
}

#[derive(Trace)]
#[trace(class = Road)]
struct PlainRoad {
    length: [f64; 2],
    to: Weak<PlainCity>,
    is_open: bool,
    lanes: Vec<i16>,
    sign: Box<PlainSign>,
}

#[derive(Trace)]
#[trace(class = Sign)]
struct PlainSign {
    text: String,
    next: Option<Box<PlainSign>>,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct City {
    pub name: u32,
    pub size: u32,
    #[inline_array(1)]
    pub roads: InnerArray<Link<Road>>,
    pub mayor: Option<Link<City>>,
    pub twin: Option<Link<City>>,
}

#[soa_class(layout = "tiles")]
#[derive(Clone, Debug, PartialEq)]
pub struct Road {
    #[inline_array]
    pub length: [f64; 2],
    pub to: Link<City>,
    pub is_open: bool,
    #[inline_array(0)]
    pub lanes: InnerArray<i16>,
    pub sign: Link<Sign>,
}

#[soa_class(layout = "aos")]
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    pub text: u32,
    pub next: Option<Link<Sign>>,
}

#[soa_methods]
impl City {
    #[kernel]
    pub fn grow(&mut self) {
        self.size = self.size.wrapping_mul(3) + self.roads.len() as u32;
        std::mem::swap(&mut self.twin, &mut self.mayor);
    }
}

#[soa_methods]
impl Road {
    #[kernel]
    pub fn repair(&mut self) {
        self.is_open = !self.is_open;
        self.length[1] += self.to.size() as f64;
        for n in 0..self.lanes.len() {
            self.lanes[n] += 1;
        }
    }
}

#[soa_world]
pub struct Map {
    pub cities: Objects<City>,
    pub roads: Objects<Road>,
    pub signs: Objects<Sign>,
}

/// The numbers of a city: size, the cities of its roads, mayor and twin.
type CityPlan = (u32, Vec<(usize, Vec<i16>, u8)>, Option<usize>, Option<usize>);

fn plans() -> impl Strategy<Value = Vec<CityPlan>> {
    let road = (0..12_usize, prop::collection::vec(-5..5_i16, 0..4), 0..4_u8);
    let other = || prop::option::of(0..12_usize);
    prop::collection::vec((0..1000_u32, prop::collection::vec(road, 0..4), other(), other()), 1..12)
}

fn build(plans: &[CityPlan]) -> Vec<Rc<PlainCity>> {
    let city = |(number, plan): (usize, &CityPlan)| {
        Rc::new(PlainCity {
            name: RefCell::new(format!("city {}", plan.0 % 5)),
            size: Cell::new(plan.0),
            roads: RefCell::default(),
            mayor: RefCell::default(),
            twin: RefCell::default(),
            number,
        })
    };
    let cities: Vec<_> = plans.iter().enumerate().map(city).collect();
    let at = |n: usize| &cities[n % cities.len()];
    for (city, (_, roads, mayor, twin)) in cities.iter().zip(plans) {
        for (to, lanes, signs) in roads {
            let sign = |next, n: u8| PlainSign { text: format!("sign {n}"), next };
            let sign = (0..*signs).fold(sign(None, 9), |next, n| sign(Some(Box::new(next)), n));
            city.roads.borrow_mut().push(Rc::new(RefCell::new(PlainRoad {
                length: [*to as f64, 0.5],
                to: Rc::downgrade(at(*to)),
                is_open: *signs > 1,
                lanes: lanes.clone(),
                sign: Box::new(sign),
            })));
        }
        *city.mayor.borrow_mut() = mayor.map(|n| Rc::clone(at(n)));
        *city.twin.borrow_mut() = twin.map_or(Weak::new(), |n| Rc::downgrade(at(n)));
    }
    cities
}

/// A city, by the numbers of the cities that it names.
fn described(city: &PlainCity) -> String {
    let number = |city: Option<Rc<PlainCity>>| city.map(|city| city.number);
    let mut text = format!("{} {} {}", city.number, city.name.borrow(), city.size.get());
    text += &format!(" {:?} {:?}", number(city.mayor.borrow().clone()), number(city.twin.borrow().upgrade()));
    for road in &*city.roads.borrow() {
        let road = road.borrow();
        text += &format!(" ({:?} {:?} {} {:?}", road.length, number(road.to.upgrade()), road.is_open, road.lanes);
        let mut sign = Some(&road.sign);
        while let Some(next) = sign {
            text += &format!(" {}", next.text);
            sign = next.next.as_ref();
        }
        text += ")";
    }
    text
}

/// What the kernels do, on ordinary objects.
fn advance(cities: &[Rc<PlainCity>]) {
    for city in cities {
        city.size.set(city.size.get().wrapping_mul(3) + city.roads.borrow().len() as u32);
        let twin = city.twin.borrow().upgrade();
        let mayor = city.mayor.replace(twin);
        *city.twin.borrow_mut() = mayor.map_or(Weak::new(), |mayor| Rc::downgrade(&mayor));
    }
    for road in cities.iter().flat_map(|city| city.roads.borrow().clone()) {
        let mut road = road.borrow_mut();
        road.is_open = !road.is_open;
        let size = road.to.upgrade().map_or(0, |city| city.size.get());
        road.length[1] += f64::from(size);
        road.lanes.iter_mut().for_each(|lane| *lane += 1);
    }
}

fn unlink(cities: &[Rc<PlainCity>]) {
    cities.iter().for_each(|city| drop((city.roads.take(), city.mayor.take())));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// A world of all objects, changed by kernels and written back, equals the same changes of ordinary objects.
    #[test]
    fn kernels_change_ordinary_objects(plans in plans(), rounds in 1..3) {
        let (cities, others) = (build(&plans), build(&plans));
        let counts = |cities: &[Rc<PlainCity>]| -> Vec<_> {
            cities.iter().map(|city| (Rc::strong_count(city), Rc::weak_count(city))).collect()
        };
        let before = counts(&cities);
        let mut map = Map::trace(&cities).unwrap();
        prop_assert_eq!(map.cities.len(), cities.len());
        prop_assert_eq!(map.roads.len(), plans.iter().map(|plan| plan.1.len()).sum::<usize>());
        for (city, row) in cities.iter().zip(&map.cities) {
            prop_assert_eq!(row.size, city.size.get());
            prop_assert_eq!(map.text(row.name), Some(&**city.name.borrow()));
        }
        // Nothing has changed.
        prop_assert_eq!(map.write_back().unwrap(), 0);
        for _ in 0..rounds {
            map.execute(City::grow, ());
            map.execute(Road::repair, ());
            map.write_back().unwrap();
            advance(&others);
            for (city, other) in cities.iter().zip(&others) {
                prop_assert_eq!(described(city), described(other));
            }
        }
        drop(map);
        if rounds == 2 {
            prop_assert_eq!(counts(&cities), before);
        }
        [cities, others].iter().for_each(|cities| unlink(cities));
    }

    /// A second trace finds the same world after a write-back, from any root that reaches all.
    #[test]
    fn a_trace_of_what_was_written_is_the_same_world(plans in plans()) {
        let cities = build(&plans);
        let mut map = Map::trace(&cities).unwrap();
        let text = map.intern("another text").unwrap();
        for sign in map.signs.links().collect::<Vec<_>>() {
            if sign.id() % 2 == 0 {
                map.set(sign, sign::text, text);
            }
        }
        map.execute(City::grow, ());
        map.write_back().unwrap();
        let again = Map::trace(&cities).unwrap();
        prop_assert_eq!(again.cities.len(), map.cities.len());
        let texts = |map: &ikra::trace::Traced<Map>| -> Vec<_> {
            map.signs.iter().map(|sign| (map.text(sign.text).map(str::to_owned), sign.next)).collect()
        };
        prop_assert_eq!(texts(&again), texts(&map));
        let rows = |map: &Map| map.roads.iter().collect::<Vec<_>>();
        prop_assert_eq!(rows(&again), rows(&map));
        unlink(&cities);
    }
}
