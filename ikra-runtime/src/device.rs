//! Calls of kernels on the device: what one thread does for one object.
//!
//! The loops over objects, and which thread does what, are in `ikra-gpu`.

use crate::access::Chunk;
use crate::arity::{AccessTuple, FieldTuple, ModeTuple};
use crate::call::{finish, step};
use crate::class::Class;
use crate::handle::Handle;
use crate::kernel::{Constructor, FieldsOf, Kernel, Method, PairKernel};
use crate::table::{BaseSet, Table};

type Runs<K> = <<K as Method>::Modes as ModeTuple<FieldsOf<K>>>::Access<'static, <K as Method>::Class>;

/// The number of objects of class `C`.
#[inline(always)]
pub fn count<C: Class>() -> u32 {
    Table::<C>::get().len() as u32
}

/// One object's elements.
///
/// # Safety
///
/// As for [`call`].
#[inline(always)]
unsafe fn open<K: Method>(index: u32) -> Runs<K> {
    let shadow = <<K::Class as Class>::Bases as BaseSet>::shadow();
    let chunk = Chunk { table: Table::get(), shadow, first: index as usize, len: 1 };
    // SAFETY: a run of one object, which exists by 1; by 2 its elements of the columns that the kernel writes are
    // accessed by this call alone, and those that it reads are written by none.
    unsafe { K::Modes::open::<K::Class>(chunk) }
}

/// Calls the kernel for one object.
///
/// # Safety
///
/// 1. The object exists, and the class's words hold where its columns are, those of snapshots included.
/// 2. Meanwhile no other thread calls a kernel for the object, and no other kernel runs in the world.
#[inline(always)]
pub unsafe fn call<K: Kernel<A>, A>(index: u32, args: A) -> K::Output {
    let table = Table::get();
    // SAFETY: passed on.
    let mut runs = unsafe { open::<K>(index) };
    // SAFETY: the run holds one object.
    unsafe { step::<K, _, _>(&mut runs, 0, table, index as usize, |view| K::call(view, args)) }
}

/// Calls the kernel for one object and all others, in the order of their ids. The object stays in
/// registers.
///
/// # Safety
///
/// As for [`call`].
#[inline(always)]
pub unsafe fn call_pairs<K: PairKernel<A>, A: Copy>(index: u32, args: A) {
    let table = Table::<K::Class>::get();
    let others = Table::<K::Other>::get();
    // SAFETY: passed on.
    let mut runs = unsafe { open::<K>(index) };
    // SAFETY: the run holds one object.
    let mut values = unsafe { runs.get(0) };
    for other in 0..others.len() {
        let views = FieldsOf::<K>::to_views::<K::Class, K>(values, table, index as usize);
        let mut view = K::Class::to_view(views, Handle::at(table, index as usize));
        K::call(&mut view, K::Other::to_ref(Handle::at(others, other)), args);
        if K::EXCLUSIVE {
            values = finish::<K>(view, table, index as usize);
        }
    }
    if K::EXCLUSIVE {
        // SAFETY: the run holds one object.
        unsafe { crate::call::store::<K, _>(&mut runs, 0, values) };
    }
}

/// Makes one object.
///
/// # Safety
///
/// 1. There is storage for the object, where the class's words say.
/// 2. Nothing else accesses it meanwhile.
#[inline(always)]
pub unsafe fn construct<K: Constructor<A>, A>(index: u32, args: A) {
    let row = K::construct(index, args);
    let table = Table::<K::Class>::get();
    // SAFETY: passed on.
    unsafe {
        <<K::Class as Class>::Fields as FieldTuple>::write::<K::Class>(&table.bases, index as usize, row.into_values());
    }
}

/// A member of a world. On the device it is not used: kernels find the objects of a class by the class.
#[derive(Debug)]
pub struct Objects<C>(core::marker::PhantomData<fn() -> C>);
