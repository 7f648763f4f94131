//! Layouts: as data, as a table and as a drawing.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::layout::LayoutKind;
use ikra::prelude::*;
use ikra::report::{ClassLayout, WorldLayout};

#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

macro_rules! classes {
    ($($class:ident $options:tt)*) => { $(
        #[soa_class $options]
        pub struct $class {
            pub alive: bool,
            #[soa(flatten)]
            pub pos: Vec2,
            pub mass: f64,
            #[atomic]
            pub next: Option<Link<$class>>,
        }
    )* };
}

classes! { Grows (layout = "soa") Fixed (capacity = 4096) Rows (layout = "aos") Tiled (layout = "tiles") }

#[soa_world]
pub struct Sim {
    pub grows: Objects<Grows>,
    pub fixed: Objects<Fixed>,
    pub rows: Objects<Rows>,
    pub tiled: Objects<Tiled>,
}

#[test]
fn data() {
    let layout = WorldLayout::of(&Sim::new()).for_objects(1000);
    let [grows, fixed, rows, tiled] = layout.classes.as_slice() else { panic!("four classes") };
    let names: Vec<&str> = grows.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["alive", "pos.x", "pos.y", "mass", "next"]);
    assert_eq!((grows.bytes_per_object(), grows.bytes(), grows.padding()), (21, 21_000, 0));
    assert!(grows.columns.iter().all(|column| column.offset.is_none() && column.stride == column.size));
    // Like a C struct: 1, 3 of padding, 4, 4, 4 of padding, 8, 4, 4 of padding.
    assert_eq!(rows.columns.iter().map(|column| column.offset.unwrap()).collect::<Vec<_>>(), [0, 4, 8, 16, 24]);
    assert_eq!((rows.block, rows.bytes(), rows.padding()), (32, 32_000, 11_000));
    assert_eq!((tiled.kind, tiled.block, tiled.capacity), (LayoutKind::Tiles(128), 128 * 21, 1024));
    assert_eq!(tiled.bytes(), 8 * 128 * 21);
    assert!(fixed.bytes() >= 4096 * 21 && fixed.bytes() < 4096 * 21 + 8 * 2 * 4096);
    assert_eq!(fixed.clone().for_objects(1 << 20).objects, 4096);
    assert_eq!(layout.bytes(), [grows, fixed, rows, tiled].map(|class| class.bytes()).iter().sum::<usize>());
    assert_eq!(WorldLayout::of(&Sim::new()).bytes(), fixed.bytes());
}

#[test]
fn table() {
    let text = WorldLayout::of(&Sim::new()).for_objects(100).classes[2].to_string();
    let expected = "\
class Rows: layout aos, addressing zero, 100 objects, 3200 bytes, 1100 of them padding
  column         type                offset  stride  bytes  all objects
  alive          bool                     0      32      1          100
  pos.x          Vec2                     4      32      4          400
  pos.y          Vec2                     8      32      4          400
  mass           f64                     16      32      8          800
  next (atomic)  Option<Link<Rows>>      24      32      4          400";
    assert_eq!(text, expected);
}

#[test]
fn drawing() {
    for objects in [0, 1, 10, 1000, 1_000_000] {
        let svg = WorldLayout::of(&Sim::new()).for_objects(objects).to_svg();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("Option&lt;Link&lt;Grows&gt;&gt;"), "types are escaped");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{objects} objects");
        assert!(svg.len() < 4_000_000);
    }
    // To scale: a column of 8-byte elements is twice as wide as one of 4-byte elements.
    let svg = WorldLayout::of(&Sim::new()).for_objects(1000).to_svg();
    let width = |colour: &str| -> f64 {
        let line = svg.lines().find(|line| line.contains(&format!("fill=\"{colour}\" stroke=\"none\""))).unwrap();
        line.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!((width("#e15759") / width("#f28e2b") - 2.0).abs() < 1e-3);
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C, align(256))]
pub struct Block {
    pub x: u32,
}

macro_rules! aligned {
    ($($class:ident $world:ident $options:tt)*) => { $(
        #[soa_class $options]
        pub struct $class {
            pub byte: u8,
            pub block: Block,
            pub own: Link<$class>,
        }
        #[soa_methods]
        impl $class {
            #[kernel(snapshot(block, own))]
            pub fn step(&mut self) {
                self.block.x += self.own.block().x + u32::from(std::ptr::from_ref(&self.block).addr() % 256 != 0);
                self.own = self.own.own();
            }
        }
        #[soa_world]
        pub struct $world {
            pub all: Objects<$class>,
        }
    )* };
}

aligned! {
    AlignedSoa WorldSoa (layout = "soa") AlignedFixed WorldFixed (capacity = 300)
    AlignedAos WorldAos (layout = "aos", capacity = 300) AlignedTiles WorldTiles (layout = "tiles", capacity = 300, addressing = "first_field")
}

/// Values that want more than a cache line are aligned, and fixed capacities never move.
#[test]
fn alignment_and_fixed_storage() -> Result<(), ikra::Error> {
    macro_rules! check {
        ($($class:ident $world:ident)*) => { $({
            let mut world = $world::new();
            let first = world.all.reserve(1)?.next().unwrap();
            world.all.init(first, $class { byte: 1, block: Block { x: 1 }, own: first })?;
            let (address, capacity) = (first.to_bits(&world.all)?, world.all.capacity());
            world.all.extend((1..300).map(|n| $class { byte: 0, block: Block { x: n }, own: first }))?;
            if ClassLayout::of(&world.all).fixed_capacity.is_some() {
                assert_eq!((first.to_bits(&world.all)?, world.all.capacity()), (address, capacity));
            }
            world.execute($class::step, ());
            let found: Vec<u32> = world.all.copy_column(<$class>::block_column()).iter().map(|block| block.x).collect();
            assert_eq!(found, std::iter::once(2).chain((1..300).map(|n| n + 1)).collect::<Vec<_>>());
        })* };
    }
    check!(AlignedSoa WorldSoa AlignedFixed WorldFixed AlignedAos WorldAos AlignedTiles WorldTiles);
    Ok(())
}

macro_rules! block_columns {
    ($($class:ident $columns:ident)*) => { $(
        impl $class {
            fn block_column() -> ikra::Column<Self, 1> {
                $columns::block
            }
        }
    )* };
}
block_columns! { AlignedSoa aligned_soa AlignedFixed aligned_fixed AlignedAos aligned_aos AlignedTiles aligned_tiles }

#[soa_class(layout = "aos")]
pub struct Route {
    #[inline_array]
    pub stops: [u32; 24],
    #[inline_array(2)]
    pub fares: InnerArray<u16>,
    #[inline_array]
    pub one: [u8; 1],
}
#[soa_world]
pub struct Routes {
    pub routes: Objects<Route>,
}

#[test]
fn slots_are_one_row() {
    let layout = WorldLayout::of(&Routes::new()).for_objects(10);
    assert_eq!(layout.classes[0].columns.len(), 28);
    let text = layout.classes[0].to_string();
    let rows: Vec<Vec<&str>> = text.lines().skip(2).map(|line| line.split("  ").map(str::trim).collect()).collect();
    let cells = |row: &[&str]| row.iter().filter(|cell| !cell.is_empty()).map(|cell| (*cell).to_owned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
    assert_eq!(rows[0], ["stops[0..24]", "[u32; 24]", "0", "112", "24 × 4", "960"]);
    assert!(rows.iter().any(|row| row[0] == "fares[0..2]" && row[4..] == ["2 × 2", "40"]), "{text}");
    assert!(rows.iter().any(|row| row[0] == "one[0]" && row[4..] == ["1", "10"]), "{text}");
    assert!(rows.len() <= 5, "{text}");
}
