//! `sim.on(place)` gives the same bits as the short forms, and reports unsupported operations.
#![allow(missing_docs, reason = "a test, not a library")]

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra::{Error, LinkList, On, Place, Recording};

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub pos: f64,
    pub vel: f64,
    pub age: u32,
    pub next: Option<Link<Body>>,
    #[atomic]
    pub visits: u32,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn spawn(id: u32, scale: f64) -> Self {
        Self { pos: (f64::from(id) * 0.7).sin() * scale, vel: 0.25, age: id, next: None, visits: 0 }
    }
    #[kernel]
    pub fn advance(&mut self, dt: f64, drag: f64) {
        self.vel *= 1.0 - drag;
        self.pos += self.vel * dt;
    }
    #[kernel]
    pub fn grow_old(&mut self) {
        self.age += 1;
    }
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Body>, strength: f64) {
        let d = other.pos() - self.pos;
        self.vel += strength * d / (d * d + 0.01);
    }
    #[kernel(snapshot(pos))]
    pub fn smooth(&mut self) {
        if let Some(next) = self.next {
            self.pos = 0.5 * (self.pos + next.pos());
        }
    }
    #[kernel]
    pub fn visit(&mut self) {
        if let Some(next) = self.next {
            next.visits().add(1);
        }
    }
    #[kernel(reduce(Sum, Max))]
    pub fn energy(&self, mass: f64) -> f64 {
        0.5 * mass * self.vel * self.vel
    }
    #[kernel]
    pub fn fail(&mut self, age: u32) {
        assert_ne!(self.age, age, "too old");
        self.age += 1;
    }
    #[kernel]
    pub fn change(&mut self, how: impl Fn(f64) -> f64 + Copy + Send + Sync) {
        self.pos = how(self.pos);
    }
}

#[soa_class]
pub struct Path {
    #[inline_array(2)]
    pub steps: InnerArray<u32>,
}

#[soa_methods]
impl Path {
    #[kernel]
    pub fn walk(&mut self) {
        for step in &mut self.steps {
            *step += 1;
        }
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
    pub paths: Objects<Path>,
}

const N: usize = 5000;
const HOST: Place = Place::Host;

fn sim() -> Sim {
    sim_of(N)
}

fn sim_of(count: usize) -> Sim {
    let mut sim = Sim::new();
    let links: Vec<_> = sim.construct(count, Body::spawn, 3.0).unwrap().collect();
    for (n, &link) in links.iter().enumerate() {
        sim.set(link, body::next, Some(links[(n * 7 + 1) % count]));
    }
    sim.paths.extend([vec![1, 2, 3], vec![]].map(|steps| Path { steps: steps.into_iter().collect() })).unwrap();
    sim
}

#[track_caller]
fn same(a: &Sim, b: &Sim) {
    let rows = |sim: &Sim| -> Vec<_> { sim.bodies.links().map(|link| sim.bodies.read(link).unwrap()).collect() };
    for (a, b) in rows(a).iter().zip(&rows(b)) {
        assert_eq!(a, b);
        assert_eq!((a.pos.to_bits(), a.vel.to_bits()), (b.pos.to_bits(), b.vel.to_bits()));
    }
    assert_eq!(a.bodies.len(), b.bodies.len());
}

#[test]
fn every_executor_does_what_its_short_form_does() {
    let (mut short, mut long) = (sim(), sim());
    short.execute(Body::advance, (0.1, 0.01));
    long.on(HOST).execute(Body::advance, (0.1, 0.01)).unwrap();
    same(&short, &long);
    short.over(17..=1234).execute(Body::advance, (0.2, 0.02));
    long.on(HOST).over(17..=1234).execute(Body::advance, (0.2, 0.02)).unwrap();
    same(&short, &long);
    let some: Vec<_> = short.bodies.links().step_by(3).chain(short.bodies.links().nth(1)).collect();
    short.over(&some).execute(Body::smooth, ());
    long.on(HOST).over(&some).execute(Body::smooth, ()).unwrap();
    same(&short, &long);
    short.execute(Body::visit, ());
    long.on(HOST).execute(Body::visit, ()).unwrap();
    same(&short, &long);
    let same_bits = |a: f64, b: f64| assert_eq!(a.to_bits(), b.to_bits());
    same_bits(
        short.execute_and_reduce(Body::energy, 1.5, Sum),
        long.on(HOST).execute_and_reduce(Body::energy, 1.5, Sum).unwrap(),
    );
    same_bits(
        short.over(5..4321).execute_and_reduce(Body::energy, 1.5, Sum),
        long.on(HOST).over(5..4321).execute_and_reduce(Body::energy, 1.5, Sum).unwrap(),
    );
    same_bits(
        short.over(&some).execute_and_reduce(Body::energy, 1.5, Max),
        long.on(HOST).over(&some).execute_and_reduce(Body::energy, 1.5, Max).unwrap(),
    );
    let made: Vec<_> = short.construct(700, Body::spawn, 9.0).unwrap().collect();
    assert_eq!(long.on(HOST).construct(700, Body::spawn, 9.0).unwrap().collect::<Vec<_>>(), made);
    same(&short, &long);
    long.on(HOST).synchronize().unwrap();
    long.on(HOST).execute(Path::walk, ()).unwrap();
    assert_eq!(long.paths.links().map(|path| long.get(path).steps().iter().sum::<u32>()).collect::<Vec<_>>(), [9, 0]);
}

#[test]
fn pairs_are_those_of_the_short_form() {
    let (mut short, mut long) = (sim_of(500), sim_of(500));
    short.execute_pairs(Body::attract, 1e-4);
    long.on(HOST).execute_pairs(Body::attract, 1e-4).unwrap();
    same(&short, &long);
}

/// Each verb for all objects, a range and a list: only the objects selected by `over` change or give results.
#[test]
fn verbs_for_ranges_and_lists() {
    const FEW: usize = 300;
    let all = sim_of(FEW);
    let links: Vec<_> = all.bodies.links().collect();
    let some: Vec<_> = (0..FEW).filter(|n| n % 7 == 3 || (100..140).contains(n)).collect();
    let list: Vec<_> = some.iter().rev().map(|&n| links[n]).collect();
    let range: Vec<_> = (41..FEW).collect();
    let mut paired = sim_of(FEW);
    paired.execute_pairs(Body::attract, 1e-4);
    let energies = sim_of(FEW).execute_and_collect(Body::energy, 2.0);
    let check_pairs = |sim: &Sim, chosen: &[usize]| {
        for n in 0..FEW {
            let from = if chosen.contains(&n) { &paired } else { &all };
            assert_eq!(sim.bodies.read(links[n]).unwrap(), from.bodies.read(links[n]).unwrap(), "{n}");
        }
    };
    let collected = |chosen: &[usize]| chosen.iter().map(|&n| energies[n]).collect::<Vec<_>>();

    let (mut short, mut long) = (sim_of(FEW), sim_of(FEW));
    short.over(41..).execute_pairs(Body::attract, 1e-4);
    long.on(HOST).over(41..).execute_pairs(Body::attract, 1e-4).unwrap();
    check_pairs(&short, &range);
    check_pairs(&long, &range);
    let (mut short, mut long) = (sim_of(FEW), sim_of(FEW));
    short.over(&list).execute_pairs(Body::attract, 1e-4);
    long.on(HOST).over(&LinkList::new(&list).unwrap()).execute_pairs(Body::attract, 1e-4).unwrap();
    check_pairs(&short, &some);
    check_pairs(&long, &some);

    let mut sim = sim_of(FEW);
    assert_eq!(sim.on(HOST).execute_and_collect(Body::energy, 2.0).unwrap(), energies);
    assert_eq!(sim.over(41..).execute_and_collect(Body::energy, 2.0), collected(&range));
    assert_eq!(sim.on(HOST).over(41..).execute_and_collect(Body::energy, 2.0).unwrap(), collected(&range));
    assert_eq!(sim.over(&list).execute_and_collect(Body::energy, 2.0), collected(&some));
    assert_eq!(sim.on(HOST).over(&list).execute_and_collect(Body::energy, 2.0).unwrap(), collected(&some));
    assert_eq!(sim.over(&[]).execute_and_collect(Body::energy, 2.0), []);
    assert_eq!(
        sim.over(..).execute_and_reduce(Body::energy, 2.0, Sum),
        sim.on(HOST).execute_and_reduce(Body::energy, 2.0, Sum).unwrap()
    );
}

#[test]
fn errors_are_returned() {
    let mut sim = sim();
    let link = sim.bodies.links().next().unwrap();
    let stranger = Link::from_index(N).unwrap();
    let mut on = sim.on(HOST);
    assert!(matches!(on.over(&[link, link]).execute(Body::grow_old, ()), Err(Error::Duplicate { .. })));
    assert!(matches!(on.over(&[stranger]).execute(Body::grow_old, ()), Err(Error::NotInWorld { .. })));
    assert!(matches!(on.over(&[link, link]).execute_and_reduce(Body::energy, 1.0, Sum), Err(Error::Duplicate { .. })));
    assert!(matches!(on.construct(usize::MAX, Body::spawn, 1.0), Err(Error::TooManyObjects { .. })));
    assert_eq!(on.world().bodies.len(), N);
    assert_eq!(on.over(7..7).execute_and_reduce(Body::energy, 1.0, Sum).unwrap(), 0.0);
    let range = on.over(3..N + 1).execute(Body::grow_old, ()).unwrap_err();
    assert!(matches!(range, Error::OutOfRange { class: "Body", len: N, .. }), "{range}");
    assert!(range.to_string().contains("range `3..5001` is out of range"), "{range}");
    assert!(matches!(on.over(N + 1..).execute_pairs(Body::attract, 1.0), Err(Error::OutOfRange { .. })));
    assert!(matches!(on.over(&[stranger]).execute_pairs(Body::attract, 1.0), Err(Error::NotInWorld { .. })));
    assert!(matches!(on.over(..=N).execute_and_collect(Body::energy, 1.0), Err(Error::OutOfRange { .. })));
    assert!(matches!(on.over(&[link, link]).execute_and_collect(Body::energy, 1.0), Err(Error::Duplicate { .. })));
    // The short form panics with the same text.
    let panic = catch_unwind(AssertUnwindSafe(|| sim.over(3..N + 1).execute(Body::grow_old, ()))).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>(), Some(&range.to_string()));
    sim.bodies.reserve(1).unwrap();
    let pending = sim.on(HOST).execute(Body::grow_old, ());
    assert!(matches!(pending, Err(Error::NotAllInitialized { class: "Body", pending: 1 })), "{pending:?}");
    let pending = sim.on(HOST).execute_and_reduce(Body::energy, 1.0, Sum);
    assert!(matches!(pending, Err(Error::NotAllInitialized { .. })), "{pending:?}");
}

#[test]
fn a_gpu_that_is_not_there_is_an_error() {
    let mut sim = Sim::new();
    // This test has no device code, and without the feature this place does not exist.
    match sim.on(Place::Gpu(0)).execute(Body::grow_old, ()) {
        Err(Error::NoSuchPlace { place, .. }) if cfg!(not(feature = "cuda")) => {
            assert_eq!(place, Place::Gpu(0));
            let message = sim.on(Place::Gpu(1)).synchronize().unwrap_err().to_string();
            assert!(
                message.starts_with("cannot run at `gpu:1`") && message.contains("features = [\"cuda\"]"),
                "{message}"
            );
        }
        Err(error) if cfg!(feature = "cuda") => assert!(error.to_string().contains("without device code"), "{error}"),
        other => panic!("{other:?}"),
    }
    let best = Place::best(&mut sim);
    assert_eq!(best.place, HOST);
    let text = best.to_string();
    assert!(text.starts_with("host (") && text.contains("since a GPU cannot be used: "), "{text}");
    sim.on(best.place).execute(Body::grow_old, ()).unwrap();
}

fn two_steps(sim: &mut On<'_, Sim>) -> Result<(), Error> {
    sim.execute(Body::advance, (0.1, 0.01))?;
    sim.over(10..).execute(Body::grow_old, ())?;
    sim.execute(Body::smooth, ())?;
    sim.execute_pairs(Body::attract, 1e-4)
}

#[test]
fn a_recording_is_run_when_it_is_replayed() {
    let (mut plain, mut recorded) = (sim_of(500), sim_of(500));
    let before = sim_of(500);
    let steps = recorded.on(HOST).record(two_steps).unwrap();
    assert_eq!(steps.place(), HOST);
    same(&recorded, &before);
    for _ in 0..3 {
        two_steps(&mut plain.on(HOST)).unwrap();
        recorded.on(HOST).replay(&steps).unwrap();
    }
    same(&plain, &recorded);
    // Reading and writing columns between replays is fine.
    recorded.bodies.column_mut(body::age).fill(7);
    recorded.on(HOST).replay(&steps).unwrap();
    assert_eq!(recorded.bodies.column(body::age)[9..=10], [7, 8]);
    // Moving the world between replays is fine too.
    let mut moved = Box::new(recorded);
    moved.on(HOST).replay(&steps).unwrap();
    assert_eq!(moved.bodies.column(body::age)[10], 9);
}

fn older(sim: &mut Sim) -> Recording {
    sim.on(HOST).record(|sim| sim.execute(Body::grow_old, ())).unwrap()
}

#[track_caller]
fn stale(result: Result<(), Error>, text: &str) {
    match result {
        Err(Error::StaleRecording { reason }) => assert!(reason.contains(text), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_recording_is_for_its_world_as_it_was() {
    let (mut a, mut b) = (sim(), sim());
    let step = older(&mut a);
    stale(b.on(HOST).replay(&step), "another world");
    stale(a.on(Place::Gpu(0)).replay(&step), "made at `host`, and is replayed at `gpu:0`");
    mem::swap(&mut a, &mut b);
    stale(a.on(HOST).replay(&step), "another world");
    b.on(HOST).replay(&step).unwrap();
    mem::swap(&mut a.bodies, &mut b.bodies);
    stale(b.on(HOST).replay(&step), "columns of class Body were exchanged");
    mem::swap(&mut a.bodies, &mut b.bodies);
    b.on(HOST).replay(&step).unwrap();
    let path = b.paths.links().next().unwrap();
    b.paths.set_array(path::steps, path, &[1, 2, 3, 4, 5, 6, 7]).unwrap();
    stale(b.on(HOST).replay(&step), "arrays of class Path");
    let step = older(&mut b);
    b.construct(1, Body::spawn, 1.0).unwrap();
    stale(b.on(HOST).replay(&step), "5000 objects of class Body, and there are 5001");
    drop(b);
    stale(a.on(HOST).replay(&step), "another world");
    assert_eq!(a.bodies.column(body::age)[3], 3, "nothing was run");
}

#[track_caller]
fn not_recordable<T: std::fmt::Debug>(result: Result<T, Error>, text: &str) {
    match result {
        Err(Error::NotRecordable { what }) => assert!(what.contains(text), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_recorded_says_so() {
    let mut sim = sim();
    let step = older(&mut sim);
    let link = sim.bodies.links().next().unwrap();
    let reduce = |sim: &mut On<'_, Sim>| sim.execute_and_reduce(Body::energy, 1.0, Sum).map(drop);
    not_recordable(sim.on(HOST).record(reduce), "a reduction");
    not_recordable(sim.on(HOST).record(|sim| sim.synchronize()), "synchronizing");
    not_recordable(sim.on(HOST).record(|sim| sim.replay(&step)), "replaying another one");
    not_recordable(sim.on(HOST).record(|sim| sim.record(|_| Ok(())).map(drop)), "another recording");
    not_recordable(sim.on(HOST).record(|sim| sim.over(&[link]).execute(Body::grow_old, ())), "a list of links");
    not_recordable(sim.on(HOST).record(|sim| sim.construct(1, Body::spawn, 1.0).map(drop)), "making objects");
    // The closure swallows an error: the recording would lack that kernel.
    let swallowed = sim.on(HOST).record(|sim| {
        let _ = reduce(sim);
        sim.execute(Body::grow_old, ())
    });
    not_recordable(swallowed, "a call that failed (a reduction");
    let added = sim.on(HOST).record(|sim| {
        sim.world().construct(1, Body::spawn, 1.0)?;
        sim.execute(Body::grow_old, ())
    });
    not_recordable(added, "class Body");
    let mut other = self::sim();
    let swapped = sim.on(HOST).record(|sim| {
        mem::swap(sim.world(), &mut other);
        sim.execute(Body::grow_old, ())
    });
    not_recordable(swapped, "another world");
    assert_eq!(other.bodies.len(), N + 1);
    let own = sim.on(HOST).record(|_| Err(Error::Duplicate { class: "Body", id: 1 }));
    assert!(matches!(own, Err(Error::Duplicate { .. })));
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let _ = other.on(HOST).record(|sim| {
            sim.execute(Body::grow_old, ())?;
            panic!("on purpose")
        });
    }));
    assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"on purpose"));
    // None of these kernels has run yet, and none is still recorded.
    assert_eq!(other.bodies.column(body::age)[3], 3);
    let step = older(&mut other);
    other.on(HOST).execute(Body::grow_old, ()).unwrap();
    other.on(HOST).replay(&step).unwrap();
    assert_eq!(other.bodies.column(body::age)[3], 5);
}

#[test]
fn a_kernel_that_panics_leaves_world_and_recordings_usable() {
    let mut sim = sim();
    let step = older(&mut sim);
    let panic = catch_unwind(AssertUnwindSafe(|| sim.on(HOST).execute(Body::fail, 3)));
    assert!(panic.is_err());
    let fail = sim.on(HOST).record(|sim| sim.execute(Body::fail, 3)).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| sim.on(HOST).replay(&fail))).is_err());
    let age = sim.bodies.column(body::age)[3];
    sim.on(HOST).replay(&step).unwrap();
    assert_eq!(sim.bodies.column(body::age)[3], age + 1);
}

#[test]
fn kernels_for_the_host_only_run_by_the_short_forms() {
    let mut sim = sim();
    let offset = [1.0];
    sim.execute(Body::change, |x: f64| x + offset[0]);
    assert_eq!(sim.bodies.column(body::pos)[0], 1.0);
}
