//! Fields side by side: what holds for one field, for a tuple of up to 64.

use crate::access::{Access, Chunk, Mode};
use crate::class::{Class, ClassId};
use crate::effects::FieldSet;
#[cfg(not(target_arch = "nvptx64"))]
use crate::isa::Isa;
use crate::phase::Phase;
#[cfg(not(target_arch = "nvptx64"))]
use crate::storage::Copies;
use crate::storage::{Bump, Loaded, Storage};
use crate::table::Table;

/// The storages of a class's fields.
#[doc(hidden)]
pub trait FieldTuple: 'static {
    /// The row's values.
    type Row;
    /// What a kernel loads.
    type Values: Copy;
    /// What a view shows.
    type Views<'w, P: Phase>;
    /// The class that each field's links refer to.
    const TARGETS: &'static [Option<ClassId>];
    /// The names of these classes.
    const TARGET_NAMES: &'static [&'static str];
    /// What fills storage before an object is initialised.
    const PLACEHOLDER: Self::Values;

    /// Loads an object.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C`, whose `Fields` is `Self`, in which object `index` exists.
    /// 2. Nothing writes the object meanwhile.
    unsafe fn read<C: Class>(bases: &C::Bases, index: usize) -> Self::Values;

    /// Reads a row.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    unsafe fn read_row<C: Class>(bases: &C::Bases, index: usize) -> Self::Row;

    /// Writes a row.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C`, whose `Fields` is `Self`, with room for object `index`.
    /// 2. Nothing else accesses the object meanwhile.
    /// 3. The arena goes on to [`arena_end`](Self::arena_end), unless the row [`fits`](Self::fits); and the
    ///    object exists, unless `bump` is for fresh ones.
    unsafe fn write<C: Class>(bases: &C::Bases, index: usize, row: Self::Row, bump: &mut Bump);

    /// Writes an object that nobody is to see.
    ///
    /// # Safety
    ///
    /// As for [`write`](Self::write), 1 and 2.
    unsafe fn write_placeholder<C: Class>(bases: &C::Bases, index: usize);

    /// Where the arena ends if a row takes new space after `used` bytes.
    fn arena_end(row: &Self::Row, used: usize) -> usize;

    /// Whether a row needs no more of the arena than object `index` has.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    unsafe fn fits<C: Class>(bases: &C::Bases, index: usize, row: &Self::Row) -> bool;

    /// The same values, with copies of inner arrays that are not atomic.
    ///
    /// # Safety
    ///
    /// The values were read of an object that exists, and nothing writes the object meanwhile.
    #[cfg(not(target_arch = "nvptx64"))]
    unsafe fn detach(values: Self::Values, copies: &mut Copies) -> Self::Values;

    /// The first field that is another array after than before.
    #[cfg(not(target_arch = "nvptx64"))]
    fn other_array(before: &Self::Values, after: &Self::Values) -> Option<usize>;

    /// Stores the fields of a view, but atomic ones.
    ///
    /// # Safety
    ///
    /// 1. As for [`write`](Self::write), 1 and 2.
    /// 2. Inner arrays among the values are the object's, or copies of them by [`detach`](Self::detach) that live.
    #[cfg(not(target_arch = "nvptx64"))]
    unsafe fn write_back<C: Class>(bases: &C::Bases, index: usize, values: Self::Values);

    /// Copies the fields in `fields` of an object from one storage to another.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read) from `from` and [`write`](Self::write) to `to`.
    unsafe fn copy<C: Class>(from: &C::Bases, to: &C::Bases, index: usize, fields: FieldSet);

    /// What the view of object `index` shows for `values`.
    fn to_views<'w, C: Class, P: Phase>(values: Self::Values, table: &'w Table<C>, index: usize) -> Self::Views<'w, P>;

    /// The values behind what a view shows.
    fn from_views<P: Phase>(views: Self::Views<'_, P>) -> Self::Values;

    /// The first field whose handle was replaced by another object's.
    fn stray<'w, C: Class, P: Phase>(views: &Self::Views<'w, P>, table: &'w Table<C>, index: usize) -> Option<usize>;

    /// Puts what kernel `P` may read of an object into its tile row.
    ///
    /// # Safety
    ///
    /// 1. As for [`read`](Self::read).
    /// 2. There is room for the tile row at `row`, a multiple of 16.
    #[cfg(target_arch = "nvptx64")]
    unsafe fn write_tile_row<C: Class, P: Phase>(bases: &C::Bases, index: usize, row: *mut u8);

    /// What the view of another object is made of, the fields in `FIELDS` loaded and the others placeholders.
    ///
    /// # Safety
    ///
    /// 1. `C::Fields` is `Self`, and object `index` exists in `table`.
    /// 2. Nothing writes the fields in `FIELDS` meanwhile.
    unsafe fn values_at<C: Class, const FIELDS: u64>(table: &Table<C>, index: usize) -> Self::Values;
}

/// The modes in which a kernel accesses fields `F`.
#[doc(hidden)]
pub trait ModeTuple<F: FieldTuple> {
    /// The fields that the kernel accesses.
    const TOUCHES: FieldSet;
    /// The fields that it stores, in place or to a shadow.
    const STORES: FieldSet;
    /// The fields that it stores to a shadow.
    const SHADOWS: FieldSet;

    /// Runs of the fields.
    #[cfg(not(target_arch = "nvptx64"))]
    type Access<'a, C: Class>: AccessTuple<F> + Spread;
    /// Runs of the fields.
    #[cfg(target_arch = "nvptx64")]
    type Access<'a, C: Class>: AccessTuple<F>;

    /// Borrows the columns.
    ///
    /// # Safety
    ///
    /// As for [`Mode::open`], with `F` the fields of `C`.
    unsafe fn open<'a, C: Class>(chunk: Chunk<'a, C>) -> Self::Access<'a, C>;
}

/// Runs of fields `F`, accessed in some modes.
#[doc(hidden)]
pub trait AccessTuple<F: FieldTuple> {
    /// The same over a block of objects held in registers.
    type Block: AccessTuple<F>;

    /// The values at `index`.
    ///
    /// # Safety
    ///
    /// `index` is within the runs.
    unsafe fn get(&self, index: usize) -> F::Values;

    /// Stores values at `index`, those of fields whose mode writes.
    ///
    /// # Safety
    ///
    /// `index` is within the runs.
    unsafe fn set(&mut self, index: usize, values: F::Values);

    /// The first field that was changed against its mode.
    fn undeclared(before: &F::Values, after: &F::Values) -> Option<usize>;

    /// Copies `len` objects from `first` on into a block.
    ///
    /// # Safety
    ///
    /// They are within the runs.
    unsafe fn block(&self, first: usize, len: usize) -> Self::Block;

    /// Copies `len` objects from a block.
    ///
    /// # Safety
    ///
    /// They are within the runs.
    unsafe fn unblock(&mut self, first: usize, len: usize, block: &Self::Block);
}

/// Work over runs `X`.
#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub trait Job<X> {
    /// What it returns.
    type Output;
    /// Whether the work pays for being compiled for several instruction sets.
    const WIDE: bool;
    /// Does the work.
    fn run(self, runs: X) -> Self::Output;
}

/// Calls a job with each run as a parameter of its own.
///
/// References that are parameters of a function are known not to alias; references inside a struct or
/// tuple are not. Only so does LLVM vectorise loops over many columns.
#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub trait Spread: Sized {
    /// Calls the job, compiled for the instruction set if it wants that.
    fn spread<J: Job<Self>>(self, job: J, isa: Isa) -> J::Output;
}

macro_rules! tuples {
    (@upto [$($done:tt)*]) => {};
    (@upto [$($done:tt)*] $next:tt $($rest:tt)*) => {
        tuples!(@one $($done)* $next);
        tuples!(@upto [$($done)* $next] $($rest)*);
    };
    (@one $(($F:ident $M:ident $X:ident $k:tt))+) => {
        impl<$($F: Storage),+> FieldTuple for ($($F,)+) {
            type Row = ($($F::Row,)+);
            type Values = ($($F::Value,)+);
            type Views<'w, P: Phase> = ($($F::View<'w, P>,)+);
            const TARGETS: &'static [Option<ClassId>] = &[$($F::TARGET),+];
            const TARGET_NAMES: &'static [&'static str] = &[$($F::TARGET_NAME),+];
            const PLACEHOLDER: Self::Values = ($(<$F::Value as Loaded>::PLACEHOLDER,)+);

            #[inline(always)]
            unsafe fn read<C: Class>(bases: &C::Bases, index: usize) -> Self::Values {
                // SAFETY: passed on, for each field.
                ($(unsafe { $F::read::<C, $k>(bases, index) },)+)
            }
            #[inline(always)]
            unsafe fn read_row<C: Class>(bases: &C::Bases, index: usize) -> Self::Row {
                // SAFETY: passed on, for each field.
                ($(unsafe { $F::read_row::<C, $k>(bases, index) },)+)
            }
            #[inline(always)]
            unsafe fn write<C: Class>(bases: &C::Bases, index: usize, row: Self::Row, bump: &mut Bump) {
                $(
                    // SAFETY: passed on, for each field.
                    unsafe { $F::write_row::<C, $k>(bases, index, row.$k, bump) };
                )+
            }
            #[inline]
            unsafe fn write_placeholder<C: Class>(bases: &C::Bases, index: usize) {
                $(
                    // SAFETY: passed on, for each field.
                    unsafe { $F::write_placeholder::<C, $k>(bases, index) };
                )+
            }
            #[inline(always)]
            fn arena_end(row: &Self::Row, used: usize) -> usize {
                $(let used = $F::arena_end(&row.$k, used);)+
                used
            }
            #[inline]
            unsafe fn fits<C: Class>(bases: &C::Bases, index: usize, row: &Self::Row) -> bool {
                // SAFETY: passed on, for each field.
                true $(&& unsafe { $F::fits::<C, $k>(bases, index, &row.$k) })+
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            unsafe fn detach(values: Self::Values, copies: &mut Copies) -> Self::Values {
                // SAFETY: passed on, for each field.
                ($(unsafe { $F::detach(values.$k, copies) },)+)
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn other_array(before: &Self::Values, after: &Self::Values) -> Option<usize> {
                $(
                    if $F::is_other(&before.$k, &after.$k) {
                        return Some($k);
                    }
                )+
                None
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            unsafe fn write_back<C: Class>(bases: &C::Bases, index: usize, values: Self::Values) {
                $(
                    if !$F::ATOMIC {
                        // SAFETY: passed on, for each field.
                        unsafe { $F::put_back::<C, $k>(bases, index, values.$k) };
                    }
                )+
            }
            #[inline]
            unsafe fn copy<C: Class>(from: &C::Bases, to: &C::Bases, index: usize, fields: FieldSet) {
                $(
                    if fields.contains($k) {
                        // SAFETY: passed on, for each field in the set.
                        unsafe { $F::copy::<C, $k>(from, to, index) };
                    }
                )+
            }
            #[inline(always)]
            fn to_views<'w, C: Class, P: Phase>(
                values: Self::Values,
                table: &'w Table<C>,
                index: usize,
            ) -> Self::Views<'w, P> {
                ($($F::to_view::<C, P, $k>(values.$k, table, index),)+)
            }
            #[inline(always)]
            fn from_views<P: Phase>(views: Self::Views<'_, P>) -> Self::Values {
                ($($F::from_view::<P>(views.$k),)+)
            }
            #[inline(always)]
            fn stray<'w, C: Class, P: Phase>(
                views: &Self::Views<'w, P>,
                table: &'w Table<C>,
                index: usize,
            ) -> Option<usize> {
                $(
                    if !$F::is_own::<C, P, $k>(&views.$k, table, index) {
                        return Some($k);
                    }
                )+
                None
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            unsafe fn write_tile_row<C: Class, P: Phase>(bases: &C::Bases, index: usize, row: *mut u8) {
                $(
                    if let Some(offset) = const { crate::tile_row::offset::<C, P>($k) } {
                        // SAFETY: passed on, for each field that is in the tile row.
                        let value = unsafe { $F::read::<C, $k>(bases, index) };
                        // SAFETY: within the tile row, and aligned for the field's type.
                        unsafe { row.add(offset).cast::<$F::Value>().write(value) };
                    }
                )+
            }
            #[inline(always)]
            unsafe fn values_at<C: Class, const FIELDS: u64>(table: &Table<C>, index: usize) -> Self::Values {
                ($(
                    if const { FieldSet::from_bits(FIELDS).contains($k) } {
                        // SAFETY: passed on, for each field in the set.
                        unsafe { $F::read_for_view::<C, $k>(&table.bases, index) }
                    } else {
                        <$F::Value as Loaded>::PLACEHOLDER
                    },
                )+)
            }
        }

        impl<$($F: Storage,)+ $($M: Mode),+> ModeTuple<($($F,)+)> for ($($M,)+) {
            const TOUCHES: FieldSet = FieldSet::from_bits(0 $(| ($M::TOUCHES as u64) << $k)+);
            const STORES: FieldSet = FieldSet::from_bits(0 $(| ($M::STORES as u64) << $k)+);
            const SHADOWS: FieldSet = FieldSet::from_bits(0 $(| ($M::SHADOW as u64) << $k)+);
            type Access<'a, C: Class> = ($($M::Access<'a, $F, C>,)+);
            #[inline(always)]
            unsafe fn open<'a, C: Class>(chunk: Chunk<'a, C>) -> Self::Access<'a, C> {
                // SAFETY: passed on, for each field.
                ($(unsafe { $M::open::<$F, C, $k>(chunk) },)+)
            }
        }

        impl<$($F: Storage,)+ $($X: Access<$F>),+> AccessTuple<($($F,)+)> for ($($X,)+) {
            type Block = ($($X::Block,)+);
            #[inline(always)]
            unsafe fn get(&self, index: usize) -> ($($F::Value,)+) {
                // SAFETY: passed on, for each field.
                ($(unsafe { self.$k.get(index) },)+)
            }
            #[inline(always)]
            unsafe fn set(&mut self, index: usize, values: ($($F::Value,)+)) {
                $(
                    // SAFETY: passed on, for each field.
                    unsafe { self.$k.set(index, values.$k) };
                )+
            }
            #[inline(always)]
            fn undeclared(before: &($($F::Value,)+), after: &($($F::Value,)+)) -> Option<usize> {
                $(
                    if !$X::allows(&before.$k, &after.$k) {
                        return Some($k);
                    }
                )+
                None
            }
            #[inline(always)]
            unsafe fn block(&self, first: usize, len: usize) -> Self::Block {
                // SAFETY: passed on, for each field.
                ($(unsafe { self.$k.block(first, len) },)+)
            }
            #[inline(always)]
            unsafe fn unblock(&mut self, first: usize, len: usize, block: &Self::Block) {
                $(
                    // SAFETY: passed on, for each field.
                    unsafe { self.$k.unblock(first, len, &block.$k) };
                )+
            }
        }

        #[cfg(not(target_arch = "nvptx64"))]
        impl<$($X),+> Spread for ($($X,)+) {
            #[inline(always)]
            fn spread<J: Job<Self>>(self, job: J, isa: Isa) -> J::Output {
                #[inline(never)]
                #[allow(clippy::too_many_arguments, non_snake_case, reason = "a parameter a column is the point")]
                fn base<JOB: Job<($($X,)+)>, $($X),+>(job: JOB, $($X: $X),+) -> JOB::Output {
                    job.run(($($X,)+))
                }
                #[cfg(target_arch = "x86_64")]
                if J::WIDE {
                    /// # Safety
                    ///
                    /// The machine has these features.
                    #[inline(never)]
                    #[allow(clippy::too_many_arguments, non_snake_case, reason = "a parameter a column is the point")]
                    #[target_feature(enable = "avx,avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
                    fn v3<JOB: Job<($($X,)+)>, $($X),+>(job: JOB, $($X: $X),+) -> JOB::Output {
                        job.run(($($X,)+))
                    }
                    /// # Safety
                    ///
                    /// The machine has these features.
                    #[inline(never)]
                    #[allow(clippy::too_many_arguments, non_snake_case, reason = "a parameter a column is the point")]
                    #[target_feature(enable = "avx,avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
                    fn v4<JOB: Job<($($X,)+)>, $($X),+>(job: JOB, $($X: $X),+) -> JOB::Output {
                        job.run(($($X,)+))
                    }
                    match isa {
                        // SAFETY: `Isa` has the variant only where the machine has the features.
                        Isa::V4 => return unsafe { v4(job, $(self.$k),+) },
                        // SAFETY: `Isa` has the variant only where the machine has the features.
                        Isa::V3 => return unsafe { v3(job, $(self.$k),+) },
                        Isa::Base => {}
                    }
                }
                let _ = isa;
                base(job, $(self.$k),+)
            }
        }
    };
}

tuples! {
    @upto []
    (F0 M0 X0 0) (F1 M1 X1 1) (F2 M2 X2 2) (F3 M3 X3 3)
    (F4 M4 X4 4) (F5 M5 X5 5) (F6 M6 X6 6) (F7 M7 X7 7)
    (F8 M8 X8 8) (F9 M9 X9 9) (F10 M10 X10 10) (F11 M11 X11 11)
    (F12 M12 X12 12) (F13 M13 X13 13) (F14 M14 X14 14) (F15 M15 X15 15)
    (F16 M16 X16 16) (F17 M17 X17 17) (F18 M18 X18 18) (F19 M19 X19 19)
    (F20 M20 X20 20) (F21 M21 X21 21) (F22 M22 X22 22) (F23 M23 X23 23)
    (F24 M24 X24 24) (F25 M25 X25 25) (F26 M26 X26 26) (F27 M27 X27 27)
    (F28 M28 X28 28) (F29 M29 X29 29) (F30 M30 X30 30) (F31 M31 X31 31)
    (F32 M32 X32 32) (F33 M33 X33 33) (F34 M34 X34 34) (F35 M35 X35 35)
    (F36 M36 X36 36) (F37 M37 X37 37) (F38 M38 X38 38) (F39 M39 X39 39)
    (F40 M40 X40 40) (F41 M41 X41 41) (F42 M42 X42 42) (F43 M43 X43 43)
    (F44 M44 X44 44) (F45 M45 X45 45) (F46 M46 X46 46) (F47 M47 X47 47)
    (F48 M48 X48 48) (F49 M49 X49 49) (F50 M50 X50 50) (F51 M51 X51 51)
    (F52 M52 X52 52) (F53 M53 X53 53) (F54 M54 X54 54) (F55 M55 X55 55)
    (F56 M56 X56 56) (F57 M57 X57 57) (F58 M58 X58 58) (F59 M59 X59 59)
    (F60 M60 X60 60) (F61 M61 X61 61) (F62 M62 X62 62) (F63 M63 X63 63)
}
