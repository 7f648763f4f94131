//! Constructors and user-defined reducers.

use ikra::prelude::*;

/// The two largest values.
#[derive(Clone, Copy)]
pub struct Top2;
impl Reducer<[u32; 2]> for Top2 {
    fn identity(&self) -> [u32; 2] {
        [0; 2]
    }
    fn combine(&self, a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
        let mut all = [a[0], a[1], b[0], b[1]];
        all.sort_unstable();
        [all[3], all[2]]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Span {
    pub low: f32,
    pub high: f32,
}

#[soa_class]
pub struct Item {
    pub n: u32,
    #[soa(flatten)]
    pub span: Span,
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn spawn(id: u32, first: u32, step: &[u32], span: Span) -> Self {
        Self { n: first + step[id as usize % step.len()] * id, span }
    }
    #[kernel]
    pub fn fresh(id: u32) -> Item {
        Item { n: id, span: Span { low: 0.0, high: 0.0 } }
    }
    #[kernel(reduce(Top2))]
    pub fn top(&self) -> [u32; 2] {
        [self.n, 0]
    }
    #[kernel(reduce(Sum, Max))]
    pub fn bump(&mut self, by: u32) -> u32 {
        self.n += by;
        self.span.low -= 1.0;
        self.span.high += self.n as f32;
        self.n
    }
    #[kernel(reduce(All, Any))]
    pub fn wide(&self, than: f32) -> bool {
        self.span.high - self.span.low > than
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
}

#[test]
fn constructors_and_reducers() {
    let mut store = Store::new();
    let step = [1, 2];
    store.construct(4, Item::spawn, (10, &step[..], Span { low: 0.0, high: 1.0 })).unwrap();
    assert_eq!(store.items.column(item::n), [10, 12, 12, 16]);
    assert_eq!(store.execute_and_reduce(Item::top, (), Top2), [16, 12]);
    assert_eq!(store.execute_and_reduce(Item::bump, 1, Sum), 54);
    assert_eq!(store.execute_and_reduce(Item::bump, 0, Max), 17);
    assert!(store.execute_and_reduce(Item::wide, 1.0, All));
    assert!(!store.execute_and_reduce(Item::wide, 1e6, Any));
    store.construct(1, Item::fresh, ()).unwrap();
    assert_eq!(store.items.len(), 5);
    assert_eq!(store.get(Link::<Item>::from_id(1).unwrap()).span().low, -2.0);
}
