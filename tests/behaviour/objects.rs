//! `Objects` and `Link`: the operations of a `Vec`, and links as numbers.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]

use std::collections::{BTreeSet, HashSet};

use ikra::Error;
use ikra::prelude::*;
use ikra_report::WorldLayout;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub tag: u8,
    pub next: Option<Link<Point>>,
    #[atomic]
    pub level: f32,
    #[atomic]
    pub open: bool,
}

impl From<u8> for Point {
    fn from(n: u8) -> Self {
        Self { x: f64::from(n), tag: n, next: None, level: 0.5, open: n.is_multiple_of(2) }
    }
}

#[test]
fn objects_are_a_vec_of_rows() {
    let mut points = Objects::<Point>::new();
    assert!(points.is_empty() && points.capacity() == 0 && points.iter().next().is_none());
    let first = points.push(1.into()).unwrap();
    let more = points.extend((2..=200).map(Point::from)).unwrap();
    assert_eq!((more.len(), points.len(), points.is_empty()), (199, 200, false));
    assert!(points.capacity() >= 200);
    assert!(points.iter().map(|point| point.tag).eq(1..=200));
    assert!(points.iter().rev().map(|point| point.tag).eq((1..=200).rev()));
    assert!((&points).into_iter().eq((1..=200).map(Point::from)));
    assert_eq!(points.iter().len(), 200);

    points.write(first, 77.into()).unwrap();
    assert_eq!(points.read(first).unwrap(), Point::from(77));
    assert_eq!(points.column(point::tag)[..3], [77, 2, 3]);
    points.column_mut(point::x).fill(-0.0);
    assert!(points.iter().all(|point| point.x.is_sign_negative()));
    points.column_mut(point::level)[1] = 8.0;
    points.column_mut(point::open).fill(true);
    assert_eq!(points.copy_column(point::level)[..3], [0.5, 8.0, 0.5]);
    assert!(points.copy_column(point::open).into_iter().all(|open| open));
    points.column_mut(point::next)[3] = Some(first);
    assert_eq!(points.iter().nth(3).unwrap().next, Some(first));
}

#[test]
fn links_iterate_from_both_ends() {
    let mut points = Objects::<Point>::new();
    let links = points.extend((0..10).map(Point::from)).unwrap();
    assert!(links.clone().map(Link::id).eq(1..=10));
    assert!(links.clone().rev().map(Link::index).eq((0..10).rev()));
    assert!(points.links().eq(links.clone()));
    let mut some = links.clone();
    assert_eq!(some.nth(3).map(Link::id), Some(4));
    assert_eq!(some.next_back().map(Link::id), Some(10));
    assert_eq!(some.len(), 5);
    assert_eq!(some.nth(5), None);
    assert_eq!(format!("{:?}", links.take(2).collect::<Vec<_>>()), "[Point#1, Point#2]");
    assert_eq!(points.extend([]).unwrap().next(), None);
}

#[test]
fn links_are_ordered_and_hashed_by_their_ids() {
    let link = |id| Link::<Point>::from_id(id).unwrap();
    assert!(link(1) < link(2) && link(2) == link(2) && link(u32::MAX) > link(1));
    assert_eq!(link(1).max(link(3)), link(3));
    let all = [link(3), link(1), link(3)];
    assert_eq!(all.into_iter().collect::<BTreeSet<_>>().into_iter().map(Link::id).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(all.into_iter().collect::<HashSet<_>>().len(), 2);
    assert_eq!(size_of::<Option<Link<Point>>>(), 4);
    assert_eq!(Link::<Point>::from_index(0).map(Link::id), Some(1));
}

#[test]
fn an_iterator_that_panics_leaves_what_was_added() {
    let mut points = Objects::<Point>::new();
    let rows = (0..10).map(|n| if n == 7 { panic!("seven") } else { Point::from(n) });
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| points.extend(rows).map(drop)));
    assert!(result.is_err());
    assert!(points.iter().map(|point| point.tag).eq(0..7));
}

#[soa_class(capacity = 100)]
#[derive(Clone, Debug, PartialEq)]
pub struct Knot {
    pub tag: u32,
    pub next: Option<Link<Knot>>,
}

#[soa_methods]
impl Knot {
    #[kernel]
    pub fn follow(&mut self) {
        self.tag = self.next.map_or(0, |next| next.link().id());
    }
}

#[soa_world]
pub struct Net {
    pub points: Objects<Point>,
    pub knots: Objects<Knot>,
}

/// Objects from an iterator of unknown length are all added, even if the iterator panics or the room runs out. Their
/// links are checked before a kernel runs, and later objects follow them.
#[test]
fn objects_are_added_as_far_as_they_come() {
    let mut points = Objects::<Point>::new();
    points.push(0.into()).unwrap();
    let grows = (0..1000_u32).filter(|n| n % 2 == 1).map(|n| Point { x: n.into(), ..(n as u8).into() });
    let rows = grows.inspect(|point| assert!(point.x < 900.0));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| points.extend(rows).map(drop)));
    assert!(result.is_err());
    assert_eq!((points.len(), points.column(point::x)[450]), (451, 899.0));
    points.push(7.into()).unwrap();
    assert_eq!(points.iter().map(|point| point.x).sum::<f64>(), 450.0 * 450.0 + 7.0);

    let mut net = Net::new();
    let far = Link::from_index(150);
    let knots = (0..).map(|n| Knot { tag: n, next: if n == 60 { far } else { None } });
    let error = net.knots.extend(knots.filter(|knot| knot.tag < 500)).unwrap_err();
    assert!(matches!(error, Error::CapacityExceeded { requested: 101, .. }), "{error}");
    assert!(net.knots.column(knot::tag).iter().copied().eq(0..100));
    let what = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| net.execute(Knot::follow, ())));
    let what = what.unwrap_err().downcast::<String>().unwrap();
    assert!(what.contains("Knot#61") || what.contains("next"), "{what}");
    net.set(Link::<Knot>::from_index(60).unwrap(), knot::next, Link::from_index(99));
    net.execute(Knot::follow, ());
    assert_eq!(net.knots.column(knot::tag)[60], 100);
}

/// Loops over all objects, through different methods of iterators.
#[test]
fn all_objects_in_every_way() {
    let mut net = Net::new();
    net.points.extend((0..200).map(Point::from)).unwrap();
    let tags = || net.all::<Point>().map(|point| u32::from(point.tag()));
    let mut seen = Vec::new();
    tags().for_each(|tag| seen.push(tag));
    assert!(seen.iter().copied().eq(0..200) && tags().eq(0..200));
    assert_eq!(tags().sum::<u32>(), 199 * 100);
    assert_eq!((tags().count(), tags().len(), tags().max(), tags().last()), (200, 200, Some(199), Some(199)));
    let some = || net.all::<Point>().range(50..60).skip(1);
    assert_eq!((some().count(), some().map(|point| point.tag()).min()), (9, Some(51)));
    assert_eq!(net.all::<Point>().range(200..).fold(3, |_, _| 4), 3);
    assert_eq!((net.all::<Knot>().fold(3, |_, _| 4), net.all::<Knot>().count()), (3, 0));
    // With a live guard as well.
    let guard = net.get_mut(Link::<Point>::from_index(3).unwrap());
    assert_eq!(guard.all::<Point>().map(|point| u32::from(point.tag())).sum::<u32>(), 199 * 100);
    assert_eq!(guard.all::<Point>().count(), 200);
}

#[test]
fn objects_initialise_in_any_order_and_once() {
    let mut points = Objects::<Point>::new();
    points.push(9.into()).unwrap();
    let links: Vec<_> = points.reserve(3).unwrap().collect();
    // Growth does not lose track of the missing objects.
    points.extend((0..200).map(Point::from)).unwrap();
    for &link in links.iter().rev() {
        assert!(matches!(points.read(link), Err(Error::NotInitialized { .. })));
        points.init(link, (link.id() as u8).into()).unwrap();
        assert!(matches!(points.init(link, 0.into()), Err(Error::AlreadyInitialized { .. })));
    }
    let pushed = points.links().next_back().unwrap();
    assert!(matches!(points.init(pushed, 0.into()), Err(Error::AlreadyInitialized { .. })));
    assert_eq!(points.column(point::tag)[..5], [9, 2, 3, 4, 0]);
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C, align(128))]
pub struct Large(pub [u8; 130]);

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Three(pub u8, pub f64, pub u16);

/// A class whose first field is of some type: 16 bytes, 12 bytes (no power of 2), more than a cache line, an atomic, a
/// struct in several columns.
macro_rules! first_field {
    ($module:ident, [$($field:tt)*], $ty:ty, $value:expr, $size:expr, $($options:tt)*) => {
        mod $module {
            use ikra::prelude::*;

            #[allow(unused_imports, reason = "few modules use both")]
            use super::{Large, Three};

            #[soa_class($($options)*)]
            #[derive(Clone, Debug, PartialEq)]
            pub struct Thing {
                $($field)*
                pub first: $ty,
                pub last: u8,
            }

            #[test]
            fn addresses_are_links() {
                let mut things = Objects::<Thing>::new();
                things.extend((0..300).map(|n| Thing { first: $value, last: n as u8 })).unwrap();
                let bits: Vec<u64> = things.links().map(|link| link.to_bits(&things).unwrap()).collect();
                assert!(bits.windows(2).all(|pair| pair[1] - pair[0] >= $size));
                let last = bits[299];
                for n in bits[0] - 200..=last + 400 {
                    let link = bits.binary_search(&n).ok().and_then(Link::from_index);
                    assert_eq!(Link::from_bits(n, &things).ok(), link);
                }
                assert!(things.iter().enumerate().all(|(n, thing)| thing == Thing { first: $value, last: n as u8 }));
            }
        }
    };
    (all $soa:ident $aos:ident $tiles:ident $fixed:ident, $field:tt, $ty:ty, $value:expr, $size:expr) => {
        first_field!($soa, $field, $ty, $value, $size, addressing = "first_field");
        first_field!($aos, $field, $ty, $value, $size, addressing = "first_field", layout = "aos");
        first_field!($tiles, $field, $ty, $value, $size, addressing = "first_field", layout = "tiles");
        first_field!($fixed, $field, $ty, $value, $size, addressing = "first_field", layout = "tiles", tile = 128, capacity = 301);
    };
}
first_field!(all wide_soa wide_aos wide_tiles wide_fixed, [], u128, 5, 16);
first_field!(all vector_soa vector_aos vector_tiles vector_fixed, [], [f32; 3], [1.0, 2.0, 3.0], 12);
first_field!(all large_soa large_aos large_tiles large_fixed, [], Large, Large([7; 130]), 256);
first_field!(all atomic_soa atomic_aos atomic_tiles atomic_fixed, [#[atomic]], u64, 1 << 40, 8);
first_field!(all flat_soa flat_aos flat_tiles flat_fixed, [#[soa(flatten)]], Three, Three(1, 2.0, 3), 1);

/// Classes whose padded tuples are longer than their list of fields, in each layout: nothing follows the last field.
mod many_fields {
    use super::*;

    macro_rules! class {
        ($module:ident, $layout:literal, $count:literal: $($field:ident)+; $last:ident) => {
            mod $module {
                use super::*;

                #[soa_class(layout = $layout)]
                #[derive(Clone, Debug, PartialEq)]
                pub struct Many {
                    $(pub $field: u32,)+
                    pub $last: Option<Link<Many>>,
                }

                #[soa_methods]
                impl Many {
                    #[kernel]
                    pub fn double(&mut self) {
                        $(self.$field *= 2;)+
                        self.$last = None;
                    }
                    #[kernel(pairs, snapshot(f0))]
                    pub fn gather(&mut self, other: Ref<Many>) {
                        self.f0 += other.f0() + u32::from(other.$last().is_some());
                    }
                }

                #[soa_world]
                pub struct Sim {
                    pub many: Objects<Many>,
                }

                #[test]
                fn are_read_and_written() {
                    let mut sim = Sim::new();
                    let row = |last| Many { $($field: stringify!($field).len() as u32,)+ $last: last };
                    let first = sim.many.push(row(None)).unwrap();
                    sim.many.extend((0..99).map(|_| row(Some(first)))).unwrap();
                    assert_eq!(<Many as ikra::ClassInfo>::FIELDS.len(), $count);
                    assert_eq!(sim.many.read(sim.many.links().nth(1).unwrap()).unwrap(), row(Some(first)));
                    sim.execute_pairs(Many::gather, ());
                    assert_eq!(sim.get(first).f0(), 2 + 100 * 2 + 99);
                    sim.get_mut(first).f0 = 2;
                    sim.execute(Many::double, ());
                    let doubled = Many { $($field: 2 * stringify!($field).len() as u32,)+ $last: None };
                    assert_eq!(sim.many.read(first).unwrap(), doubled);
                    assert_eq!(WorldLayout::of(&sim).classes[0].columns.len(), $count);
                    assert_eq!(format!("{:?}", sim.get(first).$last()), "None");
                }
            }
        };
    }
    class! { soa17, "soa", 17: f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 f13 f14 f15; last }
    class! { aos41, "aos", 41: f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 f20 f21 f22 f23 f24 f25 f26 f27 f28 f29 f30 f31 f32 f33 f34 f35 f36 f37 f38 f39; last }
    class! { tiles63, "tiles", 63: f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 f20 f21 f22 f23 f24 f25 f26 f27 f28 f29 f30 f31 f32 f33 f34 f35 f36 f37 f38 f39 f40 f41 f42 f43 f44 f45 f46 f47 f48 f49 f50 f51 f52 f53 f54 f55 f56 f57 f58 f59 f60 f61; last }
}
