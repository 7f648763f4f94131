//! Grouping objects by key: a counting sort on the host, or groups that a place makes.

use std::any::TypeId;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use ikra_core::grid::Grid;
use ikra_core::groups::GroupsArgument;
pub use ikra_core::groups::{Groups, Keys};
use ikra_core::target::groups::{Made, Remote};
use ikra_core::value::Value;

use crate::class::Class;
use crate::error::Error;
use crate::exec::spread;
use crate::list::Listed;
use crate::objects::{AnyObjects, generation};
use crate::table::Table;
use crate::transfer::Transfer;

/// From this number of objects on, several threads pay.
const MANY: usize = 1 << 14;

/// The keys by which a place groups objects, from what a kernel returns.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum GroupKeys {
    /// Numbers less than this one.
    Numbers(u32),
    /// Positions, by cells of a grid.
    Grid2(Grid<2>),
    /// Positions, by cells of a grid.
    Grid3(Grid<3>),
}

impl GroupKeys {
    /// The keys, if they are of a kind that places know, and the type of results fits.
    pub(crate) fn of<T: Transfer, G: Value>(keys: &G) -> Option<Self> {
        /// The keys as a `U`, for results of type `V`.
        fn same<T: 'static, V: 'static, G: 'static, U: Copy + 'static>(keys: &G) -> Option<U> {
            let is_same = TypeId::of::<G>() == TypeId::of::<U>() && TypeId::of::<T>() == TypeId::of::<V>();
            // SAFETY: the types are the same.
            is_same.then(|| unsafe { *ptr::from_ref(keys).cast::<U>() })
        }
        same::<T, u32, G, u32>(keys)
            .map(Self::Numbers)
            .or_else(|| same::<T, [f32; 2], G, Grid<2>>(keys).map(Self::Grid2))
            .or_else(|| same::<T, [f32; 3], G, Grid<3>>(keys).map(Self::Grid3))
    }
}

/// The groups that a place made.
#[derive(Debug)]
pub enum Grouped {
    /// The position of each group's first object, and the objects.
    Made {
        /// The positions, and the number of objects.
        starts: Remote,
        /// The indices of the objects, group by group, each in the order of their ids.
        ids: Remote,
    },
    /// The first object that has no key, or a key that is too large: its position in the run, and the key.
    Bad {
        /// The position.
        place: usize,
        /// The key.
        key: Option<u32>,
    },
}

/// Groups the objects in `among` by their keys. `of` is what the kernel returned for them.
///
/// The result does not depend on threads: in each group the objects are in the order of their ids.
///
/// # Errors
///
/// [`Error::NoKey`], [`Error::KeyOutOfRange`], [`Error::OutOfMemory`].
pub(crate) fn group<C: Class, T: Copy + Sync, G: Keys<T>>(
    keys: G,
    of: &[T],
    among: &Listed,
    table: &Table<C>,
) -> Result<Groups<C, G>, Error> {
    let groups = keys.groups();
    let count = |places: Range<usize>| {
        let (mut numbers, mut counts) = (vec![0_u32; places.len()], room(C::NAME, groups as usize)?);
        counts.resize(groups as usize, 0);
        for (n, (number, &of)) in numbers.iter_mut().zip(&of[places.clone()]).enumerate() {
            *number = keys.key(of).unwrap_or(u32::MAX);
            let bad_key = || bad_key(C::NAME, among, places.start + n, keys.key(of), groups);
            *counts.get_mut(*number as usize).ok_or_else(bad_key)? += 1;
        }
        Ok((numbers, counts))
    };
    let (ids, starts) = sort(C::NAME, (of.len(), groups as usize), among, &count)?;
    let made = Made { table: table.header.number, generation: generation() };
    // SAFETY: 1. `starts` has the sums of the counts of `groups` groups, and their total at the end; 2. `ids` are the
    // indices of the objects in `among`: each was stored, since the counts are of these keys. They exist in
    // the table, by the caller's check, and the world has been borrowed since.
    Ok(unsafe { Groups::new(keys, starts.into(), ids.into(), made) })
}

/// A number for each object, and one for each group.
type Numbers = Result<(Vec<u32>, Vec<u32>), Error>;

/// No numbers yet, and memory for one of each group. How many there are may be a mistake of the program.
fn room(class: &'static str, groups: usize) -> Result<Vec<u32>, Error> {
    let mut numbers = Vec::new();
    let none = |_| Error::OutOfMemory { class, bytes: groups.saturating_mul(size_of::<u32>()) };
    numbers.try_reserve_exact(groups).map_err(none)?;
    Ok(numbers)
}

/// Sorts the objects in `among` by their groups: returns their indices, and the start of each group. `count` finds the groups
/// of some, and counts these. One function serves all keys and classes.
fn sort(
    class: &'static str,
    (len, groups): (usize, usize),
    among: &Listed,
    count: &(dyn Fn(Range<usize>) -> Numbers + Sync),
) -> Numbers {
    // Each thread has a count per group: not more of them than there are objects.
    let threads = match rayon::current_num_threads() {
        threads if len >= MANY => threads.min(4 * len / groups.max(1)).max(1),
        _ => 1,
    };
    let chunk = len.div_ceil(threads).max(1);
    let places = |n: usize| n * chunk..((n + 1) * chunk).min(len);
    let (counted, _) = spread(len.div_ceil(chunk), &|n| count(places(n)));
    let (numbers, mut counts): (Vec<_>, Vec<_>) =
        counted.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let starts = starts(class, &mut counts, groups)?;
    let ids: Vec<_> = std::iter::repeat_with(|| AtomicU32::new(0)).take(len).collect();
    let counts: Vec<_> = counts.into_iter().map(Mutex::new).collect();
    // The objects of different chunks go to different places, so the threads need no order.
    drop(spread(counts.len(), &|n| {
        let mut next = counts[n].lock().unwrap_or_else(PoisonError::into_inner);
        for (index, &key) in among.ranges(places(n)).flatten().zip(&numbers[n]) {
            let next = &mut next[key as usize];
            ids[*next as usize].store(index as u32, Relaxed);
            *next += 1;
        }
    }));
    Ok((ids.into_iter().map(AtomicU32::into_inner).collect(), starts))
}

/// The groups that a place made, with these keys, of the objects in `among`.
///
/// # Errors
///
/// As for [`group`].
///
/// # Safety
///
/// If they were made, the numbers are those of as many groups as the keys have, and of objects in the table now.
pub(crate) unsafe fn groups_of<C: Class, T, G: Keys<T>>(
    keys: G,
    grouped: Grouped,
    among: &Listed,
    table: &Table<C>,
) -> Result<Groups<C, G>, Error> {
    match grouped {
        Grouped::Made { starts, ids } => {
            let made = Made { table: table.header.number, generation: generation() };
            // SAFETY: by the caller.
            Ok(unsafe { Groups::on_device(keys, (keys.groups(), starts), ids, made) })
        }
        Grouped::Bad { place, key } => Err(bad_key(C::NAME, among, place, key, keys.groups())),
    }
}

/// The error for an object without a key, or with one that is too large, at a position in `among`.
fn bad_key(class: &'static str, among: &Listed, place: usize, key: Option<u32>, groups: u32) -> Error {
    let index = among.ranges(place..place + 1).flatten().next().unwrap_or_default();
    // Ids count from 1.
    let id = index as u32 + 1;
    match key {
        None => Error::NoKey { class, id },
        Some(key) => Error::KeyOutOfRange { class, id, key, groups },
    }
}

/// Checks that groups, or a column of results, are of objects in a world, which still exist under the ids that they had.
///
/// # Errors
///
/// [`Error::StaleGroups`], [`Error::StaleColumn`].
pub(crate) fn check_groups(members: &[&dyn AnyObjects], groups: GroupsArgument<'_>) -> Result<(), Error> {
    let class = groups.class();
    let is_current = |member: &&&dyn AnyObjects| {
        // SAFETY: the table is alive as long as the objects, which are borrowed.
        let header = unsafe { member.header().as_ref() };
        // The loop of a worklist knows which objects were removed.
        let changed = if groups.is_worklist() { 0 } else { header.changed() };
        member.class() == class && !groups.made().is_stale((header.number, changed))
    };
    match members.iter().find(is_current) {
        Some(_) => Ok(()),
        None if groups.is_worklist() => Err(Error::ForeignWorklist { class: class.name() }),
        None if groups.is_column() => Err(Error::StaleColumn { class: class.name() }),
        None => Err(Error::StaleGroups { class: class.name() }),
    }
}

/// The start of each group, and the end of the last. Replaces each chunk's counts by the starts of its own objects.
fn starts(class: &'static str, counts: &mut [Vec<u32>], groups: usize) -> Result<Vec<u32>, Error> {
    let mut starts = room(class, groups + 1)?;
    let mut next = 0;
    for group in 0..groups {
        starts.push(next);
        for counts in counts.iter_mut() {
            let count = std::mem::replace(&mut counts[group], next);
            next += count;
        }
    }
    starts.push(next);
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_groups_than_fit_are_an_error() {
        // No machine has memory for so many.
        let error = starts("Ant", &mut [], 1 << 48).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { class: "Ant", bytes } if bytes > 1 << 50), "{error}");
        assert!(matches!(room("Ant", 1 << 48), Err(Error::OutOfMemory { .. })));
        assert_eq!(starts("Ant", &mut [vec![2, 0, 1]], 3).expect("memory"), [0, 2, 2, 3]);
    }
}
