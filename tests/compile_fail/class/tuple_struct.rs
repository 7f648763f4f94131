// A struct whose fields have no names.
use ikra::prelude::*;

#[soa_class]
pub struct Body(pub f32, pub f32);

fn main() {}
