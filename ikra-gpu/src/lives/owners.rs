//! Objects that go with those that a kernel removed: their fields have `on_remove = "cascade"`.

use ikra_core::effects::FieldSet;
use ikra_runtime::error::{Error, GpuError};

use super::moving::{Changed, ChangedHow, LinksEntry};
use super::{Gone, Plan};
use crate::changes::{bits_bytes, room};
use crate::device_world::DeviceWorld;
use crate::driver::Pieces;
use crate::tables::Members;

/// The most passes over the owners between two looks at their numbers.
const MOST_PASSES: usize = 1 << 10;

/// Objects of a class that go with those of another.
pub(super) struct Owner {
    member: usize,
    /// The position of the other class, and its own, among those whose objects may be removed.
    of: usize,
    place: usize,
    /// The fields whose links decide.
    fields: FieldSet,
    entry: LinksEntry,
}

/// The memory for marks.
struct Marks {
    /// Per class, the address of the marks, and of a copy which does not change during a pass.
    of: Vec<(u64, u64)>,
    bytes: Vec<usize>,
    /// The address of the number of owners per class.
    counts: u64,
}

impl DeviceWorld {
    /// The classes whose objects may go with those of a member, which is the first, and in which way. `None` if the device
    /// code cannot find them.
    pub(super) fn owners(
        &mut self,
        members: &Members<'_>,
        first: usize,
    ) -> Result<Option<(Vec<usize>, Vec<Owner>)>, GpuError> {
        let (mut classes, mut owners, mut of) = (vec![first], Vec::new(), 0);
        while let Some(&named) = classes.get(of) {
            let class = members[named].class();
            for (member, objects) in members.iter().enumerate() {
                let fields = objects.fields().iter().enumerate();
                let deciding = fields.filter(|(_, field)| field.cascades && field.holds_links_to.contains(&class));
                let fields = FieldSet::from_bits(deciding.fold(0, |bits, (field, _)| bits | 1 << field));
                if fields.is_empty() {
                    continue;
                }
                let Some(entry) = self.entry_for_links(members, member, class)? else { return Ok(None) };
                let place = classes.iter().position(|&known| known == member).unwrap_or_else(|| {
                    classes.push(member);
                    classes.len() - 1
                });
                owners.push(Owner { member, of, place, fields, entry });
            }
            of += 1;
        }
        Ok(Some((classes, owners)))
    }

    /// Finds the objects that go with removed ones, and those that go with these in turn. Returns all of them by class.
    pub(super) fn find_owners(
        &mut self,
        members: &mut Members<'_>,
        plan: &Plan,
        first: Gone,
    ) -> Result<Vec<Gone>, Error> {
        if plan.owners.is_empty() {
            return Ok(vec![first]);
        }
        let marks = self.room_for_marks(members, plan, first)?;
        for owner in &plan.owners {
            self.keep_holes(members, owner.member)?;
        }
        let (mut found, mut passes) = (vec![0; plan.going.len()], 1);
        loop {
            for _ in 0..passes {
                self.pass(members, plan, &marks)?;
            }
            let now = self.read_numbers(marks.counts, plan.going.len())?;
            if now == found {
                break;
            }
            // Chains of owners are short in most models.
            (found, passes) = (now, (passes * 2).min(MOST_PASSES));
        }
        let gone =
            plan.going.iter().zip(found).zip(&marks.of).enumerate().map(|(place, ((going, found), &(marks, _)))| {
                let count = found as usize + if place == 0 { first.count } else { 0 };
                Gone { place, marks, slots: members[going.member].slots(), count }
            });
        Ok(gone.filter(|gone| gone.count > 0).collect())
    }

    /// Marks the owners of marked objects.
    fn pass(&mut self, members: &mut Members<'_>, plan: &Plan, marks: &Marks) -> Result<(), Error> {
        for (&(from, to), &width) in marks.of.iter().zip(&marks.bytes) {
            // SAFETY: both have this many bytes; earlier users of the copy come before this in the stream (I28).
            unsafe { self.log.stream.copy(Pieces { from, to, width, rows: 1, pitch: width }) }
                .map_err(|error| self.log.blame(error))?;
        }
        for owner in &plan.owners {
            let slots = members[plan.going[owner.of].member].slots() as u32;
            let changed = Changed { how: ChangedHow::Removed(marks.of[owner.of].1), slots };
            let mut change = changed.of(&owner.entry, owner.fields);
            change.marks = marks.of[owner.place].0;
            change.gone = marks.counts + (owner.place * size_of::<u32>()) as u64;
            self.change_fields(members, owner.member, &owner.entry, change)?;
        }
        Ok(())
    }

    /// Memory for marks, with those of the kernel's class. All others are 0.
    fn room_for_marks(&mut self, members: &Members<'_>, plan: &Plan, first: Gone) -> Result<Marks, Error> {
        let bytes: Vec<usize> = plan.going.iter().map(|going| bits_bytes(members[going.member].slots())).collect();
        let counts_bytes = (plan.going.len() * size_of::<u32>()).next_multiple_of(16);
        // First the numbers and the marks of the other classes, which are 0 at first, then the copies.
        let (all, others): (usize, usize) = (bytes.iter().sum(), bytes[1..].iter().sum());
        let counts = room(&mut self.changes.owners, &self.log, counts_bytes + others + all)?;
        // SAFETY: memory of this size; its earlier users come before this in the stream (I28).
        unsafe { self.log.stream.zero(counts, counts_bytes + others)? };
        let mut place = counts + counts_bytes as u64;
        let mut next = |bytes: &usize| {
            let start = place;
            place += *bytes as u64;
            start
        };
        let own: Vec<u64> = std::iter::once(first.marks).chain(bytes[1..].iter().map(&mut next)).collect();
        let of = own.into_iter().zip(bytes.iter().map(next)).collect();
        Ok(Marks { of, bytes, counts })
    }
}
