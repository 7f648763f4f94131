//! Fields and methods named like members of views, refs, guards and generated code.

use ikra::prelude::*;
use ikra_hostile_tests::same_with_any_threads;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Clash {
    pub view: u32,
    pub windows: u32,
    pub table: u32,
    pub values: u32,
    pub index: u32,
    pub args: u32,
    pub arg0: u32,
    pub other: u32,
    pub before: u32,
    pub class: u32,
    pub phase: u32,
    pub own: u32,
    pub assigned: u32,
    pub r#type: u32,
    pub r#match: u32,
    pub ikra: u32,
    pub set: u32,
    pub len: u32,
    pub load: u32,
    pub read: u32,
    pub of: u32,
    pub next: Link<Clash>,
    #[atomic]
    pub add: u32,
    #[inline_array]
    pub iter: [u32; 2],
}

#[soa_methods]
impl Clash {
    #[kernel]
    pub fn execute(&mut self, view: u32, windows: u32) {
        self.view += view;
        self.windows += windows;
        self.table += self.view;
        self.values += self.table;
        self.index ^= self.values;
        self.args += self.arg0;
        self.arg0 += 1;
        self.other = self.before;
        self.before += 1;
        self.class += self.phase;
        self.phase += 1;
        self.own += self.assigned;
        self.assigned += 1;
        self.r#type += self.r#match;
        self.r#match += 1;
        self.ikra += self.set + self.len;
        self.set += 1;
        self.len += 1;
        self.load += self.read + self.of;
        self.read += 1;
        self.of += 1;
        self.add.store(self.add.load() + 1);
        self.iter[1] += self.iter[0];
    }
    #[kernel(snapshot(set, len, table, iter))]
    pub fn call(&mut self, table: u32, shadow: u32) {
        let (other, before) = (self.next, table + shadow);
        self.set = other.set() + before;
        self.len = other.len() + before;
        self.table = other.table();
        self.iter[0] = other.iter()[1];
    }
    #[kernel(reduce(Sum))]
    pub fn new(&self) -> u64 {
        u64::from(self.view) + u64::from(self.r#type) + u64::from(self.set)
    }
    #[kernel]
    pub fn push(&mut self) -> (u32, u32) {
        self.of += 1;
        (self.of, self.len)
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Members {
    pub objects: Objects<Clash>,
}

#[test]
fn of_the_macros_own() {
    let rows = same_with_any_threads(|| {
        let mut world = Members::new();
        let row = |n: u32| Clash {
            view: n,
            windows: n + 1,
            table: n + 2,
            values: n + 3,
            index: n + 4,
            args: n + 5,
            arg0: n + 6,
            other: n + 7,
            before: n + 8,
            class: n + 9,
            phase: n + 10,
            own: n + 11,
            assigned: n + 12,
            r#type: n + 13,
            r#match: n + 14,
            ikra: n + 15,
            set: n + 16,
            len: n + 17,
            load: n + 18,
            read: n + 19,
            of: n + 20,
            next: Link::from_index((n as usize + 1) % 5_000).unwrap(),
            add: n,
            iter: [n, n + 1],
        };
        world.objects.extend((0..5_000).map(row)).unwrap();
        let before: Vec<Clash> = world.objects.iter().collect();
        world.execute(Clash::execute, (3, 4));
        let middle: Vec<Clash> = world.objects.iter().collect();
        for (before, middle) in before.iter().zip(&middle) {
            let mut plain = before.clone();
            plain.view += 3;
            plain.windows += 4;
            plain.table += plain.view;
            plain.values += plain.table;
            plain.index ^= plain.values;
            plain.args += plain.arg0;
            plain.arg0 += 1;
            plain.other = plain.before;
            plain.before += 1;
            plain.class += plain.phase;
            plain.phase += 1;
            plain.own += plain.assigned;
            plain.assigned += 1;
            plain.r#type += plain.r#match;
            plain.r#match += 1;
            plain.ikra += plain.set + plain.len;
            plain.set += 1;
            plain.len += 1;
            plain.load += plain.read + plain.of;
            plain.read += 1;
            plain.of += 1;
            plain.add += 1;
            plain.iter[1] += plain.iter[0];
            assert_eq!(*middle, plain);
        }
        world.execute(Clash::call, (1, 2));
        for (n, row) in world.objects.iter().enumerate() {
            let next = &middle[(n + 1) % 5_000];
            assert_eq!(
                (row.set, row.len, row.table, row.iter[0]),
                (next.set + 3, next.len + 3, next.table, next.iter[1])
            );
        }
        let sum = world.execute_and_reduce(Clash::new, (), Sum);
        (sum, world.execute_and_collect(Clash::push, ()), world.objects.column(clash::r#match).to_vec())
    });
    assert_eq!(rows.1.len(), 5_000);
}
