//! Objects that a kernel made and removed, when it has ended: new objects get ids and enter the columns, and links to
//! removed ones become empty.
//!
//! Each maker has its own rows in the nursery, and a count of them. So the order of the new objects is that of their makers,
//! then of the calls, whatever the order of the threads. A scan of the counts gives each maker the number of objects that
//! earlier ones made.

use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ikra_core::class::Class;
use ikra_core::device_lives::{DeviceLives, at, set_bit};
use ikra_core::effects::FieldSet;
use ikra_core::moves::{Change, Moves, Remap};
use ikra_core::storage::{Bump, FieldTuple};
use ikra_core::table::{Table, lives};
use ikra_core::thread;

use super::lists::{combined, summed};
use super::shared;
use crate::chunks::{MAKERS, MAKERS_PER_THREAD};

/// This thread's number in the grid.
#[inline(always)]
fn own() -> u32 {
    thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x()
}

/// An address as a pointer.
#[inline(always)]
fn pointer<T>(address: u64) -> *mut T {
    ptr::with_exposed_provenance_mut(address as usize)
}

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

/// The change of links to new objects of class `C`, and that of links to objects of the class that were removed before.
///
/// # Safety
///
/// The kernel that made them has ended; counts, ranks, free indices and bits are current.
#[inline]
pub unsafe fn made<C: Class>() -> [Change<'static>; 2] {
    let lives = lives::<C>().unwrap_or(&NONE);
    // SAFETY: by the caller.
    unsafe { [Change::made_here(C::ID, lives), Change::gone_here(C::ID, lives)] }
}

/// Writes a new object of class `C` per thread; then, launched again, remaps and checks its links. One launch cannot do both:
/// the compiler takes a column that a kernel reads as one that it does not write before.
///
/// # Safety
///
/// 1. The kernel that made them has ended; numbers, ranks and free indices are current.
/// 2. The class's table is filled, and the columns have room for the objects. Nothing else accesses them meanwhile.
/// 3. Links are remapped in a launch after the one that wrote the objects.
#[inline(always)]
pub unsafe fn born<C: Class, const N: usize>(remaps: bool, changes: [[Change<'static>; 2]; N]) {
    let (Some(lives), rank) = (lives::<C>(), own()) else { return };
    if rank >= lives.born {
        return;
    }
    // SAFETY: by 1.
    let index = unsafe { lives.index(rank) } as usize;
    // SAFETY: no handle is made from the table.
    let table = unsafe { Table::<C>::get() };
    if remaps {
        let (made, gone) = (changes.map(|[made, _]| made), changes.map(|[_, gone]| gone));
        // SAFETY: by 3, the object has values. No other thread has this index.
        let is_bad = unsafe {
            let bases = &table.bases;
            // No link changes: all are to objects that were there before.
            let gone =
                <C::Fields as FieldTuple<C>>::remap(bases, index, FieldSet::ALL, Moves::new(&gone), Remap::Cascade);
            <C::Fields as FieldTuple<C>>::remap(bases, index, FieldSet::ALL, Moves::new(&made), Remap::Commit);
            gone.is_some() || <C::Fields as FieldTuple<C>>::bad_link(table, FieldSet::ALL, index..index + 1).is_some()
        };
        if is_bad {
            // SAFETY: the address of a number; all threads write the same value.
            unsafe { pointer::<u32>(lives.bad_links).write_volatile(1) };
        }
        return;
    }
    // SAFETY: by 1, a maker wrote the row of this number; each is read once.
    let row = unsafe { pointer::<C>(lives.rows).add(at::<u32>(lives.numbers, rank) as usize).read() };
    // SAFETY: by 2, there is room. No other thread has this index.
    unsafe { <C::Fields as FieldTuple<C>>::write(&table.bases, index, row.into_values(), &mut Bump::none()) };
    if lives.live != 0 {
        // SAFETY: there is a bit for each index.
        unsafe { set_bit(lives.live, index as u32) };
    }
}

/// The counts of this thread's makers.
///
/// # Safety
///
/// There are `makers` counts.
#[inline(always)]
unsafe fn counts(counts: *const u8, makers: u32) -> [u8; MAKERS_PER_THREAD as usize] {
    let first = own() * MAKERS_PER_THREAD;
    let mut all = [0; MAKERS_PER_THREAD as usize];
    let mut n = 0;
    while n < MAKERS_PER_THREAD {
        if first + n < makers {
            // SAFETY: by the caller.
            all[n as usize] = unsafe { counts.add((first + n) as usize).read() };
        }
        n += 1;
    }
    all
}

/// Sums the counts of each block's makers.
///
/// # Safety
///
/// There are `makers` counts, a block for each [`MAKERS`] of them, and room for a sum per block. Shared memory has a word
/// per thread.
#[inline]
pub unsafe fn sum(all: *const u8, makers: u32, sums: *mut u32) {
    // SAFETY: by the caller.
    let own: u32 = unsafe { counts(all, makers) }.iter().map(|&count| u32::from(count)).sum();
    // SAFETY: every thread of the block reaches this.
    let sum = unsafe { combined(shared::start(), own, |a, b| a + b) };
    if thread::thread_idx_x() == 0 {
        // SAFETY: there is room for it.
        unsafe { sums.add(thread::block_idx_x() as usize).write(sum) };
    }
}

/// Replaces each sum by that of the earlier ones, and writes the sum of all. Runs as one block.
///
/// # Safety
///
/// There are `len` sums, and room for the result. Shared memory has a word per thread.
#[inline]
pub unsafe fn place(sums: *mut u32, len: u32, result: *mut u32) {
    let (own, room) = (thread::thread_idx_x(), shared::start());
    let (mut before, mut group) = (0, 0);
    while group < len {
        let n = group + own;
        // SAFETY: within the sums. Every thread of the block reaches the barriers.
        unsafe {
            let value = if n < len { sums.add(n as usize).read() } else { 0 };
            let sum = summed(room, value);
            let all = combined(room, value, |a, b| a + b);
            if n < len {
                sums.add(n as usize).write(before + sum - value);
            }
            before += all;
        }
        group += thread::block_dim_x();
    }
    if own == 0 {
        // SAFETY: by the caller.
        unsafe { result.write(before) };
    }
}

/// Writes the numbers of the rows in the order of makers and calls, and for each maker the number of objects that earlier
/// makers made, unless `ranks` is null.
///
/// # Safety
///
/// As for [`sum`], after [`place`]; there is room for a number per object and a rank per maker.
#[inline]
pub unsafe fn rank(all: *const u8, makers: u32, per_maker: u32, sums: *const u32, numbers: *mut u32, ranks: *mut u32) {
    const { assert!(MAKERS.is_multiple_of(MAKERS_PER_THREAD)) };
    // SAFETY: by the caller.
    let counts = unsafe { counts(all, makers) };
    let own_sum = counts.iter().map(|&count| u32::from(count)).sum::<u32>();
    // SAFETY: every thread of the block reaches this.
    let end = unsafe { summed(shared::start(), own_sum) };
    // SAFETY: there is a sum per block.
    let mut rank = unsafe { sums.add(thread::block_idx_x() as usize).read() } + end - own_sum;
    let first = own() * MAKERS_PER_THREAD;
    let mut n = 0;
    while n < MAKERS_PER_THREAD {
        let (maker, count) = (first + n, u32::from(counts[n as usize]));
        if maker < makers && !ranks.is_null() {
            // SAFETY: there is room for a rank per maker.
            unsafe { ranks.add(maker as usize).write(rank) };
        }
        for made in 0..count {
            // SAFETY: there is room for a number per object.
            unsafe { numbers.add((rank + made) as usize).write(maker * per_maker + made) };
        }
        rank += count;
        n += 1;
    }
}

/// Adds the number of bits that are set to a result.
///
/// # Safety
///
/// There are `words` words, and threads for them. Shared memory has a word per thread.
#[inline]
pub unsafe fn tally(bits: *const u32, words: u32, result: *mut u32) {
    let n = own();
    // SAFETY: within the words.
    let count = if n < words { unsafe { bits.add(n as usize).read() }.count_ones() } else { 0 };
    // SAFETY: every thread of the block reaches this.
    let sum = unsafe { combined(shared::start(), count, |a, b| a + b) };
    if thread::thread_idx_x() == 0 && sum > 0 {
        // SAFETY: the address of a number, which all threads change atomically.
        unsafe { AtomicU32::from_ptr(result) }.fetch_add(sum, Relaxed);
    }
}

/// Writes the bits below `slots` that are not set.
///
/// # Safety
///
/// There are bits for `slots` indices, and there is room for the result, which may be in their place.
#[inline]
pub unsafe fn invert(bits: *const u32, slots: u32, result: *mut u32) {
    let n = own();
    if n < slots.div_ceil(32) {
        let within = u32::MAX >> (32 - (slots - n * 32).min(32));
        // SAFETY: within the words.
        unsafe { result.add(n as usize).write(!bits.add(n as usize).read() & within) };
    }
}

/// Clears the bits that are set in another array.
///
/// # Safety
///
/// There are `words` words in both.
#[inline]
pub unsafe fn clear(bits: *mut u32, cleared: *const u32, words: u32) {
    let n = own();
    if n < words {
        // SAFETY: within the words; no other thread has this one.
        unsafe { bits.add(n as usize).write(bits.add(n as usize).read() & !cleared.add(n as usize).read()) };
    }
}

/// Makes the links of a column empty that name a removed object, one bit per index.
///
/// # Safety
///
/// The column has `len` links, each 0 or the number of an object; there are bits for `slots` indices.
#[inline]
pub unsafe fn unlink(column: *mut u32, len: u32, removed: *const u32, slots: u32) {
    let n = own();
    if n >= len {
        return;
    }
    // SAFETY: within the column; no other thread has this link.
    let index = unsafe { column.add(n as usize).read() }.wrapping_sub(1);
    // SAFETY: within the bits.
    if index < slots && unsafe { removed.add((index / 32) as usize).read() } >> (index % 32) & 1 != 0 {
        // SAFETY: as above.
        unsafe { column.add(n as usize).write(0) };
    }
}

/// Replaces the links of a column by the new ids of their objects, 0 for those that were removed.
///
/// # Safety
///
/// The column has `len` links, each 0 or the number of an object; there are ids for `slots` indices.
#[inline]
pub unsafe fn relink(column: *mut u32, len: u32, ids: *const u32, slots: u32) {
    let n = own();
    if n >= len {
        return;
    }
    // SAFETY: within the column; no other thread has this link.
    let index = unsafe { column.add(n as usize).read() }.wrapping_sub(1);
    if index < slots {
        // SAFETY: within the ids, and as above.
        unsafe { column.add(n as usize).write(ids.add(index as usize).read()) };
    }
}

/// Copies the elements of some columns whose indices are in a list, in this order, and writes their new ids at these indices.
///
/// # Safety
///
/// 1. The list has `len` indices of elements of each column; there is room for these in other memory.
/// 2. A column is described by its address, that of the other memory, and the size of an element. Both start at multiples
///    of 16.
/// 3. `ids` is null, or has room for an id at each index.
#[inline]
pub unsafe fn gather(columns: *const [u64; 3], count: u32, list: *const u32, len: u32, ids: *mut u32) {
    /// Stands for no object.
    const NONE: u32 = u32::MAX;

    /// Copies elements for the objects with these indices, the first of which goes to index `first`, the others `step`
    /// indices further each. All are loaded before one is stored.
    ///
    /// # Safety
    ///
    /// The elements at these indices consist of `parts` parts of this type.
    #[inline(always)]
    unsafe fn copy<T: Copy + Default>(
        (from, to): (u64, u64),
        (a, b, c, d): (u32, u32, u32, u32),
        (first, step): (u32, u32),
        parts: usize,
    ) {
        for part in 0..parts {
            let load = |old: u32| match old {
                NONE => T::default(),
                // SAFETY: by the caller. Elements start at multiples of their parts' size.
                old => unsafe { pointer::<T>(from).add(old as usize * parts + part).read() },
            };
            let store = |value: T, old: u32, n: u32| {
                if old != NONE {
                    // SAFETY: as above.
                    unsafe { pointer::<T>(to).add((first + n * step) as usize * parts + part).write(value) };
                }
            };
            let (of_a, of_b, of_c, of_d) = (load(a), load(b), load(c), load(d));
            store(of_a, a, 0);
            store(of_b, b, 1);
            store(of_c, c, 2);
            store(of_d, d, 3);
        }
    }
    let step = thread::block_dim_x();
    let first = thread::block_idx_x() * step * 4 + thread::thread_idx_x();
    let old = |n: u32| match first + n * step {
        // SAFETY: within the list.
        new if new < len => unsafe { list.add(new as usize).read() },
        _ => NONE,
    };
    let (old, new) = ((old(0), old(1), old(2), old(3)), (first, step));
    let mut column = 0;
    while column < count {
        // SAFETY: within the table.
        let [from, to, size] = unsafe { columns.add(column as usize).read() };
        let (of, size) = ((from, to), size as usize);
        // SAFETY: by 1 and 2.
        unsafe {
            match size {
                1 => copy::<u8>(of, old, new, 1),
                2 => copy::<u16>(of, old, new, 1),
                4 => copy::<u32>(of, old, new, 1),
                8 => copy::<u64>(of, old, new, 1),
                _ if size.is_multiple_of(8) => copy::<u64>(of, old, new, size / 8),
                _ if size.is_multiple_of(4) => copy::<u32>(of, old, new, size / 4),
                _ => copy::<u8>(of, old, new, size),
            }
        }
        column += 1;
    }
    let store_id = |old: u32, n: u32| {
        if !ids.is_null() && old != NONE {
            // SAFETY: by 3.
            unsafe { ids.add(old as usize).write(first + n * step + 1) };
        }
    };
    store_id(old.0, 0);
    store_id(old.1, 1);
    store_id(old.2, 2);
    store_id(old.3, 3);
}
