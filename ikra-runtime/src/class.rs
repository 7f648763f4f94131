//! Classes: what `#[soa_class]` tells the runtime about a struct.

use core::fmt::Debug;
use core::mem::{align_of, size_of};

use crate::arity::FieldTuple;
use crate::handle::Handle;
use crate::layout::Layout;
use crate::phase::Phase;
use crate::storage::Storage;
use crate::table::{Base, TargetSlot};

/// The largest number of fields of one class.
pub const MAX_FIELDS: usize = 64;

/// Identifies a class within a program: a hash of its path and place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassId(u64);

impl ClassId {
    /// The id of no class.
    pub const NONE: Self = Self(0);

    /// The id of the class `name`, defined in `module` at `line` and `column` of its file.
    pub const fn new(module: &str, name: &str, line: u32, column: u32) -> Self {
        let mut hash = fnv(0xcbf2_9ce4_8422_2325, module.as_bytes());
        hash = fnv(hash, b"::");
        hash = fnv(hash, name.as_bytes());
        hash = fnv(hash, &line.to_le_bytes());
        hash = fnv(hash, &column.to_le_bytes());
        Self(if hash == 0 { 1 } else { hash })
    }

    /// `==` for constants.
    pub const fn same(self, other: Self) -> bool {
        self.0 == other.0
    }
}

const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut n = 0;
    while n < bytes.len() {
        hash = (hash ^ bytes[n] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        n += 1;
    }
    hash
}

/// How a class's links are turned into numbers (IKRA §3.2, appendix A).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// The object id; 0 is null. The default: no memory is spent on it.
    #[default]
    Zero,
    /// An address inside the class's storage range, one byte an object, so that an object's class
    /// can be told from the range that its number lies in.
    Storage,
    /// The address of the object's value in the first column.
    FirstField,
}

/// One physical column: the storage of a field, or of one component of a flattened field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The component's name, for a flattened field; empty otherwise.
    pub component: &'static str,
    /// Bytes of one element.
    pub size: usize,
    /// Alignment of one element in bytes.
    pub align: usize,
}

impl ColumnInfo {
    /// The column of a field that is stored whole.
    pub const fn of<T>() -> Self {
        Self::component_of::<T>("")
    }

    /// The column of one component of a flattened field.
    pub const fn component_of<T>(component: &'static str) -> Self {
        Self { component, size: size_of::<T>(), align: align_of::<T>() }
    }
}

/// One field of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// The field's name.
    pub name: &'static str,
    /// The field's type as written.
    pub type_name: &'static str,
    /// Whether the field is `#[atomic]`.
    pub atomic: bool,
    /// The columns that store it.
    pub columns: &'static [ColumnInfo],
}

impl FieldInfo {
    /// A field that is stored by `S`.
    pub const fn of<S: Storage>(name: &'static str, type_name: &'static str) -> Self {
        Self { name, type_name, atomic: S::ATOMIC, columns: S::COLUMNS }
    }
}

/// The number of physical columns of a class.
pub const fn column_count(fields: &[FieldInfo]) -> usize {
    first_column(fields, fields.len())
}

/// The position of a field's first physical column.
pub const fn first_column(fields: &[FieldInfo], field: usize) -> usize {
    let mut column = 0;
    let mut f = 0;
    while f < field {
        column += fields[f].columns.len();
        f += 1;
    }
    column
}

/// A struct under `#[soa_class]`: its objects are stored column by column.
///
/// Implemented by the attribute only.
///
/// # Safety
///
/// 1. `FIELDS[k]` describes the `k`-th member of `Fields`.
/// 2. `Bases` is an array with one element a physical column, `Targets` one with one element a field.
/// 3. `ID` is unique to the class within the program.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a class",
    label = "not under `#[soa_class]`",
    note = "put `#[soa_class]` on the struct"
)]
pub unsafe trait Class: Sized + Send + Sync + 'static {
    /// Identifies the class.
    const ID: ClassId;
    /// The struct's name.
    const NAME: &'static str;
    /// The class's fields, in the order of the struct.
    const FIELDS: &'static [FieldInfo];
    /// `capacity = N`: the number of objects that storage is laid out for at compile time.
    const CAPACITY: Option<u32>;
    /// `addressing = "…"`.
    const ADDRESSING: Addressing;

    /// `layout = "…"`.
    type Layout: Layout;
    #[doc(hidden)]
    type Bases: AsRef<[Base]> + AsMut<[Base]> + Copy + Send + Sync + 'static;
    #[doc(hidden)]
    type Targets: AsRef<[TargetSlot]> + Send + Sync + 'static;
    #[doc(hidden)]
    const BASES: Self::Bases;
    #[doc(hidden)]
    const TARGETS: Self::Targets;
    /// The storage of each field, as a tuple.
    #[doc(hidden)]
    type Fields: FieldTuple;

    /// What a method sees as `self`: the object's fields as real fields.
    type View<'w, P: Phase>: Debug;
    /// Another object, read through getters.
    type Ref<'w, P: Phase>: Copy + Debug;

    /// Takes a row apart.
    #[doc(hidden)]
    fn into_values(self) -> <Self::Fields as FieldTuple>::Values;
    /// Puts a row together.
    #[doc(hidden)]
    fn from_values(values: <Self::Fields as FieldTuple>::Values) -> Self;
    /// Makes a view.
    #[doc(hidden)]
    fn to_view<'w, P: Phase>(
        views: <Self::Fields as FieldTuple>::Views<'w, P>,
        object: Handle<'w, Self, P>,
    ) -> Self::View<'w, P>;
    /// Takes a view apart.
    #[doc(hidden)]
    fn from_view<'w, P: Phase>(view: Self::View<'w, P>) -> <Self::Fields as FieldTuple>::Views<'w, P>;
    /// Makes a ref.
    #[doc(hidden)]
    fn to_ref<'w, P: Phase>(object: Handle<'w, Self, P>) -> Self::Ref<'w, P>;
    /// Takes a ref apart.
    #[doc(hidden)]
    fn from_ref<'w, P: Phase>(object: Self::Ref<'w, P>) -> Handle<'w, Self, P>;
}

/// The `K`-th field of a class.
///
/// # Safety
///
/// `Storage` is the `K`-th member of `Self::Fields`.
#[doc(hidden)]
pub unsafe trait Field<const K: usize>: Class {
    /// How the field is stored.
    type Storage: Storage;
}

/// A field of a view, to print.
#[doc(hidden)]
#[derive(Debug)]
pub struct Shown<'a, T>(pub &'a T);

impl<'a, T: Debug> Shown<'a, T> {
    /// The field.
    pub fn shown(self) -> &'a dyn Debug {
        self.0
    }
}

/// What is printed for a field whose type is not `Debug`.
#[doc(hidden)]
pub trait Opaque<'a>: Sized {
    /// `_`.
    fn shown(self) -> &'a dyn Debug {
        const { &format_args!("_") }
    }
}
impl<'a, T> Opaque<'a> for Shown<'a, T> {}
