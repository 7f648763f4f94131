//! Construction of objects on the device.

use ikra_runtime::error::Error;
use ikra_runtime::executor::{Extent, Launch, Section};

use crate::device_world::{DeviceWorld, Scratch};
use crate::tables::Members;

impl DeviceWorld {
    /// Adds the objects at these positions, and starts the constructor for them.
    pub(crate) fn construct(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        section: &Section,
    ) -> Result<(), Error> {
        let Extent::Range(range) = &section.over else { unreachable!("new objects are in a range") };
        let Some(member) = members.iter().position(|objects| objects.class() == section.effects.class()) else {
            unreachable!("the world has objects of the class")
        };
        members[member].make_room(range.end)?;
        // The host's values are copied to the device before it has objects that the host does not have.
        self.prepare(members, &[])?;
        // The constructor's flag for bad links, in memory that no other thread uses.
        let found = self.scratch(Scratch::Number, size_of::<u64>())?;
        if members[member].fields().iter().any(|field| !field.holds_links_to.is_empty()) {
            // SAFETY: memory of this size; its earlier users come before this in the stream (I28).
            unsafe { self.log.stream.zero(found, size_of::<u64>()) }.map_err(|error| self.log.blame(error))?;
        }
        let objects = &mut members[member];
        // SAFETY: there is room (I18). The constructor's kernel initialises all of them before any other kernel runs or
        // the host fetches them, and `commit` records that (I21). If the kernel does not start, they are removed below.
        let first = unsafe { objects.add(range.len()) };
        debug_assert_eq!(first, range.start, "new objects come after the last");
        let brings_links = objects.has_unchecked_links();
        let started = self.start(members, launch, section);
        if started.is_err() {
            // SAFETY: these objects were just added.
            unsafe { members[member].truncate(first) };
        } else if brings_links && self.read_numbers(found, 1)?[0] == 0 {
            // SAFETY: all links were checked before the constructor ran, and the constructor found that its own
            // links lead to existing objects.
            unsafe { members[member].set_links_checked() };
        }
        started
    }
}
