//! Columns of results, as arguments of kernels and by themselves.

use ikra::{Error, Place, Selection, prelude::*};

use super::chains::*;
use super::{on_threads, panic_of};

#[soa_methods]
impl Item {
    #[kernel]
    pub fn add(&mut self, by: Of<u32>) {
        self.seen += *by;
    }
    #[kernel]
    pub fn add_both(&mut self, by: Of<u32>, times: u32, factor: Of<f64>) {
        self.seen += *by * times;
        self.weight *= factor.0;
    }
    #[kernel(reduce(Sum))]
    pub fn weighted(&self, by: Of<f64>) -> f64 {
        *by
    }
    #[kernel]
    pub fn is_odd(&self, number: Of<u32>) -> bool {
        *number % 2 == 1
    }
    #[kernel]
    pub fn element(&self, of: Of<u32>) -> u32 {
        *of
    }
    #[kernel]
    pub fn rest_of(&self) -> u32 {
        u32::from(self.rest)
    }
}

#[test]
fn columns_are_arguments() {
    on_threads(|| {
        for holes in [false, true] {
            let mut shelf = shelf(5000);
            if holes {
                for link in shelf.items.links().filter(|link| link.id() % 1000 == 7).collect::<Vec<_>>() {
                    shelf.remove(link).unwrap();
                }
            }
            let before = rows(&shelf);
            let numbers = shelf.map(Item::number_of_it, ()).column();
            assert_eq!((numbers.len(), numbers.is_empty()), (before.len(), false));
            assert!(numbers.values().iter().eq(before.iter().map(|row| &row.1.number)));
            assert!(numbers.links().map(|link| link.index() as u32).eq(before.iter().map(|row| row.0)));
            let halves = shelf.map(Item::load, 1.0).map(|load| load / 2.0).column();
            shelf.execute(Item::add, &numbers);
            shelf.on(Place::Host).execute(Item::add_both, (&numbers, 3, &halves)).unwrap();
            for ((_, old), (_, new)) in before.iter().zip(rows(&shelf)) {
                assert_eq!((new.seen, new.weight), (4 * old.number, old.weight * (old.weight / 2.0)));
            }
            // Of some objects, for the same ones or fewer.
            let low = shelf.select(Item::is_below, 300).selection();
            let some = shelf.over(&low).map(Item::load, 1.0).column();
            let same = shelf.on(Place::Host).select(Item::is_below, 300).map(Item::load, 1.0).column().unwrap();
            assert_eq!((some.values(), some.len()), (same.values(), low.len()));
            assert!(some.links().eq(low.links()) && some.links().all(|link| some.get(link).is_some()));
            let sum = shelf.over(&low).execute_and_reduce(Item::weighted, &some, Sum);
            assert_eq!(sum, shelf.over(&low).execute_and_reduce(Item::load, 1.0, Sum));
            let fewer = shelf.select(Item::is_below, 10).selection();
            assert!(shelf.over(&fewer).execute_and_collect(Item::weighted, &some).len() == fewer.len());
            let message = panic_of(|| shelf.execute_and_collect(Item::weighted, &some));
            let missing = shelf.items.links().find(|link| !low.contains(*link)).unwrap();
            assert_eq!(some.get(missing), None);
            assert!(message.starts_with(&format!("the column has no element for Item#{}:", missing.id())), "{message}");
            let part = shelf.over(10..20).map(Item::load, 1.0).column();
            assert_eq!(shelf.over(12..20).execute_and_collect(Item::weighted, &part).len(), 8);
            assert!(panic_of(|| shelf.over(12..21).execute_and_collect(Item::weighted, &part)).contains("no element"));
            // In sequential code.
            let object = shelf.get(fewer.links().next().unwrap());
            assert_eq!(object.weighted(some.seen_by(&object)), object.weight());
        }
    });
}

#[test]
fn columns_are_refused_after_changes() {
    let mut shelf = shelf(10);
    let mut other = self::shelf(10);
    let numbers = shelf.map(Item::number_of_it, ()).column();
    let error = other.on(Place::Host).execute(Item::add, &numbers).unwrap_err();
    assert!(matches!(error, Error::StaleColumn { class: "Item" }), "{error}");
    assert!(panic_of(|| other.execute(Item::add, &numbers)).contains("in another world; make it again by `map`"));
    // New objects have no element.
    shelf.items.push(Item { number: 3, weight: 1.0, seen: 0, next: None, rest: 0 }).unwrap();
    let error = shelf.on(Place::Host).execute(Item::add, &numbers).unwrap_err();
    assert!(matches!(error, Error::NoElement { class: "Item", id: 11 }), "{error}");
    assert!(panic_of(|| shelf.over(10..).execute(Item::add, &numbers)).contains("no element for Item#11"));
    shelf.on(Place::Host).over(..10).execute(Item::add, &numbers).unwrap();
    let error = shelf.on(Place::Host).record(|sim| sim.over(..10).execute(Item::add, &numbers)).unwrap_err();
    assert!(matches!(error, Error::NotRecordable { .. }), "{error}");
    shelf.on(Place::Host).repeat(3, |step| step.over(..10).execute(Item::add, &numbers)).unwrap();
    assert!(shelf.items.iter().take(10).all(|row| row.seen == 4 * row.number));
    let first = shelf.items.links().next().unwrap();
    shelf.remove(first).unwrap();
    let error = shelf.on(Place::Host).execute(Item::add, &numbers).unwrap_err();
    assert!(matches!(error, Error::StaleColumn { class: "Item" }), "{error}");
    let error = shelf.on(Place::Host).select(Item::is_below, 2000).map(Item::element, &numbers).collect().unwrap_err();
    assert!(matches!(error, Error::StaleColumn { class: "Item" }), "{error}");
    let none = shelf.select(Item::is_below, 0).map(Item::number_of_it, ()).column();
    assert_eq!((none.len(), none.values()), (0, &[][..]));
    shelf.over(0..0).execute(Item::add, &none);
    let units = shelf.map(Item::nothing, ()).column();
    assert_eq!(units.values().len(), 10);
}

/// A column of the objects that a chain chooses is an argument of a kernel in a chain that chooses these or fewer.
#[test]
fn elements_are_needed_where_kernels_are_called() {
    on_threads(|| {
        for holes in [false, true] {
            let mut shelf = shelf(3000);
            if holes {
                shelf.remove(shelf.items.links().nth(17).unwrap()).unwrap();
            }
            let mut place = shelf.on(Place::Host);
            let low = place.select(Item::is_below, 300).selection().unwrap();
            let some = place.select(Item::is_below, 300).map(Item::load, 1.0).column().unwrap();
            let numbers = place.over(&low).map(Item::number_of_it, ()).column().unwrap();
            let sum = place.select(Item::is_below, 300).map(Item::load, 1.0).reduce(Sum).unwrap();
            let all = some.values().to_vec();
            // In every chain.
            assert_eq!(place.select(Item::is_below, 300).map(Item::weighted, &some).reduce(Sum).unwrap(), sum);
            assert_eq!(place.select(Item::is_below, 300).map(Item::weighted, &some).collect().unwrap(), all);
            let again = place.select(Item::is_below, 300).map(Item::weighted, &some).column().unwrap();
            assert_eq!(again.values(), all);
            place.select(Item::is_below, 300).execute(Item::add, &numbers).unwrap();
            let odd = place.select(Item::is_below, 300).select(Item::is_odd, &numbers).selection().unwrap();
            let chain = place.select(Item::is_below, 300).select(Item::is_odd, &numbers).map(Item::load, 1.0).collect();
            assert!(odd.len() > 10 && chain.unwrap().len() == odd.len());
            // For more objects there is one error, whatever ends the chain.
            let missing = place.select(Item::is_below, 301).selection().unwrap().difference(&low);
            let missing = missing.links().next().unwrap().id();
            let is_error = |error: Error| match error {
                Error::NoElement { class: "Item", id } => assert_eq!(id, missing),
                other => panic!("{other}"),
            };
            is_error(place.select(Item::is_below, 301).map(Item::weighted, &some).reduce(Sum).unwrap_err());
            is_error(place.select(Item::is_below, 301).map(Item::weighted, &some).collect().unwrap_err());
            is_error(place.select(Item::is_below, 301).map(Item::weighted, &some).column().unwrap_err());
            is_error(place.select(Item::is_below, 301).execute(Item::add, &numbers).unwrap_err());
            let mut chain = place.select(Item::is_below, 301);
            is_error(chain.select(Item::is_odd, &numbers).selection().unwrap_err());
            is_error(chain.select(Item::is_odd, &numbers).map(Item::load, 1.0).reduce(Sum).unwrap_err());
            is_error(chain.select(Item::is_odd, &numbers).map(Item::load, 1.0).collect().unwrap_err());
            // The short forms panic.
            assert_eq!(shelf.select(Item::is_below, 300).map(Item::weighted, &some).reduce(Sum), sum);
            let message = panic_of(|| shelf.select(Item::is_below, 301).map(Item::weighted, &some).reduce(Sum));
            assert!(message.starts_with(&format!("the column has no element for Item#{missing}:")), "{message}");
        }
    });
}

/// The kernel that returns its element makes a column the key of a sort, and of groups.
#[test]
fn objects_are_sorted_by_a_column() {
    for place in [None, Some(Place::Host)] {
        let mut shelf = shelf(400);
        shelf.remove(shelf.items.links().nth(3).unwrap()).unwrap();
        let mut expected: Vec<u32> = shelf.items.iter().map(|row| row.number).collect();
        expected.sort_by_key(|number| number % 13);
        // Closures take part in the key.
        let keys = shelf.map(Item::number_of_it, ()).map(|number| number % 13).column();
        let groups = shelf.group_by(Item::element, 13, &keys).unwrap();
        let of_five = Selection::of_group(&groups, 5);
        assert!(of_five.len() > 20 && of_five.links().all(|link| keys.get(link) == Some(5)));
        let moved = match place {
            None => shelf.sort_by_key(Item::element, &keys),
            Some(place) => shelf.on(place).sort_by_key(Item::element, &keys),
        };
        assert_eq!(shelf.items.iter().map(|row| row.number).collect::<Vec<_>>(), expected);
        // The column is of objects that have other ids now; links of before lead to its values.
        assert!(panic_of(|| shelf.execute(Item::add, &keys)).contains("make it again by `map`"));
        let moved = moved.unwrap();
        for (link, key) in keys.links().zip(keys.values()) {
            assert_eq!(shelf.get(moved.link(link).unwrap()).number() % 13, *key);
        }
    }
}

#[test]
fn subsets_of_groups_follow_no_changes() {
    let mut shelf = shelf(50);
    let groups = shelf.group_by(Item::rest_of, 256, ()).unwrap();
    let all = Selection::of_group(&groups, 0);
    assert_eq!((all.len(), Selection::of_group(&groups, 255).len()), (50, 0));
    shelf.over(&all).execute(Item::see, 3);
    assert!(shelf.items.iter().all(|row| row.seen == 3));
    assert!(panic_of(|| Selection::of_group(&groups, 256)).contains("there is no group 256"));
    shelf.shuffle::<Item>(7).unwrap();
    // Also one that is made after the change.
    for stale in [all, Selection::of_group(&groups, 0)] {
        let error = shelf.on(Place::Host).over(&stale).execute(Item::see, 1).unwrap_err();
        assert!(matches!(error, Error::StaleList { class: "Item" }), "{error}");
    }
}
