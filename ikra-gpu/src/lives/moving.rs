//! Objects that move to other indices: their columns are gathered in another order, and links are replaced by a table.

use ikra_core::class::ClassId;
use ikra_core::effects::FieldSet;
use ikra_core::info::FieldInfo;
use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;
use ikra_runtime::list::ListMemory;
use ikra_runtime::objects::AnyObjects;

use crate::changes::room;
use crate::chunks::{LINKS_PER_THREAD, LIVES_THREADS, MOVES};
use crate::device_columns::DeviceColumns;
use crate::device_world::DeviceWorld;
use crate::driver::Function;
use crate::lists::DeviceList;
use crate::tables::Members;

/// A column of single links to a class.
pub(crate) struct Column {
    member: usize,
    field: usize,
    /// Whether they become empty when their objects are removed.
    empties: bool,
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
    /// The columns with links to a class, if all of them are such that the device can change them. If objects go, links to
    /// them must become empty, and nothing more.
    pub(crate) fn link_columns(&self, members: &Members<'_>, class: ClassId, removes: bool) -> Option<Vec<Column>> {
        let mut columns = Vec::new();
        for (member, objects) in members.iter().enumerate() {
            for (field, info) in objects.fields().iter().enumerate() {
                if !info.holds_links_to.contains(&class) {
                    continue;
                }
                let is_kept = removes && (!info.empties || info.cascades);
                if is_kept || !is_plain_link(info, class) || self.column_of(&**objects, field).is_none() {
                    return None;
                }
                columns.push(Column { member, field, empties: info.empties });
            }
        }
        Some(columns)
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
        links: &[Column],
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
        if len > 0 {
            let [table, count] = [Argument::of(table), Argument::of(&count)];
            let arguments = [table, count, Argument::of(list), Argument::of(&len), Argument::of(ids_at)];
            self.launch(&log.kernels.gather, len.div_ceil(MOVES), LIVES_THREADS, 0, &arguments)?;
        }
        let objects = &mut members[own];
        DeviceColumns::of(&mut **objects, &log)?.swap_shadow(FieldSet::ALL);
        let ids = match ids.filter(|_| objects.has_tracks()) {
            Some(ids) => Some(ids.fetch()?),
            None => None,
        };
        // SAFETY: the objects in the list are the first `left`, in this order, and links are remapped next.
        unsafe { objects.moved_on_device(left, ids.as_deref()) };
        self.changes.lives[own].is_ahead = false;
        self.changes.lives[own].list = None;
        for column in links {
            let empties = u32::from(column.empties);
            let own = [Argument::of(ids_at), Argument::of(&slots), Argument::of(&empties)];
            self.change_links(members, column, &log.kernels.relink, &own)?;
        }
        Ok(())
    }

    /// Notes that the device alone is current for columns of links.
    pub(crate) fn note_relinked(&self, members: &mut Members<'_>, links: &[Column]) {
        for &Column { member, field, .. } in links {
            // SAFETY: the device has all values of the class, and changes these next (I26).
            unsafe { members[member].copies().changed(self.log.number(), FieldSet::from_bits(1 << field)) };
        }
    }

    /// Starts a kernel that changes a column of links, whose address and length it takes before other arguments.
    pub(crate) fn change_links(
        &mut self,
        members: &mut Members<'_>,
        &Column { member, field, .. }: &Column,
        function: &Function,
        own: &[Argument<'_>],
    ) -> Result<(), Error> {
        let objects = &mut members[member];
        let len = objects.slots() as u32;
        if len == 0 {
            return Ok(());
        }
        let Some(span) = self.column_of(&**objects, field) else { unreachable!("link columns are contiguous") };
        let Some(column) = DeviceColumns::of(&mut **objects, &self.log)?.address(&span) else {
            unreachable!("a field is in the class's columns")
        };
        let arguments = [&[Argument::of(&column), Argument::of(&len)], own].concat();
        let blocks = len.div_ceil(LINKS_PER_THREAD as u32 * LIVES_THREADS);
        self.launch(function, blocks, LIVES_THREADS, 0, &arguments)
    }
}
