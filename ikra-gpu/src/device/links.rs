//! Links of a class to objects that were removed or moved, in fields of any kind.

use core::slice;

use ikra_core::class::Class;
use ikra_core::device_lives::{LinkChange, at, count, set_bit};
use ikra_core::effects::FieldSet;
use ikra_core::info::{MAX_LINKED, linked_classes};
use ikra_core::moves::{Change, Moves, Remap};
use ikra_core::storage::FieldTuple;
use ikra_core::table::Table;

use super::lives::{own, pointer};

/// Changes the links of an object of class `C` per thread, or marks it if it goes with removed objects. Arrays of variable
/// length drop links to these.
///
/// # Safety
///
/// 1. The class's table is filled. What the change says is there, for all objects, and nothing else accesses them meanwhile.
/// 2. Marks are not the bits of the removed objects, but may be a copy of them.
#[inline(always)]
pub unsafe fn links<C: Class>(change: &LinkChange) {
    let has_links = const {
        let (mut field, mut found) = (0, false);
        while field < C::FIELDS.len() {
            found |= !C::FIELDS[field].holds_links_to.is_empty();
            field += 1;
        }
        found
    };
    let index = own();
    if !has_links || index >= change.len {
        return;
    }
    // SAFETY: by 1.
    if change.live != 0 && unsafe { at::<u32>(change.live, index / 32) } >> (index % 32) & 1 == 0 {
        return;
    }
    let classes = const { linked_classes(C::FIELDS) };
    let (class, slots) = (classes[change.class as usize % MAX_LINKED], change.slots as usize);
    let changed = if change.have_moved != 0 {
        // SAFETY: by 1.
        Change::moved(class, unsafe { slice::from_raw_parts(pointer(change.changed), slots) })
    } else {
        // SAFETY: by 1.
        Change::removed(class, unsafe { slice::from_raw_parts(pointer(change.changed), slots.div_ceil(64)) })
    };
    let (moves, fields) = (Moves::new(slice::from_ref(&changed)), FieldSet::from_bits(change.fields));
    let what = if change.marks == 0 { Remap::Commit } else { Remap::Cascade };
    // SAFETY: no handle is made from the table.
    let table = unsafe { Table::<C>::get() };
    let (object, mut names_removed) = (index as usize, false);
    let mut failed = |_, _| names_removed = true;
    // SAFETY: by 1, the object has values. No other thread has this index.
    unsafe {
        <C::Fields as FieldTuple<C>>::remap(&table.bases, object..object + 1, fields, moves, what, &mut failed);
    }
    if names_removed && change.marks != 0 {
        // SAFETY: there is a bit for each object, and a number; all threads change them atomically.
        unsafe {
            if !set_bit(change.marks, index) {
                count(change.gone);
            }
        }
    }
}
