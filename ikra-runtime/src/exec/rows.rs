//! `execute`: a kernel for each of many objects.

use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

use super::prefetch::prefetch_next;
use super::{for_chunks, for_runs, positions};
use crate::access::Chunk;
use crate::arity::{AccessTuple, FieldTuple, Job, ModeTuple, Spread};
use crate::class::Class;
use crate::handle::Handle;
use crate::isa::Isa;
use crate::kernel::{Kernel, Method};
use crate::layout::Layout;
use crate::objects::Objects;
use crate::table::Table;
use crate::world::snapshot_of;

pub(crate) type FieldsOf<K> = <<K as Method>::Class as Class>::Fields;

/// Calls the kernel for the objects at some positions.
#[inline]
pub(crate) fn execute<K, A>(objects: &mut Objects<K::Class>, range: impl RangeBounds<usize>, args: A)
where
    K: Kernel<A>,
    A: Copy + Send + Sync,
{
    let range = positions(range, objects.len(), <K::Class as Class>::NAME);
    let shadow = shadow_of::<K>(objects);
    let table = objects.table();
    for_chunks(range.clone(), K::HEAVY, |chunk| {
        // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
        unsafe { run_rows::<K, A>(table, &shadow, chunk, args) }
    });
    objects.commit_shadow(snapshot_of::<K>(), range);
}

/// Storage for the kernel's snapshots.
///
/// # Panics
///
/// If there is no memory for it.
#[inline(always)]
pub(crate) fn shadow_of<K: Method>(objects: &mut Objects<K::Class>) -> <K::Class as Class>::Bases {
    if snapshot_of::<K>().is_empty() {
        return <K::Class as Class>::BASES;
    }
    match objects.prepare_shadow(snapshot_of::<K>()) {
        Ok(bases) => bases,
        Err(error) => panic!("kernel {} needs storage for its snapshot: {error}", K::NAME),
    }
}

/// Calls the kernel for consecutive objects, one after another.
///
/// # Safety
///
/// 1. The objects exist, and `shadow` is storage for them of the kernel's snapshot columns.
/// 2. During the call, nothing else runs for these objects, and no other kernel in this world.
#[inline]
pub(crate) unsafe fn run_rows<K, A>(
    table: &Table<K::Class>,
    shadow: &<K::Class as Class>::Bases,
    range: Range<usize>,
    args: A,
) where
    K: Kernel<A>,
    A: Copy,
{
    let isa = Isa::of(K::HEAVY);
    for_runs(range, <<K::Class as Class>::Layout as Layout>::RUN, |run| {
        prefetch_next::<K>(table, run.end);
        let chunk = Chunk { table, shadow, first: run.start, len: run.len() };
        // SAFETY: the chunk is one run. By 2, its objects' elements of the columns that the kernel writes are
        // accessed by this call alone; columns that it reads are written by no call of this kernel, since a column
        // is accessed in the same mode by all of them.
        let runs = unsafe { K::Modes::open::<K::Class>(chunk) };
        let job = Rows::<K, A> { table, first: run.start, len: run.len(), args, kernel: PhantomData };
        runs.spread(job, isa);
    });
}

/// Calls a kernel for each object of a run.
struct Rows<'w, K: Method, A> {
    table: &'w Table<K::Class>,
    first: usize,
    len: usize,
    args: A,
    kernel: PhantomData<K>,
}

impl<K, A, X> Job<X> for Rows<'_, K, A>
where
    K: Kernel<A>,
    A: Copy,
    X: AccessTuple<FieldsOf<K>>,
{
    type Output = ();
    const WIDE: bool = K::HEAVY;

    #[inline(always)]
    fn run(self, mut runs: X) {
        let Self { table, first, len, args, .. } = self;
        if len == GRAIN && <<K::Class as Class>::Layout as Layout>::RUN == GRAIN {
            // A whole tile: the count is a constant.
            for n in 0..GRAIN {
                // SAFETY: within the runs.
                unsafe { step::<K, X, _>(&mut runs, n, table, first + n, |view| K::call(view, args)) };
            }
            return;
        }
        for n in 0..len {
            // SAFETY: within the runs.
            unsafe { step::<K, X, _>(&mut runs, n, table, first + n, |view| K::call(view, args)) };
        }
    }
}

use super::GRAIN;

/// Loads the view of one object, calls the kernel, and stores what it wrote.
///
/// # Safety
///
/// `n` is within the runs.
#[inline(always)]
pub(crate) unsafe fn step<'w, K, X, R>(
    runs: &mut X,
    n: usize,
    table: &'w Table<K::Class>,
    index: usize,
    call: impl FnOnce(&mut <K::Class as Class>::View<'w, K>) -> R,
) -> R
where
    K: Method,
    X: AccessTuple<FieldsOf<K>>,
{
    // SAFETY: passed on.
    let values = unsafe { runs.get(n) };
    let views = FieldsOf::<K>::to_views::<K::Class, K>(values, table, index);
    let mut view = K::Class::to_view(views, Handle::at(table, index));
    let result = call(&mut view);
    if K::EXCLUSIVE {
        let views = K::Class::from_view(view);
        if let Some(field) = FieldsOf::<K>::stray::<K::Class, K>(&views, table, index) {
            stray_handle::<K::Class>(K::NAME, field);
        }
        let values = FieldsOf::<K>::from_views::<K>(views);
        // SAFETY: passed on.
        if let Some(field) = unsafe { runs.undeclared(n, &values) } {
            undeclared_write::<K>(field);
        }
        // SAFETY: passed on.
        unsafe { runs.set(n, values) };
    }
    result
}

#[cold]
#[inline(never)]
fn undeclared_write<K: Method>(field: usize) -> ! {
    let field = <K::Class as Class>::FIELDS[field].name;
    panic!(
        "kernel `{kernel}` changed `{class}::{field}` in a way that its text does not show, so the change would be lost; write `#[kernel(writes({field}))]`",
        kernel = K::NAME,
        class = <K::Class as Class>::NAME,
    )
}

#[cold]
#[inline(never)]
pub(crate) fn stray_handle<C: Class>(code: &str, field: usize) -> ! {
    panic!(
        "`{code}` assigned another object's handle to `{class}::{field}`; use `.store(value)` to change an `#[atomic]` field",
        class = C::NAME,
        field = C::FIELDS[field].name,
    )
}
