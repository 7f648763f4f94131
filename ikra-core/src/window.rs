//! Windows: one field of consecutive objects, in the form that a kernel accesses.

use crate::effects::FieldSet;
use crate::tuples::for_tuples;
use crate::value::{LANES, Lanes, Loaded};

/// One field of consecutive objects: a slice, or a type with its role.
pub trait Window<T: Loaded> {
    /// [`LANES`] elements held in registers, with this interface.
    type Block: Window<T> + From<Block<T::Lanes>>;

    /// The element at `index`.
    ///
    /// # Safety
    ///
    /// `index` is within the window.
    unsafe fn get(&self, index: usize) -> T;

    /// Stores the element at `index`, if the window is for writing.
    ///
    /// # Safety
    ///
    /// `index` is within the window.
    #[inline(always)]
    unsafe fn set(&mut self, _index: usize, _value: T) {}

    /// Stores the element at `index`, if the window is for writing: if it was assigned, or differs from `before`.
    ///
    /// # Safety
    ///
    /// `index` is within the window.
    #[inline(always)]
    unsafe fn replace(&mut self, index: usize, before: &T, value: T, assigned: bool) {
        if assigned || !before.same(&value) {
            // SAFETY: `index` is within the window, as `set` requires.
            unsafe { self.set(index, value) }
        }
    }

    /// Copies `len` elements from `first` on into a block.
    ///
    /// # Safety
    ///
    /// The elements are within the window.
    #[inline(always)]
    unsafe fn block(&self, first: usize, len: usize) -> Self::Block {
        let mut block: T::Lanes = Lanes::splat(T::PLACEHOLDER);
        if len == LANES {
            for lane in 0..LANES {
                // SAFETY: within the window, by the caller.
                block.set(lane, unsafe { self.get(first + lane) });
            }
        } else {
            for lane in 0..len.min(LANES) {
                // SAFETY: within the window, by the caller.
                block.set(lane, unsafe { self.get(first + lane) });
            }
        }
        Block(block).into()
    }

    /// Copies `len` elements from a block to `first` and the following, if the window is for writing.
    ///
    /// # Safety
    ///
    /// The elements are within the window.
    #[inline(always)]
    unsafe fn unblock(&mut self, first: usize, len: usize, block: &Self::Block) {
        for lane in 0..len.min(LANES) {
            // SAFETY: the lane is within the block.
            let value = unsafe { block.get(lane) };
            // SAFETY: `first + lane` is within the window by the caller.
            unsafe { self.set(first + lane, value) };
        }
    }
}

/// Windows of several fields of one range of objects, whose values are the tuple `V`.
pub trait WindowTuple<V> {
    /// These windows over a block of objects held in registers.
    type Block: WindowTuple<V>;

    /// The values at `index`.
    ///
    /// # Safety
    ///
    /// `index` is within the windows.
    unsafe fn get(&self, index: usize) -> V;

    /// Stores the values at `index` whose window is for writing.
    ///
    /// # Safety
    ///
    /// `index` is within the windows.
    unsafe fn set(&mut self, index: usize, values: V);

    /// Stores the values at `index` whose window is for writing, if they were assigned or differ from `before`.
    ///
    /// # Safety
    ///
    /// `index` is within the windows.
    #[inline(always)]
    unsafe fn replace(&mut self, index: usize, _before: &V, values: V, _assigned: FieldSet) {
        // SAFETY: `index` is within each of the windows.
        unsafe { self.set(index, values) }
    }

    /// Copies `len` objects from `first` on into a block.
    ///
    /// # Safety
    ///
    /// The objects are within the windows.
    unsafe fn block(&self, first: usize, len: usize) -> Self::Block;

    /// Copies `len` objects from a block.
    ///
    /// # Safety
    ///
    /// The objects are within the windows.
    unsafe fn unblock(&mut self, first: usize, len: usize, block: &Self::Block);
}

/// [`LANES`] elements, for reading and writing.
#[derive(Clone, Copy, Debug)]
pub struct Block<L>(L);

impl<T: Loaded> Window<T> for Block<T::Lanes>
where
    T::Lanes: Lanes<T>,
{
    type Block = Self;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        self.0.get(index)
    }
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, value: T) {
        self.0.set(index, value);
    }
}

/// [`LANES`] elements, for reading.
#[derive(Clone, Copy, Debug)]
pub struct ReadOnly<L>(L);

impl<L> From<Block<L>> for ReadOnly<L> {
    #[inline(always)]
    fn from(block: Block<L>) -> Self {
        Self(block.0)
    }
}

impl<T: Loaded> Window<T> for ReadOnly<T::Lanes> {
    type Block = Self;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        self.0.get(index)
    }
}

/// A field that is not accessed: the kernel does not name it, or accesses each element in place.
#[derive(Clone, Copy, Debug)]
pub struct Skip;

impl<L> From<Block<L>> for Skip {
    #[inline(always)]
    fn from(_: Block<L>) -> Self {
        Self
    }
}

impl<T: Loaded> Window<T> for Skip {
    type Block = Self;
    #[inline(always)]
    unsafe fn get(&self, _: usize) -> T {
        T::PLACEHOLDER
    }
}

/// A field of which a kernel writes a snapshot, while other objects see the previous values.
#[derive(Debug)]
pub struct Snapshot<R, W> {
    pub(crate) now: R,
    pub(crate) next: W,
}

impl<T: Loaded, R: Window<T>, W: Window<T>> Window<T> for Snapshot<R, W> {
    // No other code reads the block of own objects: other objects read the column.
    type Block = Block<T::Lanes>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        // SAFETY: both windows are over one range of objects.
        unsafe { self.now.get(index) }
    }
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, value: T) {
        // SAFETY: both windows are over one range of objects.
        unsafe { self.next.set(index, value) }
    }
    #[inline(always)]
    unsafe fn replace(&mut self, index: usize, _: &T, value: T, _: bool) {
        // The loaded values are in the other column.
        // SAFETY: `index` is within both windows, which are over one range of objects.
        unsafe { self.set(index, value) }
    }
}

macro_rules! window_tuple {
    ($(($T:ident $M:ident $X:ident $k:tt))+) => {
        impl<$($T: Loaded,)+ $($X: Window<$T>),+> WindowTuple<($($T,)+)> for ($($X,)+) {
            type Block = ($($X::Block,)+);
            #[inline(always)]
            unsafe fn get(&self, index: usize) -> ($($T,)+) {
                // SAFETY: `index` is within all windows, and so within this one.
                ($(unsafe { self.$k.get(index) },)+)
            }
            #[inline(always)]
            unsafe fn set(&mut self, index: usize, values: ($($T,)+)) {
                $(
                    // SAFETY: `index` is within all windows, and so within this one.
                    unsafe { self.$k.set(index, values.$k) };
                )+
            }
            #[inline(always)]
            unsafe fn replace(
                &mut self,
                index: usize,
                before: &($($T,)+),
                values: ($($T,)+),
                assigned: FieldSet,
            ) {
                $(
                    // SAFETY: `index` is within all windows, and so within this one.
                    unsafe { self.$k.replace(index, &before.$k, values.$k, assigned.contains($k)) };
                )+
            }
            #[inline(always)]
            unsafe fn block(&self, first: usize, len: usize) -> Self::Block {
                // SAFETY: the objects are within all windows, and so within this one.
                ($(unsafe { self.$k.block(first, len) },)+)
            }
            #[inline(always)]
            unsafe fn unblock(&mut self, first: usize, len: usize, block: &Self::Block) {
                $(
                    // SAFETY: the objects are within all windows, and so within this one.
                    unsafe { self.$k.unblock(first, len, &block.$k) };
                )+
            }
        }
    };
}
for_tuples!(window_tuple);
