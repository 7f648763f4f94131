//! Sorting on a device: pairs by their keys, and the objects of a class.

use std::sync::Arc;

use ikra_core::class::ClassId;
use ikra_core::info::FieldInfo;
use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Extent, Integer, Launch, NewOrder, Reordered};

use crate::arguments::Arguments;
use crate::chunks::{DIGITS, LIVES_THREADS, SCAN_THREADS, SCAN_TILE, SORT_THREADS, sort_items, sort_shared_bytes};
use crate::device_world::{DeviceWorld, Scratch};
use crate::driver::Grid;
use crate::lists::DeviceList;
use crate::lives::moving::{can_move, can_tell_apart};
use crate::step::Positions;
use crate::stream_log::Block;
use crate::tables::Members;

/// The name in error messages.
const NAME: &str = "sorting objects";
/// The most objects that are sorted here: the last tile of pairs ends at a number of 32 bits.
pub(crate) const MOST: usize = u32::MAX as usize - (1 << 16);
/// Threads of a block that has one object each.
pub(crate) const EACH: Block = Block { threads: LIVES_THREADS, words: 0 };

/// Keys of pairs on the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    pub(crate) address: u64,
    /// Whether they have eight bytes, or four.
    pub(crate) are_wide: bool,
    /// The number of bits in which they differ, from the lowest one on.
    pub(crate) bits: u32,
}

/// The number of blocks with a thread for each of `len` objects.
pub(crate) fn blocks(len: u32) -> u32 {
    len.div_ceil(LIVES_THREADS)
}

impl DeviceWorld {
    /// Replaces numbers by the sum of those before each.
    pub(crate) fn scan(&mut self, numbers: u64, len: u32) -> Result<(), Error> {
        let (tiles, log) = (len.div_ceil(SCAN_TILE), self.log.clone());
        let bytes = (tiles as usize + 1) * size_of::<u64>();
        let states = self.scratch(Scratch::Tiles, bytes)?;
        // SAFETY: memory of this size; its earlier users come before this in the stream (I28).
        unsafe { log.stream.zero(states, bytes)? };
        let [from, len, states] = [Argument::of(&numbers), Argument::of(&len), Argument::of(&states)];
        let block = Block { threads: SCAN_THREADS, words: 1 };
        Ok(log.start("a scan", &log.kernels.scan, tiles, block, &[from, from, len, states])?)
    }

    /// Sorts the positions of `len` keys by them, and writes the positions to the address `to`. Equal keys keep their order.
    /// Returns the address of the sorted keys, if they are asked for.
    pub(crate) fn sort_positions(
        &mut self,
        keys: Keys,
        len: u32,
        to: u64,
        wants_keys: bool,
    ) -> Result<Option<u64>, Error> {
        let log = self.log.clone();
        let (items, size, shared_bytes) = match keys.are_wide {
            false => (sort_items::<u32>(), size_of::<u32>(), sort_shared_bytes::<u32>()),
            true => (sort_items::<u64>(), size_of::<u64>(), sort_shared_bytes::<u64>()),
        };
        let (count, place) = match keys.are_wide {
            false => (&log.kernels.count_narrow, &log.kernels.place_narrow),
            true => (&log.kernels.count_wide, &log.kernels.place_wide),
        };
        let (blocks, digits) = (len.div_ceil(SORT_THREADS * items as u32), keys.bits.div_ceil(8).max(1));
        let all_keys = len as usize * size;
        let counts = self.scratch(Scratch::Counts, (DIGITS * blocks) as usize * size_of::<u32>())?;
        let (mut from, mut values) = (keys.address, 0_u64);
        for digit in 0..digits {
            let (shift, is_last) = (digit * 8, digit + 1 == digits);
            // Keys that were given stay as they are, and may be in `Keys`.
            let [keys_of, values_of] = match digit % 2 {
                0 => [Scratch::OtherKeys, Scratch::OtherValues],
                _ => [Scratch::Keys, Scratch::Values],
            };
            let keys_to = if is_last && !wants_keys { 0 } else { self.scratch(keys_of, all_keys)? };
            let values_to = if is_last { to } else { self.scratch(values_of, len as usize * size_of::<u32>())? };
            let [keys, values_in, len_in, shift, starts, keys_out, values_out] = [
                Argument::of(&from),
                Argument::of(&values),
                Argument::of(&len),
                Argument::of(&shift),
                Argument::of(&counts),
                Argument::of(&keys_to),
                Argument::of(&values_to),
            ];
            let block = Block { threads: SORT_THREADS, words: 1 };
            log.start(NAME, count, blocks, block, &[keys, len_in, shift, starts])?;
            self.scan(counts, DIGITS * blocks)?;
            let grid = Grid { blocks, threads: SORT_THREADS, rows: 1, shared_bytes: shared_bytes as u32 };
            let own = [keys, values_in, len_in, shift, starts, keys_out, values_out];
            let arguments = Arguments { own: &own, arguments: &[] };
            // SAFETY: the kernel takes these arguments: addresses of memory with room for the pairs, other than that which it
            // reads, and of the counts' sums. Each tile has a block, with the shared memory that it needs.
            arguments.with_places(&[], |all| unsafe { log.launch(NAME, place, grid, all) })?;
            (from, values) = (keys_to, values_to);
        }
        Ok(wants_keys.then_some(from))
    }

    /// Replaces positions on the device by the objects at these positions of a run. Returns whether some object is not at
    /// its index, if that is asked for.
    pub(crate) fn find_objects(&mut self, positions: &Positions, places: u64, asks: bool) -> Result<bool, Error> {
        let log = self.log.clone();
        let list = self.upload_list(positions.list.as_ref())?;
        let (first, len) = (positions.first as u32, positions.len() as u32);
        let moved = if asks { self.scratch(Scratch::Number, size_of::<u32>())? } else { 0 };
        if asks {
            // SAFETY: memory of this size; its earlier users come before this in the stream (I28).
            unsafe { log.stream.zero(moved, size_of::<u32>())? };
        } else if list == 0 && first == 0 {
            return Ok(false);
        }
        let own = [
            Argument::of(&places),
            Argument::of(&len),
            Argument::of(&list),
            Argument::of(&first),
            Argument::of(&moved),
        ];
        log.start(NAME, &log.kernels.find, blocks(len), EACH, &own)?;
        Ok(asks && self.read_numbers(moved, 1)?[0] != 0)
    }

    /// Keeps some objects of a class, in another order, if the device can; otherwise nothing has run.
    pub(crate) fn reorder(
        &mut self,
        members: &mut Members<'_>,
        order: NewOrder<'_>,
    ) -> Result<Option<Reordered>, Error> {
        let class: ClassId = match order {
            NewOrder::Results { launch: Launch { sections: [section], .. }, .. } => section.effects.class(),
            NewOrder::Random { class, .. } | NewOrder::Kept { class, .. } | NewOrder::Given { class, .. } => class,
            _ => return Ok(None),
        };
        let Some(own) = members.iter().position(|member| member.class() == class) else { return Ok(None) };
        let (slots, len) = (members[own].slots(), members[own].slots() - members[own].holes());
        let left = match order {
            NewOrder::Kept { list, .. } => list.places_of(0).len(),
            NewOrder::Given { indices, .. } => indices.len(),
            _ => len,
        };
        if left == 0 || slots > MOST || !can_move(&*members[own]) || !can_tell_apart(members) {
            return Ok(None);
        }
        // Owners that go with removed objects are found by the host.
        let cascades = |field: &FieldInfo| field.cascades && field.holds_links_to.contains(&class);
        if left < len && members.iter().any(|member| member.fields().iter().any(cascades)) {
            return Ok(None);
        }
        let Some(links) = self.links_to(members, class, left < len)? else { return Ok(None) };
        // Whatever may be missing is missed before anything moves.
        self.prepare(members, &[])?;
        let ids = self.memory_to_keep(slots, "the new ids of objects")?;
        let list = match order {
            NewOrder::Kept { .. } if left == slots => return Ok(Some(Reordered::AsBefore)),
            NewOrder::Kept { list, .. } => self.upload_list(Some(list))?,
            NewOrder::Given { indices, .. } => {
                let bytes = size_of_val(indices);
                let to = self.scratch(Scratch::Links, bytes)?;
                // SAFETY: there is room for them.
                unsafe { self.log.stream.upload(to, indices.as_ptr().cast(), bytes)? };
                self.log.count_up(bytes);
                to
            }
            keys => match self.sorted(members, own, keys)? {
                Some(order) => order,
                None => return Ok(Some(Reordered::AsBefore)),
            },
        };
        self.prepare(members, &[])?;
        self.room_to_relink(members, &links)?;
        let moving = self.room_to_move(members, own, (list, ids.address()))?;
        let memory = Box::new(DeviceList { memory: Arc::clone(&ids), log: self.log.clone(), len: slots });
        self.move_objects(members, own, &links, &moving, (left, Some(&*memory)))?;
        Ok(Some(Reordered::Moved(memory)))
    }

    /// The address of a class's objects in the order of their keys, unless they are in this order and all indices are in use.
    fn sorted(&mut self, members: &mut Members<'_>, own: usize, keys: NewOrder<'_>) -> Result<Option<u64>, Error> {
        let over = match keys {
            NewOrder::Results { launch, .. } => launch.sections[0].over.clone(),
            _ if members[own].holes() == 0 => Extent::Range(0..members[own].slots()),
            _ => Extent::List { list: members[own].live(), class: 0 },
        };
        let positions = Positions::of(&over);
        let len = positions.len() as u32;
        let order = self.scratch(Scratch::Links, len as usize * size_of::<u32>())?;
        let keys = match keys {
            NewOrder::Results { launch, integer, .. } => {
                let (_, results) =
                    self.with_groups(launch, |world, launch| world.results(members, launch, integer.wire))?;
                self.keys(results, integer, len)?
            }
            NewOrder::Random { seed, .. } => self.random_keys(seed, len)?,
            _ => unreachable!("other orders have no keys"),
        };
        self.sort_positions(keys, len, order, false)?;
        let is_dense = len as usize == members[own].slots();
        let has_moved = self.find_objects(&positions, order, is_dense)?;
        Ok((has_moved || !is_dense).then_some(order))
    }

    /// The keys for results, which are integers.
    fn keys(&mut self, results: u64, integer: Integer, len: u32) -> Result<Keys, Error> {
        let (size, log) = (integer.wire.size, self.log.clone());
        let (are_wide, bits) = (size == size_of::<u64>(), size as u32 * 8);
        if !integer.is_signed && size >= size_of::<u32>() {
            return Ok(Keys { address: results, are_wide, bits });
        }
        let address = self.scratch(Scratch::Keys, len as usize * if are_wide { 8 } else { 4 })?;
        let (bytes, flip) = (size as u32, u64::from(integer.is_signed) << (bits - 1));
        let own = [
            Argument::of(&results),
            Argument::of(&bytes),
            Argument::of(&flip),
            Argument::of(&len),
            Argument::of(&address),
        ];
        log.start(NAME, &log.kernels.convert, blocks(len), EACH, &own)?;
        Ok(Keys { address, are_wide, bits })
    }

    /// Random keys, as the host draws them.
    fn random_keys(&mut self, seed: u64, len: u32) -> Result<Keys, Error> {
        let (address, log) = (self.scratch(Scratch::Keys, len as usize * size_of::<u64>())?, self.log.clone());
        let own = [Argument::of(&seed), Argument::of(&len), Argument::of(&address)];
        log.start(NAME, &log.kernels.draw, blocks(len), EACH, &own)?;
        Ok(Keys { address, are_wide: true, bits: u64::BITS })
    }
}
