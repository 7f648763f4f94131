//! The filler for a class's tuples, up to a supported length: not a field, and of size 0.

use crate::class::Class;
use crate::facts::Facts;
use crate::info::ColumnInfo;
use crate::moves::{Moves, Remap};
use crate::phase::Phase;
use crate::storage::{Storage, Stored, shown_as_it_is};
use crate::table::Table;
use crate::window::Skip;

// SAFETY: it has no columns, and accesses none.
unsafe impl Stored for () {
    type Row = ();
    type Value = ();
    const COLUMNS: &'static [ColumnInfo] = &[];
}

// SAFETY: it accesses no memory, and shows nothing of the object.
unsafe impl<C: Class, const K: usize> Storage<C, K> for () {
    type View<'w, P: Phase> = ();
    type Seen<'w, P: Phase> = ();
    type Shared<'a> = Skip;
    type Exclusive<'a> = Skip;

    #[inline(always)]
    unsafe fn shared<'a>(_: &C::Bases, _: usize, _: usize) -> <Self as Storage<C, K>>::Shared<'a> {
        Skip
    }
    #[inline(always)]
    unsafe fn exclusive<'a>(_: &C::Bases, _: usize, _: usize) -> <Self as Storage<C, K>>::Exclusive<'a> {
        Skip
    }
    #[inline(always)]
    unsafe fn read(_: &C::Bases, _: usize) {}
    #[inline(always)]
    unsafe fn write(_: &C::Bases, _: usize, (): ()) {}
    #[inline(always)]
    unsafe fn to_view<P: Phase>((): (), _: &Table<C>, _: usize, _: Facts) {}
    #[inline(always)]
    fn from_view<P: Phase>((): ()) {}
    #[inline(always)]
    unsafe fn to_seen<P: Phase>((): (), _: &Table<C>, _: usize, _: Facts) {}
    shown_as_it_is!();
    unsafe fn remap(_: &C::Bases, _: usize, _: Moves<'_>, _: Remap) -> bool {
        true
    }
}
