//! Access modes: what a kernel does with the column of one field.

use core::fmt;

use crate::class::Class;
use crate::layout::{Get, Set};
use crate::storage::{Loaded, Storage};
use crate::table::Table;
use crate::value::{LANES, Lanes};

/// The numbers of the modes.
pub mod mode {
    /// The kernel does not name the field.
    pub const SKIP: u8 = 0;
    /// The kernel reads it and cannot change it: it takes `&self`.
    pub const READ: u8 = 1;
    /// The kernel names it, and is not known to change it: compared after the call.
    pub const CHECKED: u8 = 2;
    /// The kernel may change it: stored after the call.
    pub const WRITE: u8 = 3;
    /// The kernel may change it, and others see the value from before.
    pub const SNAPSHOT: u8 = 4;
}

/// A run of objects that one thread works on.
pub struct Chunk<'a, C: Class> {
    /// The class's columns.
    pub table: &'a Table<C>,
    /// Where snapshot columns are written.
    pub shadow: &'a C::Bases,
    /// The first object.
    pub first: usize,
    /// The number of objects.
    pub len: usize,
}

impl<C: Class> Copy for Chunk<'_, C> {}
impl<C: Class> Clone for Chunk<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C: Class> fmt::Debug for Chunk<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chunk<{}>({}+{})", C::NAME, self.first, self.len)
    }
}

/// A run of one field, accessed in some mode.
pub trait Access<F: Storage> {
    /// The same mode over [`LANES`] objects held in registers.
    type Block: Access<F>;

    /// The element at `index`.
    ///
    /// # Safety
    ///
    /// `index` is within the run.
    unsafe fn get(&self, index: usize) -> F::Value;

    /// Stores the element at `index`, if the mode is one that writes.
    ///
    /// # Safety
    ///
    /// `index` is within the run.
    #[inline(always)]
    unsafe fn set(&mut self, _index: usize, _value: F::Value) {}

    /// Whether an element may be changed so.
    #[inline(always)]
    fn allows(_before: &F::Value, _after: &F::Value) -> bool {
        true
    }

    /// Copies `len` elements from `first` on into a block.
    ///
    /// # Safety
    ///
    /// The elements are within the run.
    unsafe fn block(&self, first: usize, len: usize) -> Self::Block;

    /// Copies `len` elements from a block to `first` and the following, if the mode is one that writes.
    ///
    /// # Safety
    ///
    /// The elements are within the run.
    #[inline(always)]
    unsafe fn unblock(&mut self, _first: usize, _len: usize, _block: &Self::Block) {}
}

/// A field that the kernel does not name.
#[derive(Clone, Copy, Debug)]
pub struct Skip;

/// A field that the kernel only reads.
#[derive(Clone, Copy, Debug)]
pub struct Read<R>(R);

/// A field that the kernel names and is not known to change.
#[derive(Clone, Copy, Debug)]
pub struct Checked<R>(R);

/// A field that the kernel may change.
#[derive(Debug)]
pub struct Write<R>(R);

/// A field that the kernel may change, others seeing the value from before.
#[derive(Debug)]
pub struct Snapshot<R, W> {
    now: R,
    next: W,
}

/// [`LANES`] elements.
#[derive(Clone, Copy, Debug)]
pub struct Block<L>(L);

impl<T, L: Lanes<T>> Get<T> for Block<L> {
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        self.0.get(index)
    }
}

impl<T, L: Lanes<T>> Set<T> for Block<L> {
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, value: T) {
        self.0.set(index, value);
    }
}

type BlockOf<F> = Block<<<F as Storage>::Value as Loaded>::Lanes>;

/// # Safety
///
/// `first..first + len` are within the run.
#[inline(always)]
unsafe fn to_block<F: Storage>(run: &impl Get<F::Value>, first: usize, len: usize) -> BlockOf<F> {
    let mut block = Lanes::splat(F::Value::PLACEHOLDER);
    if len == LANES {
        for lane in 0..LANES {
            // SAFETY: within the run, by the caller.
            Lanes::set(&mut block, lane, unsafe { run.get(first + lane) });
        }
    } else {
        for lane in 0..len.min(LANES) {
            // SAFETY: within the run, by the caller.
            Lanes::set(&mut block, lane, unsafe { run.get(first + lane) });
        }
    }
    Block(block)
}

impl<F: Storage> Access<F> for Skip {
    type Block = Skip;
    #[inline(always)]
    unsafe fn get(&self, _: usize) -> F::Value {
        F::Value::PLACEHOLDER
    }
    #[inline(always)]
    unsafe fn block(&self, _: usize, _: usize) -> Skip {
        Skip
    }
}

impl<F: Storage, R: Get<F::Value>> Access<F> for Read<R> {
    type Block = Read<BlockOf<F>>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> F::Value {
        // SAFETY: passed on.
        unsafe { self.0.get(index) }
    }
    #[inline(always)]
    unsafe fn block(&self, first: usize, len: usize) -> Self::Block {
        // SAFETY: passed on.
        Read(unsafe { to_block::<F>(&self.0, first, len) })
    }
}

impl<F: Storage, R: Get<F::Value>> Access<F> for Checked<R> {
    type Block = Checked<BlockOf<F>>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> F::Value {
        // SAFETY: passed on.
        unsafe { self.0.get(index) }
    }
    #[inline(always)]
    fn allows(before: &F::Value, after: &F::Value) -> bool {
        before.same(after)
    }
    #[inline(always)]
    unsafe fn block(&self, first: usize, len: usize) -> Self::Block {
        // SAFETY: passed on.
        Checked(unsafe { to_block::<F>(&self.0, first, len) })
    }
}

impl<F: Storage, R: Get<F::Value> + Set<F::Value>> Access<F> for Write<R> {
    type Block = Write<BlockOf<F>>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> F::Value {
        // SAFETY: passed on.
        unsafe { self.0.get(index) }
    }
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, value: F::Value) {
        // SAFETY: passed on.
        unsafe { self.0.set(index, value) }
    }
    #[inline(always)]
    unsafe fn block(&self, first: usize, len: usize) -> Self::Block {
        // SAFETY: passed on.
        Write(unsafe { to_block::<F>(&self.0, first, len) })
    }
    #[inline(always)]
    unsafe fn unblock(&mut self, first: usize, len: usize, block: &Self::Block) {
        for lane in 0..len.min(LANES) {
            // SAFETY: `first + lane` is within the run by the caller, `lane` within the block.
            unsafe { self.0.set(first + lane, block.0.get(lane)) };
        }
    }
}

impl<F: Storage, R: Get<F::Value>, W: Get<F::Value> + Set<F::Value>> Access<F> for Snapshot<R, W> {
    // Within a block of selves nobody else looks: what others see is in the column.
    type Block = Write<BlockOf<F>>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> F::Value {
        if F::ARRAY.is_some() {
            // What is loaded is where the array is; its elements are written there.
            // SAFETY: passed on.
            return unsafe { self.next.get(index) };
        }
        // SAFETY: passed on.
        unsafe { self.now.get(index) }
    }
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, value: F::Value) {
        // SAFETY: passed on.
        unsafe { self.next.set(index, value) }
    }
    #[inline(always)]
    unsafe fn block(&self, first: usize, len: usize) -> Self::Block {
        if F::ARRAY.is_some() {
            // SAFETY: passed on.
            return Write(unsafe { to_block::<F>(&self.next, first, len) });
        }
        // SAFETY: passed on.
        Write(unsafe { to_block::<F>(&self.now, first, len) })
    }
    #[inline(always)]
    unsafe fn unblock(&mut self, first: usize, len: usize, block: &Self::Block) {
        for lane in 0..len.min(LANES) {
            // SAFETY: `first + lane` is within the run by the caller, `lane` within the block.
            unsafe { self.next.set(first + lane, block.0.get(lane)) };
        }
    }
}

/// A mode as a type.
pub trait Mode {
    /// Whether the column is accessed at all.
    const TOUCHES: bool;
    /// Whether it is stored, in place or to a shadow.
    const STORES: bool = false;
    /// Whether what is stored goes to a shadow.
    const SHADOW: bool = false;

    /// How a run of a field is accessed.
    type Access<'a, F: Storage, C: Class>: Access<F>;

    /// Borrows the field's columns.
    ///
    /// # Safety
    ///
    /// 1. Field `K` of `C` is stored by `F`.
    /// 2. The chunk lies within one run of the layout, and its objects exist.
    /// 3. During `'a`, if the mode writes, nothing else accesses the elements that it writes; and
    ///    nothing writes those that it reads.
    unsafe fn open<'a, F: Storage, C: Class, const K: usize>(chunk: Chunk<'a, C>) -> Self::Access<'a, F, C>;
}

/// The mode with this number.
#[derive(Debug)]
pub struct ModeOf<const M: u8>;

impl Mode for ModeOf<{ mode::SKIP }> {
    const TOUCHES: bool = false;
    type Access<'a, F: Storage, C: Class> = Skip;
    #[inline(always)]
    unsafe fn open<'a, F: Storage, C: Class, const K: usize>(_: Chunk<'a, C>) -> Skip {
        Skip
    }
}

impl Mode for ModeOf<{ mode::READ }> {
    const TOUCHES: bool = true;
    type Access<'a, F: Storage, C: Class> = Read<F::Shared<'a, C>>;
    #[inline(always)]
    unsafe fn open<'a, F: Storage, C: Class, const K: usize>(chunk: Chunk<'a, C>) -> Self::Access<'a, F, C> {
        // SAFETY: passed on.
        Read(unsafe { F::shared::<C, K>(&chunk.table.bases, chunk.first, chunk.len) })
    }
}

impl Mode for ModeOf<{ mode::CHECKED }> {
    const TOUCHES: bool = true;
    type Access<'a, F: Storage, C: Class> = Checked<F::Shared<'a, C>>;
    #[inline(always)]
    unsafe fn open<'a, F: Storage, C: Class, const K: usize>(chunk: Chunk<'a, C>) -> Self::Access<'a, F, C> {
        // SAFETY: passed on.
        Checked(unsafe { F::shared::<C, K>(&chunk.table.bases, chunk.first, chunk.len) })
    }
}

impl Mode for ModeOf<{ mode::WRITE }> {
    const TOUCHES: bool = true;
    const STORES: bool = true;
    type Access<'a, F: Storage, C: Class> = Write<F::Exclusive<'a, C>>;
    #[inline(always)]
    unsafe fn open<'a, F: Storage, C: Class, const K: usize>(chunk: Chunk<'a, C>) -> Self::Access<'a, F, C> {
        // SAFETY: passed on.
        Write(unsafe { F::exclusive::<C, K>(&chunk.table.bases, chunk.first, chunk.len) })
    }
}

impl Mode for ModeOf<{ mode::SNAPSHOT }> {
    const TOUCHES: bool = true;
    const STORES: bool = true;
    const SHADOW: bool = true;
    type Access<'a, F: Storage, C: Class> = Snapshot<F::Shared<'a, C>, F::Exclusive<'a, C>>;
    #[inline(always)]
    unsafe fn open<'a, F: Storage, C: Class, const K: usize>(chunk: Chunk<'a, C>) -> Self::Access<'a, F, C> {
        Snapshot {
            // SAFETY: passed on.
            now: unsafe { F::shared::<C, K>(&chunk.table.bases, chunk.first, chunk.len) },
            // SAFETY: passed on; the shadow is storage of the same geometry.
            next: unsafe { F::exclusive::<C, K>(chunk.shadow, chunk.first, chunk.len) },
        }
    }
}
