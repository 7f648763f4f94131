// A class with a lifetime.
use ikra::prelude::*;

#[soa_class]
pub struct Body<'a> {
    pub name: &'a str,
}

fn main() {}
