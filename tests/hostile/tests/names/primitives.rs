//! A program with types named like primitive types. (With its own `usize`, `bool` or `str` it does not build.)

mod hostile {
    use ikra::{Link, Objects, Sum, soa_class, soa_methods, soa_world};

    pub struct i64;
    pub struct u16;
    pub struct char;
    pub struct u64;
    pub struct f32;
    pub struct u8;

    #[soa_class]
    pub struct Item {
        pub x: u32,
        pub y: core::primitive::u64,
        pub next: Link<Item>,
        #[atomic]
        pub hits: u32,
        #[inline_array]
        pub a: [u32; 2],
        #[inline_array(1)]
        pub list: ikra::InnerArray<u32>,
    }

    #[soa_methods]
    impl Item {
        #[kernel]
        pub fn step(&mut self) {
            self.x += self.next.hits().load();
            self.a[1] += self.x;
            for element in &mut self.list {
                *element += 1;
            }
            self.y += 1;
        }
        #[kernel(snapshot(y))]
        pub fn shift(&mut self) {
            self.y = self.next.y() + 1;
        }
        #[kernel(reduce(Sum))]
        pub fn sum(&self) -> core::primitive::u64 {
            self.y
        }
        #[kernel]
        pub fn make(id: u32) -> Self {
            Item { x: id, y: 1, next: Link::from_id(1).unwrap(), hits: 2, a: [0; 2], list: [id].into() }
        }
    }

    #[soa_world]
    pub struct World1 {
        pub items: Objects<Item>,
    }
}

use ikra::prelude::*;

#[test]
fn that_are_shadowed() {
    let mut world = hostile::World1::new();
    world.construct(9_000, hostile::Item::make, ()).unwrap();
    world.execute(hostile::Item::step, ());
    world.execute(hostile::Item::shift, ());
    assert_eq!(world.execute_and_reduce(hostile::Item::sum, (), Sum), 3 * 9_000);
    assert!(
        world
            .items
            .iter()
            .zip(0..)
            .all(|(row, n)| row.x == n + 2 && row.a == [0, n + 2] && row.list.to_vec() == [n + 1])
    );
}
