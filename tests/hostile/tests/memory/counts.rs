//! Counts, ranges and positions at their limits.

use std::ops::Bound;

use ikra::prelude::*;
use ikra::{Error, LinkList};
use ikra_hostile_tests::{MANY, outcome};

/// A zero-sized value.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Nothing {
    pub none: [u8; 0],
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Ghost {
    pub nothing: Nothing,
    pub many: [Nothing; 3],
}

/// A class with an additional byte.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Shade {
    pub before: Nothing,
    pub x: u8,
    pub after: [u64; 0],
    pub other: Option<Link<Ghost>>,
}

#[soa_methods]
impl Ghost {
    #[kernel]
    pub fn nothing_at_all(&mut self) {
        self.nothing = Nothing { none: [] };
    }
    #[kernel(reduce(Sum))]
    pub fn one(&self) -> u64 {
        1
    }
    #[kernel]
    pub fn make(_: u32) -> Self {
        Self { nothing: Nothing { none: [] }, many: [Nothing { none: [] }; 3] }
    }
}

#[soa_methods]
impl Shade {
    #[kernel(snapshot(x, before, after))]
    pub fn step(&mut self) {
        self.x = self.x.wrapping_add(1);
        self.before = Nothing { none: [] };
        self.after = [];
    }
    #[kernel]
    pub fn look(&mut self) {
        let all = || self.all::<Ghost>();
        self.x = u8::from(all().get(usize::MAX).is_none())
            + u8::from(all().get(u32::MAX as usize).is_none())
            + u8::from(all().range(all().len()..).count() == 0)
            + u8::from(all().get(1 << 32).is_none());
    }
    #[kernel]
    pub fn range(&mut self, from: usize, to: usize) {
        self.x = self.all::<Ghost>().range(from..to).count() as u8;
    }
}

#[soa_world]
pub struct Haunted {
    pub ghosts: Objects<Ghost>,
    pub shades: Objects<Shade>,
}

fn haunted() -> Haunted {
    let mut world = Haunted::new();
    world.construct(MANY, Ghost::make, ()).unwrap();
    let last = world.ghosts.links().next_back();
    world
        .shades
        .extend((0..MANY).map(|_| Shade { before: Nothing { none: [] }, x: 0, after: [], other: last }))
        .unwrap();
    world
}

#[test]
fn objects_of_no_bytes() {
    let mut world = haunted();
    world.execute(Ghost::nothing_at_all, ());
    assert_eq!(world.execute_and_reduce(Ghost::one, (), Sum), MANY as u64);
    let list = LinkList::new(&world.ghosts.links().rev().collect::<Vec<_>>()).unwrap();
    world.over(&list).execute(Ghost::nothing_at_all, ());
    assert_eq!(world.over(&list).execute_and_reduce(Ghost::one, (), Sum), MANY as u64);
    world.execute(Shade::step, ());
    world.execute(Shade::step, ());
    assert!(world.shades.iter().all(|row| row.x == 2));
    assert_eq!(world.all::<Ghost>().len(), MANY);
    assert_eq!(world.ghosts.iter().rev().count(), MANY);
    world.execute(Shade::look, ());
    assert!(world.shades.iter().all(|row| row.x == 4));
}

/// More objects than ids: rejected before any is created.
#[test]
fn more_than_there_are_ids() {
    let mut world = haunted();
    let most = u32::MAX as usize - 1;
    for more in [most - MANY + 1, most, most + 1, 1 << 32, 1 << 33, usize::MAX - MANY, usize::MAX] {
        assert!(matches!(world.ghosts.reserve(more), Err(Error::TooManyObjects { .. })), "{more}");
        assert!(matches!(world.construct(more, Ghost::make, ()), Err(Error::TooManyObjects { .. })), "{more}");
        assert!(world.ghosts.grow_by(more).is_err(), "{more}");
        assert!(world.shades.grow_by(more).is_err(), "{more}");
    }
    assert_eq!(world.ghosts.len(), MANY);
    for id in [MANY as u32 + 1, u32::MAX - 1, u32::MAX] {
        let link = Link::<Ghost>::from_id(id).unwrap();
        assert!(world.ghosts.read(link).is_err() && world.try_get(link).is_err());
        assert!(
            world.ghosts.init(link, Ghost { nothing: Nothing { none: [] }, many: [Nothing { none: [] }; 3] }).is_err()
        );
    }
    assert_eq!(world.execute_and_reduce(Ghost::one, (), Sum), MANY as u64);
}

#[test]
fn ranges_that_overflow() {
    type Bounds = (Bound<usize>, Bound<usize>);
    use Bound::{Excluded, Included, Unbounded};
    let mut world = haunted();
    let bad: [Bounds; 9] = [
        (Included(0), Included(usize::MAX)),
        (Excluded(usize::MAX), Unbounded),
        (Excluded(usize::MAX), Included(usize::MAX)),
        (Included(usize::MAX), Unbounded),
        (Included(0), Excluded(MANY + 1)),
        (Included(0), Included(MANY)),
        (Included(MANY + 1), Excluded(MANY + 1)),
        (Included(5), Excluded(4)),
        (Included(1 << 32), Excluded((1 << 32) + 1)),
    ];
    for range in bad {
        for _ in 0..2 {
            let ended = outcome(|| world.over(range).execute(Shade::step, ()));
            assert!(ended.message().is_some_and(|message| message.contains("out of range")), "{range:?}: {ended:?}");
            let ended = outcome(|| world.over(range).execute_and_reduce(Ghost::one, (), Sum));
            assert!(ended.message().is_some(), "{range:?}: {ended:?}");
        }
    }
    assert!(world.shades.iter().all(|row| row.x == 0), "nothing has run");
    let good: [(Bounds, usize); 5] = [
        ((Excluded(MANY - 1), Unbounded), 0),
        ((Included(MANY), Excluded(MANY)), 0),
        ((Excluded(0), Included(1)), 1),
        ((Unbounded, Included(MANY - 1)), MANY),
        ((Included(1), Excluded(1)), 0),
    ];
    for (range, count) in good {
        assert_eq!(world.over(range).execute_and_reduce(Ghost::one, (), Sum), count as u64, "{range:?}");
    }
    // And in a kernel.
    for (from, to) in [(0, usize::MAX), (usize::MAX, usize::MAX), (2, 1), (MANY + 1, MANY + 1), (0, 1 << 32)] {
        let ended = outcome(|| world.over(..10).execute(Shade::range, (from, to)));
        assert!(ended.message().is_some_and(|message| message.contains("out of range")), "{from}..{to}: {ended:?}");
    }
    world.over(..10).execute(Shade::range, (MANY, MANY));
    world.over(..10).execute(Shade::range, (MANY - 3, MANY));
    assert!(world.shades.iter().take(10).all(|row| row.x == 3));
}

/// Iterators that start far out of range.
#[test]
fn iterators_at_their_ends() {
    let world = haunted();
    let mut links = world.ghosts.links();
    assert_eq!(links.nth(usize::MAX), None);
    assert_eq!(links.next(), None);
    assert_eq!(links.next_back(), None);
    let mut all = world.all::<Ghost>();
    assert!(all.nth(MANY - 1).is_some());
    assert!(all.next().is_none() && all.next().is_none());
    assert!(world.all::<Ghost>().nth(usize::MAX).is_none());
    assert!(world.ghosts.iter().nth(MANY).is_none());
    assert_eq!(world.ghosts.iter().skip(usize::MAX).count(), 0);
    assert_eq!(world.ghosts.links().rev().nth(MANY - 1).map(Link::id), Some(1));
}
