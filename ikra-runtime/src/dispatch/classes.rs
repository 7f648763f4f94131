//! The kernels of one class on the host.

use std::ptr;

use super::AnyKernel;
use super::verbs::{Collect, Execute, Reduce};
use crate::class::{Class, ClassInfo};
use crate::error::Error;
use crate::exec;
use crate::exec::{Extent, Part};
use crate::kernel::{Call, Discardable, PairCall, ReducedBy};
use crate::objects::Objects;
use crate::reduce::Reducer;
use crate::world::lives::{assert_holds, with_changes};
use crate::world::{Holds, Ready};

/// The objects of a kernel's class, and the run's part of them.
#[inline(always)]
fn objects<'w, C: Class, W: Holds<C>>(world: &'w mut W, part: Part<'_>) -> Result<(&'w mut Objects<C>, Extent), Error> {
    let objects = world.objects_mut();
    let over = part.of(0, &*objects)?;
    Ok((objects, over))
}

// SAFETY: the kernel is called once for each object.
unsafe impl<K, A, W> Execute<W, A> for K
where
    K: Call<A, Output: Discardable>,
    A: Copy + Send + Sync,
    W: Holds<K::Class>,
{
    #[inline]
    fn run(world: Ready<'_, W>, part: Part<'_>, args: A) -> Result<(), Error> {
        const { assert_holds::<W>(<K as AnyKernel>::EFFECTS) }
        with_changes(world, <K as AnyKernel>::EFFECTS, |mut world| {
            let (objects, over) = objects::<K::Class, W>(&mut world, part)?;
            let returned = exec::call::<K, A>(objects, &over, args)?;
            exec::finish::<K>(objects, &over, returned)
        })
    }
}

// SAFETY: the kernel is called once for each object, and the number identifies the reducer, by `ReducedBy`.
unsafe impl<K, A, W, R> Reduce<W, A, R> for K
where
    K: Call<A, Output: Copy + Send + Sync> + ReducedBy<R>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
    W: Holds<K::Class>,
{
    type Output = K::Output;

    #[inline]
    fn reduce(world: Ready<'_, W>, part: Part<'_>, args: A, reducer: R) -> Result<K::Output, Error> {
        const { assert_holds::<W>(<K as AnyKernel>::EFFECTS) }
        with_changes(world, <K as AnyKernel>::EFFECTS, |mut world| {
            let (objects, over) = objects::<K::Class, W>(&mut world, part)?;
            let (result, returned) = exec::reduce::<K, A, R>(objects, &over, args, reducer)?;
            exec::finish::<K>(objects, &over, returned)?;
            Ok(result)
        })
    }
    fn combine(own: K::Output, others: Option<K::Output>, reducer: R) -> K::Output {
        match others {
            None => own,
            Some(others) => reducer.combine(own, others),
        }
    }
    fn identity(reducer: R) -> K::Output {
        reducer.identity()
    }
    fn number(_: usize) -> usize {
        K::NUMBER
    }
}

// SAFETY: the kernel is called once for each object.
unsafe impl<K, A, W> Collect<W, A> for K
where
    K: Call<A, Output: Send>,
    A: Copy + Send + Sync,
    W: Holds<K::Class>,
{
    type Output = K::Output;

    fn collect(world: Ready<'_, W>, part: Part<'_>, args: A) -> Result<Vec<K::Output>, Error> {
        const { assert_holds::<W>(<K as AnyKernel>::EFFECTS) }
        with_changes(world, <K as AnyKernel>::EFFECTS, |mut world| {
            let (objects, over) = objects::<K::Class, W>(&mut world, part)?;
            let (results, returned) = exec::collect::<K, A>(objects, &over, args)?;
            exec::finish::<K>(objects, &over, returned)?;
            Ok(results)
        })
    }
}

/// Calls a kernel for all pairs of a selected object and any other one.
///
/// # Errors
///
/// [`Error::OutOfRange`], [`Error::NotInWorld`]; the kernel is then not called for any object.
pub(crate) fn run_pairs<K, A, W>(world: Ready<'_, W>, part: Part<'_>, args: A) -> Result<(), Error>
where
    K: PairCall<A>,
    A: Copy + Send + Sync,
    W: Holds<K::Class> + Holds<K::Other>,
{
    let others = Holds::<K::Other>::objects(&*world);
    if others.holes() > 0 {
        return Err(Error::HasHoles { class: <K::Other as ClassInfo>::NAME, holes: others.holes() });
    }
    with_changes(world, const { &[K::EFFECTS] }, |mut world| {
        let others = ptr::from_ref(Holds::<K::Other>::objects(&*world).table());
        let (objects, over) = objects::<K::Class, W>(&mut world, part)?;
        let returned = exec::call_pairs::<K, A>(objects, &over, others, args)?;
        exec::finish::<K>(objects, &over, returned)
    })
}
