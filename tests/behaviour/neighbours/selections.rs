//! Selections, against sets of the standard library.

use std::collections::BTreeSet;

use ikra::{Error, Place, Selection, prelude::*};

use super::on_threads;

#[soa_class]
pub struct Item {
    pub number: u32,
    pub count: u32,
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn divides(&self, modulus: u32, rest: u32) -> bool {
        self.number % modulus == rest
    }
    #[kernel]
    pub fn is_below(&self, end: u32) -> bool {
        self.number < end
    }
    #[kernel]
    pub fn is_in(&self, numbers: &[bool]) -> bool {
        numbers[self.number as usize]
    }
    #[kernel]
    pub fn bump(&mut self) -> bool {
        self.count += 1;
        self.count > 1
    }
    #[kernel]
    pub fn mark(&mut self) {
        self.count += 1;
    }
    #[kernel(reduce(Sum))]
    pub fn counted(&self) -> u32 {
        self.count
    }
}

#[soa_world]
pub struct Shelf {
    pub items: Objects<Item>,
}

fn shelf(len: u32) -> Shelf {
    let mut shelf = Shelf::new();
    shelf.items.extend((0..len).map(|number| Item { number, count: 0 })).unwrap();
    shelf
}

fn ids(selection: &Selection<Item>) -> Vec<u32> {
    selection.links().map(Link::id).collect()
}

#[test]
fn selections_are_what_a_filter_finds() {
    on_threads(|| {
        for len in [0, 1, 63, 64, 5000, 200_001] {
            let mut shelf = shelf(len);
            for (modulus, rest) in [(1, 0), (2, 1), (7, 3), (1, 1), (200_000, 0)] {
                let found = shelf.select(Item::divides, (modulus, rest)).selection();
                let expected: Vec<u32> = (0..len).filter(|n| n % modulus == rest).map(|n| n + 1).collect();
                assert_eq!((found.len(), found.is_empty()), (expected.len(), expected.is_empty()));
                assert_eq!(ids(&found), expected);
                let placed = shelf.on(Place::Host).select(Item::divides, (modulus, rest)).selection().unwrap();
                assert_eq!(ids(&placed), expected);
            }
            let numbers: Vec<bool> = (0..len).map(|n| n / 10 % 3 == 1).collect();
            let found = shelf.select(Item::is_in, numbers.as_slice()).selection();
            assert_eq!(found.len(), numbers.iter().filter(|&&is| is).count());
        }
    });
}

#[test]
fn sets_are_those_of_the_standard_library() {
    let mut shelf = shelf(3000);
    let mut all = Vec::new();
    for (modulus, rest) in [(2, 0), (3, 1), (1, 0), (1, 1), (64, 63)] {
        all.push(shelf.select(Item::divides, (modulus, rest)).selection());
    }
    all.push(shelf.select(Item::is_below, 100).selection());
    all.push(shelf.over(1000..2000).select(Item::divides, (1, 0)).selection());
    for a in &all {
        for b in &all {
            let [x, y] = [a, b].map(|set| ids(set).into_iter().collect::<BTreeSet<_>>());
            assert_eq!(ids(&a.union(b)), x.union(&y).copied().collect::<Vec<_>>());
            assert_eq!(ids(&a.intersection(b)), x.intersection(&y).copied().collect::<Vec<_>>());
            assert_eq!(ids(&a.difference(b)), x.difference(&y).copied().collect::<Vec<_>>());
            for link in shelf.items.links() {
                assert_eq!(a.contains(link), x.contains(&link.id()));
            }
        }
    }
}

#[test]
fn selections_go_where_lists_go() {
    on_threads(|| {
        let mut shelf = shelf(10_000);
        let odd = shelf.select(Item::divides, (2, 1)).selection();
        shelf.over(&odd).execute(Item::mark, ());
        assert_eq!(shelf.over(&odd).execute_and_reduce(Item::counted, (), Sum), 5000);
        assert_eq!(shelf.execute_and_reduce(Item::counted, (), Sum), 5000);
        // Among the selected objects.
        let few = shelf.over(&odd).select(Item::is_below, 10).selection();
        assert_eq!(ids(&few), [2, 4, 6, 8, 10]);
        let again = shelf.on(Place::Host).over(&odd).select(Item::divides, (1, 0)).selection().unwrap();
        assert_eq!(again.len(), 5000);
        assert_eq!(shelf.over(&again.difference(&odd)).execute_and_collect(Item::bump, ()), [true; 0]);
        assert_eq!(shelf.over(3..5).select(Item::divides, (1, 0)).selection().len(), 2);
        let some: Vec<_> = odd.links().take(3).collect();
        assert_eq!(ids(&shelf.over(&some).select(Item::divides, (1, 0)).selection()), [2, 4, 6]);
    });
}

#[test]
fn selections_can_be_made_of_links() {
    let mut shelf = shelf(10);
    let links: Vec<_> = shelf.items.links().collect();
    let some: Selection<Item> = [links[7], links[2], links[7]].into_iter().collect();
    assert_eq!(ids(&some), [3, 8]);
    assert_eq!(format!("{some:?}"), "Selection<Item>(2 objects)");
    shelf.over(&some.clone()).execute(Item::mark, ());
    assert_eq!(shelf.execute_and_reduce(Item::counted, (), Sum), 2);
}

#[test]
fn selections_are_refused_after_ids_have_changed() {
    let mut shelf = shelf(10);
    let old = shelf.select(Item::is_below, 5).selection();
    shelf.retain(Item::divides, (2, 0)).unwrap();
    let new = shelf.select(Item::is_below, 5).selection();
    for set in [&old, &old.union(&new), &new.intersection(&old), &new.difference(&old)] {
        let error = shelf.on(Place::Host).over(set).execute(Item::mark, ()).unwrap_err();
        assert!(matches!(error, Error::StaleList { class: "Item" }), "{error}");
    }
    shelf.on(Place::Host).over(&new).execute(Item::mark, ()).unwrap();
    let mut other = self::shelf(1);
    let error = other.on(Place::Host).over(&new).execute(Item::mark, ()).unwrap_err();
    assert!(matches!(error, Error::NotInWorld { .. }), "{error}");
}

#[test]
fn shuffling_is_the_same_on_any_number_of_threads() {
    let shuffled = |len: u32, seed: u64| {
        let mut shelf = shelf(len);
        let links: Vec<_> = shelf.items.links().collect();
        let moved = shelf.shuffle::<Item>(seed).unwrap();
        let numbers = shelf.items.column(item::number).to_vec();
        for (n, link) in links.into_iter().enumerate() {
            assert_eq!(numbers[moved.link(link).unwrap().index()], n as u32);
        }
        numbers
    };
    let expected = [shuffled(100_000, 1), shuffled(100_000, 2), shuffled(1000, 1), shuffled(7, 1)];
    on_threads(|| {
        assert_eq!(shuffled(100_000, 1), expected[0]);
        assert_eq!(shuffled(7, 1), expected[3]);
    });
    assert_ne!(expected[0], expected[1]);
    for order in expected {
        let mean = |half: &[u32]| half.iter().map(|&n| f64::from(n)).sum::<f64>() / half.len() as f64;
        if order.len() > 10 {
            let (first, last) = order.split_at(order.len() / 2);
            assert!((mean(first) / mean(last) - 1.0).abs() < 0.1);
        }
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..order.len() as u32));
    }
}

#[test]
fn sorting_at_a_place_is_sorting() {
    let mut shelf = shelf(1000);
    shelf.shuffle::<Item>(3).unwrap();
    shelf.on(Place::Host).sort_by_key(Item::number_of, ()).unwrap();
    assert!(shelf.items.column(item::number).iter().copied().eq(0..1000));
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn number_of(&self) -> u32 {
        self.number
    }
}
