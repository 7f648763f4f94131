//! The kernels of a chain, composed as types: one loop calls them one after another for each object.
//!
//! | | |
//! | --- | --- |
//! | [`All`], [`When`] | kernels that choose objects |
//! | [`Then`], [`With`] | what is made of the chosen objects |

use std::fmt::{self, Debug};
use std::marker::PhantomData;

use super::prefetch::prefetch_next;
use crate::class::Class;
use crate::facts::Facts;
use crate::handle::Handle;
use crate::kernel::{Call, Kernel, ValuesOf};
use crate::mode::{Chunk, ModeTuple};
use crate::step;
use crate::window::WindowTuple;
use ikra_core::effects::Effects;
use ikra_core::message::Message;

/// The columns that a kernel reads, for consecutive objects.
type WindowsOf<'w, K> = <<K as Kernel>::Modes as ModeTuple<<K as Kernel>::Class>>::Windows<'w>;

/// Copies of them.
type BlockOf<'w, K> = <WindowsOf<'w, K> as WindowTuple<ValuesOf<K>>>::Block;

/// Pure kernels, called one after another for each object of a class, and what is made of their results. Those that only
/// choose objects are a stage whose results are `()`.
///
/// # Safety
///
/// The windows that [`open`](Self::open) returns are for reading only. [`call`](Self::call) calls pure kernels only.
pub unsafe trait Stage<C: Class>: Copy + Send + Sync {
    /// The result for an object that is chosen.
    type Output;
    /// The columns that its kernels read, for consecutive objects.
    type Windows<'w>;
    /// Copies of them for a few objects, in registers.
    type Block<'w>;
    /// Whether it chooses all objects.
    const IS_ALL: bool;
    /// The effects of its kernels together.
    const EFFECTS: &'static Effects;

    /// Opens the columns of a chunk.
    ///
    /// # Safety
    ///
    /// The chunk lies within one window of the layout, and its objects exist. Nothing writes their columns during `'w`.
    unsafe fn open<'w>(chunk: Chunk<'w, C>) -> Self::Windows<'w>;

    /// Copies `len` objects from `first` on, so that memory need not be read on a condition.
    ///
    /// # Safety
    ///
    /// The windows have these objects.
    unsafe fn block<'w>(windows: &Self::Windows<'w>, first: usize, len: usize) -> Self::Block<'w>;

    /// The result for the object at number `lane` of a block, which is number `n` of the chunk, if it is chosen.
    ///
    /// # Safety
    ///
    /// [`open`](Self::open) made the windows of this chunk, which has more than `n` objects; the block is of them. No
    /// kernel writes in the world meanwhile, and the table's links are checked.
    unsafe fn call<'w>(
        self,
        block: &Self::Block<'w>,
        lane: usize,
        chunk: Chunk<'w, C>,
        n: usize,
    ) -> Option<Self::Output>;

    /// As [`call`](Self::call), without a block: for objects that are too large for one.
    ///
    /// # Safety
    ///
    /// As there.
    unsafe fn call_in<'w>(self, windows: &Self::Windows<'w>, chunk: Chunk<'w, C>, n: usize) -> Option<Self::Output>;
}

/// Checks that a kernel of a chain changes nothing.
pub(crate) struct Pure<K>(PhantomData<K>);

impl<K: Kernel> Pure<K> {
    /// Fails to compile if it may change something. One constant, so that several uses are one error.
    pub(crate) const CHECK: () = if !K::EFFECTS.is_pure() {
        let message = Message::new()
            .push("kernel `")
            .push(K::EFFECTS.kernel())
            .push("` may change objects, so `select` and `map` do not take it: their kernels take `&self`, change no `#[atomic]` field, and make and remove nothing; run it by `execute`, `execute_and_collect` or `execute_and_reduce`");
        panic!("{}", message.as_str());
    };
}

/// Opens the columns that a kernel reads.
///
/// # Safety
///
/// As for [`Stage::open`].
#[inline(always)]
unsafe fn open<'w, K: Kernel>(chunk: Chunk<'w, K::Class>) -> WindowsOf<'w, K> {
    let () = Pure::<K>::CHECK;
    prefetch_next::<K>(chunk.table, chunk.first + chunk.len);
    // SAFETY: nothing writes the columns of the chunk; a pure kernel stores nothing, as `step::begin` checks.
    unsafe { K::Modes::open(chunk) }
}

/// Calls a kernel for object `n` of a chunk, which has this place in a block, or in the windows.
///
/// # Safety
///
/// As for [`Stage::call`], with the windows of the kernel's modes.
#[inline(always)]
unsafe fn call<'w, K: Call<A>, A, X: WindowTuple<ValuesOf<K>>>(
    block: &X,
    lane: usize,
    chunk: Chunk<'w, K::Class>,
    n: usize,
    args: A,
) -> K::Output {
    // SAFETY: 1. by the caller; 2. the objects of the chunk exist; 3. no facts are known.
    let (mut view, _) = unsafe { step::begin::<K, _>(block, lane, chunk.table, chunk.first + n, Facts::NONE) };
    // SAFETY: 1. the object exists; 2. no facts are known.
    let from = unsafe { Handle::at(chunk.table, chunk.first + n, Facts::NONE) };
    let followed = K::follow::<K>(from, &args);
    K::call::<K>(&mut view, args, followed)
}

/// All objects.
#[derive(Clone, Copy, Debug)]
pub struct All;

// SAFETY: it opens no columns and makes no calls.
unsafe impl<C: Class> Stage<C> for All {
    type Output = ();
    type Windows<'w> = ();
    type Block<'w> = ();
    const IS_ALL: bool = true;
    const EFFECTS: &'static Effects = &Effects::none::<C>();
    #[inline]
    unsafe fn open(_: Chunk<'_, C>) {}
    #[inline(always)]
    unsafe fn block<'w>(_: &Self::Windows<'w>, _: usize, _: usize) -> Self::Block<'w> {}
    #[inline(always)]
    unsafe fn call(self, (): &(), _: usize, _: Chunk<'_, C>, _: usize) -> Option<()> {
        Some(())
    }
    #[inline]
    unsafe fn call_in(self, (): &(), _: Chunk<'_, C>, _: usize) -> Option<()> {
        Some(())
    }
}

/// The results of kernel `K` for the objects of `S`.
pub struct Then<S, K, A> {
    among: S,
    args: A,
    kernel: PhantomData<K>,
}

impl<S, K, A> Then<S, K, A> {
    pub(crate) fn new(among: S, args: A) -> Self {
        Self { among, args, kernel: PhantomData }
    }
}

impl<S: Copy, K, A: Copy> Copy for Then<S, K, A> {}
impl<S: Copy, K, A: Copy> Clone for Then<S, K, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Debug, K, A> Debug for Then<S, K, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Then").field("among", &self.among).finish_non_exhaustive()
    }
}

/// The effects of a filter's kernels and of a further one.
struct Both<C, S, K>(PhantomData<(C, S, K)>);

impl<C: Class, S: Stage<C>, K: Kernel> Both<C, S, K> {
    const NAME: &'static Message = &Message::new().push(S::EFFECTS.kernel()).push(", ").push(K::EFFECTS.kernel());
    const EFFECTS: &'static Effects =
        &if S::IS_ALL { *K::EFFECTS } else { S::EFFECTS.and(K::EFFECTS, Self::NAME.as_str()) };
}

// SAFETY: the filter before it and this kernel are pure, by `open`.
unsafe impl<S, K, A> Stage<K::Class> for Then<S, K, A>
where
    S: Stage<K::Class, Output = ()>,
    K: Call<A>,
    A: Copy + Send + Sync,
{
    type Output = K::Output;
    type Windows<'w> = (S::Windows<'w>, WindowsOf<'w, K>);
    type Block<'w> = (S::Block<'w>, BlockOf<'w, K>);
    const IS_ALL: bool = S::IS_ALL;
    const EFFECTS: &'static Effects = Both::<K::Class, S, K>::EFFECTS;
    #[inline(always)]
    unsafe fn open<'w>(chunk: Chunk<'w, K::Class>) -> Self::Windows<'w> {
        // SAFETY: the chunk is within one window, and nothing writes its columns.
        let among = unsafe { S::open(chunk) };
        // SAFETY: the chunk is within one window, and nothing writes its columns.
        (among, unsafe { open::<K>(chunk) })
    }
    #[inline(always)]
    unsafe fn block<'w>((before, own): &Self::Windows<'w>, first: usize, len: usize) -> Self::Block<'w> {
        // SAFETY: all windows are of one chunk, which has these objects.
        let before = unsafe { S::block(before, first, len) };
        // SAFETY: all windows are of one chunk, which has these objects.
        (before, unsafe { own.block(first, len) })
    }
    #[inline(always)]
    unsafe fn call<'w>(
        self,
        (before, own): &Self::Block<'w>,
        lane: usize,
        chunk: Chunk<'w, K::Class>,
        n: usize,
    ) -> Option<K::Output> {
        // SAFETY: both parts of the block are of the same objects.
        let is_chosen = unsafe { self.among.call(before, lane, chunk, n) };
        // SAFETY: both parts of the block are of the same objects.
        is_chosen.map(|()| unsafe { call::<K, A, _>(own, lane, chunk, n, self.args) })
    }
    #[inline]
    unsafe fn call_in<'w>(
        self,
        (before, own): &Self::Windows<'w>,
        chunk: Chunk<'w, K::Class>,
        n: usize,
    ) -> Option<K::Output> {
        // SAFETY: all windows are of the chunk, which has the object.
        let is_chosen = unsafe { self.among.call_in(before, chunk, n) };
        // SAFETY: all windows are of the chunk, which has the object.
        is_chosen.map(|()| unsafe { call::<K, A, _>(own, n, chunk, n, self.args) })
    }
}

/// The objects for which kernel `P` returns `true`, of `S`.
pub struct When<S, P, A>(Then<S, P, A>);

impl<S, P, A> When<S, P, A> {
    pub(crate) fn new(among: S, args: A) -> Self {
        Self(Then::new(among, args))
    }
}

impl<S: Copy, P, A: Copy> Copy for When<S, P, A> {}
impl<S: Copy, P, A: Copy> Clone for When<S, P, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Debug, P, A> Debug for When<S, P, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("When").field(&self.0).finish()
    }
}

/// The results of `S`, changed by a closure of the host, which also gets each object's index.
#[derive(Clone, Copy)]
pub struct With<S, F>(pub(crate) S, pub(crate) F);

impl<S: Debug, F> Debug for With<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("With").field(&self.0).finish_non_exhaustive()
    }
}

/// The columns of the stage that another one wraps.
macro_rules! columns_of {
    ($stage:ty, $class:ty) => {
        type Windows<'w> = <$stage as Stage<$class>>::Windows<'w>;
        type Block<'w> = <$stage as Stage<$class>>::Block<'w>;
        const EFFECTS: &'static Effects = <$stage as Stage<$class>>::EFFECTS;
        #[inline(always)]
        unsafe fn open<'w>(chunk: Chunk<'w, $class>) -> Self::Windows<'w> {
            // SAFETY: the chunk is within one window, and nothing writes its columns.
            unsafe { <$stage>::open(chunk) }
        }
        #[inline(always)]
        unsafe fn block<'w>(windows: &Self::Windows<'w>, first: usize, len: usize) -> Self::Block<'w> {
            // SAFETY: the windows are those of the stage, which have these objects.
            unsafe { <$stage as Stage<$class>>::block(windows, first, len) }
        }
    };
}

// SAFETY: the stage keeps the promise.
unsafe impl<S, P, A> Stage<P::Class> for When<S, P, A>
where
    S: Stage<P::Class, Output = ()>,
    P: Call<A, Output = bool>,
    A: Copy + Send + Sync,
{
    type Output = ();
    const IS_ALL: bool = false;
    columns_of!(Then<S, P, A>, P::Class);
    #[inline(always)]
    unsafe fn call<'w>(self, block: &Self::Block<'w>, lane: usize, chunk: Chunk<'w, P::Class>, n: usize) -> Option<()> {
        // SAFETY: the block is that of the stage, and the object the same.
        unsafe { self.0.call(block, lane, chunk, n) }?.then_some(())
    }
    #[inline]
    unsafe fn call_in<'w>(self, windows: &Self::Windows<'w>, chunk: Chunk<'w, P::Class>, n: usize) -> Option<()> {
        // SAFETY: the windows are those of the stage, and the object the same.
        unsafe { self.0.call_in(windows, chunk, n) }?.then_some(())
    }
}

// SAFETY: the stage keeps the promise, and a closure is no kernel.
unsafe impl<C: Class, S: Stage<C>, T, F> Stage<C> for With<S, F>
where
    F: Fn(u32, S::Output) -> T + Copy + Send + Sync,
{
    type Output = T;
    const IS_ALL: bool = S::IS_ALL;
    columns_of!(S, C);
    #[inline(always)]
    unsafe fn call<'w>(self, block: &Self::Block<'w>, lane: usize, chunk: Chunk<'w, C>, n: usize) -> Option<T> {
        // SAFETY: the block is that of the stage, and the object the same.
        let result = unsafe { self.0.call(block, lane, chunk, n) };
        result.map(|result| (self.1)((chunk.first + n) as u32, result))
    }
    #[inline]
    unsafe fn call_in<'w>(self, windows: &Self::Windows<'w>, chunk: Chunk<'w, C>, n: usize) -> Option<T> {
        // SAFETY: the windows are those of the stage, and the object the same.
        let result = unsafe { self.0.call_in(windows, chunk, n) };
        result.map(|result| (self.1)((chunk.first + n) as u32, result))
    }
}
