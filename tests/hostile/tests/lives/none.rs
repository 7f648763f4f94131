//! Classes without objects, or whose objects are all gone.

use ikra::{Error, Place, prelude::*};

#[soa_class]
#[derive(Clone)]
pub struct Fly {
    pub n: u32,
    pub next: Option<Link<Fly>>,
}

#[soa_methods]
impl Fly {
    #[kernel]
    pub fn end(&mut self, young: Spawn<Fly>, eggs: Spawn<Egg>) {
        if self.n == 7 {
            young.push(Fly { n: 0, next: None });
            eggs.push(Egg { fly: self.n });
        }
        self.remove();
    }
    #[kernel(reduce(Sum))]
    pub fn number(&self) -> u32 {
        self.n
    }
    #[kernel]
    pub fn is_old(&self) -> bool {
        self.n > 3
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Fly>) {
        self.n += u32::from(other.link().id() == 0);
    }
    /// The flies after one with this number.
    #[kernel(pairs)]
    pub fn give_way(&mut self, other: Ref<Fly>, n: u32) {
        if other.link().id() < self.link().id() && other.link().id() % 3 == n {
            self.leave();
        }
    }
    fn leave(&mut self) {
        self.remove();
    }
    #[kernel]
    pub fn lay(&mut self, eggs: Spawn<Egg>, flies: Spawn<Fly>) {
        Self::make(self.n, eggs);
        hatch(flies, self.n);
        self.make_more(eggs, flies);
    }
    fn make(n: u32, eggs: Spawn<Egg>) {
        eggs.push(Egg { fly: n });
    }
    fn make_more(&self, eggs: Spawn<Egg>, flies: Spawn<Fly>) {
        Self::make(self.n + 10, eggs);
        hatch(flies, self.n + 10);
    }
}

/// A function elsewhere.
fn hatch<P: ikra::Phase>(flies: Spawn<'_, Fly, P>, n: u32) {
    flies.push(Fly { n, next: None });
}

#[soa_class]
#[derive(Clone)]
pub struct Egg {
    pub fly: u32,
}

#[soa_methods]
impl Egg {
    #[kernel]
    pub fn hatch(&mut self, young: Spawn<Fly>) {
        young.push(Fly { n: self.fly, next: None });
        self.remove();
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Room {
    pub flies: Objects<Fly>,
    pub eggs: Objects<Egg>,
}

/// Does everything that takes a class without objects.
fn use_nothing(room: &mut Room) -> Result<(), Error> {
    assert!(room.flies.is_empty() && room.flies.links().next().is_none() && room.flies.iter().next().is_none());
    assert_eq!(room.execute_and_reduce(Fly::number, (), Sum), 0);
    assert!(room.execute_and_collect(Fly::is_old, ()).is_empty());
    room.execute(Fly::end, ());
    room.over(..).execute(Fly::end, ());
    room.over(0..0).execute(Fly::end, ());
    let no_links: &[Link<Fly>] = &[];
    room.over(no_links).execute(Fly::end, ());
    assert!(room.on(Place::Host).over(0..1).execute(Fly::end, ()).is_err());
    assert!(!room.flies.links().rev().any(|_| true));
    Ok(())
}

#[test]
fn all_objects_are_gone() -> Result<(), Error> {
    for len in [1, 63, 64, 65, 1000] {
        let mut room = Room::new();
        use_nothing(&mut room)?;
        let flies: Vec<_> = room.flies.extend((0..len).map(|n| Fly { n: n % 7, next: None }))?.collect();
        room.execute(Fly::end, ());
        use_nothing(&mut room)?;
        let mut clone = room.clone();
        use_nothing(&mut clone)?;
        assert!(clone.on(Place::Host).execute_pairs(Fly::meet, ()).is_err());
        assert_eq!(clone.compact::<Fly>()?.removed(), 0);
        use_nothing(&mut clone)?;
        clone.execute_pairs(Fly::meet, ());
        assert_eq!(clone.flies.push(Fly { n: 1, next: None })?.id(), 1);
        assert_eq!(room.retain(Fly::is_old, ())?.removed(), 0);
        assert_eq!(room.flies.push(Fly { n: 1, next: None })?.id(), 1, "`retain` closes gaps");
        room.clear::<Fly>()?;
        use_nothing(&mut room)?;
        assert!(room.try_get(flies[0]).is_err());
        // The last object of a class makes objects of another class, and those make the next ones.
        room.flies.push(Fly { n: 7, next: None })?;
        room.execute(Fly::end, ());
        assert_eq!((room.flies.len(), room.eggs.len()), (1, 1));
        room.execute(Egg::hatch, ());
        assert_eq!((room.flies.len(), room.eggs.len()), (2, 0));
        room.execute(Egg::hatch, ());
        let ids: Vec<_> = room.flies.links().map(Link::id).collect();
        assert_eq!(ids, [1, 2], "the first hole was filled");
    }
    Ok(())
}

#[test]
fn kernels_for_pairs_remove_objects() -> Result<(), Error> {
    let mut room = Room::new();
    room.flies.extend((0..9).map(|n| Fly { n, next: None }))?;
    room.over(5..).execute_pairs(Fly::give_way, 2);
    // The part is of positions 5 to 8, all of them after fly 2.
    assert_eq!(room.flies.iter().map(|fly| fly.n).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    room.compact::<Fly>()?;
    room.execute_pairs(Fly::give_way, 0);
    assert_eq!(room.flies.iter().map(|fly| fly.n).collect::<Vec<_>>(), [0, 1, 2]);
    Ok(())
}

#[test]
fn a_spawn_is_passed_on() -> Result<(), Error> {
    let mut room = Room::new();
    room.flies.extend((0..2).map(|n| Fly { n, next: None }))?;
    room.execute(Fly::lay, ());
    assert_eq!(room.flies.iter().map(|fly| fly.n).collect::<Vec<_>>(), [0, 1, 0, 10, 1, 11]);
    assert_eq!(room.eggs.iter().map(|egg| egg.fly).collect::<Vec<_>>(), [0, 10, 1, 11]);
    Ok(())
}
