//! Objects that are made on the device.

use ikra_runtime::error::Error;
use ikra_runtime::executor::{Extent, Launch, Section};

use crate::device_world::DeviceWorld;
use crate::tables::Members;

impl DeviceWorld {
    /// Adds the objects at these positions, and starts the constructor for them.
    pub(crate) fn construct(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        section: &Section<'_>,
    ) -> Result<(), Error> {
        let Extent::Range(range) = &section.over else { unreachable!("new objects are in a range") };
        let Some(member) = members.iter().position(|objects| objects.class() == section.effects.class()) else {
            unreachable!("the world has objects of the class")
        };
        members[member].make_room(range.end)?;
        // What the host has is copied to the device before there are objects that it does not have.
        self.prepare(members, &[])?;
        let objects = &mut members[member];
        // SAFETY: there is room. The constructor's kernel initialises them all before any other runs or the host fetches them,
        // and `commit` notes it; if it does not start, they are taken away below.
        let first = unsafe { objects.add(range.len()) };
        debug_assert_eq!(first, range.start, "new objects come after the last");
        let brings_links = objects.has_unchecked_links();
        let log = self.log.clone();
        let found = log.inbox().start().cast::<u32>();
        if brings_links {
            // SAFETY: host memory that holds results, of which none is awaited: who starts something that has one waits.
            unsafe { found.write_volatile(0) };
        }
        let started = self.start(members, launch, section);
        if started.is_err() {
            // SAFETY: they were just added.
            unsafe { members[member].truncate(first) };
        } else if brings_links {
            log.synchronize()?;
            // SAFETY: as above; the kernel has ended.
            if unsafe { found.read_volatile() } == 0 {
                // SAFETY: all links were checked before the constructor ran, and it found its own to be to objects.
                unsafe { members[member].set_links_checked() };
            }
        }
        started
    }
}
