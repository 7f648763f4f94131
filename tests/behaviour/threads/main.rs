//! Kernels on several threads, for ThreadSanitizer (`scripts/sanitize.sh thread`). A world lives entirely within one
//! task of a pool. The pool's threads synchronize through atomics that the sanitizer sees.
#![allow(missing_docs, reason = "a test, not a library")]

mod atomics;
mod linking;

use std::cell::Cell;

use ikra::prelude::*;
use ikra::rt::{AtomicColumn, Plain};

#[soa_class]
pub struct Soa {
    pub value: u64,
    pub next: Link<Soa>,
    #[atomic]
    pub hits: u32,
    #[atomic]
    pub holder: Option<Link<Soa>>,
}

#[soa_class(layout = "aos")]
pub struct Aos {
    pub value: u64,
    pub small: u8,
    pub next: Link<Aos>,
}

#[soa_class(layout = "tiles")]
pub struct Tiled {
    pub value: u64,
    pub small: u8,
    pub next: Link<Tiled>,
}

/// Identical kernels for each layout.
macro_rules! kernels {
    ($($class:ident)*) => { $(
        #[soa_methods]
        impl $class {
            #[kernel]
            pub fn step(&mut self) {
                self.value += u64::from(self.next.link().id());
            }
            #[kernel(snapshot(value))]
            pub fn take(&mut self) {
                self.value = self.value.wrapping_mul(3) ^ self.next.value();
            }
            #[kernel(snapshot(value), pairs)]
            pub fn meet(&mut self, other: Ref<$class>) {
                self.value = self.value.rotate_left(1) ^ other.value();
            }
            #[kernel(reduce(Sum, Max))]
            pub fn total(&self) -> u64 {
                self.value >> 32
            }
            #[kernel]
            pub fn count(&mut self, counter: &dyn Counter) {
                counter.count();
                self.value += 1;
            }
        }
    )* };
}

kernels! { Soa Aos Tiled }

#[soa_methods]
impl Soa {
    #[kernel]
    pub fn hit(&mut self) {
        self.next.hits().add(1);
        self.next.holder().claim(self.link());
    }
}

pub trait Counter: Sync {
    fn count(&self);
}

#[soa_world]
pub struct World3 {
    pub soa: Objects<Soa>,
    pub aos: Objects<Aos>,
    pub tiled: Objects<Tiled>,
}

fn work() -> (u64, u64, u64, u64) {
    let n = 20_000;
    let mut world = World3::new();
    let next = |k: usize| k * 7919 % n;
    world
        .soa
        .extend((0..n).map(|k| Soa {
            value: k as u64,
            next: Link::from_index(next(k)).unwrap(),
            hits: 0,
            holder: None,
        }))
        .unwrap();
    world
        .aos
        .extend((0..n).map(|k| Aos { value: k as u64, small: 0, next: Link::from_index(next(k)).unwrap() }))
        .unwrap();
    world
        .tiled
        .extend((0..n).map(|k| Tiled { value: k as u64, small: 0, next: Link::from_index(next(k)).unwrap() }))
        .unwrap();
    macro_rules! all {
        ($($class:ident $member:ident)*) => { ($({
            for _ in 0..3 {
                world.execute($class::step, ());
                world.execute($class::take, ());
            }
            world.over(100..n - 100).execute($class::step, ());
            let links: Vec<_> = world.$member.links().rev().step_by(3).collect();
            world.over(&links).execute($class::step, ());
            world.execute_and_reduce($class::total, (), Sum) + world.execute_and_reduce($class::total, (), Max)
        }),*) };
    }
    let (soa, aos, tiled) = all!(Soa soa Aos aos Tiled tiled);
    world.execute(Soa::hit, ());
    let hits: u64 = world.soa.iter().map(|row| u64::from(row.hits) * u64::from(row.holder.map_or(0, Link::id))).sum();

    let mut small = World3::new();
    small
        .soa
        .extend((0..300).map(|k| Soa { value: k, next: Link::from_index(0).unwrap(), hits: 0, holder: None }))
        .unwrap();
    small.execute_pairs(Soa::meet, ());
    (soa, aos, tiled, hits + small.execute_and_reduce(Soa::total, (), Sum))
}

/// Runs `work` on a thread of a pool.
fn with_pool<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _pool = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build().unwrap();
            work()
        });
        worker.join().unwrap()
    })
}

#[test]
fn kernels_on_several_threads() {
    let results = [1, 4].map(|threads| with_pool(threads, work));
    assert_eq!(results[0], results[1]);
    assert_eq!((results[0].0, results[0].0), (results[0].1, results[0].2));
}

/// Links to the objects at half of these indices.
fn halves<C>(indices: &[u64]) -> Vec<Link<C>> {
    indices.iter().map(|&index| Link::from_index(index as usize / 2).unwrap()).collect()
}

#[test]
fn objects_that_several_threads_add() {
    let lens: Vec<usize> = (0..200).map(|part| part * 7 % 31).collect();
    let starts: Vec<usize> = lens.iter().scan(0, |next, len| Some(std::mem::replace(next, *next + len))).collect();
    let values = |part: usize| (0..lens[part]).map(|k| (starts[part] + k) as u64).collect::<Vec<_>>();
    with_pool(4, || {
        let mut world = World3::new();
        let links_before =
            world.tiled.extend([Tiled { value: 7, small: 1, next: Link::from_index(0).unwrap() }]).unwrap();
        assert_eq!(links_before.len(), 1);
        let added = world.tiled.extend_in_parts::<ikra::Error>(&lens, |part, new| {
            // In pieces, and not field by field.
            let (values, small) = (values(part), vec![9; new.len()]);
            let (first, last) = values.split_at(values.len() / 2);
            new.append::<Plain<u64>, 0>(first);
            new.append::<Plain<Link<Tiled>>, 2>(&halves(&values));
            new.append::<Plain<u8>, 1>(&small);
            new.append::<Plain<u64>, 0>(last);
            Ok(())
        });
        assert_eq!(added.unwrap().len(), lens.iter().sum::<usize>());
        assert!(
            world
                .tiled
                .iter()
                .skip(1)
                .enumerate()
                .all(|(k, row)| { (row.value, row.small, row.next.index()) == (k as u64, 9, k / 2) })
        );
        // All links are checked before a kernel follows them.
        world.execute(Tiled::take, ());
        let added = world.soa.extend_in_parts::<ikra::Error>(&lens, |part, new| {
            new.append::<Plain<u64>, 0>(&values(part));
            new.append::<Plain<Link<Soa>>, 1>(&halves(&values(part)));
            new.append::<AtomicColumn<u32>, 2>(&vec![5; new.len()]);
            new.append::<AtomicColumn<Option<Link<Soa>>>, 3>(&vec![None; new.len()]);
            Ok(())
        });
        assert_eq!(added.unwrap().len(), world.soa.len());
        world.execute(Soa::hit, ());
        assert_eq!(world.soa.iter().map(|row| row.hits as usize - 5).sum::<usize>(), world.soa.len());
    });
}

#[test]
fn parts_that_are_not_full_add_nothing() {
    /// The panic's message.
    macro_rules! panics {
        ($new:pat => $fill:expr, $message:literal) => {{
            let mut world = World3::new();
            let call = || {
                world.aos.extend_in_parts::<ikra::Error>(&[1, 2], |_, $new| {
                    $fill;
                    Ok(())
                })
            };
            let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).unwrap_err();
            let text = panic
                .downcast_ref::<String>()
                .cloned()
                .unwrap_or_else(|| panic.downcast_ref::<&str>().unwrap().to_string());
            assert!(text.contains($message), "{text}");
            assert_eq!(world.aos.len(), 0);
        }};
    }
    panics!(new => assert!(new.len() < 3), "objects, and values for [0, 0, 0]");
    panics!(new => new.append::<Plain<u64>, 0>(&vec![1; new.len()]), ", 0, 0]");
    panics!(new => new.append::<Plain<u64>, 0>(&[1, 2, 3]), "3 values are too many for");
    // Of the same size, and of another type.
    panics!(new => new.append::<Plain<f64>, 0>(&[1.0]), "the storage is the field's");
    panics!(new => new.append::<Plain<u32>, 2>(&[0]), "the storage is the field's");
    panics!(new => new.append::<(), 3>(&[()]), "the storage is the field's");
    let mut world = World3::new();
    let error = world.aos.extend_in_parts(&[1], |_, _| Err(ikra::Error::NotInitialized { class: "Aos", id: 1 }));
    assert!(matches!(error, Err(ikra::Error::NotInitialized { .. })));
    let huge = world.aos.extend_in_parts::<ikra::Error>(&[usize::MAX, 2], |_, _| Ok(()));
    assert!(matches!(huge, Err(ikra::Error::TooManyObjects { .. })));
    // Links of objects that were not added are not looked at.
    world.execute(Aos::take, ());
}

/// A data race that needs `unsafe`: the sanitizer must find it.
struct Planted(Cell<u64>);
// SAFETY: unsound on purpose; this is the race.
unsafe impl Sync for Planted {}
impl Counter for Planted {
    fn count(&self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
#[ignore = "a data race on purpose, which scripts/sanitize.sh expects to be found"]
fn planted_race() {
    let planted = Planted(Cell::new(0));
    with_pool(4, || {
        let mut world = World3::new();
        let next = Link::from_index(0).unwrap();
        world.aos.extend((0..100_000).map(|_| Aos { value: 0, small: 0, next })).unwrap();
        world.execute(Aos::count, &planted as &dyn Counter);
    });
}
