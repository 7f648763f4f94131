//! The storage of an `#[atomic]` field.

use core::marker::PhantomData;
use core::ptr;

use super::{Atomic, AtomicValue};
use crate::class::{Class, ClassId, ColumnInfo, Number};
use crate::effects::FieldSet;
use crate::facts::Facts;
use crate::order::{Lent, OfAny, OfSelf};
use crate::phase::Phase;
use crate::storage::{Bump, Storage, Stored, remapped_as_it_is};
use crate::table::{Table, address};
use crate::value::Value;
use crate::window::Skip;

/// A field in one column of atomics.
#[derive(Debug)]
pub struct AtomicColumn<T>(PhantomData<fn() -> T>);

impl<T: AtomicValue> AtomicColumn<T> {
    /// The address of the cell of an object that exists.
    #[inline(always)]
    fn place<C: Class, const K: usize>(table: &Table<C>, index: usize) -> *mut T {
        // SAFETY: views and refs are made of objects that exist (I12).
        unsafe { table.address(<Self as Storage<C, K>>::COLUMN, index) }.cast::<T>()
    }
}

// SAFETY: one column of cells, and every access to them is atomic.
unsafe impl<T: AtomicValue> Stored for AtomicColumn<T> {
    type Row = T;
    type Value = T;
    const EMPTIES: bool = T::EMPTIES;
    const COLUMNS: &'static [ColumnInfo] = {
        assert!(size_of::<T>() == size_of::<T::Cell>() && align_of::<T>() <= align_of::<T::Cell>());
        &[ColumnInfo::of::<T::Cell>().holding::<T>()]
    };
    const ATOMIC: bool = true;
    const NUMBER: Option<Number> = Some(T::NUMBER);
    const LINKS_TO: &'static [ClassId] = T::LINKS_TO;
}

// SAFETY: the functions read, write and show the object's cell in the column.
unsafe impl<C: Class, const K: usize, T: AtomicValue> Storage<C, K> for AtomicColumn<T> {
    type View<'w, P: Phase> = Atomic<'w, T, OfSelf<P, C, K>>;
    type Seen<'w, P: Phase> = Atomic<'w, T, OfAny<P, C, K>>;
    type Shared<'a> = Skip;
    type Exclusive<'a> = Skip;

    #[inline(always)]
    unsafe fn shared<'a>(_: &C::Bases, _: usize, _: usize) -> Self::Shared<'a> {
        Skip
    }

    #[inline(always)]
    unsafe fn exclusive<'a>(_: &C::Bases, _: usize, _: usize) -> Self::Exclusive<'a> {
        Skip
    }

    #[inline(always)]
    unsafe fn read(bases: &C::Bases, index: usize) -> T {
        // SAFETY: the element exists by 1.
        let place = unsafe { address::<C>(bases, <Self as Storage<C, K>>::COLUMN, index) };
        // SAFETY: every access to it is through the cell.
        T::load(unsafe { &*place.cast::<T::Cell>() })
    }

    #[inline(always)]
    unsafe fn read_for_view<P: Phase>(_: &C::Bases, _: usize) -> T {
        // An unused load would still be executed.
        <T as Value>::PLACEHOLDER
    }

    #[inline(always)]
    unsafe fn write(bases: &C::Bases, index: usize, value: T) {
        // SAFETY: there is room by 1.
        let place = unsafe { address::<C>(bases, <Self as Storage<C, K>>::COLUMN, index) };
        // SAFETY: the bytes are initialised when storage is allocated (I21). A cell is an integer, of which any bytes
        // are valid, or a `bool`'s size of zeroed bytes.
        T::store(unsafe { &*place.cast::<T::Cell>() }, value);
    }

    #[inline(always)]
    unsafe fn read_row(bases: &C::Bases, index: usize) -> T {
        // SAFETY: the contract is the same.
        unsafe { <Self as Storage<C, K>>::read(bases, index) }
    }

    #[inline(always)]
    unsafe fn write_row(bases: &C::Bases, index: usize, row: T, _: &mut Bump) {
        // SAFETY: by 1.
        unsafe { <Self as Storage<C, K>>::write(bases, index, row) }
    }

    remapped_as_it_is!();

    #[inline(always)]
    unsafe fn to_view<'w, P: Phase>(_: T, table: &'w Table<C>, index: usize, facts: Facts) -> Self::View<'w, P> {
        if P::SEQUENTIAL {
            table.changed_on_host(const { FieldSet::from_bits(1 << K) });
        }
        // SAFETY: 1. every access to the element is through the cell; 2. by 4; 3. by 3.
        unsafe { Atomic::at(Self::place::<C, K>(table, index), facts, Lent::OWN) }
    }

    #[inline(always)]
    fn lent<P: Phase>(view: Self::View<'_, P>) -> Self::View<'_, P> {
        view.lent()
    }

    #[inline(always)]
    unsafe fn to_seen<'w, P: Phase>(_: T, table: &'w Table<C>, index: usize, facts: Facts) -> Self::Seen<'w, P> {
        // SAFETY: 1. every access to the element is through the cell; 2. by 2; 3. it is of any object.
        unsafe { Atomic::at(Self::place::<C, K>(table, index), facts, ()) }
    }

    #[inline(always)]
    fn from_view<P: Phase>(_: Self::View<'_, P>) -> T {
        <T as Value>::PLACEHOLDER
    }

    #[inline(always)]
    fn is_own<'w, P: Phase>(view: &Self::View<'w, P>, table: &'w Table<C>, index: usize) -> bool {
        ptr::eq(ptr::from_ref(view.cell).cast(), Self::place::<C, K>(table, index))
    }
}
