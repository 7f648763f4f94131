//! `#[soa(flatten)]`: a column per component of a struct.

use core::fmt;
use core::marker::PhantomData;

use crate::class::{Class, ClassId, ColumnInfo};
use crate::layout::{Get, Layout, Set};
use crate::phase::Phase;
use crate::storage::{Storage, shown_as_it_is};
use crate::table::{FirstColumn, Table, address};
use crate::value::Value;

/// A struct that can be stored as a column per component; implemented by `#[derive(Value)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be flattened into a column per component",
    label = "not a struct with `#[derive(Value)]`",
    note = "leave out `#[soa(flatten)]`, or make the field's type a struct with named fields and `#[derive(Value)]`"
)]
pub trait Flatten: Value {
    /// The components' types.
    type Parts: PartTuple;
    /// The components' names.
    const PART_NAMES: &'static [&'static str];
    /// Takes the struct apart.
    fn into_parts(self) -> Self::Parts;
    /// Puts the struct together.
    fn from_parts(parts: Self::Parts) -> Self;
}

/// A field in a column per component.
#[derive(Debug)]
pub struct Flat<T>(PhantomData<fn() -> T>);

/// The runs of a flattened field's columns.
pub struct FlatRun<T, X> {
    runs: X,
    marker: PhantomData<fn() -> T>,
}

impl<T, X: Copy> Copy for FlatRun<T, X> {}
impl<T, X: Copy> Clone for FlatRun<T, X> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, X> fmt::Debug for FlatRun<T, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlatRun").finish_non_exhaustive()
    }
}

impl<T: Flatten, X: Get<T::Parts>> Get<T> for FlatRun<T, X> {
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        // SAFETY: passed on.
        T::from_parts(unsafe { self.runs.get(index) })
    }
}

impl<T: Flatten, X: Set<T::Parts>> Set<T> for FlatRun<T, X> {
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, value: T) {
        // SAFETY: passed on.
        unsafe { self.runs.set(index, value.into_parts()) }
    }
}

// SAFETY: a column per part, in the order of the parts, of which there are as many as columns; copied in and out.
unsafe impl<T: Flatten> Storage for Flat<T> {
    type Row = T;
    type Value = T;
    type View<'w, P: Phase> = T;
    type Seen<'w, P: Phase> = T;
    type Shared<'a, C: Class> = FlatRun<T, <T::Parts as PartTuple>::Shared<'a, C>>;
    type Exclusive<'a, C: Class> = FlatRun<T, <T::Parts as PartTuple>::Exclusive<'a, C>>;
    const COLUMNS: &'static [ColumnInfo] = {
        // Names come with the struct, sizes with its parts.
        struct Named<T>(PhantomData<T>);
        impl<T: Flatten> Named<T> {
            const COLUMNS: [ColumnInfo; MAX_PARTS] = {
                let mut columns = [ColumnInfo { component: "", size: 0, align: 1, slot: None, meaning: 0 }; MAX_PARTS];
                // `Flatten` is safe to implement: names and parts may be of different number.
                assert!(
                    T::PART_NAMES.len() == <T::Parts as PartTuple>::COLUMNS.len(),
                    "a flattened struct has one name per component"
                );
                let mut part = 0;
                while part < T::PART_NAMES.len() {
                    columns[part] = <T::Parts as PartTuple>::COLUMNS[part];
                    columns[part].component = T::PART_NAMES[part];
                    part += 1;
                }
                columns
            };
        }
        let columns: &'static [ColumnInfo; MAX_PARTS] = &Named::<T>::COLUMNS;
        columns.split_at(T::PART_NAMES.len()).0
    };
    const ATOMIC: bool = false;
    const TARGET: Option<ClassId> = None;
    const TARGET_NAME: &'static str = "";

    #[inline(always)]
    unsafe fn shared<'a, C: Class, const K: usize>(bases: &C::Bases, first: usize, len: usize) -> Self::Shared<'a, C> {
        // SAFETY: passed on; the parts' columns follow the field's first.
        let runs = unsafe { T::Parts::shared::<C>(bases, <C as FirstColumn<K>>::COLUMN, first, len) };
        FlatRun { runs, marker: PhantomData }
    }

    #[inline(always)]
    unsafe fn exclusive<'a, C: Class, const K: usize>(
        bases: &C::Bases,
        first: usize,
        len: usize,
    ) -> Self::Exclusive<'a, C> {
        // SAFETY: passed on; the parts' columns follow the field's first.
        let runs = unsafe { T::Parts::exclusive::<C>(bases, <C as FirstColumn<K>>::COLUMN, first, len) };
        FlatRun { runs, marker: PhantomData }
    }

    #[inline(always)]
    unsafe fn read<C: Class, const K: usize>(bases: &C::Bases, index: usize) -> T {
        // SAFETY: passed on.
        unsafe { Self::shared::<C, K>(bases, index, 1).get(0) }
    }

    #[inline(always)]
    unsafe fn write<C: Class, const K: usize>(bases: &C::Bases, index: usize, value: T) {
        // SAFETY: passed on; the parts' columns follow the field's first.
        unsafe { T::Parts::write::<C>(bases, <C as FirstColumn<K>>::COLUMN, index, value.into_parts()) }
    }

    #[inline(always)]
    fn to_view<C: Class, P: Phase, const K: usize>(value: T, _: &Table<C>, _: usize) -> T {
        value
    }

    shown_as_it_is!(T);

    #[inline(always)]
    fn from_view<P: Phase>(view: T) -> T {
        view
    }
}

/// The largest number of components of a flattened struct.
pub(crate) const MAX_PARTS: usize = 16;

/// The components of a flattened struct, as a tuple of at most 16 values.
///
/// # Safety
///
/// `COLUMNS` are the columns that the functions access, one per component.
pub unsafe trait PartTuple: Copy {
    /// Runs of the components' columns, to read.
    type Shared<'a, C: Class>: Get<Self> + Copy + Send + Sync;
    /// Runs of the components' columns, to read and write.
    type Exclusive<'a, C: Class>: Get<Self> + Set<Self> + Send;
    /// The components' columns.
    const COLUMNS: &'static [ColumnInfo];

    /// Borrows `len` elements from `first` on of each column, the first of which is `column`.
    ///
    /// # Safety
    ///
    /// As for [`Storage::shared`].
    unsafe fn shared<'a, C: Class>(bases: &C::Bases, column: usize, first: usize, len: usize) -> Self::Shared<'a, C>;

    /// Borrows `len` elements from `first` on of each column exclusively.
    ///
    /// # Safety
    ///
    /// As for [`Storage::exclusive`].
    unsafe fn exclusive<'a, C: Class>(
        bases: &C::Bases,
        column: usize,
        first: usize,
        len: usize,
    ) -> Self::Exclusive<'a, C>;

    /// Writes one element of each column, the first of which is `column`.
    ///
    /// # Safety
    ///
    /// As for [`Storage::write`].
    unsafe fn write<C: Class>(bases: &C::Bases, column: usize, index: usize, parts: Self);
}

/// Runs of several columns side by side.
#[derive(Clone, Copy, Debug)]
pub struct Runs<X>(X);

macro_rules! part_tuples {
    ($(($T:ident $X:ident $k:tt))+) => {
        part_tuples!(@upto [] $(($T $X $k))+);
    };
    (@upto [$($done:tt)*]) => {};
    (@upto [$($done:tt)*] $next:tt $($rest:tt)*) => {
        part_tuples!(@one $($done)* $next);
        part_tuples!(@upto [$($done)* $next] $($rest)*);
    };
    (@one $(($T:ident $X:ident $k:tt))+) => {
        // SAFETY: both are made from the same list.
        unsafe impl<$($T: Value),+> PartTuple for ($($T,)+) {
            type Shared<'a, C: Class> = Runs<($(<C::Layout as Layout>::Shared<'a, C, $T>,)+)>;
            type Exclusive<'a, C: Class> = Runs<($(<C::Layout as Layout>::Exclusive<'a, C, $T>,)+)>;
            const COLUMNS: &'static [ColumnInfo] = &[$(ColumnInfo::of::<$T>().holding::<$T>()),+];

            #[inline(always)]
            unsafe fn shared<'a, C: Class>(
                bases: &C::Bases,
                column: usize,
                first: usize,
                len: usize,
            ) -> Self::Shared<'a, C> {
                Runs(($({
                    // SAFETY: passed on, for each column.
                    let run = unsafe { C::Layout::shared::<C, $T>(address::<C>(bases, column + $k, first), len) };
                    run
                },)+))
            }

            #[inline(always)]
            unsafe fn exclusive<'a, C: Class>(
                bases: &C::Bases,
                column: usize,
                first: usize,
                len: usize,
            ) -> Self::Exclusive<'a, C> {
                Runs(($({
                    // SAFETY: passed on, for each column.
                    let run = unsafe { C::Layout::exclusive::<C, $T>(address::<C>(bases, column + $k, first), len) };
                    run
                },)+))
            }

            #[inline(always)]
            unsafe fn write<C: Class>(bases: &C::Bases, column: usize, index: usize, parts: Self) {
                $(
                    // SAFETY: passed on, for each column.
                    unsafe { address::<C>(bases, column + $k, index).cast::<$T>().write(parts.$k) };
                )+
            }
        }

        impl<$($T,)+ $($X: Get<$T>),+> Get<($($T,)+)> for Runs<($($X,)+)> {
            #[inline(always)]
            unsafe fn get(&self, index: usize) -> ($($T,)+) {
                // SAFETY: passed on.
                ($(unsafe { self.0.$k.get(index) },)+)
            }
        }

        impl<$($T,)+ $($X: Set<$T>),+> Set<($($T,)+)> for Runs<($($X,)+)> {
            #[inline(always)]
            unsafe fn set(&mut self, index: usize, value: ($($T,)+)) {
                $(
                    // SAFETY: passed on.
                    unsafe { self.0.$k.set(index, value.$k) };
                )+
            }
        }
    };
}

part_tuples! {
    (T0 X0 0) (T1 X1 1) (T2 X2 2) (T3 X3 3) (T4 X4 4) (T5 X5 5) (T6 X6 6) (T7 X7 7)
    (T8 X8 8) (T9 X9 9) (T10 X10 10) (T11 X11 11) (T12 X12 12) (T13 X13 13) (T14 X14 14) (T15 X15 15)
}
