//! Fields, functions and lists with the names of what removes. A method of that name is refused.

use ikra::prelude::*;

#[soa_class]
#[derive(Clone)]
pub struct Shop {
    pub remove: u32,
    pub push: u32,
    pub spawn: bool,
}

#[soa_methods]
impl Shop {
    #[kernel]
    pub fn sell(&mut self) {
        self.remove += 1;
        if self.remove > 5 {
            self.remove();
        }
    }
}

/// `remove` of a list, and in a function that gets the object.
#[soa_class]
#[derive(Clone)]
pub struct Box {
    pub n: u32,
}
#[soa_methods]
impl Box {
    #[kernel(removes)]
    pub fn end(&mut self) {
        let mut list = vec![1, 2, 3];
        list.remove(0);
        if self.n as usize == list.len() {
            gone(self);
        }
    }
}
fn gone<'w>(object: &mut impl KernelObject<'w>) {
    object.remove();
}

#[soa_world]
pub struct Town {
    pub shops: Objects<Shop>,
    pub boxes: Objects<Box>,
}

#[test]
fn the_own_names_count() -> Result<(), ikra::Error> {
    let mut town = Town::new();
    town.shops.extend([0, 5].map(|remove| Shop { remove, push: 1, spawn: false }))?;
    town.execute(Shop::sell, ());
    assert_eq!(town.shops.iter().map(|shop| shop.remove).collect::<Vec<_>>(), [1]);
    town.boxes.extend([1, 2].map(|n| Box { n }))?;
    town.execute(Box::end, ());
    assert_eq!(town.boxes.len(), 1);
    Ok(())
}
