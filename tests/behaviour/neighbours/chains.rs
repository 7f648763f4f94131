//! Chains of commands, against iterators over rows.

use std::cell::Cell;

use ikra::{Error, Place, Selection, effects, prelude::*};
use proptest::prelude::*;

use super::{on_threads, panic_of};

#[soa_class]
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub number: u32,
    pub weight: f64,
    pub seen: u32,
    pub next: Option<Link<Item>>,
    pub rest: u8,
}

#[soa_class(layout = "tiles")]
#[derive(Clone, Copy, Debug)]
pub struct Tiled {
    pub number: u32,
    pub weight: f64,
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
    /// Reads another object.
    #[kernel]
    pub fn leads_down(&self) -> bool {
        self.next.is_some_and(|next| next.number() < self.number)
    }
    #[kernel(reduce(Sum, Mix))]
    pub fn load(&self, times: f64) -> f64 {
        self.weight * times
    }
    #[kernel(heavy, reduce(Mix))]
    pub fn slow(&self) -> f64 {
        self.weight
    }
    #[kernel]
    pub fn thousand_by(&self) -> u32 {
        1000 / self.number
    }
    #[kernel]
    pub fn nothing(&self) {}
    #[kernel]
    pub fn see(&mut self, by: u32) {
        self.seen += by;
    }
}

#[soa_methods]
impl Tiled {
    #[kernel]
    pub fn divides(&self, modulus: u32, rest: u32) -> bool {
        self.number % modulus == rest
    }
    #[kernel(reduce(Mix))]
    pub fn load(&self) -> f64 {
        self.weight
    }
    #[kernel(reduce(Tally))]
    pub fn tally(&self) -> (u32, u64, u64) {
        let hash = u64::from(self.number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (1, hash, hash)
    }
}

#[soa_world]
pub struct Shelf {
    pub items: Objects<Item>,
    pub tiles: Objects<Tiled>,
}

/// A reducer whose result reveals every change of the order, and whose identity is not neutral.
#[derive(Clone, Copy)]
pub struct Mix;
impl Reducer<f64> for Mix {
    fn identity(&self) -> f64 {
        1.0
    }
    fn combine(&self, a: f64, b: f64) -> f64 {
        a * 0.75 + b * 0.5
    }
}

/// A reducer for which every order has the same result, which shows each value that is lost or counted twice.
#[derive(Clone, Copy)]
pub struct Tally;
impl Reducer<(u32, u64, u64)> for Tally {
    const IS_EXACT: bool = true;
    fn identity(&self) -> (u32, u64, u64) {
        (0, 0, 0)
    }
    fn combine(&self, a: (u32, u64, u64), b: (u32, u64, u64)) -> (u32, u64, u64) {
        (a.0 + b.0, a.1.wrapping_add(b.1), a.2 ^ b.2)
    }
}

/// The order that `Reducer` documents.
fn fold(values: &[f64], heavy: bool) -> f64 {
    let chunk = match values.len() / 8192 {
        wanted if heavy || wanted < 256 => 256,
        wanted => wanted.next_power_of_two().min(8192),
    };
    let into = |values: &[f64], accumulators: usize| {
        let mut sums = vec![Mix.identity(); accumulators];
        for (n, &value) in values.iter().enumerate() {
            sums[n % accumulators] = Mix.combine(sums[n % accumulators], value);
        }
        while sums.len() > 1 {
            let second = sums.split_off(sums.len() / 2);
            sums = sums.iter().zip(second).map(|(&a, b)| Mix.combine(a, b)).collect();
        }
        sums[0]
    };
    // Of many objects, 16 chunks take turns by 1024 objects.
    let turns = if chunk > 1024 { 16 } else { 1 };
    let of_turn = |span: &[f64], turn: usize| -> Vec<f64> {
        let groups = span.chunks(if turns == 1 { chunk } else { 1024 });
        groups.skip(turn).step_by(turns).flatten().copied().collect()
    };
    let spans = values.chunks(chunk * turns).flat_map(|span| (0..turns).map(move |turn| of_turn(span, turn)));
    let parts: Vec<f64> = spans.filter(|chunk| !chunk.is_empty()).map(|chunk| into(&chunk, 32)).collect();
    match parts[..] {
        [] => Mix.identity(),
        [one] => one,
        _ => into(&parts, 256),
    }
}

pub(super) fn shelf(len: u32) -> Shelf {
    let mut shelf = Shelf::new();
    let weight = |n: u32| f64::from(n * 37 % 101) + 0.1;
    let item = |n: u32| Item { number: n * 7 % 1009, weight: weight(n), seen: 0, next: None, rest: 0 };
    let links: Vec<_> = shelf.items.extend((0..len).map(item)).unwrap().collect();
    for n in 0..links.len() {
        if n % 3 > 0 {
            shelf.set(links[n], item::next, Some(links[n * 31 % links.len()]));
        }
    }
    shelf.tiles.extend((0..len).map(|n| Tiled { number: n, weight: weight(n) })).unwrap();
    shelf
}

/// The rows of the objects that exist, with their indices.
pub(super) fn rows(shelf: &Shelf) -> Vec<(u32, Item)> {
    shelf.items.links().map(|link| (link.index() as u32, shelf.items.read(link).unwrap())).collect()
}

fn number_of(all: &[(u32, Item)], link: Link<Item>) -> u32 {
    let place = all.binary_search_by_key(&(link.index() as u32), |row| row.0).expect("it exists");
    all[place].1.number
}

fn indices(selection: &Selection<Item>) -> Vec<u32> {
    selection.links().map(|link| link.index() as u32).collect()
}

/// Compares all ends of a chain with those of iterators. `$among` are the rows among which `$keep` chooses.
macro_rules! ends {
    ($shelf:ident, $over:expr, $among:expr, $keep:expr, [$($chain:tt)*]) => {{
        let (among, keep): (Vec<(u32, Item)>, _) = ($among, $keep);
        let chosen: Vec<(u32, Item)> = among.iter().copied().filter(&keep).collect();
        let value = |row: &(u32, Item)| if keep(row) { row.1.weight * 1.5 } else { Mix.identity() };
        let mixed = fold(&among.iter().map(value).collect::<Vec<_>>(), false);
        let weights: Vec<f64> = chosen.iter().map(|row| row.1.weight * 1.5).collect();
        // On the host.
        prop_assert_eq!($shelf.over($over)$($chain)*.map(Item::load, 1.5).reduce(Mix), mixed);
        prop_assert_eq!($shelf.over($over)$($chain)*.map(Item::load, 1.5).collect(), weights.clone());
        let factor = 3.0;
        let strange: Vec<f64> = weights.iter().map(|weight| weight * factor + 1.0).collect();
        let chain = $shelf.over($over)$($chain)*.map(Item::load, 1.5).map(|load| load * factor).map(|load| load + 1.0).collect();
        prop_assert_eq!(chain, strange);
        let heavy = |row: &(u32, Item)| if keep(row) { row.1.weight } else { Mix.identity() };
        let heavy = fold(&among.iter().map(heavy).collect::<Vec<_>>(), true);
        prop_assert_eq!($shelf.over($over)$($chain)*.map(Item::slow, ()).reduce(Mix), heavy);
        // At a place.
        let mut place = $shelf.on(Place::Host);
        prop_assert_eq!(place.over($over)$($chain)*.map(Item::load, 1.5).reduce(Mix).unwrap(), mixed);
        prop_assert_eq!(place.over($over)$($chain)*.map(Item::load, 1.5).collect().unwrap(), weights);
        prop_assert_eq!(place.over($over)$($chain)*.map(Item::slow, ()).reduce(Mix).unwrap(), heavy);
        // Changes.
        let before: Vec<u32> = rows(&$shelf).iter().map(|row| row.1.seen).collect();
        $shelf.over($over)$($chain)*.execute(Item::see, 1);
        $shelf.on(Place::Host).over($over)$($chain)*.execute(Item::see, 2).unwrap();
        let is_chosen = |index: u32| chosen.binary_search_by_key(&index, |row| row.0).is_ok();
        for ((index, row), before) in rows(&$shelf).into_iter().zip(before) {
            prop_assert_eq!(row.seen - before, if is_chosen(index) { 3 } else { 0 });
        }
        Ok::<_, TestCaseError>(chosen.iter().map(|row| row.0).collect::<Vec<_>>())
    }};
}

/// Compares chains of none to three choices.
macro_rules! chains {
    ($shelf:ident, $over:expr, $among:expr, $below:expr, $modulus:expr, $rest:expr) => {{
        let (among, all): (Vec<_>, _) = ($among, rows(&$shelf));
        let (below, modulus, rest) = ($below, $modulus, $rest);
        let is_below = move |row: &(u32, Item)| row.1.number < below;
        let divides = move |row: &(u32, Item)| row.1.number % modulus == rest;
        let leads_down = |row: &(u32, Item)| row.1.next.is_some_and(|next| number_of(&all, next) < row.1.number);
        ends!($shelf, $over, among.clone(), |_: &_| true, [])?;
        let one = ends!($shelf, $over, among.clone(), is_below, [.select(Item::is_below, below)])?;
        prop_assert_eq!(indices(&$shelf.over($over).select(Item::is_below, below).selection()), one);
        let keep = |row: &_| is_below(row) && divides(row);
        let two = ends!(
            $shelf, $over, among.clone(), keep,
            [.select(Item::is_below, below).select(Item::divides, (modulus, rest))]
        )?;
        let mut place = $shelf.on(Place::Host);
        let found = place.over($over).select(Item::is_below, below).select(Item::divides, (modulus, rest)).selection();
        prop_assert_eq!(indices(&found.unwrap()), two);
        let keep = |row: &_| divides(row) && leads_down(row) && is_below(row);
        let three = ends!(
            $shelf, $over, among.clone(), keep,
            [.select(Item::divides, (modulus, rest)).select(Item::leads_down, ()).select(Item::is_below, below)]
        )?;
        let mut chain = $shelf.over($over);
        let mut chain = chain.select(Item::divides, (modulus, rest));
        let mut chain = chain.select(Item::leads_down, ());
        prop_assert_eq!(indices(&chain.select(Item::is_below, below).selection()), three);
    }};
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn chains_are_iterators(
        len in prop_oneof![0_u32..70, 250_u32..300, 2000_u32..4500],
        threads in 1_usize..4,
        holes in 0_u32..3,
        (start, share) in (0_u32..100, 0_u32..100),
        (below, modulus, rest) in (0_u32..1100, 1_u32..5, 0_u32..4),
    ) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut shelf = shelf(len);
            if holes > 0 {
                for link in shelf.items.links().filter(|link| link.id() % (holes + 2) == 1).collect::<Vec<_>>() {
                    // Links to it become `None`.
                    shelf.remove(link).unwrap();
                }
            }
            let all = rows(&shelf);
            let start = all.len() * start as usize / 100;
            let end = start + (all.len() - start) * share as usize / 100;
            chains!(shelf, .., all.clone(), below, modulus, rest);
            chains!(shelf, start..end, all[start..end].to_vec(), below, modulus, rest);
            chains!(shelf, start.., all[start..].to_vec(), below, modulus, rest);
            let some: Vec<_> = all.iter().copied().filter(|row| row.0 % 5 != share % 5).collect();
            let links: Vec<_> = some.iter().rev().map(|row| Link::from_id(row.0 + 1).unwrap()).collect();
            chains!(shelf, &links, some.clone(), below, modulus, rest);
            let selection: Selection<Item> = links.iter().copied().collect();
            chains!(shelf, &selection, some.clone(), below, modulus, rest);
            Ok(())
        })?;
    }
}

#[test]
fn large_chains_have_the_documented_order() {
    on_threads(|| {
        let len = 3_000_017;
        let mut shelf = Shelf::new();
        let weight = |n: u32| f64::from(n % 1000) * 0.125;
        shelf.tiles.extend((0..len).map(|number| Tiled { number, weight: weight(number) })).unwrap();
        for range in [0..len as usize, 77..len as usize - 5] {
            let value = |n: usize| if n % 3 == 1 { weight(n as u32) } else { Mix.identity() };
            let expected = fold(&range.clone().map(value).collect::<Vec<_>>(), false);
            let chain = shelf.over(range.clone()).select(Tiled::divides, (3, 1)).map(Tiled::load, ()).reduce(Mix);
            assert_eq!(chain, expected);
            let expected: Vec<f64> = range.clone().filter(|n| n % 3 == 1).map(|n| weight(n as u32)).collect();
            assert_eq!(shelf.over(range).select(Tiled::divides, (3, 1)).map(Tiled::load, ()).collect(), expected);
        }
    });
}

/// The host chooses the order of exact reducers.
#[test]
fn exact_reductions_have_every_value_once() {
    let tally = |number: u32| {
        let hash = u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (1, hash, hash)
    };
    let of =
        |numbers: &mut dyn Iterator<Item = u32>| numbers.map(tally).fold(Tally.identity(), |a, b| Tally.combine(a, b));
    on_threads(|| {
        let mut shelf = Shelf::new();
        shelf.tiles.extend((0..200_000).map(|number| Tiled { number, weight: 0.0 })).unwrap();
        let links: Vec<_> = shelf.tiles.links().skip(5).step_by(3).collect();
        for range in [0..0, 7..8, 3..18, 100..131, 1..1000, 130..70_003, 0..200_000] {
            let all = range.start as usize..range.end as usize;
            let chosen = |n: &u32| n % 3 == 1;
            let mut some = shelf.over(all.clone());
            assert_eq!(some.execute_and_reduce(Tiled::tally, (), Tally), of(&mut range.clone()));
            assert_eq!(some.map(Tiled::tally, ()).reduce(Tally), of(&mut range.clone()));
            let mut choice = some.select(Tiled::divides, (3, 1));
            assert_eq!(choice.map(Tiled::tally, ()).reduce(Tally), of(&mut range.clone().filter(chosen)));
            let sum = choice.map(Tiled::tally, ()).map(|one| one.0).reduce(Sum);
            assert_eq!(sum as usize, range.clone().filter(chosen).count());
            let least = choice.map(Tiled::tally, ()).map(|one| one.1).reduce(Min);
            assert_eq!(least, range.clone().filter(chosen).map(|n| tally(n).1).min().unwrap_or(u64::MAX));
            // Results of one byte, of four and of eight are folded in other ways.
            let all = |one: (u32, u64, u64)| (one.1 >> 40) as u32;
            assert_eq!(
                some.map(Tiled::tally, ()).map(all).reduce(Max),
                range.clone().map(|n| all(tally(n))).max().unwrap_or(0)
            );
            assert_eq!(
                some.map(Tiled::tally, ()).map(|one| one.1).reduce(Min),
                range.clone().map(|n| tally(n).1).min().unwrap_or(u64::MAX)
            );
            let last = range.end.wrapping_sub(1);
            let is_last = |one: (u32, u64, u64)| one == tally(last);
            assert_eq!(some.map(Tiled::tally, ()).map(is_last).reduce(Any), !range.is_empty());
        }
        let numbers = || links.iter().map(|link| link.index() as u32);
        assert_eq!(shelf.over(&links).execute_and_reduce(Tiled::tally, (), Tally), of(&mut numbers()));
        let mut some = shelf.over(&links);
        let mut choice = some.select(Tiled::divides, (2, 0));
        assert_eq!(choice.map(Tiled::tally, ()).reduce(Tally), of(&mut numbers().filter(|n| n % 2 == 0)));
    });
    const { assert!(<Sum as Reducer<([u8; 3], i64)>>::IS_EXACT && !<Sum as Reducer<(u8, [f32; 2])>>::IS_EXACT) };
}

/// Of so many objects, chunks take turns.
#[test]
fn chains_whose_chunks_take_turns() {
    let len = 8_400_017;
    let mut shelf = Shelf::new();
    let weight = |n: u32| f64::from(n % 1000) * 0.125;
    shelf.tiles.extend((0..len).map(|number| Tiled { number, weight: weight(number) })).unwrap();
    let range = 77..len as usize - 5;
    let value = |n: usize| if n % 3 == 1 { weight(n as u32) } else { Mix.identity() };
    let expected = fold(&range.clone().map(value).collect::<Vec<_>>(), false);
    assert_eq!(shelf.over(range).select(Tiled::divides, (3, 1)).map(Tiled::load, ()).reduce(Mix), expected);
}

/// Nothing is called before a chain has an end, and no kernel for objects against which an earlier one chose.
#[test]
fn kernels_are_called_only_where_they_must() {
    on_threads(|| {
        let mut shelf = shelf(2000);
        // Some numbers are 0: the kernel after the choice would divide by zero.
        assert!(rows(&shelf).iter().any(|row| row.1.number == 0));
        let _ = shelf.map(Item::thousand_by, ());
        let _ = shelf.select(Item::divides, (0, 0));
        assert!(shelf.select(Item::is_below, 0).map(Item::thousand_by, ()).collect().is_empty());
        let positive = shelf.items.iter().filter(|row| row.number % 2 == 1).map(|row| 1000 / row.number).sum::<u32>();
        assert_eq!(shelf.select(Item::divides, (2, 1)).map(Item::thousand_by, ()).reduce(Sum), positive);
        let message = panic_of(|| shelf.map(Item::thousand_by, ()).collect());
        assert!(message.contains("divide by zero"), "{message}");
        let message = panic_of(|| shelf.on(Place::Host).select(Item::divides, (0, 0)).selection());
        assert!(message.contains("divisor of zero"), "{message}");
        // The first object's panic, and drops of what was made before.
        let calls = std::sync::atomic::AtomicU32::new(0);
        let failing = |number: u32| {
            calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            assert!(number < 500, "too large: {number}");
            vec![number]
        };
        let first = shelf.items.iter().map(|row| row.number).filter(|n| n % 2 == 1).find(|&n| 1000 / n >= 500).unwrap();
        let message =
            panic_of(|| shelf.select(Item::divides, (2, 1)).map(Item::thousand_by, ()).map(failing).collect().len());
        assert_eq!(message, format!("too large: {}", 1000 / first));
        assert!(calls.into_inner() > 0);
        // The world is usable.
        assert_eq!(
            shelf.select(Item::is_below, 7).selection().len(),
            rows(&shelf).iter().filter(|r| r.1.number < 7).count()
        );
    });
}

#[test]
fn empty_and_zero_sized() {
    on_threads(|| {
        let mut empty = Shelf::new();
        assert!(empty.select(Item::is_below, 5).selection().is_empty());
        assert_eq!(empty.select(Item::is_below, 5).map(Item::load, 1.0).reduce(Mix), 1.0);
        assert_eq!(empty.map(Item::load, 1.0).reduce(Mix), 1.0);
        assert_eq!(empty.on(Place::Host).select(Item::is_below, 5).map(Item::load, 1.0).reduce(Mix).unwrap(), 1.0);
        assert!(empty.map(Item::load, 1.0).collect().is_empty());
        let mut shelf = shelf(1000);
        assert_eq!(shelf.select(Item::divides, (2, 0)).map(Item::nothing, ()).collect().len(), 500);
        assert_eq!(shelf.map(Item::nothing, ()).map(|()| 1).reduce(Sum), 1000);
        // Results that own memory.
        let boxes: Vec<Box<u32>> = shelf.select(Item::is_below, 30).map(Item::number_of_it, ()).map(Box::new).collect();
        assert_eq!(boxes.len(), 30);
    });
}

#[test]
fn closures_may_borrow() {
    let mut shelf = shelf(100);
    let names: Vec<String> = (0..2000).map(|n| format!("item {n}")).collect();
    let found =
        shelf.select(Item::is_below, 20).map(Item::number_of_it, ()).map(|n| names[n as usize].as_str()).collect();
    assert!(found.len() > 1 && found.iter().all(|name| name.starts_with("item ")));
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn number_of_it(&self) -> u32 {
        self.number
    }
    #[kernel]
    pub fn tile(&self) -> Tiled {
        Tiled { number: self.number, weight: self.weight }
    }
    #[kernel]
    pub fn is_after(&self, other: Ref<Item>) -> bool {
        self.number > other.number()
    }
}

#[test]
fn rows_become_objects() {
    let mut shelf = shelf(100);
    let before = shelf.tiles.len();
    let made = shelf.over(10..).select(Item::is_below, 500).map(Item::tile, ()).construct().unwrap();
    let expected: Vec<u32> = shelf.items.iter().skip(10).map(|row| row.number).filter(|&n| n < 500).collect();
    assert_eq!(made.len(), expected.len());
    assert_eq!(shelf.tiles.iter().skip(before).map(|row| row.number).collect::<Vec<_>>(), expected);
}

#[test]
fn effects_are_those_of_all_kernels() {
    let mut shelf = shelf(1);
    let mut place = shelf.on(Place::Host);
    let mut chosen = place.select(Item::divides, (1, 0));
    let chain = chosen.select(Item::leads_down, ()).map(Item::slow, ()).effects();
    assert_eq!(chain.kernel(), "Item::divides, Item::leads_down, Item::slow");
    let reads = chain.reads();
    assert!(reads.has(item::number) && reads.has(item::weight) && reads.has(item::next) && !reads.has(item::seen));
    assert!(chain.reads_through_links::<Item>().has(item::number) && chain.is_heavy() && chain.is_pure());
    assert!(!effects(Item::see).is_pure());
    let alone = shelf.map(Item::load, 1.0).effects();
    assert_eq!((alone.kernel(), alone.is_heavy()), ("Item::load", false));
}

#[test]
fn bad_arguments_and_objects_are_errors() {
    let mut shelf = shelf(10);
    let mut other = Shelf::new();
    let far = self::shelf(20).items.links().nth(15).unwrap();
    let error = shelf.on(Place::Host).select(Item::is_after, far).selection().unwrap_err();
    assert!(matches!(error, Error::NotInWorld { class: "Item", id: 16, len: 10 }), "{error}");
    let error = shelf.on(Place::Host).select(Item::is_after, far).map(Item::load, 1.0).reduce(Sum).unwrap_err();
    assert!(matches!(error, Error::NotInWorld { .. }), "{error}");
    assert!(panic_of(|| shelf.select(Item::is_after, far).selection()).contains("Item"));
    let error = shelf.on(Place::Host).over(5..11).select(Item::is_below, 1).map(Item::load, 1.0).collect().unwrap_err();
    assert!(matches!(error, Error::OutOfRange { .. }), "{error}");
    let some = shelf.select(Item::is_below, 2000).selection();
    let error = other.on(Place::Host).over(&some).select(Item::is_below, 1).selection().unwrap_err();
    assert!(matches!(error, Error::NotInWorld { .. }), "{error}");
    // A chain has a result, which a recording does not have.
    let error = shelf.on(Place::Host).record(|sim| sim.select(Item::is_below, 3).execute(Item::see, 1)).unwrap_err();
    assert!(matches!(error, Error::NotRecordable { .. }), "{error}");
    let error = shelf
        .on(Place::Host)
        .record(|sim| sim.select(Item::is_below, 3).map(Item::load, 1.0).reduce(Sum).map(drop))
        .unwrap_err();
    assert!(error.to_string().contains("a reduction, which waits for its result"), "{error}");
}

/// A description can be ended several times, and sees what has changed in between.
#[test]
fn descriptions_are_evaluated_each_time() {
    let mut shelf = shelf(100);
    let count = Cell::new(0);
    let mut low = shelf.select(Item::is_unseen, ());
    for _ in 0..3 {
        let found = low.selection().len();
        low.select(Item::is_below, 100 * (count.get() + 1)).execute(Item::see, 1);
        count.set(count.get() + 1);
        assert!(low.selection().len() < found);
    }
    assert_eq!(
        shelf.items.iter().filter(|row| row.seen == 1).count(),
        shelf.items.iter().filter(|r| r.number < 300).count()
    );
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn is_unseen(&self) -> bool {
        self.seen == 0
    }
}
