//! All objects of a class, as refs.

use core::fmt;
use core::hint::assert_unchecked;
use core::marker::PhantomData;
use core::ops::{Index, Range, RangeBounds};

use super::Handle;
use crate::class::Class;
use crate::facts::Facts;
use crate::link::Link;
use crate::mistakes::LentWhole;
use crate::panics::{has_holes, no_such_objects};
use crate::phase::Phase;
use crate::range::within;
use crate::table::{Table, TableRef};

/// All objects of a class, as refs: the result of [`Object::all`](crate::object::Object::all). It is `Copy`: a copy
/// continues from the original's position.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # #[derive(Debug)]
/// # pub struct Body { pub mass: f32 }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.extend([1.0, 2.0].map(|mass| Body { mass }))?;
/// let all: ikra::AllObjects<'_, Body, ikra::Sequential> = sim.all::<Body>();
/// assert_eq!(all.len(), 2);
/// assert_eq!(all.map(|body| body.mass()).sum::<f32>(), 3.0);
/// # Ok(()) }
/// ```
pub struct AllObjects<'w, C, P> {
    pub(super) next: u32,
    pub(super) len: u32,
    pub(super) place: TableRef<'w>,
    /// The known facts about each of the objects.
    pub(super) facts: Facts,
    pub(super) marker: PhantomData<(&'w C, fn() -> P)>,
}

impl<'w, C: Class, P> AllObjects<'w, C, P> {
    /// The objects of a table.
    ///
    /// # Safety
    ///
    /// The table is linked to the tables of its world, which is borrowed for `'w`.
    #[doc(hidden)]
    #[track_caller]
    pub unsafe fn of(table: &'w Table<C>) -> Self {
        let place = TableRef::of_table(table);
        if place.holes() > 0 {
            has_holes(C::NAME, place.holes());
        }
        let len = table.len() as u32;
        // SAFETY: the table is linked, and stays so during `'w`, while its world is borrowed.
        let facts = unsafe { table.linked_facts() };
        Self { next: 0, len, place, facts, marker: PhantomData }
    }

    /// The objects in a range of positions among the remaining ones. Faster than `take` and `skip`, and than one link
    /// per object, since one check covers all of them.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Cell { pub is_free: bool, pub ahead: u32 }
    ///
    /// #[soa_methods]
    /// impl Cell {
    ///     #[kernel]
    ///     pub fn look(&mut self) {
    ///         let street = self.all::<Cell>().range(self.link().index() + 1..);
    ///         self.ahead = street.take_while(|cell| cell.is_free()).count() as u32;
    ///     }
    /// }
    ///
    /// #[soa_world]
    /// pub struct Road { pub cells: Objects<Cell> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut road = Road::new();
    /// road.cells.extend([true, true, false, true].map(|is_free| Cell { is_free, ahead: 0 }))?;
    /// road.execute(Cell::look, ());
    /// assert_eq!(road.cells.column(cell::ahead), [1, 0, 1, 0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// If the range ends after the last object or before it starts, as slicing does.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn range(self, range: impl RangeBounds<usize>) -> Self {
        let left = (self.len - self.next) as usize;
        let Some(Range { start, end }) = within(&range, left) else { no_such_objects::<C>(&range, left) };
        let [next, len] = [start, end].map(|position| self.next + position as u32);
        Self { next, len, ..self }
    }
}

impl<'w, C: Class, P: Phase> AllObjects<'w, C, P> {
    /// The object at a position among the remaining ones, if it exists: a cell of a grid, for example, by its row and
    /// column.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Cell { pub height: f32, pub slope: f32 }
    ///
    /// #[soa_methods]
    /// impl Cell {
    ///     #[kernel]
    ///     pub fn look(&mut self, width: u32) {
    ///         let below = self.all::<Cell>().get(self.link().index() + width as usize);
    ///         self.slope = below.map_or(0.0, |below| below.height() - self.height);
    ///     }
    /// }
    ///
    /// #[soa_world]
    /// pub struct Field { pub cells: Objects<Cell> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut field = Field::new();
    /// field.cells.extend([1.0, 2.0, 4.0, 8.0].map(|height| Cell { height, slope: 0.0 }))?;
    /// field.execute(Cell::look, 2);
    /// assert_eq!(field.cells.column(cell::slope), [3.0, 6.0, 0.0, 0.0]);
    /// # Ok(()) }
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<C::Ref<'w, P>> {
        { *self }.nth(index)
    }
}

/// For the message: objects are not in memory as they are in a slice.
#[doc(hidden)]
impl<'w, C: Class + LentWhole, P: Phase, I> Index<I> for AllObjects<'w, C, P> {
    type Output = C::Ref<'w, P>;
    fn index(&self, _: I) -> &C::Ref<'w, P> {
        unreachable!()
    }
}

impl<C, P> Copy for AllObjects<'_, C, P> {}
impl<C, P> Clone for AllObjects<'_, C, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Class, P> fmt::Debug for AllObjects<'_, C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AllObjects<{}>({}..{})", C::NAME, self.next, self.len)
    }
}

impl<'w, C: Class, P: Phase> Iterator for AllObjects<'w, C, P> {
    type Item = C::Ref<'w, P>;

    #[inline(always)]
    fn next(&mut self) -> Option<C::Ref<'w, P>> {
        let id = self.next.wrapping_add(1);
        // So that the compiler knows without a check that an object exists for each index.
        // SAFETY: there are fewer than `u32::MAX` objects, and `next` is at most their number.
        unsafe { assert_unchecked(id != 0) };
        if self.next >= self.len {
            return None;
        }
        // SAFETY: the address is that of a table of `C` with `len` objects, or of an absent class, without objects. An
        // index that is less than a `u32` is less than the largest.
        let link = unsafe { Link::at_unchecked(self.next) };
        // SAFETY: as above; the known facts about all objects hold for this one.
        let object = unsafe { Handle::new(link, self.place, self.facts.of_existing()) };
        self.next = id;
        Some(C::to_ref(object))
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<C::Ref<'w, P>> {
        self.next += n.min((self.len - self.next) as usize) as u32;
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.len - self.next) as usize;
        (left, Some(left))
    }

    #[inline]
    fn count(self) -> usize {
        (self.len - self.next) as usize
    }
}

impl<C: Class, P: Phase> ExactSizeIterator for AllObjects<'_, C, P> {}
