//! Addresses: the location of columns, as visible to safe code, does not depend on the number of threads.

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, same_with_any_threads};

#[soa_class]
pub struct Item {
    pub x: u32,
    #[inline_array(object)]
    pub whole: [u32; 4],
    #[inline_array(1)]
    pub list: InnerArray<u32>,
}

#[soa_methods]
impl Item {
    #[kernel(snapshot(x, whole, list))]
    pub fn change(&mut self) {
        self.x += 1;
        self.whole[1] = self.x;
        self.list[0] = self.x;
    }
    /// Distances from the first object's elements.
    #[kernel]
    pub fn distance(&mut self) {
        let first = self.all::<Item>().get(0).map(|_| ());
        let own = self.whole.as_slice().map_or(0, |slice| slice.as_ptr() as usize % 16);
        self.x = u32::from(first.is_some()) + own as u32;
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
}

#[test]
fn pictures_and_distances() {
    same_with_any_threads(|| {
        let mut store = Store::new();
        let row = |n: usize| Item { x: n as u32, whole: [0; 4], list: vec![1; n % 4 + 1].into() };
        store.items.extend((0..MANY).map(row)).unwrap();
        for _ in 0..3 {
            store.execute(Item::change, ());
        }
        store.execute(Item::distance, ());
        let xs = store.items.column(item::x).to_vec();
        // Sizes and offsets, without addresses.
        (xs, ikra::report::WorldLayout::of(&store).to_svg().len(), store.items.capacity())
    });
}
