//! Inner arrays: fields whose values are arrays, spread over columns and the class's arena (INNER §2).
//!
//! | field | in an SoA class | in an AoS class |
//! | --- | --- | --- |
//! | `#[inline_array]` on `[T; N]` | full inlining: a column per slot | the slots side by side in the object |
//! | `#[inline_array(object)]` on `[T; N]` | array as object: a column of arrays | one array in the object |
//! | `#[inline_array(K)]` on `InnerArray<T>` | partial: `K` columns, the rest in the arena | `K` slots, the rest in the arena |
//! | `#[inline_array(0)]` on `InnerArray<T>` | all in the arena | all in the arena |
//!
//! Other fields are loaded before a call and stored after it. An inner array is not: the view shows an accessor, which
//! reads and writes each element in place.

mod arrangement;
mod atomics;
mod elements;
mod enumerated;
mod iter;
mod iter_mut;
mod renewal;
mod views;

use core::marker::PhantomData;

pub use arrangement::{Arrangement, Bump, FullyInlined, PartlyInlined, WholeArray};
pub use arrangement::{arena_end, set as set_array};
pub use atomics::{AtomicInner, InnerAtomics, InnerAtomicsIter};
pub use elements::Elements;
pub(crate) use elements::ElementsWindow;
pub use enumerated::Enumerated;
pub use iter::InnerIter;
pub use iter_mut::InnerIterMut;

pub use crate::target::inner_array::InnerArray;
pub use views::{InnerMut, InnerRef};

use super::Copies;
use super::{Storage, Stored};
use crate::class::{ArrayInfo, Class, ClassId, ClassInfo, ColumnInfo};
use crate::facts::Facts;
use crate::panics::out_of_range;
use crate::phase::Phase;
use crate::table::{Table, Targets};
use crate::value::{BadLink, Value};

/// A field that is an inner array: the `K`-th of class `C`, arranged by `A`.
#[derive(Debug)]
pub struct Inner<C, const K: usize, A>(PhantomData<fn() -> (C, A)>);

/// Storages of inner arrays.
#[diagnostic::on_unimplemented(
    message = "this field is not an inner array",
    note = "inner arrays are fields under `#[inline_array]`"
)]
///
/// # Safety
///
/// The storage of an inner array: values are the elements of field `FIELD` of class `Owner`, spread by `Arrangement`.
pub unsafe trait ArrayStorage: Stored<Value = Elements<Self::Element>> {
    /// The elements' type.
    type Element: Value;
    /// The class of the field.
    type Owner: Class;
    /// The spread of the elements over slots and the arena.
    type Arrangement: Arrangement<Element = Self::Element>;
    /// The field's index in the class.
    const FIELD: usize;
}

// SAFETY: `#[soa_class]` gives the field, its index and its arrangement.
unsafe impl<C: Class, const K: usize, A: Arrangement> ArrayStorage for Inner<C, K, A> {
    type Element = A::Element;
    type Owner = C;
    type Arrangement = A;
    const FIELD: usize = K;
}

/// Arrays with one column per slot. Nothing changes their elements as long as the objects are borrowed.
///
/// # Safety
///
/// 1. Each slot has a column of its own, whose elements are values.
/// 2. Nothing writes them through a shared borrow of the objects: they are not atomic.
#[diagnostic::on_unimplemented(
    message = "the slots of this field cannot be borrowed as slices",
    note = "borrow an array under `#[inline_array(object)]` with `column`; copy an `InnerArray` with `copy_column`",
    note = "an `#[atomic]` array may change while it is borrowed; copy it with `copy_column`, or borrow a slot with `slot_mut`"
)]
pub unsafe trait SliceSlots: ArrayStorage {}
// SAFETY: 1. `FullyInlined` gives each slot a column. 2. Views and refs of `Inner` write only in kernels and in guards,
// which borrow the world exclusively (I1).
unsafe impl<C: Class, const K: usize, T: Value, const N: usize> SliceSlots for Inner<C, K, FullyInlined<T, N>> {}

/// Whether phase `P` may change elements of the array `S` of its own object.
///
/// Exclusive views belong to kernels, whose class is then `S::Owner`, and to guards; all other views are only lent. So
/// it does no harm if `may_be` mistakes another class for the kernel's.
pub(crate) const fn is_written<P: Phase, S: ArrayStorage>() -> bool {
    P::GUARDED
        || P::EFFECTS.is_exclusive()
            && P::EFFECTS.class().may_be(S::Owner::ID)
            && P::EFFECTS.writes().contains(S::FIELD)
}

/// Whether phase `P` is a kernel that may store links as elements of the array `S` of its own object. They are numbers,
/// checked where they become refs and after the call.
pub(crate) const fn brings_links<P: Phase, S: ArrayStorage>() -> bool {
    !P::SEQUENTIAL && !S::LINKS_TO.is_empty() && is_written::<P, S>()
}

/// Whether a call of the kernel `P` writes all elements of the array `S` of its own object to a shadow, which is empty
/// before. At the end of the call it also writes the elements that its method did not write.
///
/// A view of another object of the class, which is only lent, is of this kind too, with no element written.
pub(crate) const fn is_renewed<P: Phase, S: ArrayStorage>() -> bool {
    !P::GUARDED && P::EFFECTS.class().may_be(S::Owner::ID) && P::EFFECTS.renews(S::FIELD)
}

/// The form in which a view shows an element.
///
/// # Panics
///
/// If the kernel itself may have stored a bad link there.
///
/// # Safety
///
/// The value is an element of an array `S` of an object that exists, and `targets` are those of the field.
#[inline(always)]
#[track_caller]
unsafe fn shown<'w, P: Phase, S: ArrayStorage>(
    element: S::Element,
    targets: Targets<'w>,
) -> <S::Element as Value>::View<'w, P> {
    if const { brings_links::<P, S>() } {
        assert_good(&element, targets);
    }
    // SAFETY: it was checked, or it is from a column that the kernel does not change (I11).
    unsafe { element.view::<P>(targets) }
}

/// Panics if a link is bad.
#[inline(always)]
#[track_caller]
fn assert_good<T: Value>(element: &T, targets: Targets<'_>) {
    if let Some(BadLink { class, id, len }) = element.bad_link(targets) {
        out_of_range(class.name(), id - 1, len);
    }
}

/// [`Stored`], for plain and for atomic arrays.
macro_rules! array_stored {
    () => {
        type Row = A::Row;
        type Value = Elements<A::Element>;
        const COLUMNS: &'static [ColumnInfo] = A::COLUMNS;
        const ARRAY: Option<ArrayInfo> = Some(A::INFO);
        const LINKS_TO: &'static [ClassId] = <A::Element as Value>::LINKS_TO;

        #[inline]
        fn arena_end(row: &A::Row, used: usize) -> usize {
            A::arena_end(row, used)
        }
    };
}
use array_stored;

/// [`Storage`], for plain and for atomic arrays. `$load` reads an element in place, while other code may change it as
/// far as `$load` allows.
macro_rules! array_storage {
    ($load:expr) => {
        type Shared<'a> = ElementsWindow<'a, C, A>;
        type Exclusive<'a> = ElementsWindow<'a, C, A>;

        #[inline(always)]
        unsafe fn shared<'a>(bases: &C::Bases, first: usize, _len: usize) -> Self::Shared<'a> {
            // SAFETY: by 1, the object exists.
            unsafe { ElementsWindow::new(bases, Self::COLUMN, first) }
        }
        #[inline(always)]
        unsafe fn exclusive<'a>(bases: &C::Bases, first: usize, _len: usize) -> Self::Exclusive<'a> {
            // SAFETY: by 1, the object exists.
            unsafe { ElementsWindow::new(bases, Self::COLUMN, first) }
        }
        #[inline(always)]
        unsafe fn read(bases: &C::Bases, index: usize) -> Self::Value {
            // SAFETY: by 1, the object exists.
            unsafe { Elements::find::<C, A>(bases, Self::COLUMN, index) }
        }
        #[inline(always)]
        unsafe fn write(_: &C::Bases, _: usize, _: Self::Value) {}
        #[inline]
        unsafe fn read_row(bases: &C::Bases, index: usize) -> A::Row {
            // SAFETY: the contract is the same.
            A::gather(unsafe { Self::read(bases, index) }, $load)
        }
        #[inline]
        unsafe fn write_row(bases: &C::Bases, index: usize, row: A::Row, bump: &mut Bump) {
            // SAFETY: 1. by 1 and 2; 2. by 1.
            unsafe { A::scatter::<C>(bases, Self::COLUMN, index, row, bump) }
        }
        #[inline]
        unsafe fn write_placeholder(bases: &C::Bases, index: usize) {
            // SAFETY: there is room for the object, which nothing else accesses.
            unsafe { A::clear::<C>(bases, Self::COLUMN, index) }
        }
        #[inline]
        unsafe fn fits(bases: &C::Bases, index: usize, row: &A::Row) -> bool {
            // SAFETY: the contract is the same.
            A::rest(row) <= unsafe { Self::read(bases, index) }.len().saturating_sub(A::INFO.slots)
        }
        #[inline]
        unsafe fn copy(from: &C::Bases, to: &C::Bases, index: usize) {
            let load = $load;
            // SAFETY: the contract is the same; `load` allows the changes that `ATOMIC` allows.
            unsafe { A::copy::<C>(from, to, Self::COLUMN, index, load) }
        }
        #[inline]
        unsafe fn differs(one: &C::Bases, other: &C::Bases, index: usize) -> bool {
            let load = $load;
            // SAFETY: by the contract, for `one`.
            let elements = unsafe { Self::read(one, index) };
            // SAFETY: by the contract, for `other`.
            let others = unsafe { Self::read(other, index) };
            elements.len() != others.len()
                || (0..elements.len()).any(|n| {
                    // SAFETY: both arrays have the element.
                    let [one, other] = [elements, others].map(|array| load(unsafe { array.at::<A>(n) }));
                    !one.same(&other)
                })
        }
        #[inline]
        unsafe fn remap(
            bases: &C::Bases,
            index: usize,
            moves: crate::moves::Moves<'_>,
            what: crate::moves::Remap,
        ) -> bool {
            // SAFETY: the object exists, and nothing else accesses it.
            unsafe { crate::storage::inner::arrangement::remap::<C, A>(bases, Self::COLUMN, index, moves, what) }
        }
    };
}
use array_storage;

// SAFETY: these are the arrangement's columns.
unsafe impl<C: Class, const K: usize, A: Arrangement> Stored for Inner<C, K, A> {
    const EMPTIES: bool = A::INFO.has_spans() || <A::Element as Value>::EMPTIES;
    array_stored!();

    #[inline]
    unsafe fn detach(value: Self::Value, copies: &mut Copies) -> Self::Value {
        // SAFETY: the elements are of an object that exists, and nothing writes them.
        unsafe { value.copied::<A>(copies) }
    }

    #[inline]
    fn is_other(before: &Self::Value, after: &Self::Value) -> bool {
        !before.same_place(*after)
    }
}

// SAFETY: the functions access the arrangement's columns and the arena; a view or ref shows the position of the
// object's own elements.
unsafe impl<C: Class, const K: usize, A: Arrangement> Storage<C, K> for Inner<C, K, A> {
    array_storage!(|element: *const A::Element| {
        // SAFETY: by the contracts of `read_row` and `copy`, the element exists, and nothing writes it meanwhile.
        unsafe { element.read() }
    });
    type View<'w, P: Phase> = InnerMut<'w, P, Self>;
    type Seen<'w, P: Phase> = InnerRef<'w, P, Self>;

    #[inline(always)]
    unsafe fn to_view<'w, P: Phase>(
        value: Self::Value,
        table: &'w Table<C>,
        index: usize,
        facts: Facts,
    ) -> InnerMut<'w, P, Self> {
        let targets = Targets::of::<C, K>(table).knowing(facts);
        if const { is_renewed::<P, Self>() } {
            // SAFETY: the object exists.
            let before = unsafe { Self::read(&table.bases, index) };
            // SAFETY: the object exists. The value is the position of its array, in the shadow if the view is a call's.
            return unsafe { InnerMut::renewed(value, before, targets) };
        }
        // A kernel that writes an array most likely uses all of it.
        let value = if const { is_written::<P, Self>() } { value.looked_up() } else { value };
        // SAFETY: the object exists, and the value is the position of its array, or a placeholder without elements.
        unsafe { InnerMut::new(value, targets) }
    }

    #[inline(always)]
    unsafe fn to_seen<'w, P: Phase>(
        value: Self::Value,
        table: &'w Table<C>,
        _: usize,
        facts: Facts,
    ) -> InnerRef<'w, P, Self> {
        // SAFETY: the object exists, and the value is the position of its array.
        unsafe { InnerRef::new(value, Targets::of::<C, K>(table).knowing(facts)) }
    }

    #[inline(always)]
    fn from_view<P: Phase>(view: InnerMut<'_, P, Self>) -> Self::Value {
        view.check_links();
        view.into_elements()
    }

    #[inline(always)]
    unsafe fn bad_link(table: &Table<C>, index: usize) -> Option<BadLink> {
        // SAFETY: the contract is the same.
        let elements = unsafe { Self::read(&table.bases, index) };
        let targets = Targets::of::<C, K>(table);
        // SAFETY: the array has the element, and nothing writes it.
        (0..elements.len()).find_map(|n| unsafe { elements.read::<A>(n) }.bad_link(targets))
    }

    // For `is_own`: kernels have one view that they may change. Sequential code can swap the arrays of two guards; the
    // guards detect that with `is_other`.

    #[inline]
    unsafe fn put_back(bases: &C::Bases, index: usize, value: Self::Value) {
        // SAFETY: the object exists.
        let own = unsafe { Self::read(bases, index) };
        for n in 0..own.len().min(value.len()) {
            // SAFETY: the array has the element by 1.
            let element = unsafe { value.read::<A>(n) };
            // SAFETY: and so has the object's array by 2.
            unsafe { own.write::<A>(n, element) }
        }
    }
}
