//! Construction of objects on the device.

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
        section: &Section,
    ) -> Result<(), Error> {
        let Extent::Range(range) = &section.over else { unreachable!("new objects are in a range") };
        let Some(member) = members.iter().position(|objects| objects.class() == section.effects.class()) else {
            unreachable!("the world has objects of the class")
        };
        members[member].make_room(range.end)?;
        // The host's values are copied to the device before it has objects that the host does not have.
        self.prepare(members, &[])?;
        let objects = &mut members[member];
        // SAFETY: there is room (I18). The constructor's kernel initialises all of them before any other kernel runs or
        // the host fetches them, and `commit` records that (I21). If the kernel does not start, they are removed below.
        let first = unsafe { objects.add(range.len()) };
        debug_assert_eq!(first, range.start, "new objects come after the last");
        let brings_links = objects.has_unchecked_links();
        let log = self.log.clone();
        let found = log.inbox().start().cast::<u32>();
        if brings_links {
            // SAFETY: host memory for results; none is pending, because every launch with a result waits for it.
            unsafe { found.write_volatile(0) };
        }
        let started = self.start(members, launch, section);
        if started.is_err() {
            // SAFETY: these objects were just added.
            unsafe { members[member].truncate(first) };
        } else if brings_links {
            log.synchronize()?;
            // SAFETY: as above; the kernel has ended.
            if unsafe { found.read_volatile() } == 0 {
                // SAFETY: all links were checked before the constructor ran, and the constructor found that its own
                // links lead to existing objects.
                unsafe { members[member].set_links_checked() };
            }
        }
        started
    }
}
