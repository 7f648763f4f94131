//! All traced objects: the ids by address, and the objects of each class.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use ikra_core::class::Class;
use ikra_core::dispatch::{AnyLink, Dispatch};
use ikra_core::link::Link;

use crate::error::{Problem, TraceError};
use crate::object::Trace;
use crate::store::{AnyStore, Holder, Store};

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
    /// The index of each shared object, by its address. An object keeps its address, because the store holds it.
    indices: ByAddress<usize, u32>,
    stores: Vec<(TypeId, Box<dyn AnyStore>)>,
    pub(crate) texts: Texts,
    /// Trait objects by address, one map per type of trait object.
    trait_objects: ByAddress<TypeId, Box<dyn Any>>,
}

impl Graph {
    /// The number of the store of class `C`.
    fn number_of<C: Class>(&self) -> Option<usize> {
        let class = TypeId::of::<C>();
        self.stores.iter().position(|(id, _)| *id == class)
    }

    /// The store of class `C`, if it has objects.
    pub(crate) fn store<C: Class>(&self) -> Option<&Store<C>> {
        let store: &dyn Any = &*self.stores[self.number_of::<C>()?].1;
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
        let number = self.number_of::<C>().unwrap_or_else(|| {
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
    pub(crate) fn enter<X: Trace>(
        &mut self,
        address: usize,
        hold: impl FnOnce() -> Holder<X::Class>,
    ) -> Result<Link<X::Class>, Problem> {
        if let Some(link) = self.indices.get(&address).and_then(|&index| Link::from_index(index as usize)) {
            return Ok(link);
        }
        let link = self.store_mut::<X::Class>().hold::<X>(hold()).map_err(TraceError::from)?;
        self.indices.insert(address, link.index() as u32);
        Ok(link)
    }

    /// The link to a shared object, if it was traced.
    pub(crate) fn find<X: Trace>(&self, address: usize) -> Option<Link<X::Class>> {
        self.indices.get(&address).and_then(|&index| self.store::<X::Class>()?.link(index))
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

    /// Remembers a trait object by its address, to store it when a kernel stores a link to it elsewhere.
    pub(crate) fn remember<A: ?Sized + 'static>(&mut self, object: &Rc<A>) {
        let map = self.trait_objects.entry(TypeId::of::<Rc<A>>());
        let map = map.or_insert_with(|| Box::new(ByAddress::<usize, Rc<A>>::default()));
        if let Some(map) = map.downcast_mut::<ByAddress<usize, Rc<A>>>()
            && let Entry::Vacant(place) = map.entry(Rc::as_ptr(object).addr())
        {
            place.insert(Rc::clone(object));
        }
    }

    /// The trait object behind a link.
    pub(crate) fn trait_object<D: Dispatch, A: ?Sized + 'static>(&self, link: AnyLink<D>) -> Result<Rc<A>, Problem> {
        let (class, index) = link.parts();
        let class = D::CLASSES[class].type_id();
        let store = self.stores.iter().find(|(id, _)| *id == class).ok_or(Problem::NotTraced)?;
        let address = store.1.address(index as usize)?;
        let map = self.trait_objects.get(&TypeId::of::<Rc<A>>()).ok_or(Problem::OtherType)?;
        let map = map.downcast_ref::<ByAddress<usize, Rc<A>>>().ok_or(Problem::OtherType)?;
        map.get(&address).cloned().ok_or(Problem::OtherType)
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
