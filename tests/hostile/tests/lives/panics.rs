//! Panics in kernels that make and remove objects, and kernels within such kernels.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, THREADS, hush, on_threads, same_with_any_threads};

#[soa_class]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    pub n: u32,
    pub mother: Option<Link<Cell>>,
    #[inline_array(1)]
    pub kids: InnerArray<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn split(&mut self, bad: u32, young: Spawn<Cell>) {
        let kid = young.push(Cell { n: self.n + 1_000_000, mother: Some(self.link()), kids: [].into() });
        if self.n % 3 == 0 {
            self.remove();
        }
        self.set_at_end(cell::mother, Some(kid));
        assert!(self.n != bad, "on purpose");
        young.push(Cell { n: self.n + 2_000_000, mother: Some(kid), kids: [kid, self.link()].into() });
    }

    /// Catches its own panics.
    #[kernel]
    pub fn try_split(&mut self, young: Spawn<Cell>) {
        young.push(cell(self.n * 10));
        if self.n % 5 == 0 {
            let ended = catch_unwind(AssertUnwindSafe(|| {
                young.push(cell(self.n * 10 + 1));
                self.remove();
                panic!("on purpose");
            }));
            assert!(ended.is_err());
        }
        young.push(cell(self.n * 10 + 2));
    }

    /// Runs kernels of a world of its own meanwhile, on all threads.
    #[kernel(heavy)]
    pub fn nest(&mut self, young: Spawn<Cell>) {
        young.push(cell(self.n * 10));
        let mut inner = Dish::new();
        inner.cells.extend((0..200).map(cell)).unwrap();
        inner.execute(Cell::split, u32::MAX);
        inner.execute(Cell::try_split, ());
        let sum = inner.execute_and_reduce(Cell::number, (), Sum);
        young.push(cell(self.n * 10 + sum));
        if sum % 2 == self.n % 2 {
            self.remove();
        }
    }

    #[kernel(reduce(Sum))]
    pub fn number(&self) -> u32 {
        self.n & 0xff
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Dish {
    pub cells: Objects<Cell>,
}

fn cell(n: u32) -> Cell {
    Cell { n, mother: None, kids: [].into() }
}

fn dish(len: u32) -> Dish {
    let mut dish = Dish::new();
    dish.cells.extend((0..len).map(cell)).unwrap();
    dish
}

fn rows(dish: &Dish) -> Vec<(u32, Cell)> {
    dish.cells.links().map(|link| link.id()).zip(dish.cells.iter()).collect()
}

#[test]
fn nothing_is_born_or_removed_by_a_kernel_that_panics() {
    hush();
    for threads in THREADS {
        on_threads(threads, || {
            let mut dish = dish(MANY as u32);
            let before = rows(&dish);
            for bad in [0, 777, MANY as u32 - 1] {
                let ended = catch_unwind(AssertUnwindSafe(|| dish.execute(Cell::split, bad)));
                assert!(ended.is_err());
                assert_eq!(rows(&dish), before);
            }
            dish.execute(Cell::split, u32::MAX);
            assert_eq!(dish.cells.len(), 3 * MANY - MANY.div_ceil(3));
            // The panicked kernels left nothing behind.
            let second = dish.cells.links().nth(1).unwrap();
            assert_eq!(dish.get(second).mother().unwrap().n(), 2_000_000 - 1_000_000 + 2);
        });
    }
}

#[test]
fn a_panic_that_a_call_catches_changes_nothing_else() {
    hush();
    let found = same_with_any_threads(|| {
        let mut dish = dish(MANY as u32);
        dish.execute(Cell::try_split, ());
        rows(&dish)
    });
    let gone = MANY / 5;
    assert_eq!(found.len(), MANY - gone + 2 * MANY + gone);
    let young: Vec<_> = found[MANY - gone..].iter().map(|(_, cell)| cell.n).collect();
    assert_eq!(young[..8], [0, 1, 2, 10, 12, 20, 22, 30]);
}

#[test]
fn kernels_within_a_kernel_have_their_own_young() {
    let found = same_with_any_threads(|| {
        let mut dish = dish(40);
        dish.execute(Cell::nest, ());
        rows(&dish)
    });
    let tens: Vec<_> = found.iter().rev().take(80).step_by(2).map(|(_, cell)| cell.n).collect();
    assert!(tens.is_sorted_by(|a, b| a > b), "{tens:?}");
}

#[test]
fn a_removal_in_a_kernel_that_panics_leaves_no_mark() {
    hush();
    let mut dish = dish(9);
    assert!(catch_unwind(AssertUnwindSafe(|| dish.execute(Cell::split, 8))).is_err());
    // The next kernel marks no object that the former has marked.
    dish.execute(Cell::try_split, ());
    let left: Vec<_> = rows(&dish).into_iter().filter(|(id, _)| *id <= 9).map(|(_, cell)| cell.n).collect();
    assert_eq!(left, [1, 2, 3, 4, 6, 7, 8]);
}
