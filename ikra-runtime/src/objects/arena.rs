//! The space of inner arrays' elements that have no slot.
//!
//! Arrays take space at the arena's end, one after another. What an array leaves behind when it shrinks or moves stays
//! unused until the arena is full: then the arrays that are there are packed into a new one, which is twice as long as
//! they need. So an arena is never much longer than what was in it at the time, and an array's element costs the same
//! on average whatever became of the others.

use crate::class::{Class, first_column, has_arena};
use crate::error::Error;
use crate::objects::Objects;
use crate::storage::{Extent, arena_end};
use crate::table::address;
use ikra_core::effects::FieldSet;

/// The largest arena: offsets are 32 bits wide, and count elements of one byte or more.
const MAX_BYTES: usize = u32::MAX as usize;

/// Arrays that are about to be replaced, so that their elements need not be kept.
#[derive(Clone, Copy, Debug)]
pub(super) enum Dead {
    /// None.
    Nothing,
    /// One of one object.
    Array { field: usize, index: usize },
    /// All of one object.
    Object(usize),
    /// One of all objects.
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

/// What an array has in the arena.
struct Kept {
    extent: *mut Extent,
    /// Bytes of an element.
    size: usize,
    /// Elements.
    count: usize,
    /// Whether it is about to be replaced.
    dead: bool,
}

impl<C: Class> Objects<C> {
    /// Whether some arrays of the class are in the arena.
    pub(crate) const HAS_ARENA: bool = has_arena::<C>();

    /// Bytes of the arena, and how many of them are taken.
    pub(crate) fn arena(&self) -> (usize, usize) {
        self.table().header.arena
    }

    pub(crate) fn set_arena_used(&mut self, used: usize) {
        if Self::HAS_ARENA {
            self.table_mut().header.arena.1 = used;
        }
    }

    /// Makes the arena go on to `end(used)`, so that arrays can be put after `used`, and returns `used`, which is less
    /// after arrays were packed. The arrays in `dead` are gone then, or must be replaced before they are looked at.
    ///
    /// Whether it succeeds depends on the arrays that are kept alone.
    #[inline]
    pub(super) fn make_room(&mut self, used: usize, end: impl Fn(usize) -> usize, dead: Dead) -> Result<usize, Error> {
        if end(used) <= self.arena().0 { Ok(used) } else { self.replace_arena(used, end, dead) }
    }

    #[cold]
    #[inline(never)]
    fn replace_arena(&mut self, used: usize, end: impl Fn(usize) -> usize, dead: Dead) -> Result<usize, Error> {
        self.table().fetch(FieldSet::ALL);
        let mut kept = 0;
        self.for_each_array(dead, |place| {
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
            // In proportion to the objects too, so that not all of them are looked at for a few elements.
            None => (2 * needed).max(needed + 4 * self.len()).clamp(4096, MAX_BYTES),
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

    /// Moves the arrays to a new arena, without gaps.
    fn pack(&mut self, room: usize, dead: Dead) -> Result<(), Error> {
        let mut memory = std::mem::replace(&mut self.memory, crate::memory::Memory::empty());
        let packed = memory.replace_arena(room, |from, to| {
            let mut used = 0_usize;
            self.for_each_array(dead, |Kept { extent, size, count, dead }| {
                // SAFETY: the extent is that of an object that exists, which `&mut self` lets nobody else access.
                let extent = unsafe { &mut *extent };
                if dead {
                    *extent = Extent { offset: 0, len: 0 };
                } else if count > 0 {
                    let first = used.div_ceil(size);
                    // SAFETY: the array is in the arena that was there.
                    let from = unsafe { from.add(extent.offset as usize * size) };
                    // SAFETY: there is room in the new one for all that are kept.
                    let to = unsafe { to.add(first * size) };
                    // SAFETY: as above; they are distinct allocations.
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

    /// Calls a function for each array of each object.
    fn for_each_array(&self, dead: Dead, mut visit: impl FnMut(Kept)) {
        let bases = self.table().bases;
        for (field, info) in C::FIELDS.iter().enumerate() {
            let Some(array) = info.array.filter(|array| array.arena) else { continue };
            let column = first_column(C::FIELDS, field);
            for index in 0..self.len() {
                // SAFETY: the object exists, and the field's first column is that of its extents.
                let extent = unsafe { address::<C>(&bases, column, index) }.cast::<Extent>();
                // SAFETY: as above; nobody writes it: arrays get other extents through `&mut self` only.
                let len = unsafe { (*extent).len } as usize;
                visit(Kept {
                    extent,
                    size: array.element,
                    count: len.saturating_sub(array.slots),
                    dead: dead.contains(field, index),
                });
            }
        }
    }
}
