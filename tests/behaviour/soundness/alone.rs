//! A kernel cannot detect how many threads run it: its code and all its types are the same for any number.

use std::any::{TypeId, type_name, type_name_of_val};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

use ikra::prelude::*;

#[soa_class]
pub struct Shop {
    #[atomic]
    pub visits: u64,
    #[atomic]
    #[inline_array]
    pub hours: [u64; 2],
}

#[soa_class]
pub struct Visitor {
    pub shop: Link<Shop>,
}

/// The observable properties of a phase, and of objects in it.
fn asked<P: ikra::Phase>(shop: ShopRef<'_, P>) -> u64 {
    let (visits, hours) = (shop.visits(), shop.hours());
    let mut hasher = DefaultHasher::new();
    (type_name::<P>(), TypeId::of::<P>()).hash(&mut hasher);
    (type_name_of_val(&shop), type_name_of_val(&visits), type_name_of_val(&hours)).hash(&mut hasher);
    (size_of_val(&shop), size_of_val(&visits), size_of_val(&hours), align_of_val(&visits)).hash(&mut hasher);
    size_of::<P>().hash(&mut hasher);
    hasher.finish() % 1000
}

#[soa_methods]
impl Visitor {
    #[kernel]
    pub fn visit(&self) {
        let answer = asked(self.shop);
        self.shop.visits().add(answer);
        self.shop.hours().get(1).add(answer);
    }
    #[kernel]
    pub fn meet(&mut self, other: &Mutex<Town>) {
        self.shop.visits().add(1);
        if self.link().id() == 7 {
            other.lock().unwrap().execute(Visitor::visit, ());
        }
        self.shop.hours().get(0).add(1);
    }
}

#[soa_world]
pub struct Town {
    pub shops: Objects<Shop>,
    pub visitors: Objects<Visitor>,
}

fn town(visitors: usize) -> Town {
    let mut town = Town::new();
    let shop = town.shops.push(Shop { visits: 0, hours: [0; 2] }).unwrap();
    town.visitors.extend((0..visitors).map(|_| Visitor { shop })).unwrap();
    town
}

fn counted(town: &mut Town) -> (u64, [u64; 2]) {
    let shop = town.shops.iter().next().unwrap();
    (shop.visits, shop.hours)
}

#[test]
fn kernels_do_not_know_how_many_threads_there_are() {
    let answers = [1, 2, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            // The first count uses one thread, the second uses all.
            [1000, 100_000].map(|count| {
                let mut town = town(count);
                town.execute(Visitor::visit, ());
                let (visits, hours) = counted(&mut town);
                assert_eq!(hours, [0, visits]);
                (visits / count as u64, visits % count as u64)
            })
        })
    });
    assert!(answers.iter().flatten().all(|answer| *answer == answers[0][0]), "{answers:?}");
}

/// A kernel on one thread that runs a kernel on several threads in another world, and vice versa.
#[test]
fn worlds_do_not_take_each_others_threads_for_theirs() {
    let is_long = std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    pool.install(|| {
        for (outer, inner) in [(100, 100_000), (100_000, 100)] {
            for _ in 0..if is_long { 20 } else { 3 } {
                let (mut outer_town, inner_town) = (town(outer), Mutex::new(town(inner)));
                outer_town.execute(Visitor::meet, &inner_town);
                assert_eq!(counted(&mut outer_town), (outer as u64, [outer as u64, 0]));
                let mut inner_town = inner_town.into_inner().unwrap();
                let (visits, hours) = counted(&mut inner_town);
                assert_eq!((visits % inner as u64, hours), (0, [0, visits]));
            }
        }
    });
}

/// A panic ends single-threaded mode: the next kernel may run on several threads.
#[test]
fn a_panic_ends_it() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    pool.install(|| {
        let (mut small, poisoned) = (town(100), Mutex::new(town(1)));
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _held = poisoned.lock().unwrap();
            std::panic::resume_unwind(Box::new(()));
        }));
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| small.execute(Visitor::meet, &poisoned)));
        assert!(failed.is_err());
        let (visits, _) = counted(&mut small);
        let shop = small.shops.links().next().unwrap();
        small.visitors.extend((0..100_000).map(|_| Visitor { shop })).unwrap();
        small.execute(Visitor::meet, &Mutex::new(town(10)));
        assert_eq!(counted(&mut small).0, visits + 100_100);
    });
}
