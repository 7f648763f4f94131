//! Calls of a kernel for the objects in a list.

use super::calls::{Calls, WindowsOf, for_calls};
use super::chunks::{AllReturned, Piece, by_one, for_chunks_or_alone};
use super::rows::{prepare, run_rows};
use crate::alone::pays;
use crate::class::ClassInfo;
use crate::isa::Isa;
use crate::kernel::Call;
use crate::list::{Listed, Run, Runs};
use crate::objects::Objects;
use crate::table::Table;

/// Calls the kernel for objects of a list; [`finish`](super::rows::finish) commits its effects.
pub(super) fn call_listed<K, A>(objects: &mut Objects<K::Class>, listed: &Listed, args: A) -> AllReturned
where
    K: Call<A>,
    A: Copy + Send + Sync,
{
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    // SAFETY: these objects exist, each is in the list once, and `&mut objects` excludes other kernels.
    let work =
        |(chunk, isa): Piece| unsafe { run_listed::<K, A, false>(table, &shadow, listed.runs(chunk), args, isa) };
    // SAFETY: these objects exist, each is in the list once, and no other thread makes calls meanwhile.
    let alone = |(all, isa): Piece| unsafe { run_listed::<K, A, true>(table, &shadow, listed.runs(all), args, isa) };
    let (heavy, entangled) = const { (K::EFFECTS.is_heavy(), pays::<K>()) };
    for_chunks_or_alone(0..listed.len(), heavy, entangled, &[Isa::of(heavy)], work, by_one::<K, _, _>(work, alone))
}

/// Calls the kernel for the objects of a part of a list.
///
/// # Safety
///
/// As for [`for_calls`], for each of the objects.
unsafe fn run_listed<K, A, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    runs: Runs<'_>,
    args: A,
    isa: Isa,
) where
    K: Call<A>,
    A: Copy,
{
    for run in runs {
        match run {
            // SAFETY: the contract is the same, for the consecutive objects of this run.
            Run::Range(range) => unsafe { run_rows::<K, A, ALONE>(table, shadow, range, args, isa) },
            // SAFETY: the contract is the same, for the single objects of this run.
            Run::Each(indices) => unsafe { run_each::<K, A, ALONE>(table, shadow, indices, args, isa) },
        }
    }
}

/// Calls the kernel for objects, few of which are consecutive.
///
/// # Safety
///
/// As for [`for_calls`], for each of the objects.
#[inline(never)]
unsafe fn run_each<K, A, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    indices: &[u32],
    args: A,
    isa: Isa,
) where
    K: Call<A>,
    A: Copy,
{
    for &index in indices {
        let index = index as usize;
        if const { K::EFFECTS.is_heavy() } {
            // SAFETY: the contract is the same, for each of the objects.
            unsafe { run_rows::<K, A, ALONE>(table, shadow, index..index + 1, args, isa) };
            continue;
        }
        // Inlined into this loop, because a function call takes longer than most kernels.
        let call = |mut windows: WindowsOf<'_, K>, calls: Calls<'_, K, A, ALONE>| {
            // SAFETY: the windows contain this one object.
            let followed = unsafe { calls.follow() };
            // SAFETY: as above.
            unsafe { calls.call(&mut windows, 0, followed) };
        };
        // SAFETY: the contract is the same, for each of the objects.
        unsafe { for_calls::<K, A, ALONE>(table, shadow, index..index + 1, args, call) };
    }
}
