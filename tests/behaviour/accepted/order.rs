// Operations with the same result in every order.
use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    #[atomic]
    pub hits: u32,
    #[atomic]
    pub infected: bool,
    #[atomic]
    pub head: Option<Link<Agent>>,
    #[atomic]
    pub weight: f32,
    #[atomic]
    #[inline_array]
    pub counts: [u32; 4],
}

#[soa_class]
pub struct Agent {
    pub cell: Link<Cell>,
    pub next: Option<Link<Agent>>,
    pub seen: u32,
    #[atomic]
    pub level: u32,
}

#[soa_world]
pub struct Town {
    pub cells: Objects<Cell>,
    pub agents: Objects<Agent>,
}

fn look<P: ikra::Phase>(cell: CellRef<'_, P>) -> u32 {
    cell.hits().load()
}

fn count(atomic: Atomic<'_, u32, impl ikra::AtomicOwner>) {
    atomic.add(1);
}

/// A different type with operations of the same names.
#[derive(Default)]
pub struct Other(std::cell::Cell<u32>);
impl Other {
    fn fetch_add(&self, n: u32) {
        self.0.set(self.0.get() + n);
    }
    fn load(&self) -> u32 {
        self.0.get()
    }
}

static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

#[soa_methods]
impl Cell {
    pub fn claim(&self, by: Link<Agent>) {
        self.head.claim(by);
    }
    pub fn deep(&self) -> u32 {
        self.hits.load()
    }
}

#[soa_methods]
impl Agent {
    /// Only loads, some of them hidden.
    #[kernel]
    pub fn loads(&mut self) {
        self.seen = look(self.cell) + self.cell.hits().load() + self.level.load() + self.cell.deep();
        self.seen += self.next.map_or(0, |next| next.level().load());
    }
    /// Only its own object's fields.
    #[kernel]
    pub fn own(&mut self) {
        self.level.store(self.level.load() + 1);
        self.level.add(2);
        self.seen = self.level.fetch_max(7) + self.level.swap(9);
        self.raise();
    }
    fn raise(&mut self) {
        self.level.add(1);
    }
    /// A single operation.
    #[kernel]
    pub fn updates(&mut self) {
        self.cell.hits().add(1);
        let hits = self.cell.hits();
        hits.sub(2);
        {
            hits.add(3);
        }
        self.cell.infected().or(true);
        self.cell.head().claim(self.link());
        self.cell.weight().max(1.5);
        for count in &self.cell.counts() {
            count.max(2);
        }
        self.cell.counts().iter().for_each(|count| count.max(1));
        match self.next {
            Some(next) => {
                next.level().min(3);
            }
            None => self.level.min(4),
        }
    }
    /// Listed, since the text does not show it.
    #[kernel(updates(add(hits), claim(head)))]
    pub fn hidden(&mut self) {
        count(self.cell.hits());
        self.cell.claim(self.link());
    }
    /// The operation is taken from the text.
    #[kernel(updates(hits))]
    pub fn shown(&mut self) {
        self.cell.hits().add(1);
        count(self.cell.hits());
    }
    /// Operations of other types.
    #[kernel]
    pub fn others(&mut self) {
        let other = Other::default();
        other.fetch_add(2);
        COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let atomic = std::sync::atomic::AtomicU32::new(0);
        atomic.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut list = [3, 1];
        list.swap(0, 1);
        self.seen = self.seen.min(3).max(other.load()) + list[0];
    }
    #[kernel(unordered(hits))]
    pub fn first(&mut self) {
        self.seen = self.cell.hits().fetch_add(1);
    }
    #[kernel(stores(level))]
    pub fn stored(&mut self) {
        set(self, 5);
    }
}

fn set<P: ikra::Phase>(agent: &AgentMut<'_, P>, to: u32) {
    agent.level.store(to);
}

pub fn main() {
    let mut town = Town::new();
    let cell = Cell { hits: 0, infected: false, head: None, weight: 0.0, counts: [0; 4] };
    let cell = town.cells.push(cell).unwrap();
    let first = town.agents.push(Agent { cell, next: None, seen: 0, level: 9 }).unwrap();
    town.agents.push(Agent { cell, next: Some(first), seen: 0, level: 9 }).unwrap();
    town.execute(Agent::loads, ());
    town.execute(Agent::own, ());
    town.execute(Agent::updates, ());
    town.execute(Agent::hidden, ());
    town.execute(Agent::shown, ());
    town.execute(Agent::others, ());
    town.execute(Agent::first, ());
    town.execute(Agent::stored, ());
    let cell = town.get(cell);
    assert_eq!(cell.hits().load(), 2 * (2 + 1 + 2 + 1));
    assert_eq!((cell.head().load(), cell.weight().load()), (Some(first), 1.5));
    assert_eq!(town.get(first).level().load(), 5);
}
