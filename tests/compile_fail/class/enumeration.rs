// An enum.
use ikra::prelude::*;

#[soa_class]
pub enum Body {
    Star,
    Planet,
}

fn main() {}
