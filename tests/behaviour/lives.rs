//! Objects that come and go in kernels and on the host.

use ikra::prelude::*;
use ikra::{Error, Place};

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Sheep {
    pub energy: u32,
    pub mother: Option<Link<Sheep>>,
    #[inline_array(1)]
    pub friends: InnerArray<Link<Sheep>>,
}

#[soa_class]
pub struct Owner {
    pub name: u32,
    pub sheep: Link<Sheep>,
    #[atomic]
    pub seen: u32,
}

#[soa_methods]
impl Sheep {
    #[kernel]
    pub fn graze(&mut self, cost: u32) {
        if self.energy < cost {
            self.remove();
        } else {
            self.energy -= cost;
        }
    }

    #[kernel]
    pub fn breed(&mut self, times: u32, young: Spawn<Sheep>) {
        for n in 0..times {
            let first =
                young.push(Sheep { energy: self.energy * 10 + n, mother: Some(self.link()), friends: [].into() });
            if n == 0 {
                let friends = [first, self.link()].into();
                young.push(Sheep { energy: self.energy * 10 + 5, mother: Some(first), friends });
            }
        }
    }

    #[kernel]
    pub fn replace(&mut self, young: Spawn<Sheep>) -> bool {
        self.leave(young)
    }

    fn leave(&mut self, young: Spawn<Sheep>) -> bool {
        if self.energy % 2 == 1 {
            young.push(Sheep { energy: self.energy + 1, mother: None, friends: [].into() });
            self.remove();
        }
        self.energy % 2 == 1
    }

    #[kernel(reduce(Sum))]
    pub fn weight(&self) -> u32 {
        self.energy
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Meadow {
    pub sheep: Objects<Sheep>,
    pub owners: Objects<Owner>,
}

fn sheep(energy: u32) -> Sheep {
    Sheep { energy, mother: None, friends: [].into() }
}

fn energies(meadow: &Meadow) -> Vec<u32> {
    meadow.sheep.iter().map(|sheep| sheep.energy).collect()
}

#[test]
fn removed_objects_leave_holes_that_new_ones_fill() -> Result<(), Error> {
    let mut meadow = Meadow::new();
    let links: Vec<_> = meadow.sheep.extend((0..10).map(sheep))?.collect();
    meadow.execute(Sheep::graze, 3);
    assert_eq!(energies(&meadow), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(meadow.sheep.len(), 7);
    assert!(meadow.sheep.links().eq(links[3..].iter().copied()));
    assert!(matches!(meadow.try_get(links[0]).map(drop), Err(Error::Removed { id: 1, .. })));
    assert_eq!(meadow.execute_and_reduce(Sheep::weight, (), Sum), 21);
    assert_eq!(meadow.execute_and_collect(Sheep::weight, ()), [0, 1, 2, 3, 4, 5, 6]);
    meadow.over(5..).execute(Sheep::breed, 1);
    // Object 6 + 3 is the fifth: its young fill the lowest ids.
    assert_eq!(meadow.sheep.len(), 11);
    let young = meadow.sheep.read(links[0])?;
    assert_eq!((young.energy, young.mother), (50, Some(links[8])));
    let second = meadow.sheep.read(links[1])?;
    assert_eq!((second.energy, second.mother), (55, Some(links[0])));
    assert_eq!(&second.friends[..], [links[0], links[8]]);
    let last = meadow.sheep.links().last().unwrap();
    assert_eq!(meadow.sheep.read(last)?.friends[..], [links[2], links[9]]);
    Ok(())
}

#[test]
fn links_to_removed_objects_become_empty() -> Result<(), Error> {
    let mut meadow = Meadow::new();
    let a = meadow.sheep.push(sheep(1))?;
    let b = meadow.sheep.push(Sheep { energy: 9, mother: Some(a), friends: [a, a].into() })?;
    meadow.sheep.push(Sheep { energy: 9, mother: Some(b), friends: [a, b, a].into() })?;
    meadow.execute(Sheep::graze, 2);
    let rows: Vec<_> = meadow.sheep.iter().collect();
    assert_eq!((rows[0].mother, rows[0].friends.len()), (None, 0));
    assert_eq!((rows[1].mother, &rows[1].friends[..]), (Some(b), &[b][..]));
    Ok(())
}

#[test]
fn a_link_that_cannot_be_empty_is_an_error_and_nothing_changes() -> Result<(), Error> {
    let mut meadow = Meadow::new();
    let links: Vec<_> = meadow.sheep.extend((0..4).map(sheep))?.collect();
    meadow.owners.push(Owner { name: 1, sheep: links[1], seen: 0 })?;
    let error = meadow.on(Place::Host).execute(Sheep::graze, 2).unwrap_err();
    let Error::LinkToRemoved { class, field, object, target } = error else { panic!("{error}") };
    assert_eq!((class, field, object, target), ("Owner", "sheep", 1, "Sheep"));
    assert_eq!(energies(&meadow), [0, 1, 2, 3], "as before the kernel");
    meadow.remove(links[0])?;
    assert!(meadow.remove(links[1]).is_err());
    assert!(matches!(meadow.remove(links[0]), Err(Error::Removed { .. })));
    Ok(())
}

#[test]
fn several_objects_are_removed_at_once_or_none_of_them() -> Result<(), Error> {
    let mut meadow = Meadow::new();
    let links: Vec<_> = meadow.sheep.extend((0..6).map(sheep))?.collect();
    let friends: Vec<_> = links[..4].to_vec();
    meadow.sheep.push(Sheep { energy: 9, mother: Some(links[2]), friends: friends.into() })?;
    meadow.owners.push(Owner { name: 1, sheep: links[1], seen: 0 })?;
    meadow.remove_all(links[..0].iter().copied())?;
    assert!(matches!(meadow.remove_all([links[0], links[1]]), Err(Error::LinkToRemoved { object: 1, .. })));
    assert_eq!(meadow.sheep.len(), 7, "as before");
    meadow.remove_all([links[3], links[0], links[3], links[2]])?;
    assert_eq!(energies(&meadow), [1, 4, 5, 9]);
    let last = meadow.sheep.iter().last().unwrap();
    assert_eq!((last.mother, &last.friends[..]), (None, &links[1..2]));
    assert!(matches!(meadow.remove_all([links[5], links[0]]), Err(Error::Removed { class: "Sheep", id: 1 })));
    assert_eq!(energies(&meadow), [1, 4, 5, 9]);
    Ok(())
}

#[soa_class]
pub struct Fence {
    pub left: Link<Sheep>,
    pub right: Link<Sheep>,
}

#[soa_world]
pub struct Farm {
    pub sheep: Objects<Sheep>,
    pub fences: Objects<Fence>,
}

/// The object with the lowest id, and its first such field, whichever field is looked at first.
#[test]
fn the_first_link_that_cannot_be_empty_is_named() -> Result<(), Error> {
    let refused = |fences: [(usize, usize); 4]| -> Result<(u32, &'static str), Error> {
        let mut farm = Farm::new();
        let links: Vec<_> = farm.sheep.extend((0..4).map(sheep))?.collect();
        // Enough that several threads look at them.
        let good = (0..20_000).map(|_| (2, 3)).chain(fences);
        farm.fences.extend(good.map(|(left, right)| Fence { left: links[left], right: links[right] }))?;
        let Err(Error::LinkToRemoved { object, field, .. }) = farm.on(Place::Host).execute(Sheep::graze, 2) else {
            panic!("a fence names a sheep that goes")
        };
        assert_eq!(farm.sheep.len(), 4, "as before the kernel");
        Ok((object - 20_000, field))
    };
    assert_eq!(refused([(2, 2), (2, 0), (0, 2), (0, 0)])?, (2, "right"));
    assert_eq!(refused([(3, 2), (3, 3), (1, 0), (2, 0)])?, (3, "left"));
    Ok(())
}

#[test]
fn objects_come_and_go_in_one_kernel() -> Result<(), Error> {
    let mut meadow = Meadow::new();
    meadow.sheep.extend((0..6).map(sheep))?;
    assert_eq!(meadow.execute_and_collect(Sheep::replace, ()), [false, true, false, true, false, true]);
    assert_eq!(energies(&meadow), [0, 2, 4, 2, 4, 6]);
    let moved = meadow.compact::<Sheep>()?;
    assert_eq!(moved.removed(), 0);
    assert_eq!(meadow.sheep.column(sheep::energy), [0, 2, 4, 2, 4, 6]);
    Ok(())
}

/// Compacts whenever an object was removed.
#[soa_class(compact = 1.0)]
pub struct Cell {
    pub value: u32,
    pub next: Option<Link<Cell>>,
}

/// Goes with its cell.
#[soa_class]
pub struct Tag {
    #[soa(on_remove = "cascade")]
    pub cell: Link<Cell>,
    pub number: u32,
}

/// Goes with its tag.
#[soa_class]
pub struct Note {
    #[soa(on_remove = "cascade")]
    pub tag: Link<Tag>,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn split(&mut self, young: Spawn<Cell>, tags: Spawn<Tag>) {
        if self.value > 4 {
            let half = young.push(Cell { value: self.value / 2, next: Some(self.link()) });
            tags.push(Tag { cell: half, number: self.value });
            tags.push(Tag { cell: self.link(), number: self.value });
            self.value -= self.value / 2;
        }
    }
    #[kernel]
    pub fn end(&mut self, value: u32) {
        if self.value == value {
            self.remove();
        }
    }
}

#[soa_world]
pub struct Dish {
    pub cells: Objects<Cell>,
    pub tags: Objects<Tag>,
    pub notes: Objects<Note>,
}

#[test]
fn owners_go_with_the_objects_that_they_need() -> Result<(), Error> {
    let mut dish = Dish::new();
    dish.cells.extend([3, 9, 5].map(|value| Cell { value, next: None }))?;
    dish.execute(Cell::split, ());
    assert_eq!(dish.cells.column(cell::value), [3, 5, 3, 4, 2]);
    let numbers: Vec<_> = dish.tags.iter().map(|tag| (tag.cell.id(), tag.number)).collect();
    assert_eq!(numbers, [(4, 9), (2, 9), (5, 5), (3, 5)]);
    let tags: Vec<_> = dish.tags.links().collect();
    dish.notes.extend([3, 0].map(|n| Note { tag: tags[n] }))?;
    dish.execute(Cell::end, 3);
    assert_eq!(dish.cells.column(cell::value), [5, 4, 2], "compacted by itself");
    let numbers: Vec<_> = dish.tags.iter().map(|tag| (tag.cell.id(), tag.number)).collect();
    assert_eq!(numbers, [(2, 9), (1, 9), (3, 5)]);
    assert_eq!(dish.notes.len(), 1);
    Ok(())
}

#[soa_class]
pub struct Wolf {
    pub age: u32,
    pub rival: Option<BeastLink>,
}
#[soa_class]
pub struct Bear {
    pub age: u32,
    pub cub: Option<Link<Bear>>,
    pub prey: Option<BeastLink>,
}

#[soa_dispatch(Wolf, Bear)]
pub trait Beast {
    #[kernel]
    fn live(&mut self, most: u32, wolves: Spawn<Wolf>, bears: Spawn<Bear>);
    fn years(&self) -> u32;
}
#[soa_methods]
impl Beast for Wolf {
    fn live(&mut self, most: u32, wolves: Spawn<Wolf>, bears: Spawn<Bear>) {
        self.age += 1;
        let pup = wolves.push(Wolf { age: 0, rival: None });
        bears.push(Bear { age: 100 + self.age, cub: None, prey: Some(pup.into()) });
        if self.age > most {
            self.remove();
        }
    }
    fn years(&self) -> u32 {
        self.age
    }
}
#[soa_methods]
impl Beast for Bear {
    fn live(&mut self, most: u32, wolves: Spawn<Wolf>, bears: Spawn<Bear>) {
        self.age += 2;
        let cub = bears.push(Bear { age: 1, cub: None, prey: None });
        self.set_at_end(bear::cub, Some(cub));
        wolves.push(Wolf { age: 50, rival: Some(cub.into()) });
        if self.age > most {
            self.remove();
        }
    }
    fn years(&self) -> u32 {
        self.age
    }
}
#[soa_world]
pub struct Wood {
    pub wolves: Objects<Wolf>,
    pub bears: Objects<Bear>,
}

#[test]
fn kernels_of_traits_make_and_remove_objects() -> Result<(), Error> {
    let mut wood = Wood::new();
    wood.wolves.extend([1, 9].map(|age| Wolf { age, rival: None }))?;
    let bears: Vec<_> = wood.bears.extend([4, 9].map(|age| Bear { age, cub: None, prey: None }))?.collect();
    wood.execute(Beast::live, 9);
    let wolves: Vec<_> = wood.wolves.iter().map(|wolf| (wolf.age, wolf.rival.is_some())).collect();
    assert_eq!(wolves, [(2, false), (0, false), (0, false), (50, true), (50, true)]);
    let ages: Vec<_> = wood.bears.iter().map(|bear| bear.age).collect();
    assert_eq!(ages, [6, 102, 110, 1, 1]);
    let cub = wood.get(bears[0]).cub().expect("set at the end");
    assert_eq!((cub.age(), cub.link().id()), (1, 5));
    let rivals: Vec<_> = wood.wolves.iter().filter_map(|wolf| wolf.rival).map(|link| wood.get(link).years()).collect();
    assert_eq!(rivals, [1, 1]);
    assert_eq!(wood.get(Link::<Bear>::from_id(3).unwrap()).prey().unwrap().years(), 0);
    Ok(())
}

#[test]
fn handles_follow_objects() -> Result<(), Error> {
    let mut meadow = Meadow::new();
    let links: Vec<_> = meadow.sheep.extend((0..6).map(sheep))?.collect();
    let tracked = [0, 3, 5].map(|n| meadow.track(links[n]).unwrap());
    assert_eq!(meadow.track(links[3])?, tracked[1]);
    meadow.execute(Sheep::graze, 1);
    assert_eq!(tracked.map(|handle| meadow.tracked(handle)), [None, Some(links[3]), Some(links[5])]);
    let again = meadow.sheep.push(sheep(50))?;
    meadow.execute(Sheep::breed, 1);
    assert_eq!(meadow.sheep.read(links[0])?.energy, 0, "the id is in use again");
    assert_eq!(meadow.tracked(tracked[0]), None);
    let other = meadow.track(again)?;
    assert_ne!(other, tracked[0]);
    meadow.reorder(&[again, links[5], links[3]])?;
    let found = [tracked[0], tracked[1], tracked[2], other].map(|handle| meadow.tracked(handle).map(Link::id));
    assert_eq!(found, [None, Some(3), Some(2), Some(1)]);
    assert_eq!(size_of_val(&other), 8);
    Ok(())
}

/// A handle names no object of a world that did not make it, nor of objects that took others' place.
#[test]
fn handles_of_other_worlds_name_nothing() -> Result<(), Error> {
    let mut meadow = Meadow::new();
    let links: Vec<_> = meadow.sheep.extend((0..4).map(sheep))?.collect();
    let early = meadow.track(links[1])?;
    let mut copy = meadow.clone();
    let (here, there) = (meadow.track(links[0])?, copy.track(links[3])?);
    assert_ne!(here, there);
    assert_eq!([copy.tracked(early), copy.tracked(here), copy.tracked(there)], [Some(links[1]), None, Some(links[3])]);
    assert_eq!(
        [meadow.tracked(early), meadow.tracked(here), meadow.tracked(there)],
        [Some(links[1]), Some(links[0]), None]
    );
    meadow.sheep = Objects::new();
    let link = meadow.sheep.push(sheep(9))?;
    meadow.track(link)?;
    assert_eq!([early, here].map(|handle| meadow.tracked(handle)), [None, None]);
    Ok(())
}

/// A node of a chain, which goes with the node before it, and with all that it needs.
#[soa_class]
pub struct Ring {
    #[soa(on_remove = "cascade")]
    pub before: Option<Link<Ring>>,
    #[soa(on_remove = "cascade")]
    #[inline_array(2)]
    pub needs: InnerArray<Link<Ring>>,
}

#[soa_world]
pub struct Chains {
    pub rings: Objects<Ring>,
}

/// Chains of owners of any length go, in any order of their ids, in a time that grows with the number of owners.
#[test]
fn long_chains_of_owners_go() -> Result<(), Error> {
    const LEN: u32 = 40_000;
    // The order of ids: a permutation of the nodes, with steps that have no common factor with their number.
    for step in [1, LEN - 1, 7_919] {
        let at = |n: u32| (u64::from(n) * u64::from(step) % u64::from(LEN)) as usize;
        let mut chains = Chains::new();
        let link = |n: u32| Link::<Ring>::from_index(at(n)).expect("it has an id");
        let mut rows = vec![None; LEN as usize];
        for n in 0..LEN {
            // Each fifth node names the one before in its array. Node 1,000 starts another chain, which needs itself.
            let (before, needs) = match n {
                0 => (None, vec![]),
                1_000 => (None, vec![link(1_000)]),
                _ if n % 5 == 0 => (None, vec![link(n.saturating_sub(2)), link(n - 1)]),
                _ => (Some(link(n - 1)), vec![]),
            };
            rows[at(n)] = Some((before, needs));
        }
        let rows = rows.into_iter().map(|row| row.expect("all are set"));
        chains.rings.extend(rows.map(|(before, needs)| Ring { before, needs: needs.into() }))?;
        chains.remove(link(2))?;
        assert_eq!(chains.rings.len(), 2 + LEN as usize - 1_000, "with step {step}");
        assert!(chains.try_get(link(1)).is_ok() && chains.try_get(link(999)).is_err());
        chains.remove(link(1_500))?;
        assert_eq!(chains.rings.len(), 2 + 500, "with step {step}");
    }
    Ok(())
}

/// A pup, which always has a mother.
#[soa_class]
pub struct Pup {
    pub n: u32,
    pub mother: Link<Pup>,
}

#[soa_methods]
impl Pup {
    /// The pup with the number has a child, whose mother is object `index`.
    #[kernel]
    pub fn bear(&mut self, n: u32, index: usize, young: Spawn<Pup>) {
        if self.n == n {
            young.push(Pup { n: 100, mother: Link::from_index(index).expect("an index") });
        }
    }
    #[kernel]
    pub fn adopt(&mut self, n: u32, index: usize, _young: Spawn<Pup>) {
        if self.n == n {
            self.set_at_end(pup::mother, Link::from_index(index).expect("an index"));
        }
    }
    #[kernel]
    pub fn leave(&mut self, n: u32) {
        if self.n == n {
            self.remove();
        }
    }
    #[kernel(reduce(Sum))]
    pub fn mothers(&self) -> u32 {
        self.mother.n()
    }
}

#[soa_world]
pub struct Den {
    pub pups: Objects<Pup>,
}

/// Links that come in with new objects and late stores are looked at, wherever their objects are.
#[test]
fn links_of_new_objects_are_looked_at() -> Result<(), Error> {
    let den = || {
        let mut den = Den::new();
        let pups: Vec<_> = den.pups.reserve(9)?.collect();
        for (n, &pup) in pups.iter().enumerate() {
            den.pups.init(pup, Pup { n: n as u32, mother: pups[(n + 1) % 3] })?;
        }
        Ok::<_, Error>(den)
    };
    // Object 4 has gone. A new object takes its index, so it may name itself.
    for (index, in_row, at_end) in [(1, true, true), (4, true, false), (9, false, false), (1 << 26, false, false)] {
        for (is_late, is_good) in [(false, in_row), (true, at_end)] {
            let mut den = den()?;
            den.execute(Pup::leave, 4);
            assert_eq!(den.execute_and_reduce(Pup::mothers, (), Sum), 3 + 1 + 3);
            if is_late {
                den.execute(Pup::adopt, (8, index));
            } else {
                den.execute(Pup::bear, (8, index));
            }
            match den.on(Place::Host).execute_and_reduce(Pup::mothers, (), Sum) {
                Ok(_) => assert!(is_good, "{index}, {is_late}"),
                Err(Error::BadLink { field: "mother", .. } | Error::LinkToNone { field: "mother", .. }) => {
                    assert!(!is_good, "{index}, {is_late}");
                }
                Err(error) => panic!("{index}, {is_late}: {error}"),
            }
        }
    }
    Ok(())
}
