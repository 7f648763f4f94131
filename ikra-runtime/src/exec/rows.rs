//! `execute`: calls a kernel for each of many objects.

use std::ops::{Range, RangeBounds};

use super::calls::{Calls, for_calls};
use super::chunks::{AllReturned, Piece, by_one, for_chunks_or_alone};
use super::positions;
use crate::alone::pays;
use crate::class::Class;
use crate::info::{ClassInfo, arrays, linked};
use crate::isa::Isa;
use crate::kernel::{Call, Kernel, ValuesOf};
use crate::layout::Layout;
use crate::objects::Objects;
use crate::spread::{Job, Spread};
use crate::table::{BaseSet, Table};
use crate::window::WindowTuple;
use ikra_core::effects::FieldSet;

/// Calls the kernel for the objects at some positions; [`finish`] commits its effects.
#[inline]
#[track_caller]
pub(super) fn call<K, A>(objects: &mut Objects<K::Class>, range: impl RangeBounds<usize>, args: A) -> AllReturned
where
    K: Call<A>,
    A: Copy + Send + Sync,
{
    let range = positions(range, objects.slots(), <K::Class as ClassInfo>::NAME);
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
    let work = |(chunk, isa): Piece| unsafe { run_rows::<K, A, false>(table, &shadow, chunk, args, isa) };
    // SAFETY: `&mut objects` excludes other kernels, and no other thread makes calls meanwhile.
    let alone = |(all, isa): Piece| unsafe { run_rows::<K, A, true>(table, &shadow, all, args, isa) };
    let (heavy, entangled) = const { (K::EFFECTS.is_heavy(), pays::<K>()) };
    for_chunks_or_alone(range, heavy, entangled, &[Isa::of(heavy)], work, by_one::<K, _, _>(work, alone))
}

/// Fields in whose arrays the kernel may store links as elements. They are numbers; each call checks them (I14).
const fn brought_links<K: Kernel>() -> FieldSet {
    let arrays = linked::<K::Class>().intersection(arrays::<K::Class>());
    if K::EFFECTS.is_exclusive() { arrays.intersection(K::EFFECTS.writes()) } else { FieldSet::EMPTY }
}

/// Marks the fields that the kernel changes, and prepares storage for its snapshots.
///
/// # Panics
///
/// If there is not enough memory.
#[inline(always)]
pub(super) fn prepare<K: Kernel>(objects: &mut Objects<K::Class>) -> <K::Class as ClassInfo>::Bases {
    objects.table().changed_on_host(const { K::EFFECTS.writes() });
    if !const { brought_links::<K>() }.is_empty() {
        // If a call panics, it may have stored a bad link before that.
        objects.table().header.set_unchecked(const { brought_links::<K>() }, 0..objects.slots());
    }
    if const { K::EFFECTS.shadowed() }.is_empty() {
        return <K::Class as ClassInfo>::Bases::NONE;
    }
    match objects.prepare_shadow(const { K::EFFECTS.shadowed() }, const { K::EFFECTS.copied() }) {
        Ok(bases) => bases,
        Err(error) => panic!("kernel {} needs storage for its snapshot: {error}", K::EFFECTS.kernel()),
    }
}

/// Commits a kernel's effects on the objects in some ranges, after all its calls have returned.
#[inline(always)]
pub(super) fn finish<K: Kernel>(
    objects: &mut Objects<K::Class>,
    ranges: impl IntoIterator<Item = Range<usize>>,
    returned: AllReturned,
) {
    if !const { K::EFFECTS.shadowed() }.is_empty() {
        for range in ranges {
            objects.commit_shadow(const { K::EFFECTS.shadowed() }, range, &returned);
        }
    }
    if !const { brought_links::<K>() }.is_empty() {
        // SAFETY: all links were checked before the kernel, and each call has checked the elements that it stored.
        unsafe { objects.set_checked(returned) };
    }
}

/// Calls the kernel for consecutive objects, one after another, with the instruction set if it is heavy.
///
/// # Safety
///
/// As for [`for_calls`].
#[inline]
pub(crate) unsafe fn run_rows<K, A, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    range: Range<usize>,
    args: A,
    isa: Isa,
) where
    K: Call<A>,
    A: Copy,
{
    // SAFETY: the contract is the same: clauses 1 to 3 of `for_calls` hold for this range.
    unsafe { for_calls::<K, A, ALONE>(table, shadow, range, args, |windows, calls| windows.spread(Rows(calls), isa)) }
}

/// Calls a kernel for each object of a window.
struct Rows<'w, K: Kernel, A, const ALONE: bool>(Calls<'w, K, A, ALONE>);

impl<K, A, X, const ALONE: bool> Job<X> for Rows<'_, K, A, ALONE>
where
    K: Call<A>,
    A: Copy,
    X: WindowTuple<ValuesOf<K>>,
{
    type Output = ();
    const WIDE: bool = const { K::EFFECTS.is_heavy() };

    #[inline(always)]
    fn run(self, mut windows: X) {
        let Self(calls) = self;
        // SAFETY: windows have objects.
        let followed = unsafe { calls.follow() };
        let tile = const { <<K::Class as Class>::Layout as Layout>::WINDOW };
        if tile != usize::MAX && calls.len == tile {
            // A whole tile: its number of objects is a constant.
            for n in 0..tile {
                // SAFETY: `n` is within the windows.
                unsafe { calls.call(&mut windows, n, followed) };
            }
            return;
        }
        for n in 0..calls.len {
            // SAFETY: `n` is within the windows.
            unsafe { calls.call(&mut windows, n, followed) };
        }
    }
}
