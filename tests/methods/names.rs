//! Classes, fields, methods and parameters with raw names.

use ikra::prelude::*;

/// `move` in snake case is a keyword.
#[soa_class]
pub struct Move {
    pub r#type: u32,
    pub r#match: f32,
    pub plain: u32,
}

#[soa_methods]
impl Move {
    #[kernel]
    pub fn r#loop(&mut self, r#in: u32) {
        self.r#type += r#in;
        self.r#yield();
    }
    fn r#yield(&mut self) {
        self.r#match = self.r#type as f32;
    }
    #[kernel(writes(r#type, plain), snapshot(r#match))]
    pub fn r#fn(&mut self) {
        self.r#match += 1.0;
        self.r#plain += 1;
    }
    #[kernel(reduce(Sum))]
    pub fn r#struct(&self) -> u32 {
        self.r#type
    }
    #[kernel]
    pub fn r#enum(id: u32) -> Self {
        Self { r#type: id, r#match: 0.0, plain: 0 }
    }
}

#[soa_world]
pub struct Game {
    pub r#mod: Objects<Move>,
}

#[test]
fn raw_identifiers() {
    let mut game = Game::new();
    game.construct(3, Move::r#enum, ()).unwrap();
    game.execute(Move::r#loop, 2);
    game.execute(Move::r#fn, ());
    assert_eq!(game.execute_and_reduce(Move::r#struct, (), Sum), 9);
    assert_eq!(game.r#mod.column(r#move::r#match), [3.0, 4.0, 5.0]);
    let shown = format!("{:?}", game.get_mut(Link::from_id(1).unwrap()));
    assert_eq!(shown, "Move { type: 2, match: 3.0, plain: 1 }");
}
