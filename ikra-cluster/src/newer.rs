//! The newer values of other ranks, which the host fetches when it reads a column.

use std::any::Any;
use std::ops::Range;

use ikra_core::effects::FieldSet;
use ikra_runtime::error::Error;
use ikra_runtime::mirror::{Elements, Mirror, Unit};

use crate::state::Shared;

/// The values that other ranks have of a class's objects. Reading a column is an operation of all ranks.
#[derive(Debug)]
pub(crate) struct Newer {
    shared: Shared,
    /// The class's number in the world.
    class: usize,
    /// The number of the objects' table.
    table: u64,
    /// The columns of a class whose columns share memory, and the start of that memory.
    together: Option<(usize, Vec<Elements>)>,
}

impl Newer {
    pub(crate) fn new(shared: Shared, class: usize, table: u64) -> Self {
        Self { shared, class, table, together: None }
    }

    /// Sets the columns of a class whose columns share memory that starts at an address.
    pub(crate) fn set_together(&mut self, start: *mut u8, columns: Vec<Elements>) {
        self.together = Some((start.addr(), columns));
    }

    /// The columns of a unit, and its objects. None for an arena: no kernel that ranks share changes its elements.
    fn columns(&self, unit: &Unit) -> Option<(Vec<Elements>, Range<usize>)> {
        if let Some(found) = unit.elements() {
            return Some(found);
        }
        let (start, columns) = self.together.as_ref().filter(|_| unit.column == 0)?;
        let moved = columns.iter().map(|column| column.moved(*start, unit.start));
        Some((moved.collect(), 0..usize::MAX))
    }
}

/// The parts of units that a rank owns, of some fields.
fn owned(units: &[Unit], fields: FieldSet, own: &Range<usize>) -> Vec<Unit> {
    let of_fields = units.iter().filter(|unit| !unit.fields.intersection(fields).is_empty());
    let part = |unit: &Unit| {
        let (_, objects) = unit.elements()?;
        let start = own.start.clamp(objects.start, objects.end);
        Some(unit.part_within(start..own.end.clamp(start, objects.end)))
    };
    of_fields.filter_map(part).filter(|part| part.len > 0).collect()
}

// SAFETY: `collect_columns` writes elements of the units' columns only, of objects that exist.
unsafe impl Mirror for Newer {
    fn fetch(&self, units: &[Unit]) -> Result<(), Error> {
        self.fetch_beside(units, &|_| None)
    }

    fn fetch_beside<'m>(&self, units: &[Unit], others: &dyn Fn(u64) -> Option<&'m dyn Mirror>) -> Result<(), Error> {
        let mut state = self.shared.lock();
        let class = &state.classes[self.class];
        if class.table != self.table {
            let reason = format!(
                "objects of class {} were put into another world while other ranks had newer values of them; call \
                 `cluster.gather(&mut world)` before",
                class.name
            );
            return Err(Error::Cluster { reason });
        }
        let count = class.count;
        let (own, on_device) = (class.own(state.ranks.rank()), FieldSet::ALL.without(class.on_host));
        if let Some(device) = state.device.and_then(|device| others(device.stream)) {
            device.fetch(&owned(units, on_device, &own))?;
        }
        let mut groups: Vec<(Range<usize>, Vec<Elements>)> = Vec::new();
        for unit in units.iter().filter(|unit| unit.len > 0) {
            let Some((columns, objects)) = self.columns(unit) else { continue };
            let objects = objects.start.min(count)..objects.end.min(count);
            match groups.iter_mut().find(|group| group.0 == objects) {
                Some(group) => group.1.extend(columns),
                None => groups.push((objects, columns)),
            }
        }
        for (objects, columns) in groups {
            let is_all = objects == (0..count);
            // SAFETY: these are the class's columns, which are borrowed, and there are no references to the units' elements.
            unsafe { state.collect_columns(self.class, &columns, objects)? };
            if is_all {
                columns.iter().for_each(|column| state.set_collected(self.class, column.field));
            }
        }
        Ok(())
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
