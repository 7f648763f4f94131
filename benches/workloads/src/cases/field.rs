//! Games of life.

use std::sync::Arc;

use ikra::prelude::*;

use super::{Case, Input, Outcome, run};
use crate::model::{r#gen, gol};
use crate::{plain, words_checksum};

/// A game: what an agent starts with, and the states of the result by those of cells.
macro_rules! case {
    ($name:literal, $module:ident, $text:literal, $living:expr, $size:expr, { $($age:tt)* }, $state:expr) => {{
        let (living, size): (Arc<Vec<bool>>, [u32; 3]) = ($living, $size);
        let [width, height, steps] = size;
        let input = Input::Field(Arc::clone(&living), size, $text);
        let texts = Some([include_str!(concat!("../model/", $text, ".rs")), include_str!(concat!("../objects/", $text, ".rs"))]);
        let ikra = move |place| {
            use $module::{Action, Agent, Alive, Candidate, Cell, Field, Game, NEW, NOBODY, cell};
            let field = Field { width, height };
            let make = || {
                let mut game = Game::new();
                let new = living.iter().map(|&lives| Cell { state: if lives { NEW } else { NOBODY } });
                let cells = game.cells.extend(new)?.zip(living.iter());
                let alive = cells.filter(|(_, lives)| **lives);
                game.alive.extend(alive.map(|(cell, _)| Alive { cell, action: Action::Stay, $($age)* }).collect::<Vec<_>>())?;
                Ok(game)
            };
            let warm_up = |game: &mut Game| {
                game.on(place).execute(Cell::recruit, field)?;
                game.on(place).execute(Agent::prepare, field)
            };
            let steps = |game: &mut Game| {
                (0..steps).try_for_each(|_| {
                    let mut game = game.on(place);
                    game.execute(Agent::prepare, field)?;
                    game.execute(Alive::update, ())?;
                    game.execute(Candidate::update, ())?;
                    game.execute(Cell::recruit, field)
                })
            };
            let (game, [making, running]) = run(place, make, warm_up, steps)?;
            let states = game.cells.copy_column(cell::state);
            Ok(Outcome { making, running, checksum: words_checksum(states.into_iter().map($state)) })
        };
        let objects = 2 * (width * height) as usize;
        Case { name: $name, objects, input, texts, ikra: Box::new(ikra) }
    }};
}

pub(super) fn gol(living: Arc<Vec<bool>>, size: [u32; 3]) -> Case {
    case!("GOL", gol, "gol", living, size, {}, |state| u32::from(state >= gol::ALIVE))
}

pub(super) fn r#gen(living: Arc<Vec<bool>>, size: [u32; 3]) -> Case {
    case!("GEN", r#gen, "gen", living, size, { age: 0 }, state_of_gen)
}

/// The state of the result by that of a cell.
pub(super) fn state_of_gen(state: u32) -> u32 {
    match state {
        r#gen::NOBODY | r#gen::CANDIDATE => 0,
        r#gen::ALIVE.. => 1,
        _ => state,
    }
}

/// By hand.
pub(super) fn plain(living: &[bool], size: [u32; 3], rule: &str) -> u64 {
    let states = if rule == "gol" { plain::field::gol(size, living) } else { plain::field::r#gen(size, living) };
    words_checksum(states.into_iter().map(u32::from))
}
