//! Reductions for objects that other kernels choose.

use std::sync::Arc;

use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Extent, Launch, Reduction, Section};

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
        let [section] = launch.sections else { return Ok(false) };
        let positions = Positions::of(&section.over);
        // Filters make a list: all of them, or all but the last if that and the kernel have an entry point together.
        let last = launch.filters.split_last();
        let together = last.and_then(|(last, others)| Some((last, others, self.together(section, last)?)));
        let (last, listing, kind) = match together {
            Some((last, others, kind)) => (Some(last), others, kind),
            None => (None, launch.filters, Kind::Reduce(section.reducer)),
        };
        let own = last.map(|last| &last.sections[0]);
        let meaning = own.map_or(0, |own| own.entry.fingerprint.rotate_left(1));
        let is_heavy = section.effects.is_heavy() || own.is_some_and(|own| own.effects.is_heavy());
        // The number of objects in a chunk depends on whether a kernel of the chain is heavy. An entry point knows its own.
        let is_heavier = |filter: &Launch<'_>| filter.sections.iter().any(|own| own.effects.is_heavy());
        let among = if listing.is_empty() {
            (positions.first as u32, positions.end as u32, self.upload_list(positions.list.as_ref())?)
        } else {
            if positions.len() > MOST || !is_heavy && listing.iter().any(is_heavier) {
                return Ok(false);
            }
            let mut over = section.over.clone();
            for filter in listing {
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
            (0, positions.len() as u32, self.masked(&positions, &Positions::of(&over))?)
        };
        self.with_groups(launch, |world, launch| {
            let chooses = last.map_or(&[][..], |last| last.arguments);
            let arguments: Vec<_> = chooses.iter().chain(launch.arguments).copied().collect();
            let combined = Combined { kind, meaning, is_heavy, arguments: &arguments };
            world.reduce(members, (launch.kernel, section), &combined, among, (reduction, reduction.results.as_ptr()))
        })?;
        Ok(true)
    }

    /// The entry point that combines the results of a kernel for the objects that another one chooses, if there is one.
    fn together(&self, section: &Section, filter: &Launch<'_>) -> Option<Kind> {
        let mut kinds = filter.sections[0].entry.origin.keys().map(|key| Kind::ReduceChosen(section.reducer, key));
        kinds.find(|&kind| self.codes.find(section.entry, kind).is_some())
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
