//! A kernel with `snapshot` writes some elements of an array, all, or none: unwritten elements keep their values.

use ikra::prelude::*;

/// An operation on an array, applied to vectors here and by kernels below.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    None,
    One,
    Add,
    Set,
    Swap,
    Range,
    Take,
    Back,
    Slice,
    Fill,
    All,
    Reverse,
    Unused,
    Others,
}

const WAYS: [Way; 14] = [
    Way::None,
    Way::One,
    Way::Add,
    Way::Set,
    Way::Swap,
    Way::Range,
    Way::Take,
    Way::Back,
    Way::Slice,
    Way::Fill,
    Way::All,
    Way::Reverse,
    Way::Unused,
    Way::Others,
];

fn way(kind: u32, step: u32) -> Way {
    WAYS[(kind as usize * 5 + step as usize) % WAYS.len()]
}

/// The plain-Rust version of the kernel.
fn renewed(own: &[u32], other: &[u32], kind: u32, step: u32, in_a_row: bool) -> Vec<u32> {
    let (mut now, at) = (own.to_vec(), (kind + step) as usize % own.len());
    let len = own.len();
    match way(kind, step) {
        Way::None | Way::Unused => {}
        Way::One => now[at] = step,
        Way::Add => now[at] += now[0] + step,
        Way::Set => now[at] = now[len - 1],
        Way::Swap => now.swap(0, at),
        Way::Range => now[at..].iter_mut().for_each(|item| *item += 3),
        Way::Take => now.iter_mut().take(at).for_each(|item| *item *= 2),
        Way::Back => *now.last_mut().unwrap() += now[0],
        Way::Slice => {
            if in_a_row {
                now.rotate_left(1);
            }
        }
        Way::Fill => now = vec![own[at]; len],
        Way::All => now = other.to_vec(),
        Way::Reverse => now.reverse(),
        Way::Others => now[at] = other[len - 1 - at],
    }
    now
}

macro_rules! renewed {
    ($test:ident, $class:ident, $world:ident, [$($option:tt)*], [$($form:tt)*], $array:ty) => {
        #[soa_class($($option)*)]
        pub struct $class {
            pub kind: u32,
            pub next: Link<$class>,
            #[inline_array $($form)*]
            pub items: $array,
            pub read: u32,
        }
        #[soa_methods]
        impl $class {
            #[kernel(snapshot(items))]
            pub fn renew(&mut self, step: u32) {
                let (len, next) = (self.items.len(), self.next);
                let at = (self.kind + step) as usize % len;
                match way(self.kind, step) {
                    Way::None => return,
                    Way::One => self.items[at] = step,
                    Way::Add => self.items[at] += self.items[0] + step,
                    Way::Set => self.items.set(at, self.items[len - 1]),
                    Way::Swap => self.items.swap(0, at),
                    Way::Range => self.items.range_mut(at..).for_each(|item| *item += 3),
                    Way::Take => {
                        for item in self.items.iter_mut().take(at) {
                            *item *= 2;
                        }
                    }
                    Way::Back => {
                        let first = self.items[0];
                        if let Some(item) = self.items.iter_mut().next_back() {
                            *item += first;
                        }
                    }
                    Way::Slice => {
                        let rotated = match self.items.as_slice() {
                            Some(items) => [&items[1..], &items[..1]].concat(),
                            None => self.items.iter().collect(),
                        };
                        if let Some(items) = self.items.as_mut_slice() {
                            items.copy_from_slice(&rotated);
                        }
                    }
                    Way::Fill => self.items.fill(self.items[at]),
                    Way::All => {
                        for (n, item) in self.items.iter_mut().enumerate() {
                            *item = next.items().get(n);
                        }
                    }
                    Way::Reverse => {
                        let mut items: Vec<u32> = self.items.iter().collect();
                        items.reverse();
                        self.items.copy_from_slice(&items);
                    }
                    Way::Unused => drop(self.items.range_mut(..)),
                    Way::Others => self.items[at] = next.items()[len - 1 - at],
                }
                // Reads written and unwritten elements.
                self.read = self.items.iter().rev().fold(0, |sum, item| sum * 3 + item);
            }
            #[kernel(pairs, snapshot(items))]
            pub fn meet(&mut self, other: Ref<$class>) {
                let at = other.items()[1] as usize % self.items.len();
                self.items[at] += other.items()[0];
            }
            #[kernel(pairs, snapshot(items))]
            pub fn meet_nobody(&mut self, other: Ref<Nobody>) {
                self.items[0] = other.number();
            }
            #[kernel(reduce(Sum), snapshot(items))]
            pub fn renew_and_count(&mut self, step: u32) -> u32 {
                self.renew(step);
                1
            }
        }
        #[soa_world]
        pub struct $world { pub things: Objects<$class>, pub nobodies: Objects<Nobody> }

        #[test]
        fn $test() {
            for count in [1_usize, 2, 130, 3000] {
                let mut world = $world::new();
                let links: Vec<Link<$class>> = world.things.reserve(count).unwrap().collect();
                let next = |n: usize| (n * 7 + 1) % count;
                let mut expected: Vec<Vec<u32>> = (0..count as u32).map(|n| (0..6).map(|i| n * 10 + i).collect()).collect();
                for n in 0..count {
                    let items = Row::row(&expected[n]);
                    let row = $class { kind: n as u32, next: links[next(n)], items, read: 0 };
                    world.things.init(links[n], row).unwrap();
                }
                let in_a_row = stringify!($($form)* $($option)*).contains("object") || stringify!($($option)*).contains("aos");
                let check = |world: &$world, expected: &[Vec<u32>], what: &str| {
                    for (n, items) in expected.iter().enumerate() {
                        assert_eq!(world.get(links[n]).items().iter().collect::<Vec<_>>(), *items, "{what}: {n} of {count}");
                    }
                };
                let mut reads = vec![0; count];
                let mut after = |world: &$world, expected: &[Vec<u32>], step: u32, some: &dyn Fn(usize) -> bool| -> Vec<Vec<u32>> {
                    let next = |n: usize| &expected[next(n)];
                    let mut after = expected.to_vec();
                    for n in (0..count).filter(|&n| some(n)) {
                        after[n] = renewed(&expected[n], next(n), n as u32, step, in_a_row);
                        if way(n as u32, step) != Way::None {
                            reads[n] = after[n].iter().rev().fold(0, |sum: u32, item| sum * 3 + item);
                        }
                    }
                    assert_eq!(links.iter().map(|link| world.get(*link).read()).collect::<Vec<_>>(), reads, "step {step}");
                    after.iter_mut().flatten().for_each(|item| *item %= 100_000);
                    after
                };
                for step in 0..30 {
                    // Small numbers, so that nothing overflows: as in `after`.
                    let range = count / 3..count - count / 4;
                    let some: Vec<_> = links.iter().copied().filter(|link| link.index() % 3 == 1).collect();
                    expected = match step % 4 {
                        0 => {
                            world.execute($class::renew, step);
                            after(&world, &expected, step, &|_| true)
                        }
                        1 => {
                            world.over(range.clone()).execute($class::renew, step);
                            after(&world, &expected, step, &|n| range.contains(&n))
                        }
                        2 => {
                            world.over(&some).execute($class::renew, step);
                            after(&world, &expected, step, &|n| n % 3 == 1)
                        }
                        _ => {
                            assert_eq!(world.execute_and_reduce($class::renew_and_count, step, Sum), count as u32);
                            after(&world, &expected, step, &|_| true)
                        }
                    };
                    for link in &links {
                        world.get_mut(*link).items.iter_mut().for_each(|item| *item %= 100_000);
                    }
                    check(&world, &expected, &format!("step {step}"));
                }
                if count > 500 {
                    continue;
                }
                for link in &links {
                    world.get_mut(*link).items.iter_mut().for_each(|item| *item %= 100);
                }
                expected.iter_mut().flatten().for_each(|item| *item %= 100);
                let before = expected.clone();
                for (n, own) in expected.iter_mut().enumerate() {
                    for other in before.iter() {
                        let at = other[1] as usize % own.len();
                        own[at] += other[0];
                    }
                    assert_eq!(own.len(), before[n].len());
                }
                world.execute_pairs($class::meet, ());
                check(&world, &expected, "pairs");
                for _ in 0..2 {
                    world.execute_pairs($class::meet_nobody, ());
                    check(&world, &expected, "no pairs");
                }
            }
        }
    };
}

#[soa_class]
pub struct Nobody {
    pub number: u32,
}

/// An array of fixed or variable length.
trait Row {
    fn row(items: &[u32]) -> Self;
}
impl Row for [u32; 6] {
    fn row(items: &[u32]) -> Self {
        items.try_into().unwrap()
    }
}
impl Row for InnerArray<u32> {
    fn row(items: &[u32]) -> Self {
        items.iter().copied().collect()
    }
}

renewed!(in_columns, Columns, ColumnsWorld, [], [], [u32; 6]);
renewed!(as_objects, Whole, WholeWorld, [], [(object)], [u32; 6]);
renewed!(fixed, Fixed, FixedWorld, [capacity = 4096], [], [u32; 6]);
renewed!(in_rows, Rows, RowsWorld, [layout = "aos"], [], [u32; 6]);
renewed!(in_tiles, Tiles, TilesWorld, [layout = "tiles"], [], [u32; 6]);
renewed!(partly, Partly, PartlyWorld, [], [(2)], InnerArray<u32>);

fn copied<K: ikra::rt::Kernel>(_: K) -> u32 {
    K::EFFECTS.copied().bits().count_ones()
}

#[test]
fn only_what_calls_do_not_write_as_a_whole_is_copied_before() {
    assert_eq!(copied(Columns::renew) + copied(Columns::renew_and_count) + copied(Whole::renew), 0);
    assert_eq!(copied(Rows::renew) + copied(Tiles::renew) + copied(Fixed::renew), 0);
    // Its elements are in the arena.
    assert_eq!(copied(Partly::renew), 1);
    // One view per pair; if a call has no pairs, no view.
    assert_eq!((copied(Columns::meet), copied(Whole::meet_nobody)), (1, 1));
}
