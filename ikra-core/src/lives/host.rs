//! Objects that a running kernel makes and removes: noted in the tables of their classes.

use core::ptr;
use std::boxed::Box;

use crate::class::{Class, Field};
use crate::directory::{ABSENT, Header};
use crate::link::Link;
use crate::moves::Moves;
use crate::storage::{Storage, Stored};
use crate::table::TableRef;
use crate::value::Value;

/// The start of the table at an address.
fn header<'w>(place: TableRef<'w>) -> &'w Header {
    // SAFETY: every table starts with a header, and is alive during `'w`.
    unsafe { &*place.table }
}

/// Notes that the running kernel removes the object at this index. Returns whether the kernel may do so.
#[inline]
#[expect(clippy::extra_unused_type_parameters, reason = "a device finds the class's table by it")]
pub(crate) fn remove<C: Class>(place: TableRef<'_>, index: usize) -> bool {
    header(place).marks.set(index)
}

/// Makes an object of class `C` in the world of a table, by its object `maker`.
///
/// # Panics
///
/// If the world has no objects of the class, or if the running kernel may not make some.
#[track_caller]
pub(crate) fn spawn<C: Class>(maker_class: TableRef<'_>, maker: u32, row: C) -> Link<C> {
    let place = maker_class.beside(|| C::ID);
    assert!(!ptr::eq(place.table, &raw const ABSENT), "this world has no objects of class {}", C::NAME);
    // SAFETY: the directory lists the table of `C` under the id of `C`; it is not the table of an absent class.
    let table = unsafe { place.table::<C>() };
    let Some(nursery) = table.nursery.as_ref().filter(|nursery| nursery.is_open()) else {
        panic!("objects of class {} are made by a kernel with a parameter of type `Spawn<{0}>`", C::NAME)
    };
    Link::at(nursery.push((header(maker_class).section, maker), row))
}

/// Stores field `K` of the object at this index of a table of `C` when the running kernel ends.
///
/// # Panics
///
/// If the object does not exist, or if no kernel for objects of the class runs that may make objects.
///
/// # Safety
///
/// The address is that of a table of `C`, or of an absent class.
#[track_caller]
pub(crate) unsafe fn set_at_end<C: Field<K, Storage: Stored<Row = T, Value = T>>, T: Value, const K: usize>(
    place: TableRef<'_>,
    index: usize,
    value: T,
) {
    assert!(index < place.count::<C>() as usize, "the object exists");
    // SAFETY: objects exist, so the address is that of a table of `C`, by the caller.
    let table = unsafe { place.table::<C>() };
    let Some(late) = &table.late else { panic!("`set_at_end` is for kernels that make objects") };
    let store = move |bases: *const (), index: usize, moves: Moves<'_>| {
        // SAFETY: the address of the bases of this table, which is one of `C`, by the contract of `Late::push`.
        let bases = unsafe { &*bases.cast::<C::Bases>() };
        let value = value.remapped(moves).unwrap_or(value);
        // SAFETY: the object exists, and nothing else accesses it, by the contract of `Late::push` (I36).
        unsafe { <C::Storage as Storage<C, K>>::write(bases, index, value) }
    };
    // SAFETY: it reads bases of `C`, and writes field `K` of the object, which nothing else accesses.
    unsafe { late.push(index as u32, Box::new(store)) }
}
