//! `#[soa(flatten)]`: one column per component of a struct.

use core::fmt;
use core::marker::PhantomData;

use crate::class::{Class, ClassId, ColumnInfo};
use crate::effects::FieldSet;
use crate::facts::Facts;
use crate::layout::Layout;
use crate::phase::Phase;
use crate::storage::atomic::{assert_no_young, makes_some};
use crate::storage::{Storage, Stored, remapped_as_it_is, shown_as_it_is};
use crate::table::{Table, address};
use crate::value::{BadLink, Loaded, Value};
use crate::window::{Block, ReadOnly, Window, WindowTuple};

/// A struct that can be stored with one column per component; implemented by `#[derive(Value)]`.
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

/// A field with one column per component.
#[derive(Debug)]
pub struct Flat<T>(PhantomData<fn() -> T>);

/// The windows of a flattened field's columns, with blocks `B`.
pub struct FlatWindow<T, X, B> {
    windows: X,
    marker: PhantomData<fn() -> (T, B)>,
}

impl<T, X: Copy, B> Copy for FlatWindow<T, X, B> {}
impl<T, X: Copy, B> Clone for FlatWindow<T, X, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, X, B> fmt::Debug for FlatWindow<T, X, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlatWindow").finish_non_exhaustive()
    }
}

impl<T: Flatten, X: WindowTuple<T::Parts>, B: Window<T> + From<Block<<T as Loaded>::Lanes>>> Window<T>
    for FlatWindow<T, X, B>
{
    type Block = B;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        // SAFETY: the columns' windows are over one range of objects.
        T::from_parts(unsafe { self.windows.get(index) })
    }
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, value: T) {
        // SAFETY: the columns' windows are over one range of objects.
        unsafe { self.windows.set(index, value.into_parts()) }
    }
    #[inline(always)]
    unsafe fn replace(&mut self, index: usize, before: &T, value: T, assigned: bool) {
        let assigned = if assigned { FieldSet::ALL } else { FieldSet::EMPTY };
        // SAFETY: the columns' windows are over one range of objects.
        unsafe { self.windows.replace(index, &before.into_parts(), value.into_parts(), assigned) }
    }
}

// SAFETY: one column per part, in the order of the parts; both numbers are equal.
unsafe impl<T: Flatten> Stored for Flat<T> {
    type Row = T;
    type Value = T;
    const EMPTIES: bool = T::EMPTIES;
    const HOLDS_LINKS_TO: &'static [ClassId] = T::LINKS_TO;
    const COLUMNS: &'static [ColumnInfo] = {
        // The struct supplies the names, its parts the sizes.
        struct Named<T>(PhantomData<T>);
        impl<T: Flatten> Named<T> {
            const COLUMNS: [ColumnInfo; MAX_PARTS] = {
                let mut columns = [ColumnInfo { component: "", size: 0, align: 1, slot: None, meaning: 0 }; MAX_PARTS];
                // `Flatten` is safe to implement, so the numbers of names and parts may differ.
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
}

// SAFETY: the functions copy parts in and out of their columns, which start at the field's first column.
unsafe impl<C: Class, const K: usize, T: Flatten> Storage<C, K> for Flat<T> {
    type View<'w, P: Phase> = T;
    type Seen<'w, P: Phase> = T;
    type Shared<'a> = FlatWindow<T, <T::Parts as PartTuple>::Shared<'a, C>, ReadOnly<<T as Loaded>::Lanes>>;
    type Exclusive<'a> = FlatWindow<T, <T::Parts as PartTuple>::Exclusive<'a, C>, Block<<T as Loaded>::Lanes>>;

    #[inline(always)]
    unsafe fn shared<'a>(bases: &C::Bases, first: usize, len: usize) -> Self::Shared<'a> {
        // SAFETY: the parts' columns start at the field's first. By 1 all of them have the elements, which by 2 nothing
        // writes.
        let windows = unsafe { T::Parts::shared::<C>(bases, <Self as Storage<C, K>>::COLUMN, first, len) };
        FlatWindow { windows, marker: PhantomData }
    }

    #[inline(always)]
    unsafe fn exclusive<'a>(bases: &C::Bases, first: usize, len: usize) -> Self::Exclusive<'a> {
        // SAFETY: the parts' columns start at the field's first. By 1 all of them have the elements, which by 2 nothing
        // else accesses.
        let windows = unsafe { T::Parts::exclusive::<C>(bases, <Self as Storage<C, K>>::COLUMN, first, len) };
        FlatWindow { windows, marker: PhantomData }
    }

    #[inline(always)]
    unsafe fn read(bases: &C::Bases, index: usize) -> T {
        // SAFETY: the object exists, and nothing writes it: it is a run of length one.
        let window = unsafe { <Self as Storage<C, K>>::shared(bases, index, 1) };
        // SAFETY: the window starts at the object.
        unsafe { window.get(0) }
    }

    #[inline(always)]
    unsafe fn write(bases: &C::Bases, index: usize, value: T) {
        // SAFETY: the parts' columns start at the field's first. By 1 all of them have room for the object, which by 2
        // nothing else accesses.
        unsafe { T::Parts::write::<C>(bases, <Self as Storage<C, K>>::COLUMN, index, value.into_parts()) }
    }

    #[inline(always)]
    unsafe fn to_view<P: Phase>(value: T, _: &Table<C>, _: usize, _: Facts) -> T {
        value
    }

    #[inline(always)]
    unsafe fn to_seen<'w, P: Phase>(
        value: Self::Value,
        table: &'w Table<C>,
        index: usize,
        facts: Facts,
    ) -> Self::Seen<'w, P> {
        // SAFETY: the contract is the same.
        unsafe { <Self as Storage<C, K>>::to_view::<P>(value, table, index, facts) }
    }

    shown_as_it_is!();
    remapped_as_it_is!();

    /// Panics if a link names a new object, whose number depends on threads. Other links in the struct are numbers, which are
    /// checked when they are followed.
    #[inline]
    fn bad_number<P: Phase>(value: &T, _: &Table<C>) -> Option<BadLink> {
        let stores = const { P::EFFECTS.class().may_be(C::ID) && P::EFFECTS.writes().contains(K) };
        if const { makes_some::<P>(T::LINKS_TO) } && stores {
            assert_no_young(*value);
        }
        None
    }

    #[inline(always)]
    fn from_view<P: Phase>(view: T) -> T {
        view
    }

    #[inline(always)]
    fn of_view<P: Phase>(view: &T) -> Option<T> {
        Some(*view)
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
    /// Windows of the components' columns, for reading.
    type Shared<'a, C: Class>: WindowTuple<Self> + Copy + Send + Sync;
    /// Windows of the components' columns, for reading and writing.
    type Exclusive<'a, C: Class>: WindowTuple<Self> + Send;
    /// The components' columns.
    const COLUMNS: &'static [ColumnInfo];

    /// Borrows `len` elements from `first` on of each column; `column` is the first column.
    ///
    /// # Safety
    ///
    /// As for [`Storage::shared`].
    unsafe fn shared<'a, C: Class>(bases: &C::Bases, column: usize, first: usize, len: usize) -> Self::Shared<'a, C>;

    /// Borrows `len` elements from `first` on of each column, exclusively.
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

    /// Writes one element of each column; `column` is the first column.
    ///
    /// # Safety
    ///
    /// As for [`Storage::write`].
    unsafe fn write<C: Class>(bases: &C::Bases, column: usize, index: usize, parts: Self);
}

macro_rules! part_tuples {
    ($(($T:ident $k:tt))+) => {
        part_tuples!(@upto [] $(($T $k))+);
    };
    (@upto [$($done:tt)*]) => {};
    (@upto [$($done:tt)*] $next:tt $($rest:tt)*) => {
        part_tuples!(@one $($done)* $next);
        part_tuples!(@upto [$($done)* $next] $($rest)*);
    };
    (@one $(($T:ident $k:tt))+) => {
        // SAFETY: both are made from one list.
        unsafe impl<$($T: Value),+> PartTuple for ($($T,)+) {
            type Shared<'a, C: Class> = ($(<C::Layout as Layout>::Shared<'a, C, $T>,)+);
            type Exclusive<'a, C: Class> = ($(<C::Layout as Layout>::Exclusive<'a, C, $T>,)+);
            const COLUMNS: &'static [ColumnInfo] = &[$(ColumnInfo::of::<$T>().holding::<$T>()),+];

            #[inline(always)]
            unsafe fn shared<'a, C: Class>(
                bases: &C::Bases,
                column: usize,
                first: usize,
                len: usize,
            ) -> Self::Shared<'a, C> {
                // SAFETY: for each column, its elements exist in one run, and nothing writes them.
                ($(unsafe { C::Layout::shared::<C, $T>(address::<C>(bases, column + $k, first), len) },)+)
            }

            #[inline(always)]
            unsafe fn exclusive<'a, C: Class>(
                bases: &C::Bases,
                column: usize,
                first: usize,
                len: usize,
            ) -> Self::Exclusive<'a, C> {
                // SAFETY: for each column, its elements exist in one run, and nothing else accesses them.
                ($(unsafe { C::Layout::exclusive::<C, $T>(address::<C>(bases, column + $k, first), len) },)+)
            }

            #[inline(always)]
            unsafe fn write<C: Class>(bases: &C::Bases, column: usize, index: usize, parts: Self) {
                $(
                    // SAFETY: the column has room for the element, and nothing else accesses it.
                    unsafe { address::<C>(bases, column + $k, index).cast::<$T>().write(parts.$k) };
                )+
            }
        }
    };
}

part_tuples! {
    (T0 0) (T1 1) (T2 2) (T3 3) (T4 4) (T5 5) (T6 6) (T7 7)
    (T8 8) (T9 9) (T10 10) (T11 11) (T12 12) (T13 13) (T14 14) (T15 15)
}
