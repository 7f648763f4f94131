//! Classes, fields, methods and parameters with raw names.
#![allow(clippy::useless_vec, reason = "the names of standard macros are tested")]

use ikra::prelude::*;

/// A macro named like a keyword. It expands to a different field than its argument.
macro_rules! r#match {
    (!($object:ident . $field:ident)) => {
        $object.code
    };
    ($object:ident . $field:ident) => {
        $object.code
    };
}

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
    let shown = format!("{:?}", game.get_mut(Link::<Move>::from_id(1).unwrap()));
    assert_eq!(shown, "Move { type: 2, match: 3.0, plain: 1 }");
}

/// Names that need no `r#`, used both with and without it.
#[soa_class]
pub struct Tile {
    pub pos: u32,
    pub r#code: u32,
    pub list: [u32; 3],
    pub sum: u32,
    pub next: Option<Link<Tile>>,
}

#[soa_methods]
impl Tile {
    #[kernel]
    pub fn read(&mut self) {
        self.sum = self.r#pos + self.code;
    }
    #[kernel]
    pub fn write(&mut self) {
        self.r#pos += 1;
        self.code += 2;
        self.r#list.r#reverse();
    }
    #[kernel]
    pub fn add(&mut self, r#by: u32) {
        self.sum += by;
    }
    #[kernel]
    pub fn call(&mut self) {
        self.r#add(1);
        self.add(2);
        self.r#elsewhere();
        self.elsewhere();
        self.sum += self.next.map_or(0, |next| next.r#weight());
    }
    pub fn r#weight(&self) -> u32 {
        self.r#pos * 100 + self.code * 10
    }
    #[kernel(writes(r#pos), snapshot(code))]
    pub fn options(&mut self) {
        let pos = &mut self.pos;
        *pos = 7;
        self.r#code = self.next.map_or(self.code, |next| next.r#code());
    }
    #[kernel]
    pub fn by_macro(&mut self) {
        self.sum = r#match!(self.pos) + r#match!(!(self.pos));
    }
    #[kernel]
    pub fn of_object(&mut self) {
        self.sum = self.r#all::<r#Tile>().map(|tile| tile.pos()).sum();
        self.next = Some(self.r#resolve(self.r#link()));
    }
    #[kernel]
    pub fn made(r#id: u32) -> r#Tile {
        Tile { pos: id, r#code: id, list: [id; 3], sum: 0, next: None }
    }
}

#[soa_methods]
impl Tile {
    fn elsewhere(&mut self) {
        self.r#sum += 10;
    }
}

#[soa_world]
pub struct Board {
    pub tiles: Objects<Tile>,
}

#[test]
fn raw_and_plain_spelling_are_one_name() {
    let mut board = Board::new();
    let tile = |pos, code| Tile { pos, code, list: [1, 2, 3], sum: 0, next: None };
    let first = board.tiles.push(tile(1, 2)).unwrap();
    let second = board.tiles.push(Tile { next: Some(first), ..tile(3, 4) }).unwrap();
    board.execute(Tile::read, ());
    assert_eq!(board.tiles.column(tile::sum), [3, 7]);
    board.execute(Tile::write, ());
    assert_eq!((board.tiles.column(tile::pos), board.tiles.column(tile::code)), (&[2, 4][..], &[4, 6][..]));
    assert_eq!(board.get(first).list(), [3, 2, 1]);
    board.execute(Tile::r#add, 5);
    assert_eq!(board.tiles.column(tile::sum), [8, 12]);
    board.execute(Tile::call, ());
    assert_eq!(board.tiles.column(tile::sum), [8 + 23, 12 + 23 + 240]);
    board.execute(Tile::options, ());
    assert_eq!((board.tiles.column(tile::pos), board.tiles.column(tile::code)), (&[7, 7][..], &[4, 4][..]));
    board.execute(Tile::by_macro, ());
    assert_eq!(board.tiles.column(tile::sum), [8, 8]);
    board.execute(Tile::of_object, ());
    assert_eq!(board.tiles.column(tile::sum), [14, 14]);
    assert_eq!(board.get(second).next().map(|next| next.link()), Some(second));
    board.construct(1, Tile::made, ()).unwrap();
    assert_eq!(board.tiles.column(tile::code)[2], 2);
}

/// Modules named like macros of the standard library.
mod vec {
    pub(super) const ONE: u32 = 1;
}
mod panic {
    pub(super) const TWO: u32 = 2;
}

#[soa_class]
pub struct Named {
    pub value: u32,
}

#[soa_methods]
impl Named {
    #[kernel]
    pub fn count(&mut self) {
        let values = vec![self.value, vec::ONE];
        if values.is_empty() {
            panic!("no values beside {}", self.value);
        }
        self.value = values.iter().sum::<u32>() + panic::TWO;
    }
}

#[soa_world]
pub struct Names {
    pub named: Objects<Named>,
}

#[test]
fn modules_named_like_macros() {
    let mut names = Names::new();
    let named = names.named.push(Named { value: 4 }).unwrap();
    names.execute(Named::count, ());
    assert_eq!(names.get(named).value(), 7);
}
