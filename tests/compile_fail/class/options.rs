use ikra::prelude::*;

#[soa_class(layout = "rows")]
struct A { x: f32 }

#[soa_class(layouts = "soa")]
struct B { x: f32 }

#[soa_class(tile = 128)]
struct C { x: f32 }

#[soa_class(layout = "tiles", tile = 100)]
struct D { x: f32 }

#[soa_class(capacity = 0)]
struct E { x: f32 }

#[soa_class(addressing = "one")]
struct F { x: f32 }

#[soa_class(soa)]
struct G { x: f32 }

#[soa_class(layout = "soa", layout = "aos")]
struct H { x: f32 }

#[soa_class(columns = 5)]
struct I { x: f32 }

fn main() {}
