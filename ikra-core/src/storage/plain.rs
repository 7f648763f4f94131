//! One column of whole values.

use core::marker::PhantomData;

use crate::class::{Class, ClassId, ColumnInfo};
use crate::facts::Facts;
use crate::layout::Layout;
use crate::phase::Phase;
use crate::storage::{Storage, Stored, remapped_as_it_is, shown_as_it_is};
use crate::table::{Table, Targets, address};
use crate::value::{BadLink, Value};
use crate::window::Window;

/// A field in one column of whole values.
#[derive(Debug)]
pub struct Plain<T>(PhantomData<fn() -> T>);

// SAFETY: one column of values.
unsafe impl<T: Value> Stored for Plain<T> {
    type Row = T;
    type Value = T;
    const EMPTIES: bool = T::EMPTIES;
    const COLUMNS: &'static [ColumnInfo] = &[ColumnInfo::of::<T>().holding::<T>()];
    const LINKS_TO: &'static [ClassId] = T::LINKS_TO;
}

// SAFETY: values are copied in and out of the column.
unsafe impl<C: Class, const K: usize, T: Value> Storage<C, K> for Plain<T> {
    type View<'w, P: Phase> = T::View<'w, P>;
    type Seen<'w, P: Phase> = T::View<'w, P>;
    type Shared<'a> = <C::Layout as Layout>::Shared<'a, C, T>;
    type Exclusive<'a> = <C::Layout as Layout>::Exclusive<'a, C, T>;

    #[inline(always)]
    unsafe fn shared<'a>(bases: &C::Bases, first: usize, len: usize) -> Self::Shared<'a> {
        // SAFETY: the first element exists by 1.
        let first = unsafe { address::<C>(bases, <Self as Storage<C, K>>::COLUMN, first) };
        // SAFETY: the elements exist in one run by 1, and nothing writes them by 2.
        unsafe { C::Layout::shared(first, len) }
    }

    #[inline(always)]
    unsafe fn exclusive<'a>(bases: &C::Bases, first: usize, len: usize) -> Self::Exclusive<'a> {
        // SAFETY: the first element exists by 1.
        let first = unsafe { address::<C>(bases, <Self as Storage<C, K>>::COLUMN, first) };
        // SAFETY: the elements exist in one run by 1, and nothing else accesses them by 2.
        unsafe { C::Layout::exclusive(first, len) }
    }

    #[inline(always)]
    unsafe fn read(bases: &C::Bases, index: usize) -> T {
        // SAFETY: the element exists by 1, and holds a `T` that nothing writes by 2: it is a run of length one.
        let window = unsafe { <Self as Storage<C, K>>::shared(bases, index, 1) };
        // SAFETY: the window starts at the object.
        unsafe { window.get(0) }
    }

    #[inline(always)]
    unsafe fn read_for_view<P: Phase>(bases: &C::Bases, index: usize) -> T {
        if const { P::EFFECTS.reads_plainly() } {
            // SAFETY: the element exists by 1.
            let place = unsafe { address::<C>(bases, <Self as Storage<C, K>>::COLUMN, index) };
            // SAFETY: it is a `T` that nothing writes by 2, in a column of this layout.
            return unsafe { C::Layout::read_one(place.cast()) };
        }
        // SAFETY: the contract is the same.
        unsafe { <Self as Storage<C, K>>::read(bases, index) }
    }

    #[inline(always)]
    unsafe fn write(bases: &C::Bases, index: usize, value: T) {
        // SAFETY: there is room by 1.
        let place = unsafe { address::<C>(bases, <Self as Storage<C, K>>::COLUMN, index) };
        // SAFETY: it is the position of a `T`, and nothing else accesses it by 2.
        unsafe { place.cast::<T>().write(value) }
    }

    #[inline(always)]
    unsafe fn to_view<'w, P: Phase>(value: T, table: &'w Table<C>, _: usize, facts: Facts) -> T::View<'w, P> {
        // SAFETY: while a kernel runs, links in the column are to existing objects (I11). The values that it stored to
        // the object came from refs, or were checked (`bad_number`).
        unsafe { value.view::<P>(Targets::of::<C, K>(table).knowing(facts)) }
    }

    #[inline(always)]
    unsafe fn to_view_unread<'w, P: Phase>(table: &'w Table<C>, _: usize, facts: Facts) -> T::View<'w, P> {
        // SAFETY: the object's own value has no bad links while a kernel runs (I11).
        unsafe { T::view_of_some::<P>(Targets::of::<C, K>(table).knowing(facts)) }
    }

    #[inline(always)]
    fn bad_number<P: Phase>(value: &T, table: &Table<C>) -> Option<BadLink> {
        let stores = const { P::EFFECTS.class().may_be(C::ID) && P::EFFECTS.writes().contains(K) };
        if const { T::SHOWS_NUMBERS } && stores { value.bad_link(Targets::of::<C, K>(table)) } else { None }
    }

    #[inline]
    fn bad_link_in(value: &T, table: &Table<C>) -> Option<BadLink> {
        value.bad_link(Targets::of::<C, K>(table))
    }

    #[inline(always)]
    unsafe fn bad_link(table: &Table<C>, index: usize) -> Option<BadLink> {
        // Not by `read`: a constructor has just written it.
        // SAFETY: the object exists.
        let place = unsafe { address::<C>(&table.bases, <Self as Storage<C, K>>::COLUMN, index) };
        // SAFETY: it is a `T`, which nothing writes meanwhile.
        let value = unsafe { place.cast::<T>().read() };
        <Self as Storage<C, K>>::bad_link_in(&value, table)
    }

    #[inline(always)]
    unsafe fn to_seen<'w, P: Phase>(value: T, table: &'w Table<C>, index: usize, facts: Facts) -> T::View<'w, P> {
        // SAFETY: the contract is the same.
        unsafe { <Self as Storage<C, K>>::to_view::<P>(value, table, index, facts) }
    }

    shown_as_it_is!();
    remapped_as_it_is!();

    #[inline(always)]
    fn from_view<P: Phase>(view: T::View<'_, P>) -> T {
        T::unview::<P>(view)
    }

    #[inline(always)]
    fn of_view<P: Phase>(view: &T::View<'_, P>) -> Option<T> {
        Some(T::unview::<P>(*view))
    }
}
