//! New objects that a kernel made, when it has ended.

use ikra_core::class::ClassId;
use ikra_core::device_lives::DeviceLives;
use ikra_core::effects::FieldSet;
use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;

use super::kernels::NAME;
use super::{Birth, Made, Plan};
use crate::arguments::Arguments;
use crate::chunks::LIVES_THREADS;
use crate::device_world::DeviceWorld;
use crate::driver::{Grid, Memory};
use crate::lists::Wanted;
use crate::tables::Members;

impl DeviceWorld {
    /// Describes the objects of a class before new ones come. Returns whether the device keeps one bit per index.
    pub(super) fn describe(
        &mut self,
        members: &mut Members<'_>,
        plan: &Plan,
        state: &mut DeviceLives,
        member: usize,
        added: usize,
    ) -> Result<bool, Error> {
        let slots = members[member].slots();
        state.slots = slots as u32;
        let is_kept = members[member].holes() > 0 || (member == plan.own && plan.effects.removes());
        if is_kept {
            self.keep_live(&mut *members[member], slots + added)?;
            state.live = self.changes.lives[member].live();
        }
        Ok(is_kept)
    }

    /// Makes room for a kernel's new objects of a class, and finds their indices.
    pub(super) fn make_room<'p>(
        &mut self,
        members: &mut Members<'_>,
        plan: &Plan,
        state: &mut DeviceLives,
        made: &'p Made,
        total: usize,
    ) -> Result<Birth<'p>, Error> {
        let member = made.member;
        let (slots, holes) = (members[member].slots(), members[member].holes());
        let filled = holes.min(total);
        let added = total - filled;
        let is_kept = self.describe(members, plan, state, member, added)?;
        if filled > 0 {
            let lives = &self.changes.lives[member];
            if lives.list.is_none() || lives.is_ahead {
                self.put_list(&mut *members[member], member, Wanted::SET)?;
            }
            state.free = self.changes.lives[member].free.as_ref().map_or(0, Memory::address);
        }
        (state.free_len, state.born) = (filled as u32, total as u32);
        members[member].make_room(slots + added)?;
        Ok(Birth { made, slots, filled, added, is_kept })
    }

    /// Puts a kernel's new objects into their columns.
    pub(super) fn deliver(
        &mut self,
        members: &mut Members<'_>,
        plan: &Plan,
        states: &[DeviceLives],
        births: &[Birth<'_>],
    ) -> Result<(), Error> {
        self.prepare(members, &[])?;
        let brought: Vec<bool> = births.iter().map(|birth| members[birth.made.member].has_unchecked_links()).collect();
        for birth in births {
            // SAFETY: there is room (I18). The entry points started below give all of them values before any other kernel
            // runs or the host fetches them, which is recorded then (I21). If one does not start, they are removed again.
            let first = unsafe { members[birth.made.member].add(birth.added) };
            debug_assert_eq!(first, birth.slots, "new objects come after the last");
        }
        if let Err(error) = self.start_births(members, states, births) {
            for birth in births {
                // SAFETY: these objects were just added.
                unsafe { members[birth.made.member].truncate(birth.slots) };
            }
            return Err(error);
        }
        for birth in births {
            let (objects, filled) = (&mut members[birth.made.member], birth.filled);
            // SAFETY: all values of the class are current on the device, and the new objects' are now (I26).
            unsafe { objects.copies().changed(self.log.number(), FieldSet::ALL) };
            let lives = &mut self.changes.lives[birth.made.member];
            lives.is_ahead = birth.is_kept;
            if birth.is_kept {
                let holes = objects.holes() - filled;
                let fetch = lives.fetch(&self.log, objects.slots(), holes, objects.name());
                // SAFETY: so many removed objects' indices are in use again, and their bits are set.
                unsafe { objects.changed_on_device(holes as u32, fetch, false, filled > 0) };
            }
        }
        for (birth, brought_links) in births.iter().zip(brought) {
            let member = birth.made.member;
            if brought_links || !members[member].has_unchecked_links() {
                continue;
            }
            let is_bad = self.read_numbers(states[member].bad_links, 1, |_| Ok(()))?[0] != 0;
            let names =
                |class: ClassId| members[member].fields().iter().any(|field| field.holds_links_to.contains(&class));
            // The entry point knows the removed objects of those classes alone of which the kernel makes objects.
            let is_known = |other: usize| plan.made.iter().any(|made| made.member == other);
            let mut others = members.iter().enumerate().filter(|(_, other)| other.holes() > 0 && names(other.class()));
            if !is_bad && others.all(|(other, _)| is_known(other)) {
                // SAFETY: all links were checked before the kernel, and the new objects' lead to existing objects.
                unsafe { members[member].set_links_checked() };
            }
        }
        Ok(())
    }

    /// Starts the entry points that write new objects.
    pub(super) fn start_births(
        &mut self,
        members: &mut Members<'_>,
        states: &[DeviceLives],
        births: &[Birth<'_>],
    ) -> Result<(), Error> {
        self.prepare(members, &[])?;
        self.write_lives(states)?;
        // First all objects get values, then links among them are numbered, and then checked.
        for stage in 0..3_u32 {
            for Birth { made, .. } in births {
                let mut fields = members[made.member].fields().iter();
                let is_needed = match stage {
                    0 => true,
                    1 => made.names_young,
                    _ => fields.any(|field| !field.holds_links_to.is_empty()),
                };
                if !is_needed {
                    continue;
                }
                let words = self.words(members, &made.entry)?;
                let blocks = states[made.member].born.div_ceil(LIVES_THREADS);
                let grid = Grid { blocks, threads: LIVES_THREADS, rows: 1, shared_bytes: 0 };
                let own = [Argument::of(&stage)];
                let (arguments, function) = (Arguments { own: &own, arguments: &[] }, &made.entry.function);
                // SAFETY: the entry point takes a number and these table entries. The kernel that made the objects comes
                // before it in the stream, as do ranks and free indices. The columns have room for the objects, on the
                // device too (I27).
                arguments.with_places(&words, |all| unsafe { self.log.launch(NAME, function, grid, all) })?;
                self.spare = words;
            }
        }
        Ok(())
    }
}
