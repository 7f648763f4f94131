//! The arena, which holds the elements of inner arrays that have no slot.
//!
//! Arrays take space at the arena's end, one after another. The space of an array that shrinks or moves stays unused
//! until the arena is full. Then the remaining arrays are packed into a new arena, twice as long as they need. So an
//! arena is never much longer than its contents were at that time. The average cost of an array's element is constant,
//! whatever happens to the others.

use crate::class::{Class, first_column, has_arena};
use crate::error::Error;
use crate::objects::Objects;
use crate::storage::{Extent, arena_end};
use crate::table::address;
use ikra_core::effects::FieldSet;

/// The largest arena: offsets and lengths are 32 bits wide, and count elements of one byte or more, also those in slots.
const MAX_BYTES: usize = (u32::MAX - u16::MAX as u32) as usize;

/// Arrays that are about to be replaced, so that packing need not keep their elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Dead {
    /// No array.
    Nothing,
    /// One array of one object.
    Array { field: usize, index: usize },
    /// All arrays of one object.
    Object(usize),
    /// One array of every object.
    Field(usize),
}

impl Dead {
    fn contains(self, field: usize, index: usize) -> bool {
        match self {
            Self::Nothing => false,
            Self::Array { field: f, index: i } => (f, i) == (field, index),
            Self::Object(i) => i == index,
            Self::Field(f) => f == field,
        }
    }
}

/// The elements of one array in the arena.
struct Kept {
    extent: *mut Extent,
    /// The number of bytes of an element.
    size: usize,
    count: usize,
    dead: bool,
}

impl<C: Class> Objects<C> {
    /// Whether some arrays of the class are in the arena.
    pub(crate) const HAS_ARENA: bool = has_arena::<C>();

    /// The number of bytes of the arena, and the number of used ones.
    pub(crate) fn arena(&self) -> (usize, usize) {
        self.table().header.arena
    }

    pub(crate) fn set_arena_used(&mut self, used: usize) {
        if Self::HAS_ARENA {
            self.table_mut().header.arena.1 = used;
        }
    }

    /// Extends the arena to `end(used)`, so that arrays can be put after `used`, and returns `used`, which is smaller
    /// after packing. The arrays in `dead` are then gone, or must be replaced before they are read.
    ///
    /// Success depends only on the arrays that are kept.
    #[inline]
    pub(super) fn make_room(&mut self, used: usize, end: impl Fn(usize) -> usize, dead: Dead) -> Result<usize, Error> {
        if !Self::HAS_ARENA || end(used) <= self.arena().0 { Ok(used) } else { self.replace_arena(used, &end, dead) }
    }

    #[cold]
    #[inline(never)]
    fn replace_arena(&mut self, used: usize, end: &dyn Fn(usize) -> usize, dead: Dead) -> Result<usize, Error> {
        self.table().fetch(FieldSet::ALL);
        let mut kept = 0;
        self.for_each_array(dead, &mut |place| {
            if !place.dead && place.count > 0 {
                kept = arena_end(kept, place.count, place.size);
            }
        });
        // In another order, gaps between elements of different sizes may be longer.
        let pack = kept < used;
        let kept = kept.min(used);
        let most = C::ARENA.map_or(MAX_BYTES, |bytes| bytes.min(MAX_BYTES));
        let needed = end(kept);
        if needed > most {
            let (class, requested, available) = (C::NAME, needed - kept, most - kept);
            return Err(match C::ARENA {
                Some(_) => Error::ArenaFull { class, requested, available },
                None => Error::ArenaAtLimit { class, requested, available },
            });
        }
        let room = match C::ARENA {
            Some(_) => most,
            // Also proportional to the number of objects, so that adding a few elements does not visit all objects.
            None => (2 * needed).max(needed + 4 * self.slots()).clamp(4096, MAX_BYTES),
        };
        if pack {
            self.pack(room, dead)?;
        } else {
            self.memory.grow_arena(room, used)?;
        }
        let bases = self.memory.bases();
        let table = self.table_mut();
        table.bases = bases;
        table.header.arena = (room, kept);
        Ok(kept)
    }

    /// Moves the arrays to a new arena without gaps.
    fn pack(&mut self, room: usize, dead: Dead) -> Result<(), Error> {
        let mut memory = std::mem::replace(&mut self.memory, crate::memory::Memory::empty());
        let packed = memory.replace_arena(room, &mut |from, to| {
            let mut used = 0_usize;
            self.for_each_array(dead, &mut |Kept { extent, size, count, dead }| {
                // SAFETY: the extent belongs to an object that exists, and `&mut self` excludes other accesses.
                let extent = unsafe { &mut *extent };
                if dead {
                    *extent = Extent { offset: 0, len: 0 };
                } else if count > 0 {
                    let first = used.div_ceil(size);
                    // SAFETY: the array lies within the former arena (I18).
                    let from = unsafe { from.add(extent.offset as usize * size) };
                    // SAFETY: the new arena has room for all arrays that are kept.
                    let to = unsafe { to.add(first * size) };
                    // SAFETY: both are valid for `count * size` bytes, by the two proofs above, in distinct
                    // allocations.
                    unsafe { std::ptr::copy_nonoverlapping(from, to, count * size) };
                    extent.offset = first as u32;
                    used = (first + count) * size;
                }
            });
            used
        });
        self.memory = memory;
        packed.map(|_| ())
    }

    /// Calls a function for each array of each object. Those of removed objects are dead.
    fn for_each_array(&self, dead: Dead, visit: &mut dyn FnMut(Kept)) {
        let bases = self.table().bases;
        for (field, info) in C::FIELDS.iter().enumerate() {
            let Some(array) = info.array.filter(|array| array.arena) else { continue };
            let column = first_column(C::FIELDS, field);
            for index in 0..self.slots() {
                // SAFETY: the object exists, and the field's first column holds its extents.
                let extent = unsafe { address::<C>(&bases, column, index) }.cast::<Extent>();
                // SAFETY: the address is that of an extent, by the proof above; only `&mut self` changes extents.
                let len = unsafe { (*extent).len } as usize;
                visit(Kept {
                    extent,
                    size: array.element,
                    count: len.saturating_sub(array.slots),
                    dead: dead.contains(field, index) || self.table().header.holes.contains(index),
                });
            }
        }
    }
}
