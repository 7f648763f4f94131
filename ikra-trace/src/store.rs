//! The traced objects of one class.

use std::any::{Any, TypeId};
use std::cell::Cell;
use std::collections::BTreeMap;

use ikra_core::class::{Class, Field};
use ikra_core::column::Column;
use ikra_core::effects::FieldSet;
use ikra_core::link::Link;
use ikra_core::storage::Stored;
use ikra_runtime::error::Error;
use ikra_runtime::objects::{AnyObjects, Lives, Objects};

use crate::back::{Back, Context};
use crate::error::{At, Problem, TraceError};
use crate::graph::Graph;
use crate::held::Holder;
use crate::tracer::Tracer;

/// The type of field `K` in a row.
pub(crate) type RowOf<C, const K: usize> = <<C as Field<K>>::Storage as Stored>::Row;

/// Compares a field of all objects with an earlier clone.
type Changes<C> = fn(&Objects<C>, &Objects<C>) -> Vec<Link<C>>;

/// The fields of a class that an ordinary type has.
pub struct Columns<C: Class> {
    fields: Vec<(usize, Changes<C>)>,
    /// Whether some of them own objects.
    own: bool,
}

impl<C: Class> Columns<C> {
    /// Adds a field; `owns` says whether the ordinary field owns objects.
    pub fn add<const K: usize>(&mut self, _: Column<C, K>, owns: bool)
    where
        C: Field<K>,
    {
        self.own |= owns;
        if self.fields.iter().all(|(field, _)| *field != K) {
            self.fields.push((K, |now, before| now.changed_since(before, Column::<C, K>::NEW)));
        }
    }
}

/// The traced objects of class `C`, by index.
pub(crate) struct Store<C: Class> {
    holders: Vec<Holder>,
    /// The first holder that was not visited.
    next: usize,
    /// The objects: first under construction, then as they were when last written back.
    objects: Objects<C>,
    /// Rows whose turn has not come.
    early: BTreeMap<usize, C>,
    /// The ordinary types, and their variants.
    types: Vec<(TypeId, usize)>,
    columns: Columns<C>,
    /// The ids' stamp when the objects entered the world.
    stamp: (u64, u64),
    /// Changed fields by object, since all changes were written; empty if there are none.
    changed: Vec<u64>,
    /// Those of them that `write_back` has begun to write, also before an error. As long as `changed`.
    written: Vec<Cell<u64>>,
    /// Whether `write_back` has found the object in a `Box`; empty if none of these has changed.
    reached: Vec<Cell<bool>>,
}

impl<C: Class> Store<C> {
    pub(crate) fn new() -> Self {
        Self {
            holders: Vec::new(),
            next: 0,
            objects: Objects::new(),
            early: BTreeMap::new(),
            types: Vec::new(),
            columns: Columns { fields: Vec::new(), own: false },
            stamp: (0, 0),
            changed: Vec::new(),
            written: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// Adds an object of a variant of an ordinary type, which has these fields.
    pub(crate) fn hold(
        &mut self,
        holder: Holder,
        ordinary: (TypeId, usize),
        columns: fn(&mut Columns<C>),
    ) -> Result<Link<C>, Error> {
        let too_many = Error::TooManyObjects { class: C::NAME, requested: self.holders.len() };
        let link = Link::from_index(self.holders.len()).ok_or(too_many)?;
        if !self.types.contains(&ordinary) {
            self.types.push(ordinary);
            columns(&mut self.columns);
        }
        self.holders.push(holder);
        Ok(link)
    }

    /// The next object to visit.
    fn next(&mut self) -> Option<(Holder, Link<C>)> {
        loop {
            let holder = self.holders.get(self.next)?;
            let link = Link::from_index(self.next)?;
            self.next += 1;
            if holder.object().is_some() {
                return Some((holder.clone(), link));
            }
        }
    }

    /// Adds the row of an object, in the order of ids.
    pub(crate) fn put(&mut self, link: Link<C>, row: C) -> Result<(), Error> {
        if link.index() != self.objects.len() {
            self.early.insert(link.index(), row);
            return Ok(());
        }
        self.objects.push(row)?;
        while !self.early.is_empty()
            && let Some(row) = self.early.remove(&self.objects.len())
        {
            self.objects.push(row)?;
        }
        Ok(())
    }

    /// The object's fields that have changed since.
    pub(crate) fn mask(&self, link: Link<C>) -> u64 {
        self.changed.get(link.index()).copied().unwrap_or(0)
    }

    /// Notes that a field is being written.
    pub(crate) fn note_written(&self, link: Link<C>, field: usize) {
        if let Some(written) = self.written.get(link.index()) {
            written.set(written.get() | 1 << field);
        }
    }

    fn owns_objects(&self) -> bool {
        self.columns.own
    }

    /// The indices of the owned objects that have changed.
    fn owned_changes(&self) -> impl Iterator<Item = usize> {
        let objects = self.changed.iter().zip(&self.holders).enumerate();
        objects.filter(|(_, (mask, holder))| **mask != 0 && holder.object().is_none()).map(|(index, _)| index)
    }
}

/// The objects of class `C` among a world's members.
pub(crate) fn find<'w, C: Class>(members: &[&'w dyn AnyObjects]) -> Option<&'w Objects<C>> {
    members.iter().find_map(|member| {
        let member: &dyn Any = *member;
        member.downcast_ref()
    })
}

/// A [`Store`] of any class.
pub(crate) trait AnyStore: Any {
    fn class(&self) -> &'static str;
    /// Visits all objects that are known and were not visited; returns whether there were any.
    fn visit(&self) -> fn(&mut Graph, usize) -> Result<bool, TraceError>;
    /// Puts the objects into a world, if this is their member.
    fn enter(&mut self, member: &mut dyn AnyObjects) -> bool;
    /// Fetches fields that a device has changed: those that ordinary types have, or all.
    fn fetch(&self, member: &mut dyn AnyObjects, all: bool) -> Result<(), TraceError>;
    /// Fails if ids have changed, or if objects are not initialised.
    fn check(&self, members: &[&dyn AnyObjects]) -> Result<(), TraceError>;
    /// Finds what has changed; returns whether an object that another owns has.
    fn compare(&mut self, members: &[&dyn AnyObjects]) -> bool;
    /// Writes the changes.
    fn write(&self, context: &Context<'_>) -> Result<(), TraceError>;
    /// The number of objects with a field that was written.
    fn written(&self) -> usize;
    /// Notes that an owned object was found.
    fn reach(&self, index: u32);
    /// Fails if an owned object has changed and was not found.
    fn check_reached(&self) -> Result<(), TraceError>;
    /// Takes the objects as they are now.
    fn keep(&mut self, members: &[&dyn AnyObjects]);
    /// What keeps the object at an index alive.
    fn holder(&self, index: u32) -> Option<&Holder>;
    /// Drops the object at an index if nothing else holds it.
    fn release(&mut self, index: u32);
}

fn visit<C: Class>(graph: &mut Graph, number: usize) -> Result<bool, TraceError> {
    let mut is_busy = false;
    while let Some((holder, link)) = graph.store_at::<C>(number).next() {
        is_busy = true;
        let Some(object) = holder.object() else { continue };
        let mut tracer = Tracer::new(graph);
        object.trace_at(link.into(), &mut tracer)?;
        tracer.finish().map_err(|problem| At::from(problem).of(link.into()))?;
    }
    Ok(is_busy)
}

/// When ids of the class last changed, and when objects were last removed.
fn stamp<C: Class>(objects: &Objects<C>) -> (u64, u64) {
    (AnyObjects::generation(objects), Lives::removed_at(objects))
}

impl<C: Class> AnyStore for Store<C> {
    fn class(&self) -> &'static str {
        C::NAME
    }

    fn visit(&self) -> fn(&mut Graph, usize) -> Result<bool, TraceError> {
        visit::<C>
    }

    fn enter(&mut self, member: &mut dyn AnyObjects) -> bool {
        let member: &mut dyn Any = member;
        let Some(objects) = member.downcast_mut::<Objects<C>>() else { return false };
        // The copy has no spare room, and the world keeps that of the original.
        let copy = self.objects.clone();
        *objects = std::mem::replace(&mut self.objects, copy);
        // A removal of no object gives them a stamp that, apart from their clones, no other objects have.
        objects.remove_all(&[]);
        self.stamp = stamp(objects);
        true
    }

    fn fetch(&self, member: &mut dyn AnyObjects, all: bool) -> Result<(), TraceError> {
        if member.class().type_id() != TypeId::of::<C>() || all && self.changed.is_empty() {
            return Ok(());
        }
        let fields = self.columns.fields.iter().fold(0, |fields, (field, _)| fields | 1 << field);
        Ok(member.fetch(if all { FieldSet::ALL } else { FieldSet::from_bits(fields) })?)
    }

    fn check(&self, members: &[&dyn AnyObjects]) -> Result<(), TraceError> {
        let objects = find::<C>(members)
            .filter(|objects| stamp(objects) == self.stamp && objects.len() >= self.holders.len())
            .ok_or(TraceError::IdsChanged { class: C::NAME })?;
        match objects.pending() {
            0 => Ok(()),
            pending => Err(Error::NotAllInitialized { class: C::NAME, pending }.into()),
        }
    }

    fn compare(&mut self, members: &[&dyn AnyObjects]) -> bool {
        // After an error, fields that may have been written stay changed, whatever the columns say now.
        for (changed, written) in self.changed.iter_mut().zip(&self.written) {
            *changed = written.get();
        }
        self.reached.clear();
        let Some(objects) = find::<C>(members) else { return false };
        for &(field, changes) in &self.columns.fields {
            let mut links = changes(objects, &self.objects);
            // No ordinary object belongs to those that were made after the trace.
            links.retain(|link| link.index() < self.holders.len());
            if !links.is_empty() && self.changed.is_empty() {
                self.changed.resize(self.holders.len(), 0);
                self.written.resize(self.holders.len(), Cell::new(0));
            }
            for link in links {
                self.changed[link.index()] |= 1 << field;
            }
        }
        let has_owned_changes = self.owned_changes().next().is_some();
        if has_owned_changes {
            self.reached.resize(self.holders.len(), Cell::new(false));
        }
        has_owned_changes
    }

    fn write(&self, context: &Context<'_>) -> Result<(), TraceError> {
        let visits_all = context.has_owned_changes && self.owns_objects();
        if self.changed.is_empty() && !visits_all {
            return Ok(());
        }
        for (index, holder) in self.holders.iter().enumerate() {
            let mask = self.changed.get(index).copied().unwrap_or(0);
            let (Some(object), Some(link)) = (holder.object(), Link::<C>::from_index(index)) else { continue };
            if mask == 0 && !visits_all {
                continue;
            }
            let mut back = Back::new(context);
            object.write_at(link.into(), &mut back)?;
            back.finish().map_err(|problem| At::from(problem).of(link.into()))?;
        }
        Ok(())
    }

    fn written(&self) -> usize {
        self.written.iter().filter(|written| written.get() != 0).count()
    }

    fn reach(&self, index: u32) {
        if let Some(reached) = self.reached.get(index as usize) {
            reached.set(true);
        }
    }

    fn check_reached(&self) -> Result<(), TraceError> {
        match self.owned_changes().find(|&index| !self.reached[index].get()).and_then(Link::<C>::from_index) {
            Some(link) => Err(At::from(Problem::Gone).of(link.into())),
            None => Ok(()),
        }
    }

    fn keep(&mut self, members: &[&dyn AnyObjects]) {
        if let Some(objects) = find::<C>(members)
            && !self.changed.is_empty()
        {
            self.objects = objects.clone();
            self.changed.clear();
            self.written.clear();
        }
    }

    fn holder(&self, index: u32) -> Option<&Holder> {
        self.holders.get(index as usize)
    }

    fn release(&mut self, index: u32) {
        if let Some(holder) = self.holders.get_mut(index as usize)
            && holder.is_last()
        {
            *holder = Holder::Owned;
        }
    }
}
