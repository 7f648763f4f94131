// A struct without fields, in braces.
use ikra::prelude::*;

#[soa_class]
pub struct Body {}

fn main() {}
