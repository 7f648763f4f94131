//! Links inside structs, in columns and in inner arrays.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Road {
    pub to: Link<City>,
    pub cost: u32,
}

/// Links to two classes, among other members.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Address {
    pub number: u16,
    pub country: Option<Link<Country>>,
    pub roads: [Road; 2],
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Country {
    pub tax: u32,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct City {
    #[atomic]
    pub best: u32,
    pub distance: u32,
    pub sum: u32,
    #[inline_array(0)]
    pub roads: InnerArray<Road>,
    #[inline_array(2)]
    pub lanes: InnerArray<Road>,
    #[inline_array]
    pub exits: [Road; 3],
    pub home: Road,
    pub address: Address,
}

#[soa_methods]
impl City {
    #[kernel]
    pub fn relax(&self) {
        for road in &self.roads {
            self.resolve(road.to).best().min(self.distance + road.cost);
        }
    }
    #[kernel]
    pub fn relax_each(&self) {
        self.roads.iter().for_each(|road| self.resolve(road.to).best().min(self.distance + road.cost));
    }
    #[kernel]
    pub fn relax_lanes(&self) {
        for road in &self.lanes {
            self.resolve(road.to).best().min(self.distance + road.cost);
        }
    }
    #[kernel(snapshot(sum))]
    pub fn visit(&mut self) {
        let country = self.address.country.map_or(0, |country| self.resolve(country).tax());
        let roads = self.address.roads.map(|road| self.resolve(road.to).sum().wrapping_mul(road.cost));
        self.sum = self.resolve(self.home.to).sum().wrapping_mul(self.home.cost) + country;
        for road in &self.exits {
            self.sum = self.sum.wrapping_mul(31) ^ self.resolve(road.to).sum().wrapping_add(road.cost);
        }
        self.sum = self.sum.wrapping_add(roads[0] ^ roads[1]);
    }
    /// Iterates from both ends, and over a slice.
    #[kernel(snapshot(sum))]
    pub fn look_back(&mut self) {
        for road in self.exits.iter().chain(self.lanes.iter().rev().take(2)) {
            self.sum = self.sum.wrapping_mul(31) ^ self.resolve(road.to).sum().wrapping_add(road.cost);
        }
        let mut rest = self.roads.iter();
        while let (Some(first), Some(last)) = (rest.next(), rest.next_back()) {
            self.sum ^= self.resolve(first.to).sum().wrapping_sub(self.resolve(last.to).sum());
        }
        for road in self.roads.range(self.roads.len() / 2..) {
            self.sum = self.sum.wrapping_mul(7).wrapping_add(self.resolve(road.to).sum());
        }
    }
    /// Stores structs with links; one link is made from a number.
    #[kernel(snapshot(home))]
    pub fn move_on(&mut self) {
        let next = self.resolve(self.home.to).home();
        self.address.roads[1] = self.home;
        self.home = Road { to: next.to, cost: self.home.cost ^ next.cost };
        self.lanes.iter_mut().for_each(|road| road.cost += 1);
        if let Some(first) = self.roads.try_get(0) {
            self.exits[1] = first;
            self.exits.set(2, Road { to: self.address.roads[0].to, cost: 9 });
        }
    }
}

/// Pays the tax of a country, which it finds in a struct.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Driver {
    pub paid: u32,
    #[soa(flatten)]
    pub from: Origin,
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Origin {
    pub country: Option<Link<Country>>,
    pub number: u32,
}

#[soa_methods]
impl Driver {
    #[kernel]
    pub fn pay(&mut self) {
        self.paid += self.from.country.map_or(0, |country| self.resolve(country).tax());
    }
}

#[soa_world]
pub struct Border {
    pub countries: Objects<Country>,
    pub drivers: Objects<Driver>,
}

#[soa_world]
pub struct Map {
    pub countries: Objects<Country>,
    pub cities: Objects<City>,
}
