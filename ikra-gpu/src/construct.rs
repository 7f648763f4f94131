//! Objects that are made on the device.

use ikra_runtime::error::Error;
use ikra_runtime::executor::{Launch, Over};

use crate::device_world::DeviceWorld;
use crate::tables::Members;

impl DeviceWorld {
    /// Adds the objects at these positions, and starts the constructor for them.
    pub(crate) fn construct(&mut self, members: &mut Members<'_>, launch: &Launch<'_>) -> Result<(), Error> {
        let Over::Range(range) = &launch.over else { unreachable!("new objects are in a range") };
        let Some(member) = members.iter().position(|objects| objects.class() == launch.effects.class) else {
            unreachable!("the world has objects of the class")
        };
        let objects = &mut members[member];
        if objects.capacity() < range.end {
            // Whoever grows moves all columns.
            objects.fetch_all()?;
        }
        // SAFETY: the constructor's kernel initialises them all before any other runs or the host fetches them; if
        // it does not start, they are taken away below.
        let first = unsafe { objects.add(range.len()) }?;
        debug_assert_eq!(first, range.start, "new objects come after the last");
        let started = self.start(members, launch);
        if started.is_err() {
            // SAFETY: they were just added.
            unsafe { members[member].truncate(first) };
        }
        started
    }
}
