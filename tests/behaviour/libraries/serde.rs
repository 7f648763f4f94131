//! Worlds serialized and deserialized by serde, both valid and damaged.
#![cfg(feature = "serde")]
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]
#![forbid(unsafe_code)]

use std::fmt::Debug;

use ikra::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Value, Serialize, Deserialize)]
#[repr(C)]
pub struct Colour {
    pub red: u8,
    pub green: u8,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub alive: bool,
    pub energy: f64,
    #[soa(flatten)]
    pub colour: Colour,
    #[atomic]
    pub visits: u32,
    pub home: Link<Place>,
    #[serde(default)]
    pub next: Option<Link<Cell>>,
    #[inline_array]
    pub history: [i16; 3],
    #[inline_array(1)]
    pub around: InnerArray<Link<Cell>>,
}

#[soa_class(layout = "tiles", capacity = 3, arena = 64)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    #[inline_array(0)]
    pub heights: InnerArray<u64>,
}

#[soa_world]
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    pub cells: Objects<Cell>,
    pub places: Objects<Place>,
}

#[soa_world]
#[cfg_attr(not(feature = "serde"), derive(Debug))]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Deserialize))]
pub struct Places {
    pub places: Objects<Place>,
}

fn grid() -> Grid {
    let mut grid = Grid::new();
    let places: Vec<_> = grid
        .places
        .extend([0, 1, 3].map(|len| Place { heights: (0..len).map(|n| n << 40).collect() }))
        .unwrap()
        .collect();
    let cells: Vec<Link<Cell>> = (1..=200).map(|id| Link::from_id(id).unwrap()).collect();
    grid.cells
        .extend((0..200_usize).map(|n| Cell {
            alive: n % 3 == 0,
            energy: n as f64 / 7.0,
            colour: Colour { red: n as u8, green: 200 },
            visits: n as u32 * 1000,
            home: places[n % 3],
            next: (n % 5 != 0).then(|| cells[n * 7 % 200]),
            history: [n as i16, -1, i16::MIN],
            around: cells[n / 2..n / 2 + n % 6].into(),
        }))
        .unwrap();
    grid
}

fn rows<C: ikra::Class>(objects: &Objects<C>) -> Vec<C> {
    objects.iter().collect()
}

#[test]
fn a_world_is_read_as_it_was_written() {
    let before = grid();
    let text = serde_json::to_string(&before).unwrap();
    assert!(!text.contains("ikra"), "{text}");
    let mut after: Grid = serde_json::from_str(&text).unwrap();
    assert_eq!(rows(&before.cells), rows(&after.cells));
    assert_eq!(rows(&before.places), rows(&after.places));
    assert_eq!(serde_json::to_string(&after).unwrap(), text);
    // It is a whole world: links lead to its objects, and it grows.
    let second = Link::<Cell>::from_id(2).unwrap();
    assert_eq!(after.get(second).next().unwrap().link(), before.get(second).next().unwrap().link());
    let row = after.cells.read(second).unwrap();
    assert_eq!(after.cells.push(row).unwrap().id(), 201);
    after.get_mut(second).energy = 2.0;
    assert_eq!(after.get(second).energy(), 2.0);
}

#[test]
fn a_derive_may_depend_on_a_feature() {
    let text = r#"{"places":[{"heights":[1]}]}"#;
    let places: Places = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&places).unwrap(), text);
}

#[test]
fn parts_are_read_as_they_were_written() {
    fn round<T: Serialize + DeserializeOwned + Debug + PartialEq>(value: T, text: &str) {
        assert_eq!(serde_json::to_string(&value).unwrap(), text);
        assert_eq!(serde_json::from_str::<T>(text).unwrap(), value);
    }
    round(Link::<Cell>::from_id(7).unwrap(), "7");
    round(Link::<Cell>::from_id(u32::MAX).unwrap(), "4294967295");
    round(None::<Link<Cell>>, "null");
    round(InnerArray::from([1_u8, 2]), "[1,2]");
    round(InnerArray::<Option<Link<Cell>>>::from([None, Link::from_id(1)]), "[null,1]");
    round(Place { heights: [5].into() }, r#"{"heights":[5]}"#);
}

fn refused<T: DeserializeOwned>(text: &str, because: &str) {
    match serde_json::from_str::<T>(text) {
        Ok(_) => panic!("{text} was accepted"),
        Err(error) => assert!(error.to_string().contains(because), "{text}: {error}"),
    }
}

#[test]
fn what_is_read_is_not_trusted() {
    refused::<Link<Cell>>("0", "nonzero");
    refused::<Link<Cell>>("-1", "nonzero");
    refused::<Link<Cell>>("4294967296", "nonzero");
    refused::<Link<Cell>>("1.5", "nonzero");
    refused::<Option<Link<Cell>>>("0", "nonzero");
    refused::<InnerArray<Link<Cell>>>("[1,0]", "nonzero");
    refused::<InnerArray<u8>>("[256]", "256");
    let place = r#"{"heights":[]}"#;
    refused::<Objects<Place>>(
        &format!("[{place},{place},{place},{place}]"),
        "class Place has `capacity = 3` and cannot hold 4 objects",
    );
    refused::<Objects<Place>>(r#"[{"heights":[1,2,3,4,5,6,7,8,9]}]"#, "the arena of class Place has 64 bytes");
    refused::<Objects<Place>>("3", "a list of objects of class Place");
    refused::<Objects<Place>>(r#"[{"heights":[1]}"#, "EOF");
    refused::<Place>("{}", "missing field");
    let cell = |history: &str| {
        format!(
            r#"{{"alive":true,"energy":0,"colour":{{"red":1,"green":2}},"visits":0,"home":1,"history":{history},"around":[]}}"#
        )
    };
    assert_eq!(serde_json::from_str::<Cell>(&cell("[1,2,3]")).unwrap().history, [1, 2, 3]);
    refused::<Cell>(&cell("[1,2]"), "length");
    refused::<Cell>(&cell("[1,2,3,4]"), "");
    refused::<Grid>(r#"{"cells":[]}"#, "missing field `places`");
    refused::<Grid>(r#"{"cells":[],"places":[],"made_by_new":null}"#, "unknown field");
}

#[test]
fn links_to_nowhere_are_caught_when_they_are_followed() {
    let text = r#"{"cells":[],"places":[]}"#;
    let mut grid: Grid = serde_json::from_str(text).unwrap();
    let stray: Link<Place> = serde_json::from_str("3").unwrap();
    assert!(matches!(grid.try_get(stray), Err(ikra::Error::NotInWorld { id: 3, len: 0, .. })));
    assert!(matches!(grid.try_get_mut(stray), Err(ikra::Error::NotInWorld { id: 3, len: 0, .. })));
}

#[test]
fn objects_that_are_not_initialised_are_not_written() {
    let mut grid = grid();
    grid.cells.reserve(1).unwrap();
    let error = serde_json::to_string(&grid).unwrap_err().to_string();
    assert!(error.contains("object Cell#201 is reserved but not initialised"), "{error}");
}
