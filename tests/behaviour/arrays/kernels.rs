//! Identical kernels for each layout; only the attributes differ.

use ikra::prelude::*;

/// A world whose class stores its array as the attributes specify, and a test of its kernels.
macro_rules! layout {
    ($name:ident, [$($option:tt)*], [$($attribute:tt)*], $array:ty, $lens:expr) => {
        mod $name {
            use super::*;

            #[soa_class($($option)*)]
            #[derive(Clone, Debug, PartialEq)]
            pub struct Thing {
                pub data: i32,
                $($attribute)*
                pub items: $array,
                pub sum: i32,
                #[atomic]
                pub touched: u32,
            }

            #[soa_methods]
            impl Thing {
                #[kernel]
                pub fn add(&mut self) {
                    for i in 0..self.items.len() {
                        self.items[i] += self.data;
                    }
                }
                #[kernel]
                pub fn total(&mut self) {
                    self.sum = self.items.iter().sum::<i32>();
                }
                #[kernel]
                pub fn double(&mut self) {
                    for item in &mut self.items {
                        *item *= 2;
                    }
                    self.touched.add(1);
                }
                /// Numbers the elements from `first` on.
                #[kernel]
                pub fn number(&mut self, first: u32) {
                    let first = self.items.len().min(first as usize);
                    self.items.range_mut(first..).fold(0, |n, item| {
                        *item = n;
                        n + 1
                    });
                    self.sum = self.items.range(first..).rev().fold(0, |sum: i32, item| sum.wrapping_mul(3).wrapping_add(item));
                }
                /// Each element becomes the sum of the elements up to it, so the kernel reads its own writes.
                #[kernel]
                pub fn accumulate(&mut self) {
                    for i in 1..self.items.len() {
                        self.items[i] += self.items[i - 1];
                    }
                }
                /// The next object's elements as they were before.
                #[kernel(snapshot(items))]
                pub fn shift(&mut self, count: u32) {
                    let next = (self.link().index() + 1) % count as usize;
                    let other = self.resolve(Link::<Thing>::from_index(next).unwrap());
                    for i in 0..self.items.len().min(other.items().len()) {
                        self.items[i] = other.items()[i] - 1;
                    }
                }
                #[kernel(reduce(Max))]
                pub fn largest(&self) -> i32 {
                    self.items.iter().max().unwrap_or(i32::MIN)
                }
                pub fn position(&self, wanted: i32) -> Option<usize> {
                    self.items.iter().position(|item| item == wanted)
                }
            }

            #[soa_world]
            pub struct Things {
                pub things: Objects<Thing>,
            }

            /// Plain vectors with the same changes.
            fn expected(lens: &[usize]) -> Vec<Vec<i32>> {
                let mut arrays: Vec<Vec<i32>> =
                    lens.iter().enumerate().map(|(n, &len)| (0..len).map(|i| (n * 10 + i) as i32).collect()).collect();
                for (n, array) in arrays.iter_mut().enumerate() {
                    array.iter_mut().for_each(|item| *item += n as i32);
                    array.iter_mut().for_each(|item| *item *= 2);
                    for i in 1..array.len() {
                        array[i] += array[i - 1];
                    }
                }
                let before = arrays.clone();
                for n in 0..arrays.len() {
                    let next = &before[(n + 1) % before.len()];
                    for i in 0..arrays[n].len().min(next.len()) {
                        arrays[n][i] = next[i] - 1;
                    }
                }
                arrays
            }

            #[test]
            fn kernels_do_what_loops_over_vectors_do() {
                let lens: Vec<usize> = $lens;
                let mut world = Things::new();
                for (n, &len) in lens.iter().enumerate() {
                    let items: Vec<i32> = (0..len).map(|i| (n * 10 + i) as i32).collect();
                    let items = items.try_into().ok().expect("the array has the length of the type");
                    world.things.push(Thing { data: n as i32, items, sum: 0, touched: 0 }).unwrap();
                }
                world.execute(Thing::add, ());
                world.execute(Thing::double, ());
                world.execute(Thing::accumulate, ());
                for round in 0..2 {
                    let mut world = Things::new();
                    for (n, &len) in lens.iter().enumerate() {
                        let items: Vec<i32> = (0..len).map(|i| (n * 10 + i) as i32).collect();
                        let items = items.try_into().ok().expect("the array has the length of the type");
                        world.things.push(Thing { data: n as i32, items, sum: 0, touched: 0 }).unwrap();
                    }
                    world.execute(Thing::add, ());
                    world.execute(Thing::double, ());
                    world.execute(Thing::accumulate, ());
                    if round == 0 {
                        world.execute(Thing::shift, lens.len() as u32);
                    } else {
                        // With two halves, the second sees the writes of the first only at the boundary.
                        world.over(lens.len() / 2..).execute(Thing::shift, lens.len() as u32);
                    }
                    world.execute(Thing::total, ());
                    let expected = expected(&lens);
                    for (n, link) in world.things.links().enumerate() {
                        let thing = world.get(link);
                        if round == 0 || n >= lens.len() / 2 {
                            assert_eq!(thing.items().iter().collect::<Vec<_>>(), expected[n], "object {n}");
                            assert_eq!(thing.sum(), expected[n].iter().sum::<i32>());
                            let row = world.things.read(link).unwrap();
                            assert_eq!(row.items.to_vec(), expected[n]);
                            assert_eq!(format!("{:?}", thing.items()), format!("{:?}", expected[n]));
                            assert_eq!(thing.position(i32::MAX), None);
                            if let Some(last) = thing.items().last() {
                                let place = expected[n].iter().position(|&item| item == last);
                                assert_eq!(thing.position(last), place);
                            }
                            if let Some(slice) = thing.items().as_slice() {
                                assert_eq!(slice, expected[n]);
                            }
                        }
                        assert_eq!(thing.touched().load(), 1);
                    }
                    if round == 0 {
                        let largest = expected.iter().flatten().copied().max().unwrap_or(i32::MIN);
                        assert_eq!(world.execute_and_reduce(Thing::largest, (), Max), largest);
                    }
                }
            }

            #[test]
            fn an_index_out_of_range_panics_with_the_field() {
                let lens: Vec<usize> = $lens;
                let mut world = Things::new();
                let items: Vec<i32> = vec![7; lens[0]];
                let items = items.try_into().ok().unwrap();
                let link = world.things.push(Thing { data: 0, items, sum: 0, touched: 0 }).unwrap();
                let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    world.get(link).items().get(lens[0])
                }))
                .unwrap_err();
                let message = panic.downcast_ref::<String>().unwrap();
                assert!(message.contains("`Thing::items` has"), "{message}");
                assert_eq!(world.get(link).items().try_get(lens[0]), None);
            }

            #[test]
            fn ranges_are_those_of_slices() {
                let lens: Vec<usize> = $lens;
                for first in [0, 1, 3, 4, 5, 6, 30] {
                    let mut world = Things::new();
                    let mut arrays: Vec<Vec<i32>> = lens.iter().map(|&len| vec![7; len]).collect();
                    for array in &arrays {
                        let items = array.clone().try_into().ok().unwrap();
                        world.things.push(Thing { data: 0, items, sum: 0, touched: 0 }).unwrap();
                    }
                    world.execute(Thing::number, first as u32);
                    for (link, array) in world.things.links().zip(&mut arrays) {
                        let first = array.len().min(first);
                        array[first..].iter_mut().zip(0..).for_each(|(item, n)| *item = n);
                        let thing = world.get(link);
                        assert_eq!(thing.items().iter().collect::<Vec<_>>(), *array);
                        assert_eq!(thing.sum(), array[first..].iter().rev().fold(0_i32, |sum, item| sum.wrapping_mul(3).wrapping_add(*item)));
                        let (middle, len) = (array.len() / 2, array.len());
                        assert_eq!(thing.items().range(..middle).collect::<Vec<_>>(), array[..middle]);
                        assert_eq!(thing.items().range(middle..).rev().collect::<Vec<_>>(), array[middle..].iter().rev().copied().collect::<Vec<_>>());
                        assert_eq!(thing.items().range(len..).len(), 0);
                        for range in [len + 1..len + 1, 0..len + 1] {
                            let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                                world.get(link).items().range(range).count()
                            }))
                            .unwrap_err();
                            let message = panic.downcast_ref::<String>().unwrap();
                            assert!(message.contains(&format!("`Thing::items` has {len} elements, so the range")), "{message}");
                        }
                    }
                }
            }

            #[test]
            fn sequential_code_changes_elements() {
                let lens: Vec<usize> = $lens;
                let mut world = Things::new();
                for &len in &lens {
                    let items = vec![1; len].try_into().ok().unwrap();
                    world.things.push(Thing { data: 0, items, sum: 0, touched: 0 }).unwrap();
                }
                for link in world.things.links() {
                    let mut thing = world.get_mut(link);
                    let last = thing.items.len().wrapping_sub(1);
                    if thing.items.len() > 1 {
                        thing.items[last] = 5;
                        thing.items.swap(0, last);
                        thing.items.set(last, 3);
                        assert_eq!((thing.items[0], thing.items[last]), (5, 3));
                    }
                    thing.items.fill(9);
                    assert!(thing.items.iter().all(|item| item == 9));
                }
                for row in &world.things {
                    assert!(row.items.iter().all(|&item| item == 9));
                }
            }
        }
    };
}

const LENS: [usize; 12] = [5, 0, 1, 2, 3, 4, 7, 30, 3, 0, 100, 6];

fn varying() -> Vec<usize> {
    (0..40).map(|n| LENS[n % LENS.len()]).collect()
}

fn fixed(len: usize) -> Vec<usize> {
    vec![len; 200]
}

layout!(soa_full, [], [#[inline_array]], [i32; 5], fixed(5));
layout!(soa_full_one, [], [#[inline_array]], [i32; 1], fixed(1));
layout!(soa_full_capacity, [capacity = 1000], [#[inline_array]], [i32; 5], fixed(5));
layout!(soa_object, [], [#[inline_array(object)]], [i32; 5], fixed(5));
layout!(soa_partial, [], [#[inline_array(4)]], InnerArray<i32>, varying());
layout!(soa_partial_capacity, [capacity = 64], [#[inline_array(4)]], InnerArray<i32>, varying());
layout!(soa_none, [], [#[inline_array(0)]], InnerArray<i32>, varying());
layout!(aos_full, [layout = "aos"], [#[inline_array]], [i32; 5], fixed(5));
layout!(aos_object, [layout = "aos"], [#[inline_array(object)]], [i32; 5], fixed(5));
layout!(aos_partial, [layout = "aos"], [#[inline_array(4)]], InnerArray<i32>, varying());
layout!(aos_none, [layout = "aos"], [#[inline_array(0)]], InnerArray<i32>, varying());
layout!(tiles_full, [layout = "tiles"], [#[inline_array]], [i32; 5], fixed(5));
layout!(tiles_object, [layout = "tiles"], [#[inline_array(object)]], [i32; 5], fixed(5));
layout!(tiles_partial, [layout = "tiles", tile = 64], [#[inline_array(4)]], InnerArray<i32>, varying());
layout!(tiles_none, [layout = "tiles"], [#[inline_array(0)]], InnerArray<i32>, varying());
layout!(soa_partial_large, [arena = 1_000_000], [#[inline_array(64)]], InnerArray<i32>, varying());
