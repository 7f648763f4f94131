//! Reductions for objects that other kernels choose.

use std::sync::Arc;

use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Extent, Launch, Reduction};

use crate::code::Kind;
use crate::device_world::{DeviceWorld, Scratch};
use crate::reduce::Combined;
use crate::sort::{EACH, MOST, blocks};
use crate::step::Positions;
use crate::tables::Members;

/// The name in error messages.
const NAME: &str = "choosing objects";

impl DeviceWorld {
    /// Combines the results for the objects that all filters of a launch choose. Others count as the identity, and objects
    /// count from the first of all, so the order is that of the host. `false` if the device cannot; then nothing has
    /// changed.
    pub(crate) fn reduce_chosen(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        reduction: Reduction,
    ) -> Result<bool, Error> {
        if self.reduce_together(members, launch, reduction)? {
            return Ok(true);
        }
        let [section] = launch.sections else { return Ok(false) };
        let positions = Positions::of(&section.over);
        // The number of objects in a chunk depends on whether a kernel of the chain is heavy. An entry point knows its own.
        let is_heavier = |filter: &Launch<'_>| filter.sections.iter().any(|own| own.effects.is_heavy());
        if positions.len() > MOST || !section.effects.is_heavy() && launch.filters.iter().any(is_heavier) {
            return Ok(false);
        }
        let mut over = section.over.clone();
        for filter in launch.filters {
            if over.is_empty() {
                break;
            }
            // SAFETY: objects of the launch, which exist, and are of the filters' class.
            let own = unsafe { filter.sections[0].narrowed(over) };
            match self.select(members, &filter.alone(&own))? {
                Some(list) => over = Extent::List { list: Arc::new(list), class: 0 },
                None => return Ok(false),
            }
        }
        let masked = self.masked(&positions, &Positions::of(&over))?;
        self.with_groups(launch, |world, launch| {
            let combined = Combined {
                kind: Kind::Reduce(section.reducer),
                meaning: 0,
                is_heavy: section.effects.is_heavy(),
                arguments: launch.arguments,
            };
            let (among, to) = ((0, positions.len() as u32, masked), reduction.results.as_ptr());
            world.reduce(members, (launch.kernel, section), &combined, among, (reduction, to))
        })?;
        Ok(true)
    }

    /// As above in one kernel, if the model names the chain.
    fn reduce_together(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        reduction: Reduction,
    ) -> Result<bool, Error> {
        let ([section], [filter]) = (launch.sections, launch.filters) else { return Ok(false) };
        let (own, positions) = (&filter.sections[0], Positions::of(&section.over));
        let mut kinds = own.entry.origin.keys().map(|key| Kind::ReduceChosen(section.reducer, key));
        let Some(kind) = kinds.find(|&kind| self.codes.find(section.entry, kind).is_some()) else {
            return Ok(false);
        };
        let arguments: Vec<_> = filter.arguments.iter().chain(launch.arguments).copied().collect();
        let combined = Combined {
            kind,
            meaning: own.entry.fingerprint.rotate_left(1),
            is_heavy: section.effects.is_heavy() || own.effects.is_heavy(),
            arguments: &arguments,
        };
        let list = self.upload_list(positions.list.as_ref())?;
        let among = (positions.first as u32, positions.end as u32, list);
        self.reduce(members, (launch.kernel, section), &combined, among, (reduction, reduction.results.as_ptr()))?;
        Ok(true)
    }

    /// The address of a list of all objects at some positions, in which those that are not chosen are replaced by none.
    fn masked(&mut self, among: &Positions, chosen: &Positions) -> Result<u64, Error> {
        let (len, log) = (among.len(), self.log.clone());
        let masked = self.scratch(Scratch::Masked, len * size_of::<u32>())?;
        // SAFETY: memory of this size; its earlier users come before this in the stream (I28).
        unsafe { log.stream.fill(masked, u8::MAX, len * size_of::<u32>())? };
        if chosen.len() > 0 {
            let (list, all) = (self.upload_list(chosen.list.as_ref())?, self.upload_list(among.list.as_ref())?);
            let numbers = [chosen.first, chosen.end, among.first, among.end].map(|number| number as u32);
            let [first, end, start, last] = &numbers;
            let own = [
                Argument::of(&list),
                Argument::of(first),
                Argument::of(end),
                Argument::of(&all),
                Argument::of(start),
                Argument::of(last),
                Argument::of(&masked),
            ];
            log.start(NAME, &log.kernels.mask, blocks(chosen.len() as u32), EACH, &own)?;
        }
        Ok(masked)
    }
}
