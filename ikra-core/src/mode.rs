//! Modes: how a kernel accesses the column of one field.

use core::fmt;

use crate::class::Class;
use crate::effects::mode::{CHECKED, READ, SKIP, SNAPSHOT, WRITE};
use crate::field_set::FieldSet;
use crate::storage::{FieldTuple, Storage};
use crate::table::Table;
use crate::target::Spread;
use crate::tuples::for_tuples;
use crate::value::Loaded;
use crate::window::{Skip, Snapshot, Window, WindowTuple};

/// Consecutive objects that one thread processes.
pub struct Chunk<'a, C: Class> {
    /// The class's columns.
    pub table: &'a Table<C>,
    /// The columns to which snapshots are written.
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

/// A mode as a type.
pub trait Mode {
    /// Whether the column is accessed at all.
    const TOUCHES: bool = true;
    /// Whether it is stored, in place or to a shadow.
    const STORES: bool = false;
    /// Whether stores go to a shadow.
    const SHADOW: bool = false;
    /// Whether the field must be unchanged after a call.
    const CHECKED: bool = false;

    /// The access to a window of field `K` of `C`, stored by `F`.
    type Window<'a, C: Class, const K: usize, F: Storage<C, K>>: Window<F::Value>;

    /// Borrows the field's columns.
    ///
    /// # Safety
    ///
    /// 1. `F` stores field `K` of `C`.
    /// 2. The chunk lies within one window of the layout, and its objects exist, in its shadow too if the mode has one.
    /// 3. During `'a`, if the mode writes, nothing else accesses the elements that it writes. Nothing writes the
    ///    elements that it reads.
    unsafe fn open<'a, C: Class, const K: usize, F: Storage<C, K>>(chunk: Chunk<'a, C>) -> Self::Window<'a, C, K, F>;
}

/// The mode with this number.
#[derive(Debug)]
pub struct ModeOf<const M: u8>;

impl Mode for ModeOf<SKIP> {
    const TOUCHES: bool = false;
    type Window<'a, C: Class, const K: usize, F: Storage<C, K>> = Skip;
    #[inline(always)]
    unsafe fn open<'a, C: Class, const K: usize, F: Storage<C, K>>(_: Chunk<'a, C>) -> Skip {
        Skip
    }
}

/// Both modes read, and store nothing; the mode for `&mut self` also checks for changes.
macro_rules! reads {
    ($mode:ident, $checked:expr) => {
        impl Mode for ModeOf<$mode> {
            const CHECKED: bool = $checked;
            type Window<'a, C: Class, const K: usize, F: Storage<C, K>> = F::Shared<'a>;
            #[inline(always)]
            unsafe fn open<'a, C: Class, const K: usize, F: Storage<C, K>>(chunk: Chunk<'a, C>) -> F::Shared<'a> {
                // SAFETY: 1. by 1 and 2; 2. by 3.
                unsafe { F::shared(&chunk.table.bases, chunk.first, chunk.len) }
            }
        }
    };
}
reads!(READ, false);
reads!(CHECKED, true);

impl Mode for ModeOf<WRITE> {
    const STORES: bool = true;
    type Window<'a, C: Class, const K: usize, F: Storage<C, K>> = F::Exclusive<'a>;
    #[inline(always)]
    unsafe fn open<'a, C: Class, const K: usize, F: Storage<C, K>>(chunk: Chunk<'a, C>) -> F::Exclusive<'a> {
        // SAFETY: 1. by 1 and 2; 2. by 3.
        unsafe { F::exclusive(&chunk.table.bases, chunk.first, chunk.len) }
    }
}

impl Mode for ModeOf<SNAPSHOT> {
    const STORES: bool = true;
    const SHADOW: bool = true;
    type Window<'a, C: Class, const K: usize, F: Storage<C, K>> = Snapshot<F::Shared<'a>, F::Exclusive<'a>>;
    #[inline(always)]
    unsafe fn open<'a, C: Class, const K: usize, F: Storage<C, K>>(chunk: Chunk<'a, C>) -> Self::Window<'a, C, K, F> {
        // The value loaded for an inner array is the position of its elements, which are written there: in the shadow.
        let now = if F::ARRAY.is_some() { chunk.shadow } else { &chunk.table.bases };
        Snapshot {
            // SAFETY: 1. by 1 and 2; 2. by 3. For inner arrays this run reads the positions of the elements, which no
            // kernel writes.
            now: unsafe { F::shared(now, chunk.first, chunk.len) },
            // SAFETY: 1. by 1 and 2, since the shadow is storage with this geometry; 2. by 3.
            next: unsafe { F::exclusive(chunk.shadow, chunk.first, chunk.len) },
        }
    }
}

/// The modes in which a kernel accesses the fields of class `C`, stored by `F`.
pub trait ModeTuple<C: Class, F: FieldTuple<C> = <C as Class>::Fields> {
    /// The fields that the kernel accesses.
    const TOUCHES: FieldSet;
    /// The fields that it stores, in place or to a shadow.
    const STORES: FieldSet;
    /// The fields that it stores to a shadow.
    const SHADOWS: FieldSet;

    /// Windows of the fields.
    type Windows<'a>: WindowTuple<F::Values> + Spread;

    /// Borrows the columns.
    ///
    /// # Safety
    ///
    /// As for [`Mode::open`], with `F` the fields of `C`.
    unsafe fn open(chunk: Chunk<'_, C>) -> Self::Windows<'_>;

    /// Whether nothing is to be stored: no snapshot is made, and no other stored field has changed.
    fn keep(before: &F::Values, after: &F::Values) -> bool;

    /// The first field that was changed although its mode does not store.
    fn undeclared(before: &F::Values, after: &F::Values) -> Option<usize>;
}

macro_rules! mode_tuple {
    ($(($F:ident $M:ident $X:ident $k:tt))+) => {
        impl<C: Class, $($F: Storage<C, $k>,)+ $($M: Mode),+> ModeTuple<C, ($($F,)+)> for ($($M,)+) {
            const TOUCHES: FieldSet = FieldSet::from_bits(0 $(| ($M::TOUCHES as u64) << $k)+);
            const STORES: FieldSet = FieldSet::from_bits(0 $(| ($M::STORES as u64) << $k)+);
            const SHADOWS: FieldSet = FieldSet::from_bits(0 $(| ($M::SHADOW as u64) << $k)+);
            type Windows<'a> = ($($M::Window<'a, C, $k, $F>,)+);
            #[inline(always)]
            unsafe fn open(chunk: Chunk<'_, C>) -> Self::Windows<'_> {
                // SAFETY: the chunk is of `C`, and `$F` stores its field number `$k`; other fields are in other
                // columns.
                ($(unsafe { $M::open::<C, $k, $F>(chunk) },)+)
            }
            #[inline(always)]
            fn keep(before: &($($F::Value,)+), after: &($($F::Value,)+)) -> bool {
                true $(&& !$M::SHADOW && (!$M::STORES || before.$k.same(&after.$k)))+
            }
            #[inline(always)]
            fn undeclared(before: &($($F::Value,)+), after: &($($F::Value,)+)) -> Option<usize> {
                $(
                    if $M::CHECKED && !before.$k.same(&after.$k) {
                        return Some($k);
                    }
                )+
                None
            }
        }
    };
}
for_tuples!(mode_tuple);
