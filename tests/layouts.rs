//! `world.layout()`: as data, as a table and as a drawing.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::LayoutKind;
use ikra::prelude::*;

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
    let layout = Sim::new().layout().for_objects(1000);
    let [grows, fixed, rows, tiled] = layout.classes.as_slice() else { panic!("four classes") };
    let names: Vec<&str> = grows.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["alive", "pos.x", "pos.y", "mass", "next"]);
    assert_eq!((grows.bytes_per_object(), grows.bytes(), grows.padding()), (21, 21_000, 0));
    assert!(grows.columns.iter().all(|column| column.offset.is_none() && column.stride == column.size));
    // Like a C struct: 1, 3 of padding, 4, 4, 4 of padding, 8, 4, 4 of padding.
    assert_eq!(rows.columns.iter().map(|column| column.offset.unwrap()).collect::<Vec<_>>(), [0, 4, 8, 16, 24]);
    assert_eq!((rows.block, rows.bytes(), rows.padding()), (32, 32_000, 11_000));
    assert_eq!((tiled.kind, tiled.block, tiled.capacity), (LayoutKind::Tiles(64), 64 * 21, 1024));
    assert_eq!(tiled.bytes(), 16 * 64 * 21);
    assert!(fixed.bytes() >= 4096 * 21 && fixed.bytes() < 4096 * 21 + 8 * 2 * 4096);
    assert_eq!(fixed.clone().for_objects(1 << 20).objects, 4096);
    assert_eq!(layout.bytes(), [grows, fixed, rows, tiled].map(|class| class.bytes()).iter().sum::<usize>());
    assert_eq!(Sim::new().layout().bytes(), fixed.bytes());
}

#[test]
fn table() {
    let text = Sim::new().layout().for_objects(100).classes[2].to_string();
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
        let svg = Sim::new().layout().for_objects(objects).to_svg();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("Option&lt;Link&lt;Grows&gt;&gt;"), "types are escaped");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{objects} objects");
        assert!(svg.len() < 4_000_000);
    }
    // To scale: a column of 8-byte elements is twice as wide as one of 4-byte elements.
    let svg = Sim::new().layout().for_objects(1000).to_svg();
    let width = |colour: &str| -> f64 {
        let line = svg.lines().find(|line| line.contains(&format!("fill=\"{colour}\" stroke=\"none\""))).unwrap();
        line.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!((width("#e15759") / width("#f28e2b") - 2.0).abs() < 1e-3);
}
