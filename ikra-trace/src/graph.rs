//! All traced objects: the ids by address, and the objects of each class.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::{HashMap, hash_map};
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use ikra_core::class::Class;

use crate::back::Removed;
use crate::error::{Problem, TraceError};
use crate::held::{Holder, UntypedLink, hold};
use crate::object::TraceObject;
use crate::store::{AnyStore, Store};

/// Hashes addresses and ids, which nobody chooses to collide. One multiplication.
///
/// ```
/// use std::collections::HashSet;
/// use std::hash::BuildHasherDefault;
/// use ikra::trace::AddressHasher;
///
/// let mut seen: HashSet<usize, BuildHasherDefault<AddressHasher>> = HashSet::default();
/// let object = Box::new(7);
/// assert!(seen.insert(&raw const *object as usize));
/// assert!(!seen.insert(&raw const *object as usize));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AddressHasher(u64);

impl Hasher for AddressHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }
    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }
    #[inline]
    fn write_u64(&mut self, number: u64) {
        let product = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // A table uses the lowest bits, which depend on the lowest bits of an address only. These are 0.
        self.0 = product ^ (product >> 32);
    }
    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

pub(crate) type ByAddress<K, V> = HashMap<K, V, BuildHasherDefault<AddressHasher>>;

/// The traced objects.
#[derive(Default)]
pub(crate) struct Graph {
    /// The number of the store of each shared object, and its index, by its address. An object keeps its address,
    /// because the store holds it.
    links: ByAddress<usize, (u32, u32)>,
    /// The shared objects, in the order in which they became known.
    order: Vec<(u32, u32)>,
    /// The same as `links` for objects in `Box`es, by address and ordinary type: when the program has dropped one, an
    /// object of another type may get its address.
    owned: ByAddress<(usize, TypeId), (u32, u32)>,
    stores: Vec<(TypeId, Box<dyn AnyStore>)>,
    pub(crate) texts: Texts,
    /// Trait objects by address, one map per type of trait object.
    trait_objects: ByAddress<TypeId, Box<dyn Any>>,
    /// Pointers that own objects, and that `write_back` has taken out of lists and fields.
    pub(crate) removed: RefCell<Vec<Box<dyn Removed>>>,
}

/// Drops each shared object that nothing else holds, from the first to the last and back again. The stores still hold
/// the objects to which it refers, so a chain in this order, or in the opposite one, does not recurse.
impl Drop for Graph {
    fn drop(&mut self) {
        self.removed.get_mut().clear();
        self.trait_objects.clear();
        let mut release = |&(store, index): &(u32, u32)| {
            if let Some((_, store)) = self.stores.get_mut(store as usize) {
                store.release(index);
            }
        };
        self.order.iter().for_each(&mut release);
        self.order.iter().rev().for_each(release);
    }
}

impl Graph {
    /// The number of a class's store.
    fn number_of(&self, class: TypeId) -> Option<usize> {
        self.stores.iter().position(|(id, _)| *id == class)
    }

    /// The store of class `C`, if it has objects.
    pub(crate) fn store<C: Class>(&self) -> Option<&Store<C>> {
        let store: &dyn Any = &*self.stores[self.number_of(TypeId::of::<C>())?].1;
        store.downcast_ref()
    }

    /// The store with a number.
    pub(crate) fn store_at<C: Class>(&mut self, number: usize) -> &mut Store<C> {
        let store: &mut dyn Any = &mut *self.stores[number].1;
        match store.downcast_mut() {
            Some(store) => store,
            None => unreachable!("a store is found by its class"),
        }
    }

    pub(crate) fn store_mut<C: Class>(&mut self) -> &mut Store<C> {
        let number = self.number_of(TypeId::of::<C>()).unwrap_or_else(|| {
            self.stores.push((TypeId::of::<C>(), Box::new(Store::<C>::new())));
            self.stores.len() - 1
        });
        self.store_at(number)
    }

    pub(crate) fn stores(&self) -> impl Iterator<Item = &dyn AnyStore> {
        self.stores.iter().map(|(_, store)| &**store)
    }

    pub(crate) fn stores_mut(&mut self) -> impl Iterator<Item = &mut dyn AnyStore> {
        self.stores.iter_mut().map(|(_, store)| &mut **store)
    }

    /// The link to a shared object, which becomes known if it is new.
    #[inline]
    pub(crate) fn enter<X: TraceObject>(
        &mut self,
        object: &X,
        holder: impl FnOnce() -> Holder,
    ) -> Result<X::Link, Problem> {
        let address = (&raw const *object).addr();
        if let Some(link) = self.untyped(address) {
            return X::link(link);
        }
        let link = hold(object, holder, self)?;
        let place = self.place(link)?;
        self.links.insert(address, place);
        self.order.push(place);
        X::link(link)
    }

    /// The link to an object in a `Box`, which becomes known.
    pub(crate) fn own<X: TraceObject>(&mut self, object: &X) -> Result<UntypedLink, Problem> {
        const { assert!(size_of::<X>() > 0, "objects without bytes have one address in a `Box`: put them into `Rc`s") };
        let link = hold(object, || Holder::Owned, self)?;
        let place = self.place(link)?;
        self.owned.insert(((&raw const *object).addr(), TypeId::of::<X>()), place);
        Ok(link)
    }

    /// The number of the object's store, and its index.
    fn place(&self, link: UntypedLink) -> Result<(u32, u32), Problem> {
        Ok((self.number_of(link.class).ok_or(Problem::NotTraced)? as u32, link.index))
    }

    fn link(&self, (store, index): (u32, u32)) -> Option<UntypedLink> {
        let (class, store) = self.stores.get(store as usize)?;
        Some(UntypedLink { class: *class, name: store.class(), index })
    }

    /// The link to a shared object, if it is known.
    #[inline]
    pub(crate) fn untyped(&self, address: usize) -> Option<UntypedLink> {
        self.link(*self.links.get(&address)?)
    }

    /// The link to an object in a `Box`, if it was traced.
    pub(crate) fn owned<X: TraceObject>(&self, object: &X) -> Option<UntypedLink> {
        self.link(*self.owned.get(&((&raw const *object).addr(), TypeId::of::<X>()))?)
    }

    /// Notes that `write_back` has found the object in a `Box`.
    pub(crate) fn reach(&self, link: UntypedLink) {
        if let Some((_, store)) = self.number_of(link.class).and_then(|number| self.stores.get(number)) {
            store.reach(link.index);
        }
    }

    /// The link to a shared object, if it was traced.
    pub(crate) fn find<X: TraceObject>(&self, address: usize) -> Option<X::Link> {
        X::link(self.untyped(address)?).ok()
    }

    /// What keeps an object alive.
    fn holder(&self, link: UntypedLink) -> Result<&Holder, Problem> {
        let store = self.number_of(link.class).and_then(|number| self.stores.get(number));
        store.and_then(|(_, store)| store.holder(link.index)).ok_or(Problem::NotTraced)
    }

    /// The pointer to an object.
    pub(crate) fn pointer<P: Any>(&self, link: UntypedLink) -> Result<P, Problem> {
        self.holder(link)?.pointer().ok_or(Problem::OtherType)
    }

    /// Visits all objects that can be reached from those that are known.
    pub(crate) fn visit_all(&mut self) -> Result<(), TraceError> {
        loop {
            let mut is_busy = false;
            let mut number = 0;
            while number < self.stores.len() {
                is_busy |= self.stores[number].1.visit()(self, number)?;
                number += 1;
            }
            if !is_busy {
                return Ok(());
            }
        }
    }

    /// Remembers a pointer to a trait object by the address, to store it when a kernel stores a link to it elsewhere. A
    /// pointer to a type with a size is made from that of the store.
    pub(crate) fn remember<P: Clone + Any>(&mut self, pointer: &P, address: usize) {
        if const { size_of::<P>() == size_of::<usize>() } {
            return;
        }
        let map = self.trait_objects.entry(TypeId::of::<P>());
        let map = map.or_insert_with(|| Box::new(ByAddress::<usize, P>::default()));
        if let Some(map) = map.downcast_mut::<ByAddress<usize, P>>()
            && let hash_map::Entry::Vacant(free) = map.entry(address)
        {
            free.insert(pointer.clone());
        }
    }

    /// The pointer to an object, or to a trait object.
    pub(crate) fn trait_object<P: Clone + Any>(&self, link: UntypedLink) -> Result<P, Problem> {
        let holder = self.holder(link)?;
        if let Some(pointer) = holder.pointer() {
            return Ok(pointer);
        }
        let map = self.trait_objects.get(&TypeId::of::<P>()).and_then(|map| map.downcast_ref::<ByAddress<usize, P>>());
        let pointer = map.zip(holder.address()).and_then(|(map, address)| map.get(&address));
        pointer.cloned().ok_or(Problem::OtherType)
    }
}

/// Texts by number.
#[derive(Default)]
pub(crate) struct Texts {
    numbers: HashMap<Rc<str>, u32>,
    texts: Vec<Rc<str>>,
}

impl Texts {
    pub(crate) fn number(&mut self, text: &str) -> Result<u32, Problem> {
        if let Some(&number) = self.numbers.get(text) {
            return Ok(number);
        }
        let number = u32::try_from(self.texts.len()).map_err(|_| Problem::OutOfRange)?;
        let text: Rc<str> = text.into();
        self.numbers.insert(Rc::clone(&text), number);
        self.texts.push(text);
        Ok(number)
    }

    pub(crate) fn text(&self, number: u32) -> Option<&str> {
        self.texts.get(number as usize).map(|text| &**text)
    }
}
