//! Sorting of links on the device.

use ikra_core::class::ClassId;
use ikra_core::effects::FieldSet;
use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;
use ikra_runtime::list::{LinkWords, ListMemory, ListOrder, Stored, Unordered};

use crate::chunks::{CHUNK, CHUNK_WORDS, WIDE};
use crate::device_columns::DeviceColumns;
use crate::device_world::{DeviceWorld, Scratch};
use crate::lists::{DeviceList, Sets, Wanted};
use crate::stream_log::Block;
use crate::tables::Members;

/// The largest number of classes for which links are sorted here.
const MOST_CLASSES: usize = 32;
/// Threads of a block that checks links.
const MARK_THREADS: u32 = 256;
/// The name in error messages.
const NAME: &str = "putting links in order";

/// Links in device memory: their address, their number, and the tag bits of the class, or [`WIDE`].
struct Source {
    address: u64,
    len: usize,
    tag_bits: u32,
}

impl DeviceWorld {
    /// Sorts links. Returns `None` if the device cannot sort them.
    pub(crate) fn order(
        &mut self,
        members: &mut Members<'_>,
        unordered: &Unordered<'_>,
    ) -> Result<Option<ListOrder>, Error> {
        self.log.refuse_in_recording("a kernel for a list of links")?;
        if members.iter().any(|member| member.holes() > 0) {
            // Only the host knows the removed objects.
            return Ok(None);
        }
        let classes = unordered.classes;
        if classes.len() > MOST_CLASSES {
            return Ok(None);
        }
        let Some(source) = self.source(members, unordered)? else { return Ok(None) };

        // The first chunk and the number of objects of each class, followed by the end of the chunks.
        let mut table: Vec<[u32; 2]> = Vec::new();
        let mut chunks = 0;
        for &class in classes {
            let count = members.iter().find(|objects| objects.class() == class).map_or(0, |objects| objects.count());
            table.push([chunks, count]);
            chunks += count.div_ceil(CHUNK);
        }
        table.push([chunks, 0]);
        let class_count = classes.len() as u32;

        // The memory that must be zero, followed by the rest.
        let sets_bytes = chunks as usize * CHUNK_WORDS as usize * size_of::<u32>();
        let found_bytes = size_of::<[u32; 3]>() * (1 + classes.len());
        let (table_bytes, counts_bytes) = (size_of_val(&table[..]), chunks as usize * size_of::<[u32; 3]>());
        let sets = self.scratch(Scratch::Sets, sets_bytes + found_bytes + table_bytes + counts_bytes)?;
        let found_from = sets + sets_bytes as u64;
        let found_at = found_from;
        let table_at = found_at + found_bytes as u64;
        let counts = table_at + table_bytes as u64;
        let of_classes = found_at + size_of::<[u32; 3]>() as u64;

        let log = self.log.clone();
        // SAFETY: the memory was just allocated; its earlier users come before this in the stream (I28).
        unsafe { log.stream.zero(sets, sets_bytes + found_bytes)? };
        // SAFETY: as above; the table follows the zeroed bytes.
        unsafe { log.stream.upload(table_at, table.as_ptr().cast(), table_bytes)? };
        let Source { address, len, tag_bits } = source;
        let count = len as u32;
        let blocks = count.div_ceil(MARK_THREADS);
        let own = [
            Argument::of(&address),
            Argument::of(&count),
            Argument::of(&tag_bits),
            Argument::of(&table_at),
            Argument::of(&class_count),
            Argument::of(&sets),
            Argument::of(&found_at),
        ];
        log.start(NAME, &log.kernels.mark, blocks, Block { threads: MARK_THREADS, words: 0 }, &own)?;
        let sets = Sets { bits: sets, classes: table_at, class_count, chunks, counts, found: of_classes };
        sets.number(&log, NAME, Wanted::SET)?;
        let found = self.read_numbers(found_from, found_bytes / size_of::<u32>())?;
        let ([[wrong, ..], of_classes @ ..], _) = found.as_chunks::<3>() else {
            unreachable!("the first is not a class's")
        };
        let all: usize = of_classes.iter().map(|[len, ..]| *len as usize).sum();
        if *wrong != 0 || all != len {
            // A link to no object, or two links to one object.
            return Ok(None);
        }
        let listed = of_classes.iter().map(|&[len, first, last]| {
            let bounds = if len == 0 { 0..0 } else { first as usize..last as usize + 1 };
            (len as usize, bounds)
        });
        let listed: Vec<_> = listed.collect();
        let memory = if listed.iter().all(|(len, bounds)| *len == bounds.len()) {
            None
        } else {
            let places = listed.iter().fold(0, |places: usize, (len, _)| places.next_multiple_of(32) + len);
            let memory = self.memory_to_keep(places, "a list of objects")?;
            let list = memory.address();
            sets.write(&log, NAME, (0, 0), list, (0, 0))?;
            let list = DeviceList { memory, log: log.clone(), len: places };
            Some(Box::new(list) as Box<dyn ListMemory>)
        };
        // SAFETY: the kernels counted the objects of each class. The counts add up to the number of links, so each
        // object occurs once (I17). The kernels write the objects in this order.
        Ok(Some(unsafe { ListOrder::on_device(&listed, memory) }))
    }

    /// The address of links on the device.
    fn source(&mut self, members: &mut Members<'_>, unordered: &Unordered<'_>) -> Result<Option<Source>, Error> {
        let tag_bits = unordered.classes.len().next_power_of_two().trailing_zeros();
        // Each class of the list starts at a multiple of 32, and positions are 32-bit numbers.
        let fits = |len: usize| u32::try_from(len + 32 * MOST_CLASSES).is_ok();
        let (start, bytes, len, tag_bits) = match &unordered.links {
            Stored::Host(LinkWords::Narrow(links)) => {
                (links.as_ptr().cast::<u8>(), size_of_val(*links), links.len(), tag_bits)
            }
            Stored::Host(LinkWords::Wide(links)) => (links.as_ptr().cast(), size_of_val(*links), links.len(), WIDE),
            Stored::Column { class, field, is_wide } => {
                let (size, tag_bits) = if *is_wide { (8, WIDE) } else { (4, tag_bits) };
                let found = self.column(members, *class, *field, size)?.filter(|(_, len)| fits(*len));
                return Ok(found.map(|(address, len)| Source { address, len, tag_bits }));
            }
            _ => return Ok(None),
        };
        if len == 0 || !fits(len) {
            return Ok(None);
        }
        let address = self.scratch(Scratch::Links, bytes)?;
        // SAFETY: the allocation has room for the links.
        unsafe { self.log.stream.upload(address, start, bytes) }.map_err(|error| self.log.blame(error))?;
        self.log.count_up(bytes);
        Ok(Some(Source { address, len, tag_bits }))
    }

    /// Address and length of a contiguous column on the device, with elements of this size.
    fn column(
        &mut self,
        members: &mut Members<'_>,
        class: ClassId,
        field: usize,
        size: usize,
    ) -> Result<Option<(u64, usize)>, Error> {
        self.prepare(members, &[])?;
        let Some(objects) = members.iter_mut().find(|objects| objects.class() == class) else { return Ok(None) };
        let len = objects.count() as usize;
        if len == 0 {
            return Ok(None);
        }
        let spans = objects.spans(FieldSet::from_bits(1 << field), 0, len);
        let [span] = spans.as_slice() else { return Ok(None) };
        if (span.rows, span.width) != (1, len * size) {
            return Ok(None);
        }
        Ok(DeviceColumns::of(&mut **objects, &self.log)?.address(span).map(|address| (address, len)))
    }
}
