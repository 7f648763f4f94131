//! The facts about a class without its storage and its views: a leaf, on which most other modules depend.

#[cfg(not(target_arch = "nvptx64"))]
use core::any::TypeId;
use core::fmt;
use core::mem::{align_of, size_of};

use crate::directory::BaseSet;
#[cfg(not(target_arch = "nvptx64"))]
use crate::directory::TargetSlot;
use crate::field_set::FieldSet;
use crate::origin::{Origin, fnv};

/// The largest number of fields of one class.
pub const MAX_FIELDS: usize = 64;

/// Identifies a class within a program.
///
/// `==` compares the types themselves, except on a device. Constants cannot do so. They use [`may_be`](Self::may_be), which
/// compares a hash of the class's path and position in the source.
#[derive(Clone, Copy)]
pub struct ClassId {
    hash: u64,
    name: &'static str,
    // On a device, a function whose address is taken would not know the tables' words.
    #[cfg(not(target_arch = "nvptx64"))]
    type_id: fn() -> TypeId,
}

impl ClassId {
    /// An id that is not a class's.
    pub const NONE: Self = Self {
        hash: 0,
        name: "",
        #[cfg(not(target_arch = "nvptx64"))]
        type_id: TypeId::of::<()>,
    };

    /// The id of class `C`, called `name`, defined in `module` at `line` and `column` of its file.
    pub const fn of<C: 'static>(module: &str, name: &'static str, line: u32, column: u32) -> Self {
        let mut hash = fnv(0xcbf2_9ce4_8422_2325, module.as_bytes());
        hash = fnv(hash, b"::");
        hash = fnv(hash, name.as_bytes());
        hash = fnv(hash, &line.to_le_bytes());
        hash = fnv(hash, &column.to_le_bytes());
        Self {
            hash: if hash == 0 { 1 } else { hash },
            name,
            #[cfg(not(target_arch = "nvptx64"))]
            type_id: TypeId::of::<C>,
        }
    }

    /// The class's name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The class's type, unique for any names of classes.
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline]
    pub fn type_id(self) -> TypeId {
        (self.type_id)()
    }

    /// Whether two ids may be of one class. Never false if they are. True for two classes only if one expansion of a
    /// macro defines both under one name.
    pub const fn may_be(self, other: Self) -> bool {
        self.hash == other.hash
    }
}

impl PartialEq for ClassId {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        #[cfg(target_arch = "nvptx64")]
        let is_one = true;
        #[cfg(not(target_arch = "nvptx64"))]
        let is_one = (self.type_id)() == (other.type_id)();
        self.hash == other.hash && is_one
    }
}
impl Eq for ClassId {}

impl fmt::Debug for ClassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClassId({:#x})", self.hash)
    }
}

/// The classes to which links in some fields lead, each once, in the order of the fields; then [`ClassId::NONE`]. Device and
/// host give a class different ids, but the same place here. Classes beyond the last place are not listed.
pub const fn linked_classes(fields: &[FieldInfo]) -> [ClassId; MAX_LINKED] {
    let (mut all, mut len, mut field) = ([ClassId::NONE; MAX_LINKED], 0, 0);
    while field < fields.len() {
        let (classes, mut n) = (fields[field].holds_links_to, 0);
        while n < classes.len() && len < MAX_LINKED {
            let mut known = 0;
            while known < len && !classes[n].may_be(all[known]) {
                known += 1;
            }
            if known == len {
                all[len] = classes[n];
                len += 1;
            }
            n += 1;
        }
        field += 1;
    }
    all
}

/// The length of that list.
pub const MAX_LINKED: usize = 32;

/// The set of the fields with these numbers.
///
/// # Panics
///
/// When compiled, unless these are the fields' positions.
pub const fn numbered(numbers: &[usize], fields: &'static [FieldInfo]) -> &'static [FieldInfo] {
    let mut place = 0;
    while place < fields.len() {
        assert!(numbers[place] == place, "the fields are in the order of their numbers");
        place += 1;
    }
    fields
}

/// How a class's links are turned into numbers (IKRA §3.2, appendix A).
/// ```
/// use ikra::prelude::*;
/// #[soa_class(addressing = "first_field", capacity = 100)]
/// pub struct Body { pub mass: f32 }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// let body = sim.bodies.push(Body { mass: 1.0 })?;
/// let address = body.to_bits(&sim.bodies)?;
/// assert_eq!(address, &raw const sim.bodies.column(body::mass)[0] as u64);
/// assert_eq!(Link::from_bits(address, &sim.bodies)?, body);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// The object id; 0 is null. The default: no memory is spent on it.
    #[default]
    Zero,
    /// An address inside the class's storage range, one byte per object, so that the range of a number tells an
    /// object's class.
    Storage,
    /// The address of the object's value in the first column.
    FirstField,
}

impl Addressing {
    /// The option's value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Storage => "storage",
            Self::FirstField => "first_field",
        }
    }
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
    /// The slot of an inner array, for arrays with one column per slot.
    pub slot: Option<usize>,
    /// A number for the meaning of the bytes; 0 if they are not a value's.
    pub meaning: u64,
}

impl ColumnInfo {
    /// The column of a field that is stored whole.
    pub const fn of<T>() -> Self {
        Self::component_of::<T>("")
    }

    /// The column of one component of a flattened field.
    pub const fn component_of<T>(component: &'static str) -> Self {
        assert_alignment::<T>();
        Self { component, size: size_of::<T>(), align: align_of::<T>(), slot: None, meaning: 0 }
    }
}

/// The largest alignment of a value: allocations start on multiples of it. On the host it is a page, since compilers do
/// not lay out stacks for more.
const MAX_ALIGNMENT: usize = if cfg!(target_arch = "nvptx64") { 256 } else { 4096 };

/// Fails to compile if storage cannot hold values of this type.
pub(crate) const fn assert_alignment<T>() {
    assert!(
        align_of::<T>() <= MAX_ALIGNMENT,
        "a value in a class is aligned to 4096 bytes at most, and to 256 in a class that is compiled for the device"
    );
}

/// The numbers that an `#[atomic]` field is stored as, for code that combines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A `u32`, or a link's id.
    U32,
    /// An `i32`.
    I32,
    /// A `u64`.
    U64,
    /// An `i64`, or the bits of a [`Fixed`](crate::value::Fixed).
    I64,
    /// An `f32`.
    F32,
    /// An `f64`.
    F64,
    /// A `bool`.
    Bool,
    /// The id of a link, or 0.
    Claim,
    /// Another number.
    Other,
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
    /// The numbers that it is stored as, if it is `#[atomic]`.
    pub number: Option<Number>,
    /// The spread of its elements, if it is an inner array.
    pub array: Option<ArrayInfo>,
    /// The columns that store it.
    pub columns: &'static [ColumnInfo],
    /// The classes that its links refer to.
    pub links_to: &'static [ClassId],
    /// These, and the classes of links that views show as numbers.
    pub holds_links_to: &'static [ClassId],
    /// Whether each of these links can be empty, so that a link to a removed object becomes so.
    pub empties: bool,
    /// `on_remove = "cascade"`: whether the object is removed with an object to which the field links.
    pub cascades: bool,
}

/// How an inner array is spread over slots and the arena (INNER §2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    /// The number of elements with a slot in the object or its columns.
    pub slots: usize,
    /// Whether the slots are one column of arrays.
    pub as_object: bool,
    /// Whether the length varies, and elements without a slot are in the class's arena.
    pub arena: bool,
    /// Bytes of an element.
    pub element: usize,
    /// Alignment of an element in bytes.
    pub align: usize,
    /// A number for the meaning of an element's bytes.
    pub meaning: u64,
}

impl ArrayInfo {
    /// Whether every element has a slot.
    #[inline(always)]
    pub(crate) const fn all_in_slots(&self) -> bool {
        !self.arena
    }
    /// Whether a column of extents precedes the slots.
    #[inline(always)]
    pub(crate) const fn has_spans(&self) -> bool {
        self.arena
    }
    /// Whether each slot has a column.
    #[inline(always)]
    pub(crate) const fn slot_columns(&self) -> bool {
        !self.as_object
    }
}

/// The number of physical columns of a class.
pub const fn column_count(fields: &[FieldInfo]) -> usize {
    first_column(fields, fields.len())
}

/// The number of start addresses in a class's storage: those of its columns and of the arena.
pub const fn base_count(fields: &[FieldInfo]) -> usize {
    column_count(fields) + 1
}

/// Whether each column is allocated by itself.
pub const fn has_own_columns<C: ClassInfo>() -> bool {
    matches!((C::LAYOUT, C::CAPACITY), (LayoutKind::Soa, None))
}

/// Whether some arrays of the class are in its arena.
pub const fn has_arena<C: ClassInfo>() -> bool {
    !in_arena::<C>().is_empty()
}

/// The fields for which `is_meant` holds.
macro_rules! fields_where {
    ($class:ident, $field:ident, $is_meant:expr) => {{
        let (mut bits, mut k) = (0, 0);
        while k < $class::FIELDS.len() {
            let $field = &$class::FIELDS[k];
            bits |= ($is_meant as u64) << k;
            k += 1;
        }
        FieldSet::from_bits(bits)
    }};
}

/// The fields of `C` that are `#[atomic]`.
pub const fn atomics<C: ClassInfo>() -> FieldSet {
    fields_where!(C, field, field.atomic)
}

/// The fields of `C` whose links are to existing objects while a kernel runs. Links in atomics are checked when they
/// are followed.
pub const fn linked<C: ClassInfo>() -> FieldSet {
    fields_where!(C, field, !field.links_to.is_empty() && !field.atomic)
}

/// The fields of `C` that are inner arrays.
pub const fn arrays<C: ClassInfo>() -> FieldSet {
    fields_where!(C, field, field.array.is_some())
}

/// The fields of `C` that have elements in the arena.
pub const fn in_arena<C: ClassInfo>() -> FieldSet {
    fields_where!(C, field, matches!(&field.array, Some(array) if array.arena))
}

/// The fields that are copied with the given ones: all that share a piece of memory with one of them. Arrays in the
/// arena share it in every layout.
#[inline(always)]
pub const fn whole_units<C: ClassInfo>(fields: FieldSet) -> FieldSet {
    let in_arena = const { in_arena::<C>() };
    if fields.is_empty() {
        fields
    } else if !const { has_own_columns::<C>() } {
        FieldSet::ALL
    } else if fields.intersection(in_arena).is_empty() {
        fields
    } else {
        fields.union(in_arena)
    }
}

/// The fields that cannot be copied for some objects alone: the elements of other objects or fields come with them.
pub const fn undivided<C: ClassInfo>() -> FieldSet {
    if has_own_columns::<C>() { in_arena::<C>() } else { FieldSet::ALL }
}

/// The fields of which a kernel writes a snapshot: those that it declares, by their bits. If one of them has elements
/// in the arena, all such fields that it writes are included, since the arena is exchanged as a whole.
///
/// # Panics
///
/// When compiled, if an atomic array has elements in the arena too.
pub const fn snapshot_with_arena<C: ClassInfo>(declared: u64, writes: FieldSet) -> FieldSet {
    let in_arena = in_arena::<C>().bits();
    let atomic = in_arena & atomics::<C>().bits();
    assert!(
        declared & in_arena == 0 || atomic == 0,
        "a kernel cannot take a snapshot of an `InnerArray` of a class that has another one under `#[atomic]`: they share the class's arena, and what others change in it meanwhile would be lost; make the atomic one a `[T; N]`, or move it to a class of its own"
    );
    let others = if declared & in_arena == 0 { 0 } else { in_arena & writes.bits() };
    FieldSet::from_bits(declared | others)
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

/// The position of the first class that a field links to in the list of all fields' classes.
pub const fn first_target(fields: &[FieldInfo], field: usize) -> usize {
    let mut target = 0;
    let mut f = 0;
    while f < field {
        target += fields[f].links_to.len();
        f += 1;
    }
    target
}

/// The number of classes that the fields of a class link to, counted for each field separately.
pub const fn target_count(fields: &[FieldInfo]) -> usize {
    first_target(fields, fields.len())
}

/// The layout of a class.
/// ```
/// use ikra::{ClassInfo, layout::LayoutKind, prelude::*};
///
/// #[soa_class(layout = "tiles", tile = 128)]
/// pub struct Body { pub mass: f32 }
///
/// assert_eq!(Body::LAYOUT, LayoutKind::Tiles(128));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayoutKind {
    /// Structure of Arrays: one array per column.
    Soa,
    /// Array of Structures: an object's fields side by side.
    Aos,
    /// SoA within blocks of this many objects.
    Tiles(usize),
}

/// The facts about a class at compile time. Only `#[soa_class]` implements it.
///
/// # Safety
///
/// 1. `FIELDS` are the class's fields as stored.
/// 2. `ID` is unique to the class within the program.
/// 3. `Bases` is an array with one element per physical column and one for the arena. `Targets` is an array with one
///    element per class that a field links to, field by field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a class",
    label = "not under `#[soa_class]`",
    note = "put `#[soa_class]` on the struct"
)]
pub unsafe trait ClassInfo: Sized + Send + Sync + 'static {
    /// Identifies the class.
    const ID: ClassId;
    /// The struct's name.
    const NAME: &'static str;
    /// The class's fields, in the order of the struct.
    const FIELDS: &'static [FieldInfo];
    /// `capacity = N`: the number of objects that storage is laid out for at compile time.
    const CAPACITY: Option<u32>;
    /// `compact = R`: the class compacts by itself when this part of its ids or less is in use.
    const COMPACT: Option<f32> = None;
    /// `addressing = "…"`.
    const ADDRESSING: Addressing;
    /// `arena = N`: bytes for the elements of inner arrays that have no slot.
    const ARENA: Option<usize> = None;

    /// The position of the class's definition, by which the device code identifies it.
    #[doc(hidden)]
    const ORIGIN: Origin;
    /// `layout = "…"`, as data.
    const LAYOUT: LayoutKind;

    /// The offsets of its columns.
    #[doc(hidden)]
    type Bases: BaseSet;
    /// A word of the class's table in constant memory.
    #[doc(hidden)]
    #[cfg(target_arch = "nvptx64")]
    fn constant(word: usize) -> u64;
    /// The number of objects.
    #[doc(hidden)]
    #[cfg(target_arch = "nvptx64")]
    fn count() -> u32;
    #[doc(hidden)]
    #[cfg(not(target_arch = "nvptx64"))]
    type Targets: AsRef<[TargetSlot]> + Send + Sync + 'static;
    #[doc(hidden)]
    #[cfg(not(target_arch = "nvptx64"))]
    const TARGETS: Self::Targets;
}
