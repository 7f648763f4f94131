//! Objects that a kernel removed, when it has ended; and the bits and the list of those that exist.

use std::sync::Arc;

use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;
use ikra_runtime::list::ListOrder;
use ikra_runtime::objects::AnyObjects;

use super::moving::{Changed, ChangedHow, Moving};
use super::{Going, Gone, Plan};
use crate::changes::{bits_bytes, room};
use crate::chunks::LIVES_THREADS;
use crate::device_world::DeviceWorld;
use crate::driver::Memory;
use crate::lists::{DeviceList, Wanted};
use crate::tables::Members;

impl DeviceWorld {
    /// The number of a class's objects that are left when new ones have come at its end and some have gone, and whether the
    /// class compacts itself then.
    pub(super) fn left(objects: &dyn AnyObjects, added: usize, removed: usize) -> (usize, bool) {
        let slots = objects.slots() + added;
        let left = slots - objects.holes() - removed;
        (left, objects.compacts_below().is_some_and(|ratio| left as f32 <= ratio * slots as f32))
    }

    /// Allocates whatever removing these objects takes.
    pub(super) fn room_to_remove(&mut self, members: &mut Members<'_>, plan: &Plan, gone: Gone) -> Result<(), Error> {
        let going = &plan.going[gone.place];
        let (left, compacts) = Self::left(&*members[going.member], 0, gone.count);
        if compacts && members[going.member].holes() == 0 {
            self.room_for_live(going.member, bits_bytes(members[going.member].slots()))?;
        } else {
            self.keep_live(&mut *members[going.member], gone.slots)?;
        }
        self.room_to_relink(members, &going.links)?;
        if compacts {
            self.room_to_compact(members, going, left)?;
        } else {
            self.room_to_list(going.member, members[going.member].slots(), left)?;
        }
        Ok(())
    }

    /// Removes objects that are marked. If their class compacts itself, the others move; otherwise the result says which bits
    /// have to be cleared.
    pub(super) fn remove(
        &mut self,
        members: &mut Members<'_>,
        plan: &Plan,
        Gone { place, marks, slots: makers, count }: Gone,
    ) -> Result<Wanted, Error> {
        let (going, log) = (&plan.going[place], self.log.clone());
        let own = going.member;
        let objects = &members[own];
        let (slots, (left, compacts)) = (objects.slots(), Self::left(&**objects, 0, count));
        let words = makers.div_ceil(32) as u32;
        let removed = match compacts && objects.holes() == 0 {
            true => Wanted::Below(slots as u32, marks, words),
            false => Wanted::Without(marks, words),
        };
        self.changes.lives[own].is_ahead = true;
        let objects = &mut members[own];
        if objects.has_tracks() {
            // SAFETY: the marks' memory is longer, and zero there.
            let words = unsafe { log.fetched::<u64>(marks, makers.div_ceil(64)) }?;
            objects.untrack(&words);
        }
        if !compacts || objects.has_tracks() {
            let fetch = self.changes.lives[own].fetch(&log, slots, slots - left, objects.name());
            // SAFETY: the device removed so many objects, and their bits are not set any more.
            unsafe { objects.changed_on_device((slots - left) as u32, fetch, true, false) };
        }
        if compacts {
            self.compact(members, going, left, removed)?;
            return Ok(Wanted::SET);
        }
        self.note_relinked(members, &going.links);
        let changed = Changed { how: ChangedHow::Removed(marks), slots: makers as u32 };
        going.links.iter().try_for_each(|links| self.change_links(members, links, changed))?;
        Ok(removed)
    }

    /// Memory to close up a class with `left` objects.
    fn room_to_compact(&mut self, members: &mut Members<'_>, going: &Going, left: usize) -> Result<Moving, Error> {
        let (own, log, slots) = (going.member, self.log.clone(), members[going.member].slots());
        self.chunk_room(slots as u32)?;
        let lives = &mut self.changes.lives[own];
        let list = room(&mut lives.free, &log, left.next_multiple_of(32).max(32) * size_of::<u32>())?;
        let has_links = !going.links.is_empty();
        let ids = if has_links { room(&mut lives.ranks, &log, slots * size_of::<u32>())? } else { 0 };
        self.room_to_move(members, own, (list, ids))
    }

    /// Moves the objects of a class that exist to the start of its columns, in their order.
    fn compact(&mut self, members: &mut Members<'_>, going: &Going, left: usize, removed: Wanted) -> Result<(), Error> {
        let own = going.member;
        let (slots, live) = (members[own].slots(), self.changes.lives[own].live());
        let moving = self.room_to_compact(members, going, left)?;
        self.list_bits((live, slots as u32), removed, (moving.list, 0))?;
        self.move_objects(members, own, &going.links, &moving, (left, None))
    }

    /// Makes the bits of a class's objects current on the device, with room for `end` indices; those beyond the present ones
    /// are not set.
    pub(super) fn keep_live(&mut self, objects: &mut dyn AnyObjects, end: usize) -> Result<(), Error> {
        let Some(member) = self.tables.iter().position(|table| table.class == objects.class()) else {
            unreachable!("the world has the class")
        };
        let (lives, log) = (&mut self.changes.lives[member], self.log.clone());
        let bytes = bits_bytes(end.max(objects.slots()));
        let is_current =
            lives.list.as_ref().zip(objects.known_live()).is_some_and(|(own, known)| Arc::ptr_eq(own, known));
        if (is_current || lives.is_ahead) && lives.live.as_ref().is_some_and(|live| live.len() >= bytes) {
            return Ok(());
        }
        let slots = objects.slots() as u32;
        let (address, bytes) = self.room_for_live(member, bytes)?;
        // SAFETY: there is room for the bits; earlier users of the memory come before this in the stream (I28).
        unsafe { log.stream.zero(address, bytes)? };
        if objects.holes() == 0 && slots > 0 {
            // All objects exist.
            let own = [Argument::of(&address), Argument::of(&slots), Argument::of(&address)];
            let blocks = slots.div_ceil(32).div_ceil(LIVES_THREADS);
            return self.launch(&log.kernels.invert, blocks, LIVES_THREADS, 0, &own);
        }
        let bits = objects.live_bits();
        // SAFETY: as above.
        unsafe { log.stream.upload(address, bits.as_ptr().cast(), size_of_val(&bits[..]))? };
        log.count_up(size_of_val(&bits[..]));
        Ok(())
    }

    /// Memory for the bits of a class's objects, and its size. Nothing is known of them then.
    fn room_for_live(&mut self, member: usize, bytes: usize) -> Result<(u64, usize), Error> {
        let lives = &mut self.changes.lives[member];
        (lives.list, lives.is_ahead) = (None, false);
        // Objects that read their bits from the memory keep it.
        let own = lives.live.take().filter(|live| live.len() >= bytes && Arc::strong_count(live) == 1);
        let live = match own {
            Some(live) => live,
            None => Arc::new(Memory::new(&self.log.context, bytes.next_power_of_two(), "objects that come and go")?),
        };
        let live = lives.live.insert(live);
        Ok((live.address(), live.len()))
    }

    /// Memory for a list of `left` objects of `slots`, and its address for the others.
    fn room_to_list(&mut self, member: usize, slots: usize, left: usize) -> Result<(Arc<Memory>, u64), Error> {
        self.chunk_room(slots as u32)?;
        let bytes = places(left) * size_of::<u32>();
        let next = self.changes.lives[member].next.take().filter(|memory| memory.len() >= bytes);
        // The launch that has just changed the objects may still have the former list.
        let memory = next.map_or_else(|| self.memory_to_keep(places(left), "a list of objects"), Ok)?;
        let lives = &mut self.changes.lives[member];
        lives.next = Some(memory.clone());
        Ok((memory, room(&mut lives.free, &self.log, (slots - left).max(1) * size_of::<u32>())?))
    }

    /// Lists a class's objects, if the bits are newer than the list.
    pub(super) fn list_left(&mut self, members: &mut Members<'_>, member: usize, removed: Wanted) -> Result<(), Error> {
        if self.changes.lives[member].is_ahead { self.put_list(&mut *members[member], member, removed) } else { Ok(()) }
    }

    /// Lists the objects of a class from the bits on the device, but for those that a kernel has removed, so that kernels can
    /// run for them. Also lists the indices that removed objects left.
    pub(super) fn put_list(
        &mut self,
        objects: &mut dyn AnyObjects,
        member: usize,
        removed: Wanted,
    ) -> Result<(), Error> {
        let (slots, holes, log) = (objects.slots(), objects.holes(), self.log.clone());
        let len = slots - holes;
        let lives = &mut self.changes.lives[member];
        (lives.list, lives.is_ahead) = (None, false);
        if len == slots {
            return Ok(());
        }
        let (live, places) = (lives.live(), places(len));
        let (memory, free) = self.room_to_list(member, slots, len)?;
        self.list_bits((live, slots as u32), removed, (memory.address(), free))?;
        self.changes.lives[member].next = None;
        let list = DeviceList { memory, log, len: places };
        // SAFETY: the bits are those of the objects that exist, each once, and the kernels write their indices in this
        // order (I17). The list is not a full range: some object below its end was removed.
        let list = Arc::new(unsafe { ListOrder::on_device(&[(len, 0..slots)], Some(Box::new(list))) });
        self.changes.lives[member].list = Some(list.clone());
        // SAFETY: as above.
        unsafe { objects.put_live(list) };
        Ok(())
    }
}

/// The places of a list of so many objects.
fn places(objects: usize) -> usize {
    objects.next_multiple_of(32).max(32)
}
