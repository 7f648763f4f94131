//! Loops whose end a field decides, and fields that reductions are stored in.

use ikra::prelude::*;

/// The distance of nodes that are not reached.
pub const FAR: u32 = u32::MAX;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Node {
    #[atomic]
    pub distance: u32,
    #[inline_array(2)]
    pub next: InnerArray<Link<Node>>,
    pub heat: f32,
    pub flow: f32,
    pub old: u32,
}

/// One object, for the whole loop.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Search {
    pub goes_on: bool,
    pub level: u32,
    pub heat: f32,
    pub largest: [u32; 2],
    #[atomic]
    pub found: bool,
}

/// The same in a class whose fields share memory.
#[soa_class(layout = "aos")]
#[derive(Clone, Debug)]
pub struct Row {
    pub goes_on: bool,
    pub level: u32,
}

/// A loop's field that is exchanged for its snapshot.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Dial {
    pub goes_on: bool,
    pub turns: u32,
}

#[soa_methods]
impl Node {
    /// As in the example `graph`: all nodes that reach a node store the same distance.
    #[kernel(reduce(Any), unordered(distance))]
    pub fn push(&self, search: Ref<Search>) -> bool {
        let mut reached = false;
        if self.distance.load() == search.level() {
            for other in &self.next {
                if other.distance().load() > search.level() + 1 {
                    other.distance().store(search.level() + 1);
                    reached = true;
                }
            }
        }
        reached
    }
    #[kernel]
    pub fn measure(&mut self) {
        let mut sum = 0.0;
        for other in &self.next {
            sum += other.heat() - self.heat;
        }
        self.flow = sum;
    }
    /// The threads of a block share what they read.
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Node>) {
        self.flow += 0.001 * (other.heat() - self.heat);
    }
    /// Reads a result that an earlier kernel of the iteration has stored.
    #[kernel]
    pub fn warm(&mut self, search: Ref<Search>, share: f32) {
        self.heat += share * self.flow / (1.0 + search.heat());
    }
    #[kernel(reduce(Sum))]
    pub fn heat_of(&self) -> f32 {
        self.heat
    }
    #[kernel(reduce(Max))]
    pub fn both(&self, step: u32) -> [u32; 2] {
        [self.old, self.old.rotate_left(step)]
    }
    #[kernel(reduce(Any))]
    pub fn is_odd(&self) -> bool {
        self.old % 2 == 1
    }
    #[kernel]
    pub fn turn(&mut self) {
        self.old = self.old.rotate_left(1);
    }
    /// Exchanges a column for its snapshot.
    #[kernel(snapshot(old))]
    pub fn twist(&mut self) {
        let mut sum = 1_u32;
        for other in &self.next {
            sum = u32::wrapping_add(sum, other.old());
        }
        self.old = self.old.rotate_left(3) ^ sum;
    }
    /// The same, with a result.
    #[kernel(reduce(Max), snapshot(old))]
    pub fn twisted(&mut self) -> u32 {
        self.old = self.old.rotate_left(9) ^ self.next.len() as u32;
        self.old
    }
    /// Many objects may set the flag.
    #[kernel]
    pub fn seek(&self, search: Ref<Search>) {
        if self.old % 16 > search.level() {
            search.found().or(true);
        }
    }
    #[kernel]
    pub fn is_low(&self) -> bool {
        self.old % 4 < 2
    }
    #[kernel]
    pub fn lift(&mut self) {
        self.old += 1;
    }
    #[kernel]
    pub fn fail_at(&self, search: Ref<Search>, level: u32) {
        assert!(search.level() < level || self.old == FAR, "too deep");
    }
}

#[soa_methods]
impl Search {
    #[kernel]
    pub fn deepen(&mut self) {
        self.level += 1;
    }
    /// The flag is set again if an object is still to be found.
    #[kernel]
    pub fn give_up(&mut self) {
        self.level += 1;
        self.found.store(false);
    }
    #[kernel]
    pub fn stop_at(&mut self, level: u32) {
        self.goes_on = self.level < level;
    }
}

#[soa_methods]
impl Row {
    #[kernel]
    pub fn step(&mut self, end: u32) {
        self.level += 1;
        self.goes_on = self.level < end;
    }
}

#[soa_methods]
impl Dial {
    #[kernel(snapshot(goes_on))]
    pub fn turn(&mut self, end: u32) {
        self.turns += 1;
        self.goes_on = self.turns < end;
    }
}

#[soa_world]
pub struct Maze {
    pub nodes: Objects<Node>,
    pub searches: Objects<Search>,
    pub rows: Objects<Row>,
    pub dials: Objects<Dial>,
}
