//! Objects that move to other indices: their columns are gathered in another order, and links are replaced by a table.

use std::sync::Arc;

use ikra_core::class::ClassId;
use ikra_core::device_lives::LinkChange;
use ikra_core::effects::FieldSet;
use ikra_core::info::{FieldInfo, linked_classes};
use ikra_core::kernel::Argument;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::list::ListMemory;
use ikra_runtime::objects::AnyObjects;

use super::kernels::NAME;
use crate::arguments::Arguments;
use crate::changes::room;
use crate::chunks::{LINKS_PER_THREAD, LIVES_THREADS, MOVES};
use crate::device_columns::DeviceColumns;
use crate::device_world::DeviceWorld;
use crate::driver::Grid;
use crate::lists::DeviceList;
use crate::tables::{Loaded, Members};

/// Links of a class's objects to a class that changes.
pub(crate) struct Links {
    pub(super) member: usize,
    kind: LinksKind,
}

enum LinksKind {
    /// A column of single links, and whether they become empty when their objects are removed.
    Column { field: usize, empties: bool },
    /// Links in fields of any kind, which the class's own entry point changes.
    Fields(FieldSet, LinksEntry),
}

/// The entry point that changes links of a class's objects to those of another class.
#[derive(Clone)]
pub(super) struct LinksEntry {
    loaded: Arc<Loaded>,
    /// The position of the other class among those to which links lead.
    class: u64,
}

impl Links {
    fn fields(&self) -> FieldSet {
        match self.kind {
            LinksKind::Column { field, .. } => FieldSet::from_bits(1 << field),
            LinksKind::Fields(fields, _) => fields,
        }
    }
}

/// A change of the objects of a class, to which links are adapted.
#[derive(Clone, Copy)]
pub(super) struct Changed {
    pub(super) how: ChangedHow,
    /// The number of these objects.
    pub(super) slots: u32,
}

/// How they changed.
#[derive(Clone, Copy)]
pub(super) enum ChangedHow {
    /// The objects whose bits are set at this address were removed.
    Removed(u64),
    /// They moved, and their new ids are at this address.
    Moved(u64),
}

impl Changed {
    /// What an entry point takes that changes links in these fields.
    pub(super) fn of(self, entry: &LinksEntry, fields: FieldSet) -> LinkChange {
        let (changed, have_moved) = match self.how {
            ChangedHow::Removed(bits) => (bits, 0),
            ChangedHow::Moved(ids) => (ids, 1),
        };
        let (class, fields) = (entry.class, fields.bits());
        LinkChange { class, fields, changed, slots: self.slots, have_moved, ..LinkChange::default() }
    }
}

/// Memory for objects that move.
pub(crate) struct Moving {
    /// For their indices.
    pub(crate) list: u64,
    /// For the new id of each index, or 0 if nobody needs it.
    pub(crate) ids: u64,
    /// The address of each column, that of its snapshot, and the size of an element.
    columns: Vec<[u64; 3]>,
    /// For these.
    table: u64,
}

/// Whether a field is a single link of four bytes to one class.
fn is_plain_link(field: &FieldInfo, class: ClassId) -> bool {
    field.array.is_none()
        && field.holds_links_to.len() == 1
        && field.holds_links_to[0] == class
        && matches!(field.columns, [column] if column.size == size_of::<u32>())
}

/// Whether all values of a class are in columns of single elements, one per object.
pub(crate) fn can_move(objects: &dyn AnyObjects) -> bool {
    objects.has_own_columns() && objects.arrays().is_empty()
}

/// Whether a device can tell the world's classes apart, for which it knows hashes only.
pub(crate) fn can_tell_apart(members: &Members<'_>) -> bool {
    let are_one = |one: &dyn AnyObjects, other: &dyn AnyObjects| one.class().may_be(other.class());
    !members.iter().enumerate().any(|(n, one)| members[..n].iter().any(|other| are_one(&**one, &**other)))
}

impl DeviceWorld {
    /// The links to a class, if the device can change all of them. If some of its objects are removed, links must become
    /// empty or leave their arrays, unless their objects go too.
    pub(crate) fn links_to(
        &mut self,
        members: &Members<'_>,
        class: ClassId,
        removes: bool,
    ) -> Result<Option<Vec<Links>>, GpuError> {
        let mut links = Vec::new();
        for (member, objects) in members.iter().enumerate() {
            let mut others = 0;
            for (field, info) in objects.fields().iter().enumerate() {
                if !info.holds_links_to.contains(&class) {
                    continue;
                }
                let &FieldInfo { empties, cascades, .. } = info;
                if removes && !empties && !cascades {
                    return Ok(None);
                }
                if !cascades && is_plain_link(info, class) && self.column_of(&**objects, field).is_some() {
                    links.push(Links { member, kind: LinksKind::Column { field, empties } });
                } else {
                    others |= 1 << field;
                }
            }
            if others != 0 {
                let Some(entry) = self.entry_for_links(members, member, class)? else { return Ok(None) };
                links.push(Links { member, kind: LinksKind::Fields(FieldSet::from_bits(others), entry) });
            }
        }
        Ok(Some(links))
    }

    /// The entry point of a member's links to objects of a class, if the device code has it.
    pub(super) fn entry_for_links(
        &mut self,
        members: &Members<'_>,
        member: usize,
        class: ClassId,
    ) -> Result<Option<LinksEntry>, GpuError> {
        let objects = &*members[member];
        let place = linked_classes(objects.fields()).iter().position(|linked| linked.may_be(class));
        let Some((class, loaded)) = place.zip(self.links_entry(member, objects)?) else { return Ok(None) };
        Ok(Some(LinksEntry { loaded, class: class as u64 }))
    }

    /// Makes the bits current by which entry points know a member's objects that exist.
    pub(super) fn keep_holes(&mut self, members: &mut Members<'_>, member: usize) -> Result<(), Error> {
        if members[member].holes() > 0 { self.keep_live(&mut *members[member], 0) } else { Ok(()) }
    }

    /// Makes the bits current that entry points of links need.
    pub(crate) fn room_to_relink(&mut self, members: &mut Members<'_>, links: &[Links]) -> Result<(), Error> {
        let mut own_entries = links.iter().filter(|links| matches!(links.kind, LinksKind::Fields(..)));
        own_entries.try_for_each(|links| self.keep_holes(members, links.member))
    }

    /// Memory to move objects of a class, besides that for their indices and new ids.
    pub(crate) fn room_to_move(
        &mut self,
        members: &mut Members<'_>,
        own: usize,
        (list, ids): (u64, u64),
    ) -> Result<Moving, Error> {
        let (log, objects) = (self.log.clone(), &mut members[own]);
        let (slots, name, units) = (objects.slots(), objects.name(), objects.units());
        let columns = DeviceColumns::of(&mut **objects, &log)?;
        columns.prepare_shadow(FieldSet::ALL, name)?;
        let columns = columns.elements(&units, slots);
        let table = room(&mut self.changes.columns, &log, size_of_val(&columns[..]))?;
        Ok(Moving { list, ids, columns, table })
    }

    /// Keeps the objects of a class that are in a list on the device, `left` of them, in this order. The world is
    /// [prepared](Self::prepare). `ids` are the new ids, unless the objects keep their order.
    pub(crate) fn move_objects(
        &mut self,
        members: &mut Members<'_>,
        own: usize,
        links: &[Links],
        moving: &Moving,
        (left, ids): (usize, Option<&DeviceList>),
    ) -> Result<(), Error> {
        let (log, slots, len) = (self.log.clone(), members[own].slots() as u32, left as u32);
        let Moving { list, ids: ids_at, columns, table } = moving;
        if *ids_at != 0 {
            // SAFETY: memory of this size; its earlier users come before this in the stream (I28).
            unsafe { log.stream.zero(*ids_at, slots as usize * size_of::<u32>())? };
        }
        let (columns_bytes, count) = (size_of_val(&columns[..]), columns.len() as u32);
        // SAFETY: there is room for the table; earlier users of the memory come before this in the stream (I28).
        unsafe { log.stream.upload(*table, columns.as_ptr().cast(), columns_bytes)? };
        // Before the first change: if the device fails half way, all of these values are lost together.
        self.note_relinked(members, links);
        // SAFETY: the device has all values of the class, and has them at their new indices next (I26).
        unsafe { members[own].copies().changed(log.number(), FieldSet::ALL) };
        log.whole(|| {
            if len > 0 {
                let [table, count] = [Argument::of(table), Argument::of(&count)];
                let arguments = [table, count, Argument::of(list), Argument::of(&len), Argument::of(ids_at)];
                self.launch(&log.kernels.gather, len.div_ceil(MOVES), LIVES_THREADS, 0, &arguments)?;
            }
            let objects = &mut members[own];
            DeviceColumns::of(&mut **objects, &log)?.swap_shadow(FieldSet::ALL);
            let ids = ids.filter(|_| objects.has_tracks()).map(|ids| ids.fetch()).transpose()?;
            // SAFETY: the objects in the list are the first `left`, in this order, and links are remapped next, or lost.
            unsafe { objects.moved_on_device(left, ids.as_deref()) };
            self.changes.lives[own].is_ahead = false;
            self.changes.lives[own].list = None;
            let changed = Changed { how: ChangedHow::Moved(*ids_at), slots };
            links.iter().try_for_each(|links| self.change_links(members, links, changed))
        })
    }

    /// Notes that the device alone is current for columns of links.
    pub(crate) fn note_relinked(&self, members: &mut Members<'_>, links: &[Links]) {
        for links in links {
            let (objects, fields) = (&mut members[links.member], links.fields());
            // SAFETY: the device has all values of the class, and changes these next (I26).
            unsafe { objects.copies().changed(self.log.number(), fields) };
            let arrays = fields.intersection(objects.arrays());
            if let Some(columns) = DeviceColumns::known(&mut **objects, self.log.number()) {
                columns.forget_shadow(arrays);
            }
        }
    }

    /// Starts the kernel that adapts links to a change of their objects.
    pub(super) fn change_links(
        &mut self,
        members: &mut Members<'_>,
        links: &Links,
        changed: Changed,
    ) -> Result<(), Error> {
        let (log, objects) = (self.log.clone(), &mut members[links.member]);
        let len = objects.slots() as u32;
        if len == 0 {
            return Ok(());
        }
        let (field, empties) = match &links.kind {
            LinksKind::Fields(fields, entry) => {
                let change = changed.of(entry, *fields);
                return self.change_fields(members, links.member, entry, change);
            }
            LinksKind::Column { field, empties } => (*field, u32::from(*empties)),
        };
        let Some(span) = self.column_of(&**objects, field) else { unreachable!("link columns are contiguous") };
        let Some(column) = DeviceColumns::of(&mut **objects, &log)?.address(&span) else {
            unreachable!("a field is in the class's columns")
        };
        let blocks = len.div_ceil(LINKS_PER_THREAD as u32 * LIVES_THREADS);
        let [column, len, slots] = [Argument::of(&column), Argument::of(&len), Argument::of(&changed.slots)];
        let (function, own) = match &changed.how {
            ChangedHow::Removed(bits) => (&log.kernels.unlink, &[column, len, Argument::of(bits), slots][..]),
            ChangedHow::Moved(ids) => {
                (&log.kernels.relink, &[column, len, Argument::of(ids), slots, Argument::of(&empties)][..])
            }
        };
        self.launch(function, blocks, LIVES_THREADS, 0, own)
    }

    /// Starts the entry point that changes links of a class's objects, or marks some of them.
    pub(super) fn change_fields(
        &mut self,
        members: &mut Members<'_>,
        member: usize,
        LinksEntry { loaded, .. }: &LinksEntry,
        mut change: LinkChange,
    ) -> Result<(), Error> {
        let (len, holes) = (members[member].slots() as u32, members[member].holes());
        if len == 0 {
            return Ok(());
        }
        (change.len, change.live) = (len, if holes > 0 { self.changes.lives[member].live() } else { 0 });
        self.prepare(members, &[])?;
        let words = self.words(members, loaded)?;
        let grid = Grid { blocks: len.div_ceil(LIVES_THREADS), threads: LIVES_THREADS, rows: 1, shared_bytes: 0 };
        let change = change.words();
        let arguments = Arguments { own: &[Argument::of(&change)], arguments: &[] };
        // SAFETY: the entry point takes this value and these table entries. What it describes is in the device's memory: bits
        // or ids of the objects that changed, and bits of those that exist (I27, I28).
        arguments.with_places(&words, |all| unsafe { self.log.launch(NAME, &loaded.function, grid, all) })?;
        self.spare = words;
        Ok(())
    }
}
