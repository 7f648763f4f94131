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

/// The stages of a birth: see `device::births::Stage`.
pub(super) const ROWS: u32 = 0;
const WRITE: u32 = 1;
const NUMBER: u32 = 2;
const CHECK: u32 = 3;

impl DeviceWorld {
    /// Whether the links of a kernel's new objects can be checked before these exist. Otherwise they are checked afterwards:
    /// links to new objects, or to those of a class with removed ones. If the class has links that nobody checked, the host
    /// checks all of them when it has to.
    pub(super) fn checks_rows(&self, members: &Members<'_>, made: &Made) -> bool {
        let objects = &members[made.member];
        let names = |class: ClassId| objects.fields().iter().any(|field| field.holds_links_to.contains(&class));
        let may_be_removed = members.iter().any(|other| other.holes() > 0 && names(other.class()));
        made.has_links && !made.names_young && !may_be_removed && !objects.has_unchecked_links()
    }

    /// Describes the objects of a class before `added` new ones come and `removed` ones go. Returns whether the device keeps one
    /// bit per index.
    pub(super) fn describe(
        &mut self,
        members: &mut Members<'_>,
        state: &mut DeviceLives,
        member: usize,
        (added, removed): (usize, usize),
    ) -> Result<bool, Error> {
        let objects = &members[member];
        let slots = objects.slots();
        state.slots = slots as u32;
        let leaves_holes = removed > 0 && !Self::left(&**objects, added, removed).1;
        let is_kept = objects.holes() > 0 || leaves_holes;
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
        state: &mut DeviceLives,
        (made, is_bad): (&'p Made, Option<bool>),
        (total, removed): (usize, usize),
    ) -> Result<Birth<'p>, Error> {
        let member = made.member;
        let (slots, holes) = (members[member].slots(), members[member].holes());
        let filled = holes.min(total);
        let added = total - filled;
        let is_kept = self.describe(members, state, member, (added, removed))?;
        if filled > 0 {
            let lives = &self.changes.lives[member];
            if lives.list.is_none() || lives.is_ahead {
                self.put_list(&mut *members[member], member, Wanted::SET)?;
            }
            state.free = self.changes.lives[member].free.as_ref().map_or(0, Memory::address);
        }
        (state.free_len, state.born) = (filled as u32, total as u32);
        members[member].make_room(slots + added)?;
        Ok(Birth { made, slots, filled, added, is_kept, is_bad })
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
        if let Err(error) = self.write_births(members, states, births) {
            for birth in births {
                // SAFETY: these objects were just added.
                unsafe { members[birth.made.member].truncate(birth.slots) };
            }
            // Bits of removed objects may be set, of which the host knows nothing.
            let has_filled = births.iter().any(|birth| birth.filled > 0);
            return if has_filled { self.log.whole(|| Err(error)) } else { Err(error) };
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
            let is_bad = match birth.is_bad {
                Some(is_bad) => is_bad,
                None => self.read_numbers(states[member].bad_links, 1)?[0] != 0,
            };
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
    fn write_births(
        &mut self,
        members: &mut Members<'_>,
        states: &[DeviceLives],
        births: &[Birth<'_>],
    ) -> Result<(), Error> {
        self.prepare(members, &[])?;
        self.write_lives(states)?;
        // First all objects get values, then links among them are numbered, and then checked.
        for stage in [WRITE, NUMBER, CHECK] {
            for Birth { made, is_bad, .. } in births {
                let is_needed = match stage {
                    NUMBER => made.names_young,
                    CHECK => made.has_links && is_bad.is_none(),
                    _ => true,
                };
                if is_needed {
                    self.start_births(members, made, stage, states[made.member].born)?;
                }
            }
        }
        Ok(())
    }

    /// Starts a stage of the birth of a class's objects, with so many threads. The world is [prepared](Self::prepare), and the
    /// kernel that makes the objects was started.
    pub(super) fn start_births(
        &mut self,
        members: &mut Members<'_>,
        made: &Made,
        stage: u32,
        threads: u32,
    ) -> Result<(), Error> {
        let words = self.words(members, &made.entry)?;
        let grid = Grid { blocks: threads.div_ceil(LIVES_THREADS), threads: LIVES_THREADS, rows: 1, shared_bytes: 0 };
        let own = [Argument::of(&stage)];
        let (arguments, function) = (Arguments { own: &own, arguments: &[] }, &made.entry.function);
        // SAFETY: the entry point takes a number and these table entries. The kernel that made the objects comes before it in the
        // stream, as do ranks and free indices, which the first stage does not need. When objects are written, the columns
        // have room for them, on the device too (I27).
        arguments.with_places(&words, |all| unsafe { self.log.launch(NAME, function, grid, all) })?;
        self.spare = words;
        Ok(())
    }
}
