//! The positions at which each register is read and written.

use crate::program::{Access, Body, Position, Register};

/// The positions at which each register of a function is read and written, in the order of the text.
#[derive(Clone, Debug)]
pub struct Uses {
    writes: Vec<Vec<Position>>,
    reads: Vec<Vec<Position>>,
}

impl Uses {
    /// The uses in a function at this moment: later changes of the function do not show.
    #[must_use]
    pub fn new(body: &Body) -> Self {
        let mut uses =
            Self { writes: vec![Vec::new(); body.registers.len()], reads: vec![Vec::new(); body.registers.len()] };
        for (at, one) in body.instructions() {
            one.for_each_register(|register, access| {
                let all = match access {
                    Access::Read => &mut uses.reads,
                    Access::Write => &mut uses.writes,
                };
                let all = &mut all[register.0 as usize];
                if all.last() != Some(&at) {
                    all.push(at);
                }
            });
        }
        uses
    }

    /// The instructions that write a register. Instructions under a predicate may leave it unchanged.
    #[must_use]
    pub fn writes(&self, register: Register) -> &[Position] {
        self.writes.get(register.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The instructions that read a register.
    #[must_use]
    pub fn reads(&self, register: Register) -> &[Position] {
        self.reads.get(register.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The only instruction that writes a register.
    #[must_use]
    pub fn definition(&self, register: Register) -> Option<Position> {
        match self.writes(register) {
            [one] => Some(*one),
            _ => None,
        }
    }
}
