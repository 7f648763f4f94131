//! Text that claims to be a world: damaged at every position, and forged.

use ikra::prelude::*;
use ikra_hostile_tests::{mixed, outcome};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Value, Serialize, Deserialize)]
#[repr(u8)]
pub enum Kind {
    Low = 3,
    High = 200,
}

#[soa_class(capacity = 64)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub kind: Kind,
    pub flag: bool,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Car {
    pub at: Link<Cell>,
    pub next: Option<Link<Car>>,
    #[inline_array(1)]
    pub path: InnerArray<Link<Cell>>,
    #[inline_array]
    pub near: [Link<Car>; 2],
    #[atomic]
    pub hits: u32,
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn look(&mut self) {
        let seen = self.path.iter().filter(|cell| cell.flag() && cell.kind() == Kind::High).count();
        let near = self.near.iter().map(|car| u32::from(car.at().flag())).sum::<u32>();
        self.hits.store(seen as u32 + near + self.next.map_or(0, |next| u32::from(next.at().flag())));
    }
}

#[soa_world]
#[derive(Serialize, Deserialize)]
pub struct Road {
    pub cells: Objects<Cell>,
    pub cars: Objects<Car>,
}

fn road() -> Road {
    let mut road = Road::new();
    let kind = |n| if n % 3 == 0 { Kind::Low } else { Kind::High };
    let cells: Vec<_> = road.cells.extend((0..5).map(|n| Cell { kind: kind(n), flag: n % 2 == 0 })).unwrap().collect();
    let link = |n: usize| Link::from_index(n % 7).unwrap();
    let car = |n: usize| Car {
        at: cells[n % 5],
        next: (n % 2 == 0).then(|| link(n + 3)),
        path: cells[..n % 4].into(),
        near: [link(n + 1), link(n + 2)],
        hits: n as u32,
    };
    road.cars.extend((0..7).map(car)).unwrap();
    road
}

/// Uses a world from an untrusted source: it works or is rejected.
fn attack(text: &str) {
    if let Ok(mut road) = serde_json::from_str::<Road>(text) {
        let ended = outcome(|| {
            road.execute(Car::look, ());
            road.all::<Car>().map(|car| car.at().link().id()).sum::<u32>()
        });
        if ended.message().is_none() {
            let again = serde_json::to_string(&road).unwrap();
            let same: Road = serde_json::from_str(&again).unwrap();
            assert!(same.cars.iter().eq(road.cars.iter()));
        }
    }
}

#[test]
fn damaged_in_every_place() {
    let text = serde_json::to_string(&road()).unwrap();
    attack(&text);
    for at in 0..text.len() {
        attack(&text[..at]);
        for byte in [b'9', b'"', b'}'] {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = byte;
            attack(std::str::from_utf8(&bytes).unwrap());
        }
        let mut longer = text.clone();
        longer.insert_str(at, "99999");
        attack(&longer);
    }
}

#[test]
fn parts_in_other_places() {
    let text = serde_json::to_string(&road()).unwrap();
    for step in 0..500 {
        let pick = |salt| mixed(step, salt) as usize % text.len();
        let (mut from, mut to) = (pick(1), pick(2));
        if from > to {
            (from, to) = (to, from);
        }
        let at = pick(3);
        attack(&format!("{}{}{}", &text[..at], &text[from..to], &text[at..]));
        attack(&format!("{}{}", &text[..from], &text[to..]));
    }
}

#[test]
fn numbers_that_are_none() {
    for value in ["0", "-1", "4294967295", "4294967296", "1e99", "null", "[1]", "\"1\"", "true", "3.5"] {
        let text = serde_json::to_string(&road()).unwrap();
        for key in ["at", "next", "hits", "flag"] {
            let key = format!("\"{key}\":");
            let mut from = 0;
            while let Some(at) = text[from..].find(&key) {
                let start = from + at + key.len();
                let end = start + text[start..].find([',', '}']).unwrap();
                attack(&format!("{}{value}{}", &text[..start], &text[end..]));
                from = end;
            }
        }
    }
}
