//! Calls of kernels on the device: the work of one thread for one object.
//!
//! The sibling modules contain the loops over objects, and assign work to threads.

use ikra_core::class::Class;
use ikra_core::effects::FieldSet;
use ikra_core::facts::Facts;
use ikra_core::handle::{Handle, Own};
use ikra_core::info::ClassInfo;
use ikra_core::kernel::{Call, Construct, FieldsOf, Kernel, PairCall, ValuesOf, assert_for_pairs, assert_modes};
use ikra_core::mode::{Chunk, ModeTuple};
use ikra_core::near::Near;
use ikra_core::step::{check, finish, step};
use ikra_core::storage::{Bump, FieldTuple, ViewOf};
use ikra_core::table::{BaseSet, Table};
use ikra_core::tile_row;
use ikra_core::value::Float;
use ikra_core::window::WindowTuple;
use ikra_marks as marks;

type Windows<K> = <<K as Kernel>::Modes as ModeTuple<<K as Kernel>::Class>>::Windows<'static>;

/// The number of objects of class `C`.
#[inline(always)]
pub fn count<C: Class>() -> u32 {
    // SAFETY: no handle is made from the table.
    unsafe { Table::<C>::get() }.len() as u32
}

/// The elements of one object.
///
/// # Safety
///
/// As for [`call`].
#[inline(always)]
unsafe fn open<K: Kernel>(index: u32) -> Windows<K> {
    const { assert_modes::<K>() };
    let shadow = <<K::Class as ClassInfo>::Bases as BaseSet>::shadow();
    // SAFETY: no handle is made from the table.
    let chunk = Chunk { table: unsafe { Table::get() }, shadow, first: index as usize, len: 1 };
    // SAFETY: a run of one object, which exists by 1. By 2 only this call accesses its elements of the columns that the
    // kernel writes (I3), and nothing writes the columns that the kernel reads (I4).
    unsafe { K::Modes::open(chunk) }
}

/// The panic report's text before the object's number: `Body::advance for Body#`, and a 0.
const fn report(kernel: &str, class: &str) -> [u8; 128] {
    let mut text = [0; 128];
    let parts = [kernel, " for ", class, "#"];
    let (mut len, mut part) = (0, 0);
    while part < parts.len() {
        let bytes = parts[part].as_bytes();
        let mut n = 0;
        while n < bytes.len() && len < text.len() - 1 {
            text[len] = bytes[n];
            n += 1;
            len += 1;
        }
        part += 1;
    }
    text
}

/// Records the kernel and the object that it works on, for the report of a panic.
///
/// The values go to registers that `ikra-build` declares, and passes to `ikra_failing` where the code is about to
/// panic. Where it cannot declare such registers, it removes these instructions.
#[inline(always)]
fn note(report: &'static [u8; 128], index: u32) {
    // SAFETY: writes registers that nothing else uses.
    unsafe {
        core::arch::asm!(
            concat!("mov.b64 ", marks::noted_kernel!(), ", {0};"),
            concat!("mov.b32 ", marks::noted_object!(), ", {1};"),
            in(reg64) report.as_ptr(),
            in(reg32) index,
            options(nomem, nostack, preserves_flags)
        );
    }
}

/// Calls the kernel for one object.
///
/// # Safety
///
/// 1. The object exists, and the class's table entries hold the addresses of its columns and snapshots.
/// 2. Meanwhile no other thread calls a kernel for the object, and no other kernel runs in the world.
#[inline(always)]
pub unsafe fn call<K: Call<A>, A>(index: u32, args: A) -> K::Output {
    note(const { &report(K::EFFECTS.kernel(), <K::Class as ClassInfo>::NAME) }, index);
    // SAFETY: its handles are for `K`, which is running.
    let table = unsafe { Table::get() };
    // SAFETY: by 1 the object exists at the addresses in the table, by 2 no other call accesses its own fields.
    let mut windows = unsafe { open::<K>(index) };
    // SAFETY: the run holds one object.
    unsafe {
        step::<K, _, _>(&mut windows, 0, table, index as usize, |view| {
            // SAFETY: the object exists by 1; no facts are known.
            let from = unsafe { Handle::at(table, index as usize, Facts::NONE) };
            let followed = K::follow::<K>(from, &args);
            K::call::<K>(view, args, followed)
        })
    }
}

/// The size of the other object's tile row.
pub const fn tile_row_bytes<K: PairCall<A>, A>() -> usize {
    tile_row::bytes::<K::Other, K>()
}

/// Writes the row of another object.
///
/// # Safety
///
/// 1. As for [`call`].
/// 2. `row` is a multiple of 16 and has room for the row.
#[inline(always)]
pub unsafe fn write_tile_row<K: PairCall<A>, A>(other: u32, row: *mut u8) {
    // SAFETY: no handle is made from the table.
    let table = unsafe { Table::<K::Other>::get() };
    // SAFETY: the other object exists at the addresses in the table, and by 2 there is room for its row.
    unsafe { <<K::Other as Class>::Fields as FieldTuple<_>>::write_tile_row::<K>(&table.bases, other as usize, row) }
}

/// An object that visits others. Its fields stay in registers meanwhile.
pub struct Meeting<K: Kernel> {
    index: u32,
    values: ValuesOf<K>,
}

impl<K: Kernel> core::fmt::Debug for Meeting<K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(K::EFFECTS.kernel())
    }
}

impl<K: Kernel> Meeting<K> {
    /// Loads the object.
    ///
    /// # Safety
    ///
    /// As for [`call`].
    #[inline(always)]
    pub unsafe fn begin(index: u32) -> Self {
        note(const { &report(K::EFFECTS.kernel(), <K::Class as ClassInfo>::NAME) }, index);
        // SAFETY: the object exists at the addresses in the table, and no other call accesses its own fields.
        let windows = unsafe { open::<K>(index) };
        // SAFETY: the run holds one object.
        Self { index, values: unsafe { windows.get(0) } }
    }

    /// A placeholder for threads without an object.
    #[inline(always)]
    #[must_use]
    pub fn none() -> Self {
        Self { index: 0, values: FieldsOf::<K>::PLACEHOLDER }
    }

    /// Calls the kernel for the object and another one, which has a tile row unless `row` is null.
    ///
    /// # Safety
    ///
    /// 1. As for [`call`]. If the kernel has [`Sums`](ikra_core::sums::Sums), other threads may call it for the object too:
    ///    calls then change nothing but `self`, since the kernel uses no atomic and no inner array of its own.
    /// 2. `row` is null or the address of the other object's row.
    #[inline(always)]
    pub unsafe fn meet<A>(&mut self, other: u32, row: *const u8, args: A)
    where
        K: PairCall<A>,
    {
        const { assert_for_pairs::<K>() };
        // SAFETY: its handles are for `K`, which is running.
        let table = unsafe { Table::<K::Class>::get() };
        // SAFETY: its handles are for `K`, which is running.
        let others = unsafe { Table::<K::Other>::get() };
        let index = self.index as usize;
        // SAFETY: the object exists by 1, and these are its own values.
        let views = unsafe {
            FieldsOf::<K>::to_views::<K>(
                self.values,
                const { K::Modes::TOUCHES },
                ViewOf::Own,
                table,
                index,
                Facts::NONE,
            )
        };
        // SAFETY: the other object exists by 1.
        let mut view =
            K::Class::to_view(views, Own::new(unsafe { Handle::at(table, index, Facts::NONE) }, self.values));
        // SAFETY: by 1 the other object exists, and by 2 `row` is its row.
        let other = unsafe { Handle::near(others, other as usize, K::Near::at(row)) };
        K::call::<K>(&mut view, K::Other::to_ref(other), args);
        if const { K::EFFECTS.is_exclusive() } {
            self.values = finish::<K>(view, table, index).0;
        }
    }

    /// Shows the numbers that the kernel adds to.
    #[inline]
    pub fn show_sums(&mut self, show: &mut impl FnMut(Float<'_>)) {
        FieldsOf::<K>::show_floats(&mut self.values, const { K::EFFECTS.sums() }, show);
    }

    /// Shows the sums after a call that began with these values. The values stay as they were before it.
    #[inline]
    pub fn take_sums(&mut self, before: ValuesOf<K>, show: &mut impl FnMut(Float<'_>)) {
        check::<K>(&before, &self.values);
        self.show_sums(show);
        self.values = before;
    }

    /// The object's values.
    #[inline]
    pub fn values(&self) -> ValuesOf<K> {
        self.values
    }

    /// Stores the object.
    ///
    /// # Safety
    ///
    /// As for [`call`].
    #[inline(always)]
    pub unsafe fn end(self) {
        if const { K::EFFECTS.is_exclusive() } {
            // SAFETY: the object exists at the addresses in the table, and no other call accesses its own fields.
            let mut windows = unsafe { open::<K>(self.index) };
            // SAFETY: the run holds one object.
            let before = unsafe { windows.get(0) };
            // SAFETY: the run holds one object.
            unsafe {
                check::<K>(&before, &self.values);
                windows.set(0, self.values);
            }
        }
    }
}

/// Constructs one object. Returns whether the object has a link to no object.
///
/// # Safety
///
/// 1. The addresses in the class's table have storage for the object.
/// 2. Nothing else accesses it meanwhile.
#[inline(always)]
pub unsafe fn construct<K: Construct<A>, A>(index: u32, args: A) -> bool {
    note(const { &report("a constructor", <K::Class as ClassInfo>::NAME) }, index);
    let row = K::construct(index, args);
    // SAFETY: no handle is made from the table.
    let table = unsafe { Table::<K::Class>::get() };
    // SAFETY: passed on.
    unsafe {
        let bump = &mut Bump::none();
        <<K::Class as Class>::Fields as FieldTuple<_>>::write(&table.bases, index as usize, row.into_values(), bump);
    }
    let index = index as usize;
    // SAFETY: the object was just constructed.
    unsafe { <<K::Class as Class>::Fields as FieldTuple<_>>::bad_link(table, FieldSet::ALL, index..index + 1) }
        .is_some()
}

/// A member of a world. It is unused on the device: kernels find a class's objects by the class.
#[derive(Debug)]
pub struct Objects<C>(core::marker::PhantomData<fn() -> C>);

// A model may derive `Clone` for its world, whatever `C` is.
impl<C> Clone for Objects<C> {
    fn clone(&self) -> Self {
        Self(core::marker::PhantomData)
    }
}

/// A world's data besides its objects: empty on the device.
pub struct WorldState<W>(core::marker::PhantomData<fn() -> W>);

impl<W> Clone for WorldState<W> {
    fn clone(&self) -> Self {
        Self(core::marker::PhantomData)
    }
}
impl<W> Default for WorldState<W> {
    fn default() -> Self {
        Self(core::marker::PhantomData)
    }
}
impl<W> core::fmt::Debug for WorldState<W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("WorldState")
    }
}
