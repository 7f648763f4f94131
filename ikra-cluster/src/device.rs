//! Ranks whose kernels run on a GPU: which of a rank's own values are on its host, and which on its device.

use std::ops::Range;

use ikra_core::effects::FieldSet;
use ikra_runtime::error::Error;
use ikra_runtime::mirror::{Mirror, Unit};
use ikra_runtime::objects::AnyObjects;
use ikra_runtime::place::Place;

use crate::across::Ranges;
use crate::state::{State, each};

/// Objects between two runs of a list that are copied with them: a copy takes as long as that many bytes.
const GAP: usize = 1 << 14;

/// The device on which a rank runs its kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device {
    pub(crate) place: Place,
    /// The stream on which it has copies.
    pub(crate) stream: u64,
}

/// The parts of units that have some objects of some fields.
pub(crate) fn parts(units: &[Unit], fields: FieldSet, objects: &[Range<usize>]) -> Vec<Unit> {
    let of_fields = units.iter().filter(|unit| !unit.fields.intersection(fields).is_empty());
    let parts = of_fields.flat_map(|unit| objects.iter().map(|range| unit.part(range.clone())));
    parts.filter(|part| part.len > 0).collect()
}

/// The ranges that cover a list of objects, in ascending order, with a few others.
pub(crate) fn runs(lists: impl Iterator<Item = u32>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for index in lists.map(|index| index as usize) {
        match runs.last_mut() {
            Some(run) if index >= run.start && index < run.end + GAP => run.end = run.end.max(index + 1),
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

impl State {
    /// Notes that the device has all fields of a class: the launch has copied what it lacked from the host.
    pub(crate) fn note_on_device(&mut self, number: usize) {
        let class = &mut self.classes[number];
        let new = class.all().without(class.on_device);
        class.on_device = class.all();
        for field in each(new, class.fields.len()) {
            class.gathered[field] = 0;
            self.halos.values_mut().for_each(|halo| halo.note_copied(number, field));
        }
    }

    /// Copies the rank's own values of some fields from its device to its host.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub(crate) fn bring_home(
        &mut self,
        number: usize,
        fields: FieldSet,
        objects: &mut dyn AnyObjects,
    ) -> Result<(), Error> {
        let class = &self.classes[number];
        let fields = fields.intersection(class.all()).without(class.on_host);
        let own = class.own(self.ranks.rank());
        if !fields.is_empty() {
            self.fetch(fields, &[own], objects)?;
            let class = &mut self.classes[number];
            class.on_host = class.on_host.union(fields);
        }
        Ok(())
    }

    /// Copies the values of some objects from the device to the host.
    fn fetch(&self, fields: FieldSet, objects: &[Range<usize>], of: &mut dyn AnyObjects) -> Result<(), Error> {
        let parts = parts(&of.units(), fields, objects);
        match self.mirror(of) {
            Some(mirror) => mirror.fetch(&parts),
            None => Err(Error::Cluster { reason: String::from("the device has lost a rank's values") }),
        }
    }

    /// Copies the values of some objects from the host to the device.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub(crate) fn store(
        &self,
        fields: FieldSet,
        objects: &[Range<usize>],
        of: &mut dyn AnyObjects,
    ) -> Result<(), Error> {
        let parts = parts(&of.units(), fields, objects);
        match self.mirror(of) {
            Some(mirror) if !parts.is_empty() => mirror.store(&parts).map(drop),
            _ => Ok(()),
        }
    }

    /// The device's copy of some objects.
    pub(crate) fn mirror<'o>(&self, objects: &'o mut dyn AnyObjects) -> Option<&'o mut dyn Mirror> {
        let stream = self.device?.stream;
        // SAFETY: it is used for these objects' columns.
        unsafe { objects.copies().mirror(stream) }
    }

    /// Copies the values of a class's objects, in the lists for all ranks, from the device.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub(crate) fn fetch_listed(
        &self,
        number: usize,
        fields: FieldSet,
        lists: &[Vec<Vec<u32>>],
        of: &mut dyn AnyObjects,
    ) -> Result<(), Error> {
        let fields = fields.without(self.classes[number].on_host);
        if fields.is_empty() {
            return Ok(());
        }
        let mut listed: Vec<u32> = lists.iter().flat_map(|lists| lists[number].iter().copied()).collect();
        listed.sort_unstable();
        self.fetch(fields, &runs(listed.into_iter()), of)
    }

    /// Copies the values of ghosts to the device, as far as it has the fields.
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub(crate) fn store_listed(
        &self,
        number: usize,
        fields: FieldSet,
        runs: &[Ranges],
        of: &mut dyn AnyObjects,
    ) -> Result<(), Error> {
        let fields = fields.intersection(self.classes[number].on_device);
        if fields.is_empty() {
            return Ok(());
        }
        // Ghosts of one rank at a time: between those of two ranks are own objects, whose values on the host may be older.
        let runs: Vec<_> = runs.iter().flat_map(|of_rank| of_rank[number].iter().cloned()).collect();
        self.store(fields, &runs, of)
    }
}
