//! `execute_pairs`: a kernel for every object and every other.
//!
//! A block of objects is held in registers while the others stream past, so that the SIMD lanes are
//! different objects and each object still visits the others in order. Objects of many bytes are held one by one, so
//! that a block of them does not fill the thread's stack.

use std::ops::{Range, RangeBounds};

use super::calls::{Calls, for_calls};
use super::chunks::{AllReturned, by_one, for_chunks_or_alone};
use super::positions;
use super::rows::prepare;
use crate::class::Class;
use crate::handle::Handle;
use crate::info::ClassInfo;
use crate::isa::{Isa, Trial};
use crate::kernel::{PairCall, ValuesOf, assert_for_pairs};
use crate::list::Listed;
use crate::objects::Objects;
use crate::spread::{Job, Spread};
use crate::step;
use crate::table::Table;
use crate::value::LANES;
use crate::window::WindowTuple;

/// The address of the others' table, which may be that of the objects themselves.
struct Others<C: Class>(*const Table<C>);
// SAFETY: a table can be read by several threads.
unsafe impl<C: Class> Sync for Others<C> {}

/// Calls the kernel for the objects at some positions and every object of `others`, a table of the same world;
/// [`finish`](super::rows::finish) makes visible what it has done.
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
    let range = positions(range, objects.len(), <K::Class as ClassInfo>::NAME);
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let others = Others(others);
    // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
    let work = |chunk| unsafe { run_pairs::<K, A, false>(table, &shadow, &others, chunk, args) };
    // SAFETY: as above; and this thread does all of it.
    let alone = |all| unsafe { run_pairs::<K, A, true>(table, &shadow, &others, all, args) };
    for_chunks_or_alone(range, true, work, by_one::<K, _>(work, alone))
}

/// The same for objects of a list.
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
    let work = |places: Range<usize>| {
        for range in listed.ranges(places) {
            // SAFETY: these objects exist, each is in the list once, and `&mut objects` excludes other kernels.
            unsafe { run_pairs::<K, A, false>(table, &shadow, &others, range, args) };
        }
    };
    let alone = |places: Range<usize>| {
        for range in listed.ranges(places) {
            // SAFETY: as above; and this thread does all of it.
            unsafe { run_pairs::<K, A, true>(table, &shadow, &others, range, args) };
        }
    };
    for_chunks_or_alone(0..listed.len(), true, work, by_one::<K, _>(work, alone))
}

/// Calls the kernel for consecutive objects and every object of `others`.
///
/// # Safety
///
/// As for [`for_calls`]; and `others` is of the same world.
unsafe fn run_pairs<K, A, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    others: &Others<K::Other>,
    range: Range<usize>,
    args: A,
) where
    K: PairCall<A>,
    A: Copy,
{
    // SAFETY: the world that is borrowed exclusively while the kernel runs keeps the table alive, and nothing changes it meanwhile.
    let others = unsafe { &*others.0 };
    // SAFETY: the contract is the same.
    unsafe {
        for_calls::<K, A, ALONE>(table, shadow, range, args, |windows, calls| {
            windows.spread(Pairs { calls, others }, Isa::BASE);
        });
    }
}

/// From this many others on it is worth while to find out which instruction set is faster.
const MANY: usize = 256;

/// The largest block of objects that is held on the stack, in bytes.
const LARGEST_BLOCK: usize = 64 * 1024;

/// Calls a kernel for each object of a run and every other.
struct Pairs<'w, K: PairCall<A>, A, const ALONE: bool> {
    calls: Calls<'w, K, A, ALONE>,
    others: &'w Table<K::Other>,
}

impl<K, A, X, const ALONE: bool> Job<X> for Pairs<'_, K, A, ALONE>
where
    K: PairCall<A>,
    A: Copy,
    X: WindowTuple<ValuesOf<K>>,
{
    type Output = ();
    // What pays is compiled for several instruction sets below.
    const WIDE: bool = false;

    #[inline(always)]
    fn run(self, mut windows: X) {
        let len = self.calls.len;
        if const { size_of::<X::Block>() > LARGEST_BLOCK } {
            for n in 0..len {
                // SAFETY: within the run.
                unsafe { self.run_alone(&mut windows, n) };
            }
            return;
        }
        // Blocks that visit few others end too soon to be timed.
        let blocks = if self.others.len() < MANY { 0 } else { len / LANES };
        let mut trial = Trial::new(blocks);
        let mut done = 0;
        while done < len {
            let lanes = LANES.min(len - done);
            // SAFETY: within the windows.
            let mut block = unsafe { windows.block(done, lanes) };
            trial.run(|isa| (&mut block,).spread(Stream { pairs: &self, first: done, lanes }, isa));
            // SAFETY: within the windows.
            unsafe { windows.unblock(done, lanes, &block) };
            done += lanes;
        }
    }
}

impl<K, A, const ALONE: bool> Pairs<'_, K, A, ALONE>
where
    K: PairCall<A>,
    A: Copy,
{
    /// Lets object `n` meet another; it is the one at `at` of `windows`.
    ///
    /// # Safety
    ///
    /// `at` is within the windows, and the object there is `n`.
    #[inline(always)]
    unsafe fn meet<X: WindowTuple<ValuesOf<K>>>(&self, windows: &mut X, at: usize, n: usize, other: usize) {
        let Calls { table, first, args, .. } = self.calls;
        // SAFETY: the calls are those of `for_calls`.
        let facts = unsafe { self.calls.facts() };
        // SAFETY: 1. the other object exists, by the caller; 2. it is so.
        let other = K::Other::to_ref(unsafe { Handle::at(self.others, other, facts) });
        // SAFETY: 1. and 2. the contract is the same; 3. it is so.
        let (mut view, before) = unsafe { step::begin::<K, X>(windows, at, table, first + n, facts) };
        K::call::<K>(&mut view, other, args);
        // SAFETY: as above.
        unsafe { step::end::<K, X>(windows, at, table, first + n, view, before) };
    }

    /// Lets one object visit the others. Its fields are loaded before the first of them and stored after the last.
    ///
    /// # Safety
    ///
    /// `n` is within the windows.
    #[inline(never)]
    unsafe fn run_alone<X: WindowTuple<ValuesOf<K>>>(&self, windows: &mut X, n: usize) {
        // SAFETY: by the caller.
        let mut alone = Alone(unsafe { windows.get(n) });
        for other in 0..self.others.len() {
            // SAFETY: the one object there is `n`.
            unsafe { self.meet(&mut alone, 0, n, other) };
        }
        if const { K::EFFECTS.is_exclusive() } {
            // SAFETY: by the caller.
            unsafe { windows.set(n, alone.0) };
        }
    }
}

/// Windows of one object, whose fields are held apart from the columns.
#[derive(Clone, Copy)]
struct Alone<V>(V);

impl<V: Copy> WindowTuple<V> for Alone<V> {
    type Block = Self;
    #[inline(always)]
    unsafe fn get(&self, _: usize) -> V {
        self.0
    }
    #[inline(always)]
    unsafe fn set(&mut self, _: usize, values: V) {
        self.0 = values;
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
/// The block comes as a reference parameter, so that what is read of the others is known not to change
/// with it, and is read once for all lanes.
struct Stream<'s, 'w, K: PairCall<A>, A, const ALONE: bool> {
    pairs: &'s Pairs<'w, K, A, ALONE>,
    /// The position of the block's first object in the run.
    first: usize,
    /// The objects in the block.
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
                    // SAFETY: within the block.
                    unsafe { pairs.meet(block, lane, first + lane, other) };
                }
            }
        } else {
            for other in 0..count {
                for lane in 0..lanes {
                    // SAFETY: within the block.
                    unsafe { pairs.meet(block, lane, first + lane, other) };
                }
            }
        }
    }
}
