//! How one field of a class is stored: in a column, flattened into several, as atomics, or as an inner array.

pub(crate) mod atomic;
mod fields;
mod flat;
#[cfg(feature = "glam")]
#[cfg_attr(docsrs, doc(cfg(feature = "glam")))]
mod glam;
mod inner;
mod nothing;
mod plain;
mod unloaded;

pub use atomic::{Atomic, AtomicColumn, AtomicValue};
pub use fields::{FieldTuple, ViewOf};
pub use flat::{Flat, Flatten, PartTuple};
pub use inner::{Arrangement, arena_end, set_array};
pub use inner::{
    ArrayStorage, AtomicInner, Bump, Elements, Enumerated, FullyInlined, Inner, InnerArray, InnerAtomics,
    InnerAtomicsIter, InnerIter, InnerIterMut, InnerMut, InnerRef, PartlyInlined, SliceSlots, WholeArray,
};
pub use plain::Plain;

pub use crate::extent::Extent;
pub use crate::target::copies::Copies;

use crate::class::Class;
use crate::facts::Facts;
use crate::info::{ArrayInfo, ClassId, ColumnInfo, FieldInfo, Number, first_column};
use crate::message::Message;
use crate::moves::{Moves, Remap};
use crate::phase::Phase;
use crate::table::Table;
use crate::value::{BadLink, Loaded, Value};
use crate::window::Window;

/// How one field is stored, independent of its class and position. It is separate from [`Storage`], because a class's
/// own constants are made from it.
///
/// # Safety
///
/// 1. `COLUMNS` are the columns that the functions of [`Storage`] access.
/// 2. `ATOMIC` is `true` only if all accesses to the elements are atomic, so that other objects may access them while
///    they change.
/// 3. `ARRAY` is `Some` if and only if the loaded value is the position of an inner array.
pub unsafe trait Stored: 'static {
    /// The field's type in the row.
    type Row;
    /// The type that a kernel loads and stores for the field.
    type Value: Loaded;

    /// The columns.
    const COLUMNS: &'static [ColumnInfo];
    /// Whether a kernel may also change other objects' elements, atomically.
    const ATOMIC: bool = false;
    /// The numbers that it is stored as, if it is atomic.
    const NUMBER: Option<Number> = None;
    /// How an inner array is spread.
    const ARRAY: Option<ArrayInfo> = None;
    /// The classes that the field's links refer to.
    const LINKS_TO: &'static [ClassId] = &[];
    /// The classes of all links in the field's values, also of links that views show as numbers.
    const HOLDS_LINKS_TO: &'static [ClassId] = Self::LINKS_TO;
    /// Whether each of these links can be empty.
    const EMPTIES: bool = Self::HOLDS_LINKS_TO.is_empty();

    /// Where the arena ends if the field takes new space after `used` bytes.
    #[inline(always)]
    fn arena_end(_row: &Self::Row, used: usize) -> usize {
        used
    }

    /// An equal value. It has copies of the elements if it is an inner array that is not atomic.
    ///
    /// # Safety
    ///
    /// The value was read from an object that exists, and nothing writes its elements meanwhile.
    #[inline(always)]
    unsafe fn detach(value: Self::Value, _copies: &mut Copies) -> Self::Value {
        value
    }

    /// Whether `after` is a different array from `before`.
    #[inline(always)]
    fn is_other(_before: &Self::Value, _after: &Self::Value) -> bool {
        false
    }
}

/// How field `K` of class `C` is stored.
///
/// # Safety
///
/// 1. The functions access only memory of the given object, in the field's columns and in the class's arena.
/// 2. `to_view` and `to_seen` show data of the object at `index` of `table`.
pub unsafe trait Storage<C: Class, const K: usize>: Stored {
    /// The first of the field's columns.
    const COLUMN: usize = first_column(C::FIELDS, K);
    /// The field's type in a view.
    type View<'w, P: Phase>;
    /// The type that a ref's getter returns.
    type Seen<'w, P: Phase>: Copy;
    /// A run of the field's columns, for reading.
    type Shared<'a>: Window<Self::Value> + Copy + Send + Sync;
    /// A run of the field's columns, for reading and writing.
    type Exclusive<'a>: Window<Self::Value> + Send;

    /// Borrows `len` elements from `first` on.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C`, in which `Self` stores field `K`. The objects `first..first + len` exist and
    ///    lie within one run of the layout.
    /// 2. Nothing writes these elements during `'a`.
    unsafe fn shared<'a>(bases: &C::Bases, first: usize, len: usize) -> Self::Shared<'a>;

    /// Borrows `len` elements from `first` on, exclusively.
    ///
    /// # Safety
    ///
    /// 1. As for [`shared`](Self::shared).
    /// 2. Nothing else accesses these elements during `'a`.
    unsafe fn exclusive<'a>(bases: &C::Bases, first: usize, len: usize) -> Self::Exclusive<'a>;

    /// Reads one element.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C`, in which `Self` stores field `K` and object `index` exists.
    /// 2. Nothing writes the element meanwhile, unless `ATOMIC`.
    unsafe fn read(bases: &C::Bases, index: usize) -> Self::Value;

    /// Reads the data from which phase `P` makes a view of another object's element. It is the value, unless the view
    /// accesses the element in place.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    #[inline(always)]
    unsafe fn read_for_view<P: Phase>(bases: &C::Bases, index: usize) -> Self::Value {
        // SAFETY: the contract is the same.
        unsafe { Self::read(bases, index) }
    }

    /// Writes one element.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C` with room for object `index`, in which `Self` stores field `K`.
    /// 2. Nothing else accesses the element meanwhile.
    unsafe fn write(bases: &C::Bases, index: usize, value: Self::Value);

    /// Reads the field by value.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    unsafe fn read_row(bases: &C::Bases, index: usize) -> Self::Row;

    /// Writes the field by value; `bump` is the position of the arena's free space.
    ///
    /// # Safety
    ///
    /// 1. As for [`write`](Self::write).
    /// 2. The arena extends to [`arena_end`](Stored::arena_end), unless the field [`fits`](Self::fits). The object
    ///    exists, unless `bump` is for fresh objects.
    unsafe fn write_row(bases: &C::Bases, index: usize, row: Self::Row, bump: &mut Bump);

    /// Writes a placeholder that may be read.
    ///
    /// # Safety
    ///
    /// As for [`write`](Self::write).
    #[inline]
    unsafe fn write_placeholder(bases: &C::Bases, index: usize) {
        // SAFETY: the contract is the same.
        unsafe { Self::write(bases, index, Self::Value::PLACEHOLDER) }
    }

    /// Whether the field fits into the arena space that object `index` already has.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    #[inline(always)]
    unsafe fn fits(_bases: &C::Bases, _index: usize, _row: &Self::Row) -> bool {
        true
    }

    /// Copies the field of an object from one storage to another.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read) from `from` and [`write`](Self::write) to `to`.
    #[inline]
    unsafe fn copy(from: &C::Bases, to: &C::Bases, index: usize) {
        // SAFETY: by the contract, for `from`.
        let value = unsafe { Self::read(from, index) };
        // SAFETY: by the contract, for `to`.
        unsafe { Self::write(to, index, value) };
    }

    /// Whether the field of an object has other bits in one storage than in another.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read), from both.
    #[inline]
    unsafe fn differs(one: &C::Bases, other: &C::Bases, index: usize) -> bool {
        // SAFETY: by the contract, for `one`.
        let value = unsafe { Self::read(one, index) };
        // SAFETY: by the contract, for `other`.
        !value.same(&unsafe { Self::read(other, index) })
    }

    /// The view's data of object `index` for `value`, given the known facts about objects that the field links to.
    ///
    /// # Safety
    ///
    /// 1. `Self` stores field `K` of `C`, and object `index` exists in `table`.
    /// 2. The value is the object's, or was stored to it meanwhile.
    /// 3. If `P` is a kernel, it runs for this object, or the view goes to [`lent`](Self::lent) before any code reads
    ///    it.
    /// 4. The facts are true.
    unsafe fn to_view<'w, P: Phase>(
        value: Self::Value,
        table: &'w Table<C>,
        index: usize,
        facts: Facts,
    ) -> Self::View<'w, P>;

    /// The view's data of object `index` for a field that was not loaded, and that no code reads.
    ///
    /// # Safety
    ///
    /// As for [`to_view`](Self::to_view), 1, 3 and 4.
    #[inline(always)]
    unsafe fn to_view_unread<'w, P: Phase>(table: &'w Table<C>, index: usize, facts: Facts) -> Self::View<'w, P> {
        // SAFETY: 1., 3. and 4. by the caller; storages whose placeholders depend on objects have a function of their
        // own.
        unsafe { Self::to_view::<P>(Self::Value::PLACEHOLDER, table, index, facts) }
    }

    /// Marks the view as that of an object other than the kernel's own: its atomics are atomics of any object.
    #[inline(always)]
    fn lent<P: Phase>(view: Self::View<'_, P>) -> Self::View<'_, P> {
        view
    }

    /// The value that a getter of object `index` returns for `value`, given the known facts about objects that the
    /// field links to.
    ///
    /// # Safety
    ///
    /// 1. As for [`to_view`](Self::to_view).
    /// 2. The facts are true.
    /// 3. In sequential code, if `ATOMIC`, the field is marked as changed by the host, or no device holds a copy.
    unsafe fn to_seen<'w, P: Phase>(
        value: Self::Value,
        table: &'w Table<C>,
        index: usize,
        facts: Facts,
    ) -> Self::Seen<'w, P>;

    /// The value behind a view.
    fn from_view<P: Phase>(view: Self::View<'_, P>) -> Self::Value;

    /// The value behind a borrowed view, if the view is the value and not a position or a handle.
    #[inline(always)]
    fn of_view<P: Phase>(_view: &Self::View<'_, P>) -> Option<Self::Value> {
        None
    }

    /// Writes one element, or the elements of an inner array, from copies.
    ///
    /// # Safety
    ///
    /// 1. As for [`write`](Self::write).
    /// 2. The value is the same object's, or was made from such a value by [`detach`](Stored::detach), whose copies are
    ///    alive.
    #[inline(always)]
    unsafe fn put_back(bases: &C::Bases, index: usize, value: Self::Value) {
        // SAFETY: by 1.
        unsafe { Self::write(bases, index, value) }
    }

    /// Whether a view still shows its own object's field, for storages whose views are handles.
    #[inline(always)]
    fn is_own<'w, P: Phase>(_view: &Self::View<'w, P>, _table: &'w Table<C>, _index: usize) -> bool {
        true
    }

    /// A bad link in the value that kernel `P` is about to store to an object of `table`, in fields whose links views
    /// show as numbers.
    #[inline(always)]
    fn bad_number<P: Phase>(_value: &Self::Value, _table: &Table<C>) -> Option<BadLink> {
        None
    }

    /// Reads one element of another object in the form that a getter returns.
    ///
    /// # Safety
    ///
    /// 1. `Self` stores field `K` of `C`, and object `index` exists in `table`.
    /// 2. Nothing writes the element meanwhile, unless `ATOMIC`.
    /// 3. As for [`to_seen`](Self::to_seen), 2 and 3.
    #[inline(always)]
    unsafe fn see<'w, P: Phase>(table: &'w Table<C>, index: usize, facts: Facts) -> Self::Seen<'w, P> {
        // SAFETY: 1. the table's bases are those of its storage; 2. by 2.
        let value = unsafe { Self::read_for_view::<P>(&table.bases, index) };
        // SAFETY: 1. by 1, and the value was just read; 2. and 3. by 3.
        unsafe { Self::to_seen::<P>(value, table, index, facts) }
    }

    /// Remaps the links of one element after objects moved, or checks that it can be done. It cannot if a link is to a
    /// removed object, unless the link is optional or in an array that can drop it.
    ///
    /// # Safety
    ///
    /// As for [`write`](Self::write), and the object exists.
    unsafe fn remap(bases: &C::Bases, index: usize, moves: Moves<'_>, what: Remap) -> bool;

    /// A bad link in a row's value that is no inner array: as [`bad_link`](Self::bad_link) finds it once the value is an object's.
    #[inline]
    fn bad_link_in(_value: &Self::Row, _table: &Table<C>) -> Option<BadLink> {
        None
    }

    /// A bad link of one element.
    ///
    /// # Safety
    ///
    /// As for [`see`](Self::see).
    #[inline(always)]
    unsafe fn bad_link(_table: &Table<C>, _index: usize) -> Option<BadLink> {
        None
    }
}

impl ColumnInfo {
    /// This column with values of type `T`.
    pub(crate) const fn holding<T: Value>(self) -> Self {
        Self { meaning: T::MEANING, ..self }
    }
}

impl FieldInfo {
    /// A field that is stored by `S`.
    pub const fn of<S: Stored>(name: &'static str, type_name: &'static str) -> Self {
        Self {
            name,
            type_name,
            atomic: S::ATOMIC,
            number: S::NUMBER,
            array: S::ARRAY,
            columns: S::COLUMNS,
            links_to: S::LINKS_TO,
            holds_links_to: S::HOLDS_LINKS_TO,
            empties: S::EMPTIES,
            cascades: false,
        }
    }

    /// This field, with `on_remove = "cascade"`.
    #[must_use]
    pub const fn cascading(self) -> Self {
        if self.holds_links_to.is_empty() {
            let message = Message::new()
                .push("field `")
                .push(self.name)
                .push("` has no links, so no removal reaches it: `on_remove = \"cascade\"` is for a field with links");
            panic!("{}", message.as_str());
        }
        Self { cascades: true, ..self }
    }
}

/// The parts of [`Storage`] that are equal for all storages that load the field's value.
macro_rules! shown_as_it_is {
    () => {
        #[inline(always)]
        unsafe fn read_row(bases: &C::Bases, index: usize) -> Self::Row {
            // SAFETY: the contract is the same.
            unsafe { <Self as Storage<C, K>>::read(bases, index) }
        }
        #[inline(always)]
        unsafe fn write_row(bases: &C::Bases, index: usize, row: Self::Row, _: &mut crate::storage::Bump) {
            // SAFETY: by 1.
            unsafe { <Self as Storage<C, K>>::write(bases, index, row) }
        }
    };
}
use shown_as_it_is;

/// [`Storage::remap`] for storages that load the field's value.
macro_rules! remapped_as_it_is {
    () => {
        #[inline]
        unsafe fn remap(
            bases: &C::Bases,
            index: usize,
            moves: crate::moves::Moves<'_>,
            what: crate::moves::Remap,
        ) -> bool {
            // SAFETY: the object exists, and nothing else accesses it.
            let value = unsafe { <Self as Storage<C, K>>::read(bases, index) };
            let Some(remapped) = value.remapped(moves) else { return false };
            let is_same = crate::value::Loaded::same(&value, &remapped);
            if what == crate::moves::Remap::Cascade {
                return is_same;
            }
            // Most links stay, and memory that is not written need not go back.
            if what == crate::moves::Remap::Commit && !is_same {
                // SAFETY: by the contract.
                unsafe { <Self as Storage<C, K>>::write(bases, index, remapped) };
            }
            true
        }
    };
}
use remapped_as_it_is;
