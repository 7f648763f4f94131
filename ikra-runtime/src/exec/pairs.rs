//! `execute_pairs`: a kernel for every object and every other.
//!
//! A block of objects is held in registers while the others stream past, so that the SIMD lanes are
//! different objects and each object still meets the others in order. Objects of many bytes are held one by one, so
//! that a block of them does not fill the thread's stack.

use std::marker::PhantomData;

use super::rows::prepare;
use super::{for_chunks, for_runs};
use crate::access::Chunk;
use crate::arity::{AccessTuple, FieldTuple, Job, ModeTuple, Spread};
use crate::class::Class;
use crate::handle::Handle;
use crate::isa::{Isa, OnBlock, Trial};
use crate::kernel::{FieldsOf, PairCall, assert_modes};
use crate::layout::Layout;
use crate::objects::Objects;
use crate::step::step;
use crate::table::Table;
use crate::value::LANES;

/// The address of the others' table, which may be that of the objects themselves.
struct Others<C: Class>(*const Table<C>);
// SAFETY: a table can be read by several threads.
unsafe impl<C: Class> Sync for Others<C> {}

/// Calls the kernel for every object of `objects` and every object of `others`, a table of the same
/// world.
pub(crate) fn execute_pairs<K, A>(objects: &mut Objects<K::Class>, others: *const Table<K::Other>, args: A)
where
    K: PairCall<A>,
    A: Copy + Send + Sync,
{
    let shadow = prepare::<K>(objects);
    let range = 0..objects.len();
    let table = objects.table();
    let others = Others(others);
    for_chunks(range.clone(), true, |chunk| {
        let others = &others;
        for_runs(chunk, <<K::Class as Class>::Layout as Layout>::RUN, |run| {
            let chunk = Chunk { table, shadow: &shadow, first: run.start, len: run.len() };
            const { assert_modes::<K>() };
            // SAFETY: as in `run_rows`: chunks are disjoint, `&mut objects` excludes other kernels.
            let runs = unsafe { K::Modes::open::<K::Class>(chunk) };
            // SAFETY: the world that the caller borrows exclusively keeps the table alive, and nothing changes it now.
            let others = unsafe { &*others.0 };
            let job = Pairs::<K, A> { table, others, first: run.start, len: run.len(), args, kernel: PhantomData };
            runs.spread(job, Isa::Base);
        });
    });
    objects.commit_shadow(const { K::EFFECTS.shadowed() }, range);
}

/// From this many others on it is worth while to find out which instruction set is faster.
const MANY: usize = 256;

/// The largest block of objects that is held on the stack, in bytes.
const LARGEST_BLOCK: usize = 64 * 1024;

/// Calls a kernel for each object of a run and every other.
struct Pairs<'w, K: PairCall<A>, A> {
    table: &'w Table<K::Class>,
    others: &'w Table<K::Other>,
    first: usize,
    len: usize,
    args: A,
    kernel: PhantomData<K>,
}

impl<K, A, X> Job<X> for Pairs<'_, K, A>
where
    K: PairCall<A>,
    A: Copy,
    X: AccessTuple<FieldsOf<K>>,
{
    type Output = ();
    // What pays is compiled for several instruction sets below.
    const WIDE: bool = false;

    #[inline(always)]
    fn run(self, mut runs: X) {
        if const { size_of::<X::Block>() > LARGEST_BLOCK } {
            for n in 0..self.len {
                // SAFETY: within the run.
                unsafe { self.run_alone(&mut runs, n) };
            }
            return;
        }
        // Blocks that meet few others are over too soon to be timed.
        let blocks = if self.others.len() < MANY { 0 } else { self.len / LANES };
        let mut trial = Trial::new(blocks);
        let mut done = 0;
        while done < self.len {
            let lanes = LANES.min(self.len - done);
            // SAFETY: within the runs.
            let mut block = unsafe { runs.block(done, lanes) };
            let stream = Stream { pairs: &self, first: self.first + done, lanes };
            trial.run(|isa| isa.call::<_, K>(&mut block, stream));
            // SAFETY: within the runs.
            unsafe { runs.unblock(done, lanes, &block) };
            done += lanes;
        }
    }
}

impl<K, A> Pairs<'_, K, A>
where
    K: PairCall<A>,
    A: Copy,
{
    /// Lets one object meet the others. Its fields are loaded before the first of them and stored after the last.
    ///
    /// # Safety
    ///
    /// `n` is within the runs.
    #[inline(never)]
    unsafe fn run_alone<X: AccessTuple<FieldsOf<K>>>(&self, runs: &mut X, n: usize) {
        // SAFETY: passed on.
        let mut alone = Alone { values: unsafe { runs.get(n) }, runs: PhantomData::<X> };
        for other in 0..self.others.len() {
            let other = K::Other::to_ref(Handle::at(self.others, other));
            // SAFETY: there is one object in the run.
            unsafe {
                step::<K, _, _>(&mut alone, 0, self.table, self.first + n, |view| K::call(view, other, self.args));
            }
        }
        if const { K::EFFECTS.is_exclusive } {
            // SAFETY: passed on.
            unsafe { runs.set(n, alone.values) };
        }
    }
}

/// A run of one object, whose fields are held apart from the columns; `X` says which may be changed.
struct Alone<F: FieldTuple, X> {
    values: F::Values,
    runs: PhantomData<X>,
}

impl<F: FieldTuple, X: AccessTuple<F>> AccessTuple<F> for Alone<F, X> {
    type Block = Self;
    #[inline(always)]
    unsafe fn get(&self, _: usize) -> F::Values {
        self.values
    }
    #[inline(always)]
    unsafe fn set(&mut self, _: usize, values: F::Values) {
        self.values = values;
    }
    #[inline(always)]
    fn undeclared(before: &F::Values, after: &F::Values) -> Option<usize> {
        X::undeclared(before, after)
    }
    unsafe fn block(&self, _: usize, _: usize) -> Self {
        Self { values: self.values, runs: PhantomData }
    }
    unsafe fn unblock(&mut self, _: usize, _: usize, block: &Self) {
        self.values = block.values;
    }
}

/// Lets a block of objects meet the others.
///
/// The block comes as a reference parameter, so that what is read of the others is known not to change
/// with it, and is read once for all lanes.
struct Stream<'s, 'w, K: PairCall<A>, A> {
    pairs: &'s Pairs<'w, K, A>,
    /// The position of the block's first object.
    first: usize,
    /// The objects in the block.
    lanes: usize,
}

impl<K, A, B> OnBlock<B> for Stream<'_, '_, K, A>
where
    K: PairCall<A>,
    A: Copy,
    B: AccessTuple<FieldsOf<K>>,
{
    #[inline(always)]
    fn run(self, block: &mut B) {
        let count = self.pairs.others.len();
        if self.lanes == LANES {
            for other in 0..count {
                for lane in 0..LANES {
                    // SAFETY: within the block.
                    unsafe { self.meet(block, lane, other) };
                }
            }
        } else {
            for other in 0..count {
                for lane in 0..self.lanes {
                    // SAFETY: within the block.
                    unsafe { self.meet(block, lane, other) };
                }
            }
        }
    }
}

impl<K, A> Stream<'_, '_, K, A>
where
    K: PairCall<A>,
    A: Copy,
{
    /// # Safety
    ///
    /// `lane` is within the block.
    #[inline(always)]
    unsafe fn meet<B: AccessTuple<FieldsOf<K>>>(&self, block: &mut B, lane: usize, other: usize) {
        let Pairs { table, others, args, .. } = *self.pairs;
        let other = K::Other::to_ref(Handle::at(others, other));
        // SAFETY: passed on.
        unsafe { step::<K, B, _>(block, lane, table, self.first + lane, |view| K::call(view, other, args)) }
    }
}
