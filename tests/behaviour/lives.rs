//! Objects that come and go in kernels and on the host.

use ikra::{Error, Place};
use ikra::prelude::*;

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
            let first = young.push(Sheep { energy: self.energy * 10 + n, mother: Some(self.link()), friends: [].into() });
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
    pub fn weight(&self) -> u32 { self.energy }
}

#[soa_world]
#[derive(Clone)]
pub struct Meadow {
    pub sheep: Objects<Sheep>,
    pub owners: Objects<Owner>,
}

fn sheep(energy: u32) -> Sheep { Sheep { energy, mother: None, friends: [].into() } }

fn energies(meadow: &Meadow) -> Vec<u32> { meadow.sheep.iter().map(|sheep| sheep.energy).collect() }

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
