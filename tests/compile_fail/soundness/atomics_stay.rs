//! What a kernel's method finds stays in its thread: the kernel may be one that one thread runs alone, where nothing is atomic.

use ikra::prelude::*;

#[soa_class]
pub struct Shop {
    #[atomic]
    pub visits: u32,
    #[atomic]
    #[inline_array]
    pub hours: [u32; 4],
}

#[soa_class]
pub struct Visitor {
    pub shop: Link<Shop>,
    #[inline_array(2)]
    pub others: InnerArray<Link<Shop>>,
}

#[soa_methods]
impl Visitor {
    #[kernel]
    pub fn visit(&self) {
        let visits = self.shop.visits();
        std::thread::scope(|scope| {
            scope.spawn(move || visits.add(1));
        });
    }

    #[kernel]
    pub fn visit_at(&self) {
        let hours = self.shop.hours();
        std::thread::scope(|scope| {
            scope.spawn(move || hours.get(0).add(1));
        });
    }

    #[kernel]
    pub fn visit_others(&self) {
        let others = self.others.iter();
        std::thread::scope(|scope| {
            scope.spawn(move || others.for_each(|shop| shop.visits().add(1)));
        });
    }

    #[kernel]
    pub fn visit_all(&self) {
        let all = self.all::<Shop>();
        std::thread::scope(|scope| {
            scope.spawn(move || all.for_each(|shop| shop.visits().add(1)));
        });
    }

    #[kernel]
    pub fn visit_one(&self) {
        let shop = self.shop;
        std::thread::scope(|scope| {
            scope.spawn(move || shop.visits().add(1));
        });
    }
}

#[soa_world]
pub struct Town {
    pub shops: Objects<Shop>,
    pub visitors: Objects<Visitor>,
}

fn main() {}
