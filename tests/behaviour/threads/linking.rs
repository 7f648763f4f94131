//! Objects and states that are moved into other worlds, while threads read them.

use std::cell::UnsafeCell;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ikra::prelude::*;

#[soa_class]
pub struct Leaf {
    pub tag: u64,
}

#[soa_class]
pub struct Tree {
    pub leaf: Link<Leaf>,
    pub next: Link<Tree>,
}

#[soa_methods]
impl Tree {
    #[kernel(reduce(Sum))]
    pub fn tag(&self) -> u64 {
        self.leaf.tag() + self.next.leaf().tag()
    }
}

#[soa_world]
pub struct Forest {
    pub trees: Objects<Tree>,
    pub leaves: Objects<Leaf>,
}

const TREES: usize = 3;

/// A world in which every tag is `tag`.
fn forest(tag: u64) -> Forest {
    let mut forest = Forest::new();
    forest.leaves.extend((0..TREES).map(|_| Leaf { tag })).unwrap();
    let link = |n: usize| Link::from_index(n % TREES).unwrap();
    forest.trees.extend((0..TREES).map(|n| Tree { leaf: Link::from_index(n).unwrap(), next: link(n + 1) })).unwrap();
    forest
}

/// The tags reachable in a world, which are all equal.
fn tag(forest: &Forest) -> u64 {
    let tags: Vec<_> =
        forest.all::<Tree>().flat_map(|tree| [tree.leaf().tag(), tree.next().next().leaf().tag()]).collect();
    assert!(tags.iter().all(|tag| *tag == tags[0]), "{tags:?}");
    tags[0]
}

/// A world that one thread changes while the others wait, and that all read in between. The threads synchronize through
/// atomics alone, which ThreadSanitizer sees even if the standard library is not instrumented.
struct Turns {
    world: UnsafeCell<Forest>,
    round: AtomicUsize,
    done: AtomicUsize,
}
// SAFETY: the threads take turns, as the program below ensures.
unsafe impl Sync for Turns {}
impl Turns {
    fn world(&self) -> *mut Forest {
        self.world.get()
    }
}

fn wait_until(condition: impl Fn() -> bool) {
    for turn in 0_u32.. {
        if condition() {
            return;
        }
        // Spin first, so that the threads arrive simultaneously.
        if turn > 10_000 {
            std::thread::yield_now();
        }
    }
}

/// A table from another world is put back, and several threads use the world at once. The first of them links its
/// tables. The test is meant for the sanitizers, since a bug is hard to observe otherwise.
/// `ikra-runtime/src/world/state/linking.rs` tests all interleavings.
#[test]
fn a_table_put_back_is_linked_before_a_thread_follows_links() {
    let (threads, rounds) = (4, if cfg!(debug_assertions) { 1000 } else { 10_000 });
    let turns = Turns { world: UnsafeCell::new(forest(1)), round: AtomicUsize::new(0), done: AtomicUsize::new(0) };
    let wrong = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for round in 1..=rounds {
                    wait_until(|| turns.round.load(Acquire) >= round);
                    // SAFETY: until all threads are done with the round, the world is only read.
                    let world = unsafe { &*turns.world() };
                    for index in 0..TREES {
                        let tree = world.get(Link::<Tree>::from_index(index).unwrap());
                        if tree.leaf().tag() != 1 || tree.next().leaf().tag() != 1 {
                            wrong.fetch_add(1, Relaxed);
                        }
                    }
                    turns.done.fetch_add(1, AcqRel);
                }
            });
        }
        for round in 1..=rounds {
            {
                // SAFETY: all threads wait for the round.
                let world = unsafe { &mut *turns.world() };
                // A new table in its place, linked and dropped again; the class alternates.
                if round % 2 == 0 {
                    let leaves = mem::replace(&mut world.leaves, forest(2).leaves);
                    assert_eq!(tag(world), 2);
                    world.leaves = leaves;
                } else {
                    let trees = mem::replace(&mut world.trees, forest(2).trees);
                    assert_eq!(tag(world), 1);
                    world.trees = trees;
                }
            }
            turns.round.store(round, Release);
            wait_until(|| turns.done.load(Acquire) == threads * round);
        }
    });
    assert_eq!(wrong.load(Relaxed), 0, "of {rounds} rounds");
}

/// Threads share worlds of one type, swap parts of them at random, and follow links in all of them.
#[test]
fn parts_of_worlds_are_exchanged_by_threads() {
    use std::sync::Mutex;
    let worlds: Vec<Mutex<Forest>> = (0..4).map(|_| Mutex::new(forest(7))).collect();
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let worlds = &worlds;
            scope.spawn(move || {
                let mut state = thread.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                let mut random = move |n: usize| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    (state % n as u64) as usize
                };
                for _ in 0..2000 {
                    let (a, b) = (random(4), random(4));
                    if a == b {
                        let mut world = worlds[a].lock().unwrap();
                        assert_eq!(tag(&world), 7);
                        assert_eq!(world.execute_and_reduce(Tree::tag, (), Sum), 7 * 2 * TREES as u64);
                        continue;
                    }
                    let (mut first, mut second) = (worlds[a.min(b)].lock().unwrap(), worlds[a.max(b)].lock().unwrap());
                    match random(5) {
                        0 => mem::swap(&mut first.trees, &mut second.trees),
                        1 => mem::swap(&mut first.leaves, &mut second.leaves),
                        2 => mem::swap(&mut *first, &mut *second),
                        3 => first.leaves = second.leaves.clone(),
                        // The hidden field, which code in this module can name.
                        _ => mem::swap(&mut first.made_by_new, &mut second.made_by_new),
                    }
                    assert_eq!((tag(&first), tag(&second)), (7, 7));
                }
            });
        }
    });
}

#[test]
fn states_of_one_type_are_exchanged_and_replaced() {
    let (mut a, mut b) = (forest(1), forest(2));
    assert_eq!((tag(&a), tag(&b)), (1, 2));
    mem::swap(&mut a.made_by_new, &mut b.made_by_new);
    assert_eq!((tag(&a), tag(&b)), (1, 2));
    // A dropped state leaves nothing that is followed.
    drop(mem::take(&mut a.made_by_new));
    assert_eq!(tag(&a), 1);
    b.made_by_new = mem::replace(&mut a.made_by_new, ikra::rt::WorldState::new());
    drop(a);
    assert_eq!(tag(&b), 2);
    // Through the trait's hidden method, which is callable by user code.
    let mut c = forest(3);
    mem::swap(World::state_mut(&mut b), World::state_mut(&mut c));
    assert_eq!((tag(&b), tag(&c)), (2, 3));
    drop(b);
    assert_eq!(tag(&c), 3);
    // Objects and state, one after the other.
    let mut d = forest(4);
    mem::swap(&mut c.leaves, &mut d.leaves);
    mem::swap(&mut c.made_by_new, &mut d.made_by_new);
    mem::swap(&mut c.leaves, &mut d.leaves);
    assert_eq!((tag(&c), tag(&d)), (3, 4));
    let Forest { trees, leaves, made_by_new } = d;
    let e = Forest { trees, leaves, made_by_new };
    assert_eq!(tag(&e), 4);
}

/// A new directory or table at the address of a dropped one is recognized as new.
#[test]
fn addresses_that_are_used_again() {
    let mut world = forest(0);
    for round in 1..200 {
        world.made_by_new = ikra::rt::WorldState::new();
        assert_eq!(tag(&world), round - 1);
        world.leaves = Objects::new();
        world.leaves.extend((0..TREES).map(|_| Leaf { tag: round })).unwrap();
        assert_eq!(tag(&world), round);
    }
}

#[soa_methods]
impl Leaf {
    #[kernel]
    pub fn fall(&mut self) {
        if self.tag.is_multiple_of(3) {
            self.remove();
        }
    }
}

/// A thread that lists what is left waits for others, and may take up work that needs the same list meanwhile.
#[test]
fn several_threads_list_what_is_left() {
    const LEAVES: u64 = 1_000_000;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for _ in 0..4 {
        let mut forest = Forest::new();
        forest.leaves.extend((0..LEAVES).map(|tag| Leaf { tag })).unwrap();
        forest.execute(Leaf::fall, ());
        let left = LEAVES as usize - forest.leaves.len();
        assert_eq!(left, 333_334);
        let (forest, pool) = (&forest, &pool);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(move || pool.install(|| assert_eq!(forest.leaves.links().count(), forest.leaves.len())));
            }
        });
    }
}
