//! Handles to objects that stay valid when ids change.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::class::Class;
use crate::link::Link;

/// A handle to one object, kept outside of its world: 8 bytes. It follows the object when ids change, and knows when
/// the object was removed. [`World::track`](crate::world::World::track) makes it.
///
/// It belongs to the world that made it, and to clones of that world that are made later. In other worlds it names
/// nothing, until the program has made four billion further handles.
pub struct Tracked<C> {
    entry: u32,
    version: u32,
    class: PhantomData<fn() -> C>,
}

impl<C> Copy for Tracked<C> {}
impl<C> Clone for Tracked<C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C> PartialEq for Tracked<C> {
    fn eq(&self, other: &Self) -> bool {
        (self.entry, self.version) == (other.entry, other.version)
    }
}
impl<C> Eq for Tracked<C> {}
impl<C: Class> fmt::Debug for Tracked<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tracked<{}>({}, {})", C::NAME, self.entry, self.version)
    }
}

/// A number for a handle. It comes again after four billion others.
fn new_version() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Relaxed)
}

/// The tracked objects of a class.
#[derive(Clone, Default)]
pub(super) struct Tracks {
    /// The index of each tracked object, or none; and the number of its handle, which no other world gives out.
    entries: Vec<(Option<u32>, u32)>,
    /// The entry of each tracked object, by index.
    by_index: HashMap<u32, u32>,
    /// The entries without an object.
    free: Vec<u32>,
}

impl Tracks {
    /// The handle to an object that exists.
    pub(super) fn track<C>(&mut self, link: Link<C>) -> Tracked<C> {
        let index = link.index() as u32;
        let entry = *self.by_index.entry(index).or_insert_with(|| match self.free.pop() {
            Some(entry) => {
                self.entries[entry as usize] = (Some(index), new_version());
                entry
            }
            None => {
                self.entries.push((Some(index), new_version()));
                self.entries.len() as u32 - 1
            }
        });
        Tracked { entry, version: self.entries[entry as usize].1, class: PhantomData }
    }

    /// The object of a handle, if it exists.
    pub(super) fn find<C>(&self, tracked: Tracked<C>) -> Option<Link<C>> {
        let &(index, version) = self.entries.get(tracked.entry as usize)?;
        index.filter(|_| version == tracked.version).map(Link::at)
    }

    /// Whether no object is tracked.
    pub(super) fn is_empty(&self) -> bool {
        self.by_index.is_empty()
    }

    /// Gives each tracked object the index that `new` returns for its index; none if it was removed.
    pub(super) fn remap(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        if self.by_index.is_empty() {
            return;
        }
        let before = std::mem::take(&mut self.by_index);
        for (index, entry) in before {
            let now = new(index);
            let place = &mut self.entries[entry as usize];
            place.0 = now;
            match now {
                Some(now) => drop(self.by_index.insert(now, entry)),
                None => self.free.push(entry),
            }
        }
        // Entries are given out in an order that does not depend on the map.
        self.free.sort_unstable();
    }
}
