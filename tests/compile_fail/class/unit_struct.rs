// A struct without fields.
use ikra::prelude::*;

#[soa_class]
pub struct Body;

fn main() {}
