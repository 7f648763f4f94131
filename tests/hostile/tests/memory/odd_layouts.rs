//! Elements of odd sizes and large alignments, in each layout: all layouts agree.

use ikra::prelude::*;
use ikra_hostile_tests::same_with_any_threads;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Three {
    pub a: u8,
    pub b: u8,
    pub c: u8,
}
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C, align(64))]
pub struct Line {
    pub a: u8,
}
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Padded {
    pub a: u8,
    pub b: u64,
    pub c: u16,
}

macro_rules! layouts {
    ($($module:ident ($($options:tt)*))*) => { $(
        mod $module {
            use super::*;

            #[soa_class($($options)*)]
            #[derive(Clone, Debug, PartialEq)]
            pub struct Odd {
                pub small: u8,
                pub three: Three,
                #[inline_array(object)]
                pub threes: [Three; 5],
                pub line: Line,
                #[inline_array]
                pub lines: [Line; 2],
                #[inline_array(1)]
                pub list: InnerArray<Three>,
                #[inline_array(0)]
                pub padded: InnerArray<Padded>,
                pub large: u128,
                pub next: Link<Odd>,
            }

            #[soa_methods]
            impl Odd {
                #[kernel]
                pub fn change(&mut self) {
                    self.small = self.small.wrapping_add(self.three.c);
                    self.threes[4].b ^= self.small;
                    self.lines[1].a = self.line.a;
                    for three in &mut self.list { three.c = self.small; }
                    for padded in &mut self.padded { padded.b += 1; padded.c = padded.a.into(); }
                    self.large = self.large.rotate_left(3) + 1;
                }
                #[kernel(snapshot(three, threes, lines, list, large))]
                pub fn shift(&mut self) {
                    self.three = self.next.threes()[0];
                    self.threes[2] = self.next.three();
                    self.lines[0] = self.next.lines()[1];
                    if !self.list.is_empty() { self.list[0] = self.next.list().last().unwrap_or(self.three); }
                    self.large ^= self.next.large();
                }
            }

            #[soa_world]
            pub struct World1 {
                pub all: Objects<Odd>,
            }

            pub fn run() -> Vec<String> {
                let count = 5_001;
                let mut world = World1::new();
                let three = |n: usize| Three { a: n as u8, b: (n >> 3) as u8, c: 7 };
                let row = |n: usize| Odd {
                    small: n as u8,
                    three: three(n),
                    threes: std::array::from_fn(|k| three(n + k)),
                    line: Line { a: n as u8 },
                    lines: [Line { a: 1 }; 2],
                    list: (0..n % 4).map(three).collect(),
                    padded: (0..n % 3).map(|k| Padded { a: k as u8, b: n as u64, c: 0 }).collect(),
                    large: n as u128,
                    next: Link::from_index((n + 13) % count).unwrap(),
                };
                world.all.extend((0..count).map(row)).unwrap();
                let list: Vec<_> = world.all.links().rev().step_by(2).collect();
                for _ in 0..2 {
                    world.execute(Odd::change, ());
                    world.execute(Odd::shift, ());
                    world.over(3..count - 1).execute(Odd::shift, ());
                    world.over(&list).execute(Odd::change, ());
                    world.over(&list).execute(Odd::shift, ());
                }
                let link = list[5];
                let mut guard = world.get_mut(link);
                guard.threes[1].a = 99;
                guard.change();
                drop(guard);
                let copy = world.all.clone();
                assert!(copy.iter().eq(world.all.iter()));
                copy.iter().step_by(97).chain(copy.read(link)).map(|row| format!("{row:?}")).collect()
            }
        }
    )* };
}
layouts! {
    soa ()
    aos (layout = "aos")
    tiles (layout = "tiles")
    fixed_tiles (layout = "tiles", capacity = 5_001)
}

#[test]
fn all_layouts_agree() {
    let expected = same_with_any_threads(soa::run);
    assert!(same_with_any_threads(aos::run) == expected, "aos");
    assert!(same_with_any_threads(tiles::run) == expected, "tiles");
    assert!(fixed_tiles::run() == expected, "tiles with a capacity");
}
