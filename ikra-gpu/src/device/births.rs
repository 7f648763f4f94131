//! New objects that a kernel made, when it has ended: links in their rows are checked, and they get columns and ids.

use core::slice;

use ikra_core::class::Class;
use ikra_core::device_lives::{DeviceLives, at, set_bit};
use ikra_core::effects::FieldSet;
use ikra_core::moves::{Change, Moves, Remap};
use ikra_core::storage::{Bump, FieldTuple};
use ikra_core::table::{Table, lives};

use super::lives::{own, pointer};

/// The state of a class that the running kernel does not change.
static NONE: DeviceLives = DeviceLives {
    marks: 0,
    rows: 0,
    counts: 0,
    numbers: 0,
    ranks: 0,
    free: 0,
    live: 0,
    bad_links: 0,
    free_len: 0,
    slots: 0,
    makers: 0,
    born: 0,
    per_maker: 0,
    first: 0,
};

/// The change of links to new objects of class `C`: they got ids.
///
/// # Safety
///
/// The kernel that made them has ended; counts, ranks and free indices are current.
#[inline]
pub unsafe fn made<C: Class>() -> Change<'static> {
    // SAFETY: by the caller.
    unsafe { Change::made_here(C::ID, lives::<C>().unwrap_or(&NONE)) }
}

/// The part of new objects' making that one launch does. The compiler takes a column that a kernel reads as one that it does
/// not write before, so each part reads what earlier ones wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Links in rows are checked. The numbers of objects are those before the birth.
    Rows,
    /// New objects are written.
    Write,
    /// Links to new objects get their ids.
    Number,
    /// Links are checked.
    Check,
}

impl Stage {
    /// The part of this number.
    #[inline(always)]
    pub fn of(number: u32) -> Self {
        match number {
            0 => Self::Rows,
            1 => Self::Write,
            2 => Self::Number,
            _ => Self::Check,
        }
    }
}

/// Makes a new object of class `C` per thread, in stages. `changes` are those of the classes of which the kernel makes objects.
/// The first stage has a thread per maker instead.
///
/// # Safety
///
/// 1. The kernel that made them has ended; but for the first stage, numbers, ranks and free indices are current.
/// 2. The class's table is filled, and but for the first stage the columns have room for the objects. Nothing else accesses
///    them meanwhile.
/// 3. Each stage is a launch, in this order; all but the writing may be left out, the numbering if no new object can name a
///    new one.
#[inline(always)]
pub unsafe fn born<C: Class, const N: usize>(stage: Stage, changes: impl FnOnce() -> [Change<'static>; N]) {
    let (Some(lives), rank) = (lives::<C>(), own()) else { return };
    if stage == Stage::Rows {
        // SAFETY: by 1 and 2.
        return unsafe { check_rows::<C>(lives, rank) };
    }
    if rank >= lives.born {
        return;
    }
    // SAFETY: by 1.
    let index = unsafe { lives.index(rank) } as usize;
    // SAFETY: no handle is made from the table.
    let table = unsafe { Table::<C>::get() };
    match stage {
        Stage::Rows => {}
        Stage::Number => {
            // SAFETY: by 3, the object has values. No other thread has this index. Each link is read and written once.
            unsafe {
                <C::Fields as FieldTuple<C>>::remap(
                    &table.bases,
                    index..index + 1,
                    FieldSet::ALL,
                    Moves::new(&changes()),
                    Remap::Commit,
                    &mut |_, _| (),
                );
            }
        }
        Stage::Check => {
            // SAFETY: as above. No link changes.
            let bad = unsafe { <C::Fields as FieldTuple<C>>::bad_link(table, FieldSet::ALL, index..index + 1) };
            if bad.is_some() {
                note_bad_link(lives);
            }
        }
        Stage::Write => {
            // SAFETY: by 1, a maker wrote the row of this number, which becomes one object.
            let row = unsafe { pointer::<C>(lives.rows).add(at::<u32>(lives.numbers, rank) as usize).read() };
            // SAFETY: by 2, there is room. No other thread has this index.
            unsafe { <C::Fields as FieldTuple<C>>::write(&table.bases, index, row.into_values(), &mut Bump::none()) };
            if lives.live != 0 {
                // SAFETY: there is a bit for each index.
                unsafe { set_bit(lives.live, index as u32) };
            }
        }
    }
}

/// Checks the links in the rows of a maker.
///
/// # Safety
///
/// As for [`born`], in its first stage.
#[inline]
unsafe fn check_rows<C: Class>(lives: &DeviceLives, maker: u32) {
    if maker >= lives.makers {
        return;
    }
    // SAFETY: no handle is made from the table; there is a count for each maker.
    let (table, count) = unsafe { (Table::<C>::get(), pointer::<u8>(lives.counts).add(maker as usize).read()) };
    for made in 0..u32::from(count) {
        // SAFETY: the maker wrote so many rows. A class's row has no `Drop`, so that it can be read again.
        let row = unsafe { pointer::<C>(lives.rows).add((maker * lives.per_maker + made) as usize).read() };
        if <C::Fields as FieldTuple<C>>::bad_link_in(&row.into_values(), table).is_some() {
            note_bad_link(lives);
        }
    }
}

/// Notes whether a new object of class `C` has a link to an object of class `Y` that was removed before.
///
/// # Safety
///
/// As for [`born`], in its last stage.
#[inline(always)]
pub unsafe fn check_removed<C: Class, Y: Class>() {
    let (Some(lives), Some(removed), rank) = (lives::<C>(), lives::<Y>(), own()) else { return };
    if rank >= lives.born {
        return;
    }
    // SAFETY: by the caller: there are bits for all objects, or none at all; those of new ones are set.
    let gone = unsafe { Change::gone_here(Y::ID, removed) };
    // SAFETY: no handle is made from the table; free indices are current, by the caller.
    let (table, index) = unsafe { (Table::<C>::get(), lives.index(rank) as usize) };
    let gone = Moves::new(slice::from_ref(&gone));
    let (objects, fields, mut failed) = (index..index + 1, FieldSet::ALL, |_, _| note_bad_link(lives));
    // SAFETY: the object has values, and no other thread has this index. No link changes.
    unsafe { <C::Fields as FieldTuple<C>>::remap(&table.bases, objects, fields, gone, Remap::Cascade, &mut failed) };
}

/// Notes that a new object has a link to no object.
fn note_bad_link(lives: &DeviceLives) {
    // SAFETY: the address of a number; all threads write the same value.
    unsafe { pointer::<u32>(lives.bad_links).write_volatile(1) };
}
