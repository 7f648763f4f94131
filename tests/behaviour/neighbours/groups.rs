//! Groups, against a map of the standard library.

use std::collections::HashMap;

use ikra::{Error, Groups, Place, prelude::*};

use super::{on_threads, panic_of};

#[soa_class]
#[derive(Clone, Copy)]
pub struct Ant {
    pub nest: u32,
    pub weight: u32,
    pub sum: u64,
}

#[soa_class]
pub struct Hill {
    pub number: u32,
    pub heaviest: Option<Link<Ant>>,
}

#[soa_methods]
impl Ant {
    #[kernel]
    pub fn home(&self) -> u32 {
        self.nest
    }
    #[kernel]
    pub fn home_of(&self, nests: u32) -> u32 {
        self.weight % nests
    }
    /// A number that depends on the order.
    #[kernel]
    pub fn mix(&mut self, nests: Groups<Self>, factor: u64) {
        self.sum = 0;
        for other in nests.of(self.nest) {
            self.sum = self.sum.wrapping_mul(factor) + u64::from(other.weight());
        }
    }
    #[kernel(reduce(Max))]
    pub fn neighbours(&self, nests: Groups<Ant>) -> u32 {
        self.count(nests)
    }
    pub fn count(&self, nests: Groups<Ant>) -> u32 {
        nests.of(self.nest).len() as u32
    }
    #[kernel]
    pub fn look_at(&self, nests: Groups<Ant>, key: u32) -> u32 {
        nests.of(key).map(|ant| ant.weight()).sum()
    }
    #[kernel]
    pub fn in_both(&self, some: Groups<Ant>, others: Groups<Ant>) -> bool {
        some.of(self.nest).any(|ant| others.of(self.nest).any(|other| other.link() == ant.link()))
    }
    #[kernel]
    pub fn grows(&self) -> bool {
        self.weight.is_multiple_of(2)
    }
}

#[soa_methods]
impl Hill {
    /// Objects of another class.
    #[kernel]
    pub fn weigh(&mut self, nests: Groups<Ant>) {
        self.heaviest = nests.of(self.number).max_by_key(|ant| ant.weight());
    }
}

#[soa_world]
pub struct Wood {
    pub ants: Objects<Ant>,
    pub hills: Objects<Hill>,
}

#[soa_world]
pub struct OtherWood {
    pub ants: Objects<Ant>,
}

fn ants(len: u32, nests: u32) -> Vec<Ant> {
    let ant = |n: u32| Ant { nest: n.wrapping_mul(2_654_435_761) % nests, weight: n * 7 % 1009, sum: 0 };
    (0..len).map(ant).collect()
}

fn wood(len: u32, nests: u32) -> Wood {
    let mut wood = Wood::new();
    wood.ants.extend(ants(len, nests)).unwrap();
    wood.hills.extend((0..nests).map(|number| Hill { number, heaviest: None })).unwrap();
    wood
}

fn check(groups: &Groups<Ant>, expected: &HashMap<u32, Vec<u32>>, nests: u32) {
    assert_eq!(groups.groups(), nests);
    for nest in 0..nests {
        let ids: Vec<_> = groups.links(nest).map(Link::id).collect();
        assert_eq!(&ids, expected.get(&nest).unwrap_or(&Vec::new()), "nest {nest}");
    }
    assert_eq!(groups.len(), expected.values().map(Vec::len).sum::<usize>());
}

#[test]
fn groups_are_those_of_a_map() {
    on_threads(|| {
        for (len, nests) in [(0, 1), (1, 1), (100, 7), (100, 5000), (20_000, 3), (20_000, 50_000), (40_000, 700)] {
            let mut wood = wood(len, nests);
            let mut expected = HashMap::<_, Vec<_>>::new();
            for (n, ant) in ants(len, nests).iter().enumerate() {
                expected.entry(ant.nest).or_default().push(n as u32 + 1);
            }
            check(&wood.group_by(Ant::home, nests, ()).unwrap(), &expected, nests);
            check(&wood.on(Place::Host).group_by(Ant::home, nests, ()).unwrap(), &expected, nests);
            let even = wood.select(Ant::grows, ()).selection();
            for ids in expected.values_mut() {
                ids.retain(|&id| even.contains(Link::from_id(id).unwrap()));
            }
            check(&wood.over(&even).group_by(Ant::home, nests, ()).unwrap(), &expected, nests);
        }
    });
}

#[test]
fn kernels_iterate_over_groups_in_order() {
    let mut results = Vec::new();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut wood = wood(20_000, 50);
            let groups = wood.group_by(Ant::home, 50, ()).unwrap();
            wood.execute(Ant::mix, (&groups, 31));
            let all = ants(20_000, 50);
            let mut expected = vec![0_u64; 50];
            for ant in &all {
                let sum = &mut expected[ant.nest as usize];
                *sum = sum.wrapping_mul(31) + u64::from(ant.weight);
            }
            for (ant, &sum) in all.iter().zip(wood.ants.column(ant::sum)) {
                assert_eq!(sum, expected[ant.nest as usize]);
            }
            let most = (0..50).map(|nest| groups.links(nest).len()).max().unwrap();
            assert_eq!(wood.execute_and_reduce(Ant::neighbours, &groups, Max) as usize, most);
            wood.execute(Hill::weigh, &groups);
            let heaviest: Vec<_> = wood.hills.column(hill::heaviest).to_vec();
            for (nest, link) in heaviest.iter().enumerate() {
                let weights = all.iter().filter(|ant| ant.nest as usize == nest).map(|ant| ant.weight);
                assert_eq!(Some(wood.get(link.unwrap()).weight()), weights.max());
            }
            results.push(wood.ants.column(ant::sum).to_vec());
        });
    }
    assert!(results.iter().all(|result| *result == results[0]));
}

#[test]
fn two_groups_are_two_arguments() {
    let mut wood = wood(500, 10);
    let all = wood.group_by(Ant::home, 10, ()).unwrap();
    let some = wood.over(..100).group_by(Ant::home, 10, ()).unwrap();
    assert!(wood.execute_and_collect(Ant::in_both, (&all, &some)).into_iter().all(|is| is));
    let none = wood.over(0..0).group_by(Ant::home, 10, ()).unwrap();
    assert!(none.is_empty());
    assert!(wood.execute_and_collect(Ant::in_both, (&all, &none)).into_iter().all(|is| !is));
}

#[test]
fn methods_see_groups_in_sequential_code() {
    let mut wood = wood(100, 4);
    let groups = wood.group_by(Ant::home, 4, ()).unwrap();
    let link = wood.ants.links().nth(10).unwrap();
    let ant = wood.get(link);
    let expected = ants(100, 4).iter().filter(|other| other.nest == ant.nest()).count() as u32;
    assert_eq!(ant.count(groups.seen_by(&ant)), expected);
    let mut ant = wood.get_mut(link);
    let seen = groups.seen_by(&*ant);
    ant.mix(seen, 1);
    assert!(ant.sum > 0);
}

#[test]
fn keys_out_of_range_name_the_object() {
    on_threads(|| {
        for len in [5, 50_000] {
            let mut wood = wood(len, 1);
            let all: Vec<_> = wood.ants.links().collect();
            // The first of several is reported.
            for n in [3, len as usize - 1] {
                wood.set(all[n], ant::nest, n as u32 + 6);
            }
            let error = wood.group_by(Ant::home, 8, ()).unwrap_err();
            assert!(matches!(error, Error::KeyOutOfRange { class: "Ant", id: 4, key: 9, groups: 8 }), "{error}");
            assert!(error.to_string().starts_with("object Ant#4 has key 9, and the keys of 8 groups"), "{error}");
            let error = wood.over(4..).group_by(Ant::home, 8, ()).unwrap_err();
            assert!(matches!(error, Error::KeyOutOfRange { id, .. } if id == len), "{error}");
            assert!(wood.over(4..4).group_by(Ant::home, 0, ()).is_ok());
            assert!(wood.group_by(Ant::home, 0, ()).is_err());
        }
    });
}

#[test]
fn a_key_without_a_group_is_a_panic() {
    let mut wood = wood(5, 3);
    let groups = wood.group_by(Ant::home, 3, ()).unwrap();
    let message = panic_of(|| wood.execute_and_collect(Ant::look_at, (&groups, 3)));
    assert_eq!(message, "there are 3 groups of class Ant, counted from 0, so there is no group 3");
    assert!(panic_of(|| groups.links(3)).contains("no group 3"));
}

#[test]
fn groups_are_refused_after_ids_have_changed() {
    let mut wood = wood(20, 3);
    let groups = wood.group_by(Ant::home, 3, ()).unwrap();
    wood.ants.extend(ants(5, 3)).unwrap();
    let most = (0..3).map(|nest| groups.links(nest).len()).max().unwrap();
    assert_eq!(wood.execute_and_reduce(Ant::neighbours, &groups, Max) as usize, most, "objects were added");
    let mut other = OtherWood::new();
    other.ants.extend(ants(25, 3)).unwrap();
    let message = panic_of(|| other.execute_and_reduce(Ant::neighbours, &groups, Max));
    assert!(message.contains("or in another world"), "{message}");
    let error = other.on(Place::Host).execute(Ant::mix, (&groups, 1)).unwrap_err();
    assert!(matches!(error, Error::StaleGroups { class: "Ant" }), "{error}");
    // The objects themselves move with their world.
    std::mem::swap(&mut wood.ants, &mut other.ants);
    assert_eq!(other.execute_and_reduce(Ant::neighbours, &groups, Max) as usize, most);
    std::mem::swap(&mut wood.ants, &mut other.ants);
    wood.shuffle::<Ant>(1).unwrap();
    let message = panic_of(|| wood.execute_and_reduce(Ant::neighbours, &groups, Max));
    assert!(message.contains("got other ids") && message.contains("`group_by`"), "{message}");
    let link = wood.ants.links().next().unwrap();
    assert!(panic_of(|| groups.seen_by(&wood.get(link))).contains("got other ids"));
}

#[soa_dispatch(Ant, Hill)]
pub trait Watcher {
    #[kernel]
    fn watch(&mut self, nests: Groups<Ant>, bonus: u32);
    fn seen(&self, nests: Groups<Ant>) -> u32;
}

#[soa_methods]
impl Watcher for Ant {
    fn watch(&mut self, nests: Groups<Ant>, bonus: u32) {
        self.sum = u64::from(self.seen(nests) + bonus);
    }
    fn seen(&self, nests: Groups<Ant>) -> u32 {
        nests.of(self.nest).len() as u32
    }
}

#[soa_methods]
impl Watcher for Hill {
    fn watch(&mut self, nests: Groups<Ant>, bonus: u32) {
        self.heaviest = nests.of(self.number).nth(bonus as usize);
    }
    fn seen(&self, nests: Groups<Ant>) -> u32 {
        nests.of(self.number).len() as u32
    }
}

#[test]
fn kernels_of_traits_take_groups() {
    let mut wood = wood(100, 3);
    let groups = wood.group_by(Ant::home, 3, ()).unwrap();
    wood.execute(Watcher::watch, (&groups, 1));
    wood.on(Place::Host).execute(Watcher::watch, (&groups, 1)).unwrap();
    for ant in wood.all::<Ant>() {
        assert_eq!(ant.sum(), groups.links(ant.nest()).len() as u64 + 1);
    }
    for hill in wood.all::<Hill>() {
        assert_eq!(hill.heaviest().map(|ant| ant.link()), groups.links(hill.number()).nth(1));
        assert_eq!(hill.seen(groups.seen_by(&hill)) as usize, groups.links(hill.number()).len());
    }
}

#[soa_methods]
impl Ant {
    #[kernel]
    pub fn die(&mut self, nest: u32) {
        if self.nest == nest {
            self.remove();
        }
    }
    #[kernel]
    pub fn breed(&mut self, young: Spawn<Ant>, nests: Groups<Ant>) {
        if nests.of(self.nest).next().is_some_and(|first| first.link() == self.link()) {
            young.push(Ant { nest: self.nest, weight: 1, sum: 0 });
        }
    }
}

#[test]
fn removed_objects_are_in_no_group() {
    on_threads(|| {
        let mut wood = wood(5000, 4);
        let before = wood.group_by(Ant::home, 4, ()).unwrap();
        let even = wood.select(Ant::grows, ()).selection();
        wood.execute(Ant::die, 1);
        // Also where all objects of the groups are still there: nobody knows which ones were removed.
        let message = panic_of(|| wood.execute_and_reduce(Ant::neighbours, &before, Max));
        assert!(message.contains("were removed"), "{message}");
        let error = wood.on(Place::Host).execute(Ant::mix, (&before, 1)).unwrap_err();
        assert!(matches!(error, Error::StaleGroups { class: "Ant" }), "{error}");
        let error = wood.on(Place::Host).over(&even).execute(Ant::mix, (&before, 1)).unwrap_err();
        assert!(matches!(error, Error::Removed { .. } | Error::StaleGroups { .. }), "{error}");

        let after = wood.group_by(Ant::home, 4, ()).unwrap();
        for nest in 0..4 {
            let expected = before.links(nest).filter(|_| nest != 1);
            assert!(after.links(nest).eq(expected), "nest {nest}");
        }
        let heavy = wood.select(Ant::grows, ()).selection();
        let all: Vec<_> = wood.ants.links().collect();
        let expected = all.iter().copied().filter(|&link| wood.get(link).weight() % 2 == 0);
        assert!(heavy.links().eq(expected));
        assert!(all.iter().all(|&link| heavy.contains(link) == (wood.get(link).weight() % 2 == 0)));
        wood.over(&heavy).execute(Ant::mix, (&after, 1));
        assert!(wood.over(10..20).group_by(Ant::home, 4, ()).unwrap().len() == 10);
        // Others take their places.
        wood.execute(Ant::breed, &after);
        assert_eq!(wood.ants.len(), all.len() + 3);
        assert_eq!(wood.group_by(Ant::home, 4, ()).unwrap().len(), all.len() + 3);
        assert_eq!(
            wood.execute_and_reduce(Ant::neighbours, &after, Max) as usize,
            after.links(0).len().max(after.links(2).len()).max(after.links(3).len())
        );
        wood.set(all[7], ant::nest, 9);
        let error = wood.group_by(Ant::home, 4, ()).unwrap_err();
        assert!(matches!(error, Error::KeyOutOfRange { id, .. } if id == all[7].id()), "{error}");
        wood.set(all[7], ant::nest, 0);
        wood.shuffle::<Ant>(5).unwrap();
        wood.on(Place::Host).sort_by_key(Ant::home, ()).unwrap();
        assert!(wood.ants.column(ant::nest).is_sorted());
    });
}
