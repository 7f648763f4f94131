//! The game of life with cells that die slowly, by agents that come and go: the rule 345/2/4, "Star Wars". Each cell that
//! lives or dies has an agent, and so has each cell beside a living one that is ready to come to life.

use ikra::prelude::*;

/// The field, which has edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(C)]
pub struct Field {
    /// Cells from left to right.
    pub width: u32,
    /// Cells from top to bottom.
    pub height: u32,
}

/// No agent is in a cell.
pub const NOBODY: u32 = 0;
/// A candidate is.
pub const CANDIDATE: u32 = 1;
/// A dying agent is, whose age is added.
pub const DYING: u32 = 1;
/// A living agent is.
pub const ALIVE: u32 = 4;
/// An agent has come to life in this step.
pub const NEW: u32 = 5;
/// Steps for which an agent dies.
pub const LAST_AGE: u32 = 2;

/// A cell.
#[soa_class]
pub struct Cell {
    /// Who is here. Only its own agent, or the cell itself without one, changes it.
    #[atomic]
    pub state: u32,
}

#[soa_methods]
impl Cell {
    /// How many of the cells around have at least a state.
    pub fn around(&self, field: Field, least: u32) -> u32 {
        let cells = self.all::<Cell>();
        let index = self.link().index() as u32;
        let (x, y) = (index % field.width, index / field.width);
        let mut count = 0;
        for dy in 0..3 {
            for dx in 0..3 {
                // Counted from one cell outside of the field.
                let (x, y) = (x + dx, y + dy);
                let is_inside = (x > 0) & (x <= field.width) & (y > 0) & (y <= field.height) & (dx != 1 || dy != 1);
                if is_inside && let Some(cell) = cells.get(((y - 1) * field.width + x - 1) as usize) {
                    count += u32::from(cell.state().load() >= least);
                }
            }
        }
        count
    }

    /// A candidate comes to an empty cell beside a new living one.
    #[kernel(unordered(state))]
    pub fn recruit(&mut self, field: Field, young: Spawn<Candidate>) {
        if self.state.load() == NOBODY && self.around(field, NEW) > 0 {
            self.state.store(CANDIDATE);
            young.push(Candidate { cell: self.link(), action: Action::Stay });
        }
    }
}

/// What an agent does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum Action {
    /// Nothing.
    Stay,
    /// It comes to life.
    Live,
    /// It goes.
    Die,
}

/// Who is in a cell.
#[soa_dispatch(Candidate, Alive)]
pub trait Agent {
    /// Looks around.
    #[kernel]
    fn prepare(&mut self, field: Field) {
        self.action = self.decide(self.cell.around(field, ALIVE));
    }
    /// What to do beside so many living ones.
    fn decide(&self, near: u32) -> Action;
}

/// An agent that lives or dies.
#[soa_class(compact = 1.0)]
pub struct Alive {
    /// Its cell.
    pub cell: Link<Cell>,
    /// What it does next.
    pub action: Action,
    /// For how many steps it has been dying.
    pub age: u32,
}

#[soa_methods]
impl Agent for Alive {
    fn decide(&self, near: u32) -> Action {
        if self.age == 0 && (3..=5).contains(&near) { Action::Stay } else { Action::Die }
    }
}

#[soa_methods]
impl Alive {
    /// Stays, grows older, or leaves a candidate behind.
    #[kernel(unordered(state))]
    pub fn update(&mut self, young: Spawn<Candidate>) {
        if self.action == Action::Stay {
            self.cell.state().store(ALIVE);
        } else if self.age < LAST_AGE {
            self.age += 1;
            self.cell.state().store(DYING + self.age);
        } else {
            self.cell.state().store(CANDIDATE);
            young.push(Candidate { cell: self.cell.link(), action: Action::Stay });
            self.remove();
        }
    }
}

/// An agent that may come to life.
#[soa_class(compact = 1.0)]
pub struct Candidate {
    /// Its cell.
    pub cell: Link<Cell>,
    /// What it does next.
    pub action: Action,
}

#[soa_methods]
impl Agent for Candidate {
    fn decide(&self, near: u32) -> Action {
        match near {
            2 => Action::Live,
            0 => Action::Die,
            _ => Action::Stay,
        }
    }
}

#[soa_methods]
impl Candidate {
    /// Comes to life, or goes where nobody lives around.
    #[kernel(unordered(state))]
    pub fn update(&mut self, young: Spawn<Alive>) {
        if self.action == Action::Live {
            self.cell.state().store(NEW);
            young.push(Alive { cell: self.cell.link(), action: Action::Stay, age: 0 });
            self.remove();
        } else if self.action == Action::Die {
            self.cell.state().store(NOBODY);
            self.remove();
        }
    }
}

/// The game.
#[soa_world]
pub struct Game {
    /// All cells.
    pub cells: Objects<Cell>,
    /// Who lives or dies.
    pub alive: Objects<Alive>,
    /// Who may come to life.
    pub candidates: Objects<Candidate>,
}
