//! Loops over worklists on the host. `tests/device` has them on a GPU.

use std::collections::BTreeSet;

use ikra::rng::Random;
use ikra::{Error, Place, Selection, prelude::*};

#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    pub age: u32,
    pub next: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn grow(&mut self) {
        self.age += 1;
    }
    /// Some objects, each several times; `others` is the number of objects.
    #[kernel]
    pub fn scatter(&self, next: Worklist<Cell>, others: u32, round: Link<Cell>) {
        let mut random = Random::new(1, self.link().id(), round.id());
        for _ in 0..3 {
            let link = Link::from_id(1 + random.below(others)).unwrap();
            next.push(link);
            next.push(link);
        }
    }
    #[kernel]
    pub fn split(&mut self, young: Spawn<Cell>) {
        let child = young.push(Cell { age: 0, next: None });
        self.set_at_end(cell::next, Some(child));
    }
    #[kernel]
    pub fn divide(&mut self, young: Spawn<Cell>, next: Worklist<Cell>, of: u32) {
        if self.link().id().is_multiple_of(of) {
            next.push(young.push(Cell { age: self.age + 1, next: Some(self.link()) }));
        }
        next.push(self.link());
    }
    #[kernel]
    pub fn follow(&self, next: Worklist<Cell>) {
        if let Some(child) = self.next {
            next.push(child.link());
        }
    }
    #[kernel]
    pub fn is_odd(&self) -> bool {
        self.link().id() % 2 == 1
    }
    #[kernel]
    pub fn stay(&self, next: Worklist<Cell>) {
        next.push(self.link());
    }
    #[kernel]
    pub fn push(&self, next: Worklist<Cell>, link: Option<Link<Cell>>) {
        if let Some(link) = link {
            next.push(link);
        }
    }
    #[kernel]
    pub fn die_at(&mut self, age: u32) {
        if self.age >= age {
            self.remove();
        }
    }
    /// It makes an object, and fails or removes its own.
    #[kernel]
    pub fn replace(&mut self, young: Spawn<Cell>, next: Worklist<Cell>, fails: bool) {
        next.push(young.push(Cell { age: 1000, next: None }));
        assert!(!fails, "as asked");
        self.remove();
    }
    #[kernel]
    pub fn breed(&mut self, young: Spawn<Cell>) {
        young.push(Cell { age: 2000, next: None });
    }
    #[kernel]
    pub fn fail_at(&self, next: Worklist<Cell>, age: u32) {
        next.push(self.link());
        assert!(self.age < age, "too old");
    }
}

#[soa_world]
pub struct Dish {
    pub cells: Objects<Cell>,
}

#[soa_class]
pub struct Pin {
    pub at: Link<Cell>,
}

#[soa_world]
pub struct Pinned {
    pub cells: Objects<Cell>,
    pub pins: Objects<Pin>,
}

/// Objects that a kernel put in, and which do not exist since it failed, are not others that come later.
#[test]
fn a_kernel_that_fails_leaves_no_objects() {
    for fails in [false, true] {
        let mut dish = Pinned::new();
        let cell = dish.cells.push(Cell { age: 0, next: None }).unwrap();
        dish.pins.push(Pin { at: cell }).unwrap();
        let start = [cell].into_iter().collect();
        let (_, left) = dish
            .on(Place::Host)
            .repeat_over(&start, 1, |step, work| {
                // What exists stays in the worklist.
                step.over(work).execute(Cell::divide, (work, 1))?;
                let mut run = || step.over(work).execute(Cell::replace, (work, fails));
                let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut run));
                match ended {
                    Ok(ended) => assert!(matches!(ended, Err(Error::LinkToRemoved { .. })), "{ended:?}"),
                    Err(_) => assert!(fails),
                }
                step.execute(Cell::breed, ())
            })
            .unwrap();
        assert_eq!(left.links().map(|link| dish.get(link).age()).collect::<Vec<_>>(), [0, 1], "{fails}");
        assert_eq!(dish.cells.column(cell::age), [0, 1, 2000, 2000]);
    }
}

fn dish(n: usize) -> (Dish, Vec<Link<Cell>>) {
    let mut dish = Dish::new();
    let links = dish.cells.extend((0..n).map(|_| Cell { age: 0, next: None })).unwrap().collect();
    (dish, links)
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut dish, links) = dish(100_000);
            let start: Selection<Cell> = links.iter().copied().step_by(10).collect();
            let (rounds, left) = dish
                .on(Place::Host)
                .repeat_over(&start, 4, |step, work| {
                    step.over(work).execute(Cell::grow, ())?;
                    step.over(work).execute(Cell::scatter, (work, 100_000, links[7]))
                })
                .unwrap();
            assert_eq!(rounds, 4);
            (left.links().collect::<Vec<_>>(), dish.cells.copy_column(cell::age))
        })
    };
    let alone = run(1);
    assert!(alone.0.is_sorted() && alone.0.len() > 50_000);
    assert_eq!(alone, run(4));
    // As by a set.
    let mut now: BTreeSet<u32> = (0..100_000).step_by(10).map(|n| n + 1).collect();
    for _ in 0..4 {
        let mut next = BTreeSet::new();
        for &id in &now {
            let mut random = Random::new(1, id, 8);
            next.extend((0..3).map(|_| 1 + random.below(100_000)));
        }
        now = next;
    }
    assert_eq!(alone.0.into_iter().map(Link::id).collect::<Vec<_>>(), now.into_iter().collect::<Vec<_>>());
}

/// Objects that an iteration makes may be in the next one, and objects that it removes are not.
#[test]
fn objects_come_and_go() {
    let (mut dish, links) = dish(3);
    let start = links.iter().copied().collect();
    let (rounds, left) = dish
        .on(Place::Host)
        .repeat_over(&start, 70, |step, work| {
            step.over(work).execute(Cell::split, ())?;
            step.over(work).execute(Cell::follow, work)
        })
        .unwrap();
    assert_eq!((rounds, left.len(), dish.cells.len()), (70, 3, 3 + 70 * 3));
    let all: Selection<Cell> = dish.cells.links().collect();
    let (rounds, left) = dish
        .on(Place::Host)
        .repeat_over(&all, 9, |step, work| {
            step.over(work).execute(Cell::stay, work)?;
            step.over(work).execute(Cell::grow, ())?;
            step.over(work).execute(Cell::die_at, 5)
        })
        .unwrap();
    assert_eq!((rounds, left.len(), dish.cells.len()), (5, 0, 0), "the dead are in no iteration");
}

/// A kernel puts in an object that it makes: with a new index, or with that of an object that was removed before.
#[test]
fn new_objects_are_put_in_by_their_makers() {
    let run = |threads: usize, of: u32, before: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut dish, links) = dish(4_000);
            let gone: Vec<_> = links.iter().copied().step_by(2).take(before).collect();
            dish.over(&gone).execute(Cell::die_at, 0);
            let start: Selection<Cell> = links[1..].iter().copied().step_by(2).collect();
            let (rounds, left) = dish
                .on(Place::Host)
                .repeat_over(&start, 3, |step, work| {
                    step.over(work).execute(Cell::divide, (work, of))?;
                    step.over(work).execute(Cell::grow, ())
                })
                .unwrap();
            assert_eq!(rounds, 3);
            let cells: Vec<_> = dish.cells.iter().map(|cell| (cell.age, cell.next)).collect();
            (left.links().collect::<Vec<_>>(), cells)
        })
    };
    for (of, before) in [(1, 0), (2, 1400), (3, 2000)] {
        let (left, cells) = run(1, of, before);
        assert!(left.is_sorted() && left.windows(2).all(|links| links[0] != links[1]));
        assert_eq!((left, cells), run(4, of, before), "{of}");
    }
    let (left, cells) = run(1, 1, 0);
    assert_eq!((left.len(), cells.len()), (2000 * 8, 2000 + 2000 * 8));
}

/// A later kernel of the iteration runs for the objects that are left.
#[test]
fn kernels_skip_what_the_iteration_has_removed() {
    let (mut dish, links) = dish(100);
    let all: Selection<Cell> = links.iter().copied().collect();
    dish.over(50..).execute(Cell::grow, ());
    let old = |left: &Selection<Cell>| left.links().map(Link::index).collect::<Vec<_>>();
    let (rounds, left) = dish
        .on(Place::Host)
        .repeat_over(&all, 1, |step, work| {
            step.over(work).execute(Cell::stay, work)?;
            step.over(work).execute(Cell::die_at, 1)?;
            step.over(work).select(Cell::is_odd, ()).execute(Cell::grow, ())?;
            step.over(work).execute(Cell::grow, ())
        })
        .unwrap();
    assert_eq!((rounds, old(&left)), (1, (0..50).collect()));
    assert_eq!(dish.cells.copy_column(cell::age)[..50], [2, 1].repeat(25));
    assert_eq!(dish.cells.len(), 50);
    // A selection is a list of the program's, with which it made a mistake.
    let error = dish.on(Place::Host).over(&all).execute(Cell::grow, ()).unwrap_err();
    assert!(matches!(error, Error::Removed { class: "Cell", id: 51 }), "{error}");
    // In iterations whose lists the loop has made.
    let (rounds, left) = dish
        .on(Place::Host)
        .repeat_over(&left, 2, |step, work| {
            step.over(work).execute(Cell::stay, work)?;
            step.over(work).execute(Cell::grow, ())?;
            step.over(work).execute(Cell::die_at, 5)?;
            step.over(work).execute(Cell::grow, ())
        })
        .unwrap();
    assert_eq!((rounds, old(&left)), (2, (1..50).step_by(2).collect()));
    assert!(left.links().all(|link| dish.get(link).age() == 5) && dish.cells.len() == 25);
}

#[test]
fn other_ids_and_no_objects_are_errors() {
    let (mut dish, links) = dish(5);
    let start: Selection<Cell> = links[1..].iter().copied().collect();
    let gone = Link::from_id(9);
    let error = dish
        .on(Place::Host)
        .repeat_over(&start, 3, |step, work| step.over(work).execute(Cell::push, (work, gone)))
        .unwrap_err();
    assert!(matches!(error, Error::NotInWorld { class: "Cell", id: 9, len: 5 }), "{error}");
    dish.remove(links[0]).unwrap();
    let error = dish.on(Place::Host).repeat_over(&[links[0]].into_iter().collect(), 3, |_, _| Ok(())).unwrap_err();
    assert!(matches!(error, Error::Removed { class: "Cell", id: 1 }), "{error}");
    dish.compact::<Cell>().unwrap();
    let error = dish.on(Place::Host).repeat_over(&start, 3, |_, _| Ok(())).unwrap_err();
    assert!(matches!(error, Error::StaleList { class: "Cell" }), "{error}");
    // Nothing runs for no objects, and nothing is left of an iteration that finds nothing.
    let none = Selection::from_iter([]);
    let ran = dish.on(Place::Host).repeat_over(&none, 3, |_, _: &ikra::Worklist<Cell>| panic!("it has objects"));
    assert_eq!(ran.unwrap().0, 0);
    let one = dish.cells.links().take(1).collect();
    let (rounds, left) = dish.on(Place::Host).repeat_over(&one, 3, |_, _| Ok(())).unwrap();
    assert_eq!((rounds, left.len()), (1, 0));
}

#[test]
fn a_panic_ends_the_loop() {
    let (mut dish, links) = dish(10);
    let start = links.iter().copied().collect();
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        dish.on(Place::Host).repeat_over(&start, 9, |step, work| {
            step.over(work).execute(Cell::fail_at, (work, 3))?;
            step.over(work).execute(Cell::grow, ())
        })
    }));
    assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"too old"));
    assert_eq!(dish.cells.copy_column(cell::age), [3; 10]);
    let (rounds, _) =
        dish.on(Place::Host).repeat_over(&start, 2, |step, work| step.over(work).execute(Cell::grow, ())).unwrap();
    assert_eq!(rounds, 1);
}

/// A loop in a loop, over another world.
#[test]
fn worklists_are_those_of_their_worlds() {
    let ((mut dish, links), (other, _)) = (dish(4), dish(4));
    let other = std::sync::Mutex::new(other);
    let start: Selection<Cell> = links.iter().copied().collect();
    let inner = dish.on(Place::Host).repeat_over(&start, 1, |_, outer| {
        let mut other = other.lock().unwrap();
        let (rounds, _) =
            other.on(Place::Host).repeat_over(&start, 2, |step, work| step.over(work).execute(Cell::stay, work))?;
        assert_eq!(rounds, 2);
        other.on(Place::Host).execute(Cell::stay, outer)
    });
    assert!(matches!(inner, Err(Error::ForeignWorklist { class: "Cell" })), "{inner:?}");
}
