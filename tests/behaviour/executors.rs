//! The contract of the executors and of worlds.
#![allow(missing_docs, reason = "a test, not a library")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra::{Error, Links, Place};

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub pos: f32,
    pub force: f32,
    pub steps: u32,
    pub next: Option<Link<Body>>,
    #[atomic]
    pub owner: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    pub fn new(n: usize) -> Self {
        Self { pos: (n as f32 * 0.7).sin(), force: 0.0, steps: 0, next: None, owner: None }
    }

    #[kernel]
    pub fn step(&mut self, by: u32) {
        self.steps += by;
    }

    #[kernel]
    pub fn fail_at(&mut self, id: u32) {
        self.steps += 1;
        assert!(self.link().id() != id, "object {id} fails");
        self.pos = 9.0;
    }

    #[kernel(snapshot(steps))]
    pub fn fail_with_snapshot(&mut self, id: u32) {
        self.steps += 1;
        assert!(self.link().id() != id, "object {id} fails");
    }

    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Body>) {
        let d = other.pos() - self.pos;
        self.force += d / (d * d + 0.01).sqrt();
    }

    #[kernel]
    pub fn sum_all(&mut self) {
        self.force = self.all::<Body>().map(|other| other.pos()).sum();
    }

    #[kernel(snapshot(pos))]
    pub fn smooth(&mut self) {
        if let Some(next) = self.next {
            self.pos = 0.5 * (self.pos + next.pos());
        }
    }

    #[kernel]
    pub fn claim(&mut self, modulus: u32) {
        let n = self.link().id();
        if let Some(target) = Link::from_id(n % modulus + 1) {
            self.resolve::<Link<Body>>(target).owner().claim(self.link());
        }
    }

    #[kernel(reduce(Sum, Min, Max))]
    pub fn weighted(&self) -> f32 {
        self.pos * 1.1
    }

    #[kernel(reduce(Sum))]
    pub fn moments(&self) -> [f64; 2] {
        [f64::from(self.pos), f64::from(self.pos).powi(2)]
    }

    #[kernel(reduce(All, Any))]
    pub fn is_positive(&self) -> bool {
        self.pos > 0.0
    }

    #[kernel]
    pub fn spawn(id: u32) -> Self {
        Self::new(id as usize)
    }

    #[kernel]
    pub fn follow(&mut self) {
        self.force = self.next.map_or(0.0, |next| next.pos());
    }
}

#[soa_class(capacity = 10)]
#[derive(Clone, Debug, PartialEq)]
pub struct Few {
    pub x: u32,
}

#[soa_world]
#[derive(Debug)]
pub struct Sim {
    pub bodies: Objects<Body>,
    pub few: Objects<Few>,
}

fn sim(n: usize) -> Sim {
    let mut sim = Sim::new();
    sim.construct(n, Body::spawn, ()).unwrap();
    sim
}

fn link(n: usize) -> Link<Body> {
    Link::from_index(n).unwrap()
}

fn message(work: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("it panics");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
    }
}

fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn duplicates_are_refused_and_nothing_runs() {
    for n in [10, 10_000] {
        let mut sim = sim(n);
        let links = [link(3), link(1), link(3)];
        let error = sim.on(Place::Host).over(&links).execute(Body::step, 1).unwrap_err();
        assert!(matches!(error, Error::Duplicate { class: "Body", id: 4 }), "{error}");
        assert_eq!(sim.bodies.column(body::steps).iter().sum::<u32>(), 0);
        sim.over(&[link(3), link(1)]).execute(Body::step, 5);
        assert_eq!(sim.bodies.column(body::steps)[..4], [0, 5, 0, 5]);
        sim.over(&[]).execute(Body::step, 5);
        assert_eq!(sim.bodies.column(body::steps).iter().sum::<u32>(), 10);
    }
}

#[test]
fn links_out_of_range() {
    let mut sim = sim(5);
    let error = sim.on(Place::Host).over(&[link(1), link(5)]).execute(Body::step, 1).unwrap_err();
    assert!(matches!(error, Error::NotInWorld { class: "Body", id: 6, len: 5 }), "{error}");
    assert_eq!(sim.bodies.column(body::steps), [0; 5]);
    assert!(matches!(sim.try_get(link(9)), Err(Error::NotInWorld { .. })));
    assert!(sim.try_get_mut(link(9)).is_err());
    assert!(message(|| _ = sim.get(link(9))).contains("Body#10 does not belong to this world, which has 5 objects"));
    assert!(sim.bodies.read(link(9)).is_err());
    assert!(sim.bodies.write(link(9), Body::new(0)).is_err());
    // A link of another, larger world is caught before a kernel follows it.
    sim.bodies.column_mut(body::next)[2] = Some(link(40));
    let text = message(|| sim.execute(Body::follow, ()));
    assert!(text.contains("`Body::next` of Body#3 is a link to Body#41, and this world has 5 objects"), "{text}");
}

#[test]
fn ranges() {
    let mut sim = sim(200);
    sim.over(3..3).execute(Body::step, 1);
    sim.over(200..).execute(Body::step, 1);
    assert_eq!(sim.bodies.column(body::steps), [0; 200]);
    sim.over(60..=130).execute(Body::step, 1);
    sim.over(..2).execute(Body::step, 2);
    let expected: Vec<u32> = (0..200).map(|n| u32::from((60..=130).contains(&n)) + 2 * u32::from(n < 2)).collect();
    assert_eq!(sim.bodies.column(body::steps), expected);
    assert!(message(|| sim.over(100..201).execute(Body::step, 1)).contains("out of range for 200 objects"));
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is tested")]
    let text = message(|| sim.over(5..3).execute(Body::step, 1));
    assert!(text.contains("out of range"), "{text}");
}

#[test]
fn no_objects() {
    let mut sim = sim(0);
    sim.execute(Body::step, 1);
    sim.over(..).execute(Body::step, 1);
    sim.over(&[]).execute(Body::step, 1);
    sim.execute_pairs(Body::attract, ());
    sim.execute(Body::smooth, ());
    assert_eq!(sim.execute_and_reduce(Body::weighted, (), Sum), 0.0);
    assert_eq!(sim.execute_and_reduce(Body::weighted, (), Min), f32::INFINITY);
    assert_eq!(sim.execute_and_reduce(Body::weighted, (), Max), f32::NEG_INFINITY);
    assert!(sim.execute_and_reduce(Body::is_positive, (), All));
    assert!(!sim.execute_and_reduce(Body::is_positive, (), Any));
    assert_eq!(sim.construct(0, Body::spawn, ()).unwrap().len(), 0);
    assert!(sim.bodies.is_empty() && sim.bodies.column(body::pos).is_empty());
    assert_eq!(sim.bodies.iter().count() + sim.all::<Body>().count(), 0);
}

#[test]
fn panics_propagate_and_objects_are_never_half_updated() {
    for (threads, n) in [(1, 100), (2, 50_000)] {
        with_threads(threads, || {
            let mut sim = sim(n);
            let before: Vec<f32> = sim.bodies.column(body::pos).to_vec();
            let text = message(|| sim.execute(Body::fail_at, 50));
            assert_eq!(text, "object 50 fails");
            for (row, pos) in sim.bodies.iter().zip(before) {
                let updated = row.steps == 1 && row.pos == 9.0;
                let untouched = row.steps == 0 && row.pos == pos;
                assert!(updated || untouched, "{row:?}");
            }
            assert_eq!(sim.bodies.read(link(49)).unwrap().steps, 0);
            // The world remains usable.
            sim.execute(Body::step, 3);
            assert!(sim.bodies.column(body::steps).iter().all(|&steps| steps == 3 || steps == 4));

            sim.bodies.column_mut(body::steps).fill(7);
            message(|| sim.execute(Body::fail_with_snapshot, 50));
            assert!(sim.bodies.column(body::steps).iter().all(|&steps| steps == 7));
            sim.execute(Body::fail_with_snapshot, 0);
            assert!(sim.bodies.column(body::steps).iter().all(|&steps| steps == 8));
        });
    }
}

#[test]
fn too_many_objects_are_refused_without_allocating() {
    let mut sim = sim(1);
    for n in [u32::MAX as usize, usize::MAX] {
        assert!(matches!(sim.bodies.reserve(n), Err(Error::TooManyObjects { class: "Body", .. })));
        assert!(matches!(sim.bodies.grow_by(n), Err(Error::TooManyObjects { .. })));
        assert!(matches!(sim.construct(n, Body::spawn, ()), Err(Error::TooManyObjects { .. })));
    }
    assert_eq!(sim.bodies.len(), 1);
}

#[test]
fn a_fixed_capacity_is_kept() {
    let mut sim = sim(1);
    sim.few.extend((0..10).map(|x| Few { x })).unwrap();
    let error = sim.few.push(Few { x: 0 }).unwrap_err();
    assert!(matches!(error, Error::CapacityExceeded { class: "Few", capacity: 10, requested: 11 }), "{error}");
    assert!(sim.few.reserve(1).is_err());
    assert_eq!(sim.few.column(few::x), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn reserved_objects_must_be_initialised() {
    let mut sim = sim(2);
    let links: Vec<_> = sim.bodies.reserve(2).unwrap().collect();
    let uses: [fn(&mut Sim); 8] = [
        |sim| sim.execute(Body::step, 1),
        |sim| sim.execute_pairs(Body::attract, ()),
        |sim| _ = sim.execute_and_reduce(Body::weighted, (), Sum),
        |sim| sim.over(&[link(0)]).execute(Body::step, 1),
        |sim| _ = sim.get(link(0)),
        |sim| _ = sim.get_mut(link(0)),
        |sim| _ = sim.bodies.column(body::pos).len(),
        |sim| _ = sim.bodies.iter(),
    ];
    for attempt in uses {
        let text = message(|| attempt(&mut sim));
        assert!(text.contains("not initialised") && text.contains("`init`"), "{text}");
    }
    assert!(matches!(sim.bodies.read(links[0]), Err(Error::NotInitialized { id: 3, .. })));
    assert!(sim.bodies.read(link(0)).is_ok());
    sim.bodies.init(links[1], Body::new(3)).unwrap();
    sim.bodies.init(links[0], Body::new(2)).unwrap();
    assert!(matches!(sim.bodies.init(links[0], Body::new(2)), Err(Error::AlreadyInitialized { id: 3, .. })));
    assert!(matches!(sim.bodies.init(link(0), Body::new(2)), Err(Error::AlreadyInitialized { id: 1, .. })));
    sim.execute(Body::step, 1);
    assert_eq!(sim.bodies.iter().map(|body| body.pos).collect::<Vec<_>>(), [0, 1, 2, 3].map(|n| Body::new(n).pos));
}

/// All results of kernels, as bits.
fn everything(n: usize) -> Vec<u32> {
    let mut sim = sim(n);
    for n in 0..n {
        sim.bodies.column_mut(body::next)[n] = Link::from_index(n / 2 + n % 3).filter(|next| next.index() < n);
    }
    let mut bits = Vec::new();
    sim.execute_pairs(Body::attract, ());
    bits.extend(sim.bodies.column(body::force).iter().map(|force| force.to_bits()));
    for _ in 0..3 {
        sim.execute(Body::smooth, ());
    }
    sim.execute(Body::claim, n.min(7) as u32);
    bits.extend(sim.bodies.column(body::pos).iter().map(|pos| pos.to_bits()));
    bits.extend(sim.bodies.copy_column(body::owner).iter().map(|owner| owner.map_or(0, Link::id)));
    bits.push(sim.execute_and_reduce(Body::weighted, (), Sum).to_bits());
    bits.push(sim.execute_and_reduce(Body::weighted, (), Max).to_bits());
    bits.extend(sim.execute_and_reduce(Body::moments, (), Sum).map(|moment| moment.to_bits() as u32));
    bits
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let is_long = std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty());
    // In parallel: pairs of a few thousand objects take seconds.
    std::thread::scope(|scope| {
        for n in [1, 15, 16, 17, 63, 64, 65, 1000, 4095, 4097] {
            if n == 4095 && !is_long {
                continue;
            }
            scope.spawn(move || {
                let one = with_threads(1, || everything(n));
                for &threads in if n < 4000 || is_long { &[2, 3, 8][..] } else { &[3] } {
                    assert!(one == with_threads(threads, || everything(n)), "{n} objects, {threads} threads");
                }
            });
        }
    });
    // Reductions and claims over many chunks.
    let many = || {
        let mut sim = sim(100_003);
        sim.execute(Body::claim, 1000);
        let owners: u64 =
            sim.bodies.copy_column(body::owner).iter().map(|owner| u64::from(owner.map_or(0, Link::id))).sum();
        (sim.execute_and_reduce(Body::weighted, (), Sum).to_bits(), owners)
    };
    let one = with_threads(1, many);
    for threads in [2, 5] {
        assert_eq!(one, with_threads(threads, many));
    }
}

#[test]
fn pairs_and_loops_are_those_of_plain_code() {
    let n = 333;
    let mut sim = sim(n);
    sim.execute_pairs(Body::attract, ());
    let pos: Vec<f32> = sim.bodies.column(body::pos).to_vec();
    for (&force, &own) in sim.bodies.column(body::force).iter().zip(&pos) {
        let mut expected = 0.0f32;
        for other in &pos {
            let d = other - own;
            expected += d / (d * d + 0.01).sqrt();
        }
        assert_eq!(force.to_bits(), expected.to_bits());
    }
    sim.execute(Body::sum_all, ());
    assert!(sim.bodies.column(body::force).iter().all(|&force| force == pos.iter().sum()));
    // The reducer's order: chunks of 256 for so few objects, in each 32 accumulators, which are added by halves.
    let fold = |values: &[f32]| {
        let mut sums = [0.0f32; 32];
        values.iter().enumerate().for_each(|(n, value)| sums[n % 32] += value);
        for width in [16, 8, 4, 2, 1] {
            (0..width).for_each(|n| sums[n] += sums[n + width]);
        }
        sums[0]
    };
    let weighted: Vec<f32> = pos.iter().map(|pos| pos * 1.1).collect();
    let parts: Vec<f32> = weighted.chunks(256).map(fold).collect();
    assert_eq!(sim.execute_and_reduce(Body::weighted, (), Sum), fold(&parts));
}

#[test]
fn several_worlds_on_several_threads() {
    let worlds: Vec<Sim> = (1..5).map(|n| sim(n * 100)).collect();
    let worlds: Vec<Sim> = std::thread::scope(|scope| {
        let threads: Vec<_> = worlds
            .into_iter()
            .map(|mut sim| {
                scope.spawn(move || {
                    sim.execute(Body::step, 1);
                    sim
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (n, sim) in worlds.iter().enumerate() {
        assert_eq!(sim.bodies.column(body::steps), vec![1; (n + 1) * 100]);
    }
    // One world, read by several threads; none has linked it before.
    let mut sim = sim(100);
    sim.bodies.column_mut(body::next).fill(Some(link(7)));
    std::thread::scope(|scope| {
        for n in 0..8 {
            let sim = &sim;
            scope.spawn(move || {
                let next = sim.get(link(n)).next().unwrap();
                assert_eq!((next.link(), next.pos()), (link(7), Body::new(7).pos));
                assert_eq!(next.all::<Few>().count(), 0);
            });
        }
    });
}

#[soa_class]
pub struct Knot {
    pub bead: Link<Bead>,
}

#[soa_class]
pub struct Bead {
    pub value: u32,
}

#[soa_world]
pub struct Chain {
    pub knots: Objects<Knot>,
    pub beads: Objects<Bead>,
}

fn chain(value: u32) -> Chain {
    let mut chain = Chain::new();
    let bead = chain.beads.push(Bead { value }).unwrap();
    chain.knots.push(Knot { bead }).unwrap();
    chain
}

#[test]
fn objects_that_change_worlds_follow_links_in_the_world_they_are_in() {
    let knot = Link::from_index(0).unwrap();
    let (mut a, mut b) = (chain(1), chain(2));
    assert_eq!((a.get::<Link<Knot>>(knot).bead().value(), b.get::<Link<Knot>>(knot).bead().value()), (1, 2));
    // a's knots meet b's beads.
    std::mem::swap(&mut a.beads, &mut b.beads);
    assert_eq!(a.get::<Link<Knot>>(knot).bead().value(), 2);
    std::mem::swap(&mut a.knots, &mut b.knots);
    assert_eq!(b.get::<Link<Knot>>(knot).bead().value(), 1);
    // Swapped back without a use of `a` in between; then `b` is dropped.
    std::mem::swap(&mut a.knots, &mut b.knots);
    drop(b);
    assert_eq!(a.get::<Link<Knot>>(knot).bead().value(), 2);
    assert_eq!(a.get::<Link<Knot>>(knot).all::<Bead>().map(|bead| bead.value()).sum::<u32>(), 2);
    let moved = Box::new(a);
    assert_eq!(moved.get::<Link<Knot>>(knot).bead().value(), 2);
}

#[test]
fn iterators() {
    let mut sim = sim(4);
    let links: Links<Body> = sim.bodies.links();
    assert_eq!(
        (links.len(), links.clone().next_back(), format!("{links:?}")),
        (4, Some(link(3)), "[Body#1, Body#2, Body#3, Body#4]".into())
    );
    let more = sim.bodies.extend((4..6).map(Body::new)).unwrap();
    assert_eq!(more.collect::<Vec<_>>(), [link(4), link(5)]);
    assert_eq!((&sim.bodies).into_iter().next_back(), Some(Body::new(5)));
    assert_eq!(sim.all::<Body>().len(), 6);
    let mut all = sim.all::<Body>();
    assert_eq!((all.nth(1).map(|body| body.link()), all.len()), (Some(link(1)), 4));
    assert_eq!(
        (all.next().map(|body| body.link()), all.next().map(|body| body.link())),
        (Some(link(2)), Some(link(3)))
    );
    assert_eq!((all.len(), all.nth(2).is_none(), all.len(), all.next().is_none()), (2, true, 0, true));
    // Ranges index the remaining objects, as in slices.
    let indices: Vec<usize> = (0..6).collect();
    for (skipped, start, end) in (0..3).flat_map(|a| (0..8).flat_map(move |b| (0..8).map(move |c| (a, b, c)))) {
        let of_slice = catch_unwind(|| indices[skipped..][start..end].to_vec()).ok();
        let of_all = catch_unwind(AssertUnwindSafe(|| {
            let mut all = sim.all::<Body>();
            all.by_ref().take(skipped).for_each(drop);
            all.range(start..end).map(|body| body.link().index()).collect::<Vec<_>>()
        }));
        assert_eq!(of_all.ok(), of_slice, "{skipped}: {start}..{end}");
    }
    let past = catch_unwind(AssertUnwindSafe(|| _ = sim.all::<Body>().range(5..=6))).unwrap_err();
    let text = past.downcast_ref::<String>().unwrap();
    assert_eq!(text, "there are 6 objects of `Body`, so the range `5..=6` is out of range");
    assert_eq!(
        format!("{sim:?}").split("made_by_new").next().unwrap(),
        "Sim { bodies: Objects<Body>(6), few: Objects<Few>(0), "
    );
}
