//! The fields of a class together: implements the functions of one field's storage for a tuple of up to 64.

#[cfg(not(target_arch = "nvptx64"))]
use core::any::TypeId;
use core::ops::Range;

use crate::class::Class;
use crate::effects::FieldSet;
use crate::facts::Facts;
use crate::phase::Phase;

use super::{Bump, Copies, Storage};
use crate::info::linked;
use crate::moves::{Moves, Remap};
use crate::table::Table;
use crate::target::assigned;
use crate::tuples::for_tuples;
use crate::value::{BadLink, Float, Loaded};

/// The object that a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewOf {
    /// The object of a kernel's call or of a guard.
    Own,
    /// Any other object, whose view a ref lends to a method.
    Another,
}

/// The storages of the fields of class `C`.
pub trait FieldTuple<C: Class>: 'static {
    /// The values of a row.
    type Row;
    /// The values that a kernel loads.
    type Values: Copy;
    /// The values that a view shows.
    type Views<'w, P: Phase>;
    /// The values that fill storage before an object is initialised.
    const PLACEHOLDER: Self::Values;

    /// The storage of a field, as a type's identity.
    #[cfg(not(target_arch = "nvptx64"))]
    fn storage(field: usize) -> Option<TypeId>;

    /// Replaces the value of field `K`.
    ///
    /// # Safety
    ///
    /// `V` is its type.
    unsafe fn put<const K: usize, V: Copy>(values: &mut Self::Values, value: V);

    /// Loads an object.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C`, whose `Fields` is `Self`, in which object `index` exists.
    /// 2. Nothing writes the object meanwhile.
    unsafe fn read(bases: &C::Bases, index: usize) -> Self::Values;

    /// Reads a row.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    unsafe fn read_row(bases: &C::Bases, index: usize) -> Self::Row;

    /// Writes a row.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C`, whose `Fields` is `Self`, with room for object `index`.
    /// 2. Nothing else accesses the object meanwhile.
    /// 3. The arena extends to [`arena_end`](Self::arena_end), unless the row [`fits`](Self::fits). The object exists,
    ///    unless `bump` is for fresh objects.
    unsafe fn write(bases: &C::Bases, index: usize, row: Self::Row, bump: &mut Bump);

    /// Writes placeholders to some fields of an object that is never read.
    ///
    /// # Safety
    ///
    /// As for [`write`](Self::write), 1 and 2.
    unsafe fn write_placeholder(bases: &C::Bases, index: usize, fields: FieldSet);

    /// Where the arena ends if a row takes new space after `used` bytes.
    fn arena_end(row: &Self::Row, used: usize) -> usize;

    /// Whether a row fits into the arena space that object `index` already has.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    unsafe fn fits(bases: &C::Bases, index: usize, row: &Self::Row) -> bool;

    /// Equal values, with copies of inner arrays that are not atomic.
    ///
    /// # Safety
    ///
    /// The values were read from an object that exists, and nothing writes the object meanwhile.
    unsafe fn detach(values: Self::Values, copies: &mut Copies) -> Self::Values;

    /// The first field that is a different array after than before.
    fn other_array(before: &Self::Values, after: &Self::Values) -> Option<usize>;

    /// Stores the fields of a view, except atomic fields.
    ///
    /// # Safety
    ///
    /// 1. As for [`write`](Self::write), 1 and 2.
    /// 2. Inner arrays among the values are the object's, or copies made by [`detach`](Self::detach) that are alive.
    unsafe fn write_back(bases: &C::Bases, index: usize, values: Self::Values);

    /// Copies the fields in `fields` of an object from one storage to another.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read) from `from` and [`write`](Self::write) to `to`.
    unsafe fn copy(from: &C::Bases, to: &C::Bases, index: usize, fields: FieldSet);

    /// The view's data of object `index` for `values`. The values of the fields in `loaded` are the object's. The
    /// object is the one that a kernel runs for, or another, whose view a ref lends. The facts are about objects that
    /// its fields link to.
    ///
    /// # Safety
    ///
    /// As for [`Storage::to_view`]; and if `P` is a kernel, it runs for this object, or `of` is [`ViewOf::Another`].
    unsafe fn to_views<'w, P: Phase>(
        values: Self::Values,
        loaded: FieldSet,
        of: ViewOf,
        table: &'w Table<C>,
        index: usize,
        facts: Facts,
    ) -> Self::Views<'w, P>;

    /// The first bad link in some fields of some objects, with its field and its object. It checks only links that
    /// views show as refs.
    ///
    /// # Safety
    ///
    /// As for [`Storage::see`].
    unsafe fn bad_link(table: &Table<C>, fields: FieldSet, objects: Range<usize>) -> Option<(usize, usize, BadLink)>;

    /// The first bad link in a row of a class without inner arrays, in fields whose links views show as refs.
    fn bad_link_in(row: &Self::Row, table: &Table<C>) -> Option<BadLink>;

    /// Remaps the links of some objects in some fields, field by field, or checks that it can be done. `failed` gets each
    /// object and field with a link to a removed object that cannot be empty.
    ///
    /// # Safety
    ///
    /// As for [`Storage::remap`], for each of the objects.
    unsafe fn remap(
        bases: &C::Bases,
        objects: Range<usize>,
        fields: FieldSet,
        moves: Moves<'_>,
        what: Remap,
        failed: &mut (impl FnMut(usize, usize) + ?Sized),
    );

    /// Shows the floating-point numbers of some fields, one by one.
    fn show_floats(values: &mut Self::Values, fields: FieldSet, show: &mut impl FnMut(Float<'_>));

    /// The values behind a view.
    fn from_views<P: Phase>(views: Self::Views<'_, P>) -> Self::Values;

    /// The first bad link in the values that kernel `P` is about to store, in fields whose links views show as numbers.
    fn bad_number<P: Phase>(values: &Self::Values, table: &Table<C>) -> Option<BadLink>;

    /// The first field whose handle was replaced by another object's handle.
    fn stray<'w, P: Phase>(views: &Self::Views<'w, P>, table: &'w Table<C>, index: usize) -> Option<usize>;

    /// Writes the fields that kernel `P` may read of an object into its tile row.
    ///
    /// # Safety
    ///
    /// 1. As for [`read`](Self::read).
    /// 2. `row` has room for the tile row and is a multiple of 16.
    unsafe fn write_tile_row<P: Phase>(bases: &C::Bases, index: usize, row: *mut u8);

    /// The data for a view of another object: loaded values for the fields in `FIELDS`, placeholders for the others.
    ///
    /// # Safety
    ///
    /// 1. `C::Fields` is `Self`, and object `index` exists in `table`.
    /// 2. Nothing writes the fields in `FIELDS` meanwhile.
    unsafe fn values_at<P: Phase, const FIELDS: u64>(table: &Table<C>, index: usize) -> Self::Values;
}

// Parts of the functions above that use constants or closures. They are here once, rather than once for each position
// in each tuple: this crate compiles in a third less time.

/// [`FieldTuple::bad_link`] for one field.
///
/// # Safety
///
/// As for [`Storage::see`], if the field is in `fields`.
#[inline(always)]
unsafe fn bad_link<C: Class, F: Storage<C, K>, const K: usize>(
    table: &Table<C>,
    fields: FieldSet,
    objects: Range<usize>,
) -> Option<(usize, usize, BadLink)> {
    if !fields.contains(K) || !const { linked::<C>().contains(K) } {
        return None;
    }
    // SAFETY: the contract is the same.
    let bad_link = |index| unsafe { F::bad_link(table, index) };
    // It does not stop at a bad link, so that the loop is vectorized.
    let mut any = false;
    for index in objects.clone() {
        any |= bad_link(index).is_some();
    }
    if any {
        for index in objects {
            if let Some(link) = bad_link(index) {
                return Some((K, index, link));
            }
        }
    }
    None
}

/// [`FieldTuple::to_views`] for one field.
///
/// # Safety
///
/// As for [`FieldTuple::to_views`].
#[inline(always)]
unsafe fn to_view<'w, C: Class, P: Phase, F: Storage<C, K>, const K: usize>(
    value: F::Value,
    loaded: FieldSet,
    of: ViewOf,
    table: &'w Table<C>,
    index: usize,
    facts: Facts,
) -> F::View<'w, P> {
    let view = if loaded.contains(K) {
        // SAFETY: the contract is the same; the view of another object goes to `lent` below.
        unsafe { F::to_view::<P>(value, table, index, facts) }
    } else {
        // SAFETY: as above.
        unsafe { F::to_view_unread::<P>(table, index, facts) }
    };
    match of {
        ViewOf::Own => view,
        ViewOf::Another => F::lent::<P>(view),
    }
}

/// [`FieldTuple::write_tile_row`] for one field.
///
/// # Safety
///
/// As for [`FieldTuple::write_tile_row`].
#[inline(always)]
unsafe fn write_to_tile_row<C: Class, P: Phase, F: Storage<C, K>, const K: usize>(
    bases: &C::Bases,
    index: usize,
    row: *mut u8,
) {
    if let Some(offset) = const { crate::tile_row::offset::<C, P>(K) } {
        // SAFETY: as for `read`.
        let value = unsafe { F::read(bases, index) };
        // SAFETY: within the tile row, by the caller.
        let at = unsafe { row.add(offset) };
        // SAFETY: the address is the field's, and is aligned for its type.
        unsafe { at.cast::<F::Value>().write(value) };
    }
}

/// [`FieldTuple::values_at`] for one field.
///
/// # Safety
///
/// As for [`FieldTuple::values_at`], if the field is in `FIELDS`.
#[inline(always)]
unsafe fn value_at<C: Class, P: Phase, F: Storage<C, K>, const K: usize, const FIELDS: u64>(
    table: &Table<C>,
    index: usize,
) -> F::Value {
    if const { FieldSet::from_bits(FIELDS).contains(K) } {
        // SAFETY: the contract is the same.
        unsafe { F::read_for_view::<P>(&table.bases, index) }
    } else {
        <F::Value as Loaded>::PLACEHOLDER
    }
}

macro_rules! field_tuple {
    ($(($F:ident $M:ident $X:ident $k:tt))+) => {
        impl<C: Class, $($F: Storage<C, $k>),+> FieldTuple<C> for ($($F,)+) {
            type Row = ($($F::Row,)+);
            type Values = ($($F::Value,)+);
            type Views<'w, P: Phase> = ($($F::View<'w, P>,)+);
            const PLACEHOLDER: Self::Values = ($(<$F::Value as Loaded>::PLACEHOLDER,)+);

            #[cfg(not(target_arch = "nvptx64"))]
            fn storage(field: usize) -> Option<TypeId> {
                [$(TypeId::of::<$F>()),+].get(field).copied()
            }

            #[inline(always)]
            unsafe fn read(bases: &C::Bases, index: usize) -> Self::Values {
                // SAFETY: the contract is the same for each field.
                ($(unsafe { $F::read(bases, index) },)+)
            }
            #[inline(always)]
            unsafe fn read_row(bases: &C::Bases, index: usize) -> Self::Row {
                // SAFETY: the contract is the same for each field.
                ($(unsafe { $F::read_row(bases, index) },)+)
            }
            #[inline(always)]
            unsafe fn write(bases: &C::Bases, index: usize, row: Self::Row, bump: &mut Bump) {
                $(
                    // SAFETY: the contract is the same for each field.
                    unsafe { $F::write_row(bases, index, row.$k, bump) };
                )+
            }
            #[inline]
            unsafe fn write_placeholder(bases: &C::Bases, index: usize, fields: FieldSet) {
                $(
                    if fields.contains($k) {
                        // SAFETY: the contract is the same for each field.
                        unsafe { $F::write_placeholder(bases, index) };
                    }
                )+
            }
            #[inline(always)]
            fn arena_end(row: &Self::Row, used: usize) -> usize {
                $(let used = $F::arena_end(&row.$k, used);)+
                used
            }
            #[inline]
            unsafe fn fits(bases: &C::Bases, index: usize, row: &Self::Row) -> bool {
                // SAFETY: the contract is the same for each field.
                true $(&& unsafe { $F::fits(bases, index, &row.$k) })+
            }
            #[inline(always)]
            unsafe fn detach(values: Self::Values, copies: &mut Copies) -> Self::Values {
                // SAFETY: the contract is the same for each field.
                ($(unsafe { $F::detach(values.$k, copies) },)+)
            }
            #[inline(always)]
            fn other_array(before: &Self::Values, after: &Self::Values) -> Option<usize> {
                $(
                    if $F::is_other(&before.$k, &after.$k) {
                        return Some($k);
                    }
                )+
                None
            }
            #[inline(always)]
            unsafe fn write_back(bases: &C::Bases, index: usize, values: Self::Values) {
                $(
                    if !$F::ATOMIC {
                        // SAFETY: the contract is the same for each field.
                        unsafe { $F::put_back(bases, index, values.$k) };
                    }
                )+
            }
            #[inline]
            unsafe fn copy(from: &C::Bases, to: &C::Bases, index: usize, fields: FieldSet) {
                $(
                    if fields.contains($k) {
                        // SAFETY: the contract is the same for each field in the set.
                        unsafe { $F::copy(from, to, index) };
                    }
                )+
            }
            #[inline(always)]
            unsafe fn to_views<'w, P: Phase>(
                values: Self::Values,
                loaded: FieldSet,
                of: ViewOf,
                table: &'w Table<C>,
                index: usize,
                facts: Facts,
            ) -> Self::Views<'w, P> {
                // SAFETY: the contract is the same for each field.
                ($(unsafe { to_view::<C, P, $F, $k>(values.$k, loaded, of, table, index, facts) },)+)
            }
            unsafe fn bad_link(
                table: &Table<C>,
                fields: FieldSet,
                objects: Range<usize>,
            ) -> Option<(usize, usize, BadLink)> {
                $(
                    // SAFETY: the contract is the same for each field.
                    if let Some(found) = unsafe { bad_link::<C, $F, $k>(table, fields, objects.clone()) } {
                        return Some(found);
                    }
                )+
                None
            }
            #[inline]
            fn bad_link_in(row: &Self::Row, table: &Table<C>) -> Option<BadLink> {
                $(
                    if const { linked::<C>().contains($k) }
                        && let Some(found) = $F::bad_link_in(&row.$k, table)
                    {
                        return Some(found);
                    }
                )+
                None
            }
            unsafe fn remap(
                bases: &C::Bases,
                objects: Range<usize>,
                fields: FieldSet,
                moves: Moves<'_>,
                what: Remap,
                failed: &mut (impl FnMut(usize, usize) + ?Sized),
            ) {
                $(
                    if const { !$F::HOLDS_LINKS_TO.is_empty() }
                        && fields.contains($k)
                        && let Some(moves) = moves.of_links_to($F::HOLDS_LINKS_TO)
                    {
                        for index in objects.clone() {
                            // SAFETY: by the contract.
                            if !unsafe { <$F as Storage<C, $k>>::remap(bases, index, moves, what) } {
                                failed(index, $k);
                            }
                        }
                    }
                )+
            }
            #[inline(always)]
            unsafe fn put<const K: usize, V: Copy>(values: &mut Self::Values, value: V) {
                $(
                    if K == $k {
                        // SAFETY: it has type `V`, by the caller.
                        unsafe { assigned::put((&raw mut values.$k).cast::<V>(), value) };
                    }
                )+
            }
            #[inline]
            fn show_floats(values: &mut Self::Values, fields: FieldSet, show: &mut impl FnMut(Float<'_>)) {
                $(
                    if fields.contains($k) {
                        values.$k.show_floats(show);
                    }
                )+
            }
            #[inline(always)]
            fn from_views<P: Phase>(views: Self::Views<'_, P>) -> Self::Values {
                ($($F::from_view::<P>(views.$k),)+)
            }
            #[inline(always)]
            fn bad_number<P: Phase>(values: &Self::Values, table: &Table<C>) -> Option<BadLink> {
                $(
                    if let Some(found) = $F::bad_number::<P>(&values.$k, table) {
                        return Some(found);
                    }
                )+
                None
            }
            #[inline(always)]
            fn stray<'w, P: Phase>(
                views: &Self::Views<'w, P>,
                table: &'w Table<C>,
                index: usize,
            ) -> Option<usize> {
                $(
                    if !$F::is_own::<P>(&views.$k, table, index) {
                        return Some($k);
                    }
                )+
                None
            }
            #[inline(always)]
            unsafe fn write_tile_row<P: Phase>(bases: &C::Bases, index: usize, row: *mut u8) {
                $(
                    // SAFETY: the contract is the same for each field.
                    unsafe { write_to_tile_row::<C, P, $F, $k>(bases, index, row) };
                )+
            }
            #[inline(always)]
            unsafe fn values_at<P: Phase, const FIELDS: u64>(table: &Table<C>, index: usize) -> Self::Values {
                // SAFETY: the contract is the same for each field.
                ($(unsafe { value_at::<C, P, $F, $k, FIELDS>(table, index) },)+)
            }
        }
    };
}
for_tuples!(field_tuple);
