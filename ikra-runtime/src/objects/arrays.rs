//! Inner arrays of one object, and of all objects at once.

use crate::class::{Class, Field, first_column};
use crate::column::Column;
use crate::error::Error;
use crate::layout::Contiguous;
use crate::link::Link;
use crate::objects::Objects;
use crate::objects::arena::Dead;
use crate::storage::{Arrangement, ArrayStorage, Bump, Extent, InnerArray, SliceSlots, Storage, arena_end, set_array};
use ikra_core::effects::FieldSet;

type StorageOf<C, const K: usize> = <C as Field<K>>::Storage;
type ElementOf<C, const K: usize> = <StorageOf<C, K> as ArrayStorage>::Element;

impl<C: Class> Objects<C> {
    /// Gives every object its array at once, from compressed rows: object `n` gets `elements[offsets[n]..offsets[n +
    /// 1]]`, whatever the former length of its array.
    ///
    /// A graph of a million vertices can be loaded this way: in one pass, without a call per element.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Vertex { pub level: u32, #[inline_array(2)] pub neighbours: InnerArray<Link<Vertex>> }
    /// #[soa_world]
    /// pub struct Graph { pub vertices: Objects<Vertex> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut graph = Graph::new();
    /// graph.vertices.extend((0..3).map(|_| Vertex { level: 0, neighbours: InnerArray::new() }))?;
    /// let links: Vec<_> = graph.vertices.links().collect();
    /// let targets = [links[1], links[2], links[0]];
    /// graph.vertices.set_arrays(vertex::neighbours, &[0, 2, 2, 3], &targets)?;
    /// assert_eq!(graph.get(links[0]).neighbours(), [links[1], links[2]]);
    /// assert!(graph.get(links[1]).neighbours().is_empty());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BadArrays`] if the number of offsets is not one more than the number of objects, or if the offsets
    /// descend or do not end at `elements.len()`; [`Error::ArenaFull`]; [`Error::ArenaAtLimit`];
    /// [`Error::OutOfMemory`]. No array has changed if there is an error.
    ///
    /// # Panics
    ///
    /// If a reserved object is not initialised, or if objects were removed: call `compact` before.
    #[track_caller]
    pub fn set_arrays<const K: usize>(
        &mut self,
        _: Column<C, K>,
        offsets: &[u32],
        elements: &[ElementOf<C, K>],
    ) -> Result<(), Error>
    where
        C: Field<K, Storage: ArrayStorage<Row = InnerArray<ElementOf<C, K>>>>,
    {
        self.assert_in_a_row();
        let bad = |reason: String| Error::BadArrays { class: C::NAME, field: C::FIELDS[K].name, reason };
        if offsets.len() != self.slots() + 1 {
            return Err(bad(format!(
                "{} objects need {} offsets, not {}",
                self.slots(),
                self.slots() + 1,
                offsets.len()
            )));
        }
        if let Some(n) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(bad(format!("offset {} is less than the one before it", n + 1)));
        }
        if offsets[0] != 0 || offsets[self.slots()] as usize != elements.len() {
            return Err(bad(format!(
                "offsets go from {} to {}, and there are {} elements",
                offsets[0],
                offsets[self.slots()],
                elements.len()
            )));
        }
        let slots = <<StorageOf<C, K> as ArrayStorage>::Arrangement as Arrangement>::INFO.slots;
        let size = size_of::<ElementOf<C, K>>();
        let rest: usize = offsets.windows(2).map(|pair| ((pair[1] - pair[0]) as usize).saturating_sub(slots)).sum();
        self.change_rows(0..self.slots());
        // If no other field has elements in the arena, it is filled from its start.
        let alone = C::FIELDS.iter().filter(|field| field.array.is_some_and(|array| array.arena)).count() == 1;
        let used = if alone { 0 } else { self.arena().1 };
        let end = |used| if rest > 0 { arena_end(used, rest, size) } else { used };
        let used = self.make_room(used, end, Dead::Field(K))?;
        let mut bump = Bump { used, fresh: true };
        for (index, pair) in offsets.windows(2).enumerate() {
            let array = &elements[pair[0] as usize..pair[1] as usize];
            // SAFETY: the object exists, there is room by `make_room`, and `&mut self` excludes other accesses.
            unsafe {
                set_array::<C, <StorageOf<C, K> as ArrayStorage>::Arrangement>(
                    &self.table().bases,
                    <StorageOf<C, K> as Storage<C, K>>::COLUMN,
                    index,
                    array,
                    &mut bump,
                );
            }
        }
        self.set_arena_used(bump.used);
        Ok(())
    }

    /// Replaces the array of one object, whatever its former length. An array that grows moves within the arena; its
    /// former space is reused later.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Route { #[inline_array(2)] pub stops: InnerArray<u16> }
    /// #[soa_world]
    /// pub struct Plan { pub routes: Objects<Route> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut plan = Plan::new();
    /// let route = plan.routes.push(Route { stops: [1].into() })?;
    /// plan.routes.set_array(route::stops, route, &[4, 5, 6])?;
    /// assert_eq!(plan.get(route).stops(), [4, 5, 6]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`]; [`Error::NotInitialized`]; [`Error::ArenaFull`]; [`Error::ArenaAtLimit`];
    /// [`Error::OutOfMemory`]. The array is unchanged if there is an error.
    pub fn set_array<const K: usize>(
        &mut self,
        _: Column<C, K>,
        link: Link<C>,
        elements: &[ElementOf<C, K>],
    ) -> Result<(), Error>
    where
        C: Field<K, Storage: ArrayStorage<Row = InnerArray<ElementOf<C, K>>>>,
    {
        self.check_initialized(link)?;
        let (index, size) = (link.index(), size_of::<ElementOf<C, K>>());
        self.change_rows(index..index + 1);
        let slots = <<StorageOf<C, K> as ArrayStorage>::Arrangement as Arrangement>::INFO.slots;
        let rest = elements.len().saturating_sub(slots);
        let mut used = self.arena().1;
        // SAFETY: the object exists, by the check above.
        let extent = unsafe { self.table().address(<StorageOf<C, K> as Storage<C, K>>::COLUMN, index) };
        // SAFETY: the field's first column holds its extents.
        let extent = unsafe { &*extent.cast::<Extent>() };
        let now = (extent.len as usize).saturating_sub(slots);
        if rest > now {
            // The last array of the arena can grow in place.
            let first = extent.offset as usize * size;
            if now > 0 && first + now * size == used {
                used = first;
            }
            used = self.make_room(used, |used| arena_end(used, rest, size), Dead::Array { field: K, index })?;
        }
        let mut bump = Bump { used, fresh: false };
        // SAFETY: the object exists, there is room by `make_room`, and `&mut self` excludes other accesses.
        unsafe {
            set_array::<C, <StorageOf<C, K> as ArrayStorage>::Arrangement>(
                &self.table().bases,
                <StorageOf<C, K> as Storage<C, K>>::COLUMN,
                index,
                elements,
                &mut bump,
            );
        }
        self.set_arena_used(bump.used);
        Ok(())
    }

    /// One slot of a fully inlined array, of all objects, as a slice.
    ///
    /// # Panics
    ///
    /// If a reserved object is not initialised, if objects were removed (call `compact` before), or if the array has no such
    /// slot.
    #[track_caller]
    pub fn slot<const K: usize, const N: usize>(&self, _: Column<C, K>, slot: usize) -> &[ElementOf<C, K>]
    where
        C: Field<K, Storage: SliceSlots<Row = [ElementOf<C, K>; N]>>,
        C::Layout: Contiguous,
    {
        self.assert_in_a_row();
        let column = slot_column::<C, K>(slot, N);
        if self.is_empty() {
            return &[];
        }
        self.table().fetch(const { FieldSet::from_bits(1 << K) });
        // SAFETY: the slot has a column, which was allocated.
        let first = unsafe { self.table().address(column, 0) };
        // SAFETY: its `len` elements are adjacent values; `&self` excludes writes, since the array is not atomic
        // (`SliceSlots`).
        unsafe { std::slice::from_raw_parts(first.cast(), self.slots()) }
    }

    /// One slot of a fully inlined array, of all objects, as a slice to write.
    ///
    /// # Panics
    ///
    /// As for [`slot`](Self::slot).
    #[track_caller]
    pub fn slot_mut<const K: usize, const N: usize>(&mut self, _: Column<C, K>, slot: usize) -> &mut [ElementOf<C, K>]
    where
        C: Field<K, Storage: ArrayStorage<Row = [ElementOf<C, K>; N]>>,
        C::Layout: Contiguous,
    {
        self.assert_in_a_row();
        let column = slot_column::<C, K>(slot, N);
        if self.is_empty() {
            return &mut [];
        }
        self.table().fetch(const { FieldSet::from_bits(1 << K) });
        self.table().written(const { FieldSet::from_bits(1 << K) }, 0..self.slots());
        // SAFETY: the slot has a column, which was allocated.
        let first = unsafe { self.table().address(column, 0) };
        // SAFETY: its `len` elements are adjacent values; `&mut self` excludes other accesses.
        unsafe { std::slice::from_raw_parts_mut(first.cast(), self.slots()) }
    }
}

/// The column of a slot.
fn slot_column<C: Class, const K: usize>(slot: usize, slots: usize) -> usize {
    let field = &C::FIELDS[K];
    assert!(slot < slots, "`{}::{}` has {slots} slots, so slot {slot} is out of range", C::NAME, field.name);
    let as_object = field.array.is_some_and(|array| array.as_object);
    assert!(!as_object, "`{}::{}` is stored as one column of arrays: borrow that column instead", C::NAME, field.name);
    first_column(C::FIELDS, K) + slot
}
