//! Links: 4-byte references from one object to another.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::num::NonZeroU32;

use crate::info::ClassInfo;

/// A reference to an object of class `C`: 4 bytes, and so is `Option<Link<C>>`.
///
/// A link is an object id that starts at 1 (IKRA §3.2.1: a fake pointer in zero addressing, where id 0 is null).
/// Columns store links. Following one needs the world: `world.get(link)` in sequential code. Inside a method, a field
/// of type `Link<C>` already reads as a `Ref<C>`.
///
/// To store another link in a field, pass the stored value, `world.set(a, cell::next, Some(b))`. Through a guard or in
/// a method, the field shows the object, so assign the object: `guard.next = Some(guard.resolve(b))`.
///
/// A link is a plain number. It is checked when it enters a column, not when it is followed. A link from another world
/// is an error before the next kernel runs if it is out of range; otherwise it names another object. A link from an
/// argument of a kernel or from [`from_id`](Self::from_id) is checked where it becomes a ref, by
/// [`resolve`](crate::object::Object::resolve).
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// #[derive(Debug)]
/// pub struct Cell { pub alive: bool, pub next: Option<Link<Cell>> }
/// #[soa_world]
/// pub struct Grid { pub cells: Objects<Cell> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut grid = Grid::new();
/// let first = grid.cells.push(Cell { alive: true, next: None })?;
/// let second = grid.cells.push(Cell { alive: false, next: Some(first) })?;
/// assert_eq!((first.id(), second.index()), (1, 1));
/// assert!(grid.get(second).next().unwrap().alive());
/// assert_eq!(size_of::<Option<Link<Cell>>>(), 4);
/// # Ok(()) }
/// ```
#[repr(transparent)]
pub struct Link<C> {
    id: NonZeroU32,
    class: PhantomData<fn() -> C>,
}

impl<C> Link<C> {
    /// The ids of links, as stored.
    #[doc(hidden)]
    pub fn words(links: &[Self]) -> &[NonZeroU32] {
        // SAFETY: `repr(transparent)`: a slice of ids of the same length.
        unsafe { core::slice::from_raw_parts(links.as_ptr().cast(), links.len()) }
    }

    /// The link to the object with this index, counted from 0; `None` if no object can have the index (2³² − 1 or
    /// more).
    #[inline(always)]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index >= u32::MAX as usize {
            return None;
        }
        Self::from_id(index as u32 + 1)
    }

    /// The link with this object id, counted from 1; `None` for 0.
    #[inline(always)]
    pub const fn from_id(id: u32) -> Option<Self> {
        match NonZeroU32::new(id) {
            Some(id) => Some(Self { id, class: PhantomData }),
            None => None,
        }
    }

    /// The object's id, counted from 1.
    #[inline(always)]
    pub const fn id(self) -> u32 {
        self.id.get()
    }

    /// The id as a `NonZeroU32`.
    #[inline(always)]
    pub(crate) const fn nonzero_id(self) -> NonZeroU32 {
        self.id
    }

    /// The object's position in its class's columns, counted from 0.
    #[inline(always)]
    pub const fn index(self) -> usize {
        // Not a 32-bit difference, which would need an instruction of its own wherever it becomes an address.
        self.id.get() as usize - 1
    }

    /// The link to the object with this index.
    ///
    /// # Safety
    ///
    /// `index` is less than `u32::MAX`.
    #[doc(hidden)]
    #[inline(always)]
    pub const unsafe fn at_unchecked(index: u32) -> Self {
        // SAFETY: by the caller it does not overflow.
        let id = unsafe { index.unchecked_add(1) };
        // SAFETY: a sum with 1 that did not overflow is not 0.
        Self { id: unsafe { NonZeroU32::new_unchecked(id) }, class: PhantomData }
    }

    /// The link to the object with this index. An index that no object can have gives the last possible object.
    #[doc(hidden)]
    #[inline(always)]
    pub const fn at(index: u32) -> Self {
        match Self::from_id(index.wrapping_add(1)) {
            Some(link) => link,
            None => Self { id: NonZeroU32::MAX, class: PhantomData },
        }
    }
}

/// A type that can be a link's class: in a bound, so that the message says how to follow links.
#[diagnostic::on_unimplemented(
    message = "a link is a number, which has no fields and methods of the object",
    label = "called on a link, which is not followed",
    note = "of an array in the object write `self.near.get(k).mass()`, or a loop `for other in &self.near`, which give a `Ref` each; of another link `self.resolve(link).mass()`",
    note = "a parameter of a kernel can be a `Ref<Class>`, which executors are given a `Link<Class>` for"
)]
#[doc(hidden)]
pub trait Followed {}

/// Objects whose links can be turned into numbers: `Objects<C>`.
pub trait Numbered<C> {
    /// The error type.
    type Error;
    /// The number of a link.
    ///
    /// # Errors
    ///
    /// If the link is not to one of these objects.
    fn number_of(&self, link: Link<C>) -> Result<u64, Self::Error>;
    /// The link with a number.
    ///
    /// # Errors
    ///
    /// If the number is not that of one of these objects.
    fn link_of(&self, bits: u64) -> Result<Link<C>, Self::Error>;
}

impl<C: ClassInfo> Link<C> {
    /// The link as a number, by the class's addressing mode. Never 0.
    ///
    /// | `addressing` | number |
    /// | --- | --- |
    /// | `"zero"` | the object id |
    /// | `"storage"` | start of the class's storage + index: one byte per object, inside the storage |
    /// | `"first_field"` | the address of the object's value in the first column |
    ///
    /// The last two hold until storage grows (never, with `capacity = N`). [`Addressing`](crate::class::Addressing) has
    /// an example.
    ///
    /// # Errors
    ///
    /// `Error::NotInWorld`.
    pub fn to_bits<O: Numbered<C>>(self, objects: &O) -> Result<u64, O::Error> {
        objects.number_of(self)
    }

    /// The link behind a number from [`to_bits`](Self::to_bits).
    ///
    /// # Errors
    ///
    /// `Error::NotAnAddress` if the number is not that of an object.
    pub fn from_bits<O: Numbered<C>>(bits: u64, objects: &O) -> Result<Self, O::Error> {
        objects.link_of(bits)
    }
}

impl<C> Copy for Link<C> {}
impl<C> Clone for Link<C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C> PartialEq for Link<C> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl<C> Eq for Link<C> {}
impl<C> PartialOrd for Link<C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<C> Ord for Link<C> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}
impl<C> Hash for Link<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}
impl<C: ClassInfo> fmt::Debug for Link<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", C::NAME, self.id)
    }
}
