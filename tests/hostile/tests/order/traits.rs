//! A trait over three classes with shared atomics, links among them, random lists, and every strategy for an object's
//! class: all give the same results.

use ikra::prelude::*;
use ikra_hostile_tests::{hash, mixed, same_with_any_threads};

const COUNT: usize = 6_000;

macro_rules! strategies {
    ($($module:ident ($($options:tt)*))*) => { $(
        mod $module {
            use super::*;

            #[soa_class]
            #[derive(Clone)]
            pub struct Car { pub x: u32, pub to: Option<ActorLink>, #[atomic] pub hits: u32, #[atomic] pub least: u32 }
            #[soa_class]
            #[derive(Clone)]
            pub struct Bus { pub seats: u64, pub to: Option<ActorLink>, #[atomic] pub hits: u32, #[atomic] pub least: u32 }
            #[soa_class(layout = "aos")]
            #[derive(Clone)]
            pub struct Walker {
                pub steps: u8,
                #[inline_array(1)]
                pub all: InnerArray<ActorLink>,
                #[atomic]
                pub hits: u32,
                #[atomic]
                pub least: u32,
            }

            #[soa_dispatch(Car, Bus, Walker $($options)*)]
            pub trait Actor {
                #[kernel]
                fn tick(&mut self, by: u32);
                #[kernel(reduce(Sum))]
                fn total(&self) -> u64;
                fn weight(&self) -> u32 { 1 }
                fn strike(&self, by: u32);
            }
            #[soa_methods]
            impl Actor for Car {
                #[kernel(updates(add(hits), min(least)))]
                fn tick(&mut self, by: u32) {
                    if let Some(to) = self.to { to.strike(by ^ self.link().id()); }
                    self.x += by;
                }
                fn total(&self) -> u64 { u64::from(self.x) + u64::from(self.hits.load()) }
                fn weight(&self) -> u32 { 3 }
                fn strike(&self, by: u32) { self.hits.add(by); self.least.min(by); }
            }
            #[soa_methods]
            impl Actor for Bus {
                #[kernel(updates(add(hits), min(least)))]
                fn tick(&mut self, by: u32) {
                    if let Some(to) = self.to { to.strike(by + to.weight()); }
                    self.seats += 1;
                }
                fn total(&self) -> u64 { self.seats + u64::from(self.least.load()) }
                fn strike(&self, by: u32) { self.hits.add(by / 2); self.least.min(by + 5); }
            }
            #[soa_methods]
            impl Actor for Walker {
                #[kernel(updates(add(hits), min(least)))]
                fn tick(&mut self, by: u32) {
                    for other in &self.all { other.strike(by * other.weight()); }
                    self.steps = self.steps.wrapping_add(1);
                }
                fn total(&self) -> u64 { u64::from(self.steps) }
                fn weight(&self) -> u32 { 7 }
                fn strike(&self, by: u32) { self.hits.add(by ^ 1); self.least.min(by ^ 1); }
            }

            #[soa_world]
            pub struct Town {
                pub cars: Objects<Car>,
                pub buses: Objects<Bus>,
                pub walkers: Objects<Walker>,
            }

            fn actor(n: u64) -> ActorLink {
                let index = n as usize / 3 % COUNT;
                match n % 3 {
                    0 => Link::<Car>::from_index(index).unwrap().into(),
                    1 => Link::<Bus>::from_index(index).unwrap().into(),
                    _ => Link::<Walker>::from_index(index).unwrap().into(),
                }
            }

            pub fn run() -> Vec<u64> {
                let mut town = Town::new();
                let to = |n, salt| (n % 4 > 0).then(|| actor(mixed(n, salt)));
                let (hits, least) = (0, u32::MAX);
                town.cars.extend((0..COUNT).map(|n| Car { x: n as u32, to: to(n, 1), hits, least })).unwrap();
                town.buses.extend((0..COUNT).map(|n| Bus { seats: 5, to: to(n, 2), hits, least })).unwrap();
                let all = |n: usize| (0..n % 4).map(|k| actor(mixed(n, 10 + k as u64))).collect();
                town.walkers.extend((0..COUNT).map(|n| Walker { steps: 0, all: all(n), hits, least })).unwrap();
                let mut list: Vec<ActorLink> = (0..3 * COUNT as u64).filter(|n| mixed(*n as usize, 20) % 3 > 0).map(actor).collect();
                list.sort_by_key(|link| hash([format!("{link:?}")]));
                let mut found = Vec::new();
                for round in 0..3 {
                    town.execute(Actor::tick, round);
                    town.over(&list).execute(Actor::tick, 11);
                    found.push(town.execute_and_reduce(Actor::total, (), Sum));
                    found.push(town.over(&list).execute_and_reduce(Actor::total, (), Sum));
                }
                found.extend(town.cars.iter().map(|row| u64::from(row.x) ^ u64::from(row.hits) << 32 ^ u64::from(row.least)));
                found.extend(town.buses.iter().map(|row| row.seats ^ u64::from(row.hits) << 32 ^ u64::from(row.least)));
                found.extend(town.walkers.iter().map(|row| u64::from(row.steps) ^ u64::from(row.hits) << 32 ^ u64::from(row.least)));
                found
            }
        }
    )* };
}
strategies! {
    plain ()
    wide (, wide)
    tables (, strategy = "vtable")
}

#[test]
fn with_several_strategies() {
    let expected = same_with_any_threads(plain::run);
    for (name, run) in [("wide", wide::run as fn() -> Vec<u64>), ("vtable", tables::run)] {
        assert!(same_with_any_threads(run) == expected, "{name}");
    }
}
