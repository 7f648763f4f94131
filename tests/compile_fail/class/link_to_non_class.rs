use ikra::prelude::*;

struct Cell;

#[soa_class]
struct Body { cell: Link<Cell> }

fn main() {}
