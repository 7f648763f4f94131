//! Worlds on several GPUs and the host, whose objects and executors are swapped, compared with worlds on the host that
//! undergo the same operations. After any sequence, the columns are equal, or both sides report the same error.
#![allow(missing_docs, reason = "a test, not a library")]

use std::mem;

use ikra::prelude::*;
use ikra::{Error, LinkList, On, Place, Recording};
use ikra_device_tests::model::waves::*;
use ikra_device_tests::{emulated, has_gpu, is_emulated, is_short};

type Kernel = fn(&mut On<'_, Waves>) -> Result<(), Error>;

const KERNELS: &[Kernel] = &[
    |on| on.execute(Left::turn, ()),
    |on| on.execute(Left::swing, ()),
    |on| on.execute(Left::shift, ()),
    |on| on.execute(Left::trace, ()),
    |on| on.execute(Right::turn, ()),
    |on| on.over(3..).execute(Left::shift, ()),
    |on| on.over(..9).execute(Left::turn, ()),
    |on| on.over(2..7).execute(Right::turn, ()),
];

/// Pseudo-random numbers.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

fn waves() -> Waves {
    let mut sim = Waves::new();
    let links: Vec<_> = sim.left.reserve(20).unwrap().collect();
    for (n, &link) in links.iter().enumerate() {
        sim.left.init(link, Left { a: n as u32, b: 3 * n as u32, next: links[(n * 7 + 3) % 20] }).unwrap();
    }
    sim.right.extend((0..10).map(|n| Right { c: n })).unwrap();
    sim
}

/// Worlds, and their counterparts on the host.
type Both = [[Waves; 2]; 2];

fn check(both: &Both, what: &str) {
    for (one, other) in both[0].iter().zip(&both[1]) {
        assert_eq!(one.left.column(left::a), other.left.column(left::a), "{what}");
        assert_eq!(one.left.column(left::b), other.left.column(left::b), "{what}");
        assert_eq!(one.left.column(left::next), other.left.column(left::next), "{what}");
        assert_eq!(one.right.column(right::c), other.right.column(right::c), "{what}");
    }
}

/// Applies one operation to a world of each kind, at a place and on the host. Returns whether it succeeded.
fn same(
    both: &mut Both,
    n: usize,
    place: Place,
    what: &str,
    work: impl Fn(&mut On<'_, Waves>) -> Result<(), Error>,
) -> bool {
    let [sims, hosts] = both;
    let (here, there) = (work(&mut sims[n].on(place)), work(&mut hosts[n].on(Place::Host)));
    match (&here, &there) {
        (Ok(()), Ok(())) => true,
        (Err(here), Err(there)) if here.to_string() == there.to_string() => false,
        _ => panic!("{what} at {place}: {here:?}, and on the host {there:?}"),
    }
}

/// The number of times that each operation ran.
fn run(seed: u64, rounds: usize) -> [usize; 20] {
    let mut draw = Draw(seed);
    let places = [Place::Gpu(0), Place::Gpu(1), Place::Gpu(0), Place::Gpu(1), Place::Host];
    let mut both: Both = [[waves(), waves()], [waves(), waves()]];
    let mut recordings: Vec<(Recording, Vec<Kernel>)> = Vec::new();
    let mut lists: Vec<LinkList<Link<Left>>> = Vec::new();
    let mut done = [0_usize; 20];
    // Recordings are also replayed before an operation that invalidates them.
    let (mut replays, mut n) = (0, 0);
    for round in 0..rounds {
        n = if replays > 0 { n } else { draw.below(2) };
        let place = draw.one_of(&places);
        let what = format!("seed {seed}, round {round}, world {n}");
        let kind = if replays > 0 { draw.one_of(&[9, 9, 19, 25]) } else { draw.below(30) };
        replays = replays.max(1) - 1;
        match kind {
            0 => {
                let (count, bad) = (draw.below(if round % 50 == 0 { 80 } else { 4 }), draw.below(25) == 0);
                let len = both[0][n].left.len();
                let next = Link::from_index(draw.below(len) + if bad { len } else { 0 }).unwrap();
                for sims in &mut both {
                    sims[n].left.extend((0..count as u32).map(|b| Left { a: 1, b, next })).unwrap();
                    sims[n].right.push(Right { c: 4 }).unwrap();
                }
            }
            1 => {
                let (at, value) = (draw.below(both[0][n].left.len()), draw.below(1000) as u32);
                both.iter_mut().for_each(|sims| sims[n].left.column_mut(left::b)[at] = value);
            }
            2 => {
                let len = both[0][n].left.len();
                let (link, next) =
                    (Link::from_index(draw.below(len)).unwrap(), Link::from_index(draw.below(len)).unwrap());
                both.iter_mut().for_each(|sims| sims[n].left.write(link, Left { a: 5, b: 6, next }).unwrap());
            }
            3 => {
                let at: Link<Left> = Link::from_index(draw.below(both[0][n].left.len())).unwrap();
                both.iter_mut().for_each(|sims| sims[n].get_mut(at).a += 1);
            }
            4 => both.iter_mut().for_each(|[one, other]| mem::swap(&mut one.left, &mut other.left)),
            5 => both.iter_mut().for_each(|[one, other]| mem::swap(&mut one.right, &mut other.right)),
            6 => both.iter_mut().for_each(|[one, other]| mem::swap(one, other)),
            7 => {
                // An executor belongs to a world only by convention.
                let [one, other] = &mut both[0];
                let taken = [one, other].map(|sim| ikra::World::state_mut(sim).executors().take(place));
                for (sim, executor) in both[0].iter_mut().rev().zip(taken) {
                    executor.into_iter().for_each(|executor| ikra::World::state_mut(sim).executors().put(executor));
                }
            }
            8 if place != Place::Host => {
                let kernels: Vec<_> = (0..1 + draw.below(4)).map(|_| draw.one_of(KERNELS)).collect();
                match both[0][n].on(place).record(|on| kernels.iter().try_for_each(|kernel| kernel(on))) {
                    Ok(recording) => {
                        recordings.push((recording, kernels));
                        replays = draw.below(8);
                    }
                    Err(Error::BadLink { .. }) => {}
                    Err(error) => panic!("{what}: {error}"),
                }
            }
            9..=13 if !recordings.is_empty() => {
                let (recording, kernels) = &recordings[recordings.len() - 1 - draw.below(recordings.len().min(4))];
                match both[0][n].on(recording.place()).replay(recording) {
                    Ok(()) => {
                        done[9] += 1;
                        let mut on = both[1][n].on(Place::Host);
                        kernels
                            .iter()
                            .try_for_each(|kernel| kernel(&mut on))
                            .unwrap_or_else(|error| panic!("{what}: {error}"));
                    }
                    Err(Error::StaleRecording { .. } | Error::BadLink { .. }) => {}
                    Err(error) => panic!("{what}: {error}"),
                }
                continue;
            }
            14 => {
                let links: Vec<Link<Left>> = (0..both[0][n].left.len())
                    .filter(|_| draw.below(3) > 0)
                    .map(|n| Link::from_index(n).unwrap())
                    .collect();
                if draw.below(2) == 0 {
                    lists.push(LinkList::new(&links).unwrap());
                } else {
                    done[kind] +=
                        usize::from(same(&mut both, n, place, &what, |on| on.over(&links).execute(Left::turn, ())));
                    continue;
                }
            }
            15..=16 if !lists.is_empty() => {
                let list = &lists[draw.below(lists.len())];
                let turns = draw.below(2) == 0;
                done[15] += usize::from(same(&mut both, n, place, &what, |on| match turns {
                    true => on.over(list).execute(Left::turn, ()),
                    false => on.over(list).execute(Left::shift, ()),
                }));
                continue;
            }
            17 if draw.below(3) == 0 => both.iter_mut().for_each(|sims| sims[n] = sims[1 - n].clone()),
            18 if draw.below(3) == 0 => both.iter_mut().for_each(|sims| sims[n] = waves()),
            19 => check(&both, &what),
            // A few objects, which are fetched individually.
            20..=22 => {
                for _ in 0..draw.below(4) {
                    let at: Link<Left> = Link::from_index(draw.below(both[0][n].left.len())).unwrap();
                    let read = |sims: &[Waves; 2]| {
                        let left = sims[n].get(at);
                        (left.a(), left.b(), sims[n].left.read(at).unwrap().next)
                    };
                    assert_eq!(read(&both[0]), read(&both[1]), "{what}");
                }
                done[19] += 1;
                continue;
            }
            _ => {
                let kernel = draw.one_of(KERNELS);
                done[19] += usize::from(same(&mut both, n, place, &what, kernel));
                continue;
            }
        }
        done[kind] += 1;
    }
    check(&both, &format!("seed {seed}, at the end"));
    done
}

#[test]
fn whatever_comes_after_whatever() {
    let devices = if has_gpu() { ikra::gpu::driver::devices().unwrap().len() } else { 0 };
    if devices < 2 {
        // Two emulated devices have a separate test.
        if devices == 1 && !is_emulated() {
            println!("SKIPPED: {devices} devices, and these tests are for two");
        }
        return;
    }
    let (first, seeds) = match std::env::var("IKRA_SEED") {
        Ok(seed) => (seed.parse().expect("a number"), 1),
        Err(_) if is_short() => (0, 1),
        Err(_) => (0, if is_emulated() { 2 } else { 8 }),
    };
    let mut done = [0; 20];
    for seed in first..first + seeds {
        done.iter_mut().zip(run(seed, 1000)).for_each(|(all, times)| *all += times);
    }
    println!("{done:?}");
    // Replays are counted together, and so are lists.
    let is_done = |n| done[n] > 0 || (10..14).contains(&n) || n == 16;
    assert!((0..20).all(is_done), "{done:?}");
}

#[test]
fn mixed_on_emulated_devices() {
    if !has_gpu() {
        return;
    }
    // Check that kernels were launched early.
    let said = emulated(&[("DEVICES", "2"), ("TRACE", "1")], &["whatever_comes_after_whatever"]);
    assert!(!said.contains("SKIPPED") && said.contains(" early"), "{said}");
}
