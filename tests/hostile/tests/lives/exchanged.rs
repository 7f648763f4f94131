//! Worlds, columns and handles that are exchanged while classes have removed objects.

use std::mem;

use ikra::{Error, LinkList, Place, prelude::*};

#[soa_class]
#[derive(Clone)]
pub struct Bee {
    pub n: u32,
    pub next: Option<Link<Bee>>,
}
#[soa_class(compact = 1.0)]
#[derive(Clone)]
pub struct Comb {
    pub n: u32,
}

#[soa_methods]
impl Bee {
    #[kernel]
    pub fn end(&mut self, n: u32) {
        if self.n == n {
            self.remove();
        }
    }
    #[kernel]
    pub fn swarm(&mut self, young: Spawn<Bee>) {
        young.push(Bee { n: self.n + 10, next: Some(self.link()) });
    }
    #[kernel]
    pub fn add(&mut self) {
        self.n += self.next.map_or(100, |next| next.link().id());
    }
}
#[soa_methods]
impl Comb {
    #[kernel]
    pub fn end(&mut self, n: u32) {
        if self.n == n {
            self.remove();
        }
    }
    #[kernel]
    pub fn add(&mut self) {
        self.n += 100;
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Hive {
    pub bees: Objects<Bee>,
    pub combs: Objects<Comb>,
}

fn hive(len: u32) -> Hive {
    let mut hive = Hive::new();
    hive.bees.extend((0..len).map(|n| Bee { n, next: None })).unwrap();
    hive
}

fn numbers(hive: &Hive) -> Vec<(u32, u32)> {
    hive.bees.links().map(Link::id).zip(hive.bees.iter().map(|bee| bee.n)).collect()
}

#[test]
fn holes_go_with_the_objects() -> Result<(), Error> {
    let (mut a, mut b) = (hive(4), hive(3));
    a.execute(Bee::end, 1);
    let link = a.bees.links().next().unwrap();
    let tracked = a.track(link)?;
    mem::swap(&mut a.bees, &mut b.bees);
    assert_eq!((numbers(&a), numbers(&b)), (vec![(1, 0), (2, 1), (3, 2)], vec![(1, 0), (3, 2), (4, 3)]));
    assert_eq!((a.tracked(tracked), b.tracked(tracked)), (None, Some(link)));
    b.execute(Bee::swarm, ());
    assert_eq!(numbers(&b), [(1, 0), (2, 10), (3, 2), (4, 3), (5, 12), (6, 13)]);
    a.execute(Bee::swarm, ());
    assert_eq!(a.bees.len(), 6);
    mem::swap(&mut a, &mut b);
    a.execute(Bee::add, ());
    b.execute(Bee::add, ());
    let taken = mem::take(&mut a.bees);
    assert_eq!(a.tracked(tracked), None);
    a.execute(Bee::swarm, ());
    a.bees = taken;
    a.execute(Bee::end, 100);
    assert_eq!(a.tracked(tracked), None, "it was removed");
    Ok(())
}

#[test]
fn a_clone_has_the_same_holes_and_handles() -> Result<(), Error> {
    let mut a = hive(5);
    let links: Vec<_> = a.bees.links().collect();
    let tracked = a.track(links[4])?;
    a.execute(Bee::end, 1);
    let mut b = a.clone();
    b.execute(Bee::swarm, ());
    a.remove(links[4])?;
    assert_eq!((a.tracked(tracked), b.tracked(tracked)), (None, Some(links[4])));
    a.execute(Bee::swarm, ());
    assert_eq!(numbers(&a), [(1, 0), (2, 10), (3, 2), (4, 3), (5, 12), (6, 13)]);
    assert_eq!(numbers(&b), [(1, 0), (2, 10), (3, 2), (4, 3), (5, 4), (6, 12), (7, 13), (8, 14)]);
    Ok(())
}

#[test]
fn recordings_and_lists_of_before_are_refused() -> Result<(), Error> {
    let mut hive = hive(5);
    let recording = hive.on(Place::Host).record(|on| on.execute(Bee::add, ()))?;
    hive.on(Place::Host).replay(&recording)?;
    hive.execute(Bee::end, 102);
    assert!(matches!(hive.on(Place::Host).replay(&recording), Err(Error::StaleRecording { .. })));
    // The young fill the hole; the recording is of before.
    let one: Vec<_> = hive.bees.links().take(1).collect();
    hive.over(&one).execute(Bee::swarm, ());
    assert_eq!(hive.bees.len(), 5);
    assert!(matches!(hive.on(Place::Host).replay(&recording), Err(Error::StaleRecording { .. })));
    for refused in [
        hive.on(Place::Host).record(|on| on.execute(Bee::end, 1)),
        hive.on(Place::Host).record(|on| on.execute(Bee::swarm, ())),
    ] {
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("a kernel that makes or removes objects"), "{message}");
    }
    assert_eq!(hive.bees.len(), 5);
    Ok(())
}

/// A class that compacts by itself: the same numbers name other objects.
#[test]
fn a_slice_of_links_is_a_new_list_after_a_compaction() -> Result<(), Error> {
    let mut hive = Hive::new();
    let links: Vec<_> = hive.combs.extend((0..5).map(|n| Comb { n }))?.collect();
    let list = LinkList::new(&links[1..3])?;
    hive.over(&links[1..3]).execute(Comb::add, ());
    hive.execute(Comb::end, 0);
    hive.over(&links[1..3]).execute(Comb::add, ());
    assert_eq!(hive.combs.column(comb::n), [101, 202, 103, 4]);
    assert!(hive.on(Place::Host).over(&list).execute(Comb::add, ()).is_err());
    hive.remove(links[0])?;
    hive.over(&links[1..3]).execute(Comb::add, ());
    assert_eq!(hive.combs.column(comb::n), [202, 203, 104]);
    Ok(())
}
