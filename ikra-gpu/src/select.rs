//! Selections that a device makes of what a kernel returns.

use ikra_core::transfer::WireType;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Extent, Launch};
use ikra_runtime::list::ListOrder;

use crate::changes::{bits_bytes, room};
use crate::chunks::CHUNK;
use crate::device_world::DeviceWorld;
use crate::lists::{DeviceList, Wanted};
use crate::step::Positions;
use crate::tables::Members;

/// The name in error messages.
const NAME: &str = "selecting objects";

impl DeviceWorld {
    /// The objects for which a kernel returns `true`, as a list on the device. `None` if the device cannot make it; then
    /// nothing has run.
    pub(crate) fn select(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
    ) -> Result<Option<ListOrder>, Error> {
        let [section] = launch.sections else { return Ok(None) };
        let positions = Positions::of(&section.over);
        let len = positions.len();
        if len == 0 || len > (u32::MAX - CHUNK) as usize {
            return Ok(None);
        }
        let wire = WireType::of::<bool>();
        let (_, flags) = self.with_groups(launch, |world, launch| world.results(members, launch, wire))?;
        let (log, len) = (self.log.clone(), len as u32);
        let bits = room(&mut self.changes.bits, &log, bits_bytes(len as usize))?;
        let sets = self.sets(bits, len)?;
        sets.number(&log, NAME, Wanted::Flags(flags, len))?;
        let found = self.read_numbers(sets.found, 3)?;
        let [count, first, last] = found[..] else { unreachable!("three numbers") };
        let (count, from) = (count as usize, positions.first);
        let bounds = match (&section.over, &positions.list) {
            _ if count == 0 => 0..0,
            (Extent::List { list, class }, Some(_)) => list.bounds_of(*class),
            _ => from + first as usize..from + last as usize + 1,
        };
        let memory = if count == bounds.len() {
            None
        } else {
            let places = count.next_multiple_of(32);
            let memory = self.memory_to_keep(places, "a selection")?;
            let list = self.upload_list(positions.list.as_ref())?;
            sets.write(&log, NAME, (list, from as u32), memory.address(), (0, 0))?;
            Some(Box::new(DeviceList { memory, log, len: places }) as Box<_>)
        };
        // SAFETY: the kernels counted the flags, and write the objects of the launch, each once and in their order (I17). A
        // list has fewer objects than the range that it is in, so that a part of it is no full range.
        Ok(Some(unsafe { ListOrder::on_device(&[(count, bounds)], memory) }))
    }
}
