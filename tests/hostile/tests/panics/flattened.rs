//! Conversions of flattened fields that panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use ikra::prelude::*;
use ikra::rt::Flatten;
use ikra::{Error, Place};

/// A value that can be taken apart, and one that cannot.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(u32)]
enum Kind {
    Good,
    Bomb,
}

impl Flatten for Kind {
    type Parts = (u32,);
    const PART_NAMES: &'static [&'static str] = &["n"];
    fn into_parts(self) -> Self::Parts {
        assert!(self == Self::Good, "taken apart");
        (0,)
    }
    fn from_parts(_: Self::Parts) -> Self {
        Self::Good
    }
}

#[soa_class]
struct Text {
    #[inline_array(0)]
    words: InnerArray<u32>,
    #[soa(flatten)]
    kind: Kind,
}

#[soa_methods]
impl Text {
    #[kernel]
    fn die(&mut self) {
        if self.words.len() == 3 {
            self.remove();
        }
    }
    #[kernel]
    fn bear(&mut self, kind: Kind, young: Spawn<Text>) {
        if self.words[0] == 1 {
            young.push(Text { words: vec![8; 8].into(), kind });
        }
    }
    #[kernel]
    fn add(&mut self) {
        (0..self.words.len()).for_each(|n| self.words[n] += 1);
    }
}

#[soa_world]
struct Shelf {
    texts: Objects<Text>,
}

fn text(word: u32, len: usize, kind: Kind) -> Text {
    Text { words: vec![word; len].into(), kind }
}

fn words(shelf: &Shelf, link: Link<Text>) -> Vec<u32> {
    shelf.texts.read(link).unwrap().words.to_vec()
}

fn panics<T>(work: impl FnOnce() -> T) {
    assert!(catch_unwind(AssertUnwindSafe(|| drop(work()))).is_err());
}

/// The array of an object is written before another field's conversion panics.
#[test]
fn arrays_of_rows_that_panic_are_of_one_object() {
    let mut shelf = Shelf::new();
    let first = shelf.texts.push(text(1, 2, Kind::Good)).unwrap();
    panics(|| shelf.texts.write(first, text(7, 6, Kind::Bomb)));
    let second = shelf.texts.push(text(9, 6, Kind::Good)).unwrap();
    shelf.texts.set_array(text::words, second, &[5; 6]).unwrap();
    let before = words(&shelf, first);
    assert!(before == [7; 6] || before == [1; 2], "{before:?}");
    shelf.execute(Text::add, ());
    assert_eq!(words(&shelf, second), [6; 6]);
    assert_eq!(words(&shelf, first), before.iter().map(|word| word + 1).collect::<Vec<_>>());
}

#[test]
fn arrays_of_young_objects_that_panic_are_of_one_object() {
    let mut shelf = Shelf::new();
    let first = shelf.texts.push(text(1, 2, Kind::Good)).unwrap();
    let gone = shelf.texts.push(text(1, 3, Kind::Good)).unwrap();
    shelf.execute(Text::die, ());
    assert!(shelf.try_get(gone).is_err());
    panics(|| shelf.execute(Text::bear, Kind::Bomb));
    assert_eq!(shelf.texts.len(), 1);
    let second = shelf.texts.push(text(9, 8, Kind::Good)).unwrap();
    shelf.execute(Text::bear, Kind::Good);
    shelf.execute(Text::add, ());
    assert_eq!(words(&shelf, second), [10; 8]);
    assert_eq!(words(&shelf, first), [2; 2]);
}

/// Calls of a conversion until one panics.
static LEFT: AtomicI32 = AtomicI32::new(i32::MAX);

/// A struct with a link, which has so many fields that `Value` makes no conversion.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
struct Wide {
    link: Option<Link<Big>>,
    a: u32,
    b: u32,
    c: u32,
    d: u32,
    e: u32,
    f: u32,
    g: u32,
    h: u32,
    i: u32,
    j: u32,
    k: u32,
    l: u32,
    m: u32,
    n: u32,
    o: u32,
    p: u32,
}

fn wide(link: Option<Link<Big>>) -> Wide {
    Wide { link, a: 0, b: 0, c: 0, d: 0, e: 0, f: 0, g: 0, h: 0, i: 0, j: 0, k: 0, l: 0, m: 0, n: 0, o: 0, p: 0 }
}

impl Flatten for Wide {
    type Parts = (Option<Link<Big>>,);
    const PART_NAMES: &'static [&'static str] = &["link"];
    fn into_parts(self) -> Self::Parts {
        (self.link,)
    }
    fn from_parts((link,): Self::Parts) -> Self {
        assert!(LEFT.fetch_sub(1, Relaxed) > 0, "put together");
        wide(link)
    }
}

#[soa_class]
struct Big {
    number: u32,
    #[soa(flatten)]
    wide: Wide,
}

#[soa_class]
struct Point {
    to: Link<Big>,
}

#[soa_methods]
impl Point {
    #[kernel]
    fn see(&self) -> u32 {
        self.to.number()
    }
}

#[soa_world]
struct Plane {
    bigs: Objects<Big>,
    points: Objects<Point>,
}

/// The links of a class whose turn has not come are those to former ids.
#[test]
fn links_are_checked_after_a_panic_while_they_were_remapped() {
    for calls in [0, 1, 20, 49, 50, 60, 99] {
        let mut plane = Plane::new();
        let bigs: Vec<_> =
            plane.bigs.extend((0..100).map(|number| Big { number, wide: wide(None) })).unwrap().collect();
        plane.points.extend((0..100).map(|n| Point { to: bigs[50 + n % 50] })).unwrap();
        bigs.iter().for_each(|&big| plane.set(big, big::wide, wide(Some(bigs[99]))));
        plane.execute_and_collect(Point::see, ());
        plane.remove_all(bigs[..50].iter().copied()).unwrap();
        plane.execute_and_collect(Point::see, ());
        LEFT.store(calls, Relaxed);
        let moved = catch_unwind(AssertUnwindSafe(|| plane.compact::<Big>().map(drop)));
        LEFT.store(i32::MAX, Relaxed);
        let numbers = plane.on(Place::Host).execute_and_collect(Point::see, ());
        match (moved, numbers) {
            (Ok(_), numbers) => assert_eq!(numbers.unwrap().len(), 100, "{calls} calls"),
            // Nothing has moved, or some link names no object.
            (Err(_), Ok(_)) => {
                let mut links = plane.points.iter().map(|point| point.to);
                assert!(links.all(|to| plane.try_get(to).is_ok()), "{calls} calls");
            }
            (Err(_), Err(error)) => assert!(matches!(error, Error::BadLink { .. }), "{calls} calls: {error}"),
        }
    }
}
