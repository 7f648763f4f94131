//! The game of life with cells that die slowly, by agents that come and go: the rule 345/2/4, "Star Wars". Each cell that
//! lives or dies has an agent, and so has each cell beside a living one that is ready to come to life.

/// The field, which has edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy)]
pub struct Cell {
    /// Who is here. Only its own agent, or the cell itself without one, changes it.
    pub state: u32,
}

/// How many of the cells around one have at least a state.
pub fn around(cells: &[Cell], field: Field, index: usize, least: u32) -> u32 {
    let (x, y) = (index as u32 % field.width, index as u32 / field.width);
    let mut count = 0;
    for dy in 0..3 {
        for dx in 0..3 {
            // Counted from one cell outside of the field.
            let (x, y) = (x + dx, y + dy);
            let is_inside = (x > 0) & (x <= field.width) & (y > 0) & (y <= field.height) & (dx != 1 || dy != 1);
            if is_inside {
                let cell = cells[((y - 1) * field.width + x - 1) as usize];
                count += u32::from(cell.state >= least);
            }
        }
    }
    count
}

/// A candidate comes to an empty cell beside a new living one.
pub fn recruit(cells: &mut [Cell], field: Field, index: usize, young: &mut Vec<Candidate>) {
    if cells[index].state == NOBODY && around(cells, field, index, NEW) > 0 {
        cells[index].state = CANDIDATE;
        young.push(Candidate { cell: index, action: Action::Stay });
    }
}

/// What an agent does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Stay,
    /// It comes to life.
    Live,
    /// It goes.
    Die,
}

/// Who is in a cell.
pub trait Agent {
    /// Looks around.
    fn prepare(&mut self, field: Field, cells: &[Cell]);
    /// What to do beside so many living ones.
    fn decide(&self, near: u32) -> Action;
}

/// An agent that lives or dies.
pub struct Alive {
    /// Its cell.
    pub cell: usize,
    /// What it does next.
    pub action: Action,
    /// For how many steps it has been dying.
    pub age: u32,
}

impl Agent for Alive {
    fn prepare(&mut self, field: Field, cells: &[Cell]) {
        self.action = self.decide(around(cells, field, self.cell, ALIVE));
    }
    fn decide(&self, near: u32) -> Action {
        if self.age == 0 && (3..=5).contains(&near) { Action::Stay } else { Action::Die }
    }
}

impl Alive {
    /// Stays, grows older, or leaves a candidate behind. Returns whether it stays.
    pub fn update(&mut self, cells: &mut [Cell], young: &mut Vec<Candidate>) -> bool {
        let stays = self.action == Action::Stay || self.age < LAST_AGE;
        if self.action == Action::Stay {
            cells[self.cell].state = ALIVE;
        } else if stays {
            self.age += 1;
            cells[self.cell].state = DYING + self.age;
        } else {
            cells[self.cell].state = CANDIDATE;
            young.push(Candidate { cell: self.cell, action: Action::Stay });
        }
        stays
    }
}

/// An agent that may come to life.
pub struct Candidate {
    /// Its cell.
    pub cell: usize,
    /// What it does next.
    pub action: Action,
}

impl Agent for Candidate {
    fn prepare(&mut self, field: Field, cells: &[Cell]) {
        self.action = self.decide(around(cells, field, self.cell, ALIVE));
    }
    fn decide(&self, near: u32) -> Action {
        match near {
            2 => Action::Live,
            0 => Action::Die,
            _ => Action::Stay,
        }
    }
}

impl Candidate {
    /// Comes to life, or goes where nobody lives around. Returns whether it stays a candidate.
    pub fn update(&mut self, cells: &mut [Cell], young: &mut Vec<Alive>) -> bool {
        if self.action == Action::Live {
            cells[self.cell].state = NEW;
            young.push(Alive { cell: self.cell, action: Action::Stay, age: 0 });
        } else if self.action == Action::Die {
            cells[self.cell].state = NOBODY;
        }
        self.action == Action::Stay
    }
}

/// The game.
#[derive(Default)]
pub struct Game {
    /// All cells.
    pub cells: Vec<Cell>,
    /// Who lives or dies.
    pub alive: Vec<Alive>,
    /// Who may come to life.
    pub candidates: Vec<Candidate>,
}
