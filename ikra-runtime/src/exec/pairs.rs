//! `execute_pairs`: calls a kernel for every pair of objects.
//!
//! Registers hold a block of objects while the others stream past. So the SIMD lanes are different objects, and each
//! object still visits the others in order. Large objects are held one by one: a block of them could fill the stack.

use std::ops::{Range, RangeBounds};

use super::calls::{Calls, for_calls};
use super::chunks::{AllReturned, Piece, by_one, for_chunks_or_alone};
use super::positions;
use super::rows::prepare;
use crate::alone::pays;
use crate::class::Class;
use crate::handle::Handle;
use crate::info::ClassInfo;
use crate::isa::{Isa, VECTORS, to_try};
use crate::kernel::{PairCall, ValuesOf, assert_for_pairs};
use crate::list::Listed;
use crate::objects::Objects;
use crate::spread::{Job, Spread};
use crate::step;
use crate::table::Table;
use crate::value::LANES;
use crate::window::WindowTuple;

/// The address of the other class's table, which may be the table of the objects themselves.
struct Others<C: Class>(*const Table<C>);
// SAFETY: several threads can read a table.
unsafe impl<C: Class> Sync for Others<C> {}

/// Calls the kernel for the objects at some positions and every object of `others`, a table of the same world;
/// [`finish`](super::rows::finish) commits its effects.
#[track_caller]
pub(super) fn call_pairs<K, A>(
    objects: &mut Objects<K::Class>,
    range: impl RangeBounds<usize>,
    others: *const Table<K::Other>,
    args: A,
) -> AllReturned
where
    K: PairCall<A>,
    A: Copy + Send + Sync,
{
    const { assert_for_pairs::<K>() };
    let range = positions(range, objects.slots(), <K::Class as ClassInfo>::NAME);
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let others = Others(others);
    // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
    let work = |(chunk, isa): Piece| unsafe { run_pairs::<K, A, false>(table, &shadow, &others, chunk, args, isa) };
    // SAFETY: `&mut objects` excludes other kernels, and no other thread makes calls meanwhile.
    let alone = |(all, isa): Piece| unsafe { run_pairs::<K, A, true>(table, &shadow, &others, all, args, isa) };
    let isas = isas::<K, A>(&others);
    for_chunks_or_alone(range, true, const { pays::<K>() }, isas, work, by_one::<K, _, _>(work, alone))
}

/// Like `call_pairs`, for the objects of a list.
pub(super) fn call_pairs_each<K, A>(
    objects: &mut Objects<K::Class>,
    listed: &Listed,
    others: *const Table<K::Other>,
    args: A,
) -> AllReturned
where
    K: PairCall<A>,
    A: Copy + Send + Sync,
{
    const { assert_for_pairs::<K>() };
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let others = Others(others);
    let work = |(places, isa): Piece| {
        for range in listed.ranges(places) {
            // SAFETY: these objects exist, each is in the list once, and `&mut objects` excludes other kernels.
            unsafe { run_pairs::<K, A, false>(table, &shadow, &others, range, args, isa) };
        }
    };
    let alone = |(places, isa): Piece| {
        for range in listed.ranges(places) {
            // SAFETY: these objects exist, each is in the list once, and no other thread makes calls meanwhile.
            unsafe { run_pairs::<K, A, true>(table, &shadow, &others, range, args, isa) };
        }
    };
    let isas = isas::<K, A>(&others);
    for_chunks_or_alone(0..listed.len(), true, const { pays::<K>() }, isas, work, by_one::<K, _, _>(work, alone))
}

/// Calls the kernel for consecutive objects and every object of `others`.
///
/// # Safety
///
/// As for [`for_calls`]; and `others` belongs to the same world.
unsafe fn run_pairs<K, A, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    others: &Others<K::Other>,
    range: Range<usize>,
    args: A,
    isa: Isa,
) where
    K: PairCall<A>,
    A: Copy,
{
    // SAFETY: the world is borrowed exclusively while the kernel runs, so the table is alive and does not change.
    let others = unsafe { &*others.0 };
    // SAFETY: the contract is the same: clauses 1 to 3 of `for_calls` hold for this range.
    unsafe {
        for_calls::<K, A, ALONE>(table, shadow, range, args, |windows, calls| {
            windows.spread(Pairs { calls, others, isa }, Isa::BASE);
        });
    }
}

/// From this number of others on, timing the instruction sets to find the faster one pays.
const MANY: usize = 256;

/// The instruction sets for a kernel: several if the fastest should be found.
fn isas<K: PairCall<A>, A>(others: &Others<K::Other>) -> &'static [Isa] {
    // SAFETY: the world is borrowed exclusively while the kernel runs, so the table is alive and does not change.
    let count = unsafe { &*others.0 }.len();
    to_try(const { K::EFFECTS.is_heavy() } && count >= MANY)
}

/// The largest block of objects on the stack, in bytes.
pub(super) const LARGEST_BLOCK: usize = 64 * 1024;

/// Calls a kernel for each object of a window and every other.
struct Pairs<'w, K: PairCall<A>, A, const ALONE: bool> {
    calls: Calls<'w, K, A, ALONE>,
    others: &'w Table<K::Other>,
    isa: Isa,
}

impl<K, A, X, const ALONE: bool> Job<X> for Pairs<'_, K, A, ALONE>
where
    K: PairCall<A>,
    A: Copy,
    X: WindowTuple<ValuesOf<K>>,
{
    type Output = ();
    // The loops below are compiled for several instruction sets where that pays.
    const WIDE: bool = false;

    #[inline(always)]
    fn run(self, mut windows: X) {
        let len = self.calls.len;
        if const { size_of::<X::Block>() > LARGEST_BLOCK } {
            for n in 0..len {
                // SAFETY: `n` is within the windows.
                unsafe { self.run_alone(&mut windows, n) };
            }
            return;
        }
        let mut done = 0;
        while done < len {
            let lanes = LANES.min(len - done);
            let stream = Stream { pairs: &self, first: done, lanes };
            if const { VECTORS } {
                // SAFETY: objects `done..done + lanes` are within the windows.
                let mut block = unsafe { windows.block(done, lanes) };
                (&mut block,).spread(stream, self.isa);
                // SAFETY: objects `done..done + lanes` are within the windows.
                unsafe { windows.unblock(done, lanes, &block) };
            } else {
                // SAFETY: objects `done..done + lanes` are within the windows.
                let mut block = unsafe { Held::<_, LANES>::of(&windows, done, lanes) };
                (&mut block,).spread(stream, self.isa);
                for lane in 0..lanes {
                    // SAFETY: as above.
                    unsafe { windows.set(done + lane, block.0[lane]) };
                }
            }
            done += lanes;
        }
    }
}

impl<K, A, const ALONE: bool> Pairs<'_, K, A, ALONE>
where
    K: PairCall<A>,
    A: Copy,
{
    /// Calls the kernel for object `n` and another one. Object `n` is at index `at` of `windows`.
    ///
    /// # Safety
    ///
    /// 1. `at` is within the windows, and the object there is number `n` of the run.
    /// 2. Object `other` exists.
    #[inline(always)]
    unsafe fn meet<X: WindowTuple<ValuesOf<K>>>(&self, windows: &mut X, at: usize, n: usize, other: usize) {
        let Calls { table, first, args, .. } = self.calls;
        // SAFETY: `for_calls` made these calls.
        let facts = unsafe { self.calls.facts() };
        // SAFETY: 1. the other object exists, by the caller; 2. the facts are those of these calls.
        let other = K::Other::to_ref(unsafe { Handle::at(self.others, other, facts) });
        // SAFETY: 1. and 2. by the caller and `for_calls`; 3. the facts are those of these calls.
        let (mut view, before) = unsafe { step::begin::<K, X>(windows, at, table, first + n, facts) };
        K::call::<K>(&mut view, other, args);
        // SAFETY: as for `begin`, which returned the view and the values for object `n`.
        unsafe { step::end::<K, X>(windows, at, table, first + n, view, before) };
    }

    /// Lets one object visit the others. Its fields are loaded before the first visit and stored after the last.
    ///
    /// # Safety
    ///
    /// `n` is within the windows.
    #[inline(never)]
    unsafe fn run_alone<X: WindowTuple<ValuesOf<K>>>(&self, windows: &mut X, n: usize) {
        // SAFETY: `n` is within the windows, by the caller.
        let mut alone = unsafe { Held::<_, 1>::of(windows, n, 1) };
        for other in 0..self.others.len() {
            // SAFETY: 1. the only object of these windows is `n`; 2. `other` is below the number of others.
            unsafe { self.meet(&mut alone, 0, n, other) };
        }
        if const { K::EFFECTS.is_exclusive() } {
            // SAFETY: `n` is within the windows, by the caller.
            unsafe { windows.set(n, alone.0[0]) };
        }
    }
}

/// The windows of a few objects, whose fields are held side by side: one object, or a block in builds without vectors,
/// where a block's values of one field after the other are slow.
#[derive(Clone, Copy)]
struct Held<V, const N: usize>([V; N]);

impl<V: Copy, const N: usize> Held<V, N> {
    /// Copies `len` objects from `first` on.
    ///
    /// # Safety
    ///
    /// There is at least one object, and the objects are within the windows.
    #[inline(always)]
    unsafe fn of<X: WindowTuple<V>>(windows: &X, first: usize, len: usize) -> Self {
        // SAFETY: the first object is within the windows.
        let mut held = Self([unsafe { windows.get(first) }; N]);
        for n in 1..len.min(N) {
            // SAFETY: within the windows, by the caller.
            held.0[n] = unsafe { windows.get(first + n) };
        }
        held
    }
}

impl<V: Copy, const N: usize> WindowTuple<V> for Held<V, N> {
    type Block = Self;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> V {
        self.0[index]
    }
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, values: V) {
        self.0[index] = values;
    }
    unsafe fn block(&self, _: usize, _: usize) -> Self {
        *self
    }
    unsafe fn unblock(&mut self, _: usize, _: usize, block: &Self) {
        *self = *block;
    }
}

/// Lets a block of objects visit the others.
///
/// The block is a reference parameter. The compiler then knows that writing the block does not change the other object,
/// and reads that once for all lanes.
struct Stream<'s, 'w, K: PairCall<A>, A, const ALONE: bool> {
    pairs: &'s Pairs<'w, K, A, ALONE>,
    /// The position of the block's first object in the window.
    first: usize,
    lanes: usize,
}

impl<K, A, B, const ALONE: bool> Job<(&mut B,)> for Stream<'_, '_, K, A, ALONE>
where
    K: PairCall<A>,
    A: Copy,
    B: WindowTuple<ValuesOf<K>>,
{
    type Output = ();
    const WIDE: bool = const { K::EFFECTS.is_heavy() };

    #[inline(always)]
    fn run(self, (block,): (&mut B,)) {
        let Self { pairs, first, lanes } = self;
        let count = pairs.others.len();
        if lanes == LANES {
            for other in 0..count {
                for lane in 0..LANES {
                    // SAFETY: 1. `lane` is within the block, and its object is number `first + lane`; 2. `other` is
                    // below the number of others.
                    unsafe { pairs.meet(block, lane, first + lane, other) };
                }
            }
        } else {
            for other in 0..count {
                for lane in 0..lanes {
                    // SAFETY: 1. `lane` is within the block, and its object is number `first + lane`; 2. `other` is
                    // below the number of others.
                    unsafe { pairs.meet(block, lane, first + lane, other) };
                }
            }
        }
    }
}
